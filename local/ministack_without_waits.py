"""MiniStack that waits for nothing that AWS does not wait for.

MiniStack's own Python runs this file. An invocation that logs nothing is answered 50 ms late, in
case a line comes; here a line that comes later is told with the next invocation. A queue that was
found empty is not looked at for 50 ms, in which the answer to a move arrives; here it is 1 ms.
"""

import importlib
from functools import partialmethod
from typing import Any

_LINE_SECONDS = 0.002
_MORE_LINES_SECONDS = 0.001
_QUEUE_SECONDS = 0.001


def main() -> None:
    """Run MiniStack as its own command would."""
    app: Any = importlib.import_module("ministack.app")
    runtime: Any = importlib.import_module("ministack.core.lambda_runtime")
    functions: Any = importlib.import_module("ministack.services.lambda_svc")
    runtime.Worker._drain_stderr_bounded = partialmethod(  # noqa: SLF001
        runtime.Worker._drain_stderr_bounded,  # noqa: SLF001
        first_line_wait=_LINE_SECONDS,
        idle_confirm=_MORE_LINES_SECONDS,
    )
    gap = functions._ESM_IDLE_WAKE_GAP_SECONDS  # noqa: SLF001 - there, or this release differs
    functions._ESM_IDLE_WAKE_GAP_SECONDS = min(gap, _QUEUE_SECONDS)  # noqa: SLF001
    app.main()


if __name__ == "__main__":
    main()
