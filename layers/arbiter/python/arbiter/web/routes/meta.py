"""The routes about the API itself: status, contract and documentation, the web client and its
files, the arbiter's NIP-05 name, and its health.

``/`` is the status for chessgame-backend's clients, the NIP-11 document for Nostr clients, and the
web client for browsers. ``/about`` needs no JavaScript, and is in its place where none was built.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.queries import live_games
from arbiter.web import http
from arbiter.web.answering import Answering
from arbiter.web.client_files import CONTENT_TYPES, ClientFiles, content
from arbiter.web.deps import WebDeps
from arbiter.web.list_pages import front_page
from arbiter.web.openapi import docs_page, document_text
from arbiter.web.pages import HEADERS
from arbiter.web.request import USUAL_GAMES_A_PAGE
from arbiter.web.views import View, health_view

NOSTR_JSON = "application/nostr+json"


def router(deps: WebDeps) -> APIGatewayHttpRouter:
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    to = Answering(deps, routes)

    def about(headers: dict[str, str]) -> Response[Any]:
        hidden = deps.policy.now().hidden
        games = live_games(deps.archive, USUAL_GAMES_A_PAGE, None, hidden).games
        text = front_page(games, to.where(), deps.server, deps.relays)
        return to.text(text, http.HTML, http.TWO_SECONDS, HEADERS | headers)

    @routes.get("/")
    def _root() -> Response[Any]:
        # Three documents at one URL: caches must distinguish them.
        vary = {"Vary": "Accept"}
        relay = [NOSTR_JSON] if deps.relay_information else []
        accept = routes.current_event.headers.get("accept")
        chosen = http.preferred(accept, (http.JSON, *relay, http.HTML))
        if chosen == NOSTR_JSON:
            document = json.dumps(relay_view(deps), ensure_ascii=False)
            return Response(HTTPStatus.OK, NOSTR_JSON, document, vary)
        if chosen == http.HTML:
            client = deps.client and page(deps.client, routes.current_event.headers)
            return client or about(vary)
        return Response(HTTPStatus.OK, http.JSON, '{"message":"Api OK!"}', vary)

    @routes.get("/about")
    def _about() -> Response[Any]:
        return about({})

    @routes.get("/openapi.json")
    def _openapi() -> Response[Any]:
        return to.text(document_text(), http.JSON, http.HOUR)

    @routes.get("/docs")
    def _docs() -> Response[Any]:
        return to.text(docs_page(to.where()), http.HTML, http.HOUR, HEADERS)

    return routes


def relay_view(deps: WebDeps) -> View:
    """The NIP-11 document, with the operator's text while ``closed``, and days of vacation."""
    closed, days = deps.policy.why_closed(deps.clock.now_ms()), deps.policy.now().vacation_days
    said = {"closed": closed, "vacation_days": days}
    return {**deps.relay_information, **{name: value for name, value in said.items() if value}}


# NIP-05: "the <local-part> part will be restricted to the characters a-z0-9-_., case-insensitive".
_NOT_IN_A_NAME = re.compile("[^a-z0-9._-]+")


def names_router(deps: WebDeps) -> APIGatewayHttpRouter:
    """``/.well-known/nostr.json``, which "MUST NOT return any HTTP redirects", and ``/healthz``."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    to = Answering(deps, routes)

    @routes.get("/.well-known/nostr.json")
    def _names() -> Response[Any]:
        return to.text(http.to_json(names_view(deps, to.query("name"))), http.JSON, http.MINUTE)

    @routes.get("/healthz")
    def _health() -> Response[Any]:
        view = health_view(deps.health.report(), has_table=deps.health.has_table())
        status = HTTPStatus.SERVICE_UNAVAILABLE if view["faults"] else HTTPStatus.OK
        return Response(status, http.JSON, http.to_json(view), {"Cache-Control": http.NEVER})

    return routes


def names_view(deps: WebDeps, asked: str | None) -> View:
    """The arbiter's names and relays, or those of the name that is asked for."""
    name = _NOT_IN_A_NAME.sub("-", deps.name.lower()).strip("-")
    names = {one: deps.server for one in ("_", name) if one and asked in (None, one)}
    return {"names": names, "relays": {deps.server: [*deps.relays]} if names else {}}


FOREVER = "public, max-age=31536000, immutable"
"""RFC 8246, for files whose names are hashes of what is in them."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: https:; "
    # Arbiters and relays may be anywhere; without TLS only on this machine.
    "connect-src 'self' ws: wss: https: http://127.0.0.1:* http://localhost:*; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""The policy of the page itself, for other hosts."""

POLICY = f"{PAGE_POLICY}; frame-ancestors 'none'"
"""The Content-Security-Policy of the page and its files, of which one is a worker."""

_HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}

Answer = Response[Any]


def client_router(deps: WebDeps) -> APIGatewayHttpRouter:
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    def found(name: str, cache_control: str) -> Answer:
        headers = routes.current_event.headers
        shown = deps.client and _shown(deps.client, name, headers, cache_control)
        missing = "This arbiter has no such file; a new release has others."
        return shown or http.problem(HTTPStatus.NOT_FOUND, missing)

    @routes.get("/assets/<name>")
    def _asset(name: str) -> Answer:
        return found(f"assets/{name}", FOREVER)

    @routes.get("/service-worker.js")
    def _worker() -> Answer:
        return found("service-worker.js", http.TWO_SECONDS)

    return routes


def page(client: ClientFiles, headers: Mapping[str, str]) -> Answer | None:
    """The page at ``/``, which has other documents for other clients."""
    return _shown(client, "index.html", headers, http.TWO_SECONDS, vary="Accept, ")


def _shown(
    client: ClientFiles, name: str, headers: Mapping[str, str], cache_control: str, vary: str = ""
) -> Answer | None:
    chosen = client.chosen(name, headers.get("accept-encoding"))
    if chosen is None:
        return None
    path, encoding = chosen
    shown = http.Representation(
        content_type=CONTENT_TYPES[Path(name).suffix],
        make=lambda: content(path),
        tag=_tag(path),
        cache_control=cache_control,
        headers={**_HEADERS, "Vary": f"{vary}Accept-Encoding"},
    )
    found = http.answer(shown, headers.get("if-none-match"))
    if encoding and found.status_code == HTTPStatus.OK:
        found.headers["Content-Encoding"] = encoding
    return found


@cache
def _tag(path: Path) -> str:
    """RFC 9110 section 8.8.3.3: a strong tag is of one encoding, as a file is."""
    return f'"{sha256(content(path)).hexdigest()[:32]}"'
