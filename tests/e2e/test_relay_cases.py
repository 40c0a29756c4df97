"""The gateway as a relay for chess: the cases of relay-tester (github.com/mikedilger/relay-tester),
whose own publish notes, which a relay for chess refuses.
"""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, PGN_NOTE, REQUEST_TO_PLAY
from clients.probes.matches import FOOLS_MATE
from clients.probes.raw_socket import Event, RawSocket, opened, signed
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_client import Told
from tests.e2e.nip100_matches import seated as seated_by_the_draft

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_AUTH = 22242

_ESCAPES = dict(
    zip(
        '\b\t\n\f\r"\\/é😀',
        [r"\b", r"\t", r"\n", r"\f", r"\r", r"\"", r"\\", r"\/", r"\u00e9", r"\ud83d\ude00"],
        strict=True,
    )
) | {"\x7f": "\x7f", "\uffff": "\uffff"}
"""Characters, and another spelling of each in JSON."""

_FILTERS_THAT_FIND_NOTHING: list[dict[str, Any]] = [
    {},
    {"kinds": [1]},
    {"kinds": [70_000]},
    {"#t": ["chess"]},
    {"search": "chess"},
    {"limit": 5},
    {"kinds": [GAME_STATE], "limit": -1},
    {"kinds": "20302"},
    {"#p": ["not hex"]},
]


def _harmless(
    endpoints: Endpoints, *tags: list[str], keys: Any = None, age_seconds: int = 0
) -> Event:
    """A request without effect: to wait no longer, by a player who does not wait."""
    keys = keys or nostr_sdk.Keys.generate()
    tagged = [["p", endpoints.server], *tags]
    return signed(keys, REQUEST_TO_PLAY, "cancel", tagged, age_seconds=age_seconds)


async def _shown(client: RawSocket, *filters: dict[str, Any]) -> list[Event]:
    # Never the same name twice: what comes late for one must not be taken for the next one's.
    name = uuid4().hex
    events = await client.request(name, *filters)
    await client.say("CLOSE", name)
    return events


async def test_wrong_events_are_refused_by_their_ids_and_the_socket_goes_on(
    alone: ArbiterRun,
) -> None:
    endpoints = alone.endpoints
    keys = nostr_sdk.Keys.generate()
    right = _harmless(endpoints)
    invalid, blocked = ("invalid: ",), ("blocked: ", "invalid: ", "restricted: ")
    cases: list[tuple[Event, tuple[str, ...]]] = [(right | {"id": right["id"].upper()}, invalid)]
    wrong = {"sig": "00" * 64, "id": "cafebabe" * 8, "content": "state"}
    cases += [(_harmless(endpoints) | {name: value}, invalid) for name, value in wrong.items()]
    for days in (7, 365, -365):
        cases.append((_harmless(endpoints, age_seconds=days * 86_400), invalid))
    for kind in (0, 1, 3, 5, 1059, 10_002, _AUTH, 25_000, 30_000, 65_535):
        cases.append((signed(keys, kind, "", []), blocked))
    for kind in (64, 20_301, GAME_STATE, 20_304, 30_300):
        named = [["d", "0" * 32], ["p", endpoints.server]]
        cases.append((signed(keys, kind, "", named), blocked))
    async with opened(endpoints) as client:
        for event, words in cases:
            _, id_, accepted, text = await client.publish(event)
            assert (id_, accepted) == (event["id"], False), event
            assert text.startswith(words), event
        await client.say("EVENT", right, "one element more")
        assert (await client.hear())[:3] == ["OK", right["id"], False]
        assert (await client.publish(right))[2]


async def test_a_character_is_the_same_however_it_is_escaped(alone: ArbiterRun) -> None:
    async with opened(alone.endpoints) as client:
        event = _harmless(alone.endpoints, *(["note", character] for character in _ESCAPES))
        spelled = copy.deepcopy(event)
        for number, tag in enumerate(spelled["tags"][1:]):
            tag[1] = f"HERE {number}."
        text = json.dumps(["EVENT", spelled])
        for number, escape in enumerate(_ESCAPES.values()):
            text = text.replace(f"HERE {number}.", escape)
        await client.send(text)
        assert (await client.until("OK", event["id"]))[2]


async def test_a_subscription_stays_open_after_eose_until_it_is_closed(alone: ArbiterRun) -> None:
    keys = nostr_sdk.Keys.generate()
    wanted = {"kinds": [REQUEST_TO_PLAY], "authors": [keys.public_key().to_hex()]}
    async with opened(alone.endpoints) as client, opened(alone.endpoints) as author:
        assert await client.request("first", wanted) == []
        event = _harmless(alone.endpoints, keys=keys)
        assert (await author.publish(event))[2]
        assert (await client.until("EVENT", "first"))[2] == event
        # It is ephemeral: later subscribers are not shown it.
        assert await _shown(author, wanted) == []
        await client.say("CLOSE", "first")
        await client.request("other", wanted)
        second = _harmless(alone.endpoints, ["n", "2"], keys=keys)
        assert (await author.publish(second))[2]
        assert (await client.until("EVENT", "other"))[2] == second
    assert client.passed_over == []


async def test_filters_that_can_find_nothing_here_are_closed_with_a_reason(
    alone: ArbiterRun,
) -> None:
    async with opened(alone.endpoints) as client:
        for number, wanted in enumerate(_FILTERS_THAT_FIND_NOTHING):
            await client.say("REQ", f"wanted {number}", wanted)
            reason = (await client.until("CLOSED", f"wanted {number}"))[2]
            assert reason.startswith(("invalid: ", "restricted: ", "unsupported: ")), wanted


async def test_a_game_is_found_by_every_filter_that_names_it_and_by_no_other(
    alone: ArbiterRun,
) -> None:
    server = alone.endpoints.server
    async with opened(alone.endpoints) as client, seated_by_the_draft(alone.endpoints) as table:
        found = next(frame for frame in table.white.heard if isinstance(frame, Told))
        white = table.white.pubkey
        await table.play(FOOLS_MATE)
        await table.until_over()
        named = {"#d": [*found.values("d")]}
        both = await _shown(client, named | {"kinds": [GAME_STATE, PGN_NOTE]})
        assert {event["kind"] for event in both} == {GAME_STATE, PGN_NOTE}
        dates = [event["created_at"] for event in both]
        assert dates == sorted(dates, reverse=True)
        assert {event["pubkey"] for event in both} == {server}
        (state,) = await _shown(client, named | {"kinds": [GAME_STATE]})
        date = state["created_at"]
        for narrower, is_found in (
            ({"authors": [server]}, True),
            ({"authors": [white]}, False),
            ({"#p": [white]}, True),
            ({"#p": [server]}, False),
            ({"since": date}, True),
            # It is dated when it is shown.
            ({"until": date + 3_600}, True),
            ({"until": date - 1}, False),
            ({"since": date + 3_600}, False),
            ({"limit": 1}, True),
            ({"limit": 0}, False),
            ({"#d": ["f" * 32]}, False),
        ):
            shown = await _shown(client, named | {"kinds": [GAME_STATE]} | narrower)
            assert bool(shown) is is_found, narrower
        assert len(await _shown(client, named, {"#p": [white], "kinds": [PGN_NOTE]})) >= 2


@pytest.mark.parametrize("flaw", ["", "kind", "relay", "challenge", "age", "signature"])
async def test_a_protected_event_is_taken_after_a_proof_without_a_flaw(
    alone: ArbiterRun, flaw: str
) -> None:
    keys = nostr_sdk.Keys.generate()
    async with opened(alone.endpoints) as client:
        event = _harmless(alone.endpoints, ["-"], keys=keys)
        _, _, accepted, text = await client.publish(event)
        assert not accepted
        assert text.startswith("auth-required: ")
        asked = [message for message in client.passed_over if message[0] == "AUTH"]
        challenge = (asked[-1] if asked else await client.until("AUTH"))[1]
        relay = "wss://another.example" if flaw == "relay" else alone.endpoints.websocket
        tags = [["relay", relay], ["challenge", "another" if flaw == "challenge" else challenge]]
        age_seconds = 1800 if flaw == "age" else 0
        kind = 1 if flaw == "kind" else _AUTH
        proof = signed(keys, kind, "", tags, age_seconds=age_seconds)
        proof |= {"sig": "00" * 64} if flaw == "signature" else {}
        await client.say("AUTH", proof)
        _, _, proved, text = await client.until("OK", proof["id"])
        assert proved is not bool(flaw)
        assert proved or text.startswith(("invalid: ", "restricted: ", "auth-required: "))
        assert (await client.publish(event))[2] is proved
        # Another player's protected event stays refused.
        assert not (await client.publish(_harmless(alone.endpoints, ["-"])))[2]


def test_nostr_sdk_proves_its_key_by_itself_when_the_gateway_asks(alone: ArbiterRun) -> None:
    def publish(manner: str) -> str:
        program = Path(__file__).with_name("proving_client.py")
        where = (alone.endpoints.websocket, alone.endpoints.server)
        command = (sys.executable, str(program), *where, manner)
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    assert publish("be-silent").startswith("auth-required: ")
    assert publish("prove") == "taken"


async def test_a_hostile_frame_is_answered_and_the_socket_goes_on(alone: ArbiterRun) -> None:
    hostile: list[str | bytes] = [
        json.dumps(["EVENT", {"id": "0" * 64}]),
        json.dumps(["REQ", "sub", {"kinds": "all"}]),
        json.dumps(["REQ", "sub", {}]),
        json.dumps(["EVENT", "[" * 1_000]),
        "[" * 900,  # MiniStack itself fails over deeper ones, and closes the socket
        "\x00",
        b"\xff\xfe",
    ]
    async with opened(alone.endpoints) as player:
        answers = []
        for frame in hostile:
            await player.send(frame)
            answers.append((await player.hear())[0])
        assert answers == ["OK", "CLOSED", "CLOSED", *["NOTICE"] * 4]
        assert await player.subscribe("sub", kinds=[GAME_STATE]) == []
