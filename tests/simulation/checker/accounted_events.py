"""Every event is accounted for, from the relay over the listener to the answer.

Received = accepted + refused with a reason + known already + dropped for a reason that is true.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from tests.simulation.checker.parsed_history import GATEWAY, ParsedHistory
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import (
    CANARY,
    MOVE,
    PLAYERS_KINDS,
    SOCKET_KINDS,
    TOO_MANY,
    Event,
    Record,
    event_in_frame,
    read_event,
    read_record,
)
from tests.simulation.history import (
    STOPPED,
    Answered,
    Brought,
    DeadLettered,
    Fired,
    Heard,
    PassedOver,
    of_kind,
)

TIMERS = "clock"
"""They have an invariant of their own."""

FAILED = "failed"

NOT_FOR_US = "not-for-us"

DROPPED = frozenset(
    {"unreadable", "unknown-kind", "our-own", "not-by-socket", NOT_FOR_US, "expired"}
)
MALFORMED = "malformed-"
"""What the arbiter may say of a record that it drops; the last is followed by the flaw."""

PASSED_ON_MS = 120_000
"""A listener that lives so long after has brought what it heard into the queue."""

BURST = 60
"""So many events of one author are never too many."""

QUESTIONS = 20
"""So many questions about one game are never too many."""

STRANGERS = "too-many-strangers"
WORDS = 10
"""So many words in games, of all authors together, are never too many of strangers."""


def drops_are_true(parsed: ParsedHistory) -> Iterator[Violation]:
    passed: dict[str, set[str]] = defaultdict(set)
    counts: Counter[tuple[str, str]] = Counter()
    records = (read_record(one.body) for _, one in parsed.queued)
    told = {record.event.id for record in records if record.event and record.is_too_many}
    for _, heard, event in parsed.heard:
        if event is None:
            if heard.dropped is None:
                yield _violation("", f"{heard.by} passed on what is no event")
            continue
        counts.update(_counted(heard, event))
        if heard.dropped is None:
            if sentence := _unfit(parsed, event):
                yield _violation(event.id, f"{heard.by} passed on an event: {sentence}")
            passed[heard.by].add(event.id)
            continue
        if heard.by.startswith(GATEWAY):
            continue  # it has its own words for what it drops, and says them on the socket
        is_known = event.id in passed[heard.by]
        is_many = _is_many(parsed, heard, event, counts)
        if not _is_true(parsed, event, heard.dropped, is_known=is_known, is_many=is_many):
            yield _violation(event.id, f"{heard.by} dropped it as {heard.dropped}, and it is not")
        if heard.dropped.startswith(TOO_MANY) and event.id in told:
            passed[heard.by].add(event.id)


def _counted(heard: Heard, event: Event) -> Iterator[tuple[str, str]]:
    """The listener with what it counts this event among: an author's, questions about a game,
    words in games.
    """
    yield heard.by, event.pubkey
    if event.kind == MOVE:
        yield heard.by, "words"
        if event.content == "state":
            yield heard.by, f"about {event.value('d') or ''}"


def _is_many(
    parsed: ParsedHistory, heard: Heard, event: Event, counts: Counter[tuple[str, str]]
) -> bool:
    match heard.dropped:
        case "too-many-questions":
            return counts[heard.by, f"about {event.value('d') or ''}"] > QUESTIONS
        case "too-many-strangers":
            return counts[heard.by, "words"] > WORDS and not _plays(parsed, event)
        case _:
            return counts[heard.by, event.pubkey] > BURST


def _unfit(parsed: ParsedHistory, event: Event) -> str | None:
    if not event.is_genuine:
        return "it is forged"
    if event.pubkey in parsed.history.servers:
        return "it is the arbiter's own"
    if event.kind not in PLAYERS_KINDS:
        return f"kind {event.kind} is none of the players'"
    return None if _is_for(parsed, event) else "its p tags name another"


def _is_for(parsed: ParsedHistory, event: Event) -> bool:
    """Whether a p tag names the arbiter; on a socket none need do so."""
    named = event.all("p")
    if event.kind in SOCKET_KINDS and not named:
        return True
    return any(value[:1] == (server,) for server in parsed.history.servers for value in named)


def is_for_all(parsed: ParsedHistory, event: Event) -> bool:
    """Whether it is for the arbiter whichever key they had: the key may have been exchanged."""
    if event.kind in SOCKET_KINDS and not event.all("p"):
        return True
    return {value[0] for value in event.all("p") if value} >= set(parsed.history.servers)


def _is_true(
    parsed: ParsedHistory, event: Event, word: str, *, is_known: bool, is_many: bool
) -> bool:
    servers = parsed.history.servers
    match word:
        case "forged":
            return not event.is_genuine
        case "own":
            return event.pubkey in servers
        case "not-listened-kind":
            return event.kind not in PLAYERS_KINDS or event.kind in SOCKET_KINDS
        case "not-for-us":
            return not is_for_all(parsed, event)
        case "repeated":
            return is_known
        case "too-many" | "too-many-questions" | "too-many-strangers":
            return is_many
        case "queue-full" | "not-asked-for":
            return True
        case _:
            return False


def _plays(parsed: ParsedHistory, event: Event) -> bool:
    """Whether its author plays the one game that it names."""
    named = [value[0] for value in event.all("d") if value]
    versions = parsed.games.get(named[0], ()) if len(named) == 1 else ()
    return bool(versions) and versions[0].after.color_of(event.pubkey) is not None


def what_was_passed_on_was_queued(parsed: ParsedHistory) -> Iterator[Violation]:
    """No listener keeps an event to itself, unless it died with it."""
    queued: dict[str, int] = {}
    for at, one in parsed.queued:
        if (event := read_record(one.body).event) and one.status != "refused":
            queued[event.id] = at
    struck: dict[str, list[tuple[int, Fired]]] = defaultdict(list)
    for at, happening in enumerate(parsed.history.happenings):
        if isinstance(happening, Fired):
            struck[happening.where].append((at, happening))
    held = {
        (one.by, event.id) for _, one, event in parsed.heard if event and one.dropped == STRANGERS
    }
    for at, heard, event in parsed.heard:
        if heard.dropped is not None or event is None or event.id in queued:
            continue
        if (heard.by, event.id) in held:
            continue  # until it was known that its author is a stranger
        later = (one for then, one in struck[heard.by] if then > at)
        if not any(_excuses(one, heard) for one in later) and parsed.history.is_quiet:
            yield _violation(event.id, f"{heard.by} passed it on, and no queue ever had it")


def _excuses(struck: Fired, heard: Heard) -> bool:
    """Whether what was heard may have been lost by this: a listener that lives on keeps trying."""
    if heard.by.startswith(GATEWAY):
        return True
    is_death = struck.kind.startswith((STOPPED, "crash"))
    return is_death and struck.at_ms - heard.at_ms < PASSED_ON_MS


def what_was_queued_was_answered(parsed: ParsedHistory) -> Iterator[Violation]:
    if not parsed.history.is_quiet:
        return
    statuses = _statuses(parsed)
    bodies = {(one.queue, one.body): one.record for _, one in parsed.delivered}
    dead = {one.record: one for one in of_kind(parsed.history.happenings, DeadLettered)}
    for _, one in parsed.queued:
        if one.status not in {"taken", "unknown"}:
            continue
        record = bodies.get((one.queue, one.body))
        id_ = _event_id(one.body)
        if record is None:
            yield _violation(id_, f"a record of {one.queue} was never delivered")
        elif one.queue == TIMERS:
            continue
        elif record in dead:
            if not parsed.faults:
                yield _violation(id_, "a record was given up, and no fault was fired")
        elif all(status == FAILED for status in statuses.get(record, [FAILED])):
            yield _violation(id_, f"a record of {one.queue} came to no answer, and to no grave")


def _event_id(body: str) -> str:
    event = read_record(body).event
    return event.id if event else body[:64]


def _statuses(parsed: ParsedHistory) -> dict[str, list[str]]:
    statuses: dict[str, list[str]] = defaultdict(list)
    for _, one in parsed.answered:
        statuses[one.record].append(one.status)
    return statuses


def answers_are_true(parsed: ParsedHistory) -> Iterator[Violation]:
    bodies = {one.record: one.body for _, one in parsed.delivered}
    for _, answered in parsed.answered:
        record = read_record(bodies.get(answered.record, ""))
        if record.event is None or answered.status == FAILED:
            continue
        due, status = _due(parsed, record.event, record), answered.status
        if status.startswith(MALFORMED):
            status = MALFORMED
        if status == NOT_FOR_US and not is_for_all(parsed, record.event):
            continue
        if status != due and (due is not None or status in {*DROPPED, MALFORMED}):
            sentence = f"it came to {answered.status}, due is {due or 'an answer'}"
            yield _violation(record.event.id, sentence)


def _due(parsed: ParsedHistory, event: Event, record: Record) -> str | None:
    """How this event must be dropped, or None if it must be answered."""
    servers, is_on_socket = parsed.history.servers, event.kind in SOCKET_KINDS
    if not event.is_genuine:
        return MALFORMED
    if event.kind not in PLAYERS_KINDS:
        return "unknown-kind"
    if event.pubkey in servers:
        return "our-own"
    if is_on_socket and record.via is None:
        return "not-by-socket"
    if not _is_for(parsed, event):
        return NOT_FOR_US
    expires = event.value("expiration") or ""
    is_date = expires.isascii() and expires.isdigit()
    if is_date and int(expires) * 1000 < (record.stamped_ms or 0):
        return "expired"
    return None


def _violation(id_: str, sentence: str) -> Violation:
    return Violation(Invariant.ACCOUNTED, (id_,), sentence)


def failures_have_a_cause(parsed: ParsedHistory) -> Iterator[Violation]:
    """Without a fault nothing fails: whatever players send is answered or dropped."""
    if parsed.faults:
        return
    for one in of_kind(parsed.history.happenings, Answered):
        if one.status == FAILED:
            yield _violation(one.record, "a record failed, and no fault was fired")


REACH_MS = 300_000
"""A REQ asks for what was signed so long before: relays keep ephemeral events for five minutes."""

HASTE_MS = 5000
"""How far the date of an event and the time of a REQ may be off."""

LOST_WITH_IT_MS = 120_000
"""A listener that ends so soon after a REQ need not have heard what the REQ was for."""


def what_was_brought_was_looked_at(parsed: ParsedHistory) -> Iterator[Violation]:
    unlooked: dict[tuple[str, str], Event] = {}
    for one in parsed.history.happenings:
        match one:
            case Brought(by=by, way=way, frame=frame):
                if before := unlooked.pop((by, way), None):
                    sentence = f"{by} read it from {way}, and neither passed it on nor dropped it"
                    yield Violation(Invariant.ACCOUNTED, (before.id,), sentence)
                event = event_in_frame(frame)
                if event is not None and event.is_genuine and event.kind != CANARY:
                    unlooked[by, way] = event
            case Heard(by=by, way=way, event=text):
                event, waiting = read_event(text), unlooked.get((by, way))
                if event is not None and waiting is not None and event.id == waiting.id:
                    del unlooked[by, way]
            case _:
                pass


def what_a_relay_has_is_asked_for(parsed: ParsedHistory) -> Iterator[Violation]:
    """Each REQ of a listener, the first and those made anew, reaches back to what it may have
    missed: only what it had from elsewhere may be left out.
    """
    heard: dict[str, set[str]] = defaultdict(set)
    for _, one, event in parsed.heard:
        if event is not None:
            heard[one.by].add(event.id)
    ended = {
        one.where: one.at_ms
        for one in of_kind(parsed.history.happenings, Fired)
        if one.kind == STOPPED
    }
    told: set[tuple[str, str]] = set()
    for asked in of_kind(parsed.history.happenings, PassedOver):
        if ended.get(asked.by, asked.at_ms + LOST_WITH_IT_MS) < asked.at_ms + LOST_WITH_IT_MS:
            continue
        since_ms = asked.at_ms - REACH_MS + parsed.history.skew_ms + HASTE_MS
        for event in map(read_event, asked.events):
            if event is None or not _is_wanted(parsed, event, since_ms):
                continue
            if event.id in heard[asked.by] or (asked.by, event.id) in told:
                continue
            told.add((asked.by, event.id))
            sentence = f"{asked.way} has it, and {asked.by} never heard it and asked for later ones"
            yield Violation(Invariant.ACCOUNTED, (event.id,), sentence)


def _is_wanted(parsed: ParsedHistory, event: Event, since_ms: int) -> bool:
    is_players = event.kind in PLAYERS_KINDS - SOCKET_KINDS
    is_recent = event.created_at * 1000 >= since_ms
    return is_players and is_recent and event.is_genuine and is_for_all(parsed, event)
