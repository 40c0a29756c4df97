"""H58: no PGN of a stranger is ever parsed. What goes out as PGN is in `tests/core/test_pgn.py`."""

from collections.abc import Iterator

from tests.hostile.case import Case, a_wish, a_word, events
from tests.hostile.stage import CANARY
from tests.nostr.hostile.case import PLAYER, STRANGER

_TOO_LARGE = "malformed|malformed-too_large"
_BOMBS = {
    "a variation 10,000 deep": ("malformed|refused-invalid", "(" * 10_000),
    "twenty thousand sidelines": (_TOO_LARGE, "1. e4 " + "(1. d4) " * 7_000),
    "a comment of 60,000 letters": (_TOO_LARGE, "{" + "x" * 60_000),
    "a game": ("malformed|malformed", '[Event "x"]\n\n1. e4 e5 2. Nf3 *'),
    "a clock command": ("malformed|malformed", "e2e4 {[%clk 0:00:01]}"),
    "a tag pair": ("malformed|malformed", f'"] [White "{CANARY}"'),
}


def bombs() -> Iterator[Case]:
    yield from events(
        (f"H58 {name} for a move", answer, a_word(PLAYER, text))
        for name, (answer, text) in _BOMBS.items()
    )
    wish = a_wish(STRANGER, f'"]\n[White "{CANARY}')
    yield from events((("H58 a tag pair for a wish", "queued, heeded", wish),))
