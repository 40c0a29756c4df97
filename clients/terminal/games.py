"""The player's games beside the one on the board: kept, listed and gone to.

A player has one live game, another of each event, and up to fifty slow ones (days a move, or no
clock); the arbiter tells of all of them, and the session follows them. A game keeps its number
while the program runs.
"""

import re
from dataclasses import replace

from clients.terminal.game_notices import board_shown, games_listed, other_game, started
from clients.terminal.game_view import GameView
from clients.terminal.notices import refused_here, remark
from clients.terminal.outgoing import Step, look_up, tune_in
from clients.terminal.session import MAX_OTHER_GAMES, Phase, Session

_NUMBER = re.compile(r"[0-9]{1,3}")


def set_aside(session: Session) -> Session:
    """The session without its game, which goes on beside others."""
    game = session.game
    if game is None or game.state is None or game.result is not None or game.watched:
        return replace(session, game=None)
    return _with(replace(session, game=None), game)


def note(session: Session, seen: GameView) -> Step:
    """Keep the new state of a game that is not on the board, and say what the player has to know
    of it.
    """
    before = _known(session, seen.id)
    known = before.state if before else None
    if seen.state is None or (known is not None and seen.state.version <= known.version):
        return session, ()
    if seen.result is not None:
        others = tuple(each for each in session.others if each.id != seen.id)
        over = replace(session, others=others, finished=session.finished | {seen.id})
        return over, (other_game(_number(over, seen), seen),) if before else ()
    if before is None and len(session.others) >= MAX_OTHER_GAMES:
        return session, ()
    after = _with(session, seen)
    comes = seen.my_turn and before is not None and not before.my_turn
    return after, (other_game(_number(after, seen), seen),) if comes else ()


def began(session: Session, game_id: str) -> Step:
    """Say that a game begins beside the one on the board."""
    numbered = _numbered(session, game_id)
    number = numbered.numbers.index(game_id) + 1
    text = f"A game begins beside this one: go {number} plays it"
    return numbered, (remark("game-begins", text),)


def list_games(session: Session) -> Step:
    """All games of the player, those first in which they are to move."""
    current = session.game
    on_board = current is not None and current.state is not None and current.result is None
    if on_board and current is not None:
        session = _numbered(session, current.id)
    games = (*((current,) if on_board and current else ()), *session.others)
    numbered = [(_number(session, game), replace(game, people=session.people)) for game in games]
    numbered.sort(key=lambda one: (not one[1].my_turn, _deadline_ms(one[1]), one[0]))
    on_it = current.id if on_board and current else None
    return session, (games_listed(tuple(numbered), on_it),)


def go(session: Session, name: str, now: float) -> Step:
    """Put the game of this number on the board; without one the next that waits for a move."""
    waits_live = session.phase in (Phase.ASKING, Phase.QUEUED) and not _waits_for_days(session)
    if waits_live:
        return session, (refused_here("not-now", "You wait for an opponent: cancel comes first"),)
    if session.pending is not None:
        text = f"Wait for the arbiter: {session.pending.san} is on its way"
        return session, (refused_here("move-pending", text),)
    current = session.game
    if current is not None and current.state and _is_number_of(session, name, current):
        return session, (board_shown(current),)
    game = _meant(session, name)
    if game is None:
        text = f"No game {name}: games lists them" if name else "In no other game it is your move"
        return session, (refused_here("no-game", text),)
    others = tuple(each for each in set_aside(session).others if each.id != game.id)
    there = replace(
        session,
        phase=Phase.PLAYING,
        numbers=set_aside(session).numbers,
        others=others,
        game=replace(game, people=session.people),
        request=None,
        question=None,
        early=None,
        answer="",
        back_to=None,
        flagged_at=0.0,
        last_news_at=now,
    )
    shown = there.game or game
    chat = tune_in(there, shown, now, public=False)
    begins = started(shown, resumed=True)
    return there, (chat, look_up(there), begins, board_shown(shown))


def _is_number_of(session: Session, name: str, game: GameView) -> bool:
    return game.id in session.numbers and name == str(_number(session, game))


def _meant(session: Session, name: str) -> GameView | None:
    if not name:
        waiting = [game for game in session.others if game.my_turn]
        return min(waiting, key=_deadline_ms, default=None)
    if not _NUMBER.fullmatch(name) or not 0 < int(name) <= len(session.numbers):
        return None
    return _known(session, session.numbers[int(name) - 1])


def _with(session: Session, game: GameView) -> Session:
    kept = tuple(each for each in session.others if each.id != game.id)
    return _numbered(replace(session, others=(*kept, game)), game.id)


def _numbered(session: Session, game_id: str) -> Session:
    if game_id in session.numbers:
        return session
    return replace(session, numbers=(*session.numbers, game_id))


def _number(session: Session, game: GameView) -> int:
    return session.numbers.index(game.id) + 1


def _known(session: Session, game_id: str) -> GameView | None:
    return next((each for each in session.others if each.id == game_id), None)


def _deadline_ms(game: GameView) -> float:
    deadline_ms = game.clock.deadline_ms if game.clock else None
    return float("inf") if deadline_ms is None else deadline_ms


def _waits_for_days(session: Session) -> bool:
    time = session.terms.time
    return time is not None and time.days > 0
