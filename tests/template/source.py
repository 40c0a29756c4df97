"""template.yaml as plain data: `!GetAtt Table.Arn` is {"GetAtt": "Table.Arn"}, and so on.

Read as written, not as SAM translates it: `sam validate` and a deployment check that.
"""

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from local.template import Template

ROOT = Path(__file__).resolve().parents[2]


@cache
def template() -> dict[str, Any]:
    return dict(Template.read(ROOT / "template.yaml").content)


def properties(name: str) -> dict[str, Any]:
    found: dict[str, Any] = template()["Resources"][name]["Properties"]
    return found


def named(kind: str) -> list[str]:
    """The logical ids of all resources of a type, in the template's order."""
    return [name for name, it in template()["Resources"].items() if it["Type"] == kind]


def listed(value: Any) -> list[Any]:
    """A list of what policies may write as one or as many."""
    return value if isinstance(value, list) else [value]


def statements(role: str) -> list[dict[str, Any]]:
    """The statements of a role, if all conditions are met."""
    return [
        statement["If"][1] if "If" in statement else statement
        for policy in properties(role)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


@cache
def _tracked() -> tuple[Path, ...]:
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return tuple(ROOT / name for name in listed.stdout.split("\0") if (ROOT / name).is_file())


def tracked(name: str = "") -> list[Path]:
    """The files that git knows or would add; those of this name, if one is given."""
    return [path for path in _tracked() if not name or path.name == name]


def at_least(value: Any) -> int:
    """A number as it is written, or the least that its parameter may be."""
    if isinstance(value, dict):
        return int(template()["Parameters"][value["Ref"]]["MinValue"])
    return int(value)


def executable(path: Path, script: str) -> None:
    """Write a program of this shell script, in place of one that a test must not run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
