"""What no role of ours may do, tried in the name of each.

Invariant: each call must be refused because of the role; any other error (no such table, a bad
argument) fails.
"""

from collections.abc import Mapping
from typing import Any

from local.rehearsal import expect
from local.rehearsal.build_variants import PLAIN_PROBE, probe_of
from local.rehearsal.cloud import DeployedStack

_REFUSED = frozenset(
    {"AccessDenied", "AccessDeniedException", "AuthorizationError", "AccessDeniedError"}
)
# Only these sign, and so may read the secret key.
SIGNERS = frozenset({"GatewayRole", "HouseRole", "ProcessEventsRole"})


def try_probes(stack: DeployedStack, roles: tuple[str, ...]) -> int:
    """Have every role try calls beyond its grants. Returns how many were refused; raises
    CheckFailed if one was not.
    """
    names, outputs = stack.resources(), stack.outputs()
    tried = {probe_of(role): forbidden_to(role, outputs) for role in roles}
    # Its role is granted this; the queue's own policy refuses it without TLS.
    tried[PLAIN_PROBE] = [_sent_to(outputs["MovesQueueUrl"])]
    refusals = 0
    for probe, calls in tried.items():
        told = stack.ask_probe(names[probe], calls)
        for call, answer in zip(calls, told, strict=True):
            expect(
                answer in _REFUSED,
                f"{probe} tried {call['service']}:{call['operation']} and was told {answer}",
            )
        refusals += len(calls)
    return refusals


def forbidden_to(role: str, outputs: Mapping[str, str]) -> list[dict[str, Any]]:
    """Calls that this role must be refused; ``outputs`` are the stack's."""
    table, queue = outputs["TableName"], outputs["MovesQueueUrl"]
    calls = [
        _call("dynamodb", "scan", TableName=table),
        _call("dynamodb", "delete_table", TableName=table),
        _call("sqs", "purge_queue", QueueUrl=queue),
        _sent_to(outputs["MovesDeadLettersUrl"]),
        _call("ssm", "get_parameter", Name="/somebody/elses"),
        _call("iam", "list_roles"),
        _call("lambda", "list_functions"),
        _call("s3", "list_buckets"),
    ]
    if role not in SIGNERS:
        name = outputs["KeyParameterName"]
        calls.append(_call("ssm", "get_parameter", Name=name, WithDecryption=True))
    if role == "RelayListenerRole":
        asked = {table: {"Keys": [{"pk": {"S": "game#probe"}}]}}
        calls.append(_call("dynamodb", "batch_get_item", RequestItems=asked))
    return calls


def _sent_to(queue: str) -> dict[str, Any]:
    named = {"MessageGroupId": "probe", "MessageDeduplicationId": "probe"}
    return _call("sqs", "send_message", QueueUrl=queue, MessageBody="{}", **named)


def _call(service: str, operation: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"service": service, "operation": operation, "arguments": arguments}
