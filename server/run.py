"""The server's life: open the file, serve until a signal comes, finish what was begun, close."""

import asyncio
import contextlib
import gc
import logging
import os
import resource
import signal
import socket
from collections.abc import Iterator
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast

import uvicorn

from arbiter.adapters.sqlite.store import Store
from arbiter.application.announce import announce, announcement
from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import Clock
from arbiter.nostr.keys import SecretKey
from arbiter.web.client_files import built_client
from server.bounded_http import BoundedHttp
from server.bounded_socket import BoundedSocket
from server.bridge_api import PATH
from server.endpoints import Endpoints, endpoints_path, write_endpoints
from server.http_api import Receive, answer
from server.limits import MAX_FRAME_BYTES
from server.log import write_batched_lines
from server.relay_check import report
from server.settings import Settings
from server.sockets import Send
from server.wiring import Parts, make_parts

_log = logging.getLogger("arbiter")

PING_SECONDS = 60.0
"""Time between pings to a silent client, and time for it to answer."""
DRAIN_SECONDS = 10.0
READER_SECONDS = 5.0
"""Longest wait for the process that reads, so that the first to connect need not."""
ANNOUNCE_SECONDS = 24 * 60 * 60
BACKLOG = 2048
_GARBAGE = 20_000
"""New objects before Python looks for garbage; hardly any of ours is in a cycle."""


class Server(uvicorn.Server):
    """Serves the parts; before sockets are closed, what waits is finished and answered."""

    def __init__(self, config: uvicorn.Config, parts: Parts) -> None:
        super().__init__(config)
        self._parts = parts

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGTERM and SIGINT; what follows here is done before the process ends."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish, then say goodbye to clients."""
        for server in self.servers:
            server.close()
        await drain(self._parts)
        await super().shutdown(sockets)


async def drain(parts: Parts) -> None:
    """Take nothing more from relays and sockets, and finish what was taken."""
    parts.transactions.stop_accepting()
    if parts.bridge is not None:
        parts.bridge.close()
    if parts.listener is not None:
        await asyncio.to_thread(parts.listener.close)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            await parts.transactions.wait_idle()
            await parts.processing.wait_published()


async def serve(settings: Settings, key: SecretKey, clock: Clock | None = None) -> None:
    """Serve until SIGTERM or SIGINT, by the system's clock if none is given. Raises StoreError, and
    OSError if the port is taken.
    """
    write_batched_lines(settings.log_level)
    _allow_many_sockets()
    with contextlib.ExitStack() as opened:
        listening = opened.enter_context(_listen(settings))
        store = opened.enter_context(Store.open(settings.database))
        parts = make_parts(settings, key, store, clock, reads_elsewhere=True)
        parts.delays.start(settings.data / "starts.json")
        left = parts.processing.take_unfinished()
        parts.finish_rating()
        server = Server(_config(parts, settings), parts)
        working = [
            asyncio.create_task(parts.transactions.serve(), name="transactions"),
            asyncio.create_task(parts.timekeeper.serve(), name="timekeeper"),
            asyncio.create_task(parts.delays.serve(), name="delays"),
            asyncio.create_task(parts.edge.serve(), name="edge"),
            asyncio.create_task(parts.meter.serve(), name="meter"),
        ]
        if parts.reader is not None:
            reads = parts.reader.serve(settings, key)
            working.append(asyncio.create_task(reads, name="reader"))
        if parts.listener is not None:
            parts.listener.start()
            report(settings.relays, settings.data)
        if parts.announcing is not None:
            working.append(asyncio.create_task(_announce(parts.announcing, parts, settings)))
        for task in working:
            task.add_done_callback(partial(_end_with, server))
        # The objects of now stay: they need not be searched for garbage again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(_GARBAGE)
        try:
            _log.info({"status": "serving", "at": settings.base_url, "unfinished": left})
            if parts.reader is not None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(READER_SECONDS):
                        await parts.reader.is_ready.wait()
            with _endpoints(settings, key):
                await server.serve(sockets=[listening])
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)
            parts.transactions.flush()
            parts.notices.close()
            if parts.to_relays is not None:
                await parts.to_relays.close()
        for task in working:
            if not task.cancelled():
                task.result()
    _log.info({"status": "stopped"})


def _config(parts: Parts, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        _asgi(parts, settings),
        http=cast("type[asyncio.Protocol]", partial(BoundedHttp, parts.edge)),
        ws=cast("type[asyncio.Protocol]", partial(BoundedSocket, parts.edge)),
        loop="none",
        lifespan="off",
        interface="asgi3",
        access_log=False,
        log_config=None,
        # A warning is about what a stranger sent.
        log_level="error",
        backlog=BACKLOG,
        ws_max_size=MAX_FRAME_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


def _end_with(server: Server, task: "asyncio.Task[None]") -> None:
    """End the process if one of its tasks failed: half of a server answers players with silence."""
    if not task.cancelled() and (failure := task.exception()) is not None:
        _log.error({"status": "failed", "task": task.get_name()}, exc_info=failure)
        server.should_exit = True


def _listen(settings: Settings) -> socket.socket:
    host, port = settings.listen.host, settings.listen.port
    is_ipv6 = ":" in host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    # From here on clients wait instead of being turned away: the file of endpoints is written
    # before the first is taken.
    return socket.create_server(
        (host, port), family=family, backlog=BACKLOG, dualstack_ipv6=is_ipv6
    )


def _allow_many_sockets() -> None:
    """As many open files as the system lets us have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextlib.contextmanager
def _endpoints(settings: Settings, key: SecretKey) -> Iterator[None]:
    """Say in the data folder where the server is, while it serves; in ENDPOINTS_FILE if set."""
    path = Path(os.environ.get("ENDPOINTS_FILE") or endpoints_path(settings.data))
    endpoints = Endpoints(
        server_pubkey=key.pubkey,
        relays=settings.relays or (settings.gateway_url,),
        http=settings.base_url,
        websocket=settings.gateway_url,
        web=settings.base_url if built_client() else None,
        house=settings.house,
        pid=os.getpid(),
    )
    write_endpoints(path, endpoints.to_json())
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


async def _announce(deps: ArbiterDeps, parts: Parts, settings: Settings) -> None:
    """Publish the arbiter's profile every day, and to a new relay that has none."""
    while True:
        try:
            events = announcement(deps, settings.name, parts.relays, settings.house)
            accepted = await asyncio.to_thread(announce, deps, events)
            _log.info({"status": "announced", "events": accepted})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ANNOUNCE_SECONDS):
                    while parts.to_relays is not None:
                        relay, restored = await parts.to_relays.restore(events)
                        if restored:
                            _log.info({"status": "announced", "relay": relay, "events": restored})
        except Exception as failure:  # noqa: BLE001 - no relay may be up yet
            _log.warning({"status": "not-announced", "why": type(failure).__name__})
            await asyncio.sleep(60)


def _is_local(scope: dict[str, Any]) -> bool:
    """Whether a client of this machine asks, and no proxy for another."""
    client = scope.get("client") or ("",)
    try:
        return ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _asgi(parts: Parts, settings: Settings) -> Any:  # noqa: ANN401 - ASGI has no types of its own
    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await parts.gateway.serve(scope, receive, send)
        elif scope["path"] == "/metrics" and settings.metrics == "local" and not _is_local(scope):
            await answer(send, 403, [], b"")
        elif scope["path"] == "/metrics":
            text = parts.metrics.text().encode()
            headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
            await answer(send, 200, headers, text)
        elif parts.bridge is not None and scope["path"].startswith(PATH):
            await parts.bridge.serve(scope, receive, send)
        else:
            await parts.http.serve(scope, receive, send)

    return app
