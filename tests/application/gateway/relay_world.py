"""Our own relay with fakes behind its ports, before an arbiter that hears what it queued."""

import json
from collections.abc import Iterable
from itertools import count
from typing import Any

from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.application.gateway.fanout import Fanout
from arbiter.application.gateway.handler import (
    FrameResult,
    GatewayDeps,
    admit,
    answer_frame,
    forget,
)
from arbiter.application.intake.batch import Record
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip11 import DEFAULT_LIMITS, RelayLimits
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, an_event
from tests.fakes.queue import FakeEventQueue
from tests.fakes.rate_limits import FakeRateLimits

URL = "wss://chess.example/v1"
NOW = NOW_MS // 1000
US = ("p", SERVER.pubkey)
TO_BOB, TO_EVE = ("p", BOB.pubkey), ("p", EVE.pubkey)
GAME = a_game()
PLAYED = ("d", GAME.id)


class RelayWorld:
    """One gateway, and the arbiter behind it. ``sockets.heard(id)`` is what a client was sent."""

    def __init__(self, limits: RelayLimits = DEFAULT_LIMITS, server: SecretKey = SERVER) -> None:
        self.world = World(server=server)
        self.connections = self.world.connections
        self.sockets = self.world.sockets
        self.rates = FakeRateLimits()
        self.queue = FakeEventQueue()
        self.numbers = count(1)
        self.deps = GatewayDeps(
            games=self.world.games,
            lobby=self.world.lobby,
            ratings=self.world.ratings,
            tournaments=StoredTournaments(self.world.games.table),
            clock=self.world.clock,
            signer=server,
            connections=self.connections,
            sockets=self.sockets,
            rate_limits=self.rates,
            queue=self.queue,
            fanout=Fanout(self.connections, self.sockets, self.world.clock),
            server=server.pubkey,
            name="Arbiter",
            relay_url=URL,
            relays=("wss://relay.example", URL),
            new_challenge=lambda: f"challenge {next(self.numbers)}",
            limits=limits,
        )

    def open(self, connection_id: str = "x", address: str = "192.0.2.1") -> bool:
        return admit(self.deps, connection_id, address)

    def close(self, connection_id: str) -> None:
        forget(self.deps, connection_id)

    def say(self, *message: Any, on: str = "x") -> list[list[Any]]:
        """Send one message; what that socket was told since it was last asked."""
        self.answered = self.say_text(json.dumps(message), on=on)
        return self.sockets.heard(on)

    def say_text(self, frame: str | bytes, on: str = "x") -> FrameResult:
        return answer_frame(self.deps, on, frame)

    def publish(self, event: VerifiedEvent, on: str = "x") -> list[list[Any]]:
        return self.say("EVENT", event_to_json(event), on=on)

    def subscribe(self, *filters: dict[str, Any], on: str = "x", id_: str = "s") -> list[list[Any]]:
        return self.say("REQ", id_, *filters, on=on)

    def shown(self, *filters: dict[str, Any], on: str = "x") -> list[dict[str, Any]]:
        """The events that a REQ is answered with, which must end in EOSE."""
        *events, end = self.subscribe(*filters, on=on)
        assert end == ["EOSE", "s"], end
        assert [message for message in events if message[:2] != ["EVENT", "s"]] == []
        return [message[2] for message in events]

    def arbitrate(self) -> list[VerifiedEvent]:
        """Let the arbiter hear what was queued, and our subscribers hear it."""
        before = len(self.world.publisher.taken_events)
        waiting, self.queue.waiting = self.queue.waiting, []
        records = [Record(id=one.dedup_id, group=one.group_id, body=one.body) for one in waiting]
        assert self.world.deliver(*records) == (), self.world.log[-1].failure
        said = self.world.publisher.taken_events[before:]
        self.deps.fanout.publish(said, 5.0)
        return said

    def a_game(self, *tags: tuple[str, ...]) -> Table:
        """Alice and Bob play one, at the arbiter's own table."""
        return self.world.start(ALICE, BOB, *tags)


def a_relay(**limits: Any) -> RelayWorld:
    """A gateway with these limits, and the open socket x."""
    relay = RelayWorld(RelayLimits(**limits))
    assert relay.open("x")
    return relay


def told(messages: list[list[Any]]) -> tuple[str, ...]:
    """The prefixes of what was refused, and the verbs of all else."""
    return tuple(
        f"{message[0]} {message[-1].partition(':')[0]}"
        if message[0] in {"CLOSED", "NOTICE"} or (message[0] == "OK" and not message[2])
        else message[0]
        for message in messages
    )


def a_relay_with_a_game(**limits: Any) -> RelayWorld:
    relay = a_relay(**limits)
    relay.world.games.by_id[GAME.id] = GAME
    return relay


def a_request(*tags: tuple[str, ...], content: str = "", at: int = NOW) -> VerifiedEvent:
    return an_event(ALICE, 20300, content, (US, *tags), at)


def a_move(key: SecretKey, text: str = "e2e4", *tags: tuple[str, ...]) -> VerifiedEvent:
    return an_event(key, 20303, text, tags or (PLAYED, US))


def a_chat(key: SecretKey, text: str = "hello", *tags: tuple[str, ...]) -> VerifiedEvent:
    return an_event(key, 20306, text, tags or (PLAYED,))


def fates(relay: RelayWorld, events: Iterable[VerifiedEvent], on: str = "x") -> str:
    """The fate of each: ``OK``, the prefix of a refusal, or ``-`` where the arbiter answers."""
    answers = [told(relay.publish(event, on=on))[-1:] for event in events]
    return " ".join(answer[0].split()[-1] if answer else "-" for answer in answers)
