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

    for module in re.findall(r"python -m ([\w.]+)", page):
        place = ROOT / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module

    for name in re.findall(r"`(tests/[\w/.]+)`", page):
        assert (ROOT / name).exists(), name
