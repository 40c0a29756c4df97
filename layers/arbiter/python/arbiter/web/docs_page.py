"""The contract as a page: every route in a line that opens, and shows its part of the document."""

import json
from functools import cache
from html import escape
from typing import Any

from arbiter.web.openapi import METHODS, document
from arbiter.web.pages import Where, card, page


def docs_page(where: Where) -> str:
    """The whole page."""
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
