"""The HTTP function: a request from API Gateway in (payload format 2.0), its response out."""

from functools import cache
from typing import Any

from arbiter import wiring
from arbiter.web.app import App, make_app


def handler(invocation: dict[str, Any], context: object) -> dict[str, Any]:
    """The response: ``{"statusCode": …, "headers": {…}, "body": …}``. Never raises for what is in
    the request.
    """
    return _app()(invocation, context)


@cache
def _app() -> App:
    wiring.set_up_logs()
    return make_app(wiring.web_deps())
