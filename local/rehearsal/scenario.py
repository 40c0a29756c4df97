"""The steps of a rehearsal, in order; a failed check ends it."""

import asyncio
import dataclasses
import time
from collections.abc import Mapping

from arbiter.adapters.dynamodb.connections import DynamoDbDayCounters
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from local.console import say, step
from local.deploy import STACK_NAME, Deployment, Stack, house_parameters, parameters
from local.processes import PartFailed, Supervisor
from local.proxy import await_proxy, proxy_part
from local.rehearsal import CheckFailed, expect
from local.rehearsal.account import Account, Inventory, beyond
from local.rehearsal.budget import spent_day
from local.rehearsal.build_variants import IMPOSSIBLE, PROBE, impossible_queue, variant
from local.rehearsal.cloud import DeployedStack, operator, strict_ministack
from local.rehearsal.game import SCRIPT, LongGame
from local.rehearsal.side_games import (
    a_game_with_the_house,
    a_game_without_moves,
    a_hot_seat_game,
    a_rated_challenge,
    read,
    read_everything,
)
from local.rehearsal.updates import Updates
from local.relay import start_relay
from local.settings import Settings, derived_house

_HALF = 20
_BEFORE_THE_FAILURE = 46
_BEFORE_THE_END = 74


class Rehearsal:
    """A deployment's life, step by step."""

    def __init__(self, settings: Settings, key: SecretKey, supervisor: Supervisor) -> None:
        """``key`` is the arbiter's own; ``supervisor`` has what is started."""
        self._settings = settings
        self._key = key
        self._supervisor = supervisor
        self._account = Account(settings.aws_url)
        self._stack = DeployedStack(self._account)
        self._deployment = Deployment(settings, supervisor)
        self._house = derived_house(dataclasses.replace(settings, house=(1,)), key)
        self._given = {
            **parameters(settings, key.pubkey),
            **house_parameters(self._house),
            # As in the cloud: the listener is the function, and not a process of this machine.
            "Listeners": "1",
            # All that a parameter adds to the stack, but for what the emulator does not know: a
            # concurrency that is no default.
            "KeyEncryption": "customer",
            "AlarmEmail": "operator@example.org",
            # As `small` has it: default takes more than a new account's quota.
            "MovesConcurrency": "2",
        }
        self._endpoints = Endpoints(
            server=key.pubkey,
            npub=encode_npub(key.pubkey),
            relays=settings.relay_urls,
            http=settings.http_url,
            websocket=settings.websocket_url,
        )

    async def everything(self) -> None:
        self._start()
        empty = self._account.inventory()
        self._build()
        self._fail(empty)
        seconds = self._deploy()
        async with LongGame.begun(self._endpoints) as game:
            unbegun = asyncio.create_task(a_game_without_moves(self._endpoints))
            await self._half_a_game(game)
            updates = Updates(self._stack, self._deployment, self._given, seconds)
            await updates.change(game, _BEFORE_THE_FAILURE)
            self._try_forbidden_calls()
            await updates.fail(game, _BEFORE_THE_END)
            async with spent_day(self._endpoints, self._counters()):
                await self._to_mate(game)
            with step("waiting for the end of a game without moves", "ended by its clock"):
                await unbegun
        lost = self._stack.dead_letters()
        expect(lost == 0, f"{lost} records became dead letters")
        self._delete(empty)

    def _start(self) -> None:
        settings, supervisor = self._settings, self._supervisor
        start_relay(settings, supervisor)
        with step("starting an empty account (MiniStack)", "account"):
            supervisor.start(strict_ministack(settings))
            supervisor.wait_for_http("ministack", settings.ports.aws, "/_ministack/health")

    def _build(self) -> None:
        with step("building functions and layers (sam build)", "built"):
            self._deployment.build()

    def _fail(self, empty: Inventory) -> None:
        """Deploy what cannot be created, where there is no stack yet: of it nothing is left."""
        built = self._deployment.built
        template = variant(built, built.parent / "none", "none", **impossible_queue())
        with step("a first deployment that cannot be created", "undone"):
            try:
                self._deployment.deploy(self._given, template)
            except PartFailed:
                why = self._stack.why_failed(IMPOSSIBLE)
            else:
                raise CheckFailed("`sam deploy` succeeded with a resource that cannot be created")
        expect(bool(why), "it failed for another reason")
        status = self._stack.status()
        expect(status == "ROLLBACK_COMPLETE", f"the stack is {status}")
        left = _but_uploads(beyond(self._account.inventory(), empty))
        expect(left == {"stacks": (STACK_NAME,)}, f"left over in the account: {left}")
        with step("deleting the stack that failed", "nothing is left"):
            self._stack.delete()
        left = _but_uploads(beyond(self._account.inventory(), empty))
        expect(not left, f"left over in the account: {left}")

    def _deploy(self) -> float:
        built = self._deployment.built
        with step("deploying template.yaml (sam deploy)", "deployed"):
            started = time.monotonic()
            self._deployment.deploy(self._given, variant(built, built.parent / "first", "first"))
            took_seconds = time.monotonic() - started
        expect(self._stack.status() == "CREATE_COMPLETE", f"the stack is {self._stack.status()}")
        say(f"    CREATE_COMPLETE: {len(self._stack.resources())} resources")
        with step("storing the key (deploy.server_key)", "key"):
            self._store(self._key)
        outputs = self._stack.outputs()
        with step("starting the proxy and the listener function", "both APIs answer"):
            self._supervisor.start(proxy_part(self._settings, Stack(outputs)))
            await_proxy(self._settings, self._supervisor)
            self._stack.start(outputs["RelayListenerFunctionName"])
        return took_seconds

    def _store(self, key: SecretKey) -> None:
        done = operator(self._settings, "server_key", "store", said=key.to_nsec() + "\n")
        expect(done.returncode == 0, f"the key was not stored: {done.stderr}")
        expect(encode_npub(key.pubkey) in done.stdout, f"it signs as another: {done.stdout}")

    async def _half_a_game(self, game: LongGame) -> None:
        with step(f"playing to ply {_HALF} over the relay", f"{_HALF} plies"):
            slowest = await game.play_to(_HALF)
        say(f"    the slowest seen by both after {slowest:.2f} s")
        with step("one ply over the gateway, read over HTTP", f"{_HALF + 1} plies"):
            await game.one_over_the_gateway()
            told = read(self._endpoints, f"/games/{game.id}").json()
            expect(told["ply"] == game.ply, f"HTTP shows {told}")
        with step("a challenge, a house player, a game over HTTP, every page", "side games"):
            await a_rated_challenge(self._endpoints)
            await a_game_with_the_house(self._endpoints, self._house[0].pubkey)
            await asyncio.to_thread(a_hot_seat_game, self._endpoints)
            await asyncio.to_thread(read_everything, self._endpoints, game.id, game.white)

    def _try_forbidden_calls(self) -> None:
        """Calls that the listener's role does not grant: MiniStack must refuse them."""
        outputs = self._stack.outputs()
        calls = [
            _call("ssm", "get_parameter", Name=outputs["KeyParameterName"], WithDecryption=True),
            _call("dynamodb", "scan", TableName=outputs["TableName"]),
            _call("sqs", "purge_queue", QueueUrl=outputs["MovesQueueUrl"]),
        ]
        with step("calls that the listener's role does not grant", "refused"):
            told = self._stack.invoke(self._stack.resources()[PROBE], calls)
        expect(all("AccessDenied" in answer for answer in told), f"it was told {told}")

    async def _to_mate(self, game: LongGame) -> None:
        with step("playing on to mate", f"{len(SCRIPT)} plies, and the note (kind 64)"):
            await game.to_the_end()
        pgn = read(self._endpoints, f"/games/{game.id}.pgn").text
        is_whole = "41. Kc1 Rc2# 0-1" in " ".join(pgn.split())
        expect(is_whole, f"over HTTP the game reads otherwise: {pgn}")

    def _counters(self) -> DynamoDbDayCounters:
        table = self._stack.outputs()["ShortLivedTableName"]
        return DynamoDbDayCounters(lambda: self._account.client("dynamodb"), table)

    def _delete(self, empty: Inventory) -> None:
        outputs = self._stack.outputs()
        kept = operator(self._settings, "undeploy", said="another name\n")
        expect(kept.returncode == 1 and self._stack.outputs() == outputs, "it was deleted unasked")
        with step("deleting everything (make undeploy)", "deleted"):
            done = operator(self._settings, "undeploy", said=STACK_NAME + "\n")
        expect(done.returncode == 0, f"deploy.undeploy: {done.stdout}{done.stderr}")
        left = beyond(self._account.inventory(), empty)
        expect(not left, f"left over in the account: {left}")
        say("    left in the account: nothing but the encryption key, which goes in a week")


def _but_uploads(left: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The resources that are left, without those for the uploads of `sam`, which go with it."""
    named = {kind: tuple(it for it in names if "sam-cli" not in it) for kind, names in left.items()}
    return {kind: names for kind, names in named.items() if names}


def _call(service: str, operation: str, **arguments: object) -> dict[str, object]:
    return {"service": service, "operation": operation, "arguments": arguments}
