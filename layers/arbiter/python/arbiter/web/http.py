"""HTTP answers: content negotiation by ``Accept`` (RFC 9110 section 12.5.1; else the default, not
406), entity tags, caching, and errors as problem details (RFC 9457), or as ``{"error": …}`` for the
routes of chessgame-backend.

Invariant: an entity tag is strong: the version of what is shown and ``FORMAT_VERSION``, or the text
itself, never the time. So a CDN serves spectators: each location asks once in two seconds.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from arbiter.application.queries import GameWithRatings
from arbiter.nostr.strict_json import write_ascii, write_json

PROBLEM = "application/problem+json"

_COMPATIBLE = frozenset({"new-game", "load-game", "legal-moves", "make-move"})

_LONGEST = 1024
"""The longest ``Accept`` that is parsed, in characters. Browsers send about 150."""

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PARAMETER = re.compile(rf"({_WORD})=({_WORD}|{_QUOTED})")
_ELEMENT = re.compile(rf'(?:[^,"]|{_QUOTED})+')
# Blanks after a semicolon belong to the parameter or to the next semicolon, never to both: with one
# way to match, the expression is linear on hostile headers.
_RANGE = re.compile(rf"({_WORD})/({_WORD})((?:[ \t]*;(?:[ \t]*{_WORD}=(?:{_WORD}|{_QUOTED}))?)*)")
_WEIGHT = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")

_CHARSET = frozenset({("charset", "utf-8")})
"""The one parameter that all offered types have; JSON is UTF-8 too (RFC 8259 section 8.1)."""


@dataclass(frozen=True, slots=True)
class _Range:
    """One media range, in lower case, and its weight from 0 to 1."""

    kind: str
    subtype: str
    parameters: frozenset[tuple[str, str]]
    weight: float

    def matches(self, media_type: str) -> bool:
        kind, _, subtype = media_type.partition("/")
        return (
            self.kind in ("*", kind)
            and self.subtype in ("*", subtype)
            and self.parameters <= _CHARSET
        )

    @property
    def specificity(self) -> int:
        """``*/*`` is 0, ``text/*`` 1, ``text/html`` 2; each parameter adds one."""
        return (self.kind != "*") + (self.subtype != "*") + len(self.parameters)


def preferred(accept: str | None, offered: Sequence[str]) -> str:
    """The offered content type that this ``Accept`` prefers, the more specific; or the first."""
    ranges = list(_ranges(accept or ""))
    best, best_rank = offered[0], (0.0, -1)
    for content_type in offered:
        media_type = content_type.partition(";")[0]
        found = [one for one in ranges if one.matches(media_type)]
        if not found:
            continue
        closest = max(found, key=lambda one: one.specificity)
        rank = (closest.weight, closest.specificity)
        if closest.weight and rank > best_rank:
            best, best_rank = content_type, rank
    return best


def wants_page(accept: str | None) -> bool:
    return preferred(accept, (JSON, PROBLEM, HTML)) == HTML


def _ranges(accept: str) -> Iterator[_Range]:
    if len(accept) > _LONGEST:
        return
    for element in _ELEMENT.findall(accept):
        found = _RANGE.fullmatch(element.strip(" \t"))
        if found is None:
            continue
        kind, subtype, rest = found[1].lower(), found[2].lower(), found[3]
        if kind == "*" and subtype != "*":
            continue
        parameters = [(name.lower(), value) for name, value in _PARAMETER.findall(rest)]
        names = [name for name, _ in parameters]
        # Parameters after the weight were extensions in RFC 7231, not part of the range.
        at = names.index("q") if "q" in names else len(names)
        weight = parameters[at][1] if at < len(names) else "1"
        if _WEIGHT.fullmatch(weight):
            own = frozenset((name, value.strip('"').lower()) for name, value in parameters[:at])
            yield _Range(kind, subtype, own, float(weight))


FORMAT_VERSION = "4"
"""Of a game's JSON, PGN and images: raise it when one changes; a test compares."""

JSON = "application/json"
HTML = "text/html; charset=utf-8"
GZIP = "application/gzip"
PGN = "application/vnd.chess-pgn; charset=utf-8"

TWO_SECONDS = "public, max-age=2"
TEN_SECONDS = "public, max-age=10"
MINUTE = "public, max-age=60"
HOUR = "public, max-age=3600"
DAY = "public, max-age=86400"
NEVER = "no-store"

_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """One form of a resource; ``make`` is called unless the answer is 304."""

    content_type: str
    make: Callable[[], str | bytes]
    tag: str
    cache_control: str
    headers: Mapping[str, str] = field(default_factory=dict)


def tag_of_game(found: GameWithRatings) -> str:
    """The tag of what depends on this game only (its page also shows the time)."""
    return f'"{FORMAT_VERSION}.{found.game.item_version}{"r" if found.rated else ""}"'


def tag_of_text(text: str) -> str:
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'


def cache_control_of_game(found: GameWithRatings, now_ms: int, settled: str) -> str:
    """``settled`` for a rated, ended game without a rematch in sight; else two seconds."""
    return settled if found.is_settled(now_ms) else TWO_SECONDS


def answer(shown: Representation, if_none_match: str | None) -> Response[Any]:
    headers = {"ETag": shown.tag, "Cache-Control": shown.cache_control, **shown.headers}
    if has(if_none_match, shown.tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, body="", headers=headers)
    return Response(HTTPStatus.OK, shown.content_type, shown.make(), headers)


def answer_text(
    text: str,
    content_type: str,
    cache_control: str,
    if_none_match: str | None,
    headers: Mapping[str, str] | None = None,
) -> Response[Any]:
    shown = Representation(
        content_type=content_type,
        make=lambda: text,
        tag=tag_of_text(text),
        cache_control=cache_control,
        headers=headers or {},
    )
    return answer(shown, if_none_match)


def to_json(view: Mapping[str, Any]) -> str:
    return write_json(view)


def has(if_none_match: str | None, tag: str) -> bool:
    """Whether a client with this header has what has this tag."""
    # RFC 9110 13.1.2: "A recipient MUST use the weak comparison function" here.
    return if_none_match is not None and (
        if_none_match.strip() == "*" or tag in _TAG.findall(if_none_match)
    )


def problem(status: HTTPStatus, detail: str) -> Response[str]:
    """``application/problem+json``; ``detail`` is our own text, and the type ``about:blank``."""
    document = {"title": status.phrase, "status": int(status), "detail": detail}
    return _response(status, PROBLEM, document)


def plain_error(status: HTTPStatus, error: str) -> Response[str]:
    return _response(status, "application/json", {"error": error})


def refusal(
    path: str, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """An error found before routing, in the format of this path."""
    compatible = path.split("/")[1:2] and path.split("/")[1] in _COMPATIBLE
    refused = (plain_error if compatible else problem)(status, detail)
    refused.headers.update(headers or {})
    return refused


def _response(
    status: HTTPStatus, content_type: str, document: Mapping[str, object]
) -> Response[str]:
    return Response(
        status_code=status,
        content_type=content_type,
        body=write_ascii(document),
        headers={"Cache-Control": "no-store"},  # an error must not be cached
    )
