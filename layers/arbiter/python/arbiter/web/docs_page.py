"""The contract as a page: every route in a line that opens, made from the OpenAPI document.

It shows what somebody who writes a client looks for: path, parameters, what comes back.
"""

import json
from functools import cache
from html import escape
from typing import Any

from arbiter.web.contract import METHODS, document
from arbiter.web.pages import Where, card, page


def docs_page(where: Where) -> str:
    """The whole page."""
    info = document()["info"]
    about = (
        f"<p>{_text(info['summary'])}</p>\n<p>{_text(info['description'])}</p>\n"
        f'<p>For programs and viewers: <a href="{where.root}openapi.json">openapi.json</a>'
        " (OpenAPI 3.1).</p>\n"
    )
    return page(where, "HTTP API", card("HTTP API", about, 1) + _sections())


@cache
def _sections() -> str:
    sections = "".join(_section(tag) for tag in document()["tags"])
    shapes = f"<details><summary>All of them</summary>\n{_schemas()}</details>\n"
    return sections + card("Shapes", shapes)


def _section(tag: dict[str, Any]) -> str:
    operations = [
        _operation(path, method, item[method])
        for path, item in document()["paths"].items()
        for method in METHODS
        if method in item and tag["name"] in item[method]["tags"]
    ]
    return card(
        tag["name"].capitalize(), f"<p>{_text(tag['description'])}</p>\n{''.join(operations)}"
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    summary = f"<code>{method.upper()} {escape(path)}</code> {_text(operation['summary'])}"
    told = operation.get("description")
    described = f"<p>{_text(told)}</p>" if told else ""
    more = described + _parameters(operation) + _responses(operation)
    return f"<details><summary>{summary}</summary>{more}</details>\n"


def _parameters(operation: dict[str, Any]) -> str:
    rows = [_resolved(parameter) for parameter in operation.get("parameters", [])]
    cells = [
        f"<tr><td><code>{escape(row['name'])}</code></td><td>{escape(row['in'])}"
        f"{'' if row.get('required') else ', optional'}</td>"
        f"<td>{_text(row.get('description', ''))} {_schema(row.get('schema', {}))}</td></tr>"
        for row in rows
    ]
    if body := operation.get("requestBody"):
        kinds = "".join(
            f"<tr><td>body</td><td><code>{escape(kind)}</code>"
            f"{'' if body.get('required') else ', optional'}</td>"
            f"<td>{_schema(content.get('schema', {}))}</td></tr>"
            for kind, content in body["content"].items()
        )
        cells.append(kinds)
    return f"<table>{''.join(cells)}</table>" if cells else ""


def _responses(operation: dict[str, Any]) -> str:
    rows = []
    for status, response in operation["responses"].items():
        answer = _resolved(response)
        kinds = " ".join(
            f"<code>{escape(kind)}</code> {_shape(content.get('schema', {}))}"
            for kind, content in answer.get("content", {}).items()
        )
        description = _text(answer["description"])
        rows.append(f"<tr><th>{escape(status)}</th><td>{description}</td><td>{kinds}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _schemas() -> str:
    """Each shape collapsed. The id is inside: a browser opens what a link to it leads into."""
    return "".join(
        f"<details><summary><code>{escape(name)}</code></summary>"
        f'<pre id="{escape(name)}">{escape(json.dumps(schema, indent=2, ensure_ascii=False))}</pre>'
        "</details>\n"
        for name, schema in document()["components"]["schemas"].items()
    )


def _shape(schema: dict[str, Any]) -> str:
    """As `_schema`; that a text is a string needs no words."""
    return "" if schema == {"type": "string"} else _schema(schema)


def _schema(schema: dict[str, Any]) -> str:
    """A link to a named schema, or a small one as it stands."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    return f"<code>{escape(json.dumps(schema, ensure_ascii=False))}</code>" if schema else ""


def _resolved(value: dict[str, Any]) -> dict[str, Any]:
    """What a reference inside the document stands for."""
    if "$ref" not in value:
        return value
    found: Any = document()
    for part in value["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)


def _text(text: str) -> str:
    """Our own text, with what stands between backticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
