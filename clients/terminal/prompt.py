"""The present state in the few words of the prompt, and the last words to a player who leaves."""

from typing import assert_never

from clients.player.terms import OPEN
from clients.terminal.clocks import clock_words, due_words, first_move_ms, live_words
from clients.terminal.game_view import GameView
from clients.terminal.outgoing import pending, said
from clients.terminal.session import Phase, Session
from clients.terminal.terms import opponent_in_words
from clients.terminal.text import color_name


def status(session: Session) -> tuple[str, bool]:
    """The present state in a few words, and whether the player waits for it."""
    game = session.game
    if not session.links:
        return ("reconnecting" if session.was_linked else "connecting"), True
    match session.phase:
        case Phase.CONNECTING | Phase.ASKING:
            accepting = session.answer.startswith("accept:")
            which = "that" if accepting or session.watching is not None else "a"
            return f"asking the arbiter for {which} game", True
        case Phase.QUEUED:
            challenge = session.terms.challenge
            return f"waiting for {_awaited(challenge) if challenge else 'an opponent'}", True
        case Phase.REFUSED | Phase.OVER if session.watching is not None:
            return "quit leaves", False
        case Phase.REFUSED:
            waits = "your event goes on" if session.wire.entered else "new asks again"
            return f"{waits}, quit leaves", False
        case Phase.OVER:
            if game is not None and game.offered:
                return "accept plays the rematch, decline does not", False
            return "rematch or new for another game, quit leaves", False
        case Phase.PLAYING:
            return _in_play(session, game)
        case never:
            assert_never(never)


def clocks_now(game: GameView | None, now: float) -> str:
    """Both clocks in a few words, the player's first; empty where there are none."""
    if game is None or game.clock is None or game.result is not None:
        return ""
    first = first_move_ms(game.clock, now)
    if first is not None:
        return f"{live_words(first)} for the first move"
    mine, theirs = _both_clocks(game, now)
    one, other = ("White", "Black") if game.watched else ("you", "opponent")
    return f"{one} {mine}, {other} {theirs}"


def farewell(game: GameView, again: str, now: float) -> str:
    """Two lines for a player who leaves a game; ``again`` is the command that goes on with it."""
    clock = _running_clock(game, now)
    how = f"The game goes on without you. {clock}" if clock else "The game waits for you."
    return f"{how}\nTo go on with it: {again}\n"


def _awaited(challenge: str) -> str:
    return "somebody to accept" if challenge == OPEN else opponent_in_words(challenge)


def _in_play(session: Session, game: GameView | None) -> tuple[str, bool]:
    if game is None or game.state is None:
        return "setting up the board", True
    if (one := pending(session)) is not None:
        return f"{said(game, one)} is on its way", True
    offered = f"{game.offered} offered, accept or decline? " if game.offered else ""
    if game.my_turn:
        turn = "your move" if offered else f"your move, {color_name(game.color)}"
        return f"{offered}{turn}", False
    return offered + game.whose_turn, not offered


def _both_clocks(game: GameView, now: float) -> tuple[str, str]:
    if game.clock is None:
        return "", ""
    colors = (game.color, not game.color)
    mine, theirs = (clock_words(game.clock, color, now) for color in colors)
    return mine, theirs


def _running_clock(game: GameView, now: float) -> str:
    clock = game.clock
    if clock is None or clock.deadline_ms is None:
        return ""
    first = first_move_ms(clock, now)
    if first is not None and game.my_turn:
        return f"Without your first move in {live_words(first)} it is aborted."
    if first is not None:
        return f"Your opponent has {live_words(first)} for the first move."
    mine, theirs = _both_clocks(game, now)
    due = due_words(clock, now)
    until = f", until {due}" if due else ""
    if game.my_turn:
        return f"Your clock runs: {mine} left{until}."
    return f"Your opponent's clock runs: {theirs} left{until}."
