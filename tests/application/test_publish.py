"""Replies on their way: frames to sockets, events to relays and gateway, a note of each game."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from arbiter.application.connections import Connection, SocketBusy
from arbiter.application.gateway.fanout import RelaysAndGateway
from arbiter.application.reply.render import PLIES_IN_A_NOTE, render_replies
from arbiter.application.reply.send import (
    SOCKETS_TOLD,
    Frame,
    frame_text,
    publish_batches,
    send_frames,
)
from arbiter.application.results import Result
from arbiter.core.game import WHITE, Game, Outcome, Termination
from arbiter.core.replies import GameEnded
from arbiter.dialects.outgoing import SocketEvent
from arbiter.nostr.event import EventTemplate, VerifiedEvent, serialized
from arbiter.nostr.limits import MAX_EVENT_BYTES
from arbiter.nostr.relay_messages import OkMessage
from tests.application.world import FakePublisher
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after, an_event
from tests.fakes.connections import FakeConnections
from tests.fakes.faults import crash_at
from tests.fakes.sockets import FakeSockets

STATE = an_event(SERVER, 20302, tags=(("d", "a"),))
DEAF, WELL = True, False


@pytest.mark.parametrize(
    ("relays", "gateway", "is_accepted", "logged"),
    [
        (WELL, WELL, True, []),
        (WELL, DEAF, True, ["1 events reached relays and not all of our sockets"]),
        (DEAF, WELL, False, []),
        (DEAF, DEAF, False, []),
        (None, WELL, True, []),
        (None, DEAF, False, []),
    ],
)
def test_an_event_is_taken_by_a_relay_where_there_are_relays(
    *,
    relays: bool | None,
    gateway: bool,
    is_accepted: bool,
    logged: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    on_relays = None if relays is None else OnRelays(deaf=relays)
    both = RelaysAndGateway(on_relays, FakePublisher(deaf=gateway))
    with caplog.at_level(logging.INFO):
        assert both.publish([STATE], 1.0).is_accepted(STATE.id) is is_accepted
    assert [record.getMessage() for record in caplog.records] == logged


class OnRelays(FakePublisher):
    """Calls ``meanwhile`` once the events are sent, and fails then if it ``is_odd``."""

    is_odd = False

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> FakePublisher:
        told = super().publish(events, deadline_seconds)
        meanwhile()
        if self.is_odd:
            raise ZeroDivisionError
        return told


def test_a_fault_of_ours_is_raised_after_the_gateway_was_told() -> None:
    gateway, relays = FakePublisher(), OnRelays()
    relays.is_odd = True
    with pytest.raises(ZeroDivisionError):
        RelaysAndGateway(relays, gateway).publish([STATE], 1.0)
    assert gateway.is_accepted(STATE.id)


def test_a_response_goes_ahead_of_the_state_it_announces_and_nothing_goes_twice() -> None:
    told = [an_event(SERVER, 20301, name) for name in ("white", "black")]
    state, other = an_event(SERVER, 20302, "state"), an_event(SERVER, 20302, "of another game")
    assert publish_batches([(*told, state), (other,)]) == ((*told, other), (state,))
    assert publish_batches([(state,), (state,)]) == ((state,),)
    assert publish_batches([(), ()]) == ()


# Frames.


def connections(*sockets: tuple[str, str]) -> FakeConnections:
    """Open sockets, each with the pubkey it speaks for."""
    made = FakeConnections()
    for socket, pubkey in sockets:
        made.add(Connection(id=socket, address="", challenge="", opened_at_ms=NOW_MS), NOW_MS)
        made.authenticate(socket, pubkey)
    return made


def two_each() -> tuple[FakeConnections, list[Frame]]:
    """A socket of Alice and one of Bob, and two frames for each of them."""
    frames = [Frame(key.pubkey, text) for text in "12" for key in (ALICE, BOB)]
    return connections(("a", ALICE.pubkey), ("b", BOB.pubkey)), frames


def test_a_frame_is_compact_json_of_what_is_signed() -> None:
    event = an_event(ALICE, 5001, "e2e4")
    verdict = OkMessage("ab", False, 'invalid: "é"')
    assert frame_text(verdict) == '["OK","ab",false,"invalid: \\"é\\""]'
    assert frame_text(SocketEvent(5002, event)).startswith('["EVENT",5002,{"id":"' + event.id)
    with pytest.raises(TypeError):
        frame_text(SocketEvent(5002, EventTemplate(5002, (), "e2e4", 1)))


@pytest.mark.parametrize(
    ("answered", "texts"),
    [
        ("b", {"a1": ["1", "3"], "a2": ["1", "3"], "b": ["2"]}),
        (None, {"a1": ["1", "3"], "a2": ["1", "3"]}),
    ],
)
def test_frames_keep_their_order_and_reach_those_they_are_for(
    answered: str | None, texts: dict[str, list[str]]
) -> None:
    open_ones = connections(("a1", ALICE.pubkey), ("a2", ALICE.pubkey), ("b", BOB.pubkey))
    sockets = FakeSockets()
    frames = [Frame(ALICE.pubkey, "1"), Frame(None, "2"), Frame(ALICE.pubkey, "3")]
    send_frames(open_ones, sockets, answered, frames)
    assert sockets.texts == texts


def test_a_socket_that_is_gone_is_tried_once_and_forgotten() -> None:
    tried: list[str] = []
    open_ones, frames = two_each()
    sockets = FakeSockets(hook=tried.append)
    sockets.gone.add("a")
    send_frames(open_ones, sockets, None, frames)
    assert tried == ["sockets.send a", "sockets.send b", "sockets.send b"]
    assert [*open_ones.open] == ["b"]


@pytest.mark.parametrize("point", ["sockets.send a", "connections.sockets_of"])
def test_a_socket_in_trouble_or_not_found_is_told_no_more_and_the_others_everything(
    point: str,
) -> None:
    open_ones, frames = two_each()
    sockets = FakeSockets(hook=crash_at(point))
    open_ones.hook = crash_at(point)
    with pytest.raises(Exception, match=point):
        send_frames(open_ones, sockets, None, frames)
    assert sockets.texts == {"b": ["1", "2"]}
    assert [*open_ones.open] == ["a", "b"]


def test_a_socket_that_is_busy_misses_frames_and_no_record_comes_again_for_it() -> None:
    open_ones, frames = two_each()

    def hook(point: str) -> None:
        if point == "sockets.send a":
            raise SocketBusy("a")

    sockets = FakeSockets(hook=hook)
    send_frames(open_ones, sockets, None, frames)
    assert sockets.texts == {"b": ["1", "2"]}
    assert [*open_ones.open] == ["a", "b"]


def test_a_player_of_many_sockets_is_told_on_some_and_the_same_of_everything() -> None:
    open_ones = connections(*((f"a{number:02}", ALICE.pubkey) for number in range(40)))
    sockets = FakeSockets()
    sockets.gone |= {"a00", "a02"}
    send_frames(open_ones, sockets, None, [Frame(ALICE.pubkey, text) for text in "123"])
    heard = {socket: texts for socket, texts in sockets.texts.items() if texts}
    assert len(heard) == SOCKETS_TOLD
    assert [texts for texts in heard.values() if texts != ["1", "2", "3"]] == []


# Notes.

# Behind a wall of pawns, queens that PGN must tell apart by file and rank: Qa1b2.
CROWD = "k4q1q/8/5q1q/pppppppp/PPPPPPPP/Q1Q5/8/Q1Q4K w - - 0 1"


def said_of_the_end(plies: int) -> list[EventTemplate]:
    """The events that tell the end of a game of so many plies."""
    shuffle = after(a_game(CROWD), "Qa1b2 Qh8g7 Qba1 Qgh8").moves
    moves, resigned = (shuffle * (plies // 4 + 1))[:plies], Outcome(Termination.RESIGNATION, WHITE)
    game: Game = replace(a_game(CROWD), moves=moves, outcome=resigned)
    said = render_replies(Result(status="", replies=(GameEnded(game),)), SERVER.pubkey, NOW_MS)
    return [template for template in said if isinstance(template, EventTemplate)]


@pytest.mark.parametrize(
    ("plies", "kinds"),
    [
        (0, [20302, 64]),
        (40, [20302, 64]),
        (PLIES_IN_A_NOTE, [20302, 64]),
        (PLIES_IN_A_NOTE + 1, [20302]),
    ],
)
def test_a_note_that_no_relay_would_take_is_not_made(plies: int, kinds: list[int]) -> None:
    """It would be refused for a day, and the end of the game be told again each time."""
    said = said_of_the_end(plies)
    assert [template.kind for template in said] == kinds
    note = said[-1]
    size = len(serialized(SERVER.pubkey, NOW_MS, note.kind, note.tags, note.content))
    assert size < MAX_EVENT_BYTES - 256 or note.kind != 64  # room for the id and the signature
