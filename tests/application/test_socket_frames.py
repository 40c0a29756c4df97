"""Frames: how they are written, and what one socket's trouble does to the others."""

import pytest

from arbiter.application.connections import Connection
from arbiter.application.publish import SOCKETS_TOLD, Frame, frame_text, send_frames
from arbiter.dialects.base import SocketEvent
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.relay_messages import OkMessage
from tests.builders import ALICE, BOB, NOW_MS, an_event
from tests.fakes.connections import FakeConnections
from tests.fakes.sockets import FakeSockets


def connections(*sockets: tuple[str, str]) -> FakeConnections:
    """Open sockets, each with the pubkey it speaks for."""
    made = FakeConnections()
    for socket, pubkey in sockets:
        made.opened(Connection(id=socket, address="", challenge="", opened_at_ms=NOW_MS), NOW_MS)
        made.proved(socket, pubkey)
    return made


def test_a_verdict_is_an_ok_in_compact_json() -> None:
    assert (
        frame_text(OkMessage("ab", False, 'invalid: "é"')) == '["OK","ab",false,"invalid: \\"é\\""]'
    )


def test_a_labelled_event_bears_a_number_where_a_subscription_would_stand() -> None:
    event = an_event(ALICE, 5001, "e2e4")
    assert frame_text(SocketEvent(5002, event)).startswith('["EVENT",5002,{"id":"' + event.id)


def test_what_nobody_signed_is_not_sent() -> None:
    with pytest.raises(TypeError):
        frame_text(SocketEvent(5002, EventTemplate(5002, (), "e2e4", 1)))


def test_frames_keep_their_order_and_reach_whom_they_are_for() -> None:
    open_ones = connections(("a1", ALICE.pubkey), ("a2", ALICE.pubkey), ("b", BOB.pubkey))
    sockets = FakeSockets()
    postings = [Frame(ALICE.pubkey, "1"), Frame(None, "2"), Frame(ALICE.pubkey, "3")]
    send_frames(open_ones, sockets, "b", postings)
    assert sockets.texts == {"a1": ["1", "3"], "a2": ["1", "3"], "b": ["2"]}


def test_without_a_socket_to_answer_on_the_others_are_told() -> None:
    sockets = FakeSockets()
    send_frames(
        connections(("a", ALICE.pubkey)),
        sockets,
        None,
        [Frame(None, "1"), Frame(ALICE.pubkey, "2")],
    )
    assert sockets.texts == {"a": ["2"]}


def test_a_socket_that_is_gone_is_tried_once_and_forgotten() -> None:
    tried: list[str] = []
    open_ones = connections(("a", ALICE.pubkey), ("b", BOB.pubkey))
    sockets = FakeSockets(hook=tried.append)
    sockets.gone.add("a")
    postings = [Frame(key.pubkey, text) for text in "12" for key in (ALICE, BOB)]
    send_frames(open_ones, sockets, None, postings)
    assert tried == ["sockets.send a", "sockets.send b", "sockets.send b"]
    assert [*open_ones.standing] == ["b"]


def test_a_socket_in_trouble_is_told_no_more_and_the_others_everything() -> None:
    tried: list[str] = []

    def fail(point: str) -> None:
        tried.append(point)
        if point == "sockets.send a":
            raise ConnectionError

    open_ones = connections(("a", ALICE.pubkey), ("b", BOB.pubkey))
    sockets = FakeSockets(hook=fail)
    postings = [Frame(key.pubkey, text) for text in "12" for key in (ALICE, BOB)]

    with pytest.raises(ConnectionError):
        send_frames(open_ones, sockets, None, postings)

    assert sockets.texts == {"b": ["1", "2"]}
    assert tried.count("sockets.send a") == 1
    assert [*open_ones.standing] == ["a", "b"]


def test_a_player_of_many_sockets_is_told_on_some_and_the_same_of_everything() -> None:
    open_ones = connections(*((f"a{number:02}", ALICE.pubkey) for number in range(40)))
    sockets = FakeSockets()
    sockets.gone |= {"a00", "a02"}
    send_frames(open_ones, sockets, None, [Frame(ALICE.pubkey, text) for text in "123"])
    heard = {socket: texts for socket, texts in sockets.texts.items() if texts}
    assert len(heard) == SOCKETS_TOLD
    assert [texts for texts in heard.values() if texts != ["1", "2", "3"]] == []


def test_players_whose_sockets_cannot_be_found_leave_the_others_theirs() -> None:
    looked_for: list[str] = []

    def fail_once(point: str) -> None:
        looked_for.append(point)
        if looked_for.count("connections.sockets_of") == 1 and point == "connections.sockets_of":
            raise ConnectionError

    open_ones = connections(("a", ALICE.pubkey), ("b", BOB.pubkey))
    open_ones.hook = fail_once
    sockets = FakeSockets()
    postings = [Frame(key.pubkey, text) for text in "12" for key in (ALICE, BOB)]

    with pytest.raises(ConnectionError):
        send_frames(open_ones, sockets, None, postings)

    assert sockets.texts == {"b": ["1", "2"]}
