"""Rate limits of the HTTP API: requests of one address, requests with one browser id, and new games
of one address. If the counters fail, the request is answered.
"""

import hashlib
import logging
from collections.abc import Iterator

from arbiter.application.connections import network_of
from arbiter.web.deps import WebDeps
from arbiter.web.request import Request

_MINUTE_SECONDS = 60
_HOUR_SECONDS = 3600

_log = logging.getLogger(__name__)

_Count = tuple[str, int, int]
"""A key, a limit, and the window in seconds."""


def retry_after_seconds(deps: WebDeps, request: Request) -> int | None:
    """How long this client must wait; None if the request may pass. Never raises.

    The address is counted first, so that one address cannot create counters for endless browser
    ids.
    """
    now_ms = deps.clock.now_ms()
    try:
        for key, limit, window_seconds in _counts(deps, request):
            if limit and not deps.rate_limits.take(key, limit, window_seconds, now_ms):
                return window_seconds - now_ms // 1000 % window_seconds
    except Exception:  # noqa: BLE001 - see above
        _log.exception("requests are not counted")
    return None


def _counts(deps: WebDeps, request: Request) -> Iterator[_Count]:
    limits, address = deps.limits, network_of(request.address)
    yield f"http#{address}", limits.per_address, _MINUTE_SECONDS
    if request.path == "/new-game":
        yield f"http-new#{address}", limits.new_games_per_address, _HOUR_SECONDS
    elif browser_id := request.headers.get("browser_id"):
        digest = hashlib.sha256(browser_id.encode("utf-8", "surrogatepass")).hexdigest()
        yield f"http-browser#{digest}", limits.per_browser, _MINUTE_SECONDS
