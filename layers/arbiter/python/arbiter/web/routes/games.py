"""The routes of one game: JSON, PGN, images, its page, and how many watch it. Read-only.

The page shows clocks, so its tag is its hash. What depends only on an ended game's moves is cached
for a day; what links a rematch for an hour.
"""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.play.judge import uptime_during
from arbiter.application.queries import GameWithRatings, clocks_now, pgn_of, read_game, spectators
from arbiter.core.game import Game, is_game_id
from arbiter.dialects import hot_seat
from arbiter.dialects.jester import wire as jester
from arbiter.nostr.event import is_hex_32_bytes
from arbiter.nostr.nip19 import decode_jester
from arbiter.web import http
from arbiter.web.answering import Answering
from arbiter.web.deps import WebDeps
from arbiter.web.game_page import (
    EMBED_STYLE,
    board_png,
    board_svg,
    embedded_board,
    game_page,
    proof_page,
)
from arbiter.web.pages import HEADERS, headers_of_page
from arbiter.web.routes.transcripts import tag_of_file
from arbiter.web.views import game_view

SVG = "image/svg+xml; charset=utf-8"
PNG = "image/png"

_PICTURE_HEADERS = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}

Made = Callable[[GameWithRatings], str | bytes]


def router(deps: WebDeps) -> APIGatewayHttpRouter:  # noqa: C901 - one route after the other
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]

    to = Answering(deps, routes)

    def show(name: str, content_type: str, make: Made, **headers: str) -> Response[Any]:
        found = _read(deps, name)
        if isinstance(found, Response):
            return found
        shown = _shown(deps, found, content_type, make, headers)
        return http.answer(shown, to.if_none_match)

    @routes.get("/games/<name>.pgn")
    def _pgn(name: str) -> Response[Any]:
        # Sent only for a game that was found, so the name is letters and digits.
        named = {"Content-Disposition": f'inline; filename="{name}.pgn"'}
        return show(name, http.PGN, lambda found: pgn_of(found, deps.server, deps.pgns), **named)

    @routes.get("/games/<name>/transcript")
    def _transcript_of(name: str) -> Response[Any]:
        return _transcript(deps, to, name)

    @routes.get("/games/<name>/board.svg")
    def _svg(name: str) -> Response[Any]:
        return show(name, SVG, lambda found: board_svg(found.game), **_PICTURE_HEADERS)

    @routes.get("/games/<name>/board.png")
    def _png(name: str) -> Response[Any]:
        return show(name, PNG, lambda found: board_png(found.game))

    @routes.get("/games/<name>/spectators")
    def _spectators(name: str) -> Response[Any]:
        return _counted(deps, to, name)

    @routes.get("/games/<name>")
    def _game(name: str) -> Response[Any]:
        return _game_json(deps, to, name)

    @routes.get("/g/<name>/proof")
    def _proof_of(name: str) -> Response[Any]:
        return _proof(deps, to, name)

    @routes.get("/g/<name>/embed")
    def _embed(name: str) -> Response[Any]:
        found = _read(deps, name)
        if isinstance(found, Response):
            return found
        cache_control = http.cache_control_of_game(found, deps.clock.now_ms(), http.HOUR)
        text = embedded_board(found.game, to.where())
        headers = headers_of_page(EMBED_STYLE, is_embedded=True)
        return to.text(text, http.HTML, cache_control, headers)

    @routes.get("/g/<name>")
    def _page(name: str) -> Response[Any]:
        found = _read(deps, name)
        if isinstance(found, Response):
            return found
        now_ms, game = deps.clock.now_ms(), found.game
        until_ms = now_ms if game.outcome is None else game.end_ms
        clocks = clocks_now(game, now_ms, uptime_during(deps.outages, game, until_ms))
        cache_control = http.cache_control_of_game(found, now_ms, http.HOUR)
        return to.text(game_page(found, to.where(), clocks), http.HTML, cache_control, HEADERS)

    return routes


def _proof(deps: WebDeps, to: Answering, name: str) -> Response[Any]:
    found = _read(deps, name)
    if isinstance(found, Response):
        return found
    script = deps.client.named("assets/proof-", ".js") if deps.client else None
    if script is None or not deps.relays:
        return http.problem(HTTPStatus.NOT_FOUND, "This arbiter was built without its web client.")
    # Our own relay is the last, and has the note.
    text = proof_page(found.game, to.where(), script, deps.relays[-1])
    return to.text(text, http.HTML, http.MINUTE, headers_of_page(asks=deps.relays[-1]))


def _counted(deps: WebDeps, to: Answering, name: str) -> Response[Any]:
    found = _read(deps, name)
    if isinstance(found, Response):
        return found
    count = spectators(deps.connections, found.game) if deps.connections else None
    return to.text(http.to_json({"spectators": count}), http.JSON, http.TEN_SECONDS)


def _transcript(deps: WebDeps, to: Answering, name: str) -> Response[Any]:
    found = _read(deps, name)
    if isinstance(found, Response):
        return found
    is_over, tag = found.game.outcome is not None, http.tag_of_game(found)
    # That of a live game is packed for each who asks.
    is_known = not is_over and http.has(to.if_none_match, tag)
    octets = deps.transcripts.load(found.game) if deps.transcripts and not is_known else b""
    if not octets and not is_known:
        return http.problem(HTTPStatus.NOT_FOUND, _why_none(deps, found.game))
    named = {"Content-Disposition": f'attachment; filename="{found.game.id}.jsonl.gz"'}
    shown = _shown(deps, found, http.GZIP, lambda _: octets or b"", named)
    if is_over:
        # What is missing may be handed in later.
        shown = replace(shown, tag=tag_of_file(octets or b""), cache_control=http.MINUTE)
    return http.answer(shown, to.if_none_match)


def _why_none(deps: WebDeps, game: Game) -> str:
    if deps.transcripts is None:
        return "No transcript is here: this arbiter keeps none."
    if game.white.dialect == hot_seat.NAME:
        return "Two people played this game at one browser and signed nothing, so it has none."
    if not game.chain:
        return "A release that keeps no chain played a part of this game, so it has no transcript."
    if game.outcome is None:
        return "The game goes on; its transcript is handed in at its end."
    return "The transcript is not here: none of those who saw the game has handed it in yet."


def _game_json(deps: WebDeps, to: Answering, name: str) -> Response[Any]:
    found = _read(deps, name)
    if isinstance(found, Response):
        return found
    game, file = found.game, None
    if game.chain and game.outcome and deps.transcripts:
        file = deps.transcripts.load(game)
    digest = sha256(file).hexdigest() if file else None
    shown = _shown(
        deps, found, http.JSON, lambda it: http.to_json(game_view(it, digest)), headers={}
    )
    if digest:
        shown = replace(shown, tag=f'{shown.tag[:-1]}.{digest[:16]}"')
    elif game.chain and deps.transcripts and shown.cache_control == http.HOUR:
        shown = replace(shown, cache_control=http.MINUTE)
    return http.answer(shown, to.if_none_match)


def _shown(
    deps: WebDeps, found: GameWithRatings, content_type: str, make: Made, headers: dict[str, str]
) -> http.Representation:
    return http.Representation(
        content_type=content_type,
        make=lambda: make(found),
        tag=http.tag_of_game(found),
        cache_control=http.cache_control_of_game(
            found, deps.clock.now_ms(), http.HOUR if content_type == http.JSON else http.DAY
        ),
        headers=headers,
    )


def _game_id(deps: WebDeps, name: str) -> str:
    """The id of the game with this name: itself, or in kind 30 that of its start event."""
    start = name if is_hex_32_bytes(name) else decode_jester(name)
    if start is None:
        return name
    return deps.lobby.player(jester.slot_of_start(start)).game_id or jester.game_id(start)


def _read(deps: WebDeps, name: str) -> GameWithRatings | Response[Any]:
    game_id = _game_id(deps, name)
    if not is_game_id(game_id):
        expected = "32 lower-case hexadecimal digits, or of kind 30 its start event: 64, or jester1"
        return http.problem(HTTPStatus.BAD_REQUEST, f"A game's id is {expected}.")
    found = read_game(deps.games, deps.ratings, game_id)
    return found or http.problem(HTTPStatus.NOT_FOUND, "There is no game with this id.")
