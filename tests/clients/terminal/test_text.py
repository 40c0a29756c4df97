"""Text of strangers is made harmless, short and, if need be, ASCII."""

import pytest

from clients.player.text import clean, clean_lines
from clients.terminal.text import cells, clock_text, fit, to_ascii


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("illegal-move: no", "illegal-move: no"),
        ("\x1b[2J\x1b[Hgone", "[2J[Hgone"),
        ("\x1b]0;title\x07", "]0;title"),
        ("a\x9b31mred", "a31mred"),
        ("two\nlines\tand\rmore", "two lines and more"),
        ("\u202egnissim", "gnissim"),
        ("zero\u200bwidth", "zerowidth"),
        ("a\u2028b", "ab"),
        ("Züge, schön ♟", "Züge, schön ♟"),
        ("\ud800", ""),
    ],
)
def test_only_what_can_be_seen_is_shown(written: str, shown: str) -> None:
    assert clean(written) == shown


def test_the_lines_of_a_record_stay_lines() -> None:
    assert clean_lines("[Event \x1b[31m]\r\n\n1. e4") == "[Event [31m]\n\n1. e4"


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0:00"), (7.9, "0:07"), (750, "12:30"), (3723, "1:02:03")]
)
def test_seconds_are_shown_like_a_clock(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("npub1v6rfl…dawz", "npub1v6rfl...dawz"),
        ("“3” \u2013 no", '"3" - no'),
        ("Jörg Łoś", "Jorg ?os"),
        ("e\u0301", "e"),
        ("漢♟\U0001f600", "???"),
    ],
)
def test_text_is_written_in_ascii(text: str, ascii_text: str) -> None:
    assert to_ascii(text) == ascii_text


@pytest.mark.parametrize(
    ("text", "room", "fitted"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("漢字漢", 5, "漢字…"),
        ("abc", 0, ""),
        ("e\u0301", 1, "e\u0301"),
    ],
)
def test_text_is_cut_by_the_columns_it_takes(text: str, room: int, fitted: str) -> None:
    assert fit(text, room) == fitted
    assert cells(fitted) <= room
