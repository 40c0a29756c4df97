"""Events of strangers in a game neither delay a player's nor take their place."""

import threading
from uuid import uuid4

import pytest

from arbiter.adapters.relays import ingest, rate_limits
from arbiter.adapters.relays.ingest import ALL_TOLD_RATE, GROUP_RATE, TOLD_RATE, Drop
from arbiter.adapters.relays.rate_limits import ALL_RATE, DOUBT_SECONDS, GAME_RATE, no_pairs
from arbiter.application.gateway.player_cache import ABSENT_SECONDS
from arbiter.application.intake.queue_messages import parse
from arbiter.application.records import PlayerEvent, QueueEntry
from tests.adapters.relays.ingest_harness import USUAL, IngestHarness, flood, strangers, unsigned
from tests.adapters.relays.stand_ins import GAME, a_move, a_seek
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.relay import PATIENCE_SECONDS

PLAYERS = frozenset({ALICE.pubkey, BOB.pubkey})
NO_PLAYERS: frozenset[str] = frozenset()
OTHER_GAME = "cd" * 16
BURST = int(GAME_RATE.burst)


@pytest.fixture
def harness() -> IngestHarness:
    """Nothing was said yet in the game, and its players are not known."""
    return IngestHarness(USUAL, asks=True)


@pytest.fixture
def used_up(harness: IngestHarness) -> IngestHarness:
    """The players are known, and strangers have said all they may in the game, and were told."""
    harness.ingester.learn({GAME: PLAYERS})
    for event in flood(words=1):
        harness.offer(event)
    assert len(passed(harness)) == BURST
    return harness


def passed(harness: IngestHarness) -> list[str]:
    """Ids of the events passed on as they are."""
    return [entry.dedup_id for entry in harness.moves.entries if not is_refused(entry)]


def told(harness: IngestHarness) -> list[str]:
    """Ids of the events passed on for their authors to hear that they were one too many."""
    entries = (*harness.moves.entries, *harness.seeks.entries)
    return [entry.dedup_id for entry in entries if is_refused(entry)]


def is_refused(entry: QueueEntry) -> bool:
    message = parse(entry.body)
    assert isinstance(message, PlayerEvent)
    assert isinstance(entry.message, PlayerEvent)
    assert message.is_too_many == entry.message.is_too_many
    return message.is_too_many


def test_a_move_amid_a_flood_waits_for_one_look_up_and_keeps_its_place(
    harness: IngestHarness,
) -> None:
    moves = [a_move(uci) for uci in ("e2e4", "d2d4", "g1f3")]
    for event in (*flood(), moves[0], *flood(words=1), moves[1]):
        harness.offer(event)
    assert passed(harness) == []
    assert harness.offer(moves[0]) is Drop.REPEATED
    assert harness.offer(moves[2]) is None
    assert harness.counters.counts() == {Drop.REPEATED: 1}

    harness.ingester.learn({GAME: PLAYERS})

    of_players = [move.id for move in moves]
    assert [id_ for id_ in passed(harness) if id_ in of_players] == of_players
    assert harness.asked == [GAME]
    assert harness.offer(moves[0]) is Drop.REPEATED
    counts = harness.counters.counts()
    assert counts["passed-on"] == len(passed(harness)) == BURST + 3
    assert counts["passed-on"] + counts[Drop.TOO_MANY_STRANGERS] == 440 + 3


def test_however_many_games_players_begin_a_stranger_who_asks_once_is_passed_on() -> None:
    harness = IngestHarness(USUAL, asks=True)
    *keys, stranger = strangers(121)
    games = {uuid4().hex: (keys[at], keys[at + 1]) for at in range(0, 120, 2)}
    for game, players in games.items():
        for ply in range(5):
            harness.offer(a_move(f"word {ply}", by=players[ply % 2], game=game))
    pubkeys = {game: frozenset(key.pubkey for key in two) for game, two in games.items()}
    harness.ingester.learn(pubkeys)
    assert len(passed(harness)) == 300
    for word in ("state", "e2e4"):
        assert harness.offer(a_move(word, by=stranger, game=next(iter(games)))) is None
    assert len(passed(harness)) == 302


def test_who_was_paired_in_this_process_is_known_without_a_look_up() -> None:
    paired = no_pairs()
    harness = IngestHarness(USUAL, paired=paired, asks=True)
    paired.append((GAME, PLAYERS))
    move = a_move("e2e4")
    for event in (*flood(words=1), move):
        harness.offer(event)
    assert (harness.asked, passed(harness)[-1]) == ([], move.id)


def test_once_the_players_are_known_their_events_pass_at_once(used_up: IngestHarness) -> None:
    harness = used_up
    before = passed(harness)
    for event in flood(words=2):
        assert harness.offer(event) is Drop.TOO_MANY_STRANGERS
        # Were it verified, it would be called forged.
        assert harness.offer(unsigned(event)) is Drop.TOO_MANY_STRANGERS
    move = a_move("e2e4")
    assert harness.offer(move) is None
    assert passed(harness) == [*before, move.id]
    assert harness.asked == []
    harness.now = 3 / GAME_RATE.per_second
    assert [harness.offer(event) for event in flood(words=1)].count(None) == 3


def test_each_player_has_a_share_of_their_own(used_up: IngestHarness) -> None:
    for key in (ALICE, BOB):
        drops = [used_up.offer(a_move(f"word {at}", by=key)) for at in range(54)]
        assert set(drops) == {None}
    assert GROUP_RATE.burst > 55


def test_chat_of_strangers_is_counted_with_their_other_events(used_up: IngestHarness) -> None:
    tags = (("p", SERVER.pubkey), ("d", GAME))
    drops = {used_up.offer(an_event(key, 20306, "hello", tags)) for key in strangers(40)}
    assert drops == {Drop.TOO_MANY_STRANGERS}
    assert used_up.offer(an_event(BOB, 20305, "sealed", tags)) is None


def test_forged_events_use_up_nothing_that_strangers_have() -> None:
    harness = IngestHarness(USUAL, asks=True)
    for event in flood(words=1):
        assert harness.offer(unsigned(event)) is Drop.FORGED
    assert harness.asked == []
    assert harness.offer(flood(words=1)[0]) is None
    harness.ingester.learn({GAME: PLAYERS})
    assert len(passed(harness)) == 1


def test_a_table_that_does_not_answer_loses_nothing_and_is_not_asked_for_a_while(
    harness: IngestHarness,
) -> None:
    events = [*flood(words=1), a_move("e2e4")]
    for event in events:
        harness.offer(event)
    harness.ingester.learn({GAME: None})
    late = [a_move(f"word {at}") for at in range(5)]
    for event in (*late, a_move("d2d4", game=OTHER_GAME)):
        harness.offer(event)
    assert passed(harness)[: len(events)] == [event.id for event in events]
    assert {event.id for event in late} <= {*passed(harness)}
    assert harness.asked == [GAME]

    harness.now = DOUBT_SECONDS
    for event in flood(words=1):
        harness.offer(event)
    assert harness.asked == [GAME, GAME]


def test_that_a_game_does_not_exist_is_believed_for_a_while(harness: IngestHarness) -> None:
    for event in flood(words=1):
        harness.offer(event)
    harness.ingester.learn({GAME: NO_PLAYERS})
    assert harness.offer(a_move("d2d4")) is Drop.TOO_MANY_STRANGERS
    assert harness.asked == [GAME]

    harness.now = ABSENT_SECONDS
    for event in flood(words=1):
        harness.offer(event)
    assert harness.asked == [GAME, GAME]
    move = a_move("d2d4")
    assert harness.offer(move) is None
    harness.ingester.learn({GAME: PLAYERS})
    assert move.id in passed(harness)


def test_events_for_games_that_do_not_exist_share_one_limit() -> None:
    harness = IngestHarness(USUAL, asks=True)
    games = [uuid4().hex for _ in range(200)]
    for game, key in zip(games, strangers(200), strict=True):
        harness.offer(a_move("e2e4", by=key, game=game))
    move = a_move("e2e4")
    harness.offer(move)
    assert harness.asked == [*games, GAME]

    harness.ingester.learn(dict.fromkeys(games, NO_PLAYERS) | {GAME: PLAYERS})
    assert len(passed(harness)) == ALL_RATE.burst + 1
    assert passed(harness)[-1] == move.id


@pytest.mark.parametrize("named", [(), (("d", "x" * 500),), (("d",),), (("d", "AB" * 16),)])
def test_events_that_name_no_game_share_it_too_and_nothing_is_asked(
    named: tuple[tuple[str, ...], ...],
) -> None:
    harness = IngestHarness(USUAL, asks=True)
    tags = (("p", SERVER.pubkey), *named)
    drops = [harness.offer(an_event(key, 20303, "e2e4", tags)) for key in strangers(60)]
    assert drops.count(None) == ALL_RATE.burst
    assert harness.asked == []


def test_an_ingester_that_closes_passes_on_what_it_holds_and_asks_no_more(
    harness: IngestHarness,
) -> None:
    harness.offer(move := a_move("e2e4"))
    harness.ingester.close(1.0)
    assert passed(harness) == [move.id]
    for event in flood():
        assert harness.offer(event) is None
    assert harness.asked == [GAME]


each_bound = pytest.mark.parametrize(
    ("bound", "most"), [("_MAX_HELD", 2), ("_MAX_HELD_BYTES", 700)]
)


@each_bound
def test_too_much_to_hold_holds_up_the_relays_until_there_is_an_answer(
    harness: IngestHarness, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(rate_limits, bound, most)
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 10 * PATIENCE_SECONDS)
    move = a_move("e2e4")
    first, second = flood(words=1, keys=2)
    harness.offer(first)
    harness.offer(second)
    waiting = threading.Thread(target=harness.offer, args=(move,), daemon=True)
    waiting.start()
    # What needs no answer passes meanwhile.
    assert harness.offer(first) is Drop.REPEATED
    assert move.id not in passed(harness)
    harness.ingester.learn({GAME: PLAYERS})
    waiting.join(PATIENCE_SECONDS)
    assert passed(harness)[-1] == move.id

    # There is room again.
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 0.01)
    for event in flood(OTHER_GAME, words=1, keys=BURST + 2):
        harness.offer(event)
    assert harness.asked == [GAME, OTHER_GAME]


@each_bound
def test_too_much_to_hold_holds_up_the_relays_for_a_short_time_at_most(
    harness: IngestHarness, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(rate_limits, bound, most)
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 0.01)
    events = [*flood(words=1, keys=4), a_move("e2e4")]
    for event in events:
        assert harness.offer(event) is None
    assert passed(harness) == [event.id for event in events]


@pytest.fixture
def used_up_again(used_up: IngestHarness) -> IngestHarness:
    """A minute later as much was said, and may be answered again."""
    used_up.now = 60.0
    for event in flood(words=1, keys=BURST):
        used_up.offer(event)
    return used_up


def test_the_first_that_is_dropped_of_each_author_is_passed_on_to_be_refused(
    used_up_again: IngestHarness,
) -> None:
    first, *others = (a_move(f"word {number}", by=strangers(1)[0]) for number in range(200, 205))
    before = len(told(used_up_again))
    for event in (first, *others):
        assert used_up_again.offer(event) is Drop.TOO_MANY_STRANGERS
    assert told(used_up_again)[before:] == [first.id]
    assert used_up_again.offer(first) is Drop.REPEATED
    assert used_up_again.counters.counts()["told-too-many"] == len(told(used_up_again))


def test_forged_events_beyond_a_rate_are_neither_answered_nor_do_they_keep_an_answer_back(
    used_up_again: IngestHarness,
) -> None:
    before, genuine = len(told(used_up_again)), a_move("word", by=strangers(99)[-1])
    for _ in range(50):
        assert used_up_again.offer(unsigned(genuine)) is Drop.TOO_MANY_STRANGERS
    assert len(told(used_up_again)) == before
    used_up_again.offer(genuine)
    assert told(used_up_again)[before:] == [genuine.id]


def test_however_many_keys_are_dropped_few_are_answered(used_up: IngestHarness) -> None:
    assert len(told(used_up)) == ALL_TOLD_RATE.burst
    for second in range(1, 11):
        used_up.now = float(second)
        for event in flood(words=1):
            used_up.offer(event)
    assert len(told(used_up)) <= ALL_TOLD_RATE.burst + 10 * ALL_TOLD_RATE.per_second
    assert TOLD_RATE.burst == 1


def test_an_author_beyond_their_own_rate_is_told_in_the_queue_of_that_event() -> None:
    harness = IngestHarness()
    seeks = [a_seek(content=str(number)) for number in range(5)]
    drops = [harness.offer(seek) for seek in seeks]
    assert drops == [None, None, None, Drop.TOO_MANY, Drop.TOO_MANY]
    assert told(harness) == [seeks[3].id]
    assert [entry.dedup_id for entry in harness.seeks.entries][-1] == seeks[3].id


def test_questions_beyond_the_rate_of_a_game_are_answered_once_too() -> None:
    harness = IngestHarness(USUAL, asks=True)
    harness.ingester.learn({GAME: frozenset(key.pubkey for key in strangers(2))})
    asked = [a_move("state", by=strangers(2)[at % 2], ago=at) for at in range(30)]
    drops = [harness.offer(event) for event in asked]
    assert drops[20:] == [Drop.TOO_MANY_QUESTIONS] * 10
    assert told(harness) == [asked[20].id, asked[21].id]


def test_a_refusal_that_finds_no_room_is_not_waited_for_and_may_come_later(
    used_up_again: IngestHarness,
) -> None:
    late = a_move("word", by=strangers(99)[-1])
    used_up_again.moves.has_room = False
    assert used_up_again.offer(late) is Drop.TOO_MANY_STRANGERS
    assert used_up_again.moves.waits[-1] is False
    used_up_again.moves.has_room = True
    before = len(told(used_up_again))
    assert used_up_again.offer(late) is Drop.TOO_MANY_STRANGERS
    assert told(used_up_again)[before:] == [late.id]
