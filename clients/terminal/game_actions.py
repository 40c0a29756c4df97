"""Words in a game: offers, claims, flags, aborts. A word that can only be refused is not sent."""

import re
from dataclasses import replace

from clients.terminal.clocks import is_up
from clients.terminal.game_view import GameView
from clients.terminal.notices import Notice, refused_here
from clients.terminal.outgoing import Step, say
from clients.terminal.session import FLAG_SECONDS, Phase, Session

_PLIES_TO_ABORT = 2
_DAYS = re.compile(r"([1-9][0-9]?)(?: days?)?")


def speak(session: Session, now: float, word: str) -> Step:
    """Send one of the protocol's words about the game, where it can have an effect."""
    game = session.game
    if game is None or game.state is None:
        return session, (
            refused_here("no-game", f"No game yet, so no {word}: an opponent must come first"),
        )
    if game.watched:
        return session, (refused_here("spectator", "You watch this game and do not play"),)
    if word.startswith("rematch"):
        if game.result is None:
            return session, (refused_here("not-now", "You can offer a rematch after the game"),)
    elif session.phase is not Phase.PLAYING:
        return session, (refused_here("game-over", "The game is over: rematch asks for another"),)
    if word == "abort":
        return _abort(session, game, now)
    problem = _pointless(game, word)
    return (session, (problem,)) if problem else say(session, word, now)


def take_vacation(session: Session, now: float, rest: str) -> Step:
    """Take so many days off in the game on the board."""
    days, game = _DAYS.fullmatch(rest.strip().lower()), session.game
    if days is None:
        text = "vacation 7 takes seven days off in this game"
        return session, (refused_here("unknown-command", text),)
    if plays(session) and game is not None and (game.clock is None or not game.clock.control.days):
        text = "Days are taken off in games by days"
        return session, (refused_here("not-offered-here", text),)
    return speak(session, now, f"vacation:{days[1]}")


def call_flag(session: Session, now: float) -> Step | None:
    """Claim that the opponent's time is up, once it has been for long enough; None before."""
    game = session.game
    if not plays(session) or game is None or game.clock is None:
        return None
    if game.my_turn or now - session.flagged_at < FLAG_SECONDS or not is_up(game.clock, now):
        return None
    return say(replace(session, flagged_at=now), "flag", now, quietly=True)


def plays(session: Session) -> bool:
    game = session.game
    if game is None or game.state is None or game.watched:
        return False
    return session.phase is Phase.PLAYING


def _abort(session: Session, game: GameView, now: float) -> Step:
    # Only the arbiter can judge how long an opponent who thinks for days has been silent.
    may_offer = game.offered == "abort" or (game.is_slow and not game.my_turn)
    if game.ply >= _PLIES_TO_ABORT and not may_offer:
        return session, (refused_here("too-late", "Both sides have moved: resign instead"),)
    return say(session, "abort", now)


def _pointless(game: GameView, word: str) -> Notice | None:
    kind = word.removesuffix("-decline")
    if kind not in (word, game.offered):
        return refused_here("no-offer", f"Your opponent offers no {kind}")
    mine = game.offer is not None and game.offered is None
    if mine and game.offer is not None and game.offer.kind == word:
        return refused_here(
            "rate-limited", f"You have offered a {word}: your opponent has to answer"
        )
    if word == "takeback" and game.state is not None and game.state.rated:
        return refused_here("not-offered-here", "Moves are not taken back in a rated game")
    return None
