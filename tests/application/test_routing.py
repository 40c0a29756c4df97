"""Which queue and group an event waits in."""

import hashlib
import json

import pytest

from arbiter.application.queue_messages import (
    PlayerEvent,
    Republish,
    Timer,
    event_body,
    parse,
    republish_body,
    timer_body,
    timer_fired_body,
)
from arbiter.application.routing import (
    HANDLED_KINDS,
    LISTENED_KINDS,
    SEEK_GROUPS,
    Route,
    players_group,
    questions_key,
    queue_entry,
    route,
    timers_group,
)
from arbiter.dialects.base import GameCommand
from arbiter.dialects.dilger import decode
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_from_json, verify
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, SERVER


def an_event(kind: int, *tags: tuple[str, ...], content: str = "") -> VerifiedEvent:
    return ALICE.sign(EventTemplate(kind, (("p", SERVER.pubkey), *tags), content, 1_800_000_000))


def group_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_request_to_play_waits_away_from_moves_in_its_authors_own_line() -> None:
    line = int(ALICE.pubkey[:2], 16) % SEEK_GROUPS
    assert route(an_event(20300)) == Route("seeks", group_of(f"seeks:{line}"))
    assert route(an_event(20300, content="cancel")) == route(an_event(20300))


def test_not_everybody_who_asks_waits_for_everybody_else() -> None:
    keys = [SecretKey.from_hex(f"{number:064x}") for number in range(1, 60)]
    events = [key.sign(EventTemplate(20300, (("p", SERVER.pubkey),), "", 1)) for key in keys]

    assert len({route(event) for event in events}) == SEEK_GROUPS


def test_a_request_to_play_keeps_its_group_whatever_game_it_names() -> None:
    assert route(an_event(20300, ("d", "ab" * 16))) == route(an_event(20300))


OF_ALICE = f"game:{'ab' * 16}:{ALICE.pubkey}"
"""What stands behind the group of what Alice says in one game."""


def test_a_move_waits_with_what_its_author_said_in_its_game() -> None:
    game = ("d", "ab" * 16)
    assert route(an_event(20303, game)) == Route("moves", group_of(OF_ALICE))
    assert route(an_event(20303, game, content="resign")) == route(an_event(20303, game))


def test_nothing_that_anybody_else_says_waits_in_front_of_a_move() -> None:
    game = ("d", "ab" * 16)
    others = (
        key.sign(EventTemplate(20303, (game,), content, 1_800_000_000))
        for key in (BOB, EVE)
        for content in ("e7e5", "state", "flag")
    )
    assert route(an_event(20303, game)) not in {route(event) for event in others}
    assert players_group("ab" * 16, ALICE.pubkey) != timers_group("ab" * 16)


@pytest.mark.parametrize(
    "tags",
    [(("d",), ("d", "ab" * 16)), (("d", "ab" * 16), ("d", "ab" * 16)), (("d", "ab" * 16, "x"),)],
)
def test_a_move_waits_and_is_counted_by_the_game_that_it_is_judged_by(
    tags: tuple[tuple[str, ...], ...],
) -> None:
    asked = decode(an_event(20303, *tags, content="state"), 1_800_000_000_000)
    assert isinstance(asked, GameCommand)
    assert asked.game_id == "ab" * 16
    plain = an_event(20303, ("d", "ab" * 16), content="state")
    assert route(an_event(20303, *tags)) == route(plain)
    assert questions_key(an_event(20303, *tags, content="state")) == questions_key(plain)


@pytest.mark.parametrize(
    "tags",
    [(), (("d",),), (("d", "one"), ("d", "two"))],
    ids=["no d tag", "a d tag without a value", "two games"],
)
def test_a_move_of_no_game_waits_with_its_author_only(tags: tuple[tuple[str, ...], ...]) -> None:
    assert route(an_event(20303, *tags)) == Route("moves", group_of("author:" + ALICE.pubkey))


@pytest.mark.parametrize("kind", [5001, 5002, 5003])
def test_what_names_no_game_waits_with_what_its_author_said_in_the_one_they_play(kind: int) -> None:
    event = an_event(kind, ("d", "not looked at"))
    assert route(event, "ab" * 16) == Route("moves", group_of(OF_ALICE))
    assert route(event) == Route("moves", group_of("author:" + ALICE.pubkey))


def test_a_search_waits_with_the_other_requests_whatever_its_author_plays() -> None:
    assert route(an_event(5000), "ab" * 16) == route(an_event(20300))


def test_a_native_move_waits_with_the_game_that_it_names() -> None:
    event = an_event(20303, ("d", "ab" * 16))
    assert route(event, "cd" * 16) == route(event)


@pytest.mark.parametrize("kind", [20305, 20306])
def test_no_move_waits_for_chat(kind: int) -> None:
    game = ("d", "ab" * 16)
    assert route(an_event(kind, game)) == Route("moves", group_of("chat:" + "ab" * 16))
    assert route(an_event(kind, game)) != route(an_event(20303, game))
    assert route(an_event(kind)) == Route("moves", group_of("chat:" + ALICE.pubkey))


def test_what_is_said_on_sockets_is_not_listened_for_and_not_announced() -> None:
    """On relays these kinds are jobs for strangers' machines (NIP-90)."""
    assert {20300, 20303, 20305, 20306} <= {*LISTENED_KINDS}
    assert not {5000, 5001, 5002, 5003} & {*LISTENED_KINDS, *HANDLED_KINDS}


def test_the_queue_takes_an_event_each_time_that_it_is_sent_over_a_socket() -> None:
    event, at = an_event(5001), Route("moves", "ff")
    frames = [("a", 20_000, 1), ("a", 20_000, 2), ("a", 29_999, 1), ("b", 20_000, 1)]
    ids = {queue_entry(event, at, at_ms, via, number).dedup_id for via, at_ms, number in frames}
    assert len(ids) == len(frames)
    assert all(len(dedup_id) == 64 for dedup_id in ids)


def test_a_group_never_carries_a_strangers_text() -> None:
    at = route(an_event(20303, ("d", "../\x00 " + "é" * 500)))
    assert at is not None
    assert len(at.group_id) == 64
    assert set(at.group_id) <= set("0123456789abcdef")


@pytest.mark.parametrize("kind", [0, 1, 64, 20301, 20302, 20304, 22242])
def test_other_kinds_go_nowhere(kind: int) -> None:
    assert route(an_event(kind, ("d", "ab" * 16))) is None


def test_the_body_is_ascii_and_gives_the_same_event_back() -> None:
    event = an_event(20303, ("d", "ab" * 16), content="e2e4 \u2654 \U0001f600 \ufffe \x7f \x01")
    entry = queue_entry(event, Route("moves", "ff"), 1_800_000_000_123)
    assert entry.body.isascii()
    body = json.loads(entry.body)
    assert body["received_at_ms"] == 1_800_000_000_123
    read = event_from_json(body["event"])
    assert (read.id, read.content) == (event.id, event.content)  # type: ignore[union-attr]
    assert set(body["event"]) == {"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}


def test_the_body_says_over_which_socket_an_event_came_if_over_any() -> None:
    event, at = an_event(5000), Route("seeks", "ff")
    assert (
        json.loads(queue_entry(event, at, 1, "L0SM9cOFvHcCIhw=").body)["via"] == "L0SM9cOFvHcCIhw="
    )
    assert "via" not in json.loads(queue_entry(event, at, 1).body)


def test_an_event_is_deduplicated_by_its_id_not_by_its_time_of_receipt() -> None:
    event = an_event(20300)
    at = Route("seeks", "ff")
    first, second = (queue_entry(event, at, time) for time in (1, 2))
    assert first.dedup_id == second.dedup_id == event.id
    assert first.body != second.body


def test_every_dialect_asks_for_a_game_by_kinds_of_its_own() -> None:
    """A kind that its dialect does not list would be routed and never heard."""
    assert all(dialect.seeks <= dialect.kinds for dialect in DIALECTS.values())


def test_bodies_are_spelled_as_those_that_a_former_release_left_in_the_queues() -> None:
    game_id, event = "0" * 31 + "a", an_event(20303, ("d", "x"), content="é4")
    timer = Timer(game_id, 7, 9, ALICE.pubkey)
    order = Republish(game_id=game_id, changed_at_ms=5)
    of_event = (
        f'{{"event":{{"id":"{event.id}","pubkey":"{ALICE.pubkey}","created_at":1800000000,'
        f'"kind":20303,"tags":[["p","{SERVER.pubkey}"],["d","x"]],"content":"\\u00e94",'
        f'"sig":"{event.sig}"}},"received_at_ms":5,"via":"L0SM9c="}}'
    )

    assert event_body(event, 5, "L0SM9c=") == of_event
    assert timer_body(timer) == (
        f'{{"nudge":{{"game_id":"{game_id}","ply":7,"at_ms":9,"player":"{ALICE.pubkey}"}}}}'
    )
    assert timer_fired_body(timer, 5) == (
        f'{{"nudge":{{"game_id":"{game_id}","ply":7,"player":"{ALICE.pubkey}"}},"received_at_ms":5}}'
    )
    assert republish_body(order) == (
        f'{{"republish": {{"game_id": "{game_id}", "changed_at_ms": 5, "player_id": null, '
        '"attempt": 0}}'
    )
    assert parse(republish_body(order)) == order
    received = parse(of_event)
    assert isinstance(received, PlayerEvent)
    assert isinstance(received.event, NostrEvent)  # what comes out of a queue is not verified
    assert (verify(received.event), received.received_at_ms, received.via) == (event, 5, "L0SM9c=")
