"""The contract as a page: plain HTML made from the OpenAPI document, nothing loaded from anywhere.

It shows what somebody who writes a client looks for: path, parameters, what comes back. The schemas
in full are in the document itself.
"""

import json
from functools import cache
from html import escape
from typing import Any

from arbiter.web.contract import METHODS, document

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;
color:#222;background:#fff}
h2{margin-top:2.5rem}h3{font-family:ui-monospace,monospace;font-size:1rem;background:#eef2ee;
padding:.5rem;margin-top:2rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.3rem .5rem;
text-align:left;vertical-align:top}code,pre{font-family:ui-monospace,monospace;font-size:.9em}
td code{overflow-wrap:anywhere}pre{background:#f6f6f6;padding:.7rem;overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181a18}h3,pre{background:#262a26}
td,th{border-color:#444}a{color:#9c9}}
"""


@cache
def docs_page() -> str:
    """The whole page."""
    info = document()["info"]
    sections = [_section(tag) for tag in document()["tags"]]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(info['title'])}: HTTP API</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(info['title'])}</h1><p>{_text(info['summary'])}</p>"
        f"<p>{_text(info['description'])}</p>"
        '<p>For programs: <a href="/openapi.json">openapi.json</a></p>'
        f"{''.join(sections)}<h2>Shapes</h2>{_schemas()}</body></html>"
    )


def _section(tag: dict[str, Any]) -> str:
    operations = [
        _operation(path, method, item[method])
        for path, item in document()["paths"].items()
        for method in METHODS
        if method in item and tag["name"] in item[method]["tags"]
    ]
    return f"<h2>{escape(tag['name'])}</h2><p>{_text(tag['description'])}</p>{''.join(operations)}"


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    heading = f"<h3>{method.upper()} {escape(path)}</h3><p>{_text(operation['summary'])}.</p>"
    told = operation.get("description")
    described = f"<p>{_text(told)}</p>" if told else ""
    return heading + described + _parameters(operation) + _responses(operation)


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
            f"<code>{escape(kind)}</code> {_schema(content.get('schema', {}))}"
            for kind, content in answer.get("content", {}).items()
        )
        description = _text(answer["description"])
        rows.append(f"<tr><th>{escape(status)}</th><td>{description}</td><td>{kinds}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _schemas() -> str:
    return "".join(
        f'<h3 id="{escape(name)}">{escape(name)}</h3>'
        f"<pre>{escape(json.dumps(schema, indent=2, ensure_ascii=False))}</pre>"
        for name, schema in document()["components"]["schemas"].items()
    )


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
