"""HTTP requests: every route with parameters nearly right, and headers and bodies of any kind."""

import json
from dataclasses import dataclass
from urllib.parse import quote

from arbiter.nostr.nip19 import encode_jester, encode_npub
from arbiter.web.openapi import document
from tests.fuzz.choices import Choices
from tests.fuzz.oracle import check
from tests.fuzz.texts import anything, nearly, scrap, usually
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import GAME, PLAYER, STRANGER
from tests.web.browser import Answer

_PATHS = tuple(sorted(document()["paths"]))
_DOORS = sorted({path.split("/")[1] for path in _PATHS} - {""}, key=len, reverse=True)
BEGUN = "@begun"
"""In place of the id of the game that the browser ``mine`` has."""

_SQUARES = ("e2", "e4", "e7", "e5", "g1", "f3", "a1", "h8", "E2", "e9", "e8=Q")
JESTER = encode_jester(PLAYER.pubkey)
_IDS = (BEGUN, GAME, "ff" * 16, PLAYER.pubkey, JESTER, "..", "%2e%2e", "%00", "index.html")
_VALUES = {
    "id": _IDS,
    "speed": ("bullet", "blitz", "rapid", "classical", "correspondence", "Blitz"),
    "player": (PLAYER.pubkey, encode_npub(PLAYER.pubkey), STRANGER.pubkey, *_IDS),
    "name": ("main-0a1b2c3d.js", "style.css", "..", "%2e%2e%2fapp.py", "index.html.br", "\x00"),
    "position": _SQUARES,
    "origin": _SQUARES,
    "target": _SQUARES,
}
_ORDINARY = (("e2", "e4"), ("e7", "e5"), ("g1", "f3"), ("b8", "c6"), ("f1", "c4"), ("g8", "f6"))
_NAMES = ("limit", "after", "before", "promotion", "name", "x", "__proto__", "")
_ASKED = ("1", "20", "100", "0", "101", "-1", "q", "n", "A" * 32, "_" * 32, "arbiter", "_")
_HEADERS = (
    *("browser_id", "browser-id", "if-none-match", "accept", "content-type", "host", "origin"),
    *("x-forwarded-for", "x-forwarded-proto", "access-control-request-headers", "cookie", "range"),
    *("accept-encoding", "content-length", "transfer-encoding", "x-http-method-override"),
)
_VALUED = (
    *("mine", "*", '"1.1"', 'W/"1.1"', "application/json", "application/nostr+json", "text/html"),
    *("text/plain", "http", "https", "browser_id, content-type", "bytes=0-1", "gzip", "DELETE"),
)
_BODIES = (
    b'{"browser_id":"mine"}',
    b'{"browser_id":""}',
    b'{"browser_id":null}',
    b"{}",
    b"",
    b"[]",
    b'{"browser_id":"\\ud83d\\ude00"}',
)
_METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "get")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: str | bytes | None = None


def _path(choices: Choices) -> str:
    if choices.chance(6):
        origin, target = choices.pick(_ORDINARY)
        return f"/make-move/{origin}/{target}"
    parts = choices.pick(_PATHS).split("/")
    path = "/".join(_filled(choices, part) for part in parts)
    path = quote(path, safe="/%@") if choices.chance(2) else path
    return nearly(choices, (path,)) if choices.chance(3) else path


def _filled(choices: Choices, part: str) -> str:
    """A part of a path with its parameter chosen; ``{id}.pgn`` has it in the middle."""
    before, brace, rest = part.partition("{")
    name, _, after = rest.partition("}")
    return before + usually(choices, _VALUES[name]) + after if brace else part


def _body(choices: Choices) -> str | bytes | None:
    match choices.below(4):
        case 0:
            return None
        case 1:
            return anything(choices)
        case _:
            return scrap(choices, _BODIES)


def _ask(choices: Choices) -> Ask:
    def pair(names: tuple[str, ...], values: tuple[str, ...]) -> tuple[str, str]:
        return nearly(choices, names), usually(choices, values)

    mine = {} if choices.chance(3) else {"browser_id": "mine"}
    path = _path(choices)
    usual = "POST" if path.startswith("/new-game") else "GET"
    return Ask(
        method=nearly(choices, _METHODS) if choices.chance(4) else usual,
        path=path,
        query=tuple(dict(choices.several(3, lambda: pair(_NAMES, _ASKED))).items()),
        headers=tuple((mine | dict(choices.several(3, lambda: pair(_HEADERS, _VALUED)))).items()),
        body=_body(choices),
    )


def sittings(choices: Choices) -> tuple[Ask, ...]:
    """One to eight requests."""
    return tuple(choices.several(8, lambda: _ask(choices), least=1))


def sit(asks: tuple[Ask, ...]) -> str:
    """Ask all of these where a game has begun under the browser id ``mine``; status by status."""
    with Stage() as stage:
        begun = stage.browser.ask("POST", "/new-game", body=json.dumps({"browser_id": "mine"}))
        assert begun.status == 200
        game_id = json.loads(begun.body)["game"]["id"]
        words = [_answered(stage, ask, ask.path.replace(BEGUN, game_id)) for ask in asks]
        assert not stage.lines.taken()
        check(stage)
    return " ".join(words)


def _answered(stage: Stage, ask: Ask, path: str) -> str:
    answer = stage.browser.ask(
        ask.method,
        path,
        query=dict(ask.query),
        headers=dict(ask.headers),
        body=ask.body,
    )
    _check_answer(answer)
    kind = answer.headers.get("Content-Type", "-").partition(";")[0].rpartition("/")[2]
    # The first part of a path alone: its parameters are anybody's.
    door = next((it for it in _DOORS if ask.path.startswith(f"/{it}")), "-")
    return f"{answer.status}:{kind}:{door}"


def _check_answer(answer: Answer) -> None:
    assert 200 <= answer.status < 500, answer
    for name, value in answer.headers.items():
        assert not {"\r", "\n", "\0"} & {*name, *value}, (name, value)
        assert name == "Access-Control-Allow-Headers" or CANARY not in value
    if answer.headers.get("Content-Type", "").partition(";")[0].endswith("json") and answer.body:
        json.loads(answer.body)
    assert f"<{CANARY}" not in answer.body
