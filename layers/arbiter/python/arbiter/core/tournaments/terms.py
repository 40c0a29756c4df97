"""Bounds of the terms of a tournament, and the length that they give it."""

from arbiter.core.tournaments import berger
from arbiter.core.tournaments.tournament import Format, Tournament, TournamentTerms

MAX_TITLE_CHARS = 80
MAX_DESCRIPTION_CHARS = 2_000
MAX_ROUNDS = 30
MAX_CYCLES = 2
MAX_LIMIT = 1_000
MAX_PLAYERS = {Format.ROUND_ROBIN: 32, Format.KNOCKOUT: 256}
"""Of formats whose length or boards grow with the players."""

MAX_INTERVAL_S = 14 * 24 * 60 * 60
MIN_NO_SHOW_S, MAX_NO_SHOW_S = 10, 24 * 60 * 60
MAX_MINUTES = 12 * 60
MAX_DEPUTIES = 8
MAX_ALLOWED = 500
MAX_DRAWS_FROM_PLY = 120
MAX_TIE_BREAKS = 8
MAX_AHEAD_MS = 366 * 24 * 60 * 60 * 1000


def flaw_of_terms(terms: TournamentTerms, deputies: tuple[str, ...], now_ms: int) -> str | None:
    bounds = {
        "title": (len(terms.title), 1, MAX_TITLE_CHARS),
        "description": (len(terms.description), 0, MAX_DESCRIPTION_CHARS),
        "cycles": (terms.cycles, 1, MAX_CYCLES),
        "interval": (terms.interval_s or 0, 0, MAX_INTERVAL_S),
        "noshow": (terms.no_show_s, MIN_NO_SHOW_S, MAX_NO_SHOW_S),
        "limit": (terms.limit, 2, MAX_LIMIT),
        "allowed": (len(terms.allowed), 0, MAX_ALLOWED),
        "draws": (terms.draws_from_ply, 0, MAX_DRAWS_FROM_PLY),
        "tiebreaks": (len(terms.tie_breaks), 0, MAX_TIE_BREAKS),
        "late": (terms.join_until_round, 0, MAX_ROUNDS),
        "p": (len(deputies), 0, MAX_DEPUTIES),
        "starts": (terms.starts_ms, 0, now_ms + MAX_AHEAD_MS),
    }
    if terms.format is Format.SWISS:
        bounds["rounds"] = (terms.rounds, 1, MAX_ROUNDS)
    if terms.format is Format.ARENA:
        bounds["minutes"] = (terms.minutes, 1, MAX_MINUTES)
    for name, (value, least, most) in bounds.items():
        if not least <= value <= most:
            return f"{name}: from {least} to {most}"
    if terms.format is Format.ARENA and not terms.time.is_live:
        return "time: an arena needs a live clock"
    return None


def limit_of(terms: TournamentTerms) -> int:
    return min(terms.limit, MAX_PLAYERS.get(terms.format, MAX_LIMIT))


def rounds_of(tournament: Tournament) -> int | None:
    """The number of rounds; None where play decides it, and before a round robin's first."""
    match tournament.terms.format:
        case Format.SWISS:
            return tournament.terms.rounds
        case Format.ROUND_ROBIN if tournament.field:
            return berger.rounds_of(len(tournament.field), tournament.terms.cycles)
        case _:
            return None
