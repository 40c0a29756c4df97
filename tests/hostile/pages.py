"""H22, H29, H42, H43, H48, H50, H66, H68, H69 over HTTP: paths, queries, bodies and headers."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from arbiter.application.queries import MOST_GAMES_A_PAGE
from tests.hostile.case import Case
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import GAME, PLAYER

_NO_ID = "400 A game's id is 32 lower-case hexadecimal digits."
_NO_PATH = "404 There is nothing at this path."
_NO_PLAYER = "400 A player is an npub, or a public key of 64 lower-case hexadecimal digits."
_NO_BOARD = "404 There are leaderboards of bullet, blitz, rapid, classical, correspondence."
_NO_METHOD = "405 This path does not support this method."
_SCRIPT = f"<script>{CANARY}</script>"

_IDS = {
    "in upper case": "AB" * 16,
    "of 31 digits": "a" * 31,
    "with a newline": "a" * 32 + "%0A",
    "with a NUL": "a" * 31 + "%00",
    "with a slash, escaped": "..%2F" + "a" * 27,
    "that is a script": "%3Cscript%3E" + CANARY,
    "that is a script, unescaped": "<img src=x onerror=" + CANARY + ">",
    "of Arabic digits": "٣" * 32,
    "that is a key of the table": "g%23" + GAME,
    "of 2,000 letters": "a" * 2_000,
    "with half a character": "%ff%fe",
    "with half a surrogate": "\ud83d",
}
_PATHS = {
    "H66 a path of dots": "/games/../../etc/passwd",
    "H66 a path of escaped dots": "/%2e%2e/%2e%2e/etc/passwd",
    "H66 a path of 100,000 letters": "/" + "a" * 100_000,
    "H66 a path that is a script": "/" + _SCRIPT,
    "H66 a path that is another host": "//evil.example/x",
    "H66 a path that is an address of the cloud's": "/http://169.254.169.254/latest/meta-data",
    "H66 a path with a NUL": "/live\0",
    "H68 a path with a line break": "/live\r\nSet-Cookie: x=" + CANARY,
    "H66 a path in upper case": "/LIVE",
    "H66 a path without a slash": "live",
}
_METHODS = ("PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", CANARY, "x" * 1_000)


def _case(name: str, answer: str, path: str, method: str = "GET", **more: Any) -> Case:
    return Case(name, "HTTP", answer, lambda stage: stage.asked(method, path, **more))


def paths() -> Iterator[Case]:
    for name, text in _IDS.items():
        yield _case(f"H42 a page of a game whose id is {name}", _NO_ID, f"/g/{text}")
        yield _case(f"H42 a game whose id is {name}", _NO_ID, f"/games/{text}")
        yield _case(f"H42 a player whose name is {name}", _NO_PLAYER, f"/players/{text}")
    for name, path in _PATHS.items():
        yield _case(name, _NO_PATH, path)
    yield _case("H66 a path of slashes", "200", "//////")
    for speed in ("blitz%00", "BLITZ", "..", CANARY):
        yield _case(f"H42 a leaderboard of {speed}", _NO_BOARD, f"/leaderboard/{speed}")
    for method in _METHODS:
        yield _case(f"H66 the method {_shown(method)}", _NO_METHOD, "/live", method)


def _shown(text: str, most: int = 19) -> str:
    return text if len(text) <= most else f"of {len(text)} characters"


def queries() -> Iterator[Case]:
    """Each wrong limit and cursor of each list is in `tests/web/test_reading_lists.py`."""
    limit = f"400 limit is a number from 1 to {MOST_GAMES_A_PAGE}."
    yield _case("H22 a limit that is a script", limit, "/live", query={"limit": _SCRIPT})
    after = "400 after is the cursor of the next page, as in the answer before."
    yield _case("H69 a cursor of words", after, "/live", query={"after": CANARY})
    beyond = "H69 a cursor that names a place beyond all time"
    yield _case(beyond, "200", "/live", query={"after": "_" * 32})
    path = "/.well-known/nostr.json"
    yield _case("H66 a name with a script in it", "200", path, query={"name": _SCRIPT})


_JSON = {"Content-Type": "application/json"}
_TOO_LARGE = "413 A body of more than 4096 bytes is not read."
_BODIES: Mapping[str, tuple[str, str | bytes]] = {
    "half an object": ("400 Invalid JSON", '{"browser_id":'),
    "words": ("400 Invalid JSON", CANARY),
    "bytes": ("400 Invalid JSON", b"\xff\xfe\x00"),
    "an abyss": ("400 Invalid JSON: nested deeper than 8 brackets", "[" * 4_000),
    "an array": ("400 Invalid body", "[]"),
    "a number": ("400 Invalid body", "7"),
    "NaN": ("400 Invalid JSON: NaN and Infinity are not JSON", "NaN"),
    "a key twice": (
        "400 Invalid JSON: an object names the same key twice",
        '{"browser_id": "a", "browser_id": "b"}',
    ),
    "a number of 4,000 digits": (
        "400 Invalid JSON: a number longer than 32 characters",
        "9" * 4_000,
    ),
    "UTF-16": ("400 Invalid JSON", '{"browser_id":"a"}'.encode("utf-16")),
    "a body of 4,097 bytes": (_TOO_LARGE, " " * 4_097),
    "a body of a megabyte": (_TOO_LARGE, "x" * 2**20),
}
_BROWSER_IDS: Mapping[str, object] = {
    "that is a number": 7,
    "that is a list": ["a"],
    "that is an object": {"$ne": None},
    "that is true": True,
    "of 257 letters": "a" * 257,
    "of a blank": " ",
    "with a blank at its end": "a ",
    "with a line break": f"a\r\nX-{CANARY}: 1",
    "with a NUL": "a\0",
    "of Cyrillic letters": "привет",
    "with a mark that turns the text round": "a\u202eb",
    "with half a surrogate": "\ud83d",
}


def bodies() -> Iterator[Case]:
    new_game = partial(_case, path="/new-game", method="POST")
    for name, (answer, body) in _BODIES.items():
        yield new_game(f"H29 {name} for a new game", answer, body=body, headers=_JSON)
    name, words = "H29 words for a new game, called words", {"Content-Type": "text/plain"}
    yield new_game(name, "415 The body is not JSON", body=CANARY, headers=words)
    for name, chosen in _BROWSER_IDS.items():
        body = json.dumps({"browser_id": chosen})
        half = name == "with half a surrogate"
        answer = "400 Invalid JSON: a lone surrogate" if half else "400 Invalid browser id"
        yield new_game(f"H69 a browser id {name}", answer, body=body, headers=_JSON)


_STRANGE_BROWSERS = {
    "that is a game's key": "g#" + GAME,
    "that is a public key": PLAYER.pubkey,
    "that is an expression": "attribute_exists(pk) OR :v = :v",
    "of 257 letters": "a" * 257,
    "of 100,000 letters": "a" * 100_000,
    "with a line of log in it": f'\n{{"status":"{CANARY}"}}',
}
_HEADERS = {
    "a host with a script": {"host": _SCRIPT, "x-forwarded-host": CANARY},
    "another language": {"accept-language": CANARY * 1_000},
    "a tag of 100,000 quotes": {"if-none-match": '"' * 100_000},
    "a cookie": {"cookie": CANARY},
    "a method of its own": {"x-http-method-override": "DELETE"},
    "a forwarded address": {"x-forwarded-for": f"{CANARY}, 127.0.0.1"},
}


def headers() -> Iterator[Case]:
    for name, text in _STRANGE_BROWSERS.items():
        number = "H68" if "log" in name else "H69"
        for path in ("/load-game", "/legal-moves/e2", "/make-move/e2/e4"):
            full = f"{number} {path} with a browser id {name}"
            yield _case(full, "400 Game not found!", path, headers={"browser_id": text})
    yield _case("H43 a move without a browser id", "400 No browser id", "/make-move/e2/e4")
    for name, header in _HEADERS.items():
        yield _case(f"H66 {name} in a header", "200", "/live", headers=header)


_INVALID = ("400 Invalid move!", "400 Invalid position")
_MOVES = {
    "from a square to itself": (0, "e2/e2"),
    "that takes one's own": (0, "a1/a2"),
    "of Black's": (0, "e7/e5"),
    "of no piece": (0, "e4/e5"),
    "of the king onto its rook": (0, "e1/h1"),
    "that passes": (1, "00/00"),
    "in upper case": (1, "E2/E4"),
    "in Arabic digits": (1, "e٢/e٤"),
    "with a NUL": (1, "e2%00/e4"),
    "beyond the board": (1, "e2/e9"),
    "that is a script": (1, f"{_SCRIPT[:8]}/e4"),
    "escaped twice": (1, "%2565%2532/e4"),
}


def moves() -> Iterator[Case]:
    def at_a_browser(name: str, answer: str, path: str, **query: str) -> Case:
        return Case(name, "HTTP", f"{answer}, heeded", partial(_at_a_browser, path, query))

    for name, (at, squares) in _MOVES.items():
        yield at_a_browser(f"H48 a move at a browser {name}", _INVALID[at], f"/make-move/{squares}")
    for text in ("k", "p", "", "Q ", "queen", "٣", CANARY, "x" * 1_000):
        name = f"H50 the promotion {_shown(text, 8)!r} at a browser"
        yield at_a_browser(name, "400 Invalid promotion", "/make-move/e2/e4", promotion=text)
    for text in ("0", "-1", "1.0", "x", "9" * 10, "٣", "01", CANARY):
        name = f"H22 moves before {text!r}"
        yield at_a_browser(name, "400 Invalid move number", "/load-game", before=text)


def _at_a_browser(path: str, query: dict[str, str], stage: Stage) -> str:
    """Ask this where a game at a browser has begun; no move was made in it."""
    begun = json.dumps({"browser_id": "mine"})
    assert stage.asked("POST", "/new-game", body=begun, headers=_JSON) == "200"
    (game_id,) = set(stage.world.games.standing) - {GAME}
    answer = stage.asked("GET", path, headers={"browser_id": "mine"}, query=query)
    assert stage.world.game(game_id).ply == 0
    return answer
