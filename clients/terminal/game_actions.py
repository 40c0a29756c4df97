"""Words in a game: offers, claims, flags, and calling a game off.

The law: a word that can only be refused stays here, as an illegal move does; what only the arbiter
can judge goes out. Whoever plays on a server of version 2 has ``quit`` and no other word.
"""

from dataclasses import replace

from clients.terminal.clocks import is_up
from clients.terminal.effects import GameView, Refused, Source
from clients.terminal.outgoing import Step, send_pending, send_word
from clients.terminal.session import FLAG_SECONDS, Pending, Phase, Session
from clients.terminal.wire import QUIT

_PLIES_TO_ABORT = 2


def speak(session: Session, word: str, now: float) -> Step:
    """Say one of the protocol's words about the game, where it can mean something."""
    game = session.game
    if game is None or game.line is None:
        return session, (_no("no-game", f"No game yet, so no {word}: an opponent must come first"),)
    if game.watched:
        return session, (_no("spectator", "You watch this game and do not play"),)
    if word.startswith("rematch"):
        if session.phase is not Phase.OVER:
            return session, (_no("not-now", "A rematch is for after the game"),)
    elif session.phase is not Phase.PLAYING:
        return session, (_no("game-over", "The game is over: rematch plays it once more"),)
    if word == "abort":
        return _abort(session, game, now)
    if game.line.version is None:
        return session, (_no("not-known-here", f"This arbiter knows no {word}"),)
    problem = _pointless(game, word)
    return (session, (problem,)) if problem else send_word(session, word, now)


def call_flag(session: Session, now: float) -> Step | None:
    """Tell the arbiter that the opponent's time is up, when it has been for long enough."""
    game = session.game
    if not plays(session) or game is None or game.line is None or game.clock is None:
        return None
    if game.my_turn or now - session.flagged_at < FLAG_SECONDS or not is_up(game.clock, now):
        return None
    return send_word(replace(session, flagged_at=now), "flag", now, quietly=True)


def plays(session: Session) -> bool:
    """Whether a game of our own goes on."""
    game = session.game
    if game is None or game.line is None or game.watched:
        return False
    return session.phase is Phase.PLAYING


def _abort(session: Session, game: GameView, now: float) -> Step:
    ply = game.line.ply if game.line else 0
    # Only the arbiter can judge how long an opponent who thinks for days has been silent.
    is_slow = game.clock is None or game.clock.by_days
    waits = session.extended and not game.my_turn and is_slow
    if ply >= _PLIES_TO_ABORT:
        if not waits and game.offered != "abort":
            return session, (_no("too-late", "Both sides have moved: resign instead"),)
        # An offer, or its answer; said again, it would mean more than was asked for.
        return send_word(session, "abort", now)
    # ``quit`` would resign if the opponent's move crossed it; but only ours knows another word.
    word = "abort" if session.extended else QUIT
    return send_pending(session, Pending(content=word, san=word, ply=ply), now)


def _pointless(game: GameView, word: str) -> Refused | None:
    kind = word.removesuffix("-decline")
    if kind not in (word, game.offered):
        return _no("no-offer", f"Your opponent offers no {kind}")
    mine = game.offer is not None and game.offered is None
    if mine and game.offer is not None and game.offer.kind == word:
        return _no("rate-limited", f"You have offered a {word}: your opponent has to answer")
    if word == "takeback" and game.rated:
        return _no("not-offered-here", "There are no takebacks in a rated game")
    return None


def _no(code: str, text: str) -> Refused:
    return Refused(Source.CLIENT, code, text)
