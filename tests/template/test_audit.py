"""requirements/audit.sh passes only if everything was looked up, and finds secret keys."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from arbiter.nostr.keys import SecretKey
from tests.template.source import ROOT, executable

RULES: dict[str, Any] = tomllib.loads(
    (ROOT / "requirements/gitleaks/gitleaks.toml").read_text(encoding="utf-8")
)
KNOWN = "echo Found 2 known vulnerabilities in 1 package; exit 1"
SKIPPED = "echo No known vulnerabilities found; echo Name Skip Reason"
UNANSWERED = "echo npm error audit endpoint returned an error; exit 1"
SEVERE = "echo Severity: high; exit 1"
SECRET = "echo RuleID: nostr-secret-key; exit 1"


@pytest.mark.parametrize(
    ("pip_audit", "npm", "gitleaks", "code"),
    [
        ("exit 0", "exit 0", "exit 0", 0),
        (KNOWN, "exit 0", "exit 0", 1),
        (SKIPPED, "exit 0", "exit 0", 75),
        ("exit 1", "exit 0", "exit 0", 75),
        ("exit 0", UNANSWERED, "exit 0", 75),
        ("exit 0", SEVERE, "exit 0", 1),
        (SKIPPED, UNANSWERED, SECRET, 1),
        ("exit 0", "exit 0", "exit 2", 75),
        ("exit 0", "exit 0", None, 75),
    ],
)
def test_what_was_found_outweighs_what_was_not_looked_up(
    tmp_path: Path, pip_audit: str, npm: str, gitleaks: str | None, code: int
) -> None:
    tools, programs = tmp_path / ".venv/tools", tmp_path / "programs"
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    scripts = {tools / "audit/bin/pip-audit": pip_audit, programs / "npm": npm}
    scripts[programs / "git"] = "echo bridge/peer/package-lock.json"
    scripts[programs / "go"] = f"exit {int(gitleaks is None)}"
    scripts[tools / "gitleaks"] = gitleaks or "exit 0"
    for path, script in scripts.items():
        executable(path, script)

    done = subprocess.run(
        [tmp_path / "requirements/audit.sh"],
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == code, done.stdout + done.stderr
    assert (code == 75) == ("not all was looked up" in done.stdout)


def _rule(name: str) -> dict[str, Any]:
    (found,) = [rule for rule in RULES["rules"] if rule["id"] == name]
    return dict(found)


KEY = SecretKey.generate(bytes(range(1, 33)))


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("nostr-secret-key", f"the key is {KEY.to_nsec()}."),
        ("secret-key-in-hexadecimal", f"SERVER_SECRET_KEY={KEY.to_hex()}"),
        ("secret-key-in-hexadecimal", f'{{"private_key": "{KEY.to_hex()}"}}'),
        ("secret-key-in-hexadecimal", f'SecretKey.from_hex("{KEY.to_hex()}")'),
        ("secret-key-in-hexadecimal", f"secret: {KEY.to_hex().upper()}"),
    ],
)
def test_a_secret_key_is_found(rule: str, line: str) -> None:
    assert re.search(_rule(rule)["regex"], line)
    assert any(word in line.lower() for word in _rule(rule)["keywords"])


@pytest.mark.parametrize("line", [f'"pubkey": "{KEY.pubkey}"', f'"id": "{KEY.pubkey}"'])
def test_a_public_key_is_not_taken_for_a_secret(line: str) -> None:
    assert not any(re.search(rule["regex"], line) for rule in RULES["rules"] if "regex" in rule)
