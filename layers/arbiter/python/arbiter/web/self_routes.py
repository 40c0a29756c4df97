"""What the arbiter says of itself to machines: who it is on Nostr (NIP-05), and how it is.

NIP-05: "The ``/.well-known/nostr.json`` endpoint MUST NOT return any HTTP redirects", and pages of
other sites read it, so it is answered here and open to all of them.
"""

import re
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.web.caching import JSON, MINUTE, NEVER, answer_text, to_json
from arbiter.web.desk import WebDeps
from arbiter.web.health import health_view
from arbiter.web.views import View

# NIP-05: "the <local-part> part will be restricted to the characters a-z0-9-_., case-insensitive".
_NOT_IN_A_NAME = re.compile("[^a-z0-9._-]+")


def names_router(desk: WebDeps) -> APIGatewayHttpRouter:
    """The two routes, at this desk."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    @routes.get("/.well-known/nostr.json")
    def _names() -> Response[Any]:
        event = routes.current_event
        text = to_json(names_view(desk, (event.query_string_parameters or {}).get("name")))
        return answer_text(text, JSON, MINUTE, event.headers.get("if-none-match"))

    @routes.get("/healthz")
    def _health() -> Response[Any]:
        view = health_view(desk.vitals.signs(), has_table=desk.vitals.has_table())
        status = HTTPStatus.SERVICE_UNAVAILABLE if view["faults"] else HTTPStatus.OK
        return Response(status, JSON, to_json(view), {"Cache-Control": NEVER})

    return routes


def names_view(desk: WebDeps, asked: str | None) -> View:
    """The arbiter's names and relays, or those of the one name that is asked for."""
    name = _NOT_IN_A_NAME.sub("-", desk.name.lower()).strip("-")
    names = {one: desk.server for one in ("_", name) if one and asked in (None, one)}
    return {"names": names, "relays": {desk.server: [*desk.relays]} if names else {}}
