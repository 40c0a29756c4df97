"""The stored events that show a tournament: itself (30327), rounds (30328) and standings (30329), a
calendar event (NIP-52) and badges (NIP-58). Written, never read: docs/nip/events.md.
"""

from collections.abc import Sequence
from dataclasses import replace

from arbiter.core.tournaments.standings import Standing, standings
from arbiter.core.tournaments.tie_breaks import names_of
from arbiter.core.tournaments.tournament import Board, EntryState, Format, Phase, Round, Tournament
from arbiter.dialects.base import CALENDAR_EVENT, TOURNAMENT, tournament_address
from arbiter.dialects.tournament_terms import tags_of
from arbiter.nostr.event import EventTemplate, Tag

ROUND = 30328
STANDINGS = 30329
BADGE = 30009
BADGE_AWARD = 8
KINDS = (TOURNAMENT, ROUND, STANDINGS, CALENDAR_EVENT, BADGE, BADGE_AWARD)

BOARDS_OF_A_PAGE = 32
BYES_OF_A_PAGE = 64
RANKS_SHOWN = 100
"""A page of boards takes 9,000 bytes and a hundred ranks 16,000; relays take 65,536, some less."""

BADGED_RANKS = 3

_DAY_MS = 24 * 3600 * 1000
_GONE = (EntryState.LEFT, EntryState.REMOVED)


def tournament_template(tournament: Tournament, server: str, at: int) -> EventTemplate:
    """The 30327 of a tournament of ``server`` (64 hex), dated ``at`` (unix seconds)."""
    del server
    phase, entries = tournament.phase, tournament.entries
    next_ms = next_at_ms(tournament)
    under_way: tuple[tuple[bool, Tag], ...] = (
        (phase.status == Phase.PLAYING, ("phase", phase)),
        (tournament.round > 0, ("round", str(tournament.round))),
        (next_ms is not None, ("next", str((next_ms or 0) // 1000))),
        (bool(tournament.trouble), ("trouble", tournament.trouble)),
    )
    tags: tuple[Tag, ...] = (
        ("d", tournament.id),
        *tags_of(replace(tournament.terms, tie_breaks=tie_break_names(tournament))),
        ("p", tournament.organiser, "", "organiser"),
        *(("p", deputy, "", "deputy") for deputy in tournament.deputies),
        ("status", phase.status),
        *(tag for is_given, tag in under_way if is_given),
        ("players", str(sum(entry.state not in _GONE for entry in entries))),
        *_last_tags(tournament, f"Chess event: {tournament.terms.title}"),
    )
    return EventTemplate(TOURNAMENT, tags, tournament.terms.description, at)


def next_at_ms(tournament: Tournament) -> int | None:
    """When players see something come by itself (unix): the start, a round, the end of an arena."""
    match tournament.phase:
        case Phase.OPEN:
            return tournament.next_ms
        case Phase.WAITING | Phase.PLANNED:
            return tournament.round_ms
        case Phase.FINISHED | Phase.CANCELLED:
            return None
        case _ if tournament.terms.format is Format.ARENA and tournament.round_ms is not None:
            return tournament.round_ms + tournament.terms.minutes * 60_000
        case _:
            return None


def round_templates(
    tournament: Tournament, number: int, server: str, at: int
) -> tuple[EventTemplate, ...]:
    each = tournament.rounds[number - 1]
    byes = len(each.byes)
    pages = max(1, -(-len(each.boards) // BOARDS_OF_A_PAGE), -(-byes // BYES_OF_A_PAGE))
    return tuple(_page(tournament, each, page, pages, server, at) for page in range(pages))


def _page(
    tournament: Tournament, each: Round, page: int, pages: int, server: str, at: int
) -> EventTemplate:
    first = page * BOARDS_OF_A_PAGE
    boards = each.boards[first : first + BOARDS_OF_A_PAGE]
    byes = each.byes[page * BYES_OF_A_PAGE : (page + 1) * BYES_OF_A_PAGE]
    by = (("engine", each.engine, each.digest),) if each.engine else ()
    tags: tuple[Tag, ...] = (
        ("d", f"{tournament.id}:{each.number}:{page + 1}"),
        ("a", tournament_address(server, tournament.id)),
        ("round", str(each.number)),
        ("pages", str(pages)),
        ("status", round_status(each)),
        *(_board(tournament, number, board) for number, board in enumerate(boards, first + 1)),
        *(("bye", _player(tournament, bye.number), bye.kind) for bye in byes),
        *by,
        *_last_tags(tournament, f"{tournament.terms.title}, round {each.number}", each.version),
    )
    return EventTemplate(ROUND, tags, "", at)


def round_status(each: Round) -> str:
    if each.is_done:
        return "done"
    return "playing" if each.started == len(each.boards) else "planned"


def _board(tournament: Tournament, number: int, board: Board) -> Tag:
    players = _player(tournament, board.white), _player(tournament, board.black)
    corrected = ("corrected",) if board.is_corrected else ()
    return ("b", str(number), *players, board.game_id, board.result or "", *corrected)


def standings_template(tournament: Tournament, server: str, at: int) -> EventTemplate:
    is_final = tournament.phase is Phase.FINISHED
    names = tie_break_names(tournament)
    tags: tuple[Tag, ...] = (
        ("d", tournament.id),
        ("a", tournament_address(server, tournament.id)),
        ("round", str(tournament.round)),
        *((("tiebreaks", *names),) if names else ()),
        *(_row(tournament, row) for row in standings(tournament)[:RANKS_SHOWN]),
        *((("final",),) if is_final else ()),
        *_last_tags(tournament, f"{tournament.terms.title}, standings"),
    )
    return EventTemplate(STANDINGS, tags, "", at)


def _row(tournament: Tournament, row: Standing) -> Tag:
    entry = tournament.entry(row.number)
    numbers = (number_text(value) for value in row.tie_breaks)
    seat = entry.seat
    points = number_text(row.points)
    return ("s", str(row.rank), seat.player, points, entry.state, seat.name, *numbers)


def tie_break_names(tournament: Tournament) -> tuple[str, ...]:
    return ("TPR",) if tournament.terms.format is Format.ARENA else names_of(tournament)


def number_text(value: float) -> str:
    """A number of points as people write it: ``5``, ``5.5``, ``12.25``."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _player(tournament: Tournament, number: int) -> str:
    return tournament.entry(number).seat.player


def _last_tags(tournament: Tournament, summary: str, version: int = 0) -> Sequence[Tag]:
    # NIP-31: "a short human-readable plaintext summary of what that event is about".
    return ("version", str(version or tournament.version)), ("alt", summary)


def calendar_template(tournament: Tournament, page: str, at: int) -> EventTemplate:
    """The time-based calendar event (NIP-52) of a tournament whose page is at this URL."""
    terms, start = tournament.terms, tournament.terms.starts_ms // 1000
    title = f"Cancelled: {terms.title}" if tournament.phase is Phase.CANCELLED else terms.title
    end = (("end", str(start + terms.minutes * 60)),) if terms.minutes else ()
    tags: tuple[Tag, ...] = (
        ("d", tournament.id),
        ("title", title),
        ("summary", f"Chess, {terms.format.replace('-', ' ')}, {terms.time}"),
        ("start", str(start)),
        *end,
        # NIP-52: a day since 1970.
        ("D", str(terms.starts_ms // _DAY_MS)),
        ("r", page),
        ("p", tournament.organiser, "", "organiser"),
        ("t", "chess"),
    )
    return EventTemplate(CALENDAR_EVENT, tags, terms.description, at)


def badge_templates(tournament: Tournament, server: str, at: int) -> tuple[EventTemplate, ...]:
    """The badge (NIP-58) of a finished tournament, and its award to the first three."""
    first = [
        tournament.entry(row.number).seat.player
        for row in standings(tournament)
        if row.rank <= BADGED_RANKS and row.points and _is_in(tournament, row.number)
    ]
    if tournament.phase is not Phase.FINISHED or not first:
        return ()
    name, title = f"event-{tournament.id}", tournament.terms.title
    badge: tuple[Tag, ...] = (
        ("d", name),
        ("name", title),
        ("description", f"Among the first {BADGED_RANKS} of {title}"),
    )
    awarded: tuple[Tag, ...] = (
        ("a", f"{BADGE}:{server}:{name}"),
        *(("p", player) for player in first),
    )
    return EventTemplate(BADGE, badge, "", at), EventTemplate(BADGE_AWARD, awarded, "", at)


def _is_in(tournament: Tournament, number: int) -> bool:
    return tournament.entry(number).state is not EntryState.REMOVED
