"""What a player who leaves a game is told: whether a clock runs, and how to go on with the game."""

import shlex
from collections.abc import Mapping

import chess

from clients.terminal.clocks import clock_words, first_move_ms, live_words
from clients.terminal.effects import GameView
from clients.terminal.identity import DEFAULT_PLAYER, Identity
from clients.terminal.options import DEFAULT_RUN_DIR, Options

_THEIRS = "Your opponent's clock runs"


def farewell(game: GameView, again: str, now: float) -> str:
    """Two lines; ``again`` is the command that goes on with the game."""
    clock = _clock_in_words(game, now)
    how = f"The game goes on without you. {clock}" if clock else "The game waits for you."
    return f"{how}\nTo go on with it: {again}\n"


def play_again(options: Options, identity: Identity, environment: Mapping[str, str]) -> str:
    """The command that starts this client with the same arbiter and the same key."""
    words = ["make", "play"]
    elsewhere = [name for name in ("RELAYS", "SERVER") if environment.get(name)]
    run_dir = environment.get("RUN_DIR") or DEFAULT_RUN_DIR
    if "SERVER" not in elsewhere and run_dir.rstrip("/") != DEFAULT_RUN_DIR:
        words.append(f"RUN_DIR={shlex.quote(run_dir)}")
    words += [f"{name}={shlex.quote(environment[name])}" for name in elsewhere]
    if options.key_file is not None:
        words.append(f"ARGS={shlex.quote(f'--key {shlex.quote(str(options.key_file))}')}")
    elif identity.lock is not None and identity.name != DEFAULT_PLAYER:
        words.append(f"PLAYER={identity.name}")
    return " ".join(words)


def _clock_in_words(game: GameView, now: float) -> str:
    clock = game.clock
    if game.line is None or clock is None or clock.deadline_ms is None:
        return ""
    turn: chess.Color = game.line.board().turn
    first = first_move_ms(clock, now)
    if first is not None and game.my_turn:
        return f"Without your first move in {live_words(first)} it is aborted."
    if first is not None:
        return f"Your opponent has {live_words(first)} for the first move."
    mine = clock_words(clock, game.color, turn, now)
    theirs = clock_words(clock, not game.color, turn, now)
    return f"Your clock runs: {mine} left." if game.my_turn else f"{_THEIRS}: {theirs} left."
