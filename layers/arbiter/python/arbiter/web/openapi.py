"""The contract of the HTTP API: one OpenAPI document, which the router itself goes by.

What the document does not have is not there (404), and a method that it does not give to a path is
not allowed (405). So it cannot promise too little.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_DOCUMENT = Path(__file__).with_name("openapi.json")

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@cache
def document_text() -> str:
    """The document, without the blanks that make it readable."""
    return json.dumps(document(), ensure_ascii=False, separators=(",", ":"))


@cache
def document() -> dict[str, Any]:
    """The document as a value. To look at, not to change."""
    value: dict[str, Any] = json.loads(_DOCUMENT.read_text(encoding="utf-8"))
    return value


def methods_of(path: str) -> tuple[str, ...]:
    """The methods, in capitals, that this path answers to; none for a path that is not there."""
    return next((methods for pattern, methods in _paths() if pattern.fullmatch(path)), ())


def is_safe(path: str) -> bool:
    """Whether a GET of this path changes nothing, so that HEAD may ask for it too."""
    return not path.startswith("/make-move/")


@cache
def _paths() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """Each path as a pattern, those without parameters first."""
    templates = sorted(document()["paths"].items(), key=lambda item: item[0].count("{"))
    return tuple((_pattern(template), _methods(item)) for template, item in templates)


def _pattern(template: str) -> re.Pattern[str]:
    """A parameter stands for a part of the path without a slash."""
    parts = re.split(r"\{\w+\}", template)
    return re.compile("[^/]+".join(map(re.escape, parts)))


def _methods(item: dict[str, Any]) -> tuple[str, ...]:
    return tuple(method.upper() for method in METHODS if method in item)
