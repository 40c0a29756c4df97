"""The words that PROTOCOL.md promises: no more are said, no fewer, and none is spelt otherwise."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from arbiter.core.model import OfferKind, Termination, Variant
from arbiter.core.replies import Reason
from arbiter.core.terms import OPEN, ColorWish
from arbiter.core.timing import Speed

ROOT = Path(__file__).parents[2]
PROTOCOL, SSB = (
    " ".join((ROOT / name).read_text(encoding="utf-8").split())
    for name in ("PROTOCOL.md", "docs/dialects/ssb.md")
)


def words(page: str, begins: str, ends: str) -> set[str]:
    """What stands in backticks from here to there."""
    found = page.partition(begins)[2].partition(ends)
    assert found[1], f"the page has no {begins!r} before {ends!r}"
    return set(re.findall("`([^`]+)`", found[0]))


@pytest.mark.parametrize(
    ("promised", "said"),
    [
        (words(PROTOCOL, "Terminations: ", " ## "), Termination),
        (words(PROTOCOL, "| an offer that stands: ", ", and whose"), OfferKind),
        (words(PROTOCOL, '| `["color", "white"]` | ', " |"), ColorWish),
        (words(PROTOCOL, "for each speed apart: ", "; the estimate"), Speed),
    ],
)
def test_the_words_of_the_page_are_those_of_the_program(
    promised: set[str], said: type[StrEnum]
) -> None:
    assert promised == {*said}


def test_the_reasons_of_all_pages_are_those_of_the_program() -> None:
    table = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8").partition("## Reasons")[2]
    native = {*re.findall(r"(?m)^\| `([a-z-]+)` \| (?:20301|20304) \| ", table)}
    own = words(SSB, "wire's own: ", " A verdict") - {"disputed"}
    assert native | own == {*Reason}


def test_other_words_of_a_request_are_those_of_the_page() -> None:
    assert f'["challenge", "{OPEN}"]' in PROTOCOL
    assert f'["variant", "{Variant.CHESS960}"]' in PROTOCOL
