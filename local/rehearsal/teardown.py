"""The end of a deployment: `make undeploy` leaves nothing.

Invariant: the whole account is listed before the first deployment and after the last step.
"""

from local.console import say, step
from local.deploy import STACK_NAME
from local.rehearsal import expect
from local.rehearsal.account import Account, Inventory, beyond
from local.rehearsal.cloud import DeployedStack, program
from local.settings import Settings

_UNDEPLOY = ("deploy.undeploy", "--stack-name", STACK_NAME)


class Teardown:
    """Takes everything down. Made before the first deployment, to see what was there."""

    def __init__(self, settings: Settings, account: Account, stack: DeployedStack) -> None:
        self._settings = settings
        self._account = account
        self._stack = stack
        self._before = account.inventory()
        _say_inventory("the account by itself", self._before)

    def run(self) -> None:
        """Delete all, once the stack's name is typed."""
        outputs = self._stack.outputs()
        kept = program(self._settings, *_UNDEPLOY, said="another name\n")
        expect(kept.returncode == 1 and self._stack.outputs() == outputs, "it was deleted unasked")
        with step("deleting everything (make undeploy)", "deleted"):
            done = program(self._settings, *_UNDEPLOY, said=STACK_NAME + "\n")
        expect(done.returncode == 0, f"deploy.undeploy: {done.stdout}{done.stderr}")
        for line in done.stdout.splitlines()[1:]:
            say(f"    {line}")
        expect(outputs["TableName"] in done.stdout, "it does not say which table it deleted")
        left = self._left("left in the end (the encryption key goes in a week)")
        expect(not left, "something is left over, see above")

    def _left(self, when: str) -> dict[str, tuple[str, ...]]:
        left = beyond(self._account.inventory(), self._before)
        _say_inventory(when, {kind: frozenset(names) for kind, names in left.items()})
        return left


def _say_inventory(when: str, found: Inventory) -> None:
    shown = "; ".join(
        f"{kind} {', '.join(sorted(names))}" for kind, names in sorted(found.items()) if names
    )
    say(f"    {when}: {shown or 'nothing'}")
