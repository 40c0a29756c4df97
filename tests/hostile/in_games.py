"""Events in a game: for another game, by another player, out of turn, out of date, or in words that
are no move.
"""

import json
from collections.abc import Iterator
from functools import partial

from tests.hostile.case import Case, Row, a_wish, a_word, each, edited, events, signed
from tests.hostile.scenario import MARK, NOW_MS, RIVAL
from tests.hostile.scenarios import SCENARIOS, from_position
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, bytes_of

_NOW = NOW_MS // 1000
_OTHER_GAME = "ff" * 16
_TO_SERVER = ("p", SERVER.pubkey)
_TOO_LARGE = "malformed|malformed-too_large"

_NO_IDS = (
    *("../00112233445566778899aabbccdde", "#0112233445566778899aabbccddeeff", "." * 32),
    *("%0012233445566778899aabbccddeeff", "00112233445566778899aabbccddeef\0", f"{GAME}\n"),
    *(f" {GAME}", GAME.upper(), f"0x{GAME}", "٣" * 20 + GAME[20:], "a" * 129),
    *("a" * 1024, GAME * 2, GAME[:-1], f"g#{GAME}", "attribute_exists(pk)", "", MARK),
)
_NO_MOVES = (
    *("0000", "--", "Z0", "@@@@", "pass", "null", "O-O", "0-0", "o-o", "Ng1f3", "Nf3", "e4"),
    *("e2-e4", "e2xd3", "E2E4", "e2e4e2e4", "e2e9", "i2i4", "e2 e4", "e2e4\n", " e2e4", "e2e4\0"),
    *("e2\u200de4", "е2e4", "ｅ２ｅ４", "e٢e٤", f"e2e4 ; {MARK}", '{"move":"e2e4"}', "1. e4 e5 *"),  # noqa: RUF001 - what is tested
    *("e2e4 e.p.", "", "accept", "resign for black", "RESIGN", "resign ", "-decline"),
    *("draw-decline-decline", "e2e4" * 15_000),
)
_ILLEGAL = ("a1a1", "e2e2", "e4e4", "a1a8", "e1e8", "h8h1", "e2e5", "d1h5", "e7e5")
_TEXTS = (
    f'\n{{"status":"played","event":"{MARK}"}}\n',
    f"\x1b]0;{MARK}\x07\x1b[2J",
    f"{MARK}\n" * 140,
    f"%s %(message)s {{0.__class__}} ${{jndi:ldap://{MARK}}}",
    f"e2e4\r{MARK}",
)

_says = partial(a_word, PLAYER)


def in_games() -> Iterator[Case]:
    yield from events(_to_another_game(), entry_points="relay")
    yield from events(_by_another(), entry_points="relay socket")
    yield from events(_of_another_time())
    yield from events(_in_other_words())
    yield from events(_pgn())
    old, over = SCENARIOS["an old game"], SCENARIOS["a game that is over"]
    yield from events(_of_the_game_before(), old)
    ended = ("e2e4", "resign", "draw", "takeback", "claim", "flag", "abort")
    yield from events(each("H51 after the end:", "game-over", _says, ended), over)
    rematch = partial(a_word, STRANGER)
    yield from events(each("H51 a spectator asks:", "not-a-player", rematch, ["rematch"]), over)
    early = a_word(RIVAL, "flag", at=_NOW + 800)
    early_flag = [("H52 a flag called early, dated late", "time-left", early)]
    yield from events(early_flag, SCENARIOS["a game with clocks"])
    castling = each("H49 castling as", "played, heeded", _says, ["e1h1", "e1a1"])
    yield from events(castling, from_position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"))
    promoting = from_position("7k/4P3/8/8/8/8/p7/7K w - - 0 1")
    yield from events(_promotions(), promoting)


def _to_another_game() -> Iterator[Row]:
    def to(*ids: str) -> bytes:
        return _says("e2e4", *(("d", id_) for id_ in ids))

    yield from each("H42 a game's id", "unaddressed", to, _NO_IDS)
    yield "H42 the id of no game", "unknown-game", to(_OTHER_GAME)
    yield "H42 a d tag without a value", "unaddressed", _says("e2e4", ("d",))
    nameless = bytes_of(signed(PLAYER, 20303, "e2e4", _TO_SERVER))
    yield "H42 no d tag", "unaddressed", nameless
    yield "H42 our game behind another", "unaddressed", to(_OTHER_GAME, GAME)


def _by_another() -> Iterator[Row]:
    words = (
        *("e2e4", "resign", "abort", "quit", "draw", "draw-decline", "takeback", "rematch"),
        *("claim", "flag", MARK),
    )
    yield from each("H43 a spectator says", "not-a-player", partial(a_word, STRANGER), words)
    both = (("p", PLAYER.pubkey), ("p", RIVAL.pubkey))
    named = a_word(STRANGER, "resign", *both)
    yield "H43 a spectator who names both players", "not-a-player", named
    delegation = ("delegation", PLAYER.pubkey, "kind=20303", "0" * 128)
    dreamt = a_word(STRANGER, "e2e4", delegation)
    yield "H45 a key that sat here in a dream", "not-a-player", dreamt
    former = signed(PLAYER, 20303, "e2e4", ("d", GAME), ("p", STRANGER.pubkey))
    yield "H45 a move to a former key", "not-for-us|refused-blocked", bytes_of(former)
    for kind, word in ((5001, "e2e4"), (5002, "offer"), (5003, "resign")):
        said = bytes_of(signed(PLAYER, kind, word))
        name = f"H43 kind {kind} from a socket that speaks for no player"
        yield name, "not-listened-kind|refused-restricted", said
    black = partial(a_word, RIVAL)
    yield from each("H44 Black in White's turn:", "not-your-turn", black, ["e7e5", "e2e4", "b8c6"])


def _of_another_time() -> Iterator[Row]:
    def after(*states: str) -> bytes:
        return _says("e2e4", *(("e", state) for state in states))

    yield from each("H46 a state", "stale", after, ["ab" * 32, "0" * 64, PLAYER.pubkey])
    no_ids = ("AB" * 32, "ab" * 31, "note1" + "q" * 58, MARK, "")
    yield from each("H46 a state's id", "malformed", after, no_ids)
    yield "H46 two states at once", "malformed", after("ab" * 32, "cd" * 32)
    before = _says("e2e4", at=_NOW - 102)
    yield "H47 a move from before this game's position", "stale", before
    black = a_word(RIVAL, "e7e5")
    again = (black, _says("e2e4"), black)
    answers = "repeated, heeded|duplicate, heeded"
    yield "H47 a refused move again, when its turn has come", answers, again
    ahead = _says("e2e4", at=_NOW + 960)
    yield "H47 a move of a quarter of an hour ahead and more", "bad-time|refused-invalid", ahead
    draws = (_says("draw"), _says("draw", ("x", "again")))
    yield "H53 a draw offered twice", "rate-limited, heeded", draws
    endless = _says("e2e5", ("expiration", "9" * 1000))
    yield "H65 an expiration of 1,000 digits", "illegal-move", endless


def _of_the_game_before() -> Iterator[Row]:
    old = _says("e2e4", ("d", _OTHER_GAME))
    yield "H47 a move of the game before, once more", "game-over", old
    moved = edited(old, tags=[["d", GAME], _TO_SERVER])
    yield "H47 a move of the game before, moved into this one", "forged|refused-invalid", moved


def _in_other_words() -> Iterator[Row]:
    yield from each("H49 the move", "malformed", _says, _NO_MOVES)
    yield from each("H48 the move", "illegal-move", _says, _ILLEGAL)
    yield from each("H68 the move", "malformed", _says, _TEXTS)
    sealed = (f"lines:{text}" for text in ("", MARK, "e2e4 e7e5", "A" * 60_000, "[" * 60_000))
    yield from each("H50 lines that nobody sealed:", "malformed", _says, sealed)
    own = partial(a_word, STRANGER)
    yield from each("H50 a stranger's", "not-a-player", own, ("lines", f"lines:{MARK}"))

    def tagged(text: str) -> bytes:
        return _says("e2e5", ("client", text), (text[:64], "x"))

    yield from each("H68 a tag of", "illegal-move", tagged, _TEXTS)


def _pgn() -> Iterator[Row]:
    """H58: what a reader of PGN would have to read, for a move and for a wish."""
    deep, wide, long = "(" * 10_000, "1. e4 " + "(1. d4) " * 7_000, "{" + "x" * 60_000
    yield from each("H58 the move", "malformed|refused-invalid", _says, [deep])
    yield from each("H58 the move", _TOO_LARGE, _says, [wide, long])
    pieces = (
        *('[Event "x"]\n\n1. e4 e5 2. Nf3 *', "e2e4 {[%clk 0:00:01]}", f'"] [White "{MARK}"'),
        json.dumps({"move": MARK}),
    )
    yield from each("H58 the move", "malformed|malformed", _says, pieces)
    yield "H58 a tag pair for a wish", "queued, heeded", a_wish(STRANGER, f'"]\n[White "{MARK}')


def _promotions() -> Iterator[Row]:
    illegal = ("e7e8", "e7d8q", "e7f8q", "h1h2q", "e7e7q")
    yield from each("H50 the promotion", "illegal-move", _says, illegal)
    unread = ("e7e8k", "e7e8K", "e7e8p", "e7e8P", "e7e8qq", "e7e8=Q", "e8=Q", "P@e4", "q")
    yield from each("H50 the promotion", "malformed", _says, unread)
