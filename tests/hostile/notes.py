"""H58: what goes out as PGN, whatever went in."""

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
from arbiter.nostr.nip11 import DEFAULT_LIMITS
from tests.hostile.case import Case, Door, a_wish, a_word, once, sent
from tests.hostile.stage import BEGUN_MS, CANARY, Stage, a_game
from tests.nostr.hostile.case import PLAYER, SERVER, STRANGER


def bombs() -> Iterator[Case]:
    """H58, in: no PGN of a stranger is ever parsed."""
    for name, text in (
        ("a variation 10,000 deep", "(" * 10_000),
        ("twenty thousand sidelines", "1. e4 " + "(1. d4) " * 7_000),
        ("a comment of 60,000 letters", "{" + "x" * 60_000),
        ("a game", '[Event "x"]\n\n1. e4 e5 2. Nf3 *'),
        ("a clock command", "e2e4 {[%clk 0:00:01]}"),
        ("a tag pair", f'"] [White "{CANARY}"'),
    ):
        yield from sent(
            f"H58 {name} for a move",
            "PGN is written and never read",
            once(a_word(PLAYER, text)),
            "malformed",
            _at_the_gateway(len(text)),
        )
    yield from sent(
        "H58 a tag pair for a wish",
        "no word of a wish goes into a game",
        once(a_wish(STRANGER, f'"]\n[White "{CANARY}')),
        "queued",
        heeded=True,
    )


def _at_the_gateway(size: int) -> str:
    if size <= DEFAULT_LIMITS.content_chars:
        return "malformed"
    return "refused-invalid" if size < DEFAULT_LIMITS.message_bytes else "malformed-too_large"


_HOSTILE_TEXTS = (
    ("a quote", f'" {CANARY}'),
    ("a quote and a tag pair", f'"]\n[Result "1-0"]\n[White "{CANARY}'),
    ("a backslash", "\\"),
    ("a backslash and a quote", '\\"'),
    ("a line break", f'x\n\n1-0\n\n[Event "{CANARY}"]'),
    ("a carriage return", "x\r\ry"),
    ("a NUL", "\0"),
    ("a mark that turns the text round", "\u202e"),
    ("a comment", "{[%clk 0:00:01]} ; x"),
    ("four thousand letters", "x" * 4_000),
    ("a closing bracket", "] 1. e4"),
)


def injections() -> Iterator[Case]:
    """H58, out: names never come from strangers, and the writer stands firm even if they did."""
    for name, text in _HOSTILE_TEXTS:
        for tag in ("white", "site"):
            yield Case(
                name=f"H58 {name} in the PGN's {tag}",
                note="one game, two moves, nothing of the text beyond its own tag",
                door=Door.NOTE,
                answer="one game of 2 plies, 1-0",
                knock=partial(_named, tag, text),
            )
    for name, game in _odd_games():
        yield Case(
            name=f"H58 the note of {name}",
            note="what the store holds can be written, and read back the same",
            door=Door.NOTE,
            answer=f"one game of {game.ply} plies, {game.result}",
            knock=partial(_noted, game),
        )


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
    for fen in (
        "4k3/8/8/8/8/8/4P3/4K3 b - - 149 999",
        "8/4k3/8/8/8/8/4P3/4K3 w - - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
    ):
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
