"""NIP-01 filters: what we ask relays for, and whether an event matches, for a relay may send
anything. An empty tuple is no constraint; no empty list is written or accepted, as relays differ.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    is_hex_32_bytes,
)
from arbiter.nostr.limits import MAX_CREATED_AT, MAX_FILTER_VALUES, MAX_KIND

# NIP-01: "#<single-letter (a-zA-Z)>".
_TAG_FIELD = re.compile(r"#[a-zA-Z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """All constraints must hold, each by any of its values. ``tags`` is keyed by the letter."""

    ids: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    since: int | None = None
    until: int | None = None
    limit: int | None = None


def matches(wanted: Filter, event: NostrEvent | VerifiedEvent) -> bool:
    """Whether the event matches; ``limit`` does not count."""
    if wanted.ids and event.id not in wanted.ids:
        return False
    if wanted.authors and event.pubkey not in wanted.authors:
        return False
    if wanted.kinds and event.kind not in wanted.kinds:
        return False
    # NIP-01: "since <= created_at <= until".
    if wanted.since is not None and event.created_at < wanted.since:
        return False
    if wanted.until is not None and event.created_at > wanted.until:
        return False
    for letter, values in wanted.tags.items():
        if values and not _has_tag(event, letter, values):
            return False
    return True


def filter_to_json(wanted: Filter) -> dict[str, object]:
    lists: dict[str, tuple[str, ...] | tuple[int, ...]] = {
        "ids": wanted.ids,
        "authors": wanted.authors,
        "kinds": wanted.kinds,
        **{f"#{letter}": values for letter, values in wanted.tags.items()},
    }
    numbers = {"since": wanted.since, "until": wanted.until, "limit": wanted.limit}
    return {
        **{name: list(values) for name, values in lists.items() if values},
        **{name: number for name, number in numbers.items() if number is not None},
    }


def filter_from_json(value: object) -> Filter | ParseError:
    """The filter in a JSON object, or why it is invalid, as by unknown fields."""
    if not isinstance(value, Mapping):
        return ParseError(ParseErrorCode.BAD_FILTER, "a filter is a JSON object")
    if not all(_is_constraint(name, given) for name, given in value.items()):
        return ParseError(ParseErrorCode.BAD_FILTER, "a constraint that is not one of NIP-01")
    return Filter(
        ids=tuple(value.get("ids", ())),
        authors=tuple(value.get("authors", ())),
        kinds=tuple(value.get("kinds", ())),
        tags={name[1]: tuple(value[name]) for name in value if name.startswith("#")},
        since=value.get("since"),
        until=value.get("until"),
        limit=value.get("limit"),
    )


def _has_tag(event: NostrEvent | VerifiedEvent, letter: str, values: tuple[str, ...]) -> bool:
    # NIP-01: "Only the first value in any given tag is indexed".
    for tag in event.tags:  # noqa: SIM110 - for each delivery of a move: `any` takes twice as long
        if len(tag) > 1 and tag[0] == letter and tag[1] in values:
            return True
    return False


def _is_constraint(name: object, given: object) -> bool:
    match name:
        case "ids" | "authors" | "#e" | "#p":
            # NIP-01: "The ids, authors, #e and #p filter lists MUST contain exact 64-character
            # lowercase hex values."
            return _is_list_of(is_hex_32_bytes, given)
        case "kinds":
            return _is_list_of(lambda kind: _is_number(kind, MAX_KIND), given)
        case "since" | "until" | "limit":
            return _is_number(given, MAX_CREATED_AT)
        case str() if _TAG_FIELD.fullmatch(name):
            return _is_list_of(lambda text: isinstance(text, str), given)
        case _:
            return False


def _is_list_of(is_valid: Callable[[object], bool], value: object) -> bool:
    return (
        isinstance(value, list | tuple)
        and 0 < len(value) <= MAX_FILTER_VALUES
        and all(is_valid(item) for item in value)
    )


def _is_number(value: object, greatest: int) -> bool:
    return type(value) is int and 0 <= value <= greatest
