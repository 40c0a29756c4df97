"""README names what is there: every dependency, and pages and targets that exist."""

import re

from tests.template.source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def _asked_for() -> set[str]:
    """The packages that requirements/*.in ask for, type stubs apart."""
    lines = [
        line.partition("#")[0].strip()
        for path in (ROOT / "requirements").glob("*.in")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    names = {re.split(r"[=\[]", line)[0] for line in lines if line and not line.startswith("-r")}
    return {name for name in names if not name.startswith("types-")}


def test_every_dependency_is_in_the_table() -> None:
    table = README.split("## What it stands on")[1]
    told = set(re.findall(r"[A-Za-z0-9_-]+", table))

    assert _asked_for() - told == set()


def test_every_page_that_readme_leads_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_every_target_that_readme_names_is_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, flags=re.MULTILINE))
    told = re.findall(r"^make ([a-z][a-z0-9-]*)|`make ([a-z][a-z0-9-]*)", README, re.MULTILINE)

    assert {one or other for one, other in told} <= targets
