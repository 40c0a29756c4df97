"""One world: the arbiter's own code, the services that it uses, the players, and what goes wrong.

Everything is drawn from one seeded chance in the order in which it happens, so the seed
is the run.
"""

import random
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from arbiter.adapters.relays.listener import ListenerLimits
from arbiter.adapters.relays.protocol import Pacing
from arbiter.nostr.event import NostrEvent, ParseError, verify
from arbiter.nostr.keys import SecretKey
from tests.simulation.client_connections import Gateway
from tests.simulation.cloud import Cloud
from tests.simulation.fault_plans import redrive
from tests.simulation.faults import Faults
from tests.simulation.history import STOPPED, Fired, Happening, Wrote
from tests.simulation.lambdas import Lambdas
from tests.simulation.links import Link
from tests.simulation.listeners import Listeners
from tests.simulation.relays import Relay
from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.settings import Settings

BEGINS_MS = 1_800_000_000_000


class TrueClock:
    """What time it is, for those who cannot be wrong."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def now_ms(self) -> int:
        return BEGINS_MS + int(self._scheduler.now * 1000)


class World:
    """All that there is in one run."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.chance = random.Random(settings.seed)
        self.scheduler = Scheduler()
        self.clock = TrueClock(self.scheduler)
        self.happenings: list[Happening] = []
        self.failures: list[str] = []
        self.memos: list[tuple[int, str]] = []
        self.faults = Faults(self.chance, self._fired, settings.faults, oftener=settings.oftener)
        self.server = SecretKey.generate(self.chance.randbytes(32))
        self.servers = [self.server.pubkey]
        self.listener_limits = ListenerLimits(pacing=Pacing())
        self.cloud = Cloud(self, self._secret_of(self.server))
        self.relays = {name: Relay(self, name, habits) for name, habits in settings.relays}
        self.lambdas = Lambdas(self)
        self.listeners = Listeners(self)
        self.gateway = Gateway(self)
        self.is_gateway_up = True
        self.actors: list[Any] = []
        self.healed_at_ms: int | None = None
        self.is_quiet = False
        self.is_settling = False
        self.looked_at = 0.0
        self.away_until = 0.0
        self.ends_at = settings.seconds
        self.processes: list[Process] = []
        self._parted: set[tuple[str, str]] = set()
        self._links: dict[Process, list[Link]] = defaultdict(list)
        self._genuine: dict[tuple[str, str], bool] = {}
        self._heard: dict[tuple[str, str], str] = {}

    def now_ms(self) -> int:
        """The true time, in unix milliseconds."""
        return self.clock.now_ms()

    def seconds_of(self, unix_ms: float) -> float:
        return (unix_ms - BEGINS_MS) / 1000

    def at_ms(self, unix_ms: float, do: Any) -> None:
        self.scheduler.at(self.seconds_of(unix_ms), do)

    def unix_ms_of(self, expression: str) -> int:
        """The time of a schedule: ``at(2027-01-15T08:00:05)``."""
        when = datetime.strptime(expression, "at(%Y-%m-%dT%H:%M:%S)").replace(tzinfo=UTC)
        return int(when.timestamp() * 1000)

    def read_clock(self) -> int:
        task = self.scheduler.task
        return self.now_ms() + (task.process.skew_ms if task else 0)

    def environment(self) -> dict[str, str]:
        urls = self.cloud.urls
        relays = [one.url for one in self.relays.values()]
        return {
            "TABLE_NAME": "arbiter",
            "SHORT_LIVED_TABLE": "short-lived",
            "MOVES_QUEUE_URL": urls["moves.fifo"],
            "SEEKS_QUEUE_URL": urls["seeks.fifo"],
            "REPUBLISH_QUEUE_URL": urls["republish"],
            "CLOCK_QUEUE_URL": urls["clock"],
            "DEAD_LETTER_QUEUE_URLS": "",
            "KEY_PARAMETER": "/arbiter/key",
            "SERVER_PUBKEY": self.server.pubkey,
            "RELAYS": ",".join(relays),
            "GATEWAY_ENDPOINT": "https://gateway.example/v1",
            "GATEWAY_URL": "wss://gateway.example/v1",
            "SCHEDULE_GROUP": "nudges",
            "SCHEDULE_TARGET_ARN": "arn:clock",
            "SCHEDULER_ROLE_ARN": "arn:role",
            "LOG_LEVEL": "CRITICAL",
            "LISTEN_SECONDS": "690",
            # All players name the arbiter, and a cheat brings what does not.
            "UNTAGGED_CONNECT_SECONDS": "0",
        }

    def started(self, process: Process) -> None:
        self.processes.append(process)
        if self.faults.strikes("F40 skew", process.name):
            process.skew_ms = self.chance.randint(-self.settings.skew_ms, self.settings.skew_ms)
        process.memory["is_newer"] = self.faults.strikes("F44", process.name)

    def kill(self, process: Process) -> None:
        """End a process by force; in its own task this raises."""
        if not process.is_alive:
            return
        process.is_alive = False
        if process in self.listeners.alive():
            # What it had heard and not passed on is gone, which counts as no fault.
            self.write(Fired(at_ms=self.now_ms(), kind=STOPPED, where=process.name))
        self.processes.remove(process)
        for link in self._links.pop(process, []):
            link.cut()
        self.lambdas.died(process)
        self.listeners.died(process)
        self.scheduler.kill(process)

    def note_crash(self, process: Process) -> None:
        if process.memory.get("function") == "process":
            kind = "F21" if process.memory["wrote"] else "F20"
            self.faults.note(kind, process.name)

    def is_function(self, process: Process) -> bool:
        return "function" in process.memory

    def owned(self, process: Process, link: Link) -> None:
        links = self._links[process]
        links[:] = [one for one in links if one.is_open]
        links.append(link)

    def who(self) -> str:
        return self.scheduler.task.process.name if self.scheduler.task else "the cloud"

    def way_of_task(self) -> str:
        task = self.scheduler.task
        session = getattr(getattr(task, "target", None), "func", None)
        url: str = getattr(getattr(session, "__self__", None), "_url", "")
        return url.removeprefix("ws://").removesuffix(".example")

    def is_idle(self) -> bool:
        queues = ["moves.fifo", "seeks.fifo", "republish"]
        if self.faults.is_healed:
            queues += [f"dead-{name}" for name in self.cloud.dead_arns]
        return not any(self.cloud.sqs.waiting(self.cloud.urls[name]) for name in queues)

    def go_away(self, seconds: float) -> None:
        # The last game may end between the outage and this.
        if self.faults.is_healed or not self.listeners.is_wanted:
            return
        self.ends_at += seconds
        self.away_until = self.scheduler.now + seconds
        self.listeners.is_wanted = False
        for process in self.listeners.alive():
            self.kill(process)
        for actor in self.actors:
            actor.go_away()
        self.scheduler.after(seconds, self._come_back)

    def _come_back(self) -> None:
        if self.is_settling:
            return
        self.listeners.is_wanted = True
        while len(self.listeners.alive()) < 2:
            self.listeners.start()
        for actor in self.actors:
            actor.come_back()

    def soon(self, seconds: float, do: Any) -> None:
        self.scheduler.at(max(self.scheduler.now + seconds, self.away_until), do)

    def has_no_timers(self) -> bool:
        cloud = self.cloud
        return not cloud.schedules.waiting and not cloud.sqs.waiting(cloud.urls["clock"])

    def settle(self) -> None:
        """Nothing more is said: players go, and the listeners with them."""
        self.is_settling = True
        self.listeners.is_wanted = False
        for process in self.listeners.alive():
            self.kill(process)
        for actor in self.actors:
            actor.is_away = True

    def stop(self) -> None:
        self.listeners.is_wanted = False
        for process in [*self.processes]:
            self.kill(process)
        self.scheduler.run(self.scheduler.now + 1.0)

    def relay_at(self, url: str) -> Relay:
        return self.relays[url.removeprefix("ws://").removesuffix(".example")]

    def is_parted(self, who: str, relay: str) -> bool:
        return (who, relay) in self._parted or ("*", relay) in self._parted

    def part(self, who: str, relay: str) -> None:
        self._parted.add((who, relay))
        self.relays[relay].part_from(who)

    def join(self, who: str, relay: str) -> None:
        """Let everything pass again; what was half-open stays so."""
        self._parted.discard((who, relay))

    def heal(self) -> None:
        self._parted.clear()
        for relay in self.relays.values():
            relay.come_back()
        for process in self.processes:
            process.skew_ms = 0
        for queue, source in self.lambdas.sources.items():
            source.paused_until = 0.0
            self.lambdas.stir(queue)
        self._come_back()
        redrive(self)

    def write(self, happening: Happening) -> int:
        """Write down what happened; its number."""
        self.happenings.append(happening)
        if isinstance(happening, Wrote) and self.scheduler.task is not None:
            memory = self.scheduler.task.process.memory
            memory["wrote"] = memory.get("wrote", 0) + 1
        return len(self.happenings) - 1

    def mark_unknown(self, number: int) -> None:
        wrote = self.happenings[number]
        if isinstance(wrote, Wrote):
            self.happenings[number] = Wrote(
                at_ms=wrote.at_ms, who=wrote.who, items=wrote.items, is_known=False
            )

    def note_heard(self, who: str, event_id: str, way: str) -> None:
        """Note that ``who`` heard this event over this relay; others may bring it, too."""
        ways = self._heard.setdefault((who, event_id), way)
        if ways != way:
            self.faults.note("F14", who)

    def is_genuine(self, event: NostrEvent) -> bool:
        key = (event.id, event.sig)
        if key not in self._genuine:
            self._genuine[key] = not isinstance(verify(event), ParseError)
        return self._genuine[key]

    def note_failure(self, failure: BaseException) -> None:
        self.memo(f"{self.who()} met {type(failure).__name__}: {failure}")

    def memo(self, text: str) -> None:
        self.memos.append((len(self.happenings), text))

    def _fired(self, kind: str, where: str) -> None:
        self.write(Fired(at_ms=self.now_ms(), kind=kind, where=where))

    def _secret_of(self, key: SecretKey) -> str:
        return key.to_hex()
