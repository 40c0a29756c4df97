"""How much one client may ask.

Three counts, over windows: the requests of one address, those with one browser id, and the new
games of one address, which are kept for ever. When the counts cannot be kept the request is
answered: a table of counters that is down shall not take the games with it.
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
"""A key, how many may pass in a window, and how long the window is in seconds."""


def retry_after_seconds(deps: WebDeps, request: Request) -> int | None:
    """How long this client must wait; None when the request may pass. Never raises.

    The address is counted first, or one address could make us count browser ids without end.
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
