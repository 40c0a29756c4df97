"""Texts and bytes as strangers write them: nearly right ones, awkward ones, and long ones."""

from collections.abc import Sequence

from tests.fuzz.choices import Choices
from tests.hostile.scenario import MARK

AWKWARD = (
    *map(chr, range(0x20)),
    *'"\\/\x7f\x80\x85\u2028\u2029\ufeff\ufffd\uffff\u0301\u200d\u202e',
    *"\u00e9\ud7ff\ue000\U0001f600\U0010ffff\u0661\uff45#%$&=+:;'<>{}[]() 0aA",
)
"""Characters on which readers of JSON, of numbers, of lines and of markup are known to differ."""

_LONG = (64, 65, 257, 1_024, 1_025, 3_000)


def a_letter(choices: Choices) -> str:
    """An awkward one, or any other."""
    return choices.letter() if choices.chance(4) else choices.pick(AWKWARD)


def some_letters(choices: Choices, most: int) -> str:
    return "".join(choices.several(most, lambda: a_letter(choices)))


def anything(choices: Choices) -> str:
    """Any text."""
    match choices.below(8):
        case 0:
            return MARK
        case 1:
            return a_letter(choices) * choices.pick(_LONG)
        case _:
            return some_letters(choices, 24)


def nearly(choices: Choices, words: Sequence[str]) -> str:
    """One of these words, most often as it is, else with a letter more, less, or other."""
    text = choices.pick(words)
    for _ in range(choices.pick((0, 0, 0, 0, 0, 1, 1, 2))):
        at = choices.below(len(text) + 1)
        text = text[:at] + some_letters(choices, 2) + text[at + choices.below(3) :]
    return text


def usually(choices: Choices, words: Sequence[str]) -> str:
    """Nearly one of these words, and now and then anything."""
    return anything(choices) if choices.chance(6) else nearly(choices, words)


def scrap(choices: Choices, seeds: Sequence[bytes]) -> bytes:
    """One of these, cut and patched in a few places, or joined to another."""
    raw = choices.pick(seeds)
    for _ in range(choices.pick((0, 1, 1, 1, 2, 3, 4))):
        at = choices.below(len(raw) + 1)
        match choices.below(6):
            case 0:
                raw = raw[:at] + choices.octets(3) + raw[at:]
            case 1:
                raw = raw[:at] + choices.octets(3) + raw[at + choices.below(4) :]
            case 2:
                raw = raw[:at] + choices.pick(TOKENS) + raw[at + choices.below(5) :]
            case 3:
                raw = raw[:at] + raw[at + 1 + choices.below(40) :]
            case 4:
                other = choices.pick(seeds)
                raw = raw[:at] + other[choices.below(len(other) + 1) :]
            case _:
                piece = raw[at : at + 1 + choices.below(40)]
                raw = raw[:at] + piece * (2 + choices.below(40)) + raw[at + len(piece) :]
    return raw


TOKENS = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud83d", b" ", b"\n", b"\x00"),
    *(b"0", b"-", b"-0", b"1e999", b"NaN", b"true", b"null", b"9" * 40, b"1.5"),
    *(b'"EVENT"', b'"REQ"', b'"CLOSE"', b'"AUTH"', b'"OK"', b'"EOSE"', b'"NOTICE"', b'"CLOSED"'),
    *(b'"id":', b'"sig":', b'"kind":', b'"tags":', b'"content":', b'"pubkey":', b'"created_at":'),
    *(b'"ids":', b'"authors":', b'"kinds":', b'"#d":', b'"#p":', b'"since":', b'"limit":'),
    *(b"\xff", b"\xc0\xae", b"[" * 100, b'{"a":' * 20, b"\xef\xbb\xbf", b"\xe2\x80\xae"),
)
"""Tokens of JSON, frames and filters, so that chance gets past the first brace."""
