"""Strict JSON parsing of strangers' text.

Invariant: ``read_json`` returns a value or a ``ParseError`` for any input, and never raises.
Python's parser accepts input that two programs read differently (duplicate keys, NaN, UTF-16, lone
surrogates); all of it is refused. A ``ParseError`` never quotes the text, so it can be logged.
"""

import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from arbiter.nostr.limits import MAX_DEPTH, MAX_NUMBER_CHARS

# A string, closed or not. Possessive quantifiers and the optional quote keep this linear on hostile
# text.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_NOT_A_BRACKET = re.compile(r"[^\[\]{}]+")


class ParseErrorCode(StrEnum):
    """The reason in one word, for counters and logs."""

    # The text itself.
    TOO_LARGE = "too_large"
    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    TOO_DEEP = "too_deep"
    DUPLICATE_KEY = "duplicate_key"
    NOT_FINITE = "not_finite"
    HUGE_NUMBER = "huge_number"
    LONE_SURROGATE = "lone_surrogate"
    # The seven fields of an event.
    NOT_AN_OBJECT = "not_an_object"
    MISSING_FIELD = "missing_field"
    BAD_ID = "bad_id"
    BAD_PUBKEY = "bad_pubkey"
    BAD_CREATED_AT = "bad_created_at"
    BAD_KIND = "bad_kind"
    BAD_TAGS = "bad_tags"
    TOO_MANY_TAGS = "too_many_tags"
    TAG_TOO_LARGE = "tag_too_large"
    BAD_CONTENT = "bad_content"
    BAD_SIG = "bad_sig"
    # Well-formed, but forged.
    WRONG_ID = "wrong_id"
    WRONG_SIG = "wrong_sig"
    # Messages and filters.
    NOT_AN_ARRAY = "not_an_array"
    UNKNOWN_MESSAGE = "unknown_message"
    BAD_MESSAGE = "bad_message"
    BAD_FILTER = "bad_filter"


@dataclass(frozen=True, slots=True)
class ParseError:
    """A refusal; ``text`` is for people."""

    code: ParseErrorCode
    text: str


class _RefusedError(ValueError):
    """Raised inside the JSON parser's hooks; caught in ``read_json``."""

    def __init__(self, flaw: ParseErrorCode, text: str) -> None:
        super().__init__(text)
        self.error = ParseError(flaw, text)


def read_json(raw: bytes | str, max_bytes: int) -> object | ParseError:
    """The JSON value of ``raw`` (at most ``max_bytes`` of UTF-8), or why there is none."""
    text = _decoded(raw, max_bytes)
    if isinstance(text, ParseError):
        return text
    if _too_deep(text):
        return ParseError(ParseErrorCode.TOO_DEEP, f"nested deeper than {MAX_DEPTH} brackets")
    try:
        value: object = _READER.decode(text)
    except _RefusedError as refused:
        return refused.error
    except ValueError:
        return ParseError(ParseErrorCode.NOT_JSON, "not a JSON text")
    # The text is strict UTF-8, so a lone surrogate can only come from an escape.
    if "\\u" in text and _has_lone_surrogate(value):
        return ParseError(ParseErrorCode.LONE_SURROGATE, "a lone surrogate")
    return value


def write_json(value: object) -> str:
    """``value`` as compact JSON, non-ASCII characters verbatim."""
    return _WRITER.encode(value)


def _decoded(raw: bytes | str, max_bytes: int) -> str | ParseError:
    # A character takes at least a byte: a huge string is refused before it is encoded.
    if len(raw) > max_bytes:
        return ParseError(ParseErrorCode.TOO_LARGE, f"larger than {max_bytes} bytes")
    if isinstance(raw, bytes):
        # Decoded here because json.loads guesses UTF-16 and UTF-32 from bytes.
        try:
            return raw.decode("utf-8", "strict")
        except UnicodeDecodeError:
            return ParseError(ParseErrorCode.NOT_UTF8, "not UTF-8")
    try:
        size = len(raw.encode("utf-8", "strict"))
    except UnicodeEncodeError:
        return ParseError(ParseErrorCode.LONE_SURROGATE, "a lone surrogate")
    if size > max_bytes:
        return ParseError(ParseErrorCode.TOO_LARGE, f"larger than {max_bytes} bytes")
    return raw


def _too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    # The count is right as far as the text is JSON, and the parser stops where it is not.
    depth = 0
    for bracket in _NOT_A_BRACKET.sub("", _STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _has_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8", "strict")
    except UnicodeEncodeError:
        return True
    return False


def _object_with_distinct_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # RFC 8259 leaves open what duplicate keys mean: a relay may use one and we the other.
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _RefusedError(ParseErrorCode.DUPLICATE_KEY, "an object names the same key twice")
    return result


def _integer(digits: str) -> int | float:
    if len(digits) > MAX_NUMBER_CHARS:
        raise _RefusedError(
            ParseErrorCode.HUGE_NUMBER, f"a number longer than {MAX_NUMBER_CHARS} characters"
        )
    # As a float, minus zero fails every check for an integer.
    return -0.0 if digits == "-0" else int(digits)


def _float(digits: str) -> float:
    if len(digits) > MAX_NUMBER_CHARS:
        raise _RefusedError(
            ParseErrorCode.HUGE_NUMBER, f"a number longer than {MAX_NUMBER_CHARS} characters"
        )
    value = float(digits)
    if not math.isfinite(value):
        raise _RefusedError(ParseErrorCode.NOT_FINITE, "a number too large to be finite")
    return value


def _constant(_name: str) -> NoReturn:
    raise _RefusedError(ParseErrorCode.NOT_FINITE, "NaN and Infinity are not JSON")


# json.dumps would create an encoder for each call.
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)

_READER = json.JSONDecoder(
    object_pairs_hook=_object_with_distinct_keys,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_constant,
)
