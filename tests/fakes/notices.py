"""Notices in memory: their queue, the ways to players, and a world that has them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from arbiter.adapters.items.recipients import StoredRecipients
from arbiter.adapters.items.table import Table
from arbiter.application.intake.queue_messages import notice_body, parse_notice
from arbiter.application.notices.tell import NoticeDeps, see_to
from arbiter.application.policy import KnownPolicy
from arbiter.application.records import Notice
from arbiter.core.notices import Device
from arbiter.core.policy import Policy
from tests.application.world import World
from tests.builders import SERVER
from tests.fakes.faults import Crash
from tests.fakes.policy import FixedPolicy
from tests.fakes.stores import MemoryTable


@dataclass
class FakeNoticeQueue:
    """What is asked, as text. With ``fails`` nothing is taken."""

    bodies: list[str] = field(default_factory=list)
    fails: bool = False

    def send(self, notices: Sequence[Notice]) -> None:
        if self.fails:
            raise Crash("notices.send")
        self.bodies += map(notice_body, notices)


@dataclass
class FakeMessenger:
    """Relays of players, which take everything, or (``deaf``) nothing. The process ``dies`` so many
    times once a message is out.
    """

    taken: list[tuple[str, str]] = field(default_factory=list)
    deaf: bool = False
    dies: int = 0

    def send(self, to: str, text: str) -> bool:
        if not self.deaf:
            self.taken.append((to, text))
        if self.dies:
            self.dies -= 1
            raise Crash("messenger.sent")
        return not self.deaf


@dataclass
class FakePush:
    """A server of Web Push that gives this answer."""

    answer: Literal["taken", "gone", "failed"] = "taken"
    taken: list[tuple[str, str]] = field(default_factory=list)

    def send(self, player: str, device: Device, text: str) -> Literal["taken", "gone", "failed"]:
        del player
        self.taken.append((device.id, text))
        return self.answer


class NoticeWorld:
    """What a world needs for notices, which its operator wants."""

    def __init__(self, world: World, table: Table | None = None, *, wanted: bool = True) -> None:
        self.world = world
        self.queue, self.messenger, self.push = FakeNoticeQueue(), FakeMessenger(), FakePush()
        self.recipients = StoredRecipients(table or MemoryTable(), lambda: "the push key")
        policy = KnownPolicy(FixedPolicy(Policy(notices=wanted)), world.clock)
        world.deps = replace(
            world.deps, policy=policy, notices=self.queue, recipients=self.recipients
        )
        self.deps = NoticeDeps(
            recipients=self.recipients,
            games=world.deps.games,
            lobby=world.deps.lobby,
            timers=world.timers,
            clock=world.clock,
            key=SERVER,
            policy=policy,
            public_url="https://chess.example",
            connections=world.connections,
            messenger=self.messenger,
            push=self.push,
        )

    def see_to_all(self, *, again: int = 0) -> list[str]:
        """See to everything that is asked, each ``again`` as many times; the words for the log.
        What a process ended over comes again, as from any queue.
        """
        words = []
        bodies, self.queue.bodies = self.queue.bodies, []
        for body in bodies:
            for _ in range(1 + again):
                notice = parse_notice(body)
                assert notice is not None, body
                try:
                    words.append(see_to(self.deps, notice))
                except Crash:
                    words.append("crashed")
                    self.queue.bodies.append(body)
        return words
