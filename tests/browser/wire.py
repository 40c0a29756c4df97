"""Events to the arbiter beside the page, by keys that tests hold."""

import json
from collections.abc import Sequence
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
from websockets.sync.client import connect

from clients.probes.endpoints import Endpoints

REQUEST = 20300
RESPONSE = 20301
STATE = 20302
MOVE = 20303


def signed(keys: nostr_sdk.Keys, kind: int, content: str, *tags: Sequence[str]) -> dict[str, Any]:
    """An event of this key, dated now."""
    draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content)
    draft = draft.tags([nostr_sdk.Tag.parse(list(tag)) for tag in tags])
    event: dict[str, Any] = json.loads(draft.finalize(keys).as_json())
    return event


def publish(relay: str, *events: dict[str, Any]) -> None:
    """Send these events; the relay takes each."""
    with connect(relay) as socket:
        for event in events:
            socket.send(json.dumps(["EVENT", event]))
            while (answer := json.loads(socket.recv(timeout=20)))[:2] != ["OK", event["id"]]:
                pass
            assert answer[2], answer


def open_challenge(endpoints: Endpoints, keys: nostr_sdk.Keys, *terms: Sequence[str]) -> str:
    """The id of an open challenge, once the arbiter has it."""
    request = signed(keys, REQUEST, "", ["p", endpoints.server], ["challenge", "open"], *terms)
    with connect(endpoints.websocket) as socket:
        mine = {"kinds": [RESPONSE], "#e": [request["id"]]}
        socket.send(json.dumps(["REQ", "answers", mine]))
        socket.send(json.dumps(["EVENT", request]))
        while (said := json.loads(socket.recv(timeout=20)))[0] != "EVENT":
            pass
    assert said[2]["content"] == "queued", said
    return str(request["id"][:32])


def ask_for_state(endpoints: Endpoints, game: str) -> None:
    """A stranger asks for the state of this game, and is answered."""
    tags = (["d", game], ["p", endpoints.server])
    question = signed(nostr_sdk.Keys.generate(), MOVE, "state", *tags)
    with connect(endpoints.websocket) as socket:
        socket.send(json.dumps(["REQ", "answers", {"kinds": [STATE], "#e": [question["id"]]}]))
        socket.send(json.dumps(["EVENT", question]))
        while json.loads(socket.recv(timeout=20))[0] != "EVENT":
            pass
