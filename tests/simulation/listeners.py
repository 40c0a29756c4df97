"""Listeners, and what parts of the arbiter say of themselves, written into the history."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arbiter import wiring
from arbiter.adapters.dynamodb.games import DynamoDbGames, DynamoDbLobby
from arbiter.adapters.relays.ingest import Drop, Ingester
from arbiter.adapters.relays.rate_limits import Candidate
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.core.game import Game
from arbiter.nostr.event import NostrEvent, event_to_json
from arbiter.nostr.filters import Filter
from tests.simulation.history import Answered, Heard
from tests.simulation.links import LISTENER
from tests.simulation.scheduler import Process
from tests.simulation.threads import present_process

if TYPE_CHECKING:
    from tests.simulation.world import World


LIVES_SECONDS = 690.0


class Listeners:
    """All listeners of the account."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._alive: list[Process] = []
        self._number = 0
        self.is_wanted = True

    def start(self) -> Process:
        self._number += 1
        process = Process(f"{LISTENER} {self._number}", self._world.environment())
        self._world.started(process)
        self._alive.append(process)
        lives = LIVES_SECONDS * (0.5 + 0.5 * self._world.chance.random())
        self._world.scheduler.spawn(process, lambda: self._run(process, lives))
        return process

    def alive(self) -> list[Process]:
        return [*self._alive]

    def died(self, process: Process) -> None:
        """One is no more; its place is taken, a moment later."""
        if process in self._alive:
            self._alive.remove(process)
            self._replace()

    def _replace(self) -> None:
        if self.is_wanted and len(self._alive) < 2:
            self._world.scheduler.after(self._world.chance.random() * 15, self._start_if_missed)

    def _start_if_missed(self) -> None:
        if self.is_wanted and len(self._alive) < 2:
            self.start()

    def _run(self, process: Process, seconds: float) -> None:
        try:
            wiring.listener().run(seconds)
        except Exception as failure:  # noqa: BLE001 - a listener that ends early is started again
            self._world.note_failure(failure)
        self._world.scheduler.at(self._world.scheduler.now, self._ended(process))

    def _ended(self, process: Process) -> Callable[[], None]:
        return lambda: self._world.kill(process)


class RecordingIngester(Ingester):
    """The listener's gate, and a note of each event that came to it; of one that it held first,
    another if it was dropped then.
    """

    def __init__(self, world: "World", *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._world = world

    def offer(self, event: NostrEvent, wanted: Filter, received_at_ms: int) -> Drop | None:
        world = self._world
        at_ms, way = world.now_ms(), world.way_of_task()
        drop = super().offer(event, wanted, received_at_ms)
        self._note(at_ms, way, event_to_json(event), received_at_ms, drop)
        return drop

    def _decide(self, said: Candidate) -> Drop | None:
        drop = super()._decide(said)
        if drop is not None:
            body = json.loads(said.entry.body)
            self._note(self._world.now_ms(), "", body["event"], body["received_at_ms"], drop)
        return drop

    def _note(
        self, at_ms: int, way: str, event: object, received_at_ms: int, drop: Drop | None
    ) -> None:
        self._world.write(
            Heard(
                at_ms=at_ms,
                by=present_process(self._world.scheduler).name,
                way=way,
                event=json.dumps(event),
                stamped_ms=received_at_ms,
                dropped=None if drop is None else str(drop),
            )
        )


class NotedGames(DynamoDbGames):
    """The games of the table, and a note of each commit that met a newer game."""

    def __init__(self, world: "World", client: Any, table: str) -> None:
        super().__init__(client, table)
        self._world = world

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        made = super().commit(before, after)
        if isinstance(made, Conflict):
            self._world.faults.note("F27", self._world.who())
        return made


class NotedLobby(DynamoDbLobby):
    """The lobby of the table, and a note of each change that met another one."""

    def __init__(self, world: "World", client: Any, table: str, clock: Any) -> None:
        super().__init__(client, table, clock)
        self._world = world

    def commit(self, change: LobbyChange) -> bool:
        made = super().commit(change)
        if not made:
            self._world.faults.note("F42", self._world.who())
        return made


class Report:
    """A function's log. The arbiter's lines are read, what others log is left."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def info(self, said: Any, *args: Any, **more: Any) -> None:
        """One line: a record's status, if it names one."""
        del args, more
        self._read(said)

    debug = info

    def error(self, said: Any, *args: Any, exc_info: Any = None, **more: Any) -> None:
        """As `info`; or a fault, of which the kind is kept for the story."""
        del args, more
        if isinstance(exc_info, BaseException):
            self._world.note_failure(exc_info)
        self._read(said)

    warning = error

    def _read(self, said: Any) -> None:
        if not isinstance(said, dict):
            self._world.memo(str(said))
            return
        process = present_process(self._world.scheduler)
        records: list[str] = process.memory.get("records", [])
        if "status" not in said or not records or process.memory.get("function") != "process":
            process.memory["said"] = said
            return
        # One line a record, in their order.
        record = records.pop(0)
        self._world.write(
            Answered(
                at_ms=self._world.now_ms(),
                worker=process.name,
                batch=process.memory["batch"],
                record=record,
                status="failed" if said["status"] == "behind-a-failure" else said["status"],
                event=said.get("event", ""),
                game=said.get("game"),
            )
        )
