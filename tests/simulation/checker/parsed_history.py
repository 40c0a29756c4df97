"""A history, parsed and put in order, for the invariants to look at.

``at`` is a place in the order of happenings, since much may happen in one millisecond.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tests.simulation.checker.items import Stored, read_game
from tests.simulation.checker.wire import (
    ERROR,
    LOOPBACK,
    MOVE,
    REQUEST,
    SOCKET_KINDS,
    STATE,
    Event,
    event_in_frame,
    read_event,
    read_frame,
    read_record,
)
from tests.simulation.history import (
    Arrived,
    Fired,
    History,
    Item,
    Posted,
    Published,
    Signed,
    T,
    Taken,
    Wrote,
    of_kind,
)

EVENT_KEY_DIGITS = 16

SEEMS_WELL = frozenset({"ok", "mute"})
"""What a relay tells of an event that need not be published again: that it took it, or (NIP-01,
``mute``) that it has no subscriber for an ephemeral one.
"""

GATEWAY = "gateway"
"""Who speaks on sockets."""


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
    def changes(self) -> tuple[Version, ...]:
        return tuple(one for versions in self.games.values() for one in versions)

    @cached_property
    def published_events(self) -> tuple[PublishedEvent, ...]:
        return tuple(self._sayings())

    def _sayings(self) -> Iterator[PublishedEvent]:
        for at, one in enumerate(self.history.happenings):
            if isinstance(one, Published):
                event, arrived = read_event(one.event), one.taken or one.told in SEEMS_WELL
                who = one.who
            elif isinstance(one, Posted):
                event, arrived, who = event_in_frame(one.frame), True, GATEWAY
            else:
                continue
            is_ours = event is not None and event.kind != LOOPBACK and event.id not in self.signed
            if event is not None and is_ours:
                yield PublishedEvent(at, one.at_ms, who, one.way, event, arrived)

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
        for at, id_, accepted, text in self.verdicts:
            # Our own relay may refuse to carry what the arbiter was never asked about.
            if not accepted and id_ in self.signed and self.signed[id_][1].kind in SOCKET_KINDS:
                found[id_].append(Refusal(at, text.partition(":")[0]))
        return {id_: tuple(refusals) for id_, refusals in found.items()}

    @cached_property
    def verdicts(self) -> tuple[tuple[int, str, bool, str], ...]:
        """Every ``OK`` on a socket: when, about which event, whether it accepts, and its words."""
        found: list[tuple[int, str, bool, str]] = []
        for at, one in self._placed(Posted):
            match read_frame(one.frame):
                case ("OK", str(id_), bool(accepted), str(text)):
                    found.append((at, id_, accepted, text))
                case _:
                    pass
        return tuple(found)

    @cached_property
    def taken(self) -> tuple[tuple[int, Taken], ...]:
        return tuple(self._placed(Taken))

    @cached_property
    def words_of(self) -> dict[str, list[tuple[int, int, str, str]]]:
        """What the arbiter took of each player: its place, unix ms, the event's id, the game's."""
        found: dict[str, list[tuple[int, int, str, str]]] = defaultdict(list)
        for at, one in self.taken:
            if event := read_record(one.body).event:
                about = event.value("d") or ""
                found[event.pubkey].append((at, one.at_ms, event.id, about))
        return found

    @cached_property
    def asked(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """When the arbiter took what may be a question (its place, unix ms): a request, by its
        author; a word that its game never applied, by the game.
        """
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, one in self.taken:
            event = read_record(one.body).event
            if event is None or event.kind not in {REQUEST, MOVE}:
                continue
            about = event.pubkey if event.kind == REQUEST else event.value("d") or ""
            versions = self.games.get(about, ())
            if not versions or event.id[:EVENT_KEY_DIGITS] not in versions[-1].after.applied:
                found[about].append((at, one.at_ms))
        return {about: tuple(when) for about, when in found.items()}

    @cached_property
    def faults(self) -> tuple[Fired, ...]:
        return of_kind(self.history.happenings, Fired)

    @cached_property
    def stamps(self) -> dict[str, set[int]]:
        """When events were received, as the arbiter stamped its records."""
        found: dict[str, set[int]] = defaultdict(set)
        for _, one in self.taken:
            record = read_record(one.body)
            if record.event is not None and record.stamped_ms is not None:
                found[record.event.id].add(record.stamped_ms)
        return found

    @cached_property
    def arrivals(self) -> dict[str, list[int]]:
        """When events reached the arbiter."""
        found: dict[str, list[int]] = defaultdict(list)
        for one in of_kind(self.history.happenings, Arrived):
            found[one.event_id].append(one.at_ms)
        return found
