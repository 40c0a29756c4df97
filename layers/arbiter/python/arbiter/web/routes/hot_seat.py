"""The routes of chessgame-backend, its error texts included (docs/dialects/hot_seat.md).
``/make-move`` changes the game by GET, because its clients do.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2 as Invocation

from arbiter.application.hot_seat import HotSeatDeps, RequestedMove, load, make_move, new_game
from arbiter.core.game import EVENT_KEY_BYTES, GAME_ID_BYTES, Game
from arbiter.dialects.hot_seat import (
    legal_moves_reply,
    load_game_reply,
    make_move_reply,
    new_game_reply,
    read_promotion,
    read_square,
)
from arbiter.nostr.strict_json import ParseError, ParseErrorCode, read_json, write_ascii
from arbiter.web.deps import WebDeps
from arbiter.web.http import plain_error
from arbiter.web.request import Request

BODY_BYTES = 4096

_BROWSER_ID = re.compile(r"[!-~]([ -~]{0,254}[!-~])?")
"""Valid as a header value, so that the client can send it back."""

_BROWSER_ID_BYTES = 16
_MAX_BROWSER_ID = 256

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


ROUTES = (
    ("POST", "/new-game"),
    ("GET", "/load-game"),
    ("GET", "/legal-moves/{}"),
    ("GET", "/make-move/{}/{}"),
)

_PATHS = tuple(path.partition("{")[0] for _, path in ROUTES)

Answer = Callable[[Request], Response[str] | None]


def is_hot_seat(path: str) -> bool:
    """Whether only `answers` may answer at this path."""
    return path.startswith(_PATHS)


def answers(deps: WebDeps) -> Answer:
    """Answers a request for one of the four routes, without a router; None for any other."""
    hot_seat = HotSeatDeps(
        games=deps.games,
        browsers=deps.browsers,
        republish=deps.republish,
        rate_limits=deps.rate_limits,
        clock=deps.clock,
        server=deps.server,
    )

    def answer(request: Request) -> Response[str] | None:
        asked = Invocation(request.invocation)
        match (request.method, *request.path.split("/")[1:]):
            case ("POST", "new-game"):
                return _new_game(deps, hot_seat, asked)
            case ("GET" | "HEAD", "load-game"):
                return _load_game(hot_seat, asked)
            case ("GET" | "HEAD", "legal-moves", position):
                return _legal_moves(hot_seat, asked, position)
            case ("GET", "make-move", origin, target):
                return _make_move(deps, hot_seat, asked, (origin, target))
            case _:
                return None

    return answer


def _new_game(deps: WebDeps, hot_seat: HotSeatDeps, request: Invocation) -> Response[str]:
    if text := deps.policy.why_closed(deps.clock.now_ms()):
        return plain_error(HTTPStatus.SERVICE_UNAVAILABLE, text)
    chosen = _chosen_id(request.body or "", request.headers.get("content-type") or "")
    if isinstance(chosen, Response):
        return chosen
    browser_id = chosen or deps.entropy(_BROWSER_ID_BYTES).hex()
    game = new_game(hot_seat, browser_id, deps.entropy(GAME_ID_BYTES))
    if game is None:
        return plain_error(HTTPStatus.CONFLICT, "Browser id is taken")
    return _reply(new_game_reply(game, browser_id))


def _load_game(hot_seat: HotSeatDeps, request: Invocation) -> Response[str]:
    game = _game(hot_seat, request)
    if isinstance(game, Response):
        return game
    before = request.query_string_parameters.get("before")
    if before is None:
        return _reply(load_game_reply(game))
    if not _NUMBER.fullmatch(before):
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid move number")
    return _reply(load_game_reply(game, int(before)))


def _legal_moves(hot_seat: HotSeatDeps, request: Invocation, position: str) -> Response[str]:
    game = _game(hot_seat, request)
    if isinstance(game, Response):
        return game
    square = read_square(unquote(position))
    if square is None:
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid position!")
    return _reply(legal_moves_reply(game, square))


def _make_move(
    deps: WebDeps, hot_seat: HotSeatDeps, request: Invocation, named: tuple[str, str]
) -> Response[str]:
    game = _game(hot_seat, request)
    if isinstance(game, Response):
        return game
    origin, target = (read_square(unquote(text)) for text in named)
    if origin is None or target is None:
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid position")
    promotion = read_promotion(request.query_string_parameters.get("promotion", "q"))
    if promotion is None:
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid promotion")
    move = RequestedMove(origin, target, promotion)
    after = make_move(hot_seat, game, move, deps.entropy(EVENT_KEY_BYTES))
    if after is None:
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid move!")
    return _reply(make_move_reply(after))


def _game(hot_seat: HotSeatDeps, request: Invocation) -> Game | Response[str]:
    browser_id = request.headers.get("browser_id")
    if not browser_id:
        return plain_error(HTTPStatus.BAD_REQUEST, "No browser id")
    game = load(hot_seat, browser_id) if len(browser_id) <= _MAX_BROWSER_ID else None
    return game or plain_error(HTTPStatus.BAD_REQUEST, "Game not found!")


def _chosen_id(body: str, content_type: str) -> str | Response[str] | None:
    """The browser id in JSON of any content type, None for none, or an error."""
    if not body.strip():
        return None
    value = read_json(body, BODY_BYTES)
    if isinstance(value, ParseError):
        if value.code is not ParseErrorCode.NOT_JSON:
            return plain_error(HTTPStatus.BAD_REQUEST, f"Invalid JSON: {value.text}")
        if "json" in content_type.lower():
            return plain_error(HTTPStatus.BAD_REQUEST, "Invalid JSON")
        return plain_error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body is not JSON")
    if not isinstance(value, dict):
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid body")
    chosen = value.get("browser_id")
    if chosen is None or chosen == "":
        return None
    if not isinstance(chosen, str) or not _BROWSER_ID.fullmatch(chosen):
        return plain_error(HTTPStatus.BAD_REQUEST, "Invalid browser id")
    return chosen


def _reply(value: object) -> Response[str]:
    return Response(
        status_code=HTTPStatus.OK,
        content_type="application/json",
        body=write_ascii(value),
        # Private to one browser, and outdated after the next move.
        headers={"Cache-Control": "no-store"},
    )
