"""Pages wait for another day once its budget is used up; games at one browser, and the client, do
not.
"""

import pytest

from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.application.spending import SPENT, Spending
from arbiter.web.app import make_app
from tests.web.browser import Site

GAME = "ab" * 16


@pytest.mark.parametrize(
    ("spent", "new_game", "page", "hot_seat"),
    [(0, 200, 404, 400), (95, 429, 404, 400), (100, 429, 429, 400)],
)
def test_what_is_only_looked_at_waits(spent: int, new_game: int, page: int, hot_seat: int) -> None:
    site = Site()
    spending = Spending(MemoryDayCounters(), site.clock, {"unit": 100})
    spending.add({"unit": spent})
    site.spending = spending
    app = make_app(site.deps())

    def ask(method: str, path: str) -> dict[str, object]:
        http = {"method": method, "path": path, "sourceIp": "192.0.2.1"}
        context = {"http": http, "stage": "$default", "domainName": "x"}
        return app(
            {"requestContext": context, "rawPath": path, "rawQueryString": "", "headers": {}}, None
        )

    answers = [ask("POST", "/new-game"), ask("GET", f"/games/{GAME}"), ask("GET", "/load-game")]
    assert [it["statusCode"] for it in answers] == [new_game, page, hot_seat]
    assert [SPENT in str(it["body"]) for it in answers] == [it == 429 for it in (new_game, page, 0)]
