"""Ends by the clock: when they may come, by what, and for whom.

A move that is too late flags its author at once. Anything else, and a timer, does so two seconds
after the deadline, and not before a move in time had its turn in the queue.
"""

from collections.abc import Iterator

import chess

from tests.simulation.checker.accounted_events import is_for_all
from tests.simulation.checker.clock_sums import SETTLE_MS, flagged, ids_of, left_at, violation
from tests.simulation.checker.items import Stored
from tests.simulation.checker.outages import still_ms
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.permitted_changes import (
    MOVE_SHAPED,
    is_walled,
    position_of,
    same_move,
)
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import MOVE, SOCKET_MOVE, Event, read_record
from tests.simulation.history import DeadLettered, Delivered, of_kind

FEW_POSITIONS = 5000
"""So many are looked through to believe that a position cannot be won."""

FUTURE_MS = 15 * 60_000
"""A move that is dated further ahead is refused."""


def flags_fall_in_time(parsed: ParsedHistory) -> Iterator[Violation]:
    for one in parsed.changes:
        if one.after.time is not None and flagged(one) and one.before is not None:
            yield from _fell(parsed, one, one.before)
            yield from _fallen(parsed, one)


def _fell(parsed: ParsedHistory, one: Version, before: Stored) -> Iterator[Violation]:
    event = next((parsed.signed[id_][1] for id_ in ids_of(parsed, one)), None)
    if event is None:
        stamps, is_late_move = _stamps_of_timers(parsed, one), False
    else:
        stamps, is_late_move = parsed.stamps[event.id], _moves_for(before, event)
    for stamp_ms in [max(stamps)] if stamps else []:
        early_ms = up_ms(parsed, one, stamp_ms) + (0 if is_late_move else SETTLE_MS) - stamp_ms
        if early_ms > 0:
            by = f"{event.content!r} of {before.color_of(event.pubkey)}" if event else "a timer"
            sentence = f"{before.turn} was flagged by {by}, {early_ms} ms before that may be"
            yield violation(one.after, f"version {one.after.version}: {sentence}")


def _stamps_of_timers(parsed: ParsedHistory, one: Version) -> set[int]:
    came = [it for at, it in parsed.delivered if at < one.at and it.worker == one.who]
    records = [read_record(it.body) for it in came if it.batch == came[-1].batch]
    return {it.stamped_ms for it in records if it.nudges == one.after.id and it.stamped_ms}


def _moves_for(game: Stored, event: Event) -> bool:
    is_move = MOVE_SHAPED.fullmatch(event.content.lower()) is not None
    return is_move and game.color_of(event.pubkey) == game.turn


def _fallen(parsed: ParsedHistory, one: Version) -> Iterator[Violation]:
    before, after = one.before, one.after
    if before is None or before.since_ms is None:
        return
    flagging = _flagging(parsed, one)
    if flagging is not None and not _is_in_line(flagging, before):
        yield violation(after, f"{before.turn} was flagged from a group that is not theirs")
    winner = "b" if before.turn == "w" else "w"
    board = position_of(before)
    if board is None:
        return
    drawn = after.winner is None and after.termination == "timeout"
    due = (
        winner
        if after.termination == "timeout" and _could_mate(board, winner, drawn=drawn)
        else None
    )
    if after.winner != due:
        yield violation(after, f"time out won for {after.winner}, due is {due}")
    if flagging and (id_ := _waiting(parsed, one, board, flagging)):
        sentence = (
            f"{before.turn} was flagged, and their move was received in time and queued before"
        )
        yield Violation(Invariant.CLOCKS, (after.id, id_), sentence)


def _could_mate(board: chess.Board, winner: str, *, drawn: bool) -> bool:
    """Whether time out wins. By material; where the game is drawn all the same, because a wall of
    pawns or a plain search of what is left shows that neither mates.
    """
    color = chess.WHITE if winner == "w" else chess.BLACK
    if board.has_insufficient_material(color):
        return False
    if not drawn:
        return True
    if is_walled(board):
        return False
    seen, ahead = {board.epd()}, [board]
    while ahead and len(seen) < FEW_POSITIONS:
        here = ahead.pop()
        for move in here.legal_moves:
            there = here.copy(stack=False)
            there.push(move)
            if there.is_checkmate() and there.turn != color:
                return True
            if there.epd() not in seen:
                seen.add(there.epd())
                ahead.append(there)
    return bool(ahead)


def up_ms(parsed: ParsedHistory, one: Version, until_ms: int) -> int:
    """When the time of the side to move was up, as is known until then: a later outage gives
    nothing back.
    """
    before = one.before
    since_ms = (before and before.since_ms) or 0
    left_ms = left_at(before) if before else 0
    return since_ms + left_ms + min(still_ms(parsed, one, since_ms, until_ms))


def _waiting(
    parsed: ParsedHistory, one: Version, board: chess.Board, flagging: Delivered
) -> str | None:
    before = one.before
    queued_as = (
        (at, queued.group)
        for at, queued in parsed.queued
        if queued.body == flagging.body and queued.status != "refused"
    )
    flagged_at, group = next(queued_as, (0, ""))
    if before is None:
        return None
    # What was given up after twenty deliveries waits for a person, and no flag waits for that.
    dead = of_kind(parsed.history.happenings, DeadLettered)
    buried = {letter.body for letter in dead if letter.at_ms <= one.at_ms}
    for at, queued in parsed.queued:
        if at >= flagged_at:
            break
        if queued.body in buried:
            continue
        record = read_record(queued.body)
        event, stamp = record.event, record.stamped_ms
        # What the queue had already is not in it for a second time.
        is_in = queued.status not in {"refused", "repeated"}
        if queued.group != group or event is None or stamp is None or not is_in:
            continue
        is_move = event.kind in {MOVE, SOCKET_MOVE} and event.is_genuine
        is_move = is_move and is_for_all(parsed, event) and _names_one_game(event)
        is_his = event.pubkey == before.side(before.turn).player
        was_made = (before.since_ms or 0) <= stamp <= up_ms(parsed, one, stamp)
        is_timely = _answers(parsed, event, before) and not _is_ahead(event, stamp)
        if not (is_move and is_his and was_made and is_timely):
            continue
        if same_move(board, *[event.content.lower()] * 2):
            known = (*before.applied, *before.white.answered, *before.black.answered)
            if event.id[:16] not in known and not _was_refused(parsed, event.id, one.at):
                return event.id
    return None


def _answers(parsed: ParsedHistory, event: Event, game: Stored) -> bool:
    """Whether it answers the present position: it names no state, or one of this position."""
    named = {value[0] for value in event.all("e") if value}
    shown = [parsed.shown.get(state) for state in named]
    if len(shown) > 1 or None in shown:
        return False
    state_versions = {
        str(one.after.state_version)
        for one in parsed.games[game.id]
        if one.after.moves == game.moves and one.after.version <= game.version
    }
    return all(
        one and one.game_id == game.id and one.state_version in state_versions for one in shown
    )


def _is_ahead(event: Event, stamp_ms: int) -> bool:
    return event.created_at * 1000 > stamp_ms + FUTURE_MS


def _names_one_game(event: Event) -> bool:
    """Whether it is clear which game is meant: on a socket none is named."""
    return event.kind == SOCKET_MOVE or sum(map(bool, event.all("d"))) == 1


def _was_refused(parsed: ParsedHistory, id_: str, before: int) -> bool:
    return any(one.at < before for one in parsed.refusals.get(id_, ()))


def _flagging(parsed: ParsedHistory, one: Version) -> Delivered | None:
    """The record that this write came from: of its worker's last batch the first about this game
    that was received when time was up, in the group of the side to move if one is.
    """
    came = [
        record
        for at, record in parsed.delivered
        if at < one.at and record.worker == one.who and one.after.id in record.body
    ]
    batch = [record for record in came if record.batch == came[-1].batch]
    late = [record for record in batch if _came_late(parsed, one, record)]
    theirs = (record for record in late if one.before and _is_in_line(record, one.before))
    return next(theirs, late[0] if late else batch[-1] if batch else None)


def _is_in_line(record: Delivered, game: Stored) -> bool:
    read, player = read_record(record.body), game.side(game.turn).player
    return read.player == player or (read.event is not None and read.event.pubkey == player)


def _came_late(parsed: ParsedHistory, one: Version, record: Delivered) -> bool:
    stamp_ms = read_record(record.body).stamped_ms
    return stamp_ms is None or stamp_ms > up_ms(parsed, one, stamp_ms)
