"""JSON by orjson: strangers' text read, and text written.

Invariant: ``read_json`` returns a value or a ``ParseError``, which never quotes the text, for any
input. orjson refuses NaN, numbers beyond a double, lone surrogates, other encodings, more than
1,024 brackets deep. Of a key that comes twice the last counts, and an integer of more than 64 bits
is a float: an event's id is computed from what was read, so neither passes a signature.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import orjson


class ParseErrorCode(StrEnum):
    """The reason in one word, for counters and logs."""

    # The text itself.
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
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
    TOO_MANY_FILTERS = "too_many_filters"


@dataclass(frozen=True, slots=True)
class ParseError:
    """A refusal; ``text`` is for people."""

    code: ParseErrorCode
    text: str


def read_json(raw: bytes | str, max_bytes: int) -> object | ParseError:
    """The JSON value of ``raw`` (at most ``max_bytes`` of UTF-8), or why there is none."""
    try:
        # A character takes at least a byte: a huge string is refused before it is encoded.
        octets = raw.encode() if isinstance(raw, str) and len(raw) <= max_bytes else raw
        if len(octets) > max_bytes:
            return ParseError(ParseErrorCode.TOO_LARGE, f"larger than {max_bytes} bytes")
        value: object = orjson.loads(octets)
    except ValueError:
        return ParseError(ParseErrorCode.NOT_JSON, "not a JSON text")
    return value


def write_json(value: object) -> str:
    """``value`` as compact JSON, non-ASCII verbatim. Raises TypeError for a lone surrogate."""
    return orjson.dumps(value).decode()


_AS_JSON_DUMPS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def write_ascii(value: object, default: Callable[[object], object] | None = None) -> str:
    """``value`` as compact JSON in ASCII; ``default`` as json.dumps has it."""
    # orjson escapes no letters, and hardly any text of ours needs it.
    try:
        text = orjson.dumps(value, default, _AS_JSON_DUMPS).decode()
    except TypeError:  # a lone surrogate, which an escape can hold
        text = "\x80"
    return text if text.isascii() else json.dumps(value, separators=(",", ":"), default=default)
