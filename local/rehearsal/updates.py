"""Deployments in the middle of a game: one that succeeds, and one that fails half-way.

Invariant: moves go on while `sam deploy` works, and the result is read from the account: the
functions' code and variables, the log, the stack's status.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from local.console import say, step
from local.deploy import Deployment
from local.processes import PartFailed
from local.rehearsal import expect
from local.rehearsal.build_variants import (
    ADDED_QUEUE,
    CHANGED_FUNCTION,
    IMPOSSIBLE,
    log_line_of,
    variant,
    with_additions,
    with_impossible_queue,
    written,
)
from local.rehearsal.cloud import DeployedStack
from local.rehearsal.game import LongGame

_LOG = "/arbiter/arbiter"
# The moves are spread over more than a deployment takes, so that they come until its end.
_SPREAD = 1.4
_PLIES_AFTER = 4
_ILLEGAL_MOVES = "5"


def failed_half_way(events: Sequence[Mapping[str, str]]) -> str:
    """Why the impossible failed, if the function had been updated by then; empty if not.

    ``events`` are CloudFormation's of one update, the oldest first.
    """
    has_changed = False
    for event in events:
        match event["LogicalResourceId"], event["ResourceStatus"]:
            case (name, "UPDATE_COMPLETE") if name == CHANGED_FUNCTION:
                has_changed = True
            # AWS says CREATE_FAILED; the emulator says UPDATE_FAILED of new resources too.
            case (name, status) if name == IMPOSSIBLE and status.endswith("_FAILED"):
                return event.get("ResourceStatusReason", "") if has_changed else ""
            case _:
                pass
    return ""


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

    def change(self, game: LongGame, limit: int) -> None:
        """Deploy a changed function, a changed parameter and more resources; play on."""
        code_before, _ = self._function()
        folder = self._folder / "second"
        changed = with_additions(variant(self._deployment.built, folder, "second"))
        given = {**self._given, "IllegalMovesToLose": _ILLEGAL_MOVES}
        with (
            step("deploying a changed template while moves keep coming", "updated"),
            game.moves_coming(limit, self._pause_seconds(game, limit)) as stretch,
        ):
            self._deployment.deploy(given, written(folder, changed))
        status = self._stack.status()
        expect(status == "UPDATE_COMPLETE", f"the stack is {status}")
        code, variables = self._function()
        expect(code != code_before, "the function's code is the old one")
        expect(variables["ILLEGAL_MOVES_TO_LOSE"] == _ILLEGAL_MOVES, "the parameter did not arrive")
        expect(ADDED_QUEUE in self._stack.resources(), "the added queue is not there")
        say(
            f"    UPDATE_COMPLETE: {len(self._stack.resources())} resources; meanwhile "
            f"{len(stretch.seconds)} plies, the slowest seen by both after {stretch.slowest:.2f} s"
        )
        self._play_on(game)
        expect(self._stack.log_says(_LOG, log_line_of("second")), "the new code never ran")
        say("    its log says that the second variant answered")

    def fail(self, game: LongGame, limit: int) -> None:
        """Deploy what cannot be made, see it rolled back, and play on."""
        before = self._function()
        resources = self._stack.resources()
        folder = self._folder / "third"
        broken = with_impossible_queue(
            with_additions(variant(self._deployment.built, folder, "third"))
        )
        with (
            step(
                "deploying a resource that cannot be created, while moves keep coming",
                "failed, as it must",
            ),
            game.moves_coming(limit, self._pause_seconds(game, limit)) as stretch,
        ):
            failure = self._failed_deployment(folder, broken)
        expect(bool(failure), "`sam deploy` succeeded with a resource that cannot be created")
        reason = failed_half_way(self._stack.last_update())
        expect(bool(reason), f"it did not fail half-way, or for another reason: {failure}")
        status = self._stack.status()
        expect(status == "UPDATE_ROLLBACK_COMPLETE", f"the stack is {status}")
        expect(self._function() == before, "the function was not rolled back")
        expect(self._stack.resources() == resources, "the resources are not those from before")
        say(f"    the function was updated, and then {IMPOSSIBLE} failed: {reason}")
        say(
            "    UPDATE_ROLLBACK_COMPLETE: code, variables and resources are those from before; "
            f"meanwhile {len(stretch.seconds)} plies, the slowest seen by both after "
            f"{stretch.slowest:.2f} s"
        )
        tried = self._stack.log_says(_LOG, log_line_of("third"))
        say(f"    the third variant {'answered for a while' if tried else 'never answered'}")
        self._play_on(game)

    def _failed_deployment(self, folder: Path, template: Mapping[str, object]) -> str:
        given = {**self._given, "IllegalMovesToLose": "7"}
        try:
            self._deployment.deploy(given, written(folder, template))
        except PartFailed as failure:
            return str(failure)
        return ""

    def _play_on(self, game: LongGame) -> None:
        with step("playing on", "nothing lost"):
            stretch = game.play_to(game.ply + _PLIES_AFTER)
            say(f"    to ply {game.ply}, the slowest seen by both after {stretch.slowest:.2f} s")

    def _pause_seconds(self, game: LongGame, limit: int) -> float:
        return _SPREAD * self._expected_seconds / (limit - game.ply)

    def _function(self) -> tuple[str, Mapping[str, str]]:
        return self._stack.function(self._stack.resources()[CHANGED_FUNCTION])
