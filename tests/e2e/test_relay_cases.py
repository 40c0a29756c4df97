"""The cases of relay-tester (github.com/mikedilger/relay-tester) on the kinds of a relay for chess.

Most of its own cases publish notes and profiles, which a relay for chess refuses by their kind.
"""

import copy
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import REQUEST_TO_PLAY
from clients.probes.matches import FOOLS_MATE
from clients.probes.raw_socket import RawSocket, opened, signed
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_client import Told
from tests.e2e.nip100_matches import seated
from tests.e2e.within import run_within

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 60
_STATE = 20302
_NOTE = 64
_AUTH = 22242
_WEEK_SECONDS = 7 * 24 * 3600


def _run(arbiter: ArbiterRun, case: Callable[[Endpoints, RawSocket], Awaitable[None]]) -> None:
    async def ask() -> None:
        async with opened(arbiter.endpoints) as client:
            await case(arbiter.endpoints, client)

    run_within(_LIMIT_SECONDS, ask())


def _harmless(
    endpoints: Endpoints,
    *tags: list[str],
    keys: nostr_sdk.Keys | None = None,
    age_seconds: int = 0,
) -> dict[str, Any]:
    """A request that seats nobody: to wait no longer, by somebody who does not wait."""
    keys = keys or nostr_sdk.Keys.generate()
    tagged = [["p", endpoints.server], *tags]
    return signed(keys, REQUEST_TO_PLAY, "cancel", tagged, age_seconds=age_seconds)


async def _verdict(client: RawSocket, event: dict[str, Any]) -> tuple[bool, str]:
    _, _, accepted, text = await client.publish(event)
    return accepted, text


async def _shown(client: RawSocket, *filters: dict[str, Any]) -> list[dict[str, Any]]:
    # Never the same name twice: what comes late for one must not be taken for the next one's.
    name = uuid4().hex
    events = await client.request(name, *filters)
    await client.say("CLOSE", name)
    return events


# ------------------------------------------------------------------------------ events


def test_a_signature_and_an_id_are_verified(arbiter: ArbiterRun) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        assert (await _verdict(client, _harmless(endpoints)))[0]
        for field, wrong in (("sig", "00" * 64), ("id", "cafebabe" * 8), ("content", "state")):
            accepted, text = await _verdict(client, _harmless(endpoints) | {field: wrong})
            assert not accepted
            assert text.startswith("invalid: ")

    _run(arbiter, case)


@pytest.mark.parametrize(
    ("character", "escape"),
    [
        ("\b", "\\b"),
        ("\t", "\\t"),
        ("\n", "\\n"),
        ("\f", "\\f"),
        ("\r", "\\r"),
        ('"', '\\"'),
        ("\\", "\\\\"),
        ("/", "\\/"),
        ("é", "\\u00e9"),
        ("😀", "\\ud83d\\ude00"),
        ("\x7f", "\x7f"),
        ("\ufdd0\uffff", "\ufdd0\uffff"),
    ],
)
def test_a_character_is_the_same_however_it_is_escaped(
    arbiter: ArbiterRun, character: str, escape: str
) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        event = _harmless(endpoints, ["note", character])
        spelled = copy.deepcopy(event)
        spelled["tags"][1][1] = "HERE"
        text = json.dumps(["EVENT", spelled]).replace("HERE", escape)
        await client.send(text)
        assert (await client.until("OK", event["id"]))[2]

    _run(arbiter, case)


@pytest.mark.parametrize("age_seconds", [_WEEK_SECONDS, 365 * 86_400, -365 * 86_400])
def test_an_ephemeral_event_of_another_day_is_refused(
    arbiter: ArbiterRun, age_seconds: int
) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        accepted, text = await _verdict(client, _harmless(endpoints, age_seconds=age_seconds))
        assert not accepted
        assert text.startswith("invalid: ")

    _run(arbiter, case)


def test_what_is_no_chess_is_refused_and_the_line_stays_open(arbiter: ArbiterRun) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        keys = nostr_sdk.Keys.generate()
        for kind in (0, 1, 3, 5, 1059, 10_002, 22_242, 25_000, 30_000, 65_535):
            accepted, text = await _verdict(client, signed(keys, kind, "", []))
            assert not accepted
            assert text.startswith(("blocked: ", "invalid: "))
        assert (await _verdict(client, _harmless(endpoints)))[0]

    _run(arbiter, case)


def test_the_arbiters_own_kinds_are_taken_from_nobody(arbiter: ArbiterRun) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        keys = nostr_sdk.Keys.generate()
        for kind in (64, 20_301, _STATE, 20_304, 30_300):
            tags = [["d", "0" * 32], ["p", endpoints.server]]
            accepted, text = await _verdict(client, signed(keys, kind, "", tags))
            assert not accepted
            assert text.startswith(("blocked: ", "restricted: "))

    _run(arbiter, case)


# ----------------------------------------------------------------------- subscriptions


def test_a_subscription_stays_open_after_eose_until_it_is_closed(arbiter: ArbiterRun) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        keys = nostr_sdk.Keys.generate()
        wanted = {"kinds": [REQUEST_TO_PLAY], "authors": [keys.public_key().to_hex()]}
        assert await client.request("first", wanted) == []
        async with opened(endpoints) as author:
            event = _harmless(endpoints, keys=keys)
            assert (await _verdict(author, event))[0]
            assert (await client.until("EVENT", "first"))[2] == event
            # It is ephemeral: nobody who comes later is shown it.
            assert await _shown(author, wanted) == []
            await client.say("CLOSE", "first")
            await client.request("other", wanted)
            second = _harmless(endpoints, ["n", "2"], keys=keys)
            assert (await _verdict(author, second))[0]
            assert (await client.until("EVENT", "other"))[2] == second
        assert client.passed_over == []

    _run(arbiter, case)


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"kinds": [1]},
        {"kinds": [70_000]},
        {"#t": ["chess"]},
        {"search": "chess"},
        {"limit": 5},
        {"kinds": [_STATE], "limit": -1},
        {"kinds": "20302"},
        {"#p": ["not hex"]},
    ],
)
def test_a_filter_that_can_find_nothing_here_is_closed_with_a_reason(
    arbiter: ArbiterRun, wanted: dict[str, Any]
) -> None:
    async def case(_: Endpoints, client: RawSocket) -> None:
        await client.say("REQ", "wanted", wanted)
        reason = (await client.until("CLOSED", "wanted"))[2]
        assert reason.startswith(("invalid: ", "restricted: ", "unsupported: "))

    _run(arbiter, case)


@asynccontextmanager
async def _finished_game(endpoints: Endpoints) -> AsyncIterator[dict[str, Any]]:
    async with seated(endpoints) as table:
        found = next(frame for frame in table.white.heard if isinstance(frame, Told))
        await table.play(FOOLS_MATE)
        await table.until_over()
        (game_id,) = found.values("d")
        yield {"d": game_id, "p": table.white.pubkey}


def test_a_game_is_found_by_every_filter_that_names_it_and_by_no_other(arbiter: ArbiterRun) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        async with _finished_game(endpoints) as game:
            named = {"#d": [game["d"]]}
            both = await _shown(client, named | {"kinds": [_STATE, _NOTE]})
            assert {event["kind"] for event in both} == {_STATE, _NOTE}
            dates = [event["created_at"] for event in both]
            assert dates == sorted(dates, reverse=True)
            assert [event for event in both if event["pubkey"] != endpoints.server] == []
            (state,) = await _shown(client, named | {"kinds": [_STATE]})
            date = state["created_at"]
            for narrower, is_found in (
                ({"authors": [endpoints.server]}, True),
                ({"authors": [game["p"]]}, False),
                ({"#p": [game["p"]]}, True),
                ({"#p": [endpoints.server]}, False),
                ({"since": date}, True),
                # It is dated when it is shown.
                ({"until": date + 3_600}, True),
                ({"until": date - 1}, False),
                ({"since": date + 3_600}, False),
                ({"limit": 1}, True),
                ({"limit": 0}, False),
                ({"#d": ["f" * 32]}, False),
            ):
                shown = await _shown(client, named | {"kinds": [_STATE]} | narrower)
                assert bool(shown) is is_found, narrower
            assert len(await _shown(client, named, {"#p": [game["p"]], "kinds": [_NOTE]})) >= 2

    _run(arbiter, case)


# -------------------------------------------------------------------------------- AUTH


def test_a_protected_event_is_taken_after_its_author_has_proved_his_key(
    arbiter: ArbiterRun,
) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        keys = nostr_sdk.Keys.generate()
        event = _harmless(endpoints, ["-"], keys=keys)
        accepted, text = await _verdict(client, event)
        assert not accepted
        assert text.startswith("auth-required: ")
        proof = _proof(keys, endpoints, await _challenge(client))
        await client.say("AUTH", proof)
        assert (await client.until("OK", proof["id"]))[2]
        assert (await _verdict(client, event))[0]
        # Another's stays another's, and is restricted, for there is nothing left to ask.
        stranger, text = await _verdict(client, _harmless(endpoints, ["-"]))
        assert not stranger
        assert text.startswith(("auth-required: ", "restricted: "))

    _run(arbiter, case)


@pytest.mark.parametrize("flaw", ["kind", "relay", "challenge", "age", "signature"])
def test_a_proof_with_a_flaw_proves_nothing(arbiter: ArbiterRun, flaw: str) -> None:
    async def case(endpoints: Endpoints, client: RawSocket) -> None:
        keys = nostr_sdk.Keys.generate()
        event = _harmless(endpoints, ["-"], keys=keys)
        await _verdict(client, event)
        proof = _proof(keys, endpoints, await _challenge(client), flaw)
        await client.say("AUTH", proof)
        _, _, accepted, text = await client.until("OK", proof["id"])
        assert not accepted
        assert text.startswith(("invalid: ", "restricted: ", "auth-required: "))
        assert not (await _verdict(client, event))[0]

    _run(arbiter, case)


async def _challenge(client: RawSocket) -> str:
    """The relay's challenge (NIP-42), which may have come before the OK."""
    known = [message for message in client.passed_over if message[0] == "AUTH"]
    return str((known[-1] if known else await client.until("AUTH"))[1])


def _proof(
    keys: nostr_sdk.Keys, endpoints: Endpoints, challenge: str, flaw: str = ""
) -> dict[str, Any]:
    relay = "wss://another.example" if flaw == "relay" else endpoints.websocket
    told = "another" if flaw == "challenge" else challenge
    kind = 1 if flaw == "kind" else _AUTH
    age_seconds = 1800 if flaw == "age" else 0
    tags = [["relay", relay], ["challenge", told]]
    proof = signed(keys, kind, "", tags, age_seconds=age_seconds)
    return proof | ({"sig": "00" * 64} if flaw == "signature" else {})
