"""The arbiter's messages to itself about tournaments."""

import json

import pytest

from arbiter.application.intake.queue_messages import (
    parse,
    parse_timer,
    republish_body,
    timer_body,
)
from arbiter.application.intake.routing import timer_entry
from arbiter.application.play.timers import due_second
from arbiter.application.records import (
    TOURNAMENT,
    GamesAsked,
    Malformed,
    PairingAsked,
    Republish,
    Timer,
    TournamentDue,
    TournamentGameOver,
    TournamentPaired,
)
from arbiter.application.tournaments.messages import entry, tournament_group
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Bye, ByeKind
from tests.builders import NOW_MS

ID, GAME = "ab" * 16, "cd" * 16
PAIRS = Pairings(3, ((1, 2), (4, 3)), (Bye(5, ByeKind.PAIRING),), "gacrux 1", "ef" * 32)

Message = TournamentGameOver | GamesAsked | PairingAsked | TournamentPaired

MESSAGES: list[Message] = [
    TournamentGameOver(ID, 3, 5, GAME),
    GamesAsked(ID, 3, 20),
    PairingAsked(ID, 3, 17),
    TournamentPaired(ID, PAIRS, 17),
    TournamentPaired(ID, NoPairings(3, is_impossible=True, text="none"), 17),
]

FLAWS: list[object] = [None, -1, "x", [["a", "b"]], {}, 10**15, True]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_read_as_it_was_said_and_has_one_name(
    message: Message,
) -> None:
    queued = entry(message)

    assert parse(queued.body) == message
    assert entry(message).dedup_id == queued.dedup_id
    assert queued.queue == ("pairing" if isinstance(message, PairingAsked) else "moves")
    assert (queued.group_id == tournament_group(ID)) == (queued.queue == "moves")


def test_no_two_messages_have_one_name() -> None:
    others: list[Message] = [
        TournamentPaired(ID, PAIRS, 18),
        GamesAsked("cd" * 16, 3, 20),
        GamesAsked(ID, 3, 40),
    ]
    names = [entry(message).dedup_id for message in (*MESSAGES, *others)]

    assert len({*names}) == len(names)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_with_a_flaw_is_malformed(
    message: Message,
) -> None:
    said = json.loads(entry(message).body)
    (kind,) = said
    for name in said[kind]:
        for flaw in FLAWS:
            if flaw == said[kind][name] or (flaw == "x" and name in ("engine", "digest", "text")):
                continue
            if name == "is_impossible" and flaw is True:
                continue
            changed = {kind: {**said[kind], name: flaw}}
            assert isinstance(parse(json.dumps(changed)), Malformed), (name, flaw)
        without = {kind: {other: it for other, it in said[kind].items() if other != name}}
        assert isinstance(parse(json.dumps(without)), Malformed), name


def test_a_timer_of_a_tournament_comes_to_it_and_a_former_release_finds_no_game() -> None:
    timer = Timer(ID, 3, NOW_MS + 5, TOURNAMENT)
    fired = timer_entry(timer, NOW_MS + 9)

    assert parse_timer(timer_body(timer)) == timer
    assert parse(fired.body) == fired.message == TournamentDue(ID, NOW_MS + 9)
    assert (fired.queue, fired.group_id) == ("moves", tournament_group(ID))
    named = json.loads(fired.body)["timer"]
    assert named == {"game_id": ID, "ply": 3, "player": "tournament"}


def test_the_schedule_of_a_tournament_fires_early_and_that_of_a_game_does_not() -> None:
    at_ms = NOW_MS + 3_600_000
    seconds = [due_second(Timer(ID, 1, at_ms, player)) for player in (None, TOURNAMENT)]

    assert seconds == [at_ms // 1000, at_ms // 1000 - 600]


def test_an_order_to_publish_a_tournament_again_is_read() -> None:
    order = Republish(tournament_id=ID, attempt=2)

    assert parse(republish_body(order)) == order
    assert isinstance(parse(republish_body(Republish(tournament_id="x"))), Malformed)
