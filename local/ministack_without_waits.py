"""MiniStack that waits for nothing that AWS does not wait for, on a fast web server.

MiniStack's own Python runs this file. An invocation that logs nothing is answered 50 ms late, in
case a line comes; here a line that comes later is told with the next invocation. A queue that was
found empty is not looked at for 50 ms, in which the answer to a move arrives; here it is 1 ms.

Of a call to a table, Hypercorn takes half of the processor time; here it is uvicorn with httptools
and uvloop, and the whole call takes half.
"""

import importlib
from functools import partialmethod
from typing import Any

_LINE_SECONDS = 0.002
_MORE_LINES_SECONDS = 0.001
_QUEUE_SECONDS = 0.001
_GOODBYE_SECONDS = 2


def main() -> None:
    """Run MiniStack as its own command would."""
    app: Any = importlib.import_module("ministack.app")
    runtime: Any = importlib.import_module("ministack.core.lambda_runtime")
    functions: Any = importlib.import_module("ministack.services.lambda_svc")
    hypercorn: Any = importlib.import_module("hypercorn.asyncio")
    uvloop: Any = importlib.import_module("uvloop")
    runtime.Worker._drain_stderr_bounded = partialmethod(  # noqa: SLF001
        runtime.Worker._drain_stderr_bounded,  # noqa: SLF001
        first_line_wait=_LINE_SECONDS,
        idle_confirm=_MORE_LINES_SECONDS,
    )
    gap = functions._ESM_IDLE_WAKE_GAP_SECONDS  # noqa: SLF001 - there, or this release differs
    functions._ESM_IDLE_WAKE_GAP_SECONDS = min(gap, _QUEUE_SECONDS)  # noqa: SLF001
    hypercorn.serve = serve  # what its command imports
    uvloop.install()
    app.main()


async def serve(app: Any, config: Any) -> None:  # noqa: ANN401 - MiniStack's and Hypercorn's
    """Serve by uvicorn what Hypercorn was to serve, where it was to."""
    uvicorn: Any = importlib.import_module("uvicorn")
    host, _, port = config.bind[0].rpartition(":")
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=int(port),
            http="httptools",
            ws="websockets-sansio",
            ws_per_message_deflate=False,
            ws_ping_interval=None,  # API Gateway sends none
            timeout_keep_alive=int(config.keep_alive_timeout),
            timeout_graceful_shutdown=_GOODBYE_SECONDS,
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            date_header=False,  # MiniStack's application sends one
        )
    )
    await server.serve()


if __name__ == "__main__":
    main()
