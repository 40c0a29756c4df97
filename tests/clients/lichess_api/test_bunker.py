"""A key that a bunker holds: what it signs is what was asked for, or nothing."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from websockets.asyncio.server import ServerConnection, serve

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_from_json,
    event_to_json,
)
from clients.player.bunker import Bunker
from clients.player.chat import ChatCipher
from tests.builders import ALICE, BOB, EVE

TEMPLATE = EventTemplate(20303, (("d", "a" * 32),), "e2e4", 1_800_000_000)


def answers(method: str, parameters: list[str]) -> object:
    """The answers of an honest signer that holds Alice's key."""
    if method == "get_public_key":
        return ALICE.pubkey
    if method != "sign_event":
        return "ack"
    wanted = json.loads(parameters[0])
    template = EventTemplate(
        wanted["kind"], tuple(map(tuple, wanted["tags"])), wanted["content"], wanted["created_at"]
    )
    return json.dumps(event_to_json(ALICE.sign(template)))


async def signed(
    say: Callable[[str, list[str]], object], *templates: EventTemplate
) -> list[VerifiedEvent]:
    """The events that come of these, by a signer on a relay of its own."""
    cipher, found = ChatCipher(BOB), list[VerifiedEvent]()
    done = asyncio.Event()

    async def listen(socket: ServerConnection) -> None:
        async for text in socket:
            match json.loads(text):
                case ["REQ", str(name), *_]:
                    await socket.send(json.dumps(["EOSE", name]))
                case ["EVENT", sent]:
                    event = event_from_json(sent)
                    assert isinstance(event, NostrEvent)
                    asked = json.loads(cipher.decrypt(event.content, event.pubkey) or "")
                    result = say(asked["method"], asked["params"])
                    answer = {"id": asked["id"], "result": result}
                    if isinstance(result, ValueError):
                        answer = {"id": asked["id"], "result": "", "error": str(result)}
                    payload = cipher.encrypt(json.dumps(answer), event.pubkey)
                    tags = (("p", event.pubkey),)
                    reply = BOB.sign(EventTemplate(24133, tags, payload or "", 1_800_000_000))
                    await socket.send(json.dumps(["EVENT", "play", event_to_json(reply)]))
                case _:
                    pass

    def keep(event: VerifiedEvent) -> None:
        found.append(event)
        if event.content == templates[-1].content:
            done.set()

    async with serve(listen, "127.0.0.1", 0) as relay:
        port = relay.sockets[0].getsockname()[1]
        bunker = Bunker(f"bunker://{BOB.pubkey}?relay=ws://127.0.0.1:{port}&secret=x", EVE)
        running = asyncio.create_task(bunker.run())
        await bunker.connect()
        assert bunker.pubkey == ALICE.pubkey
        for template in templates:
            bunker.sign(template, keep)
        async with asyncio.timeout(20):
            await done.wait()
        running.cancel()
        await asyncio.wait([running])
    return found


def test_what_is_asked_is_signed_in_its_order() -> None:
    second = replace(TEMPLATE, content="d2d4")
    found = asyncio.run(signed(answers, TEMPLATE, second))
    assert found == [ALICE.sign(TEMPLATE), ALICE.sign(second)]


@pytest.mark.parametrize("fault", ["another move", "another key", "no event", "a refusal"])
def test_what_was_not_asked_is_not_sent(fault: str) -> None:
    def say(method: str, parameters: list[str]) -> object:
        if method != "sign_event" or "e2e4" not in parameters[0]:
            return answers(method, parameters)
        return {
            "another move": json.dumps(
                event_to_json(ALICE.sign(replace(TEMPLATE, content="quit")))
            ),
            "another key": json.dumps(event_to_json(EVE.sign(TEMPLATE))),
            "no event": "e2e4",
            "a refusal": ValueError("not now"),
        }[fault]

    last = replace(TEMPLATE, content="d2d4")
    assert asyncio.run(signed(say, TEMPLATE, last)) == [ALICE.sign(last)]


@pytest.mark.parametrize(
    "address", ["", "bunker://x?relay=wss://one", f"bunker://{BOB.pubkey}", "https://one.example"]
)
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(ValueError, match="bunker://<64 hex digits>"):
        Bunker(address, EVE)
