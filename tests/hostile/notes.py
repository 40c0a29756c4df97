"""H58: what goes out as PGN, whatever went in; no PGN of a stranger is ever parsed."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import chess
import chess.pgn

from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.pgn import pgn
from arbiter.dialects import arbiter_events
from tests.hostile.case import Case, a_wish, a_word, events
from tests.hostile.stage import BEGUN_MS, CANARY, Stage, a_game
from tests.nostr.hostile.case import PLAYER, SERVER, STRANGER

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


_HOSTILE_TEXTS = {
    "a quote": f'" {CANARY}',
    "a quote and a tag pair": f'"]\n[Result "1-0"]\n[White "{CANARY}',
    "a backslash": "\\",
    "a backslash and a quote": '\\"',
    "a line break": f'x\n\n1-0\n\n[Event "{CANARY}"]',
    "a carriage return": "x\r\ry",
    "a NUL": "\0",
    "a mark that turns the text round": "\u202e",
    "a comment": "{[%clk 0:00:01]} ; x",
    "four thousand letters": "x" * 4_000,
    "a closing bracket": "] 1. e4",
}
_FENS = (
    "4k3/8/8/8/8/8/4P3/4K3 b - - 149 999",
    "8/4k3/8/8/8/8/4P3/4K3 w - - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
)


def injections() -> Iterator[Case]:
    """Names never come from strangers, and the writer would be safe if they did."""
    for name, text in _HOSTILE_TEXTS.items():
        for tag in ("white", "site"):
            full = f"H58 {name} in the PGN's {tag}"
            yield Case(full, "note", "one game of 2 plies, 1-0", partial(_named, tag, text))
    for name, game in _odd_games():
        answer = f"one game of {game.ply} plies, {game.result}"
        yield Case(f"H58 the note of {name}", "note", answer, partial(_noted, game))


_TAG = re.compile(r'\[[A-Za-z]+ "([^"\\]|\\["\\])*"\]')
"""PGN standard §8.1.1, where a quote or a backslash within is escaped."""


def _named(tag: str, text: str, _: Stage) -> str:
    names = {"white": "w", "black": "b", "site": "s"} | {tag: text}
    white, black, site = names["white"], names["black"], names["site"]
    written = pgn(_short_game(), white=white, black=black, site=site)
    # Eleven tags, each on a line of its own, and none broken off before its end.
    tags = written.partition("\n\n")[0].splitlines()
    assert len(tags) == 11, tags
    assert all(_TAG.fullmatch(line) for line in tags), tags
    return _read_back(written)


def _noted(game: Game, _: Stage) -> str:
    return _read_back(arbiter_events.note_event(game, SERVER.pubkey).content)


def _short_game() -> Game:
    moves = (chess.Move.from_uci("e2e4"), chess.Move.from_uci("e7e5"))
    over = Outcome(Termination.RESIGNATION, chess.WHITE)
    return a_game(moves=moves, outcome=over, ended_at_ms=BEGUN_MS)


def _odd_games() -> Iterator[tuple[str, Game]]:
    short = _short_game()
    yield "a short game", short
    yield "a game without a move", replace(short, moves=())
    yield "a game that was called off", replace(short, outcome=Outcome(Termination.ABORTED, None))
    for fen in _FENS:
        yield f"a game from {fen}", replace(short, start_fen=fen, moves=())
    for control in (TimeControl(move_ms=86_400_000), TimeControl(base_ms=60_000)):
        clocks = start_clocks(control, BEGUN_MS)
        yield f"a game of {control}", replace(short, clocks=clocks, rated=True)
    talkative = replace(short.white, address=f'"]{CANARY}')
    yield "a game of a player with a hostile address", replace(short, white=talkative)


def _read_back(text: str) -> str:
    """What python-chess reads: one game, and nothing before or behind it."""
    stream = io.StringIO(text)
    game = chess.pgn.read_game(stream)
    assert game is not None
    assert not game.errors
    assert chess.pgn.read_game(stream) is None
    return f"one game of {len([*game.mainline_moves()])} plies, {game.headers['Result']}"
