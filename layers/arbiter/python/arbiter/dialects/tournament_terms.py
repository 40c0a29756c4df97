"""The terms of a tournament as tags of commands and of events (docs/nip/events.md)."""

import re
from collections.abc import Callable
from typing import Any

from arbiter.core.clocks import TimeControl, read_time
from arbiter.core.names import clean_line
from arbiter.core.tournaments.terms import MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS
from arbiter.core.tournaments.tie_breaks import is_known
from arbiter.core.tournaments.tournament import EntryRule, Format, TournamentTerms
from arbiter.dialects.base import PEOPLE
from arbiter.dialects.terms_tags import quoted
from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes

_NUMBER = re.compile(r"[0-9]{1,12}")
_SET = re.compile(rf"{PEOPLE}:[0-9a-f]{{64}}:[ -~]{{0,64}}")

# Dictionaries, because before Python 3.12 ``text in Enum`` raises TypeError.
_FORMATS = {one.value: one for one in Format}
_ENTRIES = {one.value: one for one in EntryRule}

Values = tuple[str, ...]
Read = Callable[[Values], Any]
"""Returns the meaning of the values of a tag, at least one; None where they have none."""


def whole_number(text: str) -> int | None:
    """The whole number in this text of up to twelve digits, unbounded; or None."""
    return int(text) if _NUMBER.fullmatch(text) else None


def _number(values: Values) -> int | None:
    return whole_number(values[0])


def _one_of(words: dict[str, Any]) -> Read:
    return lambda values: words.get(values[0])


def _interval(values: Values) -> tuple[int | None] | None:
    """In a tuple, since None is a value."""
    if values[0] == "manual":
        return (None,)
    seconds = whole_number(values[0])
    return None if seconds is None else (seconds,)


def _entry(values: Values) -> tuple[EntryRule, str] | None:
    rule, named = _ENTRIES.get(values[0]), "".join(values[1:2])
    if rule is EntryRule.SECRET and not is_hex_32_bytes(named):
        return None
    return (rule, named) if rule else None


def _allowed(values: Values) -> Values | None:
    """Keys, and at most one follow set (NIP-51) by its address."""
    sets = [value for value in values if not is_hex_32_bytes(value)]
    return values if len(sets) <= 1 and all(map(_SET.fullmatch, sets)) else None


def _tie_breaks(values: Values) -> Values | None:
    # An arena is shown with its TPR, which has no choice.
    are_known = all(name == "TPR" or is_known(name) for name in values)
    return values if are_known and len({*values}) == len(values) else None


_TAGS: dict[str, tuple[Read, str]] = {
    "title": (lambda values: clean_line(values[0], MAX_TITLE_CHARS) or None, "a title"),
    "description": (lambda values: clean_line(values[0], MAX_DESCRIPTION_CHARS), "a text"),
    "format": (_one_of(_FORMATS), "round-robin, swiss, arena or knockout"),
    "time": (lambda values: read_time(values[0]), "like 180+2 or 3d, in the limits"),
    "starts": (_number, "unix seconds"),
    "rounds": (_number, "a number"),
    "cycles": (_number, "a number"),
    "minutes": (_number, "a number"),
    "interval": (_interval, "seconds, or manual"),
    "noshow": (_number, "seconds"),
    "mode": (_one_of({"rated": True, "casual": False}), "rated or casual"),
    "limit": (_number, "a number"),
    "entry": (_entry, "open, list, secret and a key, or rsvp"),
    "allowed": (_allowed, f"keys of 64 lower-case hex digits, or one {PEOPLE}:<key>:<set>"),
    "late": (_number, "the number of a round"),
    "draws": (_number, "a number of half-moves"),
    "lategames": (_one_of({"count": True}), "the word count"),
    "bots": (_one_of({"welcome": True}), "the word welcome"),
    "tiebreaks": (_tie_breaks, "like BH/C1 BH SB WIN or DE WIN SB KS, each once"),
}
"""For each tag, the meaning of its values, and what is expected."""


def terms_of(event: VerifiedEvent) -> TournamentTerms | str:
    """The terms in the tags; or what is wrong with one of them, its value and what is expected."""
    read: dict[str, Any] = {}
    for name, (meaning, expected) in _TAGS.items():
        found = all_tags(event, name)
        if len(found) > 1:
            return f"{name}: given {len(found)} times, once is enough"
        if not found:
            continue
        values = found[0][1:]
        if not values or (meant := meaning(values)) is None:
            return f"{name}: {quoted(values)} is not {expected}"
        read[name] = meant
    return _missing(read) or _built(**read)


def _missing(read: dict[str, Any]) -> str | None:
    by_format = {Format.SWISS: ("rounds",), Format.ARENA: ("minutes",)}
    needed = ("title", "format", "time", "starts", *by_format.get(read.get("format", ""), ()))
    missing = next((name for name in needed if name not in read), None)
    if missing:
        return f"{missing}: needed, {_TAGS[missing][1]}"
    rule, _ = read.get("entry", (EntryRule.OPEN, ""))
    if rule is EntryRule.LIST and not read.get("allowed"):
        return "entry: a list needs an allowed tag with keys"
    return None


def _built(
    *,
    title: str,
    format: Format,  # noqa: A002 - as above
    time: TimeControl,
    starts: int,
    description: str = "",
    rounds: int = 0,
    cycles: int = 1,
    minutes: int = 0,
    interval: tuple[int | None] = (30,),
    noshow: int | None = None,
    mode: bool = False,
    limit: int = 500,
    entry: tuple[EntryRule, str] = (EntryRule.OPEN, ""),
    allowed: Values = (),
    late: int = 1,
    draws: int = 0,
    lategames: bool = False,
    bots: bool = False,
    tiebreaks: Values = (),
) -> TournamentTerms:
    rule, named = entry
    return TournamentTerms(
        title=title,
        description=description,
        format=format,
        time=time,
        starts_ms=starts * 1000,
        rounds=rounds if format is Format.SWISS else 0,
        cycles=cycles if format is Format.ROUND_ROBIN else 1,
        minutes=minutes if format is Format.ARENA else 0,
        interval_s=interval[0],
        no_show_s=_no_show_s(format, time) if noshow is None else noshow,
        limit=limit,
        rated=mode,
        bots=bots,
        entry=rule,
        allowed=allowed if rule is EntryRule.LIST else (),
        secret_key=named if rule is EntryRule.SECRET else "",
        join_until_round=late,
        draws_from_ply=draws,
        late_games=lategames,
        tie_breaks=tiebreaks,
    )


def _no_show_s(pairing: Format, time: TimeControl) -> int:
    """Half a minute in an arena, else a third of the base, between one minute and ten."""
    return 30 if pairing is Format.ARENA else min(max(time.base_ms // 3000, 60), 600)


def tags_of(terms: TournamentTerms) -> tuple[Values, ...]:
    """The terms as `terms_of` reads them, but for the description and the keys of a list."""
    given: tuple[tuple[bool, Values], ...] = (
        (terms.format is Format.SWISS, ("rounds", str(terms.rounds))),
        (terms.cycles > 1, ("cycles", str(terms.cycles))),
        (terms.format is Format.ARENA, ("minutes", str(terms.minutes))),
        (terms.rated, ("mode", "rated")),
        (terms.draws_from_ply > 0, ("draws", str(terms.draws_from_ply))),
        (terms.late_games, ("lategames", "count")),
        (terms.bots, ("bots", "welcome")),
        (bool(terms.tie_breaks), ("tiebreaks", *terms.tie_breaks)),
        (bool(terms.people), ("allowed", terms.people)),
    )
    interval = "manual" if terms.interval_s is None else str(terms.interval_s)
    return (
        ("title", terms.title),
        ("format", terms.format),
        ("time", str(terms.time)),
        ("starts", str(terms.starts_ms // 1000)),
        ("interval", interval),
        ("noshow", str(terms.no_show_s)),
        ("limit", str(terms.limit)),
        ("entry", terms.entry, *filter(None, (terms.secret_key,))),
        ("late", str(terms.join_until_round)),
        *(tag for is_given, tag in given if is_given),
    )
