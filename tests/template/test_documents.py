"""Pages, sections, make targets, modules and dependencies that a document names exist."""

import re
from pathlib import Path

import pytest

from tests.template.source import ROOT

PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "bridge/**/*.md", "clients/**/*.md")
    for path in ROOT.glob(pattern)
    if "node_modules" not in path.parts
)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z0-9-]+):.*## ", MAKEFILE, flags=re.MULTILINE))


def _anchors(page: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_targets_and_tests_of_a_page_exist(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#\s:]*)(?:#([^)]+))?\)", page):
        linked = path.parent / target if target else path
        assert linked.exists(), target
        text = linked.read_text(encoding="utf-8") if anchor else ""
        assert not anchor or anchor in _anchors(text), (target, anchor)

    # A command within the text, or at the beginning of a line of an example.
    targets = re.findall(r"(?:^|`)make ([a-z][a-z0-9-]*)", page, flags=re.MULTILINE)
    assert {*targets} <= TARGETS

    for name in re.findall(r"`(tests/[\w/.]+)`", page):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "docs/glossary.md"])
def test_modules_that_a_page_names_exist(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    layer = ROOT / "layers/arbiter/python/arbiter"
    for path in re.findall(r"`([a-z_][a-z0-9_/]*\.(?:py|json))`", page):
        assert (ROOT / path).exists() or any(layer.rglob(path)), path


def test_the_table_of_dependencies_is_complete() -> None:
    table = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    lines = [
        line.partition("#")[0].strip()
        for path in (ROOT / "requirements").glob("*.in")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    names = {re.split(r"[=\[]", line)[0] for line in lines if line and not line.startswith("-r")}

    asked_for = {name for name in names if not name.startswith("types-")}
    assert asked_for <= set(re.findall(r"[A-Za-z0-9_-]+", table))
