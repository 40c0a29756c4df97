"""The terms of a game as tags of a request to play or a challenge (PROTOCOL.md)."""

import re
from collections.abc import Callable

from arbiter.core.clocks import read_time
from arbiter.core.game import Variant
from arbiter.core.terms import OPEN, ColorPreference, Terms
from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes

VALUE_CHARS_QUOTED = 24
"""Characters of a tag's value that an error quotes."""

_RATING = re.compile(r"[0-9]{1,4}")

# Dictionaries, because before Python 3.12 ``text in Enum`` raises TypeError.
_COLORS = {color.value: color for color in ColorPreference}
_VARIANTS = {variant.value: variant for variant in Variant}


_NAMES = (
    *("time", "mode", "color", "rating", "variant", "start"),
    *("bot", "bots", "challenge", "dialect"),
)


def terms_of(event: VerifiedEvent) -> Terms | str:
    """The terms in the tags; or what is wrong with one of them, its value and what is expected."""
    tags: dict[str, tuple[str, ...]] = {}
    for name in _NAMES:
        found = all_tags(event, name)
        if len(found) > 1:
            return f"{name}: given {len(found)} times, once is enough"
        if found and len(found[0]) < 2:  # noqa: PLR2004 - name and value
            return f"{name}: without a value"
        if found:
            tags[name] = found[0][1:]
    for name, (is_read, expected) in _READABLE.items():
        if name in tags and not is_read(tags[name]):
            return f"{name}: {quoted(tags[name])} is not {expected}"
    rating = tags.get("rating")
    opponent, *more = tags.get("challenge", (None,))
    return Terms(
        time=read_time(tags["time"][0]) if "time" in tags else None,
        rated=tags.get("mode", ("casual",))[0] == "rated",
        variant=_VARIANTS[tags.get("variant", ("standard",))[0]],
        color=_COLORS[tags.get("color", ("random",))[0]],
        rating_range=(int(rating[0]), int(rating[1])) if rating else None,
        is_bot=tags.get("bot") == ("true",),
        welcomes_bots=tags.get("bots") == ("welcome",),
        start_fen=tags.get("start", (None,))[0],
        opponent=opponent,
        link_key=next(iter(more), None),
        dialect=tags.get("dialect", (None,))[0],
    )


def _is_rating_range(values: tuple[str, ...]) -> bool:
    return len(values) == 2 and all(map(_RATING.fullmatch, values))  # noqa: PLR2004 - both ends


def _is_opponent(values: tuple[str, ...]) -> bool:
    """Whether these name a player, ``open``, or ``open`` and the public key of a link."""
    if values[0] == OPEN:
        return all(map(is_hex_32_bytes, values[1:2]))
    return len(values) == 1 and is_hex_32_bytes(values[0])


_READABLE: dict[str, tuple[Callable[[tuple[str, ...]], bool], str]] = {
    "time": (lambda values: read_time(values[0]) is not None, "like 180+2 or 3d, in the limits"),
    "mode": (lambda values: values[0] in {"rated", "casual"}, "rated or casual"),
    "color": (lambda values: values[0] in _COLORS, "white, black or random"),
    "rating": (_is_rating_range, "two numbers of up to four digits"),
    "variant": (lambda values: values[0] in _VARIANTS, "standard or chess960"),
    "challenge": (_is_opponent, "open or a key, and a key is 64 lower-case hex digits"),
}
"""For each tag, whether its values are valid, and what is expected."""


def quoted(values: tuple[str, ...]) -> str:
    text = " ".join(values)
    kept = "".join(char if " " <= char <= "~" else "?" for char in text[:VALUE_CHARS_QUOTED])
    return f"'{kept}...'" if len(text) > VALUE_CHARS_QUOTED else f"'{kept}'"


def tags_of(terms: Terms) -> tuple[tuple[str, ...], ...]:
    tags: list[tuple[str, ...]] = []
    if terms.time:
        tags.append(("time", str(terms.time)))
    if terms.rated:
        tags.append(("mode", "rated"))
    if terms.color is not ColorPreference.RANDOM:
        tags.append(("color", terms.color))
    if terms.variant is not Variant.STANDARD:
        tags.append(("variant", terms.variant))
    if terms.start_fen:
        tags.append(("start", terms.start_fen))
    if terms.is_bot:
        tags.append(("bot", "true"))
    return tuple(tags)
