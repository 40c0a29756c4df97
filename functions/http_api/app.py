"""The HTTP function: a request from API Gateway in (payload format 2.0), its response out."""

from functools import cache
from http import HTTPStatus
from typing import Any

from arbiter import wiring
from arbiter.application import day_figures
from arbiter.application.connections import network_of
from arbiter.web.app import App, make_app


def handler(invocation: dict[str, Any], context: object) -> dict[str, Any]:
    """The response (``statusCode``, ``headers``, ``body``). Never raises for a request."""
    address = invocation.get("requestContext", {}).get("http", {}).get("sourceIp", "")
    with wiring.invoked(network_of(address), http_requests=1):
        answer = _app()(invocation, context)
        if answer["statusCode"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
            wiring.count(day_figures.FAULT)
        return answer


@cache
def _app() -> App:
    wiring.set_up_logs()
    return make_app(wiring.web_deps())
