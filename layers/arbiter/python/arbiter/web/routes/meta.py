"""The routes about the API itself: its status, contract and documentation, the web client, the
arbiter's NIP-05 name, and its health.

``/`` has three documents: the status for chessgame-backend's clients, the NIP-11 document for Nostr
clients ("an HTTP(s) request… with an Accept header of application/nostr+json"), and the web client
for browsers. ``/about`` is a page that needs no JavaScript, and takes the web client's place where
none was built.
"""

import json
import re
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.queries import live_games
from arbiter.web.deps import WebDeps
from arbiter.web.http import (
    HOUR,
    HTML,
    JSON,
    MINUTE,
    NEVER,
    TWO_SECONDS,
    answer_text,
    preferred,
    to_json,
)
from arbiter.web.list_pages import front_page
from arbiter.web.openapi import docs_page, document_text
from arbiter.web.pages import HEADERS, Where
from arbiter.web.request import USUAL_GAMES_A_PAGE, base_url
from arbiter.web.routes.client import page
from arbiter.web.views import View, health_view

NOSTR_JSON = "application/nostr+json"


def router(deps: WebDeps) -> APIGatewayHttpRouter:
    """``/``, ``/about``, ``/openapi.json`` and ``/docs``."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    def where() -> Where:
        return Where(deps.name, base_url(deps.public_url, routes.current_event))

    def tagged(
        text: str, content_type: str, cache_control: str, headers: dict[str, str]
    ) -> Response[Any]:
        if_none_match = routes.current_event.headers.get("if-none-match")
        return answer_text(text, content_type, cache_control, if_none_match, headers)

    def about(headers: dict[str, str]) -> Response[Any]:
        games = live_games(deps.archive, USUAL_GAMES_A_PAGE, None).games
        text = front_page(games, where(), deps.server, deps.relays)
        return tagged(text, HTML, TWO_SECONDS, HEADERS | headers)

    @routes.get("/")
    def _root() -> Response[Any]:
        # Three documents at one URL: caches must distinguish them.
        vary = {"Vary": "Accept"}
        relay = [NOSTR_JSON] if deps.relay_information else []
        accept = routes.current_event.headers.get("accept")
        chosen = preferred(accept, (JSON, *relay, HTML))
        if chosen == NOSTR_JSON:
            document = json.dumps(dict(deps.relay_information), ensure_ascii=False)
            return Response(HTTPStatus.OK, NOSTR_JSON, document, vary)
        if chosen == HTML:
            client = deps.client and page(deps.client, routes.current_event.headers)
            return client or about(vary)
        return Response(HTTPStatus.OK, JSON, '{"message":"Api OK!"}', vary)

    @routes.get("/about")
    def _about() -> Response[Any]:
        return about({})

    @routes.get("/openapi.json")
    def _openapi() -> Response[Any]:
        return tagged(document_text(), JSON, HOUR, {})

    @routes.get("/docs")
    def _docs() -> Response[Any]:
        return tagged(docs_page(where()), HTML, HOUR, HEADERS)

    return routes


# NIP-05: "the <local-part> part will be restricted to the characters a-z0-9-_., case-insensitive".
_NOT_IN_A_NAME = re.compile("[^a-z0-9._-]+")


def names_router(deps: WebDeps) -> APIGatewayHttpRouter:
    """``/.well-known/nostr.json`` and ``/healthz``. NIP-05: the former "MUST NOT return any HTTP
    redirects".
    """
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    @routes.get("/.well-known/nostr.json")
    def _names() -> Response[Any]:
        event = routes.current_event
        text = to_json(names_view(deps, (event.query_string_parameters or {}).get("name")))
        return answer_text(text, JSON, MINUTE, event.headers.get("if-none-match"))

    @routes.get("/healthz")
    def _health() -> Response[Any]:
        view = health_view(deps.vitals.signs(), has_table=deps.vitals.has_table())
        status = HTTPStatus.SERVICE_UNAVAILABLE if view["faults"] else HTTPStatus.OK
        return Response(status, JSON, to_json(view), {"Cache-Control": NEVER})

    return routes


def names_view(deps: WebDeps, asked: str | None) -> View:
    """The arbiter's names and relays, or those of the name that is asked for."""
    name = _NOT_IN_A_NAME.sub("-", deps.name.lower()).strip("-")
    names = {one: deps.server for one in ("_", name) if one and asked in (None, one)}
    return {"names": names, "relays": {deps.server: [*deps.relays]} if names else {}}
