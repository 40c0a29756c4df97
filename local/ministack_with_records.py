"""MiniStack that checks every call against the caller's role and records each check.

MiniStack's own Python runs this file, with AUTH=true, so that functions have the credentials of
their roles. Each check becomes a line of JSON in the file named by CALLS_FILE: caller, action,
resource, and whether it was granted.

Invariant: actions are named as by AWS. SQS allows a batch by the action for one message, while
MiniStack asks for actions that do not exist. Calls count as made over TLS, as all to AWS are,
except those of functions named for plain HTTP, which try the refusal of that.
"""

import importlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_AS_AWS_CALLS_IT = {
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}
WITHOUT_TLS = "PlainSpeaker"
"""A caller with this in its name counts as not using TLS, as no call to the emulator does."""


class Recorder:
    """Wraps MiniStack's check. Its parts are arguments, since the development environment has no
    MiniStack to import from.
    """

    def __init__(
        self,
        enforce: Callable[..., Any],
        caller_of: Callable[[str], str],
        take_as_secure: Callable[[], None],
        calls: Path,
    ) -> None:
        """``enforce`` is the check itself: None means granted. ``caller_of`` makes an ARN of an
        access key, empty where it is no role's.
        """
        self._enforce = enforce
        self._caller_of = caller_of
        self._take_as_secure = take_as_secure
        self._calls = calls
        self._lock = threading.Lock()

    def __call__(
        self,
        access_key_id: str,
        iam_action: str,
        service: str,
        region: str,
        resource_arn: str = "*",
        service_context: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever MiniStack's own answers
        """Check as MiniStack does, by AWS's name for the action, and note it if a role asked."""
        action = _AS_AWS_CALLS_IT.get(iam_action, iam_action)
        caller = self._caller_of(access_key_id)
        if WITHOUT_TLS not in caller:
            self._take_as_secure()
        refusal = self._enforce(
            access_key_id,
            action,
            service,
            region,
            resource_arn=resource_arn,
            service_context=service_context,
        )
        if caller:
            self._note(caller, action, resource_arn, granted=refusal is None)
        return refusal

    def _note(self, caller: str, action: str, resource: str, *, granted: bool) -> None:
        line = json.dumps(
            {"caller": caller, "action": action, "resource": resource, "granted": granted}
        )
        with self._lock, self._calls.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def in_its_group(extract: Callable[..., str]) -> Callable[..., str]:
    """MiniStack's naming of resources, with schedules in the group that the request names. AWS:
    schedule/GROUP/NAME; MiniStack takes every group for `default`.
    """

    def arn_of(
        service: str,
        method: str,
        path: str,
        headers: Any,  # noqa: ANN401 - passed on
        body: bytes,
        *others: Any,  # noqa: ANN401 - passed on
    ) -> str:
        arn = extract(service, method, path, headers, body, *others)
        if service == "scheduler" and body:
            group = json.loads(body).get("GroupName", "default")
            arn = arn.replace(":schedule/default/", f":schedule/{group}/", 1)
        return arn

    return arn_of


def of_each_table(context_of: Callable[[bytes], dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """MiniStack's condition keys of a request to DynamoDB, which reads the attributes that a
    BatchGetItem names for its table and not only those that a request names at its top.
    """

    def keys_of(body: bytes) -> dict[str, Any]:
        try:
            tables = json.loads(body)["RequestItems"].values()
            requests = [json.dumps(table).encode() for table in tables if "Keys" in table]
        except (AttributeError, KeyError, TypeError, ValueError):
            requests = []
        # No function of ours names two tables in one call.
        return context_of(requests[0] if len(requests) == 1 else body)

    return keys_of


def main() -> None:
    """Run MiniStack as its own command would, with its checks written down."""
    app = importlib.import_module("ministack.app")
    evaluator: Any = importlib.import_module("ministack.core.iam_evaluator")
    actions: Any = importlib.import_module("ministack.core.iam_actions")
    sessions = importlib.import_module("ministack.services.sts")

    def caller_of(access_key_id: str) -> str:
        session = sessions._sessions.get(access_key_id)  # noqa: SLF001
        return str(session.get("Arn", "")) if session else ""

    def take_as_secure() -> None:
        address, _ = evaluator._request_origin.get()  # noqa: SLF001
        evaluator.pin_request_origin(address, True)

    calls = Path(os.environ["CALLS_FILE"])
    evaluator.enforce = Recorder(evaluator.enforce, caller_of, take_as_secure, calls)
    actions.extract_resource_arn = in_its_group(actions.extract_resource_arn)
    actions.dynamodb_service_context = of_each_table(actions.dynamodb_service_context)
    app.main()


if __name__ == "__main__":
    main()
