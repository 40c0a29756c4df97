"""What the API says of itself: that it is there, its contract, and the contract for people.

At ``/`` live two: chessgame-backend's clients ask whether the API is up, and Nostr clients ask what
relay this is (NIP-11: "an HTTP(s) request… with an Accept header of application/nostr+json").
"""

import json
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.web.caching import HOUR, JSON
from arbiter.web.contract import document_text
from arbiter.web.desk import WebDesk
from arbiter.web.docs_page import docs_page

_AN_HOUR = {"Cache-Control": HOUR}


def router(desk: WebDesk) -> APIGatewayHttpRouter:
    """The three routes, at this desk."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    @routes.get("/")
    def _root() -> Response[str]:
        accept = routes.current_event.headers.get("accept") or ""
        # Two documents at one address: a cache must look at the header too.
        vary = {"Vary": "Accept"}
        if desk.relay_information and "application/nostr+json" in accept.lower():
            document = json.dumps(dict(desk.relay_information), ensure_ascii=False)
            return Response(HTTPStatus.OK, "application/nostr+json", document, vary)
        return Response(HTTPStatus.OK, JSON, '{"message":"Api OK!"}', vary)

    @routes.get("/openapi.json")
    def _openapi() -> Response[str]:
        return Response(HTTPStatus.OK, JSON, document_text(), _AN_HOUR)

    @routes.get("/docs")
    def _docs() -> Response[str]:
        return Response(HTTPStatus.OK, "text/html; charset=utf-8", docs_page(), _AN_HOUR)

    return routes
