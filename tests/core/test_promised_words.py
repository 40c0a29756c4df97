"""Every word of the program that a client may read is in PROTOCOL.md, spelt as there."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.commands import OfferKind
from arbiter.core.game import Termination, Variant
from arbiter.core.replies import Reason
from arbiter.core.terms import OPEN, ColorPreference

ROOT = Path(__file__).parents[2]
PROTOCOL, SSB = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("PROTOCOL.md", "docs/dialects/ssb.md")
)


@pytest.mark.parametrize("said", [Termination, OfferKind, ColorPreference, Speed, Reason])
def test_each_word_is_in_a_page(said: type[StrEnum]) -> None:
    assert {*said} <= {*re.findall(r"`([a-z-]+)`", PROTOCOL + SSB)}


def test_no_reason_of_the_table_is_unknown() -> None:
    table = PROTOCOL.partition("## Reasons")[2]
    assert {*re.findall(r"(?m)^\| `([a-z-]+)` \| (?:20301|20304) \| ", table)} <= {*Reason}


def test_other_words_of_a_request_are_those_of_the_page() -> None:
    assert f'["challenge", "{OPEN}"]' in PROTOCOL
    assert f'["variant", "{Variant.CHESS960}"]' in PROTOCOL
