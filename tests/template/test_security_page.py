"""SECURITY.md leads to what it calls its evidence."""

import re

from tests.template.source import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_every_page_that_it_leads_to_is_there() -> None:
    targets = re.findall(r"\]\(([^)#:]+)", PAGE)

    assert targets
    for target in targets:
        assert (ROOT / target).is_file(), target


def test_every_test_that_it_calls_its_evidence_is_there() -> None:
    named = re.findall(r"`(tests/[\w/.]+)`", PAGE)

    assert len(named) >= 4
    for name in named:
        assert (ROOT / name).exists(), name


def test_every_target_that_it_names_is_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, flags=re.MULTILINE))

    assert set(re.findall(r"`make\s+([a-z0-9-]+)", PAGE)) <= targets


def test_it_says_how_to_report() -> None:
    assert "## Telling us" in PAGE
