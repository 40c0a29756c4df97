"""What the API says of itself: that it is there, its contract, and the contract for people.

At ``/`` live three: chessgame-backend's clients ask whether the API is up, Nostr clients ask what
relay this is (NIP-11: "an HTTP(s) request… with an Accept header of application/nostr+json"), and a
person who opens it in a browser, which asks for ``text/html`` by name, is shown around.
"""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.reading import live_games
from arbiter.web.asking import USUAL_GAMES_A_PAGE
from arbiter.web.caching import HOUR, HTML, JSON, MOMENT, answer_text
from arbiter.web.contract import document_text
from arbiter.web.desk import WebDesk
from arbiter.web.docs_page import docs_page
from arbiter.web.front_page import front_page
from arbiter.web.pages import HEADERS

_AN_HOUR = {"Cache-Control": HOUR}


def router(desk: WebDesk) -> APIGatewayHttpRouter:
    """The three routes, at this desk."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    @routes.get("/")
    def _root() -> Response[Any]:
        event = routes.current_event
        accept = (event.headers.get("accept") or "").lower()
        # Three documents at one address: a cache must look at the header too.
        vary = {"Vary": "Accept"}
        if desk.relay_information and "application/nostr+json" in accept:
            document = json.dumps(dict(desk.relay_information), ensure_ascii=False)
            return Response(HTTPStatus.OK, "application/nostr+json", document, vary)
        if "text/html" in accept:
            return answer_text(
                _front_page(desk), HTML, MOMENT, event.headers.get("if-none-match"), HEADERS | vary
            )
        return Response(HTTPStatus.OK, JSON, '{"message":"Api OK!"}', vary)

    @routes.get("/openapi.json")
    def _openapi() -> Response[str]:
        return Response(HTTPStatus.OK, JSON, document_text(), _AN_HOUR)

    @routes.get("/docs")
    def _docs() -> Response[str]:
        return Response(HTTPStatus.OK, HTML, docs_page(), _AN_HOUR)

    return routes


def _front_page(desk: WebDesk) -> str:
    games = live_games(desk.archive, USUAL_GAMES_A_PAGE, None).games
    return front_page(games, desk.name, desk.server, desk.relays)
