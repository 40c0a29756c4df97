"""Listeners: what a relay brings them, or has for them, is queued or dropped for a named reason.

`accounts` says what must become of an event that was looked at; here it is that each is looked at.
"""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.checker.accounts import is_for_all
from tests.simulation.checker.evidence import Evidence
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.checker.wire import (
    CANARY,
    PLAYERS_KINDS,
    SOCKET_KINDS,
    Event,
    event_in_frame,
    read_event,
)
from tests.simulation.history import STOPPED, Brought, Fired, Heard, PassedOver, of_kind

REACH_MS = 300_000
"""A REQ asks for what was signed so long before: relays keep ephemeral events for five minutes."""

HASTE_MS = 5000
"""How far the date of an event and the time of a REQ may be off."""

LOST_WITH_IT_MS = 120_000
"""A listener that ends so soon after a REQ need not have heard what the REQ was for."""


def what_was_brought_was_looked_at(evidence: Evidence) -> Iterator[Violation]:
    """A listener that reads on has passed the genuine event before on, or said why not."""
    unlooked: dict[tuple[str, str], Event] = {}
    for one in evidence.history.happenings:
        match one:
            case Brought(by=by, way=way, frame=frame):
                if before := unlooked.pop((by, way), None):
                    sentence = f"{by} read it from {way}, and neither passed it on nor dropped it"
                    yield Violation(Law.ACCOUNTED, (before.id,), sentence)
                event = event_in_frame(frame)
                if event is not None and event.is_genuine and event.kind != CANARY:
                    unlooked[by, way] = event
            case Heard(by=by, way=way, event=text):
                event, waiting = read_event(text), unlooked.get((by, way))
                if event is not None and waiting is not None and event.id == waiting.id:
                    del unlooked[by, way]
            case _:
                pass


def what_a_relay_has_is_asked_for(evidence: Evidence) -> Iterator[Violation]:
    """Each REQ of a listener, the first and those made anew, reaches back to what it may have
    missed: only what it had from elsewhere may be left out.
    """
    heard: dict[str, set[str]] = defaultdict(set)
    for _, one, event in evidence.heard:
        if event is not None:
            heard[one.by].add(event.id)
    ended = {
        one.where: one.at_ms
        for one in of_kind(evidence.history.happenings, Fired)
        if one.kind == STOPPED
    }
    told: set[tuple[str, str]] = set()
    for asked in of_kind(evidence.history.happenings, PassedOver):
        if ended.get(asked.by, asked.at_ms + LOST_WITH_IT_MS) < asked.at_ms + LOST_WITH_IT_MS:
            continue
        since_ms = asked.at_ms - REACH_MS + evidence.history.skew_ms + HASTE_MS
        for event in map(read_event, asked.events):
            if event is None or not _is_wanted(evidence, event, since_ms):
                continue
            if event.id in heard[asked.by] or (asked.by, event.id) in told:
                continue
            told.add((asked.by, event.id))
            sentence = f"{asked.way} has it, and {asked.by} never heard it and asked for later ones"
            yield Violation(Law.ACCOUNTED, (event.id,), sentence)


def _is_wanted(evidence: Evidence, event: Event, since_ms: int) -> bool:
    is_players = event.kind in PLAYERS_KINDS - SOCKET_KINDS
    is_recent = event.created_at * 1000 >= since_ms
    return is_players and is_recent and event.is_genuine and is_for_all(evidence, event)
