"""Requests to the pages and to the game at a browser."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.hostile.case import Case, shown
from tests.hostile.scenario import MARK, Scenario
from tests.hostile.scenarios import SCENARIOS
from tests.nostr.hostile.case import GAME, PLAYER

_NO_GAME = (
    "400 A game's id is 32 lower-case hexadecimal digits, "
    "or of kind 30 its start event: 64, or jester1."
)
_NO_PLAYER = "400 A player is an npub, or a public key of 64 lower-case hexadecimal digits."
_NO_ROOM = "404 There are leaderboards of bullet, blitz, rapid, classical, correspondence."
_NAMES = (
    *("AB" * 16, "a" * 31, f"{'a' * 32}%0A", f"{'a' * 31}%00", f"..%2F{'a' * 27}"),
    *(f"%3Cscript%3E{MARK}", f"<img src=x onerror={MARK}>", "٣" * 32, f"g%23{GAME}", "a" * 2000),
    *("%ff%fe", "\ud83d"),
)
_NO_PATHS = (
    *("/games/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/" + "a" * 100_000),
    *(f"/<script>{MARK}</script>", "//evil.example/x", "/http://169.254.169.254/latest/meta-data"),
    *("/live\0", f"/live\r\nSet-Cookie: x={MARK}", "/LIVE", "live"),
)
_METHODS = ("PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", MARK, "x" * 1000)
_BODIES: dict[str, tuple[str | bytes, ...]] = {
    "400 Invalid JSON": (
        *('{"browser_id":', MARK, b"\xff\xfe\0", '\ufeff{"browser_id": "a"}'.encode("utf-16-le")),
        *("[" * 4_000, "NaN", "9" * 4_000, '{"browser_id": "\\ud83d"}'),
    ),
    "200, heeded": ('{"browser_id": "a", "browser_id": "b"}',),
    "400 Invalid body": ("[]", "7"),
    "413 A body of more than 4096 bytes is not read.": (" " * 4_097, "x" * 1_048_576),
    "400 Invalid browser id": tuple(
        json.dumps({"browser_id": id_})
        for id_ in (
            *(7, ["a"], {"$ne": None}, True, "a" * 257, " ", "a ", f"a\r\nX-{MARK}: 1", "a\0"),
            *("привет", "a\u202eb"),
        )
    ),
}
_IDS = (
    *(f"g#{GAME}", PLAYER.pubkey, "attribute_exists(pk) OR :v = :v", "a" * 257, "a" * 100_000),
    f'\n{{"status":"{MARK}"}}',
)
_HEADERS = {
    "host": f"<script>{MARK}</script>",
    "x-forwarded-host": MARK,
    "accept-language": MARK * 1000,
    "if-none-match": '"' * 100_000,
    "cookie": MARK,
    "x-http-method-override": "DELETE",
    "x-forwarded-for": f"{MARK}, 127.0.0.1",
}


def over_http() -> Iterator[Case]:
    yield from _pages()
    yield from _new_games()
    for path in ("/load-game", "/legal-moves/e2", "/make-move/e2/e4"):
        for id_ in _IDS:
            headers = {"browser_id": id_}
            yield _case("H69", "400 Game not found!", path, headers=headers)
    yield _case("H43", "400 No browser id", "/make-move/e2/e4")
    for name, value in _HEADERS.items():
        yield _case("H66", "200", "/live", headers={name: value})
    yield from _at_a_browser()


def _pages() -> Iterator[Case]:
    for name in _NAMES:
        yield _case("H42", _NO_GAME, f"/g/{name}")
        yield _case("H42", _NO_GAME, f"/games/{name}")
        yield _case("H42", _NO_PLAYER, f"/players/{name}")
    for path in _NO_PATHS:
        yield _case("H66", "404 There is nothing at this path.", path)
    yield _case("H66", "200", "//////")
    for name in ("blitz%00", "BLITZ", "..", MARK):
        yield _case("H42", _NO_ROOM, f"/leaderboard/{name}")
    for method in _METHODS:
        yield _case("H66", "405 This path does not support this method.", "/live", method=method)
    script = f"<script>{MARK}</script>"
    for answer, path, query in (
        ("400 limit is a number from 1 to 50.", "/live", {"limit": script}),
        (
            "400 after is the cursor of the next page, as in the answer before.",
            "/live",
            {"after": MARK},
        ),
        ("200", "/live", {"after": "_" * 32}),
        ("200", "/.well-known/nostr.json", {"name": script}),
    ):
        yield _case("H22", answer, path, query=query)


def _new_games() -> Iterator[Case]:
    typed = {"Content-Type": "application/json"}
    for answer, bodies in _BODIES.items():
        for body in bodies:
            number = "H69" if "browser id" in answer else "H29"
            yield _case(number, answer, "/new-game", method="POST", body=body, headers=typed)
    plain = {"Content-Type": "text/plain"}
    untyped = "415 The body is not JSON"
    yield _case("H29", untyped, "/new-game", method="POST", body=MARK, headers=plain)


def _at_a_browser() -> Iterator[Case]:
    at = partial(_case, scenario=SCENARIOS["a browser"], headers={"browser_id": "mine"})
    for squares in ("e2/e2", "a1/a2", "e7/e5", "e4/e5", "e1/h1"):
        yield at("H48", "400 Invalid move!", f"/make-move/{squares}")
    unread = (
        *("00/00", "E2/E4", "e٢/e٤", "e2%00/e4", "e2/e9", "<script>/e4", "%2565%2532/e4"),
    )  # fmt: skip
    for squares in unread:
        yield at("H48", "400 Invalid position", f"/make-move/{squares}")
    for piece in ("k", "p", "", "Q ", "queen", "٣", MARK, "x" * 1000):
        query = {"promotion": piece}
        yield at("H50", "400 Invalid promotion", "/make-move/e2/e4", query=query)
    for number in ("0", "-1", "1.0", "x", "9999999999", "٣", "01", MARK):
        yield at("H22", "400 Invalid move number", "/load-game", query={"before": number})


def _case(
    number: str,
    answer: str,
    path: str,
    method: str = "GET",
    scenario: Callable[[], Scenario] = Scenario,
    **more: Any,
) -> Case:
    name = " ".join([number, shown(method), shown(path), *map(shown, more.values())])
    return Case(name, "HTTP", answer, lambda its: its.asked(method, path, **more), scenario)
