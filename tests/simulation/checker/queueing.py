"""The queues: what must be decided in order waits in one group, once, with the time it came."""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.checker.accounted_events import FAILED
from tests.simulation.checker.parsed_history import EVENT_KEY_DIGITS, GATEWAY, ParsedHistory
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import MOVE, REQUEST, TOO_MANY, read_record
from tests.simulation.history import Answered, DeadLettered, Delivered, Fired, of_kind

REMEMBERED_MS = 5 * 60_000
"""For so long a queue knows an entry again (SQS FIFO)."""

THE_CLOUD = "the cloud"
"""Who puts records in again: from the dead letters, or because it forgot that it had them."""

NOT_DELETED = "F22"
"""The fault after which a record comes again though it was answered: the queue's poller died."""

TWO_HAVE_IT = "F29"
"""The fault after which a worker's receipt for a record of that queue may be void."""

HASTE_MS = 1000
"""Between the true time and a stamp by a clock that is right."""


def a_player_has_a_group_of_their_own(parsed: ParsedHistory) -> Iterator[Violation]:
    """All that a player says in a game waits in one group, with the nudges that are to wait behind
    it, and with nothing that anybody else can send.
    """
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    owners: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for _, one in parsed.queued:
        record = read_record(one.body)
        owner = None
        if one.queue == "clock":
            continue
        if record.nudges:
            owner = (record.nudges, record.player or "")
        elif record.event is not None and record.event.kind == MOVE:
            named = {value[0] for value in record.event.all("d") if value}
            owner = (named.pop(), record.event.pubkey) if len(named) == 1 else None
        if owner is not None:
            groups[owner].add(one.group)
            owners[one.group].add(owner)
    for (game_id, player), found in groups.items():
        if len(found) > 1 and game_id in parsed.games:
            sentence = f"what {player[:8] or 'the clock'} says waited in {len(found)} groups"
            yield Violation(Invariant.ORDERED, (game_id,), sentence)
    for group, theirs in owners.items():
        if len(theirs) > 1 and any(game_id in parsed.games for game_id, _ in theirs):
            sentence = f"{len(theirs)} groups are one: {group[:8]}"
            yield Violation(Invariant.ORDERED, tuple(sorted({it[0] for it in theirs})), sentence)


def nothing_overtakes_a_failure(parsed: ParsedHistory) -> Iterator[Violation]:
    """In a batch, what comes after a failed record of its own group is not answered, if the failed
    one has yet to change something. One that was committed and not told may be told later.
    """
    deliveries = {(one.batch, one.record): one for _, one in parsed.delivered}
    failed: dict[tuple[int, str], Delivered] = {}
    for at, one in parsed.answered:
        delivery = deliveries.get((one.batch, one.record))
        if delivery is None:
            continue
        key = (one.batch, delivery.group)
        if one.status == FAILED:
            failed.setdefault(key, delivery)
        elif (before := failed.get(key)) is not None and _changed_later(parsed, before, at):
            sentence = f"a record was answered before {before.record} of its group, which failed"
            yield Violation(Invariant.ORDERED, (one.record,), sentence)


def _changed_later(parsed: ParsedHistory, record: Delivered, at: int) -> bool:
    event = read_record(record.body).event
    return event is not None and parsed.stored_at.get(event.id[:EVENT_KEY_DIGITS], 0) > at


def what_is_answered_is_done_with(parsed: ParsedHistory) -> Iterator[Violation]:
    """A record that was answered comes again only if it was not deleted.

    Who got it last can delete it, and no other (SQS): if that one dies, what another said of it
    counts for nothing.
    """
    delivered: dict[str, tuple[int, Delivered]] = {}
    answered: set[str] = set()
    kept_at: dict[str, int] = {}
    for at, one in enumerate(parsed.history.happenings):
        match one:
            case Fired(kind=kind, where=where) if kind in {NOT_DELETED, TWO_HAVE_IT}:
                kept_at["" if kind == NOT_DELETED else where] = at
            case Delivered(record=record, queue=queue):
                kept = max(kept_at.get("", -1), kept_at.get(queue, -1))
                if record in answered and kept < delivered[record][0]:
                    sentence = f"a record of {queue} was answered, and came again"
                    yield Violation(Invariant.ORDERED, (record,), sentence)
                delivered[record] = (at, one)
                answered.discard(record)
            case Answered(record=record, batch=batch, status=status) if status != FAILED:
                if record in delivered and delivered[record][1].batch == batch:
                    answered.add(record)
            case _:
                pass


def an_event_waits_once(parsed: ParsedHistory) -> Iterator[Violation]:
    buried = {one.body for one in of_kind(parsed.history.happenings, DeadLettered)}
    taken: dict[tuple[str, str], int] = {}
    for _, one in parsed.queued:
        record = read_record(one.body)
        is_again = one.by == THE_CLOUD or one.body in buried
        if record.event is None or record.via or one.status != "taken" or is_again:
            continue
        key = (one.queue, record.event.id)
        if key in taken and one.at_ms - taken[key] < REMEMBERED_MS:
            sentence = f"{one.queue} took it twice within {(one.at_ms - taken[key]) // 1000} s"
            yield Violation(Invariant.ORDERED, (record.event.id,), sentence)
        taken[key] = one.at_ms


def stamps_are_true(parsed: ParsedHistory) -> Iterator[Violation]:
    skew_ms = parsed.history.skew_ms + HASTE_MS
    stamped: dict[str, set[int]] = defaultdict(set)
    for _, heard, event in parsed.heard:
        if event is None or not (heard.dropped or TOO_MANY).startswith(TOO_MANY):
            continue
        stamped[event.id].add(heard.stamped_ms)
        # The gateway is told when its frame was received, however cold the function is that begins.
        most_ms = 0 if heard.by.startswith(GATEWAY) else skew_ms
        if abs(heard.stamped_ms - heard.at_ms) > most_ms:
            off = heard.stamped_ms - heard.at_ms
            sentence = f"{heard.by} stamped it {off} ms from when it came"
            yield Violation(Invariant.CLOCKS, (event.id,), sentence)
    for _, one in parsed.queued:
        record = read_record(one.body)
        if record.event is None or record.event.id not in stamped:
            continue
        if record.stamped_ms not in stamped[record.event.id]:
            sentence = f"it waits in {one.queue} with a time at which it was not received"
            yield Violation(Invariant.CLOCKS, (record.event.id,), sentence)


def ok_means_queued(parsed: ParsedHistory) -> Iterator[Violation]:
    queued: dict[str, int] = {}
    for at, one in parsed.queued:
        event = read_record(one.body).event
        if event is not None and one.status != "refused":
            queued.setdefault(event.id, at)
    for at, _, id_, accepted, _ in parsed.verdicts:
        found = parsed.signed.get(id_)
        is_asked = accepted and found is not None and found[1].kind in {REQUEST, MOVE}
        if is_asked and queued.get(id_, at) >= at:
            yield Violation(Invariant.ACCOUNTED, (id_,), "OK was said of what no queue had")
