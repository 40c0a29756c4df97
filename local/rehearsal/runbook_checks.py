"""Procedures of docs/runbook.md, carried out: restore and copy back a table, redrive a dead letter,
exchange the key.

Invariant: by the programs that the runbook names, with results read from the account.
"""

import asyncio
import dataclasses
import os
import time
from collections.abc import Mapping

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from local.console import say, step
from local.deploy import STACK_NAME, Deployment
from local.rehearsal import expect
from local.rehearsal.account import Account
from local.rehearsal.cloud import DeployedStack, program, store_key
from local.rehearsal.side_games import a_rated_challenge, read
from local.settings import Settings

_PATIENCE_SECONDS = 60.0


class RunbookChecks:
    """The runbook, each by itself."""

    def __init__(
        self,
        settings: Settings,
        account: Account,
        stack: DeployedStack,
        deployment: Deployment,
        given: Mapping[str, str],
    ) -> None:
        """``given`` are the parameters that are deployed."""
        self._settings = settings
        self._account = account
        self._stack = stack
        self._deployment = deployment
        self._given = given

    def restore(self, game_id: str) -> None:
        """Lose this game, and have it back from the table of the moment before."""
        live = self._stack.outputs()["TableName"]
        tables = self._account.client("dynamodb")
        key = {"pk": {"S": f"g#{game_id}"}}
        item = tables.get_item(TableName=live, Key=key)["Item"]
        # The emulator has no past to restore: this is what an interrupted run leaves on AWS.
        tables.restore_table_to_point_in_time(
            SourceTableName=live, TargetTableName=f"{live}-restored", UseLatestRestorableTime=True
        )
        tables.delete_item(TableName=live, Key=key)
        with step("losing a game, and restoring it (deploy.restore)", "copied back"):
            said = self._program("deploy.restore", "--stack-name", STACK_NAME)
        for line in said.splitlines():
            say(f"    {line}")
        back = tables.get_item(TableName=live, Key=key).get("Item")
        expect(back == item, f"the game came back as {back}")
        tables.delete_table(TableName=f"{live}-restored")

    def redrive(self) -> None:
        """Bury a record, and give it back: it is processed and gone."""
        outputs = self._stack.outputs()
        queues = self._account.client("sqs")
        queues.send_message(
            QueueUrl=outputs["MovesDeadLettersUrl"],
            MessageBody="a dead letter of the rehearsal",
            MessageGroupId="rehearsal",
            MessageDeduplicationId="rehearsal",
        )
        with step("giving a dead letter back (deploy.redrive)", "given back"):
            said = self._program("deploy.redrive", "--stack-name", STACK_NAME, "moves")
            self._await_nothing(outputs["MovesQueueUrl"])
        say(f"    {said}")
        expect(said == "moves: 1 given back, 0 left", f"it printed {said}")
        expect(self._stack.dead_letters() == 0, "it became a dead letter again")

    def exchange_key(self, endpoints: Endpoints, old: SecretKey) -> None:
        """Exchange the key, see the old one refused, and play a rated game with the new."""
        new = SecretKey.generate(os.urandom(32))
        with step("deploying with another ServerPubkey", "deployed"):
            self._deployment.deploy({**self._given, "ServerPubkey": new.pubkey})
        stored = ("deploy.server_key", "store", "--stack-name", STACK_NAME)
        refused = program(self._settings, *stored, said=old.to_nsec() + "\n")
        expect(refused.returncode == 1, "the old key was stored again")
        expect(old.to_hex() not in refused.stderr, "a key was shown")
        with step("storing the new key (deploy.server_key)", "signs as the new one"):
            said = store_key(self._settings, new)
        expect(encode_npub(new.pubkey) in said, f"it signs as another: {said}")
        mine = dataclasses.replace(endpoints, server=new.pubkey, npub=encode_npub(new.pubkey))
        names = read(mine, "/.well-known/nostr.json?name=_").json()["names"]
        expect(names == {"_": new.pubkey}, f"its name is still {names}")
        with step("a rated challenge to the new key", "played to mate"):
            asyncio.run(a_rated_challenge(mine))
        said = self._program("deploy.verify_table", "--table", self._stack.outputs()["TableName"])
        say(f"    the live table: {said}")

    def _program(self, module: str, *arguments: str) -> str:
        done = program(self._settings, module, *arguments)
        expect(done.returncode == 0, f"{module}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def _await_nothing(self, queue_url: str) -> None:
        queues = self._account.client("sqs")
        kinds = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            told = queues.get_queue_attributes(QueueUrl=queue_url, AttributeNames=kinds)
            if not any(int(told["Attributes"][kind]) for kind in kinds):
                return
            if time.monotonic() > until:
                raise TimeoutError("what was given back is not processed")
            time.sleep(0.2)
