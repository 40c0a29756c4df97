"""The events that show a tournament: tests/golden/tournament_events.jsonl."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from arbiter.core.tournaments.tournament import (
    BoardResult,
    Bye,
    ByeKind,
    EntryState,
    Format,
    Phase,
    Tournament,
)
from arbiter.dialects import tournament_events
from arbiter.dialects.base import CALENDAR_EVENT
from arbiter.dialects.tournament_events import (
    badge_templates,
    calendar_template,
    round_templates,
    standings_template,
    tournament_template,
)
from arbiter.nostr.event import EventTemplate, event_to_json, parse_event
from tests.builders import NOW_MS, SERVER
from tests.dialects import golden
from tests.tournaments import a_tournament, paused

AT = NOW_MS // 1000
US = SERVER.pubkey
PLAYED = a_tournament(is_live=True)
OPEN = a_tournament(rounds=0)
FINISHED = replace(a_tournament(players=5), phase=Phase.FINISHED, next_ms=None)
ARENA = replace(
    a_tournament(Format.ARENA, is_live=True), round_ms=NOW_MS, next_ms=NOW_MS + 5_000, deputies=()
)


def corrected(tournament: Tournament) -> Tournament:
    first = tournament.rounds[0]
    board = replace(first.boards[0], result=BoardResult.BOTH_FORFEIT, is_corrected=True)
    return tournament.with_round(first.with_board(0, board))


def asked(tournament: Tournament) -> Tournament:
    """The second round is yet to begin, and a player asked for half a point."""
    second = replace(tournament.rounds[1], started=0, byes=(Bye(6, ByeKind.HALF),))
    second = second.with_board(0, replace(second.boards[0], game_id=""))
    return replace(tournament.with_round(second), phase=Phase.PLANNED, by_player={})


CASES: dict[str, Sequence[EventTemplate]] = {
    "30327 open": [tournament_template(OPEN, US, AT)],
    "30327 playing": [tournament_template(PLAYED, US, AT)],
    "30327 waits": [tournament_template(a_tournament(), US, AT)],
    "30327 in trouble": [tournament_template(replace(PLAYED, trouble="pair by hand"), US, AT)],
    "30327 finished": [tournament_template(FINISHED, US, AT)],
    "30327 cancelled": [tournament_template(replace(OPEN, phase=Phase.CANCELLED), US, AT)],
    "30327 arena": [tournament_template(ARENA, US, AT)],
    "30328 done": round_templates(PLAYED, 1, US, AT),
    "30328 playing": round_templates(PLAYED, 2, US, AT),
    "30328 planned": round_templates(asked(PLAYED), 2, US, AT),
    "30328 with a bye": round_templates(FINISHED, 2, US, AT),
    "30328 corrected": round_templates(corrected(PLAYED), 1, US, AT),
    "30329 open": [standings_template(OPEN, US, AT)],
    "30329 playing": [standings_template(paused(PLAYED, 2, EntryState.PAUSED), US, AT)],
    "30329 finished": [standings_template(FINISHED, US, AT)],
    "30329 arena": [standings_template(ARENA, US, AT)],
    "31923": [calendar_template(OPEN, "https://chess.example/events/1", AT)],
    "31923 cancelled": [
        calendar_template(
            replace(OPEN, phase=Phase.CANCELLED), "https://chess.example/events/1", AT
        )
    ],
    "31923 arena": [calendar_template(ARENA, "https://chess.example/events/1", AT)],
    "badges": badge_templates(FINISHED, US, AT),
    "badges without the removed": badge_templates(paused(FINISHED, 1, EntryState.REMOVED), US, AT),
}


def test_what_is_written_is_in_the_golden_file() -> None:
    signed = {
        case: [event_to_json(SERVER.sign(one)) for one in events] for case, events in CASES.items()
    }

    golden.check("tournament_events", {case: {"events": it} for case, it in signed.items()})


@pytest.mark.parametrize(("players", "pages"), [(2, 1), (64, 1), (65, 1), (66, 2), (500, 8)])
def test_every_board_and_bye_of_a_round_is_on_one_page(players: int, pages: int) -> None:
    tournament = a_tournament(players=players, rounds=1)
    shown = round_templates(tournament, 1, US, AT)
    boards = [tag for event in shown for tag in event.tags if tag[0] == "b"]
    byes = [tag for event in shown for tag in event.tags if tag[0] == "bye"]

    assert [event.tags[0][1].rpartition(":")[2] for event in shown] == [
        str(page) for page in range(1, pages + 1)
    ]
    assert [int(tag[1]) for tag in boards] == [*range(1, players // 2 + 1)]
    assert len(byes) == players % 2
    assert {("pages", str(pages))} == {
        tag for event in shown for tag in event.tags if tag[0] == "pages"
    }


def test_byes_of_a_round_without_boards_are_on_pages_too() -> None:
    tournament = a_tournament(players=130, rounds=1)
    alone = replace(
        tournament.rounds[0],
        boards=(),
        byes=tuple(Bye(number, ByeKind.HALF) for number in range(1, 131)),
    )

    shown = round_templates(tournament.with_round(alone), 1, US, AT)

    assert [sum(tag[0] == "bye" for tag in event.tags) for event in shown] == [64, 64, 2]


@pytest.mark.parametrize("name", ["x" * 32, "Zoë" * 8, ""])
def test_the_largest_event_is_read_by_our_own_clients(name: str) -> None:
    tournament = a_tournament(players=500, rounds=1)
    for number in range(1, 101):
        entry = tournament.entry(number)
        tournament = tournament.with_entry(replace(entry, seat=replace(entry.seat, name=name)))
    events = (
        standings_template(tournament, US, AT),
        tournament_template(tournament, US, AT),
        *round_templates(tournament, 1, US, AT),
    )

    for template in events:
        text = json.dumps(event_to_json(SERVER.sign(template)))
        assert not hasattr(parse_event(text), "code"), (template.kind, parse_event(text))
        assert len(text) < 32_768, "small relays take it too"


def test_no_badge_is_awarded_before_the_end() -> None:
    assert badge_templates(PLAYED, US, AT) == ()
    assert badge_templates(replace(OPEN, phase=Phase.FINISHED), US, AT) == (), "no points yet"


def test_the_kinds_of_calendars_and_badges_are_those_of_their_nips() -> None:
    found = (
        CALENDAR_EVENT,
        tournament_events.BADGE,
        tournament_events.BADGE_AWARD,
    )

    assert found == (31923, 30009, 8)
