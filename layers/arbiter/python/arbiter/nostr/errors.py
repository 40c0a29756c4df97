"""Why a stranger's bytes were refused. Invariant: a ``ParseError`` never quotes them, so it can be
logged.
"""

from dataclasses import dataclass
from enum import StrEnum


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
