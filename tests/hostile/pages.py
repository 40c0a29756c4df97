"""H42, H48 to H50, H65, H66, H68 to H70 over HTTP."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from arbiter.application.queries import MOST_GAMES_A_PAGE
from tests.hostile.case import Case, Door
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import GAME, PLAYER

_NO_ID = "400 A game's id is 32 lower-case hexadecimal digits."
_NO_PATH = "404 There is nothing at this path."
_NO_PLAYER = "400 A player is an npub, or a public key of 64 lower-case hexadecimal digits."
_SCRIPT = f"<script>{CANARY}</script>"


def _one(name: str, note: str, method: str, path: str, answer: str, **more: Any) -> Case:
    return Case(
        name=name,
        note=note,
        door=Door.HTTP,
        answer=answer,
        knock=lambda stage: stage.asked(method, path, **more),
    )


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


def paths() -> Iterator[Case]:
    """H42, H66, H69: what stands in a path."""
    for name, text in _IDS.items():
        note = "refused before the table is asked, and never written back"
        yield _one(f"H42 a page of a game whose id is {name}", note, "GET", f"/g/{text}", _NO_ID)
        yield _one(f"H42 a game whose id is {name}", note, "GET", f"/games/{text}", _NO_ID)
        yield _one(
            f"H42 a player whose name is {name}", note, "GET", f"/players/{text}", _NO_PLAYER
        )
    for name, path in (
        ("of dots", "/games/../../etc/passwd"),
        ("of escaped dots", "/%2e%2e/%2e%2e/etc/passwd"),
        ("of slashes", "//////"),
        ("of 100,000 letters", "/" + "a" * 100_000),
        ("that is a script", "/" + _SCRIPT),
        ("that is another host", "//evil.example/x"),
        ("that is an address of the cloud's", "/http://169.254.169.254/latest/meta-data"),
        ("with a NUL", "/live\0"),
        ("with a line break", "/live\r\nSet-Cookie: x=" + CANARY),
        ("in upper case", "/LIVE"),
        ("without a slash", "live"),
    ):
        answer = "200" if name == "of slashes" else _NO_PATH
        number = "H68" if "line break" in name else "H66"
        yield _one(f"{number} a path {name}", "nothing lives there", "GET", path, answer)
    for speed in ("blitz%00", "BLITZ", "..", CANARY):
        yield _one(
            f"H42 a leaderboard of {speed}",
            "there are five",
            "GET",
            f"/leaderboard/{speed}",
            "404 There are leaderboards of bullet, blitz, rapid, classical, correspondence.",
        )
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", CANARY, "x" * 1_000):
        shown = method if len(method) < 20 else "of a thousand letters"
        yield _one(
            f"H66 the method {shown}",
            "no path answers to it",
            method,
            "/live",
            "405 This path does not support this method.",
        )


_LIMIT = f"400 limit is a number from 1 to {MOST_GAMES_A_PAGE}."
_AFTER = "400 after is the cursor of the next page, as in the answer before."


def queries() -> Iterator[Case]:
    """H22, H65, H66, H69: what stands behind the question mark."""
    for limit in ("0", "101", "-1", "1e2", "٣", "1_0", " 5", "5 ", "9" * 1_000, "", "NaN", _SCRIPT):
        shown = limit if len(limit) < 9 else f"of {len(limit)} characters"
        yield _one(
            f"H22 a limit {shown!r}", "a number", "GET", "/live", _LIMIT, query={"limit": limit}
        )
    for name, after in (
        ("of nothing", ""),
        ("of words", CANARY),
        ("of 33 letters", "A" * 33),
        ("with a newline", "A" * 31 + "\n"),
        ("of another alphabet", "+" * 32),
        ("that is an expression", "attribute_exists(pk)"),
    ):
        yield _one(
            f"H69 a cursor {name}", "32 letters", "GET", "/live", _AFTER, query={"after": after}
        )
    yield _one(
        "H69 a cursor that names a place beyond all time",
        "whoever makes one up names a place, and no more than that",
        "GET",
        "/live",
        "200",
        query={"after": "_" * 32},
    )
    yield _one(
        "H66 a name with a script in it",
        "not a name of ours: no names, and no script",
        "GET",
        "/.well-known/nostr.json",
        "200",
        query={"name": _SCRIPT},
    )


_JSON = {"Content-Type": "application/json"}


def bodies() -> Iterator[Case]:
    """H20 to H33 in the one body that is read."""
    for name, body, answer in (
        ("half an object", '{"browser_id":', "400 Invalid JSON"),
        ("words", CANARY, "400 Invalid JSON"),
        ("bytes", b"\xff\xfe\x00", "400 Invalid JSON"),
        ("an abyss", "[" * 4_000, "400 Invalid JSON: nested deeper than 8 brackets"),
        ("an array", "[]", "400 Invalid body"),
        ("a number", "7", "400 Invalid body"),
        ("NaN", "NaN", "400 Invalid JSON: NaN and Infinity are not JSON"),
        (
            "a key twice",
            '{"browser_id": "a", "browser_id": "b"}',
            "400 Invalid JSON: an object names the same key twice",
        ),
        (
            "a number of 4,000 digits",
            "9" * 4_000,
            "400 Invalid JSON: a number longer than 32 characters",
        ),
        ("UTF-16", '{"browser_id":"a"}'.encode("utf-16"), "400 Invalid JSON"),
        ("a body of 4,097 bytes", " " * 4_097, "413 A body of more than 4096 bytes is not read."),
        ("a body of a megabyte", "x" * 2**20, "413 A body of more than 4096 bytes is not read."),
    ):
        yield _one(
            f"H29 {name} for a new game",
            "no JSON object of 4 KiB at most",
            "POST",
            "/new-game",
            answer,
            body=body,
            headers=_JSON,
        )
    yield _one(
        "H29 words for a new game, called words",
        "no JSON, and it does not say that it is",
        "POST",
        "/new-game",
        "415 The body is not JSON",
        body=CANARY,
        headers={"Content-Type": "text/plain"},
    )
    yield _one(
        "H69 a browser id with half a surrogate",
        "no text, so no JSON that all programs read alike",
        "POST",
        "/new-game",
        "400 Invalid JSON: a lone surrogate",
        body=json.dumps({"browser_id": "\ud83d"}),
        headers=_JSON,
    )
    for name, chosen in (
        ("that is a number", 7),
        ("that is a list", ["a"]),
        ("that is an object", {"$ne": None}),
        ("that is true", True),
        ("of 257 letters", "a" * 257),
        ("of a blank", " "),
        ("with a blank at its end", "a "),
        ("with a line break", f"a\r\nX-{CANARY}: 1"),
        ("with a NUL", "a\0"),
        ("of Cyrillic letters", "привет"),
        ("with a mark that turns the text round", "a\u202eb"),
    ):
        yield _one(
            f"H69 a browser id {name}",
            "it must be able to stand in a header",
            "POST",
            "/new-game",
            "400 Invalid browser id",
            body=json.dumps({"browser_id": chosen}),
            headers=_JSON,
        )


def headers() -> Iterator[Case]:
    """H66, H68, H69: what stands in a header."""
    for name, text in (
        ("that is a game's key", "g#" + GAME),
        ("that is a public key", PLAYER.pubkey),
        ("that is an expression", "attribute_exists(pk) OR :v = :v"),
        ("of 257 letters", "a" * 257),
        ("of 100,000 letters", "a" * 100_000),
        ("with a line of log in it", f'\n{{"status":"{CANARY}"}}'),
    ):
        number = "H68" if "log" in name else "H69"
        for path in ("/load-game", "/legal-moves/e2", "/make-move/e2/e4"):
            yield _one(
                f"{number} {path} with a browser id {name}",
                "the table knows a browser by a hash of its id alone: there is none",
                "GET",
                path,
                "400 Game not found!",
                headers={"browser_id": text},
            )
    yield _one(
        "H43 a move without a browser id",
        "who asks?",
        "GET",
        "/make-move/e2/e4",
        "400 No browser id",
    )
    for name, header in (
        ("a host with a script", {"host": _SCRIPT, "x-forwarded-host": CANARY}),
        ("another language", {"accept-language": CANARY * 1_000}),
        ("a tag of 100,000 quotes", {"if-none-match": '"' * 100_000}),
        ("a cookie", {"cookie": CANARY}),
        ("a method of its own", {"x-http-method-override": "DELETE"}),
        ("a forwarded address", {"x-forwarded-for": f"{CANARY}, 127.0.0.1"}),
    ):
        yield _one(
            f"H66 {name} in a header",
            "not read, or not believed",
            "GET",
            "/live",
            "200",
            headers=header,
        )


def moves() -> Iterator[Case]:
    """H48 to H50 where two play at one browser."""
    for name, path, answer in (
        ("from a square to itself", "/make-move/e2/e2", "400 Invalid move!"),
        ("that takes one's own", "/make-move/a1/a2", "400 Invalid move!"),
        ("of Black's", "/make-move/e7/e5", "400 Invalid move!"),
        ("of nobody's", "/make-move/e4/e5", "400 Invalid move!"),
        ("of the king onto his rook", "/make-move/e1/h1", "400 Invalid move!"),
        ("that passes", "/make-move/00/00", "400 Invalid position"),
        ("in upper case", "/make-move/E2/E4", "400 Invalid position"),
        ("in Arabic digits", "/make-move/e٢/e٤", "400 Invalid position"),
        ("with a NUL", "/make-move/e2%00/e4", "400 Invalid position"),
        ("beyond the board", "/make-move/e2/e9", "400 Invalid position"),
        ("that is a script", f"/make-move/{_SCRIPT[:8]}/e4", "400 Invalid position"),
        ("escaped twice", "/make-move/%2565%2532/e4", "400 Invalid position"),
    ):
        yield Case(
            name=f"H48 a move at a browser {name}",
            note="squares are a1 to h8, and a move is a legal one",
            door=Door.HTTP,
            answer=answer,
            knock=partial(_at_a_browser, path, {}),
            heeded=True,
        )
    for promotion in ("k", "p", "", "Q ", "queen", "٣", CANARY, "x" * 1_000):
        shown = promotion if len(promotion) < 9 else "of a thousand letters"
        yield Case(
            name=f"H50 the promotion {shown!r} at a browser",
            note="n, b, r or q",
            door=Door.HTTP,
            answer="400 Invalid promotion",
            knock=partial(_at_a_browser, "/make-move/e2/e4", {"promotion": promotion}),
            heeded=True,
        )
    for before in ("0", "-1", "1.0", "x", "9" * 10, "٣", "01", CANARY):
        yield Case(
            name=f"H22 moves before {before!r}",
            note="a number of nine digits at most",
            door=Door.HTTP,
            answer="400 Invalid move number",
            knock=partial(_at_a_browser, "/load-game", {"before": before}),
            heeded=True,
        )


def _at_a_browser(path: str, query: dict[str, str], stage: Stage) -> str:
    """Ask this where a game at a browser has begun; and no move was made in it."""
    begun = json.dumps({"browser_id": "mine"})
    assert stage.asked("POST", "/new-game", body=begun, headers=_JSON) == "200"
    (game_id,) = set(stage.world.games.standing) - {GAME}
    answer = stage.asked("GET", path, headers={"browser_id": "mine"}, query=query)
    assert stage.world.game(game_id).ply == 0
    return answer
