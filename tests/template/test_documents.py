"""Pages, sections, make targets, modules, names and files of code that a document names exist."""

import re
import subprocess
from functools import cache
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


@cache
def _source() -> str:
    """The text of everything tracked but pages and this test."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    names = [name for name in listed.stdout.split() if not name.endswith(".md")]
    paths = [ROOT / name for name in names if (ROOT / name) != Path(__file__)]
    texts = (path.read_text("utf-8", "ignore") for path in paths if path.is_file())
    return "\n".join([*names, *texts])


OF_OTHERS = {
    *("AdministratorAccess", "ApiGatewayDomainName", "PutMetricData", "StartMessageMoveTask"),
    *("FORWARDED_ALLOW_IPS", "limit_concurrency", "timeout_keep_alive", "ws_max_queue"),
}
"""Names of AWS and of uvicorn that no code of ours says."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_parameters_classes_settings_and_files_of_a_page_exist(path: Path) -> None:
    # What is named with a commit was there; the changelog also names what is gone.
    page = "" if path.name == "CHANGELOG.md" else path.read_text(encoding="utf-8")
    spans = re.findall(r"`([^`\n]+)`(?!\s+at [0-9a-f]{7})", re.sub(r"(?s)```.*?```", "", page))
    named = r"\b(?:[A-Z][a-z0-9]+){2,}\b|\b[A-Za-z]+(?:_[A-Za-z]+)+\b|[\w/]+\.py\b"
    names = {name for span in spans for name in re.findall(named, span)}

    assert {name for name in names if name not in _source()} <= OF_OTHERS
