"""Events beyond a rate of the relays are refused to their author, and change nothing."""

import pytest

from arbiter.application.intake.queue_messages import parse, queue_entry, too_many
from arbiter.application.intake.routing import route, timer_entry
from arbiter.application.records import QueueEntry, Timer
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event

US = ("p", SERVER.pubkey)
TEXT = "rate-limited: too many events at once: wait some seconds, and sign this anew"


def entry_of(event: VerifiedEvent) -> QueueEntry:
    target = route(event)
    assert target
    return queue_entry(event, target.queue, target.group_id, 7)


@pytest.mark.parametrize(
    ("kind", "content", "answer", "text"),
    [
        (20303, "e2e4", 20304, TEXT),
        (20303, "state", 20304, TEXT),
        (20303, "nonsense", 20304, TEXT),
        (20300, "", 20301, f"error:{TEXT}"),
        (20300, "cancel", 20301, f"error:{TEXT}"),
        (20306, "hello", 20304, TEXT),
    ],
)
@pytest.mark.parametrize("key", [ALICE, EVE])
def test_the_author_is_told_in_a_form_that_their_client_knows(
    key: object, kind: int, content: str, answer: int, text: str
) -> None:
    world = World()
    table = world.start(ALICE, BOB)
    before = world.game(table.game_id), world.lobby.player(EVE.pubkey)
    author = ALICE if key is ALICE else EVE
    event = an_event(author, kind, content, (("d", table.game_id), US), world.clock.ms // 1000)
    entry, taken = too_many(entry_of(event)), len(world.publisher.taken_events)
    assert world.deliver(world.record(entry.body)) == ()
    (said,) = world.publisher.taken_events[taken:]
    assert (said.kind, said.content) == (answer, text)
    assert {("p", author.pubkey), ("e", event.id)} <= {*said.tags}
    assert world.statuses()[-1] == "told-too-many"
    assert (world.game(table.game_id), world.lobby.player(EVE.pubkey)) == before


def test_it_is_one_record_with_the_event_itself_whichever_listener_brings_it() -> None:
    entry = entry_of(an_event(ALICE, 20303, "e2e4", (("d", "ab" * 16), US)))
    refused = too_many(entry)
    assert (refused.group_id, refused.dedup_id) == (entry.group_id, entry.dedup_id)
    messages = [parse(body) for body in (entry.body, refused.body)]
    assert [getattr(message, "is_too_many", None) for message in messages] == [False, True]


def test_what_is_no_players_event_stays_as_it_is() -> None:
    entry = timer_entry(Timer("ab" * 16, 1, 1), 2)
    assert too_many(entry) is entry
