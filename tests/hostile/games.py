"""H42 to H53, H68: whose game, whose turn and which state; texts that are nearly moves; and what is
said out of season.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import chess

from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Outcome, Termination
from tests.hostile.case import Case, Row, a_word, events, signed, wrapped
from tests.hostile.stage import BEGUN_MS, CANARY, NOW_MS, RIVAL, Stage, a_game
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, Body, bytes_of

_ELSEWHERE = "ff" * 16
_SECONDS = NOW_MS // 1000

STRANGE_IDS = {
    "with slashes": "../" + GAME[:29],
    "with a hash": "#" + GAME[1:],
    "with dots": ".." * 16,
    "with %00": "%00" + GAME[3:],
    "with a NUL": GAME[:31] + "\0",
    "with a newline after it": GAME + "\n",
    "with a blank before it": " " + GAME,
    "in upper case": GAME.upper(),
    "with a 0x before it": "0x" + GAME,
    "in Arabic digits": GAME.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
    "of 129 characters": "a" * 129,
    "of 1,024 characters": "a" * 1_024,
    "of 64 digits": GAME * 2,
    "of 31 digits": GAME[:31],
    "that is a key of the table": "g#" + GAME,
    "that is an expression": "attribute_exists(pk)",
    "that is nothing": "",
    "that is the canary": CANARY,
}


def _e4(*tags: tuple[str, ...], at: int = _SECONDS - 2) -> bytes:
    return a_word(PLAYER, "e2e4", *tags, at=at)


def whose_game() -> Iterator[Case]:
    no_game = bytes_of(signed(PLAYER, 20303, "e2e4", ("p", SERVER.pubkey)))
    delegation = ("delegation", PLAYER.pubkey, "kind=20303", "00" * 64)
    both = (("p", PLAYER.pubkey), ("p", RIVAL.pubkey))
    spectators = "e2e4 resign abort quit draw draw-decline takeback rematch claim flag " + CANARY
    rows: list[Row] = [
        *(
            (f"H42 a game's id {it}", "unaddressed", _e4(("d", STRANGE_IDS[it])))
            for it in STRANGE_IDS
        ),
        ("H42 the id of no game", "unknown-game", _e4(("d", _ELSEWHERE))),
        ("H42 a d tag without a value", "unaddressed", _e4(("d",))),
        ("H42 no d tag", "unaddressed", no_game),
        ("H42 our game behind another", "unaddressed", _e4(("d", _ELSEWHERE), ("d", GAME))),
        *(
            (f"H43 a spectator says {it}", "not-a-player", a_word(STRANGER, it))
            for it in spectators.split()
        ),
        (
            "H43 a spectator who names both players",
            "not-a-player",
            a_word(STRANGER, "resign", *both),
        ),
        (
            "H45 a key that sat here in a dream",
            "not-a-player",
            a_word(STRANGER, "e2e4", delegation),
        ),
        *(
            (f"H44 Black says {it} in White's turn", "not-your-turn", a_word(RIVAL, it))
            for it in ("e7e5", "e2e4", "b8c6")
        ),
        ("H44 White says Black's move", "illegal-move", a_word(PLAYER, "e7e5")),
    ]
    to_former = signed(PLAYER, 20303, "e2e4", ("d", GAME), ("p", STRANGER.pubkey))
    blocked, former = "not-for-us|refused-blocked", "H45 a move to the arbiter's former key"
    rows.append((former, blocked, bytes_of(to_former)))
    # On this wire the socket is the player: a fresh connect comes first.
    refused = "not-listened-kind|refused-restricted"
    for kind, content in ((5001, "e2e4"), (5002, "offer"), (5003, "resign")):
        name = f"H43 kind {kind} from a socket that speaks for no player"
        rows.append((name, refused, bytes_of(signed(PLAYER, kind, content))))
    yield from events(rows)


def _shown(stage: Stage) -> str:
    """The id of the state that a player is shown."""
    stage.from_relay([wrapped("relay", a_word(PLAYER, "state"))])
    return stage.world.publisher.taken_events[-1].id


def _says_after_black(stage: Stage) -> Iterator[bytes]:
    """White's second move, naming the state before the first."""
    old = _shown(stage)
    yield _e4()
    yield a_word(RIVAL, "e7e5")
    yield a_word(PLAYER, "d2d4", ("e", old))


def which_state() -> Iterator[Case]:
    refused = a_word(PLAYER, "e2e5")
    refused_id = str(json.loads(refused)["id"])
    two = (("e", "ab" * 32), ("e", "cd" * 32))
    early = a_word(RIVAL, "e7e5")
    yield from events(
        (
            ("H46 a move that names the state before", "stale, heeded", _says_after_black),
            ("H46 a state that was never signed", "stale", _e4(("e", "ab" * 32))),
            ("H46 a state of zeros", "stale", _e4(("e", "00" * 32))),
            ("H46 a state that is the player's key", "stale", _e4(("e", PLAYER.pubkey))),
            ("H46 a state's id in upper case", "malformed", _e4(("e", "AB" * 32))),
            ("H46 a state's id of 62 digits", "malformed", _e4(("e", "ab" * 31))),
            ("H46 a state's id that is a note", "malformed", _e4(("e", "note1" + "q" * 58))),
            ("H46 a state's id that is the canary", "malformed", _e4(("e", CANARY))),
            ("H46 a state's id that is nothing", "malformed", _e4(("e", ""))),
            ("H46 two states at once", "malformed", _e4(*two)),
            ("H46 a refused move's id for a state", "stale", (refused, _e4(("e", refused_id)))),
            (
                "H47 a move from before this game's position",
                "stale",
                _e4(at=BEGUN_MS // 1000 - 90),
            ),
            (
                "H47 a move that was refused, when its turn has come",
                "repeated, heeded|queued, heeded",
                (early, _e4(), early),
            ),
            (
                "H47 a move dated a quarter of an hour ahead and more",
                "bad-time|refused-invalid",
                _e4(at=_SECONDS + 16 * 60),
            ),
        )
    )
    old: Body = signed(PLAYER, 20303, "e2e4", ("d", _ELSEWHERE), ("p", SERVER.pubkey))
    moved = bytes_of({**old, "tags": [["d", GAME], ["p", SERVER.pubkey]]})
    yield from events(
        (
            ("H47 a move of the game before, once more", "game-over", _e4(("d", _ELSEWHERE))),
            (
                "H47 a move of the game before, moved into this one",
                "forged|refused-invalid",
                moved,
            ),
        ),
        _old_game,
    )


def _old_game() -> Stage:
    """The two have played before; that game is over."""
    stage = Stage()
    over = Outcome(Termination.RESIGNATION, winner=chess.WHITE)
    old = replace(a_game(id=_ELSEWHERE), outcome=over, ended_at_ms=BEGUN_MS)
    stage.world.games.standing[old.id] = old
    return stage


def _from(**fields: Any) -> partial[Stage]:
    return partial(lambda: Stage(game=a_game(**fields)))


# Squares and perhaps a piece; nothing is trimmed, folded or guessed.
_MALFORMED = {
    "H48 the null move": "0000 -- Z0 @@@@ pass null",
    "H49 the spelling": "O-O 0-0 o-o Ng1f3 Nf3 e4 e2-e4 e2xd3 E2E4 e2e4e2e4 e2e9 i2i4",
}
_ODDLY_SPELT = {
    "e2 e4": "e2 e4",
    "e2e4 and a newline": "e2e4\n",
    "a blank and e2e4": " e2e4",
    "e2e4 and a NUL": "e2e4\0",
    "e2e4 with a zero-width joiner": "e2\u200de4",
    "e2e4 with a Cyrillic letter": "\u0435" + "2e4",
    "e2e4 in full width": "\uff45\uff12\uff45\uff14",
    "e2e4 with Arabic digits": "e٢e٤",
    "e2e4 with a comment": "e2e4 ; " + CANARY,
    "e2e4 as JSON": '{"move":"e2e4"}',
    "e2e4 as PGN": "1. e4 e5 *",
    "an en passant mark": "e2e4 e.p.",
}
_LINES_OF_LOGS = {
    "a line of log": f'\n{{"status":"played","event":"{CANARY}"}}\n',
    "an escape sequence": f"\x1b]0;{CANARY}\x07\x1b[2J",
    "a thousand lines": f"{CANARY}\n" * 140,
    "a format": "%s %(message)s {0.__class__} ${jndi:ldap://" + CANARY + "}",
    "a carriage return": f"e2e4\r{CANARY}",
}


def nearly_moves() -> Iterator[Case]:
    rows: list[Row] = [("H48 the null move of no letters", "malformed", a_word(PLAYER, ""))]
    for name, texts in _MALFORMED.items():
        rows += [(f"{name} {it}", "malformed", a_word(PLAYER, it)) for it in texts.split()]
    for name, text in _ODDLY_SPELT.items():
        rows.append((f"H49 the spelling {name}", "malformed", a_word(PLAYER, text)))
    for text in "a1a1 e2e2 e4e4 a1a8 e1e8 h8h1 e2e5 d1h5".split():  # noqa: SIM905 - as above
        rows.append((f"H48 the move {text}", "illegal-move", a_word(PLAYER, text)))
    for name, text in _LINES_OF_LOGS.items():
        tags = (("client", text), (text[:64], "x"))
        rows.append((f"H68 {name} for a move", "malformed", a_word(PLAYER, text)))
        rows.append((f"H68 {name} in a tag", "illegal-move", a_word(PLAYER, "e2e5", *tags)))
    yield from events(rows)
    castling = _from(start_fen="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    for text in ("e1h1", "e1a1"):  # python-chess knows the alias
        row = (f"H49 castling as {text}", "played, heeded", a_word(PLAYER, text))
        yield from events((row,), castling)
    pawns = _from(start_fen="7k/4P3/8/8/8/8/p7/7K w - - 0 1")
    for name, answer, texts in (
        ("H50 the promotion", "illegal-move", "e7e8 e7d8q e7f8q h1h2q e7e7q"),
        ("H50 the promotion to", "malformed", "e7e8k e7e8K e7e8p e7e8P e7e8qq e7e8=Q e8=Q P@e4 q"),
    ):
        yield from events(
            ((f"{name} {it}", answer, a_word(PLAYER, it)) for it in texts.split()), pawns
        )


def out_of_season() -> Iterator[Case]:
    """One of each. What may be said when is in `tests/core/test_offers.py` and `test_flag.py`."""
    over = _from(outcome=Outcome(Termination.RESIGNATION, chess.BLACK), ended_at_ms=BEGUN_MS)
    rows: list[Row] = [
        (f"H51 {it} after the end", "game-over", a_word(PLAYER, it))
        for it in ("e2e4", "resign", "draw", "takeback", "claim", "flag", "abort")
    ]
    rows.append(
        ("H51 a rematch asked for by a spectator", "not-a-player", a_word(STRANGER, "rematch"))
    )
    yield from events(rows, over)
    words = ("accept", "resign for black", "RESIGN", "resign ", "draw-decline-decline", "-decline")
    yield from events(
        (f"H51 {it!r} out of season", "malformed", a_word(PLAYER, it)) for it in words
    )
    control = TimeControl(base_ms=180_000, increment_ms=2_000)
    late = a_word(RIVAL, "flag", at=_SECONDS + 800)
    yield from events(
        (("H52 a flag called early, dated late", "time-left", late),),
        _from(clocks=start_clocks(control, BEGUN_MS)),
    )
    draw, again = a_word(PLAYER, "draw"), a_word(PLAYER, "draw", ("x", "again"))
    yield from events((("H53 a draw offered twice", "rate-limited, heeded", (draw, again)),))
