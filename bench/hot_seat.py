"""A hot-seat game of the HTTP API, called as API Gateway calls it, over packed games."""

from typing import cast

from arbiter.web.app import make_app
from bench.http_doors import by_handler, make_move, new_game
from bench.packed_games import PackedGames
from tests.fakes.games import FakeGames
from tests.web.browser import Site


class HotSeat:
    """One game; the limits of requests are lifted."""

    def __init__(self) -> None:
        self._ask = by_handler(make_app(Site(games=cast("FakeGames", PackedGames())).deps()))
        self._browser_id = new_game(self._ask)

    def move(self, uci: str) -> None:
        """Ask for this move, which must be taken."""
        make_move(self._ask, self._browser_id, uci)
