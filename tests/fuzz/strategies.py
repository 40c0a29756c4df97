"""Texts, JSON values and bytes as strangers write them: nearly right, awkward, or long."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.hostile.scenario import MARK

Draw = Callable[[st.SearchStrategy[Any]], Any]

_AWKWARD = (
    *map(chr, range(0x20)),
    *'"\\/\x7f\x80\x85\u2028\u2029\ufeff\ufffd\uffff\u0301\u200d\u202e',
    *"\u00e9\ud7ff\ue000\U0001f600\U0010ffff\u0661\uff45#%$&=+:;'<>{}[]() 0aA",
)
"""Characters on which readers of JSON, of numbers, of lines and of markup are known to differ."""

_LONG = (64, 65, 257, 1_024, 1_025, 3_000)
_NUMBERS = (0, 1, -1, 2**31, 2**53, 2**63, 10**40, 0.5, -0.0, 1e300, True, False, None)
_TOKENS = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud83d", b" ", b"\n", b"\x00"),
    *(b"0", b"-", b"-0", b"1e999", b"NaN", b"true", b"null", b"9" * 40, b"1.5"),
    *(b'"EVENT"', b'"REQ"', b'"CLOSE"', b'"AUTH"', b'"OK"', b'"EOSE"', b'"NOTICE"', b'"CLOSED"'),
    *(b'"id":', b'"sig":', b'"kind":', b'"tags":', b'"content":', b'"pubkey":', b'"created_at":'),
    *(b'"ids":', b'"authors":', b'"kinds":', b'"#d":', b'"#p":', b'"since":', b'"limit":'),
    *(b"\xff", b"\xc0\xae", b"[" * 100, b'{"a":' * 20, b"\xef\xbb\xbf", b"\xe2\x80\xae"),
)
"""Tokens of JSON, frames and filters, so that chance gets past the first brace."""

LETTERS = st.sampled_from(_AWKWARD) | st.characters(codec="utf-8")
TEXTS = (
    st.text(LETTERS, max_size=24)
    | st.just(MARK)
    | st.builds(operator.mul, LETTERS, st.sampled_from(_LONG))
)
VALUES = st.recursive(
    st.sampled_from(_NUMBERS) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


def pick(draw: Draw, things: Sequence[Any]) -> Any:
    """One of these; what is in it more often is picked more often."""
    return draw(st.sampled_from(things))


def once_in(draw: Draw, times: int) -> bool:
    return bool(draw(st.integers(1, times)) == times)


def usually(draw: Draw, words: Sequence[str]) -> str:
    """Nearly one of these words, and now and then anything."""
    return str(draw(TEXTS)) if once_in(draw, 6) else nearly(draw, words)


def nearly(draw: Draw, words: Sequence[str]) -> str:
    """One of these words, most often as it is, else with a letter more, less, or other."""
    text = str(pick(draw, words))
    for _ in range(pick(draw, (0, 0, 0, 0, 0, 1, 1, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.text(LETTERS, max_size=2)) + text[at + draw(st.integers(0, 2)) :]
    return text


def alter(draw: Draw, whole: dict[str, Any] | list[Any], words: Sequence[str]) -> None:
    """Write over one part of it, at any depth, by any value or nearly one of these words; or take
    it away, or say it twice.
    """
    held: Any = whole
    while (inner := _inner(held)) and once_in(draw, 2):
        held = pick(draw, inner)
    names: Sequence[Any] = range(len(held)) if isinstance(held, list) else [*held]
    if not names or once_in(draw, 12):
        _add(held, nearly(draw, (*map(str, names), "x")), draw(VALUES))
        return
    name = pick(draw, names)
    match draw(st.integers(0, 5)):
        case 0:
            del held[name]
        case 1:
            _add(held, nearly(draw, (str(name),)), held[name])
        case 2 | 3:
            held[name] = usually(draw, words)
        case _:
            held[name] = draw(VALUES)


def _inner(held: dict[str, Any] | list[Any]) -> list[Any]:
    parts = held if isinstance(held, list) else held.values()
    return [it for it in parts if isinstance(it, dict | list)]


def _add(held: dict[str, Any] | list[Any], name: str, value: object) -> None:
    if isinstance(held, list):
        held.append(value)
    else:
        held[name] = value


def scrap(draw: Draw, seeds: Sequence[bytes]) -> bytes:
    """One of these, cut and patched in a few places, or joined to another."""
    raw: bytes = pick(draw, seeds)
    for _ in range(pick(draw, (0, 0, 1, 1, 2, 3))):
        at = draw(st.integers(0, len(raw)))
        match draw(st.integers(0, 4)):
            case 0 | 1 as case:
                patch = pick(draw, _TOKENS) if case else draw(st.binary(min_size=1, max_size=3))
                raw = raw[:at] + patch + raw[at + draw(st.integers(0, 4)) :]
            case 2:
                raw = raw[:at] + raw[at + draw(st.integers(1, 40)) :]
            case 3:
                other: bytes = pick(draw, seeds)
                raw = raw[:at] + other[draw(st.integers(0, len(other))) :]
            case _:
                piece = raw[at : at + draw(st.integers(1, 40))]
                raw = raw[:at] + piece * draw(st.integers(2, 41)) + raw[at + len(piece) :]
    return raw
