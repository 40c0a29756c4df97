"""The arbiter with fakes behind its ports, and players who talk to it over the queue's bodies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.batch import Processed, Record, process_batch
from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.core.game import Game
from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import KeyEncrypter
from tests.builders import BRIDGE, NOW_MS, SERVER, an_event
from tests.fakes.clock import FakeClock
from tests.fakes.connections import FakeConnections
from tests.fakes.outages import FakeOutages
from tests.fakes.outbox import FakeOutbox
from tests.fakes.queue import FakeEventQueue, FakeRepublishQueue
from tests.fakes.rate_limits import FakeRateLimits
from tests.fakes.sockets import FakeSockets
from tests.fakes.stores import FakeGames, FakeLobby, FakeRatings, FakeTournaments
from tests.fakes.timers import FakeTimers
from tests.fakes.transcripts import FakeTranscripts


@dataclass
class FakePublisher:
    """Relays that take everything, or (``deaf``) nothing."""

    deaf: bool = False
    taken_events: list[VerifiedEvent] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    states: dict[str, VerifiedEvent] = field(default_factory=dict)

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> "FakePublisher":
        del deadline_seconds
        if not self.deaf:
            self.taken_events += events
            self.ids |= {event.id for event in events}
            self.states |= {event.tags[0][1]: event for event in events if event.kind == 20302}
        return self

    def is_accepted(self, event_id: str) -> bool:
        return event_id in self.ids


class World:
    """One arbiter and what surrounds it."""

    def __init__(self, rules: Rules | None = None, server: SecretKey = SERVER) -> None:
        self.games = FakeGames()
        self.lobby = FakeLobby(self.games)
        self.ratings = FakeRatings()
        self.tournaments = FakeTournaments(self.games)
        self.queue = FakeEventQueue()
        self.timers = FakeTimers()
        self.clock = FakeClock(NOW_MS)
        self.outages = FakeOutages()
        self.rate_limits = FakeRateLimits()
        self.publisher = FakePublisher()
        self.republish = FakeRepublishQueue()
        self.outbox = FakeOutbox()
        self.connections = FakeConnections()
        self.sockets = FakeSockets()
        self.transcripts = FakeTranscripts()
        self.log: list[Processed] = []
        self.numbers = count(1)
        self.heard_ids: list[str] = []
        self.deps = ArbiterDeps(
            games=self.games,
            lobby=self.lobby,
            ratings=self.ratings,
            tournaments=self.tournaments,
            timers=self.timers,
            clock=self.clock,
            rules=rules or Rules(),
            server=server.pubkey,
            pairing_key=server.derive(b"arbiter/pairing/1"),
            bridge=BRIDGE.pubkey,
            encrypter=KeyEncrypter(lambda: server),
            rate_limits=self.rate_limits,
            outages=self.outages,
            signer=server,
            publisher=self.publisher,
            republish=self.republish,
            queue=self.queue,
            connections=self.connections,
            sockets=self.sockets,
            outbox=self.outbox,
            transcripts=self.transcripts,
        )

    def body(
        self, event: VerifiedEvent, via: str | None = None, *, at_gateway: bool = False
    ) -> str:
        """The body that the listener puts into the queue, or the gateway, for answers ``via`` this
        socket.
        """
        self.heard_ids.append(event.id)
        body = {"event": event_to_json(event), "received_at_ms": self.clock.ms}
        if at_gateway:
            body["at_gateway"] = True
        return json.dumps(body if via is None else body | {"via": via})

    def record(self, body: str, group: str | None = None) -> Record:
        number = f"message-{next(self.numbers)}"
        return Record(id=number, group=group or number, body=body)

    def deliver(self, *records: Record) -> tuple[str, ...]:
        """Hand a batch over; the ids that are to be delivered again."""
        return process_batch(self.deps, records, self.log.append)

    def hear(self, event: VerifiedEvent, via: str | None = None) -> list[VerifiedEvent]:
        """Deliver one event by itself; what was published because of it."""
        before = len(self.publisher.taken_events)
        assert self.deliver(self.record(self.body(event, via))) == (), self.log[-1].failure
        self.hand_on()
        return self.publisher.taken_events[before:]

    def hand_on(self) -> None:
        """Let each timer that is for a player's line come there."""
        timers = {body: parse_timer(body) for body, _ in self.timers.near}
        for body, timer in timers.items():
            if timer is not None and timer.player is not None:
                self.timers.near = [one for one in self.timers.near if one[0] != body]
                assert self.deliver(self.record(timer_entry(timer, self.clock.ms).body)) == ()

    def statuses(self) -> list[str]:
        """Each record's status, in order; ``failed`` for one that stays in the queue."""
        return [one.result.status if one.result else "failed" for one in self.log]

    def event_keys(self) -> list[str]:
        """The key of each event that was handled; a failed record's is that of its next attempt."""
        return [*self.heard_ids, *(one.result.event_key for one in self.log if one.result)]

    def game(self, game_id: str) -> Game:
        game = self.games.load(game_id)
        assert game is not None
        return game

    def ask(self, key: SecretKey, content: str = "", *tags: tuple[str, ...]) -> list[VerifiedEvent]:
        """This player asks to play, now."""
        named = (("p", SERVER.pubkey), *tags)
        return self.hear(an_event(key, 20300, content, named, self.clock.ms // 1000))

    def start(self, one: SecretKey, other: SecretKey, *tags: tuple[str, ...]) -> "Table":
        """Pair these two, on the terms of these tags."""
        self.ask(one, "", *tags)
        state = next(event for event in self.ask(other, "", *tags) if event.kind == 20302)
        keys = {key.pubkey: key for key in (one, other)}
        return Table(self, state, keys)


class Table:
    """One game, played by two honest clients that know nothing of chess but whose turn it is."""

    def __init__(self, world: World, state: VerifiedEvent, keys: dict[str, SecretKey]) -> None:
        self.world = world
        self.state = state
        self.game_id = state.tags[0][1]
        self.white, self.black = (keys[state.tags[at][1]] for at in (1, 2))

    def move_event(
        self, text: str, *, key: SecretKey | None = None, name_state: bool = True
    ) -> VerifiedEvent:
        """This text as a 20303 of the player on turn, now."""
        turn = self.white if self.state.content.split()[1] == "w" else self.black
        tags = (("d", self.game_id), ("p", SERVER.pubkey), *self.state.tags[1:3])
        if name_state:
            tags = (*tags, ("e", self.state.id))
        return an_event(key or turn, 20303, text, tags, self.world.clock.ms // 1000)

    def say(
        self, text: str, *, key: SecretKey | None = None, name_state: bool = True
    ) -> list[VerifiedEvent]:
        """Send it, and remember the state that comes back."""
        said = self.world.hear(self.move_event(text, key=key, name_state=name_state))
        self.state = next((event for event in reversed(said) if event.kind == 20302), self.state)
        return said
