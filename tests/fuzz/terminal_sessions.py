"""The inputs of a player at the terminal: a game that goes on, as told by an arbiter that is often
right; and noise from strangers, relays and the player's own fingers.
"""

from dataclasses import dataclass

import chess
from hypothesis import strategies as st

from arbiter.nostr.event import EventTemplate
from clients.player.text import clean
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.fuzz.strategies import TEXTS, Draw, nearly, once_in, pick, usually

START = 1_800_000_000.0
AUTHORS = (SERVER, BOB, EVE)
_GAME = "00112233445566778899aabbccddeeff"
_NEXT = "ff" * 16
_FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "8/8/8/8/8/8/8/8 w - - 0 1",
)
_ERRORS = ("illegal-move: e2e5", "stale: look", "not-your-turn: wait", "rate-limited: slow down")
_LINES = ("hello", "good\u202egame", "\x1b[2J", "")
_CONTENTS: dict[int, tuple[str, ...]] = {
    0: ('{"name": "Bob"}', '{"name": "\x1b[2J"}', '{"display_name": "\u202eboB"}', "[]"),
    20301: (
        f"started:{_GAME}:{BOB.pubkey}:w",
        f"started:{_NEXT}:{BOB.pubkey}:b",
        f"challenged:{_NEXT}:{BOB.pubkey}",
        *("queued", "cancelled", "error:stale: ask again", "error:pow: 8"),
        "error:declined: later",
    ),
    20302: _FENS,
    20304: _ERRORS,
    30300: ("",),
    31990: ("",),
    64: ('[Event "x"]\n\n1. e4 *\n\n', "\x1b]0;x\x07"),
    20305: _LINES,
    20306: _LINES,
}
_BY_PEOPLE = (0, 20305, 20306)
_RATING = 30300
_WORDS = {
    "ply": "0 1 4 99999",
    "moves": "e2e4 e7e5 e7e8q 0000",
    "version": "0 1 2 999",
    "result": "1-0 * 1/2-1/2",
    "termination": "checkmate timeout aborted",
    "clock": "180000 0 -1",
    "deadline": "1800000100 0 9999999999999",
    "offer": "draw takeback rematch w b",
    "rematch": _NEXT,
    "rating": "w b 1500 1512",
    "time": "180+2 3d",
    "mode": "rated casual",
    "variant": "chess960",
    "stand-in": BOB.pubkey,
    "said-by": f"{BOB.pubkey} {EVE.pubkey}",
    "challenge": _NEXT,
    "expiration": "1800000600",
    "house": f"{BOB.pubkey} {EVE.pubkey} 1 3 9",
    "e": "ab" * 32,
}
_TAGS = {"provisional": ("",), "start": _FENS} | {
    name: tuple(words.split()) for name, words in _WORDS.items()
}
_NAMES = tuple(_TAGS)
_TYPED = (
    *("resign", "quit", "flip", "moves", "board", "help", "new", "cancel", "draw", "claim"),
    *("takeback", "rematch", "abort", "flag", "accept", "decline", "challenges", "accept 1"),
    *("decline 1", "help moves", "take back", f"accept {_NEXT}", "decline later", "say hello"),
    *(
        "say hello",
        "ca\u202eb",
        "chat off",
        "chat on players",
        "pgn",
        "pgn game.pgn",
        "e2e4",
        "Nf3",
        "e8=Q",
    ),
    *("O-O", "e9", "0000", "new 3+2 rated", "challenge open 3d", "house", "house 1", "house 3 5+0"),
    f"challenge {BOB.pubkey} white start 8/8/8/8/8/8/8/8 w",
)
_OKS = ("accepted", "no subscribers", "retry", "give up")
"""A relay's words for what we sent last."""

_HAPPENS = ("tick", "tick", "down", "up", "caught up", *_OKS, "no more")


@dataclass(frozen=True, slots=True)
class Came:
    """Something that happened, so many seconds after what was before."""

    what: "Typed | Event | str"
    after: float


@dataclass(frozen=True, slots=True)
class Typed:
    """A line of the player's own."""

    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """An event of one of ``AUTHORS``, from a relay's store or fresh."""

    by: int
    template: EventTemplate
    stored: bool


def _tag(draw: Draw) -> tuple[str, ...]:
    name = pick(draw, _NAMES)
    values = [usually(draw, _TAGS[name]) for _ in range(draw(st.integers(0, 3)))]
    return (nearly(draw, (name,)), *values)


def _event(draw: Draw, kind: int, content: str, told: tuple[tuple[str, ...], ...]) -> Event:
    name = f"blitz:{BOB.pubkey}" if kind == _RATING else _GAME
    tags: list[tuple[str, ...]] = [("d", name), ("p", ALICE.pubkey), ("p", BOB.pubkey)]
    if once_in(draw, 16):
        tags.pop(draw(st.integers(0, 2)))
    # Of two tags of a name the first counts.
    extra = [_tag(draw) for _ in range(draw(st.integers(0, 3)))]
    tags += [*extra, *told] if once_in(draw, 6) else [*told, *extra]
    at = int(START) + pick(draw, (0, 0, 1, -600, 600))
    usual = 1 + draw(st.integers(0, 1)) if kind in _BY_PEOPLE else 0
    by = draw(st.integers(0, len(AUTHORS) - 1)) if once_in(draw, 8) else usual
    return Event(by, EventTemplate(kind, tuple(tags), content, at), once_in(draw, 5))


def _said(draw: Draw) -> Event:
    """Anything that is no state, or a state of no game."""
    kind = pick(draw, tuple(_CONTENTS))
    return _event(draw, kind, usually(draw, _CONTENTS[kind]), ())


def _state(draw: Draw, board: chess.Board) -> Event:
    """The state of the game, as the arbiter tells it."""
    moves = tuple(move.uci() for move in board.move_stack)
    told: list[tuple[str, ...]] = [("ply", str(board.ply())), ("moves", *moves)]
    if once_in(draw, 2):
        told.append(("version", str(board.ply() + draw(st.integers(0, 1)))))
    if outcome := board.outcome():
        told += [("result", outcome.result()), ("termination", outcome.termination.name.lower())]
    if once_in(draw, 8):
        told.pop(draw(st.integers(0, len(told) - 1)))
    return _event(draw, 20302, board.fen(), tuple(told))


def _typed(draw: Draw, board: chess.Board) -> Typed:
    moves = sorted(board.san(move) for move in board.legal_moves)
    if moves and once_in(draw, 2):
        return Typed(pick(draw, moves))
    # The line editor keeps out what a terminal would act on.
    return Typed(clean(draw(TEXTS) if once_in(draw, 8) else usually(draw, _TYPED)))


@st.composite
def terminal_sessions(draw: Draw) -> tuple[Came, ...]:
    """The inputs of a player, one after the other."""
    board = chess.Board()

    def one() -> Came:
        after = pick(draw, (0.0, 0.0, 0.1, 1.0, 10.0, 60.0, 3_600.0))
        match draw(st.integers(0, 7)):
            case 0 | 1:
                return Came(_typed(draw, board), after)
            case 2:
                return Came(pick(draw, _HAPPENS), after)
            case 3 | 4:
                return Came(_said(draw), after)
            case _:
                for _ in range(pick(draw, (0, 1, 1, 1, 2))):
                    if moves := sorted(move.uci() for move in board.legal_moves):
                        board.push_uci(pick(draw, moves))
                return Came(_state(draw, board), after)

    started = EventTemplate(
        20301, (("p", ALICE.pubkey),), f"started:{_GAME}:{BOB.pubkey}:w", int(START)
    )
    begins = (Came("up", 0.0), Came("caught up", 0.0), Came(Event(0, started, False), 0.0))
    return (*begins, *(one() for _ in range(draw(st.integers(10, 24)))))
