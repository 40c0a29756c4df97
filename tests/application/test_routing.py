"""The queue and group in which an event waits, and the spelling of bodies."""

import hashlib
import json
from dataclasses import replace

import pytest

from arbiter.application.intake.queue_messages import (
    event_body,
    parse,
    queue_entry,
    republish_body,
    timer_body,
    timer_fired_body,
)
from arbiter.application.intake.routing import (
    HANDLED_KINDS,
    LISTENED_KINDS,
    SEEK_GROUPS,
    Route,
    players_group,
    route,
    timers_group,
)
from arbiter.application.records import PlayerEvent, Republish, Timer
from arbiter.dialects.base import GameCommand
from arbiter.dialects.native import decode
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import NostrEvent, VerifiedEvent, verify
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.builders import an_event as event_of

GAME_ID = "ab" * 16
GAME = ("d", GAME_ID)


def an_event(
    kind: int, *tags: tuple[str, ...], content: str = "", key: SecretKey = ALICE
) -> VerifiedEvent:
    return event_of(key, kind, content, (("p", SERVER.pubkey), *tags))


def moves_of(text: str, game_id: str | None = None) -> Route:
    return Route("moves", hashlib.sha256(text.encode()).hexdigest(), game_id=game_id)


LINE = f"game:{GAME_ID}:{ALICE.pubkey}"
OF_ALICE = moves_of(LINE, GAME_ID)
ALICE_ALONE = moves_of(f"author:{ALICE.pubkey}")
START = moves_of(f"start:{ALICE.pubkey}", GAME_ID)
SEEK = route(an_event(20300))


@pytest.mark.parametrize(
    ("event", "plays", "expected"),
    [
        (an_event(20300, content="cancel"), None, SEEK),
        (an_event(20300, GAME), None, SEEK),
        (an_event(5000), GAME_ID, SEEK),
        (an_event(20303, GAME), None, OF_ALICE),
        (an_event(20303, GAME, content="resign"), None, OF_ALICE),
        (an_event(20303, GAME), "cd" * 16, OF_ALICE),
        (
            an_event(20303, ("d", "none of ours")),
            None,
            moves_of(f"game:none of ours:{ALICE.pubkey}"),
        ),
        (an_event(20303), None, ALICE_ALONE),
        (an_event(20303, ("d",)), None, ALICE_ALONE),
        (an_event(20303, ("d", "one"), ("d", "two")), None, ALICE_ALONE),
        *(
            (an_event(kind, ("d", "not looked at")), GAME_ID, moves_of(LINE))
            for kind in (5001, 5002)
        ),
        *((an_event(kind, ("d", "not looked at")), None, ALICE_ALONE) for kind in (5001, 5003)),
        *(
            (an_event(kind, GAME), None, moves_of(f"chat:{GAME_ID}", GAME_ID))
            for kind in (20305, 20306)
        ),
        (an_event(20306), None, moves_of(f"chat:{ALICE.pubkey}")),
        (an_event(30, GAME), None, replace(START, is_of_all=True)),
        *((an_event(kind, GAME), None, None) for kind in (0, 1, 64, 20301, 20302, 20304, 22242)),
    ],
)
def test_an_event_waits_with_what_its_author_said_about_the_same(
    event: VerifiedEvent, plays: str | None, expected: Route | None
) -> None:
    assert route(event, plays) == expected


def test_requests_wait_away_from_moves_in_several_lines() -> None:
    line = int(ALICE.pubkey[:2], 16) % SEEK_GROUPS
    group = hashlib.sha256(f"seeks:{line}".encode()).hexdigest()
    assert Route("seeks", group) == SEEK
    keys = [SecretKey.from_hex(f"{number:064x}") for number in range(1, 60)]
    assert len({route(an_event(20300, key=key)) for key in keys}) == SEEK_GROUPS


def test_nothing_that_anybody_else_says_waits_in_front_of_a_move() -> None:
    words = [(key, content) for key in (BOB, EVE) for content in ("e7e5", "state", "flag")]
    others = {route(an_event(20303, GAME, content=content, key=key)) for key, content in words}
    assert OF_ALICE not in others
    assert players_group(GAME_ID, ALICE.pubkey) != timers_group(GAME_ID)


@pytest.mark.parametrize("tags", [(("d",), GAME), (GAME, GAME), ((*GAME, "x"),)])
def test_a_move_waits_and_is_counted_by_the_game_that_it_is_judged_by(
    tags: tuple[tuple[str, ...], ...],
) -> None:
    event, plain = (an_event(20303, *them, content="state") for them in (tags, (GAME,)))
    asked = decode(event, 1_800_000_000_000)
    assert isinstance(asked, GameCommand)
    assert asked.game_id == GAME_ID
    assert route(event) == route(plain)


def test_what_is_said_on_sockets_is_not_listened_for_and_not_announced() -> None:
    """On relays these kinds are jobs for strangers' machines (NIP-90)."""
    assert {20300, 20303, 20305, 20306} <= {*LISTENED_KINDS}
    assert not {5000, 5001, 5002, 5003} & {*LISTENED_KINDS, *HANDLED_KINDS}


def test_every_dialect_asks_for_a_game_by_kinds_of_its_own() -> None:
    """A kind that its dialect does not list would be routed and never heard."""
    assert all(dialect.seeks <= dialect.kinds for dialect in DIALECTS.values())


def test_the_queue_takes_an_event_each_time_over_a_socket_and_once_from_relays() -> None:
    event = an_event(5001)
    frames = [("a", 20_000, 1), ("a", 20_000, 2), ("a", 29_999, 1), ("b", 20_000, 1)]
    ids = {
        queue_entry(event, "moves", "ff", at_ms, via, number).dedup_id
        for via, at_ms, number in frames
    }
    assert len(ids) == len(frames)
    assert {len(dedup_id) for dedup_id in ids} == {64}
    first, second = (queue_entry(an_event(20300), "moves", "ff", at) for at in (1, 2))
    assert first.dedup_id == second.dedup_id == an_event(20300).id
    assert first.body != second.body


def test_bodies_are_spelled_as_those_that_a_former_release_left_in_the_queues() -> None:
    game_id, event = "0" * 31 + "a", an_event(20303, ("d", "x"), content="é4")
    timer, order = Timer(game_id, 7, 9, ALICE.pubkey), Republish(game_id=game_id, changed_at_ms=5)
    of_event = (
        f'{{"event":{{"id":"{event.id}","pubkey":"{ALICE.pubkey}","created_at":1800000000,'
        f'"kind":20303,"tags":[["p","{SERVER.pubkey}"],["d","x"]],"content":"\\u00e94",'
        f'"sig":"{event.sig}"}},"received_at_ms":5,"via":"L0SM9c="}}'
    )
    named = f'"game_id":"{game_id}","ply":7'
    assert event_body(event, 5, "L0SM9c=") == of_event
    assert timer_body(timer) == f'{{"timer":{{{named},"at_ms":9,"player":"{ALICE.pubkey}"}}}}'
    assert timer_fired_body(timer, 5) == (
        f'{{"timer":{{{named},"player":"{ALICE.pubkey}"}},"received_at_ms":5}}'
    )
    assert republish_body(order) == (
        f'{{"republish": {{"game_id": "{game_id}", "changed_at_ms": 5, "player_id": null, '
        '"attempt": 0}}'
    )
    assert parse(republish_body(order)) == order
    assert "via" not in json.loads(queue_entry(event, "moves", "ff", 5).body)


@pytest.mark.parametrize("content", ["é4", "e2e4 \u2654 \U0001f600 \ufffe \x7f \x01"])
def test_a_body_is_ascii_and_gives_the_same_event_back(content: str) -> None:
    event = an_event(20303, GAME, content=content)
    body = event_body(event, 5, "L0SM9c=")
    received = parse(body)
    assert body.isascii()
    assert isinstance(received, PlayerEvent)
    assert isinstance(received.event, NostrEvent)  # what comes out of a queue is not verified
    assert (verify(received.event), received.received_at_ms, received.via) == (event, 5, "L0SM9c=")
