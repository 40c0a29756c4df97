"""From a decision to the game to commit: the events that a game remembers, and the pending commands
that a decision sets free, which are judged in the same write.
"""

from dataclasses import replace

import chess

from arbiter.application.play.judge import rules_for
from arbiter.core.chain import linked
from arbiter.core.commands import AnsweredState, Command, PlayMove, SetLines
from arbiter.core.conditional_moves import MAX_MOVES_AT_ONCE, due_move
from arbiter.core.decide import buffer, decide, pop_ready
from arbiter.core.game import EVENT_KEY_BYTES, REFUSED_IDS_PER_SEAT, WHITE, Game
from arbiter.core.replies import ClaimRejected, Decision, Reason, Rejected, Reply
from arbiter.core.rules import Rules
from arbiter.core.timers import with_timer
from arbiter.dialects.registry import DIALECTS

COULD_COME_TRUE = frozenset(
    {
        Reason.NOT_YOUR_TURN,
        Reason.ILLEGAL_MOVE,
        Reason.BAD_TIME,
        Reason.TOO_LATE,
        Reason.RATE_LIMITED,
        Reason.NO_OFFER,
        Reason.NO_CLAIM,
        Reason.NOT_OFFERED_HERE,
        Reason.WRONG_RESULT,
        Reason.EARLY,
    }
)
"""Refusals that another turn, position or hour would reverse; others need no memory."""


def remember(
    game: Game,
    decision: Decision,
    command: Command,
    event_key: bytes,
    now_ms: int,
    item_version: int,
) -> Decision:
    """The decision with its game linked, in this item version, with this event_key (its first 8
    bytes count) among the applied ids, or in any version with it among the refused ones; with the
    very same game if nothing is to be written. A timer that is past by now is another one: it may
    be lost, and no timer has to follow it.

    A refused event of a seated player is remembered, because a relay could replay it, unless it
    stays refused anyway. A stranger's is not, so that strangers cannot make us write.
    """
    color = game.color_of(command.player)
    if color is None:
        return decision
    key = event_key[:EVENT_KEY_BYTES]
    refusals = [reply for reply in decision.replies if isinstance(reply, Rejected)]
    if decision.game is not game:
        decided = decision.game
        # Lines are remembered with themselves, for they may be set as often as a player likes.
        is_kept = isinstance(command, SetLines)
        decision = linked(
            game,
            decision,
            event_key,
            applied_ids=decided.applied_ids if is_kept else (*decided.applied_ids, key),
            item_version=item_version,
            timer_at_ms=with_timer(decided, now_ms).timer_at_ms,
        )
        after = decision.game
        if isinstance(command, PlayMove) and after.ply > game.ply:
            after = _with_address_after_move(after, color, command, event_key)
        # A strike is both: it changed the game for good, and was refused.
        return replace(decision, game=with_refused(after, color, key) if refusals else after)
    if not refusals or not _could_come_true(game, color, command, refusals[-1].reason):
        return decision
    return replace(decision, game=with_refused(game, color, key))


def _with_address_after_move(
    game: Game, color: chess.Color, command: PlayMove, event_key: bytes
) -> Game:
    seat = game.seat(color)
    chain = DIALECTS[seat.dialect].chain
    if chain is None:
        return game
    moved = chain.after_move(seat, event_key.hex(), command.made_at_ms // 1000)
    return game.with_seat(color, moved)


def _could_come_true(game: Game, color: chess.Color, command: Command, reason: Reason) -> bool:
    if reason is Reason.STALE:
        # An event over a socket or a bridge is dated by when it was received: received again it is
        # younger.
        dialect = DIALECTS[game.seat(color).dialect]
        return not dialect.wire.is_on_relays and not _names_position(command)
    if isinstance(command, SetLines) and reason is not Reason.BAD_TIME:
        # They name their position.
        return False
    return reason in COULD_COME_TRUE


def _names_position(command: Command) -> bool:
    if not isinstance(command, PlayMove):
        return False
    return command.ply is not None or command.answers is AnsweredState.OLDER


def with_refused(game: Game, color: chess.Color, key: bytes) -> Game:
    if color == WHITE:
        kept = (*game.white_refused_ids, key)[-REFUSED_IDS_PER_SEAT:]
        return replace(game, white_refused_ids=kept)
    return replace(game, black_refused_ids=(*game.black_refused_ids, key)[-REFUSED_IDS_PER_SEAT:])


def apply_decision(
    game: Game, decision: Decision, command: Command, event_key: bytes, rules: Rules, now_ms: int
) -> tuple[Game, tuple[Reply, ...]]:
    """The game to commit after this decision on the command with this event_key (32 bytes), and the
    replies; the same game if nothing is to be written. A command that came too early is buffered,
    if there is room, without a reply.
    """
    if game.color_of(command.player) is not None and (buffered := buffer(game, command, event_key)):
        return buffered, ()
    item_version = game.item_version + 1
    decision = remember(game, decision, command, event_key, now_ms, item_version)
    after, replies = release(decision.game, rules, now_ms, item_version)
    by_lines: tuple[Reply, ...] = ()
    if after.ply > game.ply:
        after, by_lines = play_lines(after, rules, now_ms, item_version)
    return after, (*decision.replies, *replies, *by_lines)


def play_lines(
    game: Game, rules: Rules, now_ms: int, item_version: int
) -> tuple[Game, tuple[Reply, ...]]:
    """The game with the moves that lines make now, ``MAX_MOVES_AT_ONCE`` at most; replies."""
    after, replies = game, tuple[Reply, ...]()
    for _ in range(MAX_MOVES_AT_ONCE):
        lines, command = after.lines[after.turn], due_move(after, now_ms)
        if lines is None or command is None:
            break
        decided = decide(after, command, now_ms, rules_for(rules, after, command))
        decided = linked(after, decided, lines.event_key)
        after = replace(with_timer(decided.game, now_ms), item_version=item_version)
        replies += decided.replies
    return after, replies


def release(
    game: Game, rules: Rules, now_ms: int, item_version: int
) -> tuple[Game, tuple[Reply, ...]]:
    after, replies = game, tuple[Reply, ...]()
    while popped := pop_ready(after):
        without, pending = popped
        own_rules = rules_for(rules, without, pending.command)
        decided = decide(without, pending.command, now_ms, own_rules)
        key = pending.event_key
        decided = remember(without, decided, pending.command, key, now_ms, item_version)
        after = decided.game
        replies += tuple(_about(reply, pending.event_key) for reply in decided.replies)
    return after, replies


def _about(reply: Reply, event_key: bytes) -> Reply:
    return (
        replace(reply, about=event_key.hex())
        if isinstance(reply, Rejected | ClaimRejected)
        else reply
    )
