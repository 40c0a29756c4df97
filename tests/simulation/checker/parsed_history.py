"""A history, parsed and put in order, for the invariants to look at.

``at`` is a place in the order of happenings, since much may happen in one millisecond.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tests.simulation.checker.items import Stored, read_game
from tests.simulation.checker.wire import (
    ERROR,
    LOOPBACK,
    Event,
    event_in_frame,
    read_event,
    read_frame,
)
from tests.simulation.history import (
    Arrived,
    Ended,
    Fired,
    History,
    Item,
    Posted,
    Published,
    Signed,
    Started,
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


class ParsedHistory:
    """What the invariants ask of a history. Each index is made when it is first asked for."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.honest = {
            key: actor for actor in history.actors if actor.is_honest for key in actor.pubkeys
        }

    def _placed(self, kind: type[T]) -> Iterator[tuple[int, T]]:
        """The records of this kind, each with its place."""
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
    def policies(self) -> tuple[tuple[int, str], ...]:
        """Each policy that was written, as JSON, with its place."""
        return tuple(
            (at, after["doc"]["S"])
            for at, wrote in self.writes
            for key, _, after in wrote.items
            if key == "policy" and after is not None
        )

    @cached_property
    def games(self) -> dict[str, tuple[Version, ...]]:
        found: dict[str, list[Version]] = defaultdict(list)
        latest: dict[str, tuple[Item, Stored]] = {}
        for at, wrote in self.writes:
            items = {key: (before, after) for key, before, after in wrote.items}
            for key, (before, after) in items.items():
                if key.startswith("g#") and after is not None:
                    versions = found[key.removeprefix("g#")]
                    known, was = latest.get(key, (None, None))
                    if before != known:
                        was = read_game(before) if before is not None else None
                    latest[key] = after, read_game(after)
                    one = Version(at, wrote.at_ms, wrote.who, was, latest[key][1], items)
                    versions.append(one)
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
    def refused_at(self) -> dict[str, int]:
        """Where each event was first said to be refused."""
        found: dict[str, int] = {}
        for published in self.published_events:
            if published.event.kind == ERROR and (about := published.event.value("e")):
                found.setdefault(about, published.at)
        return found

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
    def faults(self) -> tuple[Fired, ...]:
        return of_kind(self.history.happenings, Fired)

    @cached_property
    def starts(self) -> tuple[Started, ...]:
        return of_kind(self.history.happenings, Started)

    @cached_property
    def ends(self) -> tuple[Ended, ...]:
        return of_kind(self.history.happenings, Ended)

    @cached_property
    def arrivals(self) -> dict[str, list[int]]:
        """When events reached the arbiter."""
        found: dict[str, list[int]] = defaultdict(list)
        for one in of_kind(self.history.happenings, Arrived):
            found[one.event_id].append(one.at_ms)
        return found
