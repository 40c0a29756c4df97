"""The contract of the HTTP API: openapi.json, and its page. A path that it lacks is not found
(404), a method not allowed (405), so it documents all that there is.
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from arbiter.web.pages import Where, card, page

_DOCUMENT = Path(__file__).with_name("openapi.json")

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@cache
def document_text() -> str:
    return json.dumps(document(), ensure_ascii=False, separators=(",", ":"))


@cache
def document() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_DOCUMENT.read_text(encoding="utf-8"))
    return value


def methods_of(path: str) -> tuple[str, ...]:
    """The methods of this path, in capitals; empty for an unknown path."""
    return next((methods for pattern, methods in _paths() if pattern.fullmatch(path)), ())


def is_safe(path: str) -> bool:
    """Whether a GET of this path changes nothing, so that HEAD is allowed too."""
    return not path.startswith("/make-move/")


@cache
def _paths() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """Each path as a pattern, those without parameters first."""
    templates = sorted(document()["paths"].items(), key=lambda item: item[0].count("{"))
    return tuple((_pattern(template), _methods(item)) for template, item in templates)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{\w+\}", template)
    return re.compile("[^/]+".join(map(re.escape, parts)))


def _methods(item: dict[str, Any]) -> tuple[str, ...]:
    return tuple(method.upper() for method in METHODS if method in item)


def docs_page(where: Where) -> str:
    """The contract as a page: each route expands to its part of the document."""
    info = document()["info"]
    about = (
        f"<p>{escape(info['summary'])}</p>\n<p>{escape(info['description'])}</p>\n"
        f'<p>For programs and viewers: <a href="{where.root}openapi.json">openapi.json</a>'
        " (OpenAPI 3.1).</p>\n"
    )
    return page(where, "HTTP API", card("HTTP API", about, 1) + _sections())


@cache
def _sections() -> str:
    routes = "".join(
        _opening(f"{method.upper()} {path}", item[method], item[method]["summary"])
        for path, item in document()["paths"].items()
        for method in METHODS
        if method in item
    )
    parts = "".join(
        _opening(f"#/components/{kind}/{name}", part)
        for kind, named in document()["components"].items()
        for name, part in named.items()
    )
    return card("Routes", routes) + card("What they refer to", parts)


def _opening(name: str, part: dict[str, Any], summary: str = "") -> str:
    text = escape(json.dumps(part, indent=2, ensure_ascii=False))
    return (
        f"<details><summary><code>{escape(name)}</code> {escape(summary)}</summary>"
        f"<pre>{text}</pre></details>\n"
    )
