"""MiniStack, run by its own Python, that counts requests and invocations by their AWS names.

GET /_bench/calls answers the counts so far as JSON.
"""

import importlib
import json
import re
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

CALLS = "/_bench/calls"
_FUNCTION = re.compile(r"-(\w+?)Function-")

_App = Callable[..., Awaitable[None]]
_counts: Counter[str] = Counter()


def kind_of(method: str, path: str, headers: Mapping[bytes, bytes]) -> str:
    """The call's name: ``GetItem``, ``PostToConnection``; "" for a player's own request."""
    if target := headers.get(b"x-amz-target"):
        return target.decode("latin-1").rpartition(".")[2]
    if "/@connections/" in path:
        return "PostToConnection" if method == "POST" else "DeleteConnection"
    return ""


def function_of(name: str) -> str:
    found = _FUNCTION.search(name)
    return found[1] if found else name


def counted(app: _App) -> _App:

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        if scope["path"] == CALLS:
            head = {"type": "http.response.start", "status": 200, "headers": []}
            await send(head)
            await send({"type": "http.response.body", "body": json.dumps(_counts).encode()})
            return
        if kind := kind_of(scope["method"], scope["path"], dict(scope["headers"])):
            _counts[kind] += 1
        await app(scope, receive, send)

    return answer


def main() -> None:
    cloud: Any = importlib.import_module("ministack.app")
    functions: Any = importlib.import_module("ministack.services.lambda_svc")
    execute = functions._execute_function  # noqa: SLF001

    def execute_counted(function: dict[str, Any], *others: Any, **named: Any) -> Any:  # noqa: ANN401
        name = str((function.get("config") or {}).get("FunctionName", ""))
        _counts[f"invoke {function_of(name)}"] += 1
        return execute(function, *others, **named)

    functions._execute_function = execute_counted  # noqa: SLF001
    cloud.app = counted(cloud.app)
    sys.argv = ["ministack"]
    cloud.main()


if __name__ == "__main__":
    main()
