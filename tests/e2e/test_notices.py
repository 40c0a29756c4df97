"""A player who asks for notices has one from a whole arbiter, by direct message over a relay: in
the cloud by the notice function. Pushes are not tried here: their servers must be public.
"""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.policy import StoredPolicy
from clients.probes.raw_socket import Event, RawSocket, opened
from local.deploy import Cloud
from local.environment import client_settings
from tests.e2e.arbiter_run import ROOT, SERVE, WIRING, ArbiterRun

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_FUNCTIONS_OBEY_SECONDS = 90
_INBOX, _MESSAGE = 10050, 1059


def turn_notices_on(run: ArbiterRun) -> None:
    """As the operator does, on this machine or on a stack."""
    if WIRING == SERVE:
        command = (sys.executable, "-m", "server", "policy", "notices", "--data", str(run.run_dir))
        listen = run.endpoints.http.removeprefix("http://").rstrip("/")
        path = os.pathsep.join((str(ROOT), str(ROOT / "layers/arbiter/python")))
        subprocess.run((*command, "--listen", listen), env={"PYTHONPATH": path}, check=True)
        return
    aws = json.loads((run.run_dir / "endpoints.json").read_text(encoding="utf-8"))["aws"]
    stack = Cloud(aws).stack()
    assert stack is not None
    clients = AwsClients(client_settings(aws))
    policy = StoredPolicy(DynamoDbTable(clients.dynamodb, stack.outputs["TableName"]))
    before = policy.load()
    assert policy.commit(before, replace(before, notices=True))


async def ask(player: RawSocket, run: ArbiterRun) -> Event:
    """The answer to `notify:dm`, once the functions have read the policy anew."""
    async with asyncio.timeout(_FUNCTIONS_OBEY_SECONDS):
        while True:
            asked = player.signed(20300, "notify:dm", ["p", run.endpoints.server])
            await player.publish(asked)
            answer = await player.event("mine", 20301)
            if not answer["content"].startswith("error:not-offered-here"):
                return answer
            await asyncio.sleep(2)


async def test_who_asks_for_direct_messages_has_the_first_from_the_arbiter(
    arbiter: ArbiterRun,
) -> None:
    turn_notices_on(arbiter)
    keys: Any = nostr_sdk.Keys.generate()
    (relay, *_) = arbiter.endpoints.relays
    async with opened(replace(arbiter.endpoints, websocket=relay), keys) as player:
        await player.publish(player.signed(_INBOX, "", ["relay", relay]))
        await player.subscribe("mine", tag_p=[player.pubkey], kinds=[20301, _MESSAGE])
        assert (await ask(player, arbiter))["content"] == "notify"
        wrap = await player.event("mine", _MESSAGE)
    gift = nostr_sdk.UnwrappedGift.from_gift_wrap(keys, nostr_sdk.Event.from_json(json.dumps(wrap)))
    assert gift.sender().to_hex() == arbiter.endpoints.server
    said = json.loads(gift.rumor().as_json())["content"]
    assert said.startswith("You will hear here when it is your turn."), said
