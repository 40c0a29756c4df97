"""A program compares the chain of its games with what was signed, and claims what it knows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest

from arbiter.core.chain import next_link
from arbiter.dialects.arbiter_events import announcement_events
from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_from_json,
    event_to_json,
    tag_value,
    verify,
)
from arbiter.proof.check import check
from arbiter.proof.handed_in import completed
from arbiter.proof.transcript import Transcript, unpack
from clients.player.heard import Differs
from clients.player.history import HandIn, Histories, shown
from tests.builders import ALICE, BOB, EVE, SERVER, an_event
from tests.proof.games import KeptWorld, Played, play, random_moves

SAID = [*random_moves(7, 12), "w:draw", "b:draw-decline", "w:takeback", "b:takeback", "w:resign"]
MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]
AGREED = "the requests that the game was made of, and its terms"
Event = NostrEvent | VerifiedEvent


@pytest.fixture
def world(tmp_path: Path) -> Iterator[KeptWorld]:
    world = KeptWorld(tmp_path)
    yield world
    world.store.close()


class Seen:
    """A game as its relays show it: what the players signed, the states, and the note."""

    def __init__(self, world: KeptWorld, game: Played) -> None:
        of_game = ("d", game.transcript.game_id)
        events = [it for it in world.publisher.taken_events if of_game in it.tags]
        by_version = {tag_value(it, "version"): it for it in events if it.kind == 20302}
        self.states: list[Event] = [*by_version.values()]
        self.signed: list[Event] = [
            it.event for it in game.transcript.lines if it.shown and it.event
        ]
        self.note: Event = next(it for it in events if it.kind == 64)

    def all(self) -> list[Event]:
        pairs = zip_longest(self.states, self.signed)
        return [*(it for pair in pairs for it in pair if it), self.note]


def changed(event: Event, **tags: Sequence[str]) -> VerifiedEvent:
    """The event with other values of these tags, signed by the arbiter."""
    other = tuple((tag[0], *tags.get(tag[0], tag[1:])) for tag in event.tags)
    return SERVER.sign(EventTemplate(event.kind, other, event.content, event.created_at))


def told(events: Sequence[Event], me: str = ALICE.pubkey) -> list[Differs | HandIn]:
    """What a program of this player is told, and hands in."""
    histories, found = Histories(SERVER.pubkey), list[Differs | HandIn | None]()
    for event in events:
        came = event_from_json(event_to_json(event))
        assert isinstance(came, NostrEvent)
        if came.pubkey == me and isinstance(own := verify(came), VerifiedEvent):
            histories.sent(own)
        else:
            found.append(histories.take(came))
    return [it for it in found if it is not None]


@pytest.mark.parametrize("me", [ALICE.pubkey, BOB.pubkey, EVE.pubkey], ids=["one", "other", "none"])
@pytest.mark.parametrize(
    ("said", "time"),
    [(SAID, [("time", "180+2")]), (MATE, [])],
    ids=["resigned, live", "mate, unlimited"],
)
def test_whoever_saw_all_hands_in_what_the_verifier_finds_right(
    world: KeptWorld, me: str, said: list[str], time: list[tuple[str, ...]]
) -> None:
    game = play(world, said, *time)

    (found,) = told(Seen(world, game).all(), me)

    assert isinstance(found, HandIn)
    stored = world.game(game.transcript.game_id)
    assert completed(stored, SERVER.pubkey, None, found.octets) is not None
    assert completed(stored, SERVER.pubkey, game.octets, found.octets) is None
    transcript = unpack(found.octets)
    assert isinstance(transcript, Transcript), transcript
    assert transcript.lines == game.transcript.lines[2:]
    assert (check(transcript, game.note).wrong, check(transcript, game.note).missing) == (
        [],
        [AGREED],
    )


def test_where_to_hand_in_is_what_the_arbiter_announces(world: KeptWorld) -> None:
    seen, histories = Seen(world, play(world, SAID)), Histories(SERVER.pubkey)
    state = event_from_json(event_to_json(seen.states[0]))
    assert isinstance(state, NostrEvent)
    histories.take(state)
    assert {it.kinds for it in histories.wanted()} == {(20303,), (31990,)}

    for key, url in ((EVE, "https://eve"), (SERVER, "ftp://a"), (SERVER, "https://a.example")):
        announced = announcement_events("A", [], [], 1, public_url=url)[-1]
        event = event_from_json(event_to_json(key.sign(announced)))
        assert isinstance(event, NostrEvent)
        assert histories.take(event) is None
        assert histories.http == ("https://a.example" if url == "https://a.example" else None)

    assert {it.kinds for it in histories.wanted()} == {(20303,)}


def test_the_order_of_relays_changes_nothing(world: KeptWorld) -> None:
    game = play(world, SAID)
    seen = Seen(world, game)
    late = [seen.states[0], *seen.states[:0:-1], *seen.signed, *seen.signed, seen.note, seen.note]
    behind = [*seen.states, *seen.signed, seen.note]

    for events in (late, behind):
        (found,) = told(events, EVE.pubkey)
        assert isinstance(found, HandIn), found


@pytest.mark.parametrize("name", ["signed", "states"])
@pytest.mark.parametrize("at", [0, 5, 14])
def test_of_what_is_not_known_nothing_is_claimed_or_handed_in(
    world: KeptWorld, name: str, at: int
) -> None:
    seen = Seen(world, play(world, SAID))
    del getattr(seen, name)[at]

    assert told(seen.all(), EVE.pubkey) == []


def test_what_a_former_run_signed_is_not_claimed(world: KeptWorld) -> None:
    seen = Seen(world, play(world, SAID))
    again = an_event(ALICE, 20303, "a2a3", (("d", tag_value(seen.states[0], "d") or ""),))
    ours = [it.pubkey for it in seen.signed].index(ALICE.pubkey)

    found = told([seen.states[ours], again, *seen.states[ours + 1 :], seen.note])

    assert found == []


def lied(seen: Seen, at: int, **tags: Sequence[str]) -> list[Event]:
    """The states from this one on as an arbiter tells them that changes it, with the links of its
    lie.
    """
    states = [*seen.states[:at], changed(seen.states[at], **tags), *seen.states[at + 1 :]]
    for number in range(at, len(states)):
        before = bytes.fromhex(tag_value(states[number - 1], "chain") or "")
        key = bytes.fromhex(seen.signed[number - 1].id)
        state = states[number]
        assert isinstance(state, VerifiedEvent)
        chain = next_link(before, key, shown(state) or "").hex()
        states[number] = changed(states[number], chain=[chain])
    return states


def whose(seen: Seen, key: str) -> int:
    """The version, from 0 on, of a move of this player behind the first two."""
    return 1 + [it.pubkey for it in seen.signed].index(key, 2)


@pytest.mark.parametrize("me", [ALICE.pubkey, BOB.pubkey, EVE.pubkey], ids=["one", "other", "none"])
@pytest.mark.parametrize("what", ["clock", "result", "move"])
def test_a_history_that_the_note_does_not_have_differs(
    world: KeptWorld, me: str, what: str
) -> None:
    game = play(world, SAID, ("time", "180+2"))
    seen = Seen(world, game)
    at, tags = {
        "clock": (6, {"clock": ["1000", "1000"]}),
        "result": (-1 % len(seen.states), {"result": ["1/2-1/2"], "termination": ["agreement"]}),
        "move": (1, {"moves": ["a2a4"]}),
    }[what]
    seen.states = lied(seen, at, **tags)

    (found,) = told(seen.all(), me)

    assert isinstance(found, Differs)
    assert found.text.endswith("its note is of another than its states")


def test_two_histories_for_one_player_differ_at_once(world: KeptWorld) -> None:
    seen = Seen(world, play(world, SAID))
    other = changed(seen.states[4], chain=["ab" * 32])

    (found,) = told([*seen.all()[:9], other], EVE.pubkey)

    assert isinstance(found, Differs)
    assert found.text.endswith("it signed two, both with version 5")


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_move_of_ours_that_was_exchanged_differs_at_once(
    world: KeptWorld, *, is_ours: bool
) -> None:
    """The arbiter plays another move, by an event that nobody has."""
    seen = Seen(world, play(world, SAID))
    at = whose(seen, ALICE.pubkey if is_ours else BOB.pubkey)
    events = [*seen.states[:at], *seen.signed[:at], changed(seen.states[at], chain=["ab" * 32])]
    moves = [[it] for it in events if it.pubkey == SERVER.pubkey]
    for number, event in enumerate(seen.signed[:at]):
        moves[number].append(event)

    found = told([it for pair in moves for it in pair])

    assert [type(it) for it in found] == [Differs] * is_ours
    if is_ours:
        assert "that you signed" in str(found[0])


def test_what_strangers_sign_changes_nothing(world: KeptWorld) -> None:
    seen = Seen(world, play(world, SAID))
    forged = [replace(it, pubkey=SERVER.pubkey) for it in seen.signed if isinstance(it, NostrEvent)]
    of_eve = [
        EVE.sign(EventTemplate(it.kind, it.tags, it.content, it.created_at))
        for it in [*seen.states, seen.note]
    ]
    junk = [
        changed(seen.states[0], version=["x"]),
        changed(seen.states[3], chain=["x"]),
        changed(seen.states[3], ply=["9" * 1000], version=["99"]),
        an_event(SERVER, 20302, "", ()),
    ]

    (found,) = told([*junk[:2], *forged, *of_eve, junk[3], *seen.all()], EVE.pubkey)

    assert isinstance(found, HandIn)
    assert told([seen.states[0], *junk], EVE.pubkey) == []
