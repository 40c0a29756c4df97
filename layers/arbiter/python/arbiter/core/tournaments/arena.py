"""Arenas: players who wait are paired again and again until the time is over."""

from arbiter.core.tournaments.tournament import Board, EntryState, Tournament

PRESENT_MS = 60_000
"""Time after their last sign for which a player counts as being there."""

TICK_MS = 5_000
"""Time between two moments of pairing, in an arena of less than an hour and a half."""

MAX_WAVES = 1_000
"""Moments of pairing in an arena, all read with each message: 1,440 take 49 ms."""


def tick_ms(tournament: Tournament) -> int:
    return max(TICK_MS, tournament.terms.minutes * 60_000 // MAX_WAVES)


def ends_ms(tournament: Tournament) -> int:
    return (tournament.round_ms or 0) + tournament.terms.minutes * 60_000


def closes_ms(tournament: Tournament) -> int:
    """When (unix) games cease to begin: half a base before the end, as on lichess."""
    return ends_ms(tournament) - max(30_000, min(tournament.terms.time.base_ms // 2, 120_000))


def open_boards(tournament: Tournament) -> list[Board]:
    return [board for _, board in tournament.boards() if board.result is None]


def waiting(tournament: Tournament, now_ms: int) -> tuple[int, ...]:
    playing = {number for one in open_boards(tournament) for number in (one.white, one.black)}
    return tuple(
        entry.number
        for entry in tournament.entries
        if entry.state is EntryState.IN
        and entry.number not in playing
        and now_ms - entry.seen_ms <= PRESENT_MS
    )
