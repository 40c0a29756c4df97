"""Events let through from the relays to the queues, without threads."""

import threading

import pytest

from arbiter.adapters.relays.ingest import (
    GROUP_RATE,
    MESSAGE_RATE,
    QUESTION_RATE,
    Drop,
    RecentIds,
    Shard,
    screened,
)
from arbiter.adapters.relays.rate_limits import Rate, TokenBuckets
from arbiter.application.intake.routing import route
from arbiter.nostr.event import EventTemplate, NostrEvent, ParseError, event_from_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.limits import GIFT_WRAP
from tests.adapters.relays.ingest_harness import USUAL, WANTED, IngestHarness, strangers, unsigned
from tests.adapters.relays.stand_ins import a_move, a_seek, forged, json_of, received_at_ms
from tests.builders import ALICE, BOB, SERVER, a_key

SINCE = 1_800_000_000
TO_SERVER, GAME_TAG = ("p", SERVER.pubkey), ("d", "ab")


def an_event(
    kind: int = 20303,
    tags: tuple[tuple[str, ...], ...] = (TO_SERVER, GAME_TAG),
    created_at: int = SINCE,
    by: SecretKey = ALICE,
) -> NostrEvent:
    event = event_from_json(json_of(by.sign(EventTemplate(kind, tags, "e2e4", created_at))))
    assert isinstance(event, NostrEvent)
    return event


@pytest.mark.parametrize(
    ("event", "drop"),
    [
        (an_event(), None),
        (an_event(tags=(("p", ALICE.pubkey), ("p", BOB.pubkey), TO_SERVER, GAME_TAG)), None),
        (an_event(kind=1), Drop.NOT_LISTENED_KIND),
        (an_event(kind=20302), Drop.NOT_LISTENED_KIND),
        (an_event(kind=22242), Drop.NOT_LISTENED_KIND),
        (an_event(by=SERVER), Drop.OWN),
        (an_event(tags=(GAME_TAG,)), Drop.NOT_FOR_US),
        (an_event(tags=(("p", BOB.pubkey, SERVER.pubkey),)), Drop.NOT_FOR_US),
        (an_event(tags=(("p",), ("e", SERVER.pubkey))), Drop.NOT_FOR_US),
        (an_event(tags=(("P", SERVER.pubkey),)), Drop.NOT_FOR_US),
        (an_event(created_at=SINCE - 1), Drop.NOT_ASKED_FOR),
    ],
)
def test_what_was_asked_for_is_routed_and_all_else_dropped(
    event: NostrEvent, drop: Drop | None
) -> None:
    wanted = Filter(kinds=WANTED.kinds, tags=WANTED.tags, since=SINCE)
    assert screened(event, wanted, SERVER.pubkey) == (drop or route(event))


def test_a_kind_that_has_a_route_and_was_not_asked_for_is_dropped() -> None:
    only_seeks = Filter(kinds=(20300,), tags=WANTED.tags)
    assert screened(an_event(), only_seeks, SERVER.pubkey) is Drop.NOT_LISTENED_KIND


def test_moves_and_requests_to_play_go_to_their_own_queues_and_only_moves_wait_for_room() -> None:
    harness, move, seek = IngestHarness(), a_move("e2e4"), a_seek()
    assert (harness.offer(move), harness.offer(seek)) == (None, None)
    assert [entry.dedup_id for entry in harness.moves.entries] == [move.id]
    assert [entry.dedup_id for entry in harness.seeks.entries] == [seek.id]
    assert (harness.moves.waits, harness.seeks.waits) == ([True], [False])


def test_what_was_not_asked_for_is_counted_by_its_reason_and_goes_no_further() -> None:
    harness = IngestHarness()
    assert harness.offer(a_seek(by=SERVER)) is Drop.OWN
    assert (harness.counters.counts(), harness.seeks.waits) == ({Drop.OWN: 1}, [])


def test_the_first_copy_counts_and_the_others_use_up_nothing() -> None:
    harness, move = IngestHarness(), a_move("e2e4")
    harness.offer(move, at_ms=1_000)
    for _ in range(50):
        assert harness.offer(move, at_ms=2_000) is Drop.REPEATED
    assert harness.offer(forged(move)) is Drop.REPEATED
    assert [received_at_ms(entry) for entry in harness.moves.entries] == [1_000]
    assert harness.offer(a_move("d2d4")) is None


def test_forgeries_that_come_first_neither_shadow_the_event_nor_use_up_its_authors_share() -> None:
    harness, move = IngestHarness(), a_move("e2e4")
    for _ in range(50):
        assert harness.offer(forged(move)) is Drop.FORGED
    assert harness.offer(unsigned(move)) is Drop.FORGED
    assert harness.offer(move) is None


def test_an_author_over_the_limit_is_dropped_before_the_signature_is_verified() -> None:
    harness, late = IngestHarness(), a_seek(content="late")
    drops = [harness.offer(a_seek(content=str(number))) for number in range(5)]
    assert drops == [None, None, None, Drop.TOO_MANY, Drop.TOO_MANY]
    assert harness.offer(forged(a_seek(content="x"))) is Drop.TOO_MANY
    assert harness.offer(a_seek(by=BOB)) is None
    assert harness.offer(late) is Drop.TOO_MANY
    harness.now = 1.0
    assert harness.offer(late) is None


def test_questions_about_one_game_share_a_small_bucket_of_all_authors() -> None:
    harness = IngestHarness(USUAL)
    for _ in range(60):
        assert harness.offer(unsigned(a_move("state"))) is Drop.FORGED
    drops = [harness.offer(a_move("state", by=key)) for key in strangers(60)]
    assert drops.count(None) == QUESTION_RATE.burst
    assert set(drops[int(QUESTION_RATE.burst) :]) == {Drop.TOO_MANY_QUESTIONS}
    assert harness.offer(unsigned(a_move("state"))) is Drop.TOO_MANY_QUESTIONS
    for content in ("e2e4", "flag", "resign"):
        assert harness.offer(a_move(content)) is None
    assert harness.offer(a_move("state", game="cd" * 16)) is None
    assert harness.offer(a_seek(content="state")) is None

    harness.now = 1.0
    drops = [harness.offer(a_move("state", by=key, ago=1)) for key in strangers(60)]
    assert drops.count(None) == QUESTION_RATE.per_second


def test_one_author_has_a_share_of_each_game_beside_that_of_all() -> None:
    harness = IngestHarness(USUAL)
    drops = [harness.offer(a_move("e2e4", ago=number)) for number in range(99)]
    assert drops.count(None) == GROUP_RATE.burst
    assert harness.offer(a_move("e2e4", game="cd" * 16)) is None


def test_the_shares_of_games_that_do_not_exist_take_bounded_memory() -> None:
    long, short = (route(a_move("state", game=game)) for game in ("x" * 5_000, "y"))
    assert long
    assert short
    assert long.questions_key != short.questions_key
    assert len(long.questions_key or "") == 64


def test_of_several_listeners_each_event_is_queued_by_one() -> None:
    harnesses = [IngestHarness(shard=Shard(number, 3)) for number in range(3)]
    for key in strangers(30):
        dropped = [harness.offer(a_move("e2e4", key)) for harness in harnesses]
        assert sorted(map(str, dropped)) == ["None", "other-shard", "other-shard"]
    assert min(len(harness.moves.entries) for harness in harnesses) > 0


def test_what_found_no_room_may_come_again() -> None:
    harness, seek = IngestHarness(), a_seek()
    harness.seeks.has_room = False
    assert harness.offer(seek) is Drop.QUEUE_FULL
    harness.seeks.has_room = True
    assert harness.offer(seek) is None


def test_one_event_from_many_threads_at_once_passes_once() -> None:
    harness, start = IngestHarness(Rate(per_second=1.0, burst=1000.0)), threading.Barrier(8)
    events = [event_from_json(json_of(a_seek(content=str(number)))) for number in range(50)]

    def relay() -> None:
        start.wait()
        for event in events:
            assert not isinstance(event, ParseError)
            harness.ingester.offer(event, WANTED, 0)

    threads = [threading.Thread(target=relay) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (
        len(harness.seeks.entries) == len({entry.dedup_id for entry in harness.seeks.entries}) == 50
    )


def test_the_id_unmentioned_for_the_longest_is_forgotten_first() -> None:
    seen = RecentIds(2)
    first, second, third = a_move("e2e4"), a_move("d2d4"), a_move("c2c4")
    seen.add(first)
    seen.add(second)
    assert first.id in seen
    seen.add(third)
    assert [event.id in seen for event in (first, second, third)] == [True, False, True]


RATE = Rate(per_second=30.0, burst=100.0)


def taken(buckets: TokenBuckets, key: str, times: int, now: float) -> int:
    return sum(buckets.take(key, now) for _ in range(times))


def test_a_bucket_gives_its_burst_and_then_its_rate_and_never_overflows() -> None:
    buckets = TokenBuckets(RATE, 10)
    counts = [taken(buckets, "eve", 150, now) for now in (5.0, 6.0, 1e9)]
    assert counts == [100, 30, 100]
    assert taken(buckets, "alice", 5, now=5.0) == 5
    assert taken(buckets, "alice", 200, now=0.0) == 95, "time that goes backwards takes nothing"


def test_looking_for_a_token_costs_none() -> None:
    buckets = TokenBuckets(Rate(per_second=1.0, burst=1.0), 10)
    assert [buckets.has_token("alice", 0.0) for _ in range(3)] == [True, True, True]
    assert buckets.take("alice", 0.0)
    assert [buckets.has_token("alice", now) for now in (0.5, 1.0)] == [False, True]


def test_the_bucket_unused_for_the_longest_is_forgotten() -> None:
    buckets = TokenBuckets(Rate(per_second=0.0, burst=2.0), max_keys=2)
    for key in ("alice", "bob", "alice", "eve", "eve"):
        assert buckets.take(key, 0.0)
    assert [buckets.has_token(key, 0.0) for key in ("alice", "eve")] == [False, False]
    assert taken(buckets, "bob", 5, now=0.0) == 2


def test_messages_of_many_keys_share_one_rate_and_take_nothing_from_others() -> None:
    harness = IngestHarness()
    wanted = Filter(kinds=(GIFT_WRAP,), tags={"p": (SERVER.pubkey,)})

    def offered(number: int) -> Drop | None:
        wrap = an_event(GIFT_WRAP, (TO_SERVER,), by=a_key(f"once {number}"))
        return harness.ingester.offer(wrap, wanted, 0)

    burst = int(MESSAGE_RATE.burst)
    assert {offered(number) for number in range(burst)} == {None}
    assert offered(burst) is Drop.TOO_MANY_STRANGERS
    assert len(harness.moves.entries) == burst, "and nobody is told"
    assert harness.offer(a_move("e2e4")) is None
    harness.now += 1 / MESSAGE_RATE.per_second
    assert offered(burst + 1) is None
