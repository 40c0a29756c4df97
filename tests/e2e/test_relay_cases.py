"""The gateway as a relay for chess: the cases of relay-tester (github.com/mikedilger/relay-tester),
whose own publish notes, which a relay for chess refuses.
"""

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


def test_nostr_sdk_proves_its_key_by_itself_when_the_gateway_asks(alone: ArbiterRun) -> None:
    def publish(manner: str) -> str:
        program = Path(__file__).with_name("proving_client.py")
        where = (alone.endpoints.websocket, alone.endpoints.server)
        command = (sys.executable, str(program), *where, manner)
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    assert publish("be-silent").startswith("auth-required: ")
    assert publish("prove") == "taken"
