"""Which representation a client prefers, by its ``Accept`` header (RFC 9110 section 12.5.1).

What is malformed is ignored element by element. A client that accepts nothing of what is offered
gets the default: the RFC allows that instead of 406.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arbiter.web.caching import HTML, JSON

PROBLEM = "application/problem+json"

_LONGEST = 1024
"""The longest ``Accept`` that is read, in characters. Browsers send some 150."""

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PARAMETER = re.compile(rf"({_WORD})=({_WORD}|{_QUOTED})")
_ELEMENT = re.compile(rf'(?:[^,"]|{_QUOTED})+')
# Blanks after a semicolon belong to the parameter or to the next semicolon, never to both: the
# expression has one way to match, so a stranger's header cannot make it slow.
_RANGE = re.compile(rf"({_WORD})/({_WORD})((?:[ \t]*;(?:[ \t]*{_WORD}=(?:{_WORD}|{_QUOTED}))?)*)")
_WEIGHT = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")

_CHARSET = frozenset({("charset", "utf-8")})
"""The one parameter that everything here has; JSON is UTF-8 too (RFC 8259 section 8.1)."""


@dataclass(frozen=True, slots=True)
class _Range:
    """One media range, in lower case, and its weight from 0 to 1."""

    kind: str
    subtype: str
    parameters: frozenset[tuple[str, str]]
    weight: float

    def matches(self, media_type: str) -> bool:
        kind, _, subtype = media_type.partition("/")
        return (
            self.kind in ("*", kind)
            and self.subtype in ("*", subtype)
            and self.parameters <= _CHARSET
        )

    @property
    def specificity(self) -> int:
        """``*/*`` is 0, ``text/*`` 1, ``text/html`` 2; each parameter adds one."""
        return (self.kind != "*") + (self.subtype != "*") + len(self.parameters)


def preferred(accept: str | None, offered: Sequence[str]) -> str:
    """The offered content type that this ``Accept`` prefers; the first where it does not say.

    Of two with the same weight, the one that is named more exactly is preferred: a client that
    sends ``text/html, */*`` means HTML.
    """
    ranges = list(_ranges(accept or ""))
    best, best_rank = offered[0], (0.0, -1)
    for content_type in offered:
        media_type = content_type.partition(";")[0]
        found = [one for one in ranges if one.matches(media_type)]
        if not found:
            continue
        closest = max(found, key=lambda one: one.specificity)
        rank = (closest.weight, closest.specificity)
        if closest.weight and rank > best_rank:
            best, best_rank = content_type, rank
    return best


def wants_page(accept: str | None) -> bool:
    """Whether HTML is preferred to JSON, as browsers do."""
    return preferred(accept, (JSON, PROBLEM, HTML)) == HTML


def _ranges(accept: str) -> Iterator[_Range]:
    if len(accept) > _LONGEST:
        return
    for element in _ELEMENT.findall(accept):
        found = _RANGE.fullmatch(element.strip(" \t"))
        if found is None:
            continue
        kind, subtype, rest = found[1].lower(), found[2].lower(), found[3]
        if kind == "*" and subtype != "*":
            continue
        parameters = [(name.lower(), value) for name, value in _PARAMETER.findall(rest)]
        names = [name for name, _ in parameters]
        # What follows the weight was an extension in RFC 7231, and never part of the range.
        at = names.index("q") if "q" in names else len(names)
        weight = parameters[at][1] if at < len(names) else "1"
        if _WEIGHT.fullmatch(weight):
            own = frozenset((name, value.strip('"').lower()) for name, value in parameters[:at])
            yield _Range(kind, subtype, own, float(weight))
