"""Tournaments as JSON values, "events" in paths and texts, in unix milliseconds, of the tournament
alone. Boards and byes name players by number; the standings have all entries.
"""

from collections.abc import Sequence

from arbiter.application.ports import ListedTournament
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Round, Tournament
from arbiter.dialects.tournament_events import next_at_ms, round_status, tie_break_names
from arbiter.web.views import View, nostr_view, seat_view


def listed_view(rows: Sequence[ListedTournament]) -> View:
    return {
        "events": [
            {
                "id": row.id,
                "title": row.title,
                "format": row.format.value,
                "time_control": row.time,
                "starts_ms": row.starts_ms,
                "status": row.status,
            }
            for row in rows
        ]
    }


def tournament_view(tournament: Tournament) -> View:
    names = tie_break_names(tournament)
    return {
        "event": _event_view(tournament),
        "rounds": [_round_view(each) for each in tournament.rounds],
        "standings": [
            {
                "rank": row.rank,
                "number": row.number,
                "player": seat_view(tournament.entry(row.number).seat),
                "points": row.points,
                "state": tournament.entry(row.number).state.value,
                "tie_breaks": dict(zip(names, row.tie_breaks, strict=False)),
            }
            for row in standings(tournament)
        ],
    }


def _event_view(tournament: Tournament) -> View:
    terms, phase = tournament.terms, tournament.phase
    return {
        "id": tournament.id,
        "version": tournament.version,
        "title": terms.title,
        "description": terms.description,
        "format": terms.format.value,
        "time_control": str(terms.time),
        "rated": terms.rated,
        "starts_ms": terms.starts_ms,
        "rounds": terms.rounds or None,
        "cycles": terms.cycles,
        "minutes": terms.minutes or None,
        "interval_seconds": terms.interval_s,
        "no_show_seconds": terms.no_show_s,
        "limit": terms.limit,
        "bots": terms.bots,
        "entry": terms.entry.value,
        "tie_breaks": list(tie_break_names(tournament)),
        "organiser": nostr_view(tournament.organiser),
        "deputies": [nostr_view(deputy) for deputy in tournament.deputies],
        "status": phase.status,
        "phase": phase.value,
        "round": tournament.round,
        "next_ms": next_at_ms(tournament),
        "trouble": tournament.trouble or None,
        "ended_ms": tournament.ended_ms,
    }


def _round_view(each: Round) -> View:
    return {
        "number": each.number,
        "status": round_status(each),
        "boards": [
            {
                "board": number,
                "white": board.white,
                "black": board.black,
                "game": board.game_id or None,
                "result": board.result.value if board.result else None,
                "corrected": board.is_corrected,
            }
            for number, board in enumerate(each.boards, start=1)
        ],
        "byes": [{"number": bye.number, "kind": bye.kind.value} for bye in each.byes],
        "engine": each.engine or None,
        "digest": each.digest or None,
    }
