"""Reports of players about players, for the operator."""

from dataclasses import dataclass

MAX_REPORTS = 100
"""The latest are kept."""

REPORTS_OF_ONE, REPORT_SECONDS = 5, 24 * 60 * 60
"""Reports of one key that reach the operator in this time."""

COPIES_OF_ONE = 10 * REPORTS_OF_ONE
"""Events of one key that are looked at in this time: each relay brings a copy of a report."""

MAX_LINES = 10
"""Lines of chat in one report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerReport:
    """A player (64 hex) reported by another, with this NIP-56 type, a game, disclosed lines of
    chat, and their early ends in the hour before.
    """

    id: str
    at_ms: int
    by: str
    player: str
    type: str = "other"
    text: str = ""
    game_id: str = ""
    chat: tuple[str, ...] = ()
    early_ends: int = 0


def with_report(
    reports: tuple[PlayerReport, ...], new: PlayerReport
) -> tuple[PlayerReport, ...] | None:
    if any(one.id == new.id for one in reports):
        return None
    return (*reports, new)[-MAX_REPORTS:]
