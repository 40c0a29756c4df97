"""The end of a deployment: the stack is deleted, then what outlives it on purpose, then nothing is
left.

Invariant: the whole account is listed before the first deployment and after the last step.
"""

from local.console import say, step
from local.deploy import Deployment
from local.rehearsal import expect
from local.rehearsal.account import Account, Inventory, beyond
from local.rehearsal.cloud import DeployedStack

_MANAGED_STACK = "aws-sam-cli-managed-default"
_STACK_DELETED_TIMEOUT_SECONDS = 60


class Teardown:
    """Takes everything down. Made before the first deployment, to see what was there."""

    def __init__(self, account: Account, stack: DeployedStack, deployment: Deployment) -> None:
        self._account = account
        self._stack = stack
        self._deployment = deployment
        self._before = account.inventory()
        _say_inventory("the account by itself", self._before)

    def run(self) -> None:
        """Delete all, step by step, showing what is left after each."""
        outputs = self._stack.outputs()
        with step("deleting the stack (sam delete)", "deleted"):
            self._deployment.delete()
        left = self._left("left on purpose")
        kept = {
            "tables": (outputs["TableName"],),
            "keys": (outputs["KeyEncryptionKeyArn"],),
            "parameters": (outputs["KeyParameterName"],),
        }
        for kind, names in kept.items():
            expect(left.get(kind) == names, f"{kind} left over: {left.get(kind)}, and not {names}")
        others = left.keys() - kept.keys() - {"buckets", "stacks"}
        expect(not others, f"left over by accident: {sorted(others)}")
        with step("deleting table, encryption key and secret key", "deleted"):
            self._account.remove(*(names[0] for names in kept.values()))
        with step("emptying and deleting the bucket of uploads", "deleted"):
            for bucket in left.get("buckets", ()):
                versions = self._account.empty_bucket(bucket)
                say(f"    {bucket}: {versions} versions")
            self._account.delete_stack(_MANAGED_STACK, _STACK_DELETED_TIMEOUT_SECONDS)
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
