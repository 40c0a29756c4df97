"""Events of strangers in a game neither delay a player's nor take their place."""

import threading
from uuid import uuid4

import pytest

from arbiter.adapters.relays import ingest, rate_limits
from arbiter.adapters.relays.ingest import GROUP_RATE, Drop
from arbiter.adapters.relays.rate_limits import ALL_RATE, DOUBT_SECONDS, GAME_RATE
from arbiter.application.gateway.player_cache import ABSENT_SECONDS
from tests.adapters.relays.ingest_harness import USUAL, IngestHarness, flood, strangers, unsigned
from tests.adapters.relays.stand_ins import GAME, a_move
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.relay import PATIENCE_SECONDS

PLAYERS = frozenset({ALICE.pubkey, BOB.pubkey})
NO_PLAYERS: frozenset[str] = frozenset()
OTHER_GAME = "cd" * 16
BURST = int(GAME_RATE.burst)


@pytest.fixture
def harness() -> IngestHarness:
    """Strangers have said all they may in the game, and its players are not known yet."""
    harness = IngestHarness(USUAL)
    for event in flood(words=1, keys=BURST):
        assert harness.offer(event) is None
    return harness


@pytest.fixture
def informed_gate(harness: IngestHarness) -> IngestHarness:
    """As ``harness``, and the players are known."""
    harness.offer(a_move("c2c4"))
    harness.ingester.learn({GAME: PLAYERS})
    return harness


def passed(harness: IngestHarness) -> list[str]:
    return [entry.dedup_id for entry in harness.moves.entries]


def test_a_move_amid_a_flood_waits_for_one_look_up_and_keeps_its_place(
    harness: IngestHarness,
) -> None:
    moves = [a_move(uci) for uci in ("e2e4", "d2d4", "g1f3")]
    for event in (*flood(), moves[0], *flood(words=1), moves[1]):
        harness.offer(event)
    assert len(passed(harness)) == BURST
    assert harness.offer(moves[0]) is Drop.REPEATED
    harness.now = 10 / GAME_RATE.per_second
    assert harness.offer(moves[2]) is None
    assert harness.counters.counts() == {"passed-on": BURST, Drop.REPEATED: 1}

    harness.ingester.learn({GAME: PLAYERS})

    of_players = [move.id for move in moves]
    assert [id_ for id_ in passed(harness) if id_ in of_players] == of_players
    assert harness.asked == [GAME]
    assert harness.offer(moves[0]) is Drop.REPEATED
    counts = harness.counters.counts()
    assert counts["passed-on"] == len(passed(harness))
    assert counts["passed-on"] + counts[Drop.TOO_MANY_STRANGERS] == BURST + 440 + 3


def test_once_the_players_are_known_their_events_pass_at_once(informed_gate: IngestHarness) -> None:
    harness = informed_gate
    before = passed(harness)
    for event in flood(words=2):
        assert harness.offer(event) is Drop.TOO_MANY_STRANGERS
        # Were it verified, it would be called forged.
        assert harness.offer(unsigned(event)) is Drop.TOO_MANY_STRANGERS
    move = a_move("e2e4")
    assert harness.offer(move) is None
    assert passed(harness) == [*before, move.id]
    assert harness.asked == [GAME]
    harness.now = 3 / GAME_RATE.per_second
    assert [harness.offer(event) for event in flood(words=1)].count(None) == 3


def test_each_player_has_a_share_of_their_own(informed_gate: IngestHarness) -> None:
    for key in (ALICE, BOB):
        drops = [informed_gate.offer(a_move(f"word {at}", by=key)) for at in range(54)]
        assert set(drops) == {None}
    assert GROUP_RATE.burst > 55


def test_chat_of_strangers_is_counted_with_their_other_events(informed_gate: IngestHarness) -> None:
    tags = (("p", SERVER.pubkey), ("d", GAME))
    drops = {informed_gate.offer(an_event(key, 20306, "hello", tags)) for key in strangers(40)}
    assert drops == {Drop.TOO_MANY_STRANGERS}
    assert informed_gate.offer(an_event(BOB, 20305, "sealed", tags)) is None


def test_forged_events_use_up_nothing_that_strangers_have() -> None:
    harness = IngestHarness(USUAL)
    for event in flood(words=1):
        assert harness.offer(unsigned(event)) is Drop.FORGED
    assert harness.offer(flood(words=1)[0]) is None
    assert (len(passed(harness)), harness.asked) == (1, [])


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
    assert passed(harness)[BURST : BURST + len(events)] == [event.id for event in events]
    assert {event.id for event in late} <= {*passed(harness)}
    assert harness.asked == [GAME]

    harness.now = DOUBT_SECONDS
    for event in flood(words=1):
        harness.offer(event)
    assert harness.asked == [GAME, GAME]


def test_one_game_that_could_not_be_read_passes_beside_one_that_could() -> None:
    harness = IngestHarness(USUAL)
    for event in (*flood(words=1), *flood(OTHER_GAME, words=1)):
        harness.offer(event)
    move, before = a_move("e2e4", game=OTHER_GAME), len(passed(harness))
    harness.offer(move)
    harness.ingester.learn({GAME: PLAYERS, OTHER_GAME: None})
    assert passed(harness)[before:].count(move.id) == 1
    assert harness.counters.counts()[Drop.TOO_MANY_STRANGERS] == 40 - BURST


def test_that_a_game_does_not_exist_is_believed_for_a_while(harness: IngestHarness) -> None:
    harness.offer(a_move("e2e4"))
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
    harness = IngestHarness(USUAL)
    games = [uuid4().hex for _ in range(200)]
    for game, key in zip(games, strangers(200), strict=True):
        harness.offer(a_move("e2e4", by=key, game=game))
    move = a_move("e2e4")
    harness.offer(move)
    assert harness.asked == [*games[int(ALL_RATE.burst) :], GAME]

    harness.ingester.learn(dict.fromkeys(games, NO_PLAYERS) | {GAME: PLAYERS})
    assert passed(harness)[int(ALL_RATE.burst) :] == [move.id]


@pytest.mark.parametrize("named", [(), (("d", "x" * 500),), (("d",),), (("d", "AB" * 16),)])
def test_events_that_name_no_game_share_it_too_and_nothing_is_asked(
    named: tuple[tuple[str, ...], ...],
) -> None:
    harness = IngestHarness(USUAL)
    tags = (("p", SERVER.pubkey), *named)
    drops = [harness.offer(an_event(key, 20303, "e2e4", tags)) for key in strangers(60)]
    assert drops.count(None) == ALL_RATE.burst
    assert harness.asked == []


def test_an_ingester_that_closes_passes_on_what_it_holds_and_asks_no_more(
    harness: IngestHarness,
) -> None:
    harness.offer(move := a_move("e2e4"))
    harness.ingester.close(1.0)
    assert passed(harness)[-1] == move.id
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
    assert passed(harness)[BURST:] == [event.id for event in events]
