"""Whether the account's quota of concurrent Lambda functions, ten of a new one, is enough: moves
that may take all leave none to the listener, and CloudFormation refuses a reservation late.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from deploy.stack import Refused

_SEEKS = 2
"""Batches of requests to play in parallel, as the template has it."""

_UNRESERVED = 100
"""Lambda keeps so many for functions without a reservation, or all of a smaller quota."""

_NOTICES = 5
"""Reserved by the template for the notice function, where it reserves anything."""

_SHARE = 0.8
"""The rest is for public functions without a bound, for timers and for what is republished."""

_ENOUGH = 1000
_ASK = (
    "aws service-quotas request-service-quota-increase --service-code lambda "
    f"--quota-code L-B99A9384 --desired-value {_ENOUGH}"
)


@dataclass(frozen=True, slots=True)
class Need:
    """The concurrency ``reserved`` for public functions, and used ``at_once`` by work."""

    reserved: int
    at_once: int


def need(parameters: Mapping[str, Any]) -> Need:
    # While the next listener starts there is one more.
    count = int(parameters["Listeners"])
    listeners = count + 1 if parameters["Relays"] and count else 0
    # The HTTP API has the same bound as the gateway.
    reserved = 2 * int(parameters["GatewayConcurrency"])
    reserved += _NOTICES if reserved else 0
    return Need(reserved, listeners + int(parameters["MovesConcurrency"]) + _SEEKS)


def shortage(quota: int, needed: Need) -> str | None:
    """Return the reason why this quota is not enough, and the remedy; None if it is."""
    if needed.reserved and quota - needed.reserved < _UNRESERVED:
        why = (
            f"This deployment reserves {needed.reserved} concurrent executions for gateway, "
            f"HTTP API and notices, and of the account's {quota} here {_UNRESERVED} must stay "
            "unreserved."
        )
    elif needed.at_once > _SHARE * (quota - needed.reserved):
        why = (
            f"Listeners and queues of this deployment may run {needed.at_once} functions at once, "
            f"and the account has a quota of {quota} in this region, {needed.reserved} of them "
            "reserved."
        )
    else:
        return None
    return (
        f"{why}\n"
        "Either begin with `make deploy PROFILE=small`, which fits into a quota of 10;\n"
        f"or ask AWS for {_ENOUGH}, which takes minutes to days and costs nothing:\n  {_ASK}"
    )


def check(
    functions: Any,  # noqa: ANN401 - boto3's client
    parameters: Mapping[str, Any],
    own: Sequence[str] = (),
) -> str:
    """The quota in a line, if it can be read. Raises Refused if it is not enough."""
    try:
        limits = functions.get_account_settings()["AccountLimit"]
    except (BotoCoreError, ClientError, KeyError) as error:
        return f"The quota of concurrent executions could not be read ({type(error).__name__})."
    needed, total = need(parameters), int(limits["ConcurrentExecutions"])
    # Other stacks of the account have reserved the difference.
    free = int(limits["UnreservedConcurrentExecutions"])
    for name in own:
        with contextlib.suppress(BotoCoreError, ClientError):
            told = functions.get_function_concurrency(FunctionName=name)
            free += int(told.get("ReservedConcurrentExecutions", 0))
    taken = needed.at_once + needed.reserved
    if why := shortage(min(free, total), needed):
        raise Refused(why)
    return f"Listeners, queues and what is reserved may run {taken} of {total} functions."
