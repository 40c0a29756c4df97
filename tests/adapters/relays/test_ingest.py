import threading

from arbiter.adapters.relays.ingest import LINE_RATE, QUESTION_RATE, Drop, RecentIds
from arbiter.adapters.relays.token_buckets import Rate
from arbiter.application.routing import questions_key
from arbiter.nostr.event import ParseError, event_from_json
from tests.adapters.relays.gate import USUAL, WANTED, Gate, strangers, unsigned
from tests.adapters.relays.watching import a_move, a_seek, forged, json_of, received_at_ms
from tests.builders import ALICE, BOB, SERVER


def test_moves_and_requests_to_play_go_to_their_own_queues() -> None:
    gate, move, seek = Gate(), a_move("e2e4"), a_seek()
    assert gate.offer(move) is None
    assert gate.offer(seek) is None
    assert [entry.dedup_id for entry in gate.moves.entries] == [move.id]
    assert [entry.dedup_id for entry in gate.seeks.entries] == [seek.id]


def test_the_first_receipt_is_the_one_that_counts() -> None:
    gate, move = Gate(), a_move("e2e4")
    gate.offer(move, at_ms=1_000)
    assert gate.offer(move, at_ms=2_000) is Drop.REPEATED
    assert [received_at_ms(entry) for entry in gate.moves.entries] == [1_000]


def test_a_forged_copy_that_comes_first_does_not_shadow_the_genuine_event() -> None:
    gate, move = Gate(), a_move("e2e4")
    assert gate.offer(forged(move)) is Drop.FORGED
    assert gate.offer({**json_of(move), "sig": "00" * 64}) is Drop.FORGED
    assert gate.offer(move) is None
    assert gate.offer(forged(move)) is Drop.REPEATED
    assert len(gate.moves.entries) == 1


def test_forgeries_in_an_authors_name_do_not_use_up_his_share() -> None:
    gate = Gate()
    for _ in range(50):
        assert gate.offer(forged(a_move("e2e4"))) is Drop.FORGED
    assert gate.offer(a_move("e2e4")) is None


def test_copies_from_many_relays_do_not_use_up_the_authors_share() -> None:
    gate, move = Gate(), a_move("e2e4")
    gate.offer(move)
    for _ in range(50):
        assert gate.offer(move) is Drop.REPEATED
    assert gate.offer(a_move("d2d4")) is None


def test_an_author_beyond_his_share_is_dropped_and_others_are_not() -> None:
    gate = Gate()
    statuses = [gate.offer(a_seek(content=str(number))) for number in range(5)]
    assert statuses == [None, None, None, Drop.TOO_MANY, Drop.TOO_MANY]
    assert gate.offer(a_seek(by=BOB)) is None


def test_what_was_dropped_for_its_authors_share_may_come_again_later() -> None:
    gate = Gate()
    for number in range(3):
        gate.offer(a_seek(content=str(number)))
    late = a_seek(content="late")
    assert gate.offer(late) is Drop.TOO_MANY
    gate.now = 1.0
    assert gate.offer(late) is None


def test_an_author_beyond_his_share_is_dropped_before_his_signature_is_paid_for() -> None:
    gate = Gate()
    for number in range(3):
        gate.offer(a_seek(content=str(number)))
    # Were it verified, it would be called forged.
    assert gate.offer(forged(a_seek(content="x"))) is Drop.TOO_MANY


def test_questions_about_one_game_share_a_small_bucket_whoever_asks() -> None:
    gate = Gate(USUAL)
    statuses = [gate.offer(a_move("state", by=key)) for key in strangers(60)]
    assert statuses.count(None) == QUESTION_RATE.burst
    assert set(statuses[int(QUESTION_RATE.burst) :]) == {Drop.TOO_MANY_QUESTIONS}

    gate.now = 1.0
    statuses = [gate.offer(a_move("state", by=key, ago=1)) for key in strangers(60)]
    assert statuses.count(None) == QUESTION_RATE.per_second


def test_questions_of_strangers_use_up_nothing_that_a_player_needs() -> None:
    gate = Gate(USUAL)
    for key in strangers(60):
        gate.offer(a_move("state", by=key))
    for content in ("e2e4", "flag", "resign"):
        assert gate.offer(a_move(content)) is None
    assert gate.offer(a_move("state", game="cd" * 16)) is None
    # Where they stand is told to who asks for it in the lobby.
    assert gate.offer(a_seek(content="state")) is None


def test_a_question_beyond_the_games_share_is_dropped_before_its_signature_is_paid_for() -> None:
    gate = Gate(USUAL)
    for key in strangers(60):
        gate.offer(a_move("state", by=key))
    assert gate.offer(unsigned(a_move("state"))) is Drop.TOO_MANY_QUESTIONS


def test_forged_questions_do_not_use_up_the_games_share() -> None:
    gate = Gate(USUAL)
    for _ in range(60):
        assert gate.offer(unsigned(a_move("state"))) is Drop.FORGED
    assert gate.offer(a_move("state")) is None


def test_one_author_has_a_share_of_each_game_beside_that_of_all() -> None:
    gate = Gate(USUAL)
    statuses = [gate.offer(a_move("e2e4", ago=number)) for number in range(99)]
    assert statuses.count(None) == LINE_RATE.burst
    assert gate.offer(a_move("e2e4", game="cd" * 16)) is None


def test_the_shares_of_games_that_nobody_heard_of_take_bounded_memory() -> None:
    """A d tag may hold anything, and as much of it as an event may have."""
    assert questions_key(a_move("state", game="x" * 5_000)) != questions_key(a_move("state"))
    assert len(questions_key(a_move("state", game="x" * 5_000)) or "") == 64


def test_a_move_waits_for_room_and_a_request_to_play_does_not() -> None:
    gate = Gate()
    gate.offer(a_move("e2e4"))
    gate.offer(a_seek())
    assert (gate.moves.waits, gate.seeks.waits) == ([True], [False])


def test_what_found_no_room_is_not_taken_for_seen() -> None:
    gate, seek = Gate(), a_seek()
    gate.seeks.has_room = False
    assert gate.offer(seek) is Drop.QUEUE_FULL
    gate.seeks.has_room = True
    assert gate.offer(seek) is None


def test_the_servers_own_events_and_those_for_others_go_no_further() -> None:
    gate = Gate()
    assert gate.offer(a_seek(by=SERVER)) is Drop.OWN
    assert gate.offer({**json_of(a_seek()), "tags": [["p", ALICE.pubkey]]}) is Drop.NOT_FOR_US
    assert not gate.seeks.waits


def test_one_event_from_many_threads_at_once_passes_once() -> None:
    gate, start = Gate(Rate(per_second=1.0, burst=1000.0)), threading.Barrier(8)
    events = [event_from_json(json_of(a_seek(content=str(number)))) for number in range(50)]

    def relay() -> None:
        start.wait()
        for event in events:
            assert not isinstance(event, ParseError)
            gate.intake.offer(event, WANTED, 0)

    threads = [threading.Thread(target=relay) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gate.seeks.entries) == 50
    assert len({entry.dedup_id for entry in gate.seeks.entries}) == 50


def test_what_was_added_is_in_it_and_nothing_else() -> None:
    seen, one, other = RecentIds(10), a_move("e2e4"), a_move("d2d4")
    seen.add(one)
    assert one.id in seen
    assert other.id not in seen


def test_the_id_unmentioned_for_the_longest_is_forgotten_first() -> None:
    seen = RecentIds(2)
    first, second, third = a_move("e2e4"), a_move("d2d4"), a_move("c2c4")
    seen.add(first)
    seen.add(second)
    assert first.id in seen
    seen.add(third)
    assert second.id not in seen
    assert first.id in seen
    assert third.id in seen
