"""What the API says of itself: that it is there, its contract, and the contract for people.

At ``/`` live three: chessgame-backend's clients ask whether the API is up, Nostr clients ask what
relay this is (NIP-11: "an HTTP(s) request… with an Accept header of application/nostr+json"), and a
browser, which prefers ``text/html``, is shown the games that go on.
"""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.queries import live_games
from arbiter.web.asking import USUAL_GAMES_A_PAGE, base_url
from arbiter.web.caching import HOUR, HTML, JSON, TWO_SECONDS, answer_text
from arbiter.web.contract import document_text
from arbiter.web.desk import WebDeps
from arbiter.web.docs_page import docs_page
from arbiter.web.front_page import front_page
from arbiter.web.negotiation import preferred
from arbiter.web.pages import HEADERS, Where

NOSTR_JSON = "application/nostr+json"


def router(desk: WebDeps) -> APIGatewayHttpRouter:
    """The three routes, at this desk."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    def where() -> Where:
        return Where(desk.name, base_url(desk.public_url, routes.current_event))

    def tagged(text: str, content_type: str, keep: str, headers: dict[str, str]) -> Response[Any]:
        if_none_match = routes.current_event.headers.get("if-none-match")
        return answer_text(text, content_type, keep, if_none_match, headers)

    @routes.get("/")
    def _root() -> Response[Any]:
        # Three documents at one address: a cache must look at the header too.
        vary = {"Vary": "Accept"}
        relay = [NOSTR_JSON] if desk.relay_information else []
        accept = routes.current_event.headers.get("accept")
        chosen = preferred(accept, (JSON, *relay, HTML))
        if chosen == NOSTR_JSON:
            document = json.dumps(dict(desk.relay_information), ensure_ascii=False)
            return Response(HTTPStatus.OK, NOSTR_JSON, document, vary)
        if chosen == HTML:
            games = live_games(desk.archive, USUAL_GAMES_A_PAGE, None).games
            page = front_page(games, where(), desk.server, desk.relays)
            return tagged(page, HTML, TWO_SECONDS, HEADERS | vary)
        return Response(HTTPStatus.OK, JSON, '{"message":"Api OK!"}', vary)

    @routes.get("/openapi.json")
    def _openapi() -> Response[Any]:
        return tagged(document_text(), JSON, HOUR, {})

    @routes.get("/docs")
    def _docs() -> Response[Any]:
        return tagged(docs_page(where()), HTML, HOUR, HEADERS)

    return routes
