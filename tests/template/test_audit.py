"""`make audit` calls clean only what was looked up, and its exceptions are these."""

import re
import tomllib
from typing import Any

import pytest

from arbiter.nostr.keys import SecretKey
from requirements import audit
from requirements.audit import CLEAN, FOUND, NOT_LOOKED_UP, Verdict, read, read_node, together
from tests.template.source import ROOT, tracked

RULES: dict[str, Any] = tomllib.loads(
    (ROOT / "requirements/gitleaks/gitleaks.toml").read_text(encoding="utf-8")
)

WELL = {"name": "chess", "version": "1.11.2", "vulns": []}
ILL = {
    "name": "chess",
    "version": "1.11.2",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.11.3"]}],
}
UNKNOWN = {"name": "chess", "skip_reason": "Dependency not found on PyPI"}


def test_a_lock_that_was_looked_up_and_has_nothing_against_it_is_clean() -> None:
    assert read("layer", {"dependencies": [WELL]}).code == CLEAN


@pytest.mark.parametrize("packages", [[UNKNOWN], [WELL, UNKNOWN], []])
def test_a_package_that_the_service_does_not_know_is_not_called_clean(packages: Any) -> None:
    # pip-audit itself exits with 0 here.
    assert read("layer", {"dependencies": packages}).code == NOT_LOOKED_UP


def test_a_vulnerability_is_named_with_what_mends_it() -> None:
    verdict = read("layer", {"dependencies": [ILL, UNKNOWN]})

    assert verdict == Verdict(FOUND, ("✗ layer: chess 1.11.2 has PYSEC-1, mended in 1.11.3",))


@pytest.mark.parametrize(
    ("codes", "together_they_are"),
    [
        ([CLEAN, CLEAN], CLEAN),
        ([CLEAN, NOT_LOOKED_UP], NOT_LOOKED_UP),
        ([NOT_LOOKED_UP, FOUND, CLEAN], FOUND),
    ],
)
def test_what_was_found_outweighs_what_was_not_looked_up(
    codes: list[int], together_they_are: int
) -> None:
    assert together(Verdict(code, ()) for code in codes) == together_they_are


def test_every_lock_is_asked_about_and_nobody_further_when_the_first_goes_unanswered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def answered(name: str) -> Verdict:
        asked.append(name)
        return Verdict(CLEAN, ())

    def unanswered(name: str) -> Verdict:
        asked.append(name)
        return Verdict(NOT_LOOKED_UP, ())

    monkeypatch.setattr(audit, "_audited", answered)
    assert together(audit.vulnerabilities()) == CLEAN
    assert sorted(asked) == sorted(path.stem for path in audit.FOLDER.glob("*.txt"))

    asked.clear()
    monkeypatch.setattr(audit, "_audited", unanswered)
    assert together(audit.vulnerabilities()) == NOT_LOOKED_UP
    assert asked == ["layer"]


@pytest.mark.parametrize(
    ("report", "code"),
    [
        ({"vulnerabilities": {}}, CLEAN),
        ({"vulnerabilities": {"left-pad": {"severity": "high"}}}, FOUND),
        ({"message": "405 Method Not Allowed"}, NOT_LOOKED_UP),
        ({}, NOT_LOOKED_UP),
    ],
)
def test_a_lock_of_node_is_clean_only_when_the_service_said_so(report: Any, code: int) -> None:
    assert read_node("peer", report).code == code


def test_every_lock_of_node_is_asked_about() -> None:
    locks = {path.parent for path in tracked("package-lock.json")}

    assert {ROOT / folder for folder in audit.NODE_LOCKS} == locks


def test_without_a_scanner_secrets_are_not_called_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_scanner", lambda: None)

    assert together(audit.secrets()) == NOT_LOOKED_UP


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
def test_a_key_is_found_in_the_ways_people_leave_it_lying(rule: str, line: str) -> None:
    assert re.search(_rule(rule)["regex"], line)
    assert any(word in line.lower() for word in _rule(rule)["keywords"])


@pytest.mark.parametrize("line", [f'"pubkey": "{KEY.pubkey}"', f'"id": "{KEY.pubkey}"'])
def test_what_is_public_is_no_secret(line: str) -> None:
    assert not any(re.search(rule["regex"], line) for rule in RULES["rules"] if "regex" in rule)


def test_these_are_all_the_exceptions() -> None:
    assert RULES["extend"] == {"useDefault": True}
    exceptions = [it for rule in RULES["rules"] for it in rule.get("allowlists", ())]

    assert exceptions == [
        # A public key under that name is public.
        {"regexTarget": "line", "regexes": [r"""pubkey\\?"\s*:\s*\\?"[0-9a-f]{64}"""]},
        # The keys of these are in NIP-44's own text.
        {"paths": [r"^tests/clients/terminal/vectors/nip44\.vectors\.json$"]},
    ]
    assert not {"allowlist", "allowlists"} & set(RULES)
    assert not (ROOT / ".gitleaksignore").exists()
