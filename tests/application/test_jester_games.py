"""Players of kind 30 against an opponent of ours, and against each other where the start names the
arbiter.
"""

import json

import pytest

from arbiter.application.intake.routing import timer_entry
from arbiter.core.rules import Rules
from arbiter.nostr.event import all_tags
from tests.application.jester_player import CLIENTS
from tests.application.script import Conversation, run
from tests.builders import EVE, SERVER, an_event


@pytest.mark.parametrize("client", CLIENTS)
def test_a_start_that_names_the_arbiter_finds_an_opponent_on_another_wire(client: str) -> None:
    talk = run(f"bob seek; +alice start by={client}; +alice e2e4; bob e7e5\n = moves e2e4 e7e5")
    alice = talk.players.jesters["alice"]
    (answer,) = alice.read()
    assert all_tags(answer, "e") == (("e", alice.start), ("e", alice.head))
    assert (answer.pubkey, all_tags(answer, "p")) == (SERVER.pubkey, (("p", alice.pubkey),))
    assert json.loads(answer.content) == {
        "version": "0",
        "kind": 1,
        "fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
        "move": "e5",
        "history": ["e4", "e5"],
    }


@pytest.mark.parametrize("white", CLIENTS[1:])
@pytest.mark.parametrize("black", CLIENTS)
def test_a_refereed_game_is_followed_to_its_note(white: str, black: str) -> None:
    talk = run(f"""
        +alice start to=bob by={white}; +alice f2f3; +bob e7e5 by={black}; +alice g2g4
        +bob d8h4 > note
        = end 0-1 checkmate | white alice
    """)
    assert [event.kind for event in talk.world.publisher.taken_events] == [64]


def fire_timers(talk: Conversation) -> None:
    """Every timer that is due comes to its game."""
    world = talk.world
    for timer in [timer for timer in world.timers.far if timer.at_ms <= world.clock.ms]:
        del world.timers.far[timer]
        assert world.deliver(world.record(timer_entry(timer, world.clock.ms).body)) == ()


def test_a_game_is_closed_when_none_has_moved_for_the_operators_days() -> None:
    days = Rules().abandoned_days
    talk = run(f"bob seek; +alice start; wait {days - 1}d; +alice e2e4; bob e7e5; wait 2d")
    fire_timers(talk)
    assert talk.fact("end") == "-"
    talk.line(f"wait {days}d")
    fire_timers(talk)
    assert talk.game().result == "*"
    (note,) = (event for event in talk.world.publisher.taken_events if event.kind == 64)
    assert '[Termination "abandoned"]' in note.content
    ended = "Arbiter: The game was abandoned and is closed without a result."
    assert talk.players.jesters["alice"].notes() == [ended]


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"kind":1}', '{"kind":1,"history":["\\u0000"]}']
)
def test_whatever_a_stranger_writes_they_alone_are_named(content: str) -> None:
    talk = run("+alice start to=bob; +alice e2e4; +bob e7e5")
    start = talk.players.start
    talk.world.hear(an_event(EVE, 30, content, (("e", start), ("e", "x"), ("p",))))
    (note,) = talk.world.publisher.taken_events
    assert "has no seat here" in note.content
    assert talk.fact("ply") == "2"


def test_where_counting_strangers_fails_the_game_goes_on_unsaid() -> None:
    talk = run("+alice start to=bob")

    def fails(point: str) -> None:
        raise OSError(point)

    talk.world.rate_limits.hook = fails
    talk.line("+eve e2e4 after=[] > -")
    talk.line("+alice e2e4 > -")
    assert talk.fact("moves") == "e2e4"
