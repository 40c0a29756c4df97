"""The inputs of a player at the terminal: a game that goes on, as told by an arbiter that is often
right; and noise from strangers, relays and the player's own fingers.
"""

from dataclasses import dataclass

import chess

from arbiter.nostr.event import EventTemplate
from clients.terminal.text import clean
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.fuzz.choices import Choices
from tests.fuzz.texts import anything, nearly, usually

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
_LINES = ("hello", "good game", "\x1b[2J", "")
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
    *("say hello", "chat off", "chat on players", "pgn", "pgn game.pgn", "e2e4", "Nf3", "e8=Q"),
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


def _tag(choices: Choices) -> tuple[str, ...]:
    name = choices.pick(_NAMES)
    values = choices.several(3, lambda: usually(choices, _TAGS[name]))
    return (nearly(choices, (name,)), *values)


def _event(choices: Choices, kind: int, content: str, told: tuple[tuple[str, ...], ...]) -> Event:
    name = f"blitz:{BOB.pubkey}" if kind == _RATING else _GAME
    tags: list[tuple[str, ...]] = [("d", name), ("p", ALICE.pubkey), ("p", BOB.pubkey)]
    if choices.chance(16):
        tags.pop(choices.below(3))
    # Of two tags of a name the first counts.
    extra = choices.several(3, lambda: _tag(choices))
    tags += [*extra, *told] if choices.chance(6) else [*told, *extra]
    at = int(START) + choices.pick((0, 0, 1, -600, 600))
    usual = 1 + choices.below(2) if kind in _BY_PEOPLE else 0
    by = choices.below(len(AUTHORS)) if choices.chance(8) else usual
    return Event(by, EventTemplate(kind, tuple(tags), content, at), choices.chance(5))


def _said(choices: Choices) -> Event:
    """Anything that is no state, or a state of no game."""
    kind = choices.pick(tuple(_CONTENTS))
    return _event(choices, kind, usually(choices, _CONTENTS[kind]), ())


def _state(choices: Choices, board: chess.Board) -> Event:
    """The state of the game, as the arbiter tells it."""
    moves = tuple(move.uci() for move in board.move_stack)
    told: list[tuple[str, ...]] = [("ply", str(board.ply())), ("moves", *moves)]
    if choices.chance(2):
        told.append(("version", str(board.ply() + choices.below(2))))
    if outcome := board.outcome():
        told += [("result", outcome.result()), ("termination", outcome.termination.name.lower())]
    if choices.chance(8):
        told.pop(choices.below(len(told)))
    return _event(choices, 20302, board.fen(), tuple(told))


def _typed(choices: Choices, board: chess.Board) -> Typed:
    moves = sorted(board.san(move) for move in board.legal_moves)
    if moves and choices.chance(2):
        return Typed(choices.pick(moves))
    # The line editor keeps out what a terminal would act on.
    return Typed(clean(anything(choices) if choices.chance(8) else usually(choices, _TYPED)))


def terminal_sessions(choices: Choices) -> tuple[Came, ...]:
    """The inputs of a player, one after the other."""
    board = chess.Board()

    def one() -> Came:
        after = choices.pick((0.0, 0.0, 0.1, 1.0, 10.0, 60.0, 3_600.0))
        match choices.below(8):
            case 0 | 1:
                return Came(_typed(choices, board), after)
            case 2:
                return Came(choices.pick(_HAPPENS), after)
            case 3 | 4:
                return Came(_said(choices), after)
            case _:
                for _ in range(choices.pick((0, 1, 1, 1, 2))):
                    if moves := sorted(move.uci() for move in board.legal_moves):
                        board.push_uci(choices.pick(moves))
                return Came(_state(choices, board), after)

    started = EventTemplate(
        20301, (("p", ALICE.pubkey),), f"started:{_GAME}:{BOB.pubkey}:w", int(START)
    )
    begins = (Came("up", 0.0), Came("caught up", 0.0), Came(Event(0, started, False), 0.0))
    return (*begins, *choices.several(14, one))
