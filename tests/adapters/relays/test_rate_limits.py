"""Events of strangers in a game neither delay a player's nor take their place."""

import threading
from uuid import uuid4

import pytest

from arbiter.adapters.relays import ingest, rate_limits
from arbiter.adapters.relays.ingest import GROUP_RATE, Drop
from arbiter.adapters.relays.rate_limits import ALL_RATE, DOUBT_SECONDS, GAME_RATE
from arbiter.application.player_cache import ABSENT_SECONDS
from tests.adapters.relays.gate import USUAL, Gate, flood, strangers, unsigned
from tests.adapters.relays.watching import GAME, a_move
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.relay import PATIENCE_SECONDS

PLAYERS = frozenset({ALICE.pubkey, BOB.pubkey})
NO_PLAYERS: frozenset[str] = frozenset()
OTHER_GAME = "cd" * 16
BURST = int(GAME_RATE.burst)


@pytest.fixture
def gate() -> Gate:
    """Strangers have said all they may in the game, and its players are not known yet."""
    gate = Gate(USUAL)
    for event in flood(words=1, keys=BURST):
        assert gate.offer(event) is None
    return gate


@pytest.fixture
def informed_gate(gate: Gate) -> Gate:
    """As ``gate``, and the players are known."""
    gate.offer(a_move("c2c4"))
    gate.intake.learn({GAME: PLAYERS})
    return gate


def passed(gate: Gate) -> list[str]:
    return [entry.dedup_id for entry in gate.moves.entries]


def test_a_move_amid_a_flood_waits_for_one_look_up_and_keeps_its_place(gate: Gate) -> None:
    moves = [a_move(uci) for uci in ("e2e4", "d2d4", "g1f3")]
    for event in (*flood(), moves[0], *flood(words=1), moves[1]):
        gate.offer(event)
    assert len(passed(gate)) == BURST
    assert gate.offer(moves[0]) is Drop.REPEATED
    gate.now = 10 / GAME_RATE.per_second
    assert gate.offer(moves[2]) is None
    assert gate.tally.counts() == {"passed-on": BURST, Drop.REPEATED: 1}

    gate.intake.learn({GAME: PLAYERS})

    of_players = [move.id for move in moves]
    assert [id_ for id_ in passed(gate) if id_ in of_players] == of_players
    assert gate.asked == [GAME]
    assert gate.offer(moves[0]) is Drop.REPEATED
    counts = gate.tally.counts()
    assert counts["passed-on"] == len(passed(gate))
    assert counts["passed-on"] + counts[Drop.TOO_MANY_STRANGERS] == BURST + 440 + 3


def test_once_the_players_are_known_their_events_pass_at_once(informed_gate: Gate) -> None:
    gate = informed_gate
    before = passed(gate)
    for event in flood(words=2):
        assert gate.offer(event) is Drop.TOO_MANY_STRANGERS
        # Were it verified, it would be called forged.
        assert gate.offer(unsigned(event)) is Drop.TOO_MANY_STRANGERS
    move = a_move("e2e4")
    assert gate.offer(move) is None
    assert passed(gate) == [*before, move.id]
    assert gate.asked == [GAME]
    gate.now = 3 / GAME_RATE.per_second
    assert [gate.offer(event) for event in flood(words=1)].count(None) == 3


def test_each_player_has_a_share_of_their_own(informed_gate: Gate) -> None:
    for key in (ALICE, BOB):
        drops = [informed_gate.offer(a_move(f"word {at}", by=key)) for at in range(54)]
        assert set(drops) == {None}
    assert GROUP_RATE.burst > 55


def test_chat_of_strangers_is_counted_with_their_other_events(informed_gate: Gate) -> None:
    tags = (("p", SERVER.pubkey), ("d", GAME))
    drops = {informed_gate.offer(an_event(key, 20306, "hello", tags)) for key in strangers(40)}
    assert drops == {Drop.TOO_MANY_STRANGERS}
    assert informed_gate.offer(an_event(BOB, 20305, "sealed", tags)) is None


def test_forged_events_use_up_nothing_that_strangers_have() -> None:
    gate = Gate(USUAL)
    for event in flood(words=1):
        assert gate.offer(unsigned(event)) is Drop.FORGED
    assert gate.offer(flood(words=1)[0]) is None
    assert (len(passed(gate)), gate.asked) == (1, [])


def test_a_table_that_does_not_answer_loses_nothing_and_is_not_asked_for_a_while(
    gate: Gate,
) -> None:
    events = [*flood(words=1), a_move("e2e4")]
    for event in events:
        gate.offer(event)
    gate.intake.learn({GAME: None})
    late = [a_move(f"word {at}") for at in range(5)]
    for event in (*late, a_move("d2d4", game=OTHER_GAME)):
        gate.offer(event)
    assert passed(gate)[BURST : BURST + len(events)] == [event.id for event in events]
    assert {event.id for event in late} <= {*passed(gate)}
    assert gate.asked == [GAME]

    gate.now = DOUBT_SECONDS
    for event in flood(words=1):
        gate.offer(event)
    assert gate.asked == [GAME, GAME]


def test_one_game_that_could_not_be_read_passes_beside_one_that_could() -> None:
    gate = Gate(USUAL)
    for event in (*flood(words=1), *flood(OTHER_GAME, words=1)):
        gate.offer(event)
    move, before = a_move("e2e4", game=OTHER_GAME), len(passed(gate))
    gate.offer(move)
    gate.intake.learn({GAME: PLAYERS, OTHER_GAME: None})
    assert passed(gate)[before:].count(move.id) == 1
    assert gate.tally.counts()[Drop.TOO_MANY_STRANGERS] == 40 - BURST


def test_that_a_game_does_not_exist_is_believed_for_a_while(gate: Gate) -> None:
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: NO_PLAYERS})
    assert gate.offer(a_move("d2d4")) is Drop.TOO_MANY_STRANGERS
    assert gate.asked == [GAME]

    gate.now = ABSENT_SECONDS
    for event in flood(words=1):
        gate.offer(event)
    assert gate.asked == [GAME, GAME]
    move = a_move("d2d4")
    assert gate.offer(move) is None
    gate.intake.learn({GAME: PLAYERS})
    assert move.id in passed(gate)


def test_events_for_games_that_do_not_exist_share_one_limit() -> None:
    gate = Gate(USUAL)
    games = [uuid4().hex for _ in range(200)]
    for game, key in zip(games, strangers(200), strict=True):
        gate.offer(a_move("e2e4", by=key, game=game))
    move = a_move("e2e4")
    gate.offer(move)
    assert gate.asked == [*games[int(ALL_RATE.burst) :], GAME]

    gate.intake.learn(dict.fromkeys(games, NO_PLAYERS) | {GAME: PLAYERS})
    assert passed(gate)[int(ALL_RATE.burst) :] == [move.id]


@pytest.mark.parametrize("named", [(), (("d", "x" * 500),), (("d",),), (("d", "AB" * 16),)])
def test_events_that_name_no_game_share_it_too_and_nothing_is_asked(
    named: tuple[tuple[str, ...], ...],
) -> None:
    gate = Gate(USUAL)
    tags = (("p", SERVER.pubkey), *named)
    drops = [gate.offer(an_event(key, 20303, "e2e4", tags)) for key in strangers(60)]
    assert drops.count(None) == ALL_RATE.burst
    assert gate.asked == []


def test_a_gate_that_closes_passes_on_what_it_holds_and_asks_no_more(gate: Gate) -> None:
    gate.offer(move := a_move("e2e4"))
    gate.intake.close(1.0)
    assert passed(gate)[-1] == move.id
    for event in flood():
        assert gate.offer(event) is None
    assert gate.asked == [GAME]


each_bound = pytest.mark.parametrize(
    ("bound", "most"), [("_MAX_HELD", 2), ("_MAX_HELD_BYTES", 700)]
)


@each_bound
def test_too_much_to_hold_holds_up_the_relays_until_there_is_an_answer(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(rate_limits, bound, most)
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 10 * PATIENCE_SECONDS)
    move = a_move("e2e4")
    first, second = flood(words=1, keys=2)
    gate.offer(first)
    gate.offer(second)
    waiting = threading.Thread(target=gate.offer, args=(move,), daemon=True)
    waiting.start()
    # What needs no answer passes meanwhile.
    assert gate.offer(first) is Drop.REPEATED
    assert move.id not in passed(gate)
    gate.intake.learn({GAME: PLAYERS})
    waiting.join(PATIENCE_SECONDS)
    assert passed(gate)[-1] == move.id

    # There is room again.
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 0.01)
    for event in flood(OTHER_GAME, words=1, keys=BURST + 2):
        gate.offer(event)
    assert gate.asked == [GAME, OTHER_GAME]


@each_bound
def test_too_much_to_hold_holds_up_the_relays_for_a_short_time_at_most(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(rate_limits, bound, most)
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 0.01)
    events = [*flood(words=1, keys=4), a_move("e2e4")]
    for event in events:
        assert gate.offer(event) is None
    assert passed(gate)[BURST:] == [event.id for event in events]
