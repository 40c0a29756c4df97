"""Finds the Python for .venv: this one, or another where pyproject.toml does not allow it."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

Version = tuple[int, int]


class NoPython(Exception):
    """There is no Python that will do; the text is one line for the user."""


def supported() -> tuple[Version, Version]:
    """The oldest Python that will do, and the first that is too new."""
    text = (FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^requires-python = ">=3\.(\d+),<3\.(\d+)"$', text, flags=re.MULTILINE)
    if found is None:
        raise ValueError("pyproject.toml has no requires-python such as >=3.11,<3.14")
    return (3, int(found[1])), (3, int(found[2]))


def is_supported(version: Version) -> bool:
    oldest, too_new = supported()
    return oldest <= version < too_new


def needed() -> str:
    (_, oldest), (_, too_new) = supported()
    return f"Python 3.{oldest} to 3.{too_new - 1} (coincurve has no wheel for 3.{too_new})"


def will_do(python: str | Path, modules: str) -> bool:
    """Whether this Python is there, of a version that will do, and has these modules."""
    oldest, too_new = supported()
    code = f"import sys, {modules}; sys.exit(not {oldest} <= sys.version_info < {too_new})"
    asked = [python, "-c", code]
    try:
        return subprocess.run(asked, check=False, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def find(managed: Path) -> str:
    """This Python, another of this machine, or uv's in the folder ``managed``. Raises NoPython."""
    if is_supported(sys.version_info[:2]):
        return sys.executable
    this = "{} is Python {}.{}".format(sys.executable, *sys.version_info[:2])
    wanted = f"3.{supported()[1][1] - 1}"
    print(f"{this}. Looking for {needed()}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        uv = _uv(Path(folder))
        if found := _found(uv, os.environ):
            return found
        environment = {**os.environ, "UV_PYTHON_INSTALL_DIR": str(managed)}
        print(f"uv downloads Python {wanted}", file=sys.stderr)
        command = (uv, "python", "install", "--no-bin", wanted)
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        if done.returncode == 0 and (found := _found(uv, environment)):
            return found
    why = done.stderr.strip().rpartition("\n")[2].strip().removeprefix("cause: ")
    raise NoPython(
        f"Arbiter needs {needed()}; {this}, and uv could not download {wanted} ({why}). "
        f"Install Python {wanted}, then: make PYTHON=/path/to/python{wanted}"
    )


def _uv(home: Path) -> Path:
    """The locked uv, in an environment of its own that this Python makes."""
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    lock = FOLDER / "bootstrap.txt"
    pip = (home / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes")
    subprocess.run((*pip, "-r", lock), check=True)
    return home / "bin" / "uv"


def _found(uv: Path, environment: Mapping[str, str]) -> str | None:
    """A Python that uv finds, and that can make environments."""
    (_, oldest), (_, too_new) = supported()
    command = (uv, "python", "find", "--system", f">=3.{oldest},<3.{too_new}")
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    python = done.stdout.strip()
    return python if python and will_do(python, "ensurepip, venv") else None
