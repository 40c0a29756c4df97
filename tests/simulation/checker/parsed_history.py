"""A history, parsed and put in order, for the invariants to look at.

``at`` is a place in the order of happenings, since much may happen in one millisecond.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from tests.simulation.checker.items import Stored, event_keys_in, read_game
from tests.simulation.checker.wire import (
    ERROR,
    MOVE,
    REQUEST,
    STATE,
    Event,
    event_in_frame,
    read_event,
    read_frame,
    read_record,
)
from tests.simulation.history import (
    STOPPED,
    Answered,
    DeadLettered,
    Delivered,
    Fired,
    Heard,
    History,
    Item,
    Posted,
    Published,
    Queued,
    Sent,
    Signed,
    T,
    Wrote,
    of_kind,
)

EVENT_KEY_DIGITS = 16

DEAD_FOR_GOOD_MS = 13 * 24 * 3_600_000
"""Dead letters are kept for two weeks from when they were sent, which was before they died."""

SEEMS_WELL = frozenset({"ok", "mute"})
"""What a relay tells of an event that need not be published again: that it took it, or (NIP-01,
``mute``) that it has no subscriber for an ephemeral one.
"""

GATEWAY = "gateway"
"""How those processes are called that are our own relay."""

LISTENER = "listener"
"""And those that listen to others', and publish nothing there but canaries."""


@dataclass(frozen=True, slots=True)
class Version:
    """One write of a game: ``before`` is what was stored at that moment. ``items`` are all that
    were written with it, by key.
    """

    at: int
    at_ms: int
    who: str
    before: Stored | None
    after: Stored
    items: Mapping[str, tuple[Item | None, Item | None]]

    @property
    def new_event_keys(self) -> tuple[str, ...]:
        return self.after.applied[len(self.before.applied) if self.before else 0 :]

    def newly_refused(self, color: str) -> tuple[str, ...]:
        known = self.before.side(color).answered if self.before else ()
        return tuple(one for one in self.after.side(color).answered if one not in known)


@dataclass(frozen=True, slots=True)
class PublishedEvent:
    """The arbiter said this event to a relay or on a socket; ``seemed_to_arrive`` is what it was
    told of that. A relay may lie.
    """

    at: int
    at_ms: int
    who: str
    way: str
    event: Event
    seemed_to_arrive: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """The arbiter said that an event is refused. ``reason`` is its machine word."""

    at: int
    reason: str


class Shown(NamedTuple):
    """A state that the arbiter said: its game's id, its version's number, and its date (unix)."""

    game_id: str
    state_version: str
    created_at: int


class ParsedHistory:
    """What the invariants ask of a history. Each index is made when it is first asked for."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.honest = {
            key: actor for actor in history.actors if actor.is_honest for key in actor.pubkeys
        }

    def _placed(self, kind: type[T]) -> Iterator[tuple[int, T]]:
        """What happened of this kind, each with its place."""
        happenings = enumerate(self.history.happenings)
        return ((at, one) for at, one in happenings if isinstance(one, kind))

    @cached_property
    def signed(self) -> dict[str, tuple[int, Event]]:
        """All that players' keys have signed, by id: nothing else is genuine."""
        found: dict[str, tuple[int, Event]] = {}
        for at, one in self._placed(Signed):
            if event := read_event(one.event):
                found.setdefault(event.id, (at, event))
        return found

    @cached_property
    def sent_by_author(self) -> set[str]:
        names = {key: actor.name for actor in self.history.actors for key in actor.pubkeys}
        sent = (one for one in of_kind(self.history.happenings, Sent) if one.is_event)
        events = ((one.who, read_event(one.text)) for one in sent)
        return {event.id for who, event in events if event and names.get(event.pubkey) == who}

    @cached_property
    def by_event_key(self) -> dict[str, tuple[int, Event]]:
        return {id_[:EVENT_KEY_DIGITS]: found for id_, found in self.signed.items()}

    @cached_property
    def writes(self) -> tuple[tuple[int, Wrote], ...]:
        return tuple(self._placed(Wrote))

    @cached_property
    def uptimes(self) -> tuple[tuple[int, int, Item], ...]:
        """Each write of when a relay was last heard: its place, its time and the item."""
        return tuple(
            (at, wrote.at_ms, after)
            for at, wrote in self.writes
            for key, _, after in wrote.items
            if key == "heard" and after is not None
        )

    @cached_property
    def games(self) -> dict[str, tuple[Version, ...]]:
        found: dict[str, list[Version]] = defaultdict(list)
        for at, wrote in self.writes:
            items = {key: (before, after) for key, before, after in wrote.items}
            for key, (before, after) in items.items():
                if key.startswith("g#") and after is not None:
                    was = read_game(before) if before is not None else None
                    one = Version(at, wrote.at_ms, wrote.who, was, read_game(after), items)
                    found[key.removeprefix("g#")].append(one)
        return {game_id: tuple(versions) for game_id, versions in found.items()}

    @cached_property
    def stored_at(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for at, wrote in self.writes:
            for key, _, after in wrote.items:
                if after is not None and key[:2] in {"g#", "p#"}:
                    for event_key in event_keys_in(after):
                        found.setdefault(event_key, at)
        return found

    @cached_property
    def changes(self) -> tuple[Version, ...]:
        return tuple(one for versions in self.games.values() for one in versions)

    @cached_property
    def published_events(self) -> tuple[PublishedEvent, ...]:
        return tuple(one for one in self._sayings() if not one.who.startswith(LISTENER))

    @cached_property
    def canaries(self) -> tuple[PublishedEvent, ...]:
        return tuple(one for one in self._sayings() if one.who.startswith(LISTENER))

    def _sayings(self) -> Iterator[PublishedEvent]:
        for at, one in enumerate(self.history.happenings):
            if isinstance(one, Published):
                event, arrived = read_event(one.event), one.taken or one.told in SEEMS_WELL
            elif isinstance(one, Posted):
                event, arrived = event_in_frame(one.frame), one.arrived
            else:
                continue
            if event is not None and event.id not in self.signed:
                yield PublishedEvent(at, one.at_ms, one.who, one.way, event, arrived)

    @cached_property
    def shown(self) -> dict[str, Shown]:
        states = (
            published.event for published in self.published_events if published.event.kind == STATE
        )
        return {
            it.id: Shown(it.value("d") or "", it.value("version") or "", it.created_at)
            for it in states
            if it.pubkey == self.history.servers[-1]
        }

    @cached_property
    def refusals(self) -> dict[str, tuple[Refusal, ...]]:
        found: dict[str, list[Refusal]] = defaultdict(list)
        for published in self.published_events:
            if published.event.kind == ERROR and (about := published.event.value("e")):
                found[about].append(
                    Refusal(published.at, published.event.content.partition(":")[0])
                )
        for at, who, id_, accepted, text in self.verdicts:
            # Our own relay may refuse to carry what the arbiter was never asked about.
            if not accepted and not who.startswith(GATEWAY):
                found[id_].append(Refusal(at, text.partition(":")[0]))
        return {id_: tuple(refusals) for id_, refusals in found.items()}

    @cached_property
    def verdicts(self) -> tuple[tuple[int, str, str, bool, str], ...]:
        """Every ``OK`` on a socket: when, by whom, about which event, whether it accepts, and its
        words.
        """
        found: list[tuple[int, str, str, bool, str]] = []
        for at, one in self._placed(Posted):
            match read_frame(one.frame):
                case ("OK", str(id_), bool(accepted), str(text)):
                    found.append((at, one.who, id_, accepted, text))
                case _:
                    pass
        return tuple(found)

    @cached_property
    def heard(self) -> tuple[tuple[int, Heard, Event | None], ...]:
        return tuple((at, one, read_event(one.event)) for at, one in self._placed(Heard))

    @cached_property
    def queued(self) -> tuple[tuple[int, Queued], ...]:
        return tuple(self._placed(Queued))

    @cached_property
    def delivered(self) -> tuple[tuple[int, Delivered], ...]:
        return tuple(self._placed(Delivered))

    @cached_property
    def given(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, one in self.delivered:
            if event := read_record(one.body).event:
                found[event.id].append(at)
        return found

    @cached_property
    def asked(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """When workers were given what may be a question (its place, unix ms): a request, by its
        author; a word that its game never applied, by the game.
        """
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, one in self.delivered:
            event = read_record(one.body).event
            if event is None or event.kind not in {REQUEST, MOVE}:
                continue
            about = event.pubkey if event.kind == REQUEST else event.value("d") or ""
            versions = self.games.get(about, ())
            if not versions or event.id[:EVENT_KEY_DIGITS] not in versions[-1].after.applied:
                found[about].append((at, one.at_ms))
        return {about: tuple(when) for about, when in found.items()}

    @cached_property
    def answered(self) -> tuple[tuple[int, Answered], ...]:
        return tuple(self._placed(Answered))

    def answered_at(self, record: Delivered) -> float:
        """When this was answered; never, if its worker died."""
        return self._answered_at.get((record.worker, record.batch, record.record), inf)

    @cached_property
    def _answered_at(self) -> dict[tuple[str, int, str], int]:
        return {(one.worker, one.batch, one.record): at for at, one in self.answered}

    @cached_property
    def lost_among_the_dead(self) -> tuple[str, ...]:
        dead = of_kind(self.history.happenings, DeadLettered)
        died_before_ms = self.history.ended_at_ms - DEAD_FOR_GOOD_MS
        return tuple(one.body for one in dead if one.at_ms < died_before_ms)

    @cached_property
    def faults(self) -> tuple[Fired, ...]:
        fired = of_kind(self.history.happenings, Fired)
        return tuple(one for one in fired if one.kind != STOPPED)

    @cached_property
    def stamps(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for _, one in self.delivered:
            record = read_record(one.body)
            if record.event is not None and record.stamped_ms is not None:
                found[record.event.id].add(record.stamped_ms)
        return found
