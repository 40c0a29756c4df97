"""The ways in which routes answer: by ``Accept`` as a page or as JSON, or as another text."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.web.deps import WebDeps
from arbiter.web.http import HTML, JSON, answer_text, problem, to_json, wants_page
from arbiter.web.pages import HEADERS, Where
from arbiter.web.request import base_url
from arbiter.web.views import View

Answer = Response[Any]


class Answering:
    """Answers to the present request of these routes."""

    def __init__(self, deps: WebDeps, routes: APIGatewayHttpRouter) -> None:
        self._deps = deps
        self._routes = routes

    def base(self) -> str:
        return base_url(self._deps.public_url, self._routes.current_event)

    def where(self) -> Where:
        return Where(self._deps.name, self.base(), has_client=self._deps.client is not None)

    @property
    def if_none_match(self) -> str | None:
        return self._routes.current_event.headers.get("if-none-match")

    def query(self, name: str) -> str | None:
        value = (self._routes.current_event.query_string_parameters or {}).get(name)
        return None if value is None else str(value)

    def negotiated(
        self,
        view: Callable[[], View],
        html: Callable[[Where], str],
        cache_control: str,
        headers: dict[str, str] | None = None,
        page_headers: dict[str, str] = HEADERS,
    ) -> Answer:
        own = {"Vary": "Accept", **(headers or {})}
        if wants_page(self._routes.current_event.headers.get("accept")):
            return self.text(html(self.where()), HTML, cache_control, page_headers | own)
        return self.text(to_json(view()), JSON, cache_control, own)

    def text(
        self,
        text: str,
        content_type: str,
        cache_control: str,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        return answer_text(text, content_type, cache_control, self.if_none_match, headers)


def link_to_next(url: str | None) -> dict[str, str]:
    return {"Link": f'<{url}>; rel="next"'} if url else {}


def bad_request(detail: str) -> Answer:
    return problem(HTTPStatus.BAD_REQUEST, detail)
