"""Deployments in the middle of a game: one that succeeds, and one that fails half-way.

Invariant: moves go on meanwhile, and the result is read from the account.
"""

from collections.abc import Mapping

from local.console import say, step
from local.deploy import Deployment
from local.processes import PartFailed
from local.rehearsal import CheckFailed, expect
from local.rehearsal.build_variants import (
    ADDED_QUEUE,
    CHANGED_FUNCTION,
    IMPOSSIBLE,
    additions,
    impossible_queue,
    log_line_of,
    variant,
)
from local.rehearsal.cloud import DeployedStack
from local.rehearsal.game import LongGame

_LOG = "/arbiter/arbiter"
# The moves are spread over more than a deployment takes, so that they come until its end.
_SPREAD = 1.4
_PLIES_AFTER = 4
_ILLEGAL_MOVES = "5"


class Updates:
    """Both deployments, one after the other."""

    def __init__(
        self,
        stack: DeployedStack,
        deployment: Deployment,
        given: Mapping[str, str],
        expected_seconds: float,
    ) -> None:
        """``given`` are the parameters of the first deployment, which took ``expected_seconds``."""
        self._stack = stack
        self._deployment = deployment
        self._given = given
        self._expected_seconds = expected_seconds
        self._folder = deployment.built.parent

    async def change(self, game: LongGame, limit: int) -> None:
        """Deploy a changed function, a changed parameter and more resources; play on."""
        code_before, _ = self._function()
        template = variant(self._deployment.built, self._folder / "second", "second", **additions())
        given = {**self._given, "IllegalMovesToLose": _ILLEGAL_MOVES}
        with step("deploying a changed template while moves keep coming", "updated"):
            slowest = await game.play_during(
                lambda: self._deployment.deploy(given, template), limit, self._pause(game, limit)
            )
        status, (code, variables) = self._stack.status(), self._function()
        expect(status == "UPDATE_COMPLETE", f"the stack is {status}")
        expect(code != code_before, "the function's code is the old one")
        expect(variables["ILLEGAL_MOVES_TO_LOSE"] == _ILLEGAL_MOVES, "the parameter did not arrive")
        expect(ADDED_QUEUE in self._stack.resources(), "the added queue is not there")
        say(f"    UPDATE_COMPLETE; meanwhile the slowest ply was seen by both in {slowest:.2f} s")
        await self._play_on(game)
        expect(self._stack.log_says(_LOG, log_line_of("second")), "the new code never ran")

    async def fail(self, game: LongGame, limit: int) -> None:
        before, resources = self._function(), self._stack.resources()
        more = additions() | impossible_queue()
        template = variant(self._deployment.built, self._folder / "third", "third", **more)
        given = {**self._given, "IllegalMovesToLose": "7"}
        failure: list[str] = []

        def deploy() -> None:
            try:
                self._deployment.deploy(given, template)
            except PartFailed as failed:
                failure.append(str(failed))

        with step("deploying what cannot be created, while moves keep coming", "it failed"):
            slowest = await game.play_during(deploy, limit, self._pause(game, limit))
        if not failure:
            raise CheckFailed("`sam deploy` succeeded with a resource that cannot be created")
        # It depends on the function, so that was updated before.
        reason = self._stack.why_failed(IMPOSSIBLE)
        expect(bool(reason), f"it failed for another reason: {failure[0]}")
        status = self._stack.status()
        expect(status == "UPDATE_ROLLBACK_COMPLETE", f"the stack is {status}")
        expect(self._function() == before, "the function was not rolled back")
        expect(self._stack.resources() == resources, "the resources are not those from before")
        say(f"    the function was updated, then {IMPOSSIBLE} failed: {reason}")
        say(f"    UPDATE_ROLLBACK_COMPLETE; meanwhile the slowest ply took {slowest:.2f} s")
        await self._play_on(game)

    async def _play_on(self, game: LongGame) -> None:
        with step("playing on", "nothing lost"):
            slowest = await game.play_to(game.ply + _PLIES_AFTER)
        say(f"    to ply {game.ply}, the slowest in {slowest:.2f} s")

    def _pause(self, game: LongGame, limit: int) -> float:
        return _SPREAD * self._expected_seconds / (limit - game.ply)

    def _function(self) -> tuple[str, Mapping[str, str]]:
        return self._stack.function(self._stack.resources()[CHANGED_FUNCTION])
