"""The terms of a game: its time control, mode, variant and who may play."""

import re
from dataclasses import dataclass
from enum import StrEnum

LIVE = re.compile(r"(\d{1,5})\+(\d{1,3})", re.ASCII)
DAYS = re.compile(r"(\d{1,2})d", re.ASCII)


class Speed(StrEnum):
    """The speeds that have a rating."""

    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Seconds and increment, or days a move."""

    base: int = 0
    increment: int = 0
    days: int = 0

    def __str__(self) -> str:
        return f"{self.days}d" if self.days else f"{self.base}+{self.increment}"

    @property
    def speed(self) -> Speed:
        """By base + 40 increments."""
        if self.days:
            return Speed.CORRESPONDENCE
        estimate = self.base + 40 * self.increment
        limits = ((180, Speed.BULLET), (480, Speed.BLITZ), (1500, Speed.RAPID))
        return next((speed for limit, speed in limits if estimate < limit), Speed.CLASSICAL)


def read_time(text: str) -> TimeControl | None:
    """`180+2` or `3d`."""
    if live := LIVE.fullmatch(text):
        base, increment = int(live[1]), int(live[2])
        return TimeControl(base, increment) if base or increment else None
    if days := DAYS.fullmatch(text):
        return TimeControl(days=int(days[1])) if int(days[1]) else None
    return None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that a challenge proposes."""

    time: TimeControl | None = None
    rated: bool = False
    variant: str = "standard"
    start: str | None = None
    by_bot: bool = False


def read_terms(tags: tuple[tuple[str, ...], ...]) -> Terms | None:
    """None if a tag cannot be read."""
    first = {tag[0]: tag[1] for tag in reversed(tags) if len(tag) > 1}
    time = read_time(first["time"]) if "time" in first else None
    if "time" in first and time is None:
        return None
    return Terms(
        time,
        rated=first.get("mode") == "rated",
        variant=first.get("variant", "standard"),
        start=first.get("start"),
        by_bot=first.get("bot") == "true",
    )
