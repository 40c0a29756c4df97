import io
import unicodedata

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.names import MAX_NAME_CHARS, are_alike, clean_name
from arbiter.core.pgn import pgn
from tests.builders import a_game, after

ANY_TEXT = st.text(st.characters(), max_size=80)
"""With lone surrogates."""

TRICKS = st.text(
    st.sampled_from(
        "aZ0\u0301\u0327\u0345\u200b\u200d\u202e\u2066\u2069\u061c\ufeff\ufe0f\u3164\u2800\u115f"
        '\u1100\u1161\u11a8\u212b\uac00\t\n\r\0\x1b\x85\xa0\u2028\ud800\udfff\U000e0041\U0001f984"\\[]{};%'
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Zoë", "Zoë"),
        ("  Swift \t\n Knight\u00a042 ", "Swift Knight 42"),
        ("Zoe\u0308", "Zoë"),
        ("\u202eecilA\u202c", "ecilA"),
        ("\u2066Al\u200bi\ufeffce\u2069", "Alice"),
        ("Al\0ice\x1b[31m", "Alice[31m"),
        ("Al\ud800ice", "Alice"),
        ("\u3164\u2800\u115f\u200b", ""),
        ("", ""),
        ("a" + "\u0301" * 50 + "b", "á\u0301\u0301b"),
        ('Al "The\\Rook" <b>', "Al 'The/Rook' <b>"),
        ("ж" * 10_000, "ж" * 32),
        ("\u200b" * 10_000 + "Alice", ""),
        ("z" * 31 + " b", "z" * 31),
        ("npub1v9gj8jewms483g7", ""),
        ("N\u200bPUB1v9gj8jewms483g7", ""),
        ("\uff4e\uff50\uff55\uff42\uff11v9gj8jewms483g7", ""),
        ("n.p.u.b.1v9gj8", ""),
        ("nostr:nprofile1v9gj8", ""),
        ("nsec1v9gj8", ""),
        ("a0a901be28168542495ddf469dcacf76", ""),
        ("Decade 1984", "Decade 1984"),
        ("npub", "npub"),
    ],
)
def test_a_name_is_one_short_line_that_shows_what_it_says(text: str, name: str) -> None:
    assert clean_name(text) == name


@given(st.one_of(ANY_TEXT, TRICKS, TRICKS.map(lambda text: text * 9)))
def test_whatever_is_written_a_name_is_short_and_seen_and_cleaned_once(text: str) -> None:
    name = clean_name(text)

    assert len(name) <= MAX_NAME_CHARS
    assert name == " ".join(name.split())
    assert name.isprintable()
    assert unicodedata.is_normalized("NFC", name)
    assert clean_name(name) == name
    name.encode()


@given(st.one_of(ANY_TEXT, TRICKS), st.one_of(ANY_TEXT, TRICKS))
def test_a_reader_of_the_pgn_finds_the_very_names(white: str, black: str) -> None:
    names = clean_name(white), clean_name(black)
    text = pgn(after(a_game(), "e4 e5"), white=names[0], black=names[1], site="-")

    read = chess.pgn.read_game(io.StringIO(text))

    assert read is not None
    assert not read.errors
    assert (read.headers["White"], read.headers["Black"]) == names
    assert len(list(read.mainline_moves())) == 2


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Zoë", "ZOË", True),
        ("Zoë", "Zoe\u0308 ", True),
        ("Magnus", "\uff2d\uff41\uff47\uff4e\uff55\uff53", True),
        ("Mag nus", "M.a.g-n_u s", True),
        ("Zoë", "Zoe", False),
        ("Alice", "Bob", False),
    ],
)
def test_names_are_alike_whatever_their_case_width_and_signs(
    one: str, other: str, *, alike: bool
) -> None:
    assert are_alike(one, other) == alike
