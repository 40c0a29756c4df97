"""One world: the arbiter's own code, the relays, the players, and what goes wrong.

Everything is drawn from one seeded chance in the order in which it happens, so the seed is the run.
"""

import random
import re
from pathlib import Path
from typing import Any

from arbiter.nostr.event import NostrEvent, ParseError, event_from_json, verify
from arbiter.nostr.keys import SecretKey
from server import timekeeper
from tests.simulation.client_connections import Gateway
from tests.simulation.disk import Disk
from tests.simulation.faults import Faults
from tests.simulation.history import Arrived, Failed, Fired, Happening, Taken
from tests.simulation.links import Link
from tests.simulation.relays import Relay
from tests.simulation.serving import Serving
from tests.simulation.settings import Settings
from tests.simulation.virtual_time import Scheduler

BEGINS_MS = 1_800_000_000_000

MOST_HAPPENINGS = 60_000
"""No run needs so many: something is said or done again and again."""

_EVENT_ID = re.compile(r'"id":\s?"([0-9a-f]{64})"')


class World:
    """All that there is in one run."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings = settings
        self._folder = folder
        self.chance = random.Random(settings.seed)
        self.scheduler = Scheduler()
        self.happenings: list[Happening] = []
        self.faults = Faults(self.chance, self._fired, settings.faults)
        self.server = SecretKey.generate(self.chance.randbytes(32))
        self.servers = (self.server.pubkey,)
        self.operator = (
            SecretKey.generate(self.chance.randbytes(32)) if settings.has_operator else None
        )
        self.relays = {name: Relay(self, name, habits) for name, habits in settings.relays}
        self.gateway = Gateway(self)
        self.disk = Disk(self)
        self.serving = Serving(self, folder)
        self.actors: list[Any] = []
        self.keeps_alive: list[Any] = []
        self.skew_ms = 0
        self.healed_at_ms: int | None = None
        self.is_quiet = False
        self.is_settling = False
        self.away_until = 0.0
        self.ends_at = settings.seconds
        self._parted: set[tuple[str, str]] = set()
        self._genuine: dict[tuple[str, str], NostrEvent | None] = {}
        self._heard: dict[tuple[str, str], str] = {}

    def now_ms(self) -> int:
        """The true time, in unix milliseconds."""
        return BEGINS_MS + int(self.scheduler.now * 1000)

    def read_clock(self) -> int:
        """The time by the clock of the present process."""
        return self.now_ms() + self.scheduler.process().skew_ms

    def soon(self, seconds: float, do: Any) -> None:
        self.scheduler.at(max(self.scheduler.now + seconds, self.away_until), do)

    def write(self, happening: Happening) -> None:
        self.happenings.append(happening)
        if len(self.happenings) == MOST_HAPPENINGS:
            self.scheduler.failed(RuntimeError(f"a storm of {MOST_HAPPENINGS} happenings"))

    def arrived(self, way: str, frame: str) -> None:
        """A frame reached the arbiter."""
        if frame.startswith('["EVENT"') and (found := _EVENT_ID.search(frame)):
            self.write(Arrived(at_ms=self.now_ms(), way=way, event_id=found[1]))

    def took(self, body: str) -> None:
        """The arbiter took a record."""
        self.write(Taken(at_ms=self.now_ms(), who=self.scheduler.process().name, body=body))

    def logged(self, line: str, failure: BaseException | None) -> None:
        """The arbiter logged a failure of its own."""
        name = type(failure).__name__ if failure else ""
        text = f"{line} {failure or ''}".replace(str(self._folder), "")
        self.write(Failed(at_ms=self.now_ms(), line=text, failure=name))

    def opened(self, connection: Any) -> None:
        self.serving.opened(connection)

    def dialled(self, url: str) -> Link | None:
        """A connection of the present process to a relay; None if it cannot be reached."""
        process = self.scheduler.process()
        link = self.relays[url.removeprefix("ws://").removesuffix(".example")].open(process.name)
        if link is not None:
            link.process = process
        return link

    def die_here(self) -> None:
        """End the present process by force, in its present thread."""
        self.scheduler.loop.call_soon(self.serving.kill)
        self.scheduler.park()

    def is_parted(self, who: str, relay: str) -> bool:
        return (who, relay) in self._parted

    def part(self, who: str, relay: str) -> None:
        self._parted.add((who, relay))
        self.relays[relay].part_from(who)

    def join(self, who: str, relay: str) -> None:
        """Let everything pass again; what was half-open stays so."""
        self._parted.discard((who, relay))

    def go_away(self, seconds: float) -> None:
        """Nobody plays for so long."""
        if self.faults.is_healed:
            return
        self.ends_at += seconds
        timekeeper.LOOK_SECONDS = 30.0
        self.away_until = self.scheduler.now + seconds
        for actor in self.actors:
            actor.go_away()
        self.scheduler.after(seconds, self._come_back)

    def _come_back(self) -> None:
        timekeeper.LOOK_SECONDS = 1.0
        if not self.is_settling:
            for actor in self.actors:
                actor.come_back()

    def heal(self) -> None:
        self.faults.is_healed = True
        self.healed_at_ms = self.now_ms()
        self._parted.clear()
        self.disk.is_full = self.disk.is_slow = False
        for relay in self.relays.values():
            relay.come_back()
            relay.is_shut = False
        self.away_until = 0.0
        self._come_back()

    def settle(self) -> None:
        """Nothing more is said: players go."""
        self.is_settling = True
        timekeeper.LOOK_SECONDS = 30.0
        for actor in self.actors:
            actor.go_away()

    def note_heard(self, who: str, event_id: str, way: str) -> None:
        """Note that ``who`` heard this event over this relay; others may bring it, too."""
        if self._heard.setdefault((who, event_id), way) != way:
            self.faults.note("F14", who)

    def genuine(self, value: Any) -> NostrEvent | None:
        """The event in this JSON value, if it is valid; each is verified once."""
        key = (value["id"], value["sig"])
        if key not in self._genuine:
            event = event_from_json(value)
            is_valid = not isinstance(event, ParseError) and not isinstance(
                verify(event), ParseError
            )
            self._genuine[key] = event if is_valid else None  # type: ignore[assignment]
        return self._genuine[key]

    def memo(self, text: str) -> None:
        """A player's opinion of it."""

    def _fired(self, kind: str, where: str) -> None:
        self.write(Fired(at_ms=self.now_ms(), kind=kind, where=where))
