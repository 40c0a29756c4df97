"""A game: states, the engine's moves, words and errors."""

from dataclasses import replace

import chess

from clients.bot import judgement
from clients.bot.model import (
    Act,
    Effects,
    EngineFailed,
    EngineMoved,
    Game,
    Request,
    RestartEngine,
    Say,
    Session,
    Speak,
    StopThinking,
    Think,
    Thinking,
)
from clients.bot.timing import FIRST_PLIES, GRACE_MS, limits
from clients.bot.words import answer_offer, claim, greet, lines
from clients.player.messages import MOVE_TEXT, State
from clients.player.model import Answered

FLAG_AGAIN_MS = 10_000
READ_APART_MS = 1_000
KEPT_SCORES = 64
PLIES_BETWEEN_OFFERS = 20
TRUSTED_FAILURES = 2


def begin_game(session: Session, now: int) -> tuple[Session, Effects]:
    """Play the game that is put on the board."""
    is_rematch = session.rematch_with == _game(session).state.opponent_of(session.me)
    rematches = session.rematches if is_rematch else 0
    return go_on(replace(session, rematches=rematches, rematch_with=None), now)


def on_state(session: Session, state: State, now: int) -> tuple[Session, Effects]:
    """Take a newer state."""
    game = _game(session)
    is_away = (not state.color_of(session.me)) in state.away
    if state.position != game.state.position:
        game = replace(game, seen_at=now, failures=0, excluded=frozenset())
    game = replace(game, state=state, left_at=(game.left_at or now) if is_away else 0)
    return go_on(replace(session, game=game), now)


def _game(session: Session) -> Game:
    if session.game is None:
        raise ValueError("there is no game")
    return session.game


def go_on(session: Session, now: int) -> tuple[Session, Effects]:
    """Do what the present state asks of the bot."""
    game = _game(session)
    state = game.state
    if state.result is not None:
        return _finish(session, now)
    board = state.board()
    color = state.color_of(session.me)
    effects: list[Act] = []
    game = greet(session, game, effects)
    if board.turn is color:
        game = answer_offer(session, game, board, effects)
        if judgement.claims(game.scores, board, session.config):
            game = claim(game, effects)
        game = _move(session, game, now, effects)
    else:
        if game.thinking is not None:
            game = replace(game, thinking=None)
            effects.append(StopThinking())
        game = answer_offer(session, game, board, effects)
        if judgement.claims(game.scores, board, session.config):
            game = claim(game, effects)
        elif game.offer_draw and state.offer is None:
            effects.append(Speak(state.game, "draw"))
            game = replace(game, offer_draw=False, draw_offered_at=state.ply)
    return replace(session, game=game), tuple(effects)


def _finish(session: Session, now: int) -> tuple[Session, Effects]:
    game = _game(session)
    state = game.state
    effects: list[Act] = [StopThinking()] if game.thinking is not None else []
    effects.append(Say(f"game {state.game}: {state.result} {state.termination}"))
    if state.ply >= FIRST_PLIES:
        greeting = session.config.greeting
        effects.extend(lines(session, state, greeting.goodbye, greeting.goodbye_spectators))
    session = replace(
        session,
        since=now,
        game=None,
        last=state,
        rematch_answered=False,
        ask_at=max(session.ask_at, now + session.config.pause * 1000),
    )
    return session, tuple(effects)


def _move(session: Session, game: Game, now: int, effects: list[Act]) -> Game:
    """Thinks, or sends what was decided for this position."""
    position = game.state.position
    if session.is_pending(game):
        return game
    if game.decided is not None and game.decided[0] == position:
        effects.append(Speak(game.state.game, game.decided[1]))
        return game
    if game.thinking is not None and game.thinking.position == position:
        return game
    color = game.state.color_of(session.me)
    limit = limits(game.state, color, game.seen_at, now, session.timing, session.config)
    by_fallback = game.failures >= TRUSTED_FAILURES
    effects.append(Think(game.state, limit, game.excluded, by_fallback))
    return replace(game, thinking=Thinking(position, now + limit.give_up_ms))


def is_left(session: Session, now: int) -> bool:
    """Whether the opponent is silent for longer than the bot has patience, without a clock."""
    game, patience = session.game, session.config.challenge.patience
    if game is None or session.is_pending(game) or not patience:
        return False
    if game.state.ply < FIRST_PLIES:
        patience = min(patience, session.config.abort_time)
    is_theirs = game.state.turn is not game.state.color_of(session.me)
    return is_theirs and game.state.deadline is None and now - game.seen_at >= patience * 1000


def leave(session: Session) -> tuple[Session, Effects]:
    """Ends the game: without a result while it has hardly begun, else by resigning."""
    told = Say("the opponent has gone, and another player asks")
    return session, (told, Speak(_game(session).state.game, "quit"))


def on_engine_moved(session: Session, moved: EngineMoved, now: int) -> tuple[Session, Effects]:
    """Resigns or moves; what is no legal move is a failure of the engine."""
    game = session.game
    if game is None or not _is_asked(game, moved.game, moved.position):
        return session, ()
    board = game.state.board()
    try:
        move = board.parse_uci(moved.move)
    except ValueError:
        move = chess.Move.null()
    if not move:
        failed = EngineFailed(moved.game, moved.position, f"illegal {moved.move[:8]!r}")
        return on_engine_failed(session, failed, now)
    scores = game.scores if moved.score is None else (*game.scores, moved.score)[-KEPT_SCORES:]
    game = replace(game, thinking=None, decided=(moved.position, board.uci(move)), scores=scores)
    effects: list[Act] = []
    if judgement.resigns(scores, session.config):
        effects.append(Speak(game.state.game, "resign"))
        return replace(session, game=game), tuple(effects)
    wants = judgement.wants_draw(scores, board, session.config)
    rested = game.state.ply - game.draw_offered_at >= PLIES_BETWEEN_OFFERS
    game = replace(game, offer_draw=wants and rested)
    game = _move(session, game, now, effects)
    return replace(session, game=game), tuple(effects)


def on_engine_failed(session: Session, failed: EngineFailed, now: int) -> tuple[Session, Effects]:
    """Starts the engine anew; after its second failure here our own engine moves."""
    game = session.game
    if game is None or not _is_asked(game, failed.game, failed.position):
        return session, ()
    game = replace(game, thinking=None, failures=game.failures + 1)
    effects: list[Act] = [Say(f"the engine failed: {failed.why}"), RestartEngine()]
    game = _move(session, game, now, effects)
    return replace(session, game=game), tuple(effects)


def _is_asked(game: Game, name: str, position: str) -> bool:
    return (
        game.state.game == name
        and game.thinking is not None
        and game.thinking.position == position == game.state.position
    )


def on_refused(session: Session, answered: Answered, now: int) -> tuple[Session, Effects]:
    """An error about what the bot said; of what its state said better nothing is told."""
    game, refused, said = session.game, answered.refusal, answered.open.content
    if game is None or refused is None or answered.open.game != game.state.game:
        return session, ()
    effects: list[Act] = [Say(f"{said}: {refused.reason}: {refused.text}")]
    is_move = MOVE_TEXT.fullmatch(said) is not None
    if is_move and refused.reason == "illegal-move":
        legal = {game.state.board().uci(move) for move in game.state.board().legal_moves}
        excluded = game.excluded | {said}
        game = replace(game, decided=None, excluded=excluded if legal - excluded else frozenset())
        game = _move(session, game, now, effects)
        return replace(session, game=game), tuple(effects)
    if refused.reason == "unknown-game" and said != "state":
        return session, (*effects, Request("state"))
    if refused.reason == "stale":
        # The state says that, or comes.
        return replace(session, game=replace(game, answered=None)), tuple(effects)
    if is_move or refused.reason == "game-over":
        # The arbiter may have more than we saw; its state decides.
        effects.append(Speak(game.state.game, "state"))
        return replace(session, game=replace(game, read_at=now)), tuple(effects)
    return session, tuple(effects)


def on_tick(session: Session, now: int) -> tuple[Session, Effects]:
    """Gives up on the engine, moves, flags the opponent."""
    game = _game(session)
    effects: list[Act] = []
    if game.thinking is not None and now >= game.thinking.give_up_at:
        failed = EngineFailed(game.state.game, game.thinking.position, "it gives no answer")
        session, more = on_engine_failed(replace(session, game=game), failed, now)
        return session, (*effects, *more)
    if game.thinking is None and not session.is_pending(game):
        game = _wait(session, game, now, effects)
    return replace(session, game=game), tuple(effects)


def _wait(session: Session, game: Game, now: int, effects: list[Act]) -> Game:
    state = game.state
    if state.turn is state.color_of(session.me):
        if now - game.read_at < READ_APART_MS:
            return game
        return _move(session, game, now, effects)
    if now - game.flagged_at < FLAG_AGAIN_MS:
        return game
    if game.left_at and state.ply >= FIRST_PLIES and now - game.left_at >= _left_ms(state):
        # Over relays alone it is refused each time: the bot is not seen to be there itself.
        effects.append(Speak(state.game, "claim-left"))
        return replace(game, left_at=now)
    if state.deadline is not None:
        if now < state.deadline + session.timing.lead_ms + GRACE_MS:
            return game
        effects.append(Speak(state.game, "flag"))
        return replace(game, flagged_at=now)
    waited = now - game.seen_at
    if state.ply < FIRST_PLIES and waited >= session.config.abort_time * 1000:
        effects.append(Speak(state.game, "abort"))
        return replace(game, flagged_at=now)
    return game


def _left_ms(state: State) -> float:
    """The time after which the game of a player to move who has left can be claimed."""
    left_ms = state.clock[not state.turn] if state.clock else 0
    return min(max(60_000, left_ms / 5), 180_000) + GRACE_MS
