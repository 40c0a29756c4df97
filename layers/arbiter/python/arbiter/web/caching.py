"""How long an answer may be kept, and how it is told that it is still the same.

The law: **one tag, one text.** A tag is strong (RFC 9110 8.8.1): it is made of the version of what
is shown and of ``FORM``, or of the text itself, and never of the time. So a CDN carries the
spectators: while a game goes on, each of its places asks us once in two seconds, whoever watches.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from arbiter.application.queries import Reading

FORMAT_VERSION = "1"
"""What a game's JSON, PGN and pictures look like. To be raised when any of them changes for the
very same game; a test compares."""

JSON = "application/json"
HTML = "text/html; charset=utf-8"
PGN = "application/vnd.chess-pgn; charset=utf-8"

TWO_SECONDS = "public, max-age=2"
MINUTE = "public, max-age=60"
HOUR = "public, max-age=3600"
DAY = "public, max-age=86400"
NEVER = "no-store"

_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """Something to be read: ``make`` writes it, if it must be written at all."""

    content_type: str
    make: Callable[[], str | bytes]
    tag: str
    cache_control: str
    headers: Mapping[str, str] = field(default_factory=dict)


def tag_of_game(reading: Reading) -> str:
    """The tag of what shows this game and nothing else: not of its page, which shows the time."""
    return f'"{FORMAT_VERSION}.{reading.game.item_version}{"r" if reading.rated else ""}"'


def tag_of_text(text: str) -> str:
    """The tag of this very text."""
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'


def cache_control_of_game(reading: Reading, now_ms: int, settled: str) -> str:
    """How long a game's answer may be kept: as ``settled`` says once nothing more will be played,
    rated or, most likely, agreed to.
    """
    return settled if reading.is_settled(now_ms) else TWO_SECONDS


def answer(shown: Representation, if_none_match: str | None) -> Response[Any]:
    """The answer to a GET: whole, or 304 for whoever has it."""
    headers = {"ETag": shown.tag, "Cache-Control": shown.cache_control, **shown.headers}
    if if_none_match is not None and _has(if_none_match, shown.tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, body="", headers=headers)
    return Response(HTTPStatus.OK, shown.content_type, shown.make(), headers)


def answer_text(
    text: str,
    content_type: str,
    keep: str,
    if_none_match: str | None,
    headers: Mapping[str, str] | None = None,
) -> Response[Any]:
    """This very text, whose tag is its hash."""
    shown = Representation(
        content_type=content_type,
        make=lambda: text,
        tag=tag_of_text(text),
        cache_control=keep,
        headers=headers or {},
    )
    return answer(shown, if_none_match)


def to_json(view: Mapping[str, Any]) -> str:
    """The view as JSON text, the same for the same view."""
    return json.dumps(view, ensure_ascii=False, separators=(",", ":"))


def _has(if_none_match: str, tag: str) -> bool:
    # RFC 9110 13.1.2: "A recipient MUST use the weak comparison function" here.
    return if_none_match.strip() == "*" or tag in _TAG.findall(if_none_match)
