"""HTTP requests: every route with parameters nearly right, and headers and bodies of any kind."""

import json
from dataclasses import dataclass
from urllib.parse import quote

from arbiter.nostr.nip19 import encode_npub
from arbiter.web.contract import document
from tests.fuzz.choices import Choices
from tests.fuzz.oracle import check
from tests.fuzz.texts import anything, nearly, scrap, usually
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import GAME, PLAYER
from tests.web.browser import Answer

_PATHS = tuple(sorted(document()["paths"]))
_VALUES = (
    *(GAME, "ff" * 16, PLAYER.pubkey, encode_npub(PLAYER.pubkey), "blitz", "bullet", "rapid"),
    *("e2", "e4", "a1", "h8", "E2", "e9", "..", "%2e%2e", "%00", "index.html", "openapi.json"),
)
_NAMES = ("limit", "after", "before", "promotion", "name", "x", "__proto__", "")
_ASKED = ("1", "20", "100", "0", "101", "-1", "q", "n", "A" * 32, "_" * 32, "arbiter", "_")
_HEADERS = (
    *("browser_id", "browser-id", "if-none-match", "accept", "content-type", "host", "origin"),
    *("x-forwarded-for", "x-forwarded-proto", "access-control-request-headers", "cookie", "range"),
    *("accept-encoding", "content-length", "transfer-encoding", "x-http-method-override"),
)
_HEADER_VALUES = (
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
    parts = choices.pick(_PATHS).split("/")
    path = "/".join(_filled(choices, part) for part in parts)
    return nearly(choices, (quote(path, safe="/%") if choices.chance(2) else path,))


def _filled(choices: Choices, part: str) -> str:
    """A part of a path with its parameter chosen; ``{id}.pgn`` has it in the middle."""
    before, brace, rest = part.partition("{")
    return before + usually(choices, _VALUES) + rest.partition("}")[2] if brace else part


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

    path = _path(choices)
    usual = "POST" if path.startswith("/new-game") else "GET"
    return Ask(
        method=nearly(choices, (usual, usual, usual, usual, *_METHODS)),
        path=path,
        query=tuple(dict(choices.several(3, lambda: pair(_NAMES, _ASKED))).items()),
        headers=tuple(dict(choices.several(4, lambda: pair(_HEADERS, _HEADER_VALUES))).items()),
        body=_body(choices),
    )


def sittings(choices: Choices) -> tuple[Ask, ...]:
    """One to four requests."""
    return tuple(choices.several(4, lambda: _ask(choices), least=1))


def sit(asks: tuple[Ask, ...]) -> str:
    """Ask all of these where a game has begun under the browser id ``mine``; status by status."""
    with Stage() as stage:
        begun = json.dumps({"browser_id": "mine"})
        assert stage.browser.ask("POST", "/new-game", body=begun).status == 200
        words = [_answered(stage, ask) for ask in asks]
        assert not stage.lines.taken()
        check(stage)
    return " ".join(words)


def _answered(stage: Stage, ask: Ask) -> str:
    answer = stage.browser.ask(
        ask.method,
        ask.path,
        query=dict(ask.query),
        headers=dict(ask.headers),
        body=ask.body,
    )
    _check_answer(answer)
    return f"{answer.status}:{answer.headers.get('Content-Type', '-').partition(';')[0]}"


def _check_answer(answer: Answer) -> None:
    assert 200 <= answer.status < 500, answer
    for name, value in answer.headers.items():
        assert not {"\r", "\n", "\0"} & {*name, *value}, (name, value)
        assert name == "Access-Control-Allow-Headers" or CANARY not in value
    if answer.headers.get("Content-Type", "").partition(";")[0].endswith("json") and answer.body:
        json.loads(answer.body)
    assert f"<{CANARY}" not in answer.body
