"""The steps of a rehearsal, in their order.

Invariant: each step prints what it does, its result and its seconds; a failed check ends the
rehearsal.
"""

import asyncio
import time
from concurrent.futures import Future
from dataclasses import replace

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from deploy import quota
from deploy.stack import Refused
from local.console import say, step
from local.deploy import Deployment, Stack, house_parameters, parameters
from local.processes import Supervisor
from local.proxy_check import await_proxy, proxy_part
from local.rehearsal import CheckFailed, expect
from local.rehearsal.account import Account
from local.rehearsal.build_variants import PROBES, function_roles
from local.rehearsal.cloud import DeployedStack, calls_file, store_key, strict_ministack
from local.rehearsal.game import SCRIPT, LongGame, Stretch
from local.rehearsal.iam_usage import REASONS, compare, lines_of, named
from local.rehearsal.probes import try_probes
from local.rehearsal.runbook_checks import RunbookChecks
from local.rehearsal.side_games import (
    a_game_with_the_house,
    a_game_without_moves,
    a_hot_seat_game,
    a_rated_challenge,
    a_stranger_talks,
    read,
    read_everything,
)
from local.rehearsal.teardown import Teardown
from local.rehearsal.transfer import a_game_from_one_machine
from local.rehearsal.updates import Updates
from local.relay import relay_part
from local.settings import ROOT, Settings, derived_house
from local.template import Template

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
        self._stack = DeployedStack(self._account, calls_file(settings))
        self._deployment = Deployment(settings, supervisor)
        self._house = derived_house(replace(settings, house=(1,)), key)
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

    def everything(self) -> None:
        """All steps. Raises at a failed check."""
        self._start()
        teardown = Teardown(self._settings, self._account, self._stack)
        seconds = self._deploy()
        outputs = self._stack.outputs()
        a_game_from_one_machine(self._settings, self._supervisor, self._endpoints, outputs)
        with LongGame.begun(self._endpoints) as game:
            unbegun = game.beside(a_game_without_moves(self._endpoints))
            self._half_a_game(game)
            updates = Updates(self._stack, self._deployment, self._given, seconds)
            updates.change(game, _BEFORE_THE_FAILURE)
            updates.fail(game, _BEFORE_THE_END)
            self._to_mate(game, unbegun)
        self._compare_roles()
        runbook = RunbookChecks(
            self._settings, self._account, self._stack, self._deployment, self._given
        )
        runbook.restore(game.id)
        runbook.redrive()
        runbook.exchange_key(self._endpoints, self._key)
        teardown.run()

    def hints(self) -> list[str]:
        """Calls that were refused to the arbiter's own functions so far: a possible cause of a
        failure.
        """
        return [
            f"{call.function} was refused {call.action} on {call.resource}"
            for call in sorted(self._stack.calls(PROBES))
            if not call.granted
        ]

    def _start(self) -> None:
        settings, supervisor = self._settings, self._supervisor
        with step("starting a relay and an empty account (MiniStack)", "relay and account"):
            supervisor.start(relay_part(settings))
            self._supervisor.wait_for_http("relay", settings.ports.relay, "/")
            supervisor.start(strict_ministack(settings))
            self._supervisor.wait_for_http("ministack", settings.ports.aws, "/_ministack/health")

    def _deploy(self) -> float:
        """The first deployment, and how many seconds it took."""
        self._expect_to_fit()
        with step("building functions and layers (sam build)", "built"):
            self._deployment.build()
        with step("deploying template.yaml (sam deploy)", "deployed"):
            started = time.monotonic()
            self._deployment.deploy(self._given)
            took_seconds = time.monotonic() - started
        expect(self._stack.status() == "CREATE_COMPLETE", f"the stack is {self._stack.status()}")
        say(f"    CREATE_COMPLETE: {len(self._stack.resources())} resources")
        with step("storing the key (deploy.server_key)", "key"):
            said = store_key(self._settings, self._key)
        for line in said.splitlines():
            say(f"    {line}")
        outputs = self._stack.outputs()
        with step("starting the proxy and the listener function", "both APIs answer"):
            self._supervisor.start(proxy_part(self._settings, Stack(outputs)))
            await_proxy(self._settings, self._supervisor)
            self._stack.listen(outputs["RelayListenerFunctionName"])
        return took_seconds

    def _expect_to_fit(self) -> None:
        """What `make deploy` asks before it deploys, of an account that runs ten functions."""
        given = {**Template.read(ROOT / "template.yaml").defaults(), **self._given}
        answer = quota.check(self._account.client("lambda"), given)
        if isinstance(answer, Refused):
            raise CheckFailed(answer.text)
        expect("of 10 functions" in answer, f"the account is not a new one: {answer}")
        say(f"    {answer}")

    def _half_a_game(self, game: LongGame) -> None:
        with step(f"playing to ply {_HALF} over the relay", f"{_HALF} plies"):
            say_slowest(game.play_to(_HALF))
        with step("one ply over the gateway, read over HTTP", f"{_HALF + 1} plies"):
            game.one_over_the_gateway()
            told = read(self._endpoints, f"/games/{game.id}").json()
            expect(told["ply"] == game.ply, f"HTTP shows {told}")
        what = "a challenge, a house player, a stranger's events, a game over HTTP, every page"
        with step(what, "side games"):
            asyncio.run(a_rated_challenge(self._endpoints))
            asyncio.run(a_game_with_the_house(self._endpoints, self._house[0].pubkey))
            asyncio.run(a_stranger_talks(self._endpoints, game.id))
            a_hot_seat_game(self._endpoints)
            read_everything(self._endpoints, game.id, game.players[0])

    def _to_mate(self, game: LongGame, unbegun: "Future[None]") -> None:
        with step("playing on to mate", f"{len(SCRIPT)} plies, and the note (kind 64)"):
            say_slowest(game.to_the_end())
        pgn = read(self._endpoints, f"/games/{game.id}.pgn").text
        expect(
            "41. Kc1 Rc2# 0-1" in " ".join(pgn.split()),
            f"over HTTP the game reads otherwise: {pgn}",
        )
        lost = self._stack.dead_letters()
        expect(lost == 0, f"{lost} records became dead letters")
        say(
            f"    both players saw every position in order; {game.sent_again} moves had to be sent "
            "again; no dead letters; the PGN over HTTP has every move"
        )
        with step("waiting for the end of a game without moves", "aborted by the clock function"):
            unbegun.result()

    def _compare_roles(self) -> None:
        roles = function_roles(Template.read(self._deployment.built / "template.yaml").content)
        with step("trying calls that no role may make", "refused"):
            refusals = try_probes(self._stack, roles)
        say(f"    {refusals} calls of {len(roles)} roles, all refused; one of them for lack of TLS")
        names = self._stack.resources()
        grants = self._stack.grants()
        calls = self._stack.calls(PROBES)
        comparison = compare(grants, calls, REASONS)
        logical = {physical: name for name, physical in names.items()}
        say(f"  Roles: {len(comparison.rows)} grants, {calls.total()} calls of the arbiter's own")
        for line in lines_of(comparison, logical):
            say(line)
        expect(not comparison.ungranted, "something was called that is not granted, see above")
        unexplained = "; ".join(named(grant, logical) for grant in comparison.unexplained)
        expect(not unexplained, f"granted, never called, without a stated reason: {unexplained}")


def say_slowest(stretch: Stretch) -> None:
    """Say how long the slowest ply of a stretch took."""
    say(f"    {len(stretch.seconds)} plies, the slowest seen by both after {stretch.slowest:.2f} s")
