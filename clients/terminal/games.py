"""The player's games beside the one on the board: kept, listed and gone to. A game keeps its
number.
"""

import re
from dataclasses import replace

from clients.player.messages import State
from clients.terminal.game_notices import board_shown, games_listed, other_game, started
from clients.terminal.game_view import GameView
from clients.terminal.notices import refused_here, remark
from clients.terminal.outgoing import Step, look_up, pending, said, tune_in
from clients.terminal.session import Phase, Session
from clients.terminal.states import follow, view

_NUMBER = re.compile(r"[0-9]{1,3}")


def began(session: Session, state: State, now: float, *, is_listed: bool) -> Step:
    """Put a game onto the board, or say that it begins beside; one that is ``is_listed`` is no
    news.
    """
    if state.result is not None:
        return session, ()
    session, board = _numbered(session, state.game), session.game
    is_taken = session.phase is Phase.PLAYING and board is not None and board.result is None
    was_had = is_listed and session.phase is Phase.QUEUED and state.is_slow and state.ply > 0
    if is_taken or was_had:
        text = f"A game begins beside this one: go {_number(session, state.game)} plays it"
        return session, () if is_listed else (remark("game-begins", text),)
    return follow(
        _on_board(session, GameView(id=state.game), now), GameView(id=state.game), state, now
    )


def shown(session: Session, state: State, before: State | None, now: float) -> Step:
    """Show a newer state: of the game on the board, or what the player has to know of another."""
    board = session.game
    if board is not None and board.id == state.game:
        return follow(session, board, state, now)
    seen = view(session, GameView(id=state.game), state)
    if before is None:
        return _offered_meanwhile(session, seen, state)
    if state.game not in session.numbers:
        return session, ()
    over = replace(seen, result=state.result, termination=state.termination)
    was_mine = before.turn == seen.color
    if state.result is None and (was_mine or not seen.my_turn):
        return session, ()
    return session, (other_game(_number(session, state.game), over),)


def _offered_meanwhile(session: Session, seen: GameView, state: State) -> Step:
    """Show the rematch of a game of ours that was offered while we were away."""
    if session.game is not None or seen.offered != "rematch":
        return session, ()
    over = replace(seen, result=state.result, termination=state.termination)
    asked = replace(session, game=over)
    text = f"{over.called(over.opponent)} offers a rematch of your last game: accept or decline"
    return asked, (look_up(asked), remark("rematch-waits", text))


def others(session: Session) -> tuple[GameView, ...]:
    """The games that go on beside the one on the board."""
    board = session.game.id if session.game else None
    going = (it for it in session.wire.games.values() if it.began and it.state.result is None)
    return tuple(
        view(session, GameView(id=it.state.game), it.state)
        for it in going
        if it.state.game != board
    )


def _on_board(session: Session, game: GameView, now: float) -> Session:
    return replace(
        session,
        phase=Phase.PLAYING,
        game=game,
        asked="",
        question=None,
        answer="",
        back_to=None,
        flagged_at=0.0,
        last_news_at=now,
    )


def list_games(session: Session, now: float) -> Step:
    """All games of the player, those first in which they are to move, by deadline."""
    current = session.game
    on_board = current is not None and current.state is not None and current.result is None
    games = (*((current,) if on_board and current else ()), *others(session))
    numbered = [(_number(session, game.id), replace(game, people=session.people)) for game in games]
    numbered.sort(key=lambda one: (not one[1].my_turn, _deadline_ms(one[1]), one[0]))
    on_it = current.id if on_board and current else None
    return session, (games_listed(tuple(numbered), on_it, now),)


def go(session: Session, name: str, now: float) -> Step:
    """Put the game of this number on the board; without one the next that waits for a move."""
    waits_live = session.phase in (Phase.ASKING, Phase.QUEUED) and not _waits_for_days(session)
    if waits_live:
        return session, (refused_here("not-now", "You wait for an opponent: cancel comes first"),)
    current = session.game
    if (one := pending(session)) is not None:
        text = f"Wait for the arbiter: {said(current, one)} is on its way"
        return session, (refused_here("move-pending", text),)
    if current is not None and current.state and _is_number_of(session, name, current):
        return session, (board_shown(current),)
    game = _meant(session, name)
    if game is None:
        text = f"No game {name}: games lists them" if name else "In no other game it is your move"
        return session, (refused_here("no-game", text),)
    there = _on_board(session, game, now)
    chat = tune_in(there, game, now, public=False)
    begins = started(game, resumed=True)
    return there, (chat, look_up(there), begins, board_shown(game))


def _is_number_of(session: Session, name: str, game: GameView) -> bool:
    return game.id in session.numbers and name == str(_number(session, game.id))


def _meant(session: Session, name: str) -> GameView | None:
    if not name:
        waiting = [game for game in others(session) if game.my_turn]
        return min(waiting, key=_deadline_ms, default=None)
    if not _NUMBER.fullmatch(name):
        return None
    return next((it for it in others(session) if str(_number(session, it.id)) == name), None)


def _numbered(session: Session, game_id: str) -> Session:
    if game_id in session.numbers:
        return session
    return replace(session, numbers=(*session.numbers, game_id))


def _number(session: Session, game_id: str) -> int:
    return session.numbers.index(game_id) + 1


def _deadline_ms(game: GameView) -> float:
    deadline_ms = game.clock.deadline_ms if game.clock else None
    return float("inf") if deadline_ms is None else deadline_ms


def _waits_for_days(session: Session) -> bool:
    time = session.terms.time
    return time is not None and time.days > 0
