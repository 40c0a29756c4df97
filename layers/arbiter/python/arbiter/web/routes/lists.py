"""The routes of lists: a player and their games, leaderboards, live games, who waits for one; JSON
or a page, by ``Accept``, and PGN.

Pages have cursors, which name a place in the order of games; concatenated pages of PGN are a PGN
file.
"""

from collections.abc import Callable
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application.queries import (
    MAX_GAMES_A_PAGE,
    MAX_PLIES_A_PGN,
    GameCursor,
    GamePage,
    games_of,
    live_games,
    pgn_of,
    shortened,
    standings_of,
    waiting_room,
    with_ratings,
)
from arbiter.core.clocks import Speed
from arbiter.core.ratings import PROVISIONAL_DEVIATION
from arbiter.web.answering import Answer, Answering, bad_request, link_to_next
from arbiter.web.deps import WebDeps
from arbiter.web.http import MINUTE, PGN, TWO_SECONDS, problem
from arbiter.web.list_pages import games_page, leaderboard_page, lobby_page, player_page
from arbiter.web.pages import Where, name_of, name_of_key
from arbiter.web.request import decode_cursor, encode_cursor, limit_in, player_in
from arbiter.web.views import View, player_view, rank_view, seat_in, summary_view, waiting_view

RECENT_GAMES = 10
MAX_RANKS = 100


def router(deps: WebDeps) -> APIGatewayHttpRouter:
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]
    lists = _Lists(deps, routes)

    @routes.get("/players/<name>/games.pgn")
    def _player_pgn(name: str) -> Answer:
        return lists.of_player(name, lists.player_pgn)

    @routes.get("/players/<name>/games")
    def _player_games(name: str) -> Answer:
        return lists.of_player(name, lists.player_games)

    @routes.get("/players/<name>")
    def _player(name: str) -> Answer:
        return lists.of_player(name, lists.player)

    @routes.get("/leaderboard/<name>")
    def _leaderboard(name: str) -> Answer:
        return lists.leaderboard(name)

    @routes.get("/live")
    def _live() -> Answer:
        return lists.live()

    @routes.get("/lobby")
    def _lobby() -> Answer:
        return lists.lobby()

    return routes


class _Lists:
    """The handlers of these routes."""

    def __init__(self, deps: WebDeps, routes: APIGatewayHttpRouter) -> None:
        self._deps = deps
        self._to = Answering(deps, routes)

    def of_player(self, name: str, show: Callable[[str], Answer]) -> Answer:
        player = player_in(name)
        if player is None:
            return bad_request(
                "A player is an npub, or a public key of 64 lower-case hexadecimal digits."
            )
        return show(player)

    def player(self, player: str) -> Answer:
        page = games_of(self._deps.archive, player, RECENT_GAMES, None)
        standings = standings_of(self._deps.ratings, player)
        now_ms = self._deps.clock.now_ms()
        path = f"{self._to.base()}/players/{player}/games"

        def view() -> View:
            return {
                **player_view(player, page.games, standings, now_ms),
                "recent_games": [summary_view(game) for game in page.games],
                "games_url": path,
                "pgn_url": f"{path}.pgn",
            }

        def html(where: Where) -> str:
            return player_page(player, page.games, standings, where, now_ms)

        return self._to.negotiated(view, html, TWO_SECONDS)

    def player_games(self, player: str) -> Answer:
        page = self._page(lambda limit, after: games_of(self._deps.archive, player, limit, after))
        if isinstance(page, Response):
            return page
        seat = seat_in(page.games, player)
        name = name_of(seat) if seat else name_of_key(player)
        return self._games(page, f"/players/{player}/games", f"Games of {name}")

    def player_pgn(self, player: str) -> Answer:
        page = self._page(lambda limit, after: games_of(self._deps.archive, player, limit, after))
        if isinstance(page, Response):
            return page
        page = shortened(page, MAX_PLIES_A_PGN)
        ratings, server, kept = self._deps.ratings, self._deps.server, self._deps.pgns
        text = "".join(pgn_of(with_ratings(ratings, game), server, kept) for game in page.games)
        next_url = self._next(page, f"/players/{player}/games.pgn")
        named = {"Content-Disposition": f'inline; filename="{player[:12]}.pgn"'}
        return self._to.text(text, PGN, TWO_SECONDS, named | link_to_next(next_url))

    def leaderboard(self, name: str) -> Answer:
        speeds = [speed.value for speed in Speed]
        if name not in speeds:
            detail = f"There are leaderboards of {', '.join(speeds)}."
            return problem(HTTPStatus.NOT_FOUND, detail)
        limit = limit_in(self._to.query("limit"), MAX_RANKS)
        if limit is None:
            return bad_request(f"limit is a number from 1 to {MAX_RANKS}.")
        now_ms = self._deps.clock.now_ms()
        hidden = self._deps.policy.now().hidden
        asked = MAX_RANKS if hidden else limit
        ranked = self._deps.ratings.leaderboard(Speed(name), asked, now_ms)
        standings = tuple(one for one in ranked if one.player not in hidden)[:limit]

        def view() -> View:
            ranks = [rank_view(rank, one, now_ms) for rank, one in enumerate(standings, start=1)]
            rule = {"ranked_below_deviation": round(PROVISIONAL_DEVIATION)}
            return {"speed": name, **rule, "players": ranks}

        def html(where: Where) -> str:
            return leaderboard_page(Speed(name), standings, where, now_ms)

        return self._to.negotiated(view, html, MINUTE)

    def live(self) -> Answer:
        hidden = self._deps.policy.now().hidden
        page = self._page(lambda limit, after: live_games(self._deps.archive, limit, after, hidden))
        if isinstance(page, Response):
            return page
        return self._games(page, "/live", "Live games")

    def lobby(self) -> Answer:
        now_ms = self._deps.clock.now_ms()
        room = waiting_room(self._deps.archive, now_ms, self._deps.policy.now().hidden)
        return self._to.negotiated(
            lambda: waiting_view(room), lambda where: lobby_page(room, where), TWO_SECONDS
        )

    def _games(self, page: GamePage, path: str, title: str) -> Answer:
        next_url = self._next(page, path)

        def view() -> View:
            return {"games": [summary_view(game) for game in page.games], "next": next_url}

        def html(where: Where) -> str:
            return games_page(title, page.games, next_url, where)

        return self._to.negotiated(view, html, TWO_SECONDS, link_to_next(next_url))

    def _page(self, read: Callable[[int, GameCursor | None], GamePage]) -> GamePage | Answer:
        limit = limit_in(self._to.query("limit"))
        if limit is None:
            return bad_request(f"limit is a number from 1 to {MAX_GAMES_A_PAGE}.")
        cursor = self._to.query("after")
        after = decode_cursor(cursor) if cursor is not None else None
        if cursor is not None and after is None:
            return bad_request("after is the cursor of the next page, as in the answer before.")
        return read(limit, after)

    def _next(self, page: GamePage, path: str) -> str | None:
        if page.next_cursor is None:
            return None
        limit = limit_in(self._to.query("limit"))
        return f"{self._to.base()}{path}?limit={limit}&after={encode_cursor(page.next_cursor)}"
