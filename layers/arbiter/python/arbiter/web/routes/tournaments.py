"""The routes of tournaments, which people call events: JSON or a page, PGN, and TRF."""

import re
from collections.abc import Callable
from http import HTTPStatus

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.queries import games_of_tournament, pgn_of, with_ratings
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects.trf import Version, asked_text, report
from arbiter.web.answering import Answer, Answering, bad_request, link_to_next
from arbiter.web.deps import WebDeps
from arbiter.web.http import PGN, TWO_SECONDS, problem
from arbiter.web.pages import headers_of_page
from arbiter.web.tournament_pages import STYLE, Shape, events_page, tournament_page
from arbiter.web.tournament_views import listed_view, tournament_view

TRF = "text/plain; charset=us-ascii"

_ROUND = re.compile(r"[0-9]{1,5}")
_PLACE = re.compile(r"([0-9]{1,5})\.([0-9]{1,5})")

# Dictionaries, because before Python 3.12 ``text in Enum`` raises TypeError.
_SHAPES = {shape.value: shape for shape in Shape}
_VERSIONS = {version.value: version for version in Version}


def router(deps: WebDeps) -> APIGatewayHttpRouter:
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]
    to = Answering(deps, routes)

    @routes.get("/events/<name>/pgn")
    def _pgn(name: str) -> Answer:
        return _of(deps, name, lambda event: _games(deps, to, event))

    @routes.get("/events/<name>/trf")
    def _trf(name: str) -> Answer:
        return _of(deps, name, lambda event: _report(to, event))

    @routes.get("/events/<name>")
    def _event(name: str) -> Answer:
        return _of(deps, name, lambda event: _shown(to, event))

    @routes.get("/events")
    def _events() -> Answer:
        rows = deps.tournaments.newest()
        return to.negotiated(
            lambda: listed_view(rows), lambda where: events_page(rows, where), TWO_SECONDS
        )

    return routes


def _of(deps: WebDeps, name: str, show: Callable[[Tournament], Answer]) -> Answer:
    event = deps.tournaments.load(name)
    return show(event) if event else problem(HTTPStatus.NOT_FOUND, "There is no event of this id.")


def _shown(to: Answering, event: Tournament) -> Answer:
    shape = _SHAPES.get(to.query("view") or "")
    if shape is None:
        return bad_request("view is poster or embed.")
    is_embedded = shape is Shape.EMBED
    headers = headers_of_page(STYLE, is_embedded=is_embedded)
    return to.negotiated(
        lambda: tournament_view(event),
        lambda where: tournament_page(event, where, shape),
        TWO_SECONDS,
        page_headers=headers,
    )


def _games(deps: WebDeps, to: Answering, event: Tournament) -> Answer:
    after = to.query("after") or "0.0"
    place = _PLACE.fullmatch(after)
    if place is None:
        return bad_request("after is a round and a board, as in the answer before.")
    games, then = games_of_tournament(deps.games, event, (int(place[1]), int(place[2])))
    found = (with_ratings(deps.ratings, game) for game in games)
    text = "".join(pgn_of(one, deps.server, deps.pgns) for one in found)
    next_url = f"{to.base()}/events/{event.id}/pgn?after={then[0]}.{then[1]}" if then else None
    named = {"Content-Disposition": f'inline; filename="{event.id[:12]}.pgn"'}
    return to.text(text, PGN, TWO_SECONDS, named | link_to_next(next_url))


def _report(to: Answering, event: Tournament) -> Answer:
    if asked := to.query("round"):
        text = asked_text(event, int(asked)) if _ROUND.fullmatch(asked) else None
        if text is None:
            return problem(HTTPStatus.NOT_FOUND, "This round is not paired.")
        return to.text(text, TRF, TWO_SECONDS)
    version = _VERSIONS.get(to.query("version") or Version.TRF26)
    if version is None:
        return bad_request("version is trf26 or trf16.")
    ranks = {row.number: row.rank for row in standings(event)}
    named = {"Content-Disposition": f'inline; filename="{event.id[:12]}.{version}.txt"'}
    return to.text(report(event, version, ranks), TRF, TWO_SECONDS, named)
