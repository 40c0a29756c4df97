"""``decide``: one command to one game gives one decision; flag fall; and pending commands.

Invariant: a refusal is a value (docs/decisions/0002-refusals-are-values.md); no input of a player
raises. A move received before the deadline is in time; other commands call a flag only after moves
in time had ``SETTLE_MS``. Wires with logs deliver a command long before the move it answers: the
game buffers it, and decides it as if it came then.
"""

from dataclasses import replace
from typing import assert_never

import chess

from arbiter.core.clocks import SETTLE_MS
from arbiter.core.commands import (
    Abort,
    AnsweredState,
    CallFlag,
    ClaimDraw,
    ClaimLeft,
    Command,
    DeclineOffer,
    GameWord,
    MakeOffer,
    OfferKind,
    PendingCommand,
    PlayersCommand,
    PlayMove,
    Quit,
    Resign,
    SetLines,
    ShowLines,
    ShowState,
    TakeVacation,
    Tick,
    Unrecognized,
)
from arbiter.core.conditional_moves import set_lines
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.moves import play_move, restates_end, signed_long_before
from arbiter.core.offers import call_off, claim_draw, decline_offer, end_game, make_offer
from arbiter.core.replies import Decision, LinesTold, Reason, Rejected, StateShown, refuse
from arbiter.core.rules import FUTURE_MS, USUAL_RULES, Rules
from arbiter.core.vacations import LAST_MS, take_vacation


def decide(
    game: Game,
    command: Command,
    now_ms: int,
    rules: Rules = USUAL_RULES,
    received_at_ms: int | None = None,
    paused_ms: int = 0,
) -> Decision:
    """The decision on one command. ``now_ms`` (unix ms) is the new state's time; flags are judged
    by ``received_at_ms`` (default ``now_ms``), less ``paused_ms`` of the mover's clock.
    """
    received_at_ms = now_ms if received_at_ms is None else received_at_ms
    # The previous state may come from a machine with a faster clock: states keep their order.
    now_ms = max(now_ms, game.changed_at_ms)
    color = game.color_of(command.player)
    if isinstance(command, ShowState):
        return Decision(game, (StateShown(game, color),))
    lost_on_time = is_flag_fallen(game, command, received_at_ms, paused_ms)
    if isinstance(command, Tick):
        if not lost_on_time:
            return Decision(game, ())
        return end_game(game, outcome_on_time(game, rules), now_ms)
    if color is None:
        return refuse(game, command, Reason.NOT_A_PLAYER, "you have no seat in this game")
    if isinstance(command, ShowLines) or _is_kept(game, command, color):
        return Decision(game, (LinesTold(game, color),))
    if game.outcome is not None:
        return _after_the_end(game, game.outcome, command, color, now_ms)
    if lost_on_time:
        return _lost_on_time(game, command, now_ms, rules)
    if isinstance(command, PlayMove):
        return play_move(game, command, color, now_ms, rules, paused_ms)
    if text := _why_too_late(game, command, received_at_ms, paused_ms):
        return refuse(game, command, Reason.TOO_LATE, text)
    return _decide_other(game, command, color, now_ms, rules, paused_ms)


def _why_too_late(game: Game, command: GameWord, received_at_ms: int, paused_ms: int) -> str | None:
    """Return the reason why this request comes too late in its author's own turn."""
    match command:
        case MakeOffer() | ClaimDraw():
            least_ms, text = 0, "your time is up"
        case TakeVacation() if game.is_slow:
            least_ms, text = LAST_MS, "no vacation begins in the last hour of a move"
        case _:
            return None
    return text if is_past_deadline(game, command, received_at_ms + least_ms, paused_ms) else None


def _decide_other(  # noqa: C901 - a case for each word
    game: Game, command: GameWord, color: chess.Color, now_ms: int, rules: Rules, paused_ms: int
) -> Decision:
    if not isinstance(command, Unrecognized):
        refusal = _untimely(game, command, now_ms) or _not_in_a_tournament(game, command)
        if refusal:
            return refuse(game, command, *refusal)
    match command:
        case Abort() | MakeOffer(kind=OfferKind.ABORT):
            return call_off(game, command, color, now_ms, paused_ms, rules)
        case Resign(loser=loser) if loser == (not color):
            text = "a player resigns for themselves alone"
            return refuse(game, command, Reason.WRONG_RESULT, text)
        case Quit() if game.ply < OPENING_PLIES and not game.tournament:
            return call_off(game, command, color, now_ms, paused_ms, rules)
        case Resign() | Quit():
            outcome = Outcome(Termination.RESIGNATION, not color)
            return end_game(game, outcome, now_ms, paused_ms)
        case MakeOffer() | DeclineOffer() | ClaimDraw() | ClaimLeft() | TakeVacation():
            return _answer_offer_or_claim(game, command, color, now_ms, rules, paused_ms)
        case SetLines():
            return set_lines(game, command, color)
        case CallFlag():
            return refuse(
                game, command, Reason.TIME_LEFT, "no flag to call: your opponent has time left"
            )
        case Unrecognized(flaw=flaw):
            text = flaw or "neither a move such as e2e4 or e7e8q nor a known word"
            return refuse(game, command, Reason.MALFORMED, text)
        case _:
            assert_never(command)


def _not_in_a_tournament(game: Game, command: GameWord) -> tuple[Reason, str] | None:
    """Return the reason why a game of a tournament does not have this now."""
    if game.tournament is None:
        return None
    first = game.tournament.draws_from_ply
    match command:
        case Abort() | MakeOffer(kind=OfferKind.ABORT | OfferKind.TAKEBACK):
            text = "neither aborts nor takebacks in an event: resign, or play on"
        case MakeOffer(kind=OfferKind.DRAW) if game.ply < first:
            text = f"no draw is agreed before move {first // 2 + 1} in this event"
        case ClaimLeft() if game.ply < OPENING_PLIES:
            text = "who does not make a first move in time forfeits the game"
        case _:
            return None
    return Reason.NOT_OFFERED_HERE, text


def _answer_offer_or_claim(
    game: Game,
    command: MakeOffer | DeclineOffer | ClaimDraw | ClaimLeft | TakeVacation,
    color: chess.Color,
    now_ms: int,
    rules: Rules,
    paused_ms: int,
) -> Decision:
    match command:
        case MakeOffer(kind=OfferKind.REMATCH):
            return refuse(game, command, Reason.NOT_OFFERED_HERE, "the game goes on")
        case MakeOffer(kind=OfferKind.TAKEBACK) if not rules.takebacks:
            text = "your opponent's client cannot take moves back"
            return refuse(game, command, Reason.NOT_OFFERED_HERE, text)
        case MakeOffer():
            return make_offer(game, command, color, now_ms, paused_ms)
        case DeclineOffer():
            return decline_offer(game, command, color, now_ms)
        case ClaimDraw():
            return claim_draw(game, command, now_ms, paused_ms)
        case ClaimLeft():
            return claim_left(game, command, color, now_ms, rules, paused_ms)
        case TakeVacation():
            return take_vacation(game, command, color, now_ms, rules)
        case _:
            assert_never(command)


def _is_kept(game: Game, command: PlayersCommand, color: chess.Color) -> bool:
    """Whether these lines were set by this very event, which has come again."""
    kept = game.lines[color]
    return (
        isinstance(command, SetLines) and kept is not None and kept.event_key == command.event_key
    )


_TimelyWord = (
    Resign
    | Abort
    | Quit
    | MakeOffer
    | DeclineOffer
    | ClaimDraw
    | ClaimLeft
    | TakeVacation
    | CallFlag
    | SetLines
)


def _untimely(game: Game, command: _TimelyWord, now_ms: int) -> tuple[Reason, str] | None:
    """The reason why this is not about the present position; held back, it means no other."""
    made_at_ms = None if isinstance(command, CallFlag) else command.made_at_ms
    if made_at_ms is not None and made_at_ms > now_ms + FUTURE_MS:
        return Reason.BAD_TIME, "created_at lies in the future: set your clock"
    if command.answers is AnsweredState.OLDER:
        return (
            Reason.STALE,
            "that answers another position than the present one: look at the latest state",
        )
    return None if made_at_ms is None else signed_long_before(game, command.answers, made_at_ms)


def _after_the_end(
    game: Game, outcome: Outcome, command: PlayersCommand, color: chess.Color, now_ms: int
) -> Decision:
    match command:
        case MakeOffer(kind=OfferKind.REMATCH) | DeclineOffer(kind=OfferKind.REMATCH) if (
            refusal := _untimely(game, command, now_ms)
        ):
            return refuse(game, command, *refusal)
        case MakeOffer(kind=OfferKind.REMATCH) if game.tournament:
            text = "no rematch in an event"
            return refuse(game, command, Reason.NOT_OFFERED_HERE, text)
        case MakeOffer(kind=OfferKind.REMATCH):
            return make_offer(game, command, color, now_ms)
        case DeclineOffer(kind=OfferKind.REMATCH):
            return decline_offer(game, command, color, now_ms)
        case PlayMove() if restates_end(game, command, color):
            return Decision(game, (StateShown(game, color),))
        case _:
            text = f"the game is over: {outcome.result}, {outcome.termination}"
            return refuse(game, command, Reason.GAME_OVER, text)


def _lost_on_time(game: Game, command: PlayersCommand, now_ms: int, rules: Rules) -> Decision:
    ended = end_game(game, outcome_on_time(game, rules), now_ms)
    if isinstance(command, CallFlag):
        return ended
    refusal = Rejected(
        command.player, Reason.GAME_OVER, f"time is up: {ended.game.result}", ended.game
    )
    return Decision(ended.game, (refusal, *ended.replies))


def is_flag_fallen(game: Game, command: Command, received_at_ms: int, paused_ms: int) -> bool:
    """Whether the side to move ran out of time before this was received, less ``paused_ms``."""
    deadline_ms = game.deadline_ms()
    if deadline_ms is None:
        return False
    deadline_ms += paused_ms
    if isinstance(command, PlayMove) and game.color_of(command.player) == game.turn:
        return command.received_at_ms > deadline_ms
    return received_at_ms >= deadline_ms + SETTLE_MS


def is_past_deadline(game: Game, command: Command, received_at_ms: int, paused_ms: int) -> bool:
    """Whether this is sent after the deadline, even if the flag cannot be called yet."""
    deadline_ms = game.deadline_ms()
    is_own = game.color_of(command.player) == game.turn
    return deadline_ms is not None and is_own and received_at_ms > deadline_ms + paused_ms


def claim_left(
    game: Game, command: ClaimLeft, color: chess.Color, now_ms: int, rules: Rules, paused_ms: int
) -> Decision:
    """End a live game whose player to move has been away for long enough, or refuse that."""
    clocks = game.clocks
    if clocks is None or not clocks.control.is_live:
        text = "only a game with a live clock can be claimed"
        return refuse(game, command, Reason.NOT_OFFERED_HERE, text)
    if game.turn == color:
        return refuse(game, command, Reason.NO_CLAIM, "it is your own turn")
    least_ms = rules.left_seconds * 1000
    needed_ms = min(max(least_ms, clocks.left_ms(white=game.turn) // 5), 3 * least_ms)
    if command.away_ms < max(needed_ms, 1):
        text = f"your opponent has been away for {command.away_ms // 1000} s of {needed_ms // 1000}"
        return refuse(game, command, Reason.NO_CLAIM, text)
    outcome = outcome_on_time(game, rules, Termination.LEFT)
    return end_game(game, outcome, now_ms, paused_ms)


def outcome_on_time(
    game: Game, rules: Rules, termination: Termination = Termination.TIMEOUT
) -> Outcome:
    if game.ply < OPENING_PLIES:
        if game.tournament:
            return Outcome(Termination.NO_SHOW, not game.turn, aborted_by=game.turn)
        return Outcome(Termination.ABORTED, None, aborted_by=game.turn)
    # FIDE 6.9: "the game is drawn if the position is such that the opponent cannot checkmate the
    # player's king by any possible series of legal moves."
    winner = not game.turn
    return Outcome(termination, winner if rules.can_mate(game.board(), winner) else None)


PENDING_PER_SEAT = 100
"""Commands of one player that a game buffers: one side's moves of nearly any game."""


def buffer(game: Game, command: Command, event_key: bytes) -> Game | None:
    """The game with this command buffered, a move for earlier ones, others for moves; or None."""
    if not isinstance(command, PlayMove | Resign | MakeOffer) or game.outcome is not None:
        return None
    own = [one for one in game.pending if one.command.player == command.player]
    if isinstance(command, PlayMove):
        waits = command.ply is not None and command.ply > game.ply + 1
    else:
        waits = bool(own)
    if not waits or len(own) >= PENDING_PER_SEAT:
        return None
    return replace(game, pending=(*game.pending, PendingCommand(event_key, command)))


def pop_ready(game: Game) -> tuple[Game, PendingCommand] | None:
    """The game without the next command whose turn has come, and that; None if there is none."""
    waiting: set[str] = set()
    for at, one in enumerate(game.pending):
        command = one.command
        if isinstance(command, PlayMove):
            is_due = command.ply is None or command.ply <= game.ply + 1
        else:
            is_due = command.player not in waiting
        if is_due or game.outcome is not None:
            return replace(game, pending=(*game.pending[:at], *game.pending[at + 1 :])), one
        waiting.add(command.player)
    return None
