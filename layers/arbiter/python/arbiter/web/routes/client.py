"""The web client: its page, for the route of ``/``, and its files."""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.web.client_files import CONTENT_TYPES, ClientFiles, content
from arbiter.web.deps import WebDeps
from arbiter.web.http import TWO_SECONDS, Representation, answer, problem

FOREVER = "public, max-age=31536000, immutable"
"""RFC 8246, for files whose names are hashes of what is in them."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: https:; "
    # Arbiters and relays may be anywhere; without TLS only on this machine.
    "connect-src 'self' ws: wss: https: http://127.0.0.1:* http://localhost:*; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What the page itself says, for other hosts."""

POLICY = f"{PAGE_POLICY}; frame-ancestors 'none'"
"""The Content-Security-Policy of the page and its files, of which one is a worker."""

_HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}

Answer = Response[Any]


def router(deps: WebDeps) -> APIGatewayHttpRouter:
    """The files of the web client."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    def found(name: str, cache_control: str) -> Answer:
        headers = routes.current_event.headers
        shown = deps.client and _shown(deps.client, name, headers, cache_control)
        missing = "This arbiter has no such file; a new release has others."
        return shown or problem(HTTPStatus.NOT_FOUND, missing)

    @routes.get("/assets/<name>")
    def _asset(name: str) -> Answer:
        return found(f"assets/{name}", FOREVER)

    @routes.get("/service-worker.js")
    def _worker() -> Answer:
        return found("service-worker.js", TWO_SECONDS)

    return routes


def page(client: ClientFiles, headers: Mapping[str, str]) -> Answer | None:
    """The page at ``/``, which has other documents for other clients."""
    return _shown(client, "index.html", headers, TWO_SECONDS, vary="Accept, ")


def _shown(
    client: ClientFiles,
    name: str,
    headers: Mapping[str, str],
    cache_control: str,
    vary: str = "",
) -> Answer | None:
    chosen = client.chosen(name, headers.get("accept-encoding"))
    if chosen is None:
        return None
    path, encoding = chosen
    shown = Representation(
        content_type=CONTENT_TYPES[Path(name).suffix],
        make=lambda: content(path),
        tag=_tag(path),
        cache_control=cache_control,
        headers={**_HEADERS, "Vary": f"{vary}Accept-Encoding"},
    )
    found = answer(shown, headers.get("if-none-match"))
    if encoding and found.status_code == HTTPStatus.OK:
        found.headers["Content-Encoding"] = encoding
    return found


@cache
def _tag(path: Path) -> str:
    """RFC 9110 section 8.8.3.3: a strong tag is of one encoding, as a file is."""
    return f'"{sha256(content(path)).hexdigest()[:32]}"'
