"""That the words of those who do not play a game never wait before a player's, nor take their
place, whatever the table says of it.
"""

import threading
from uuid import uuid4

import pytest

from arbiter.adapters.relays import ingest, stranger_limiter
from arbiter.adapters.relays.ingest import LINE_RATE, Drop
from arbiter.adapters.relays.stranger_limiter import ALL_RATE, DOUBT_SECONDS, GAME_RATE
from arbiter.application.player_cache import ABSENT_SECONDS
from tests.adapters.relays.gate import USUAL, Gate, flood, strangers, unsigned
from tests.adapters.relays.watching import GAME, a_move
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.relay import PATIENCE_SECONDS

PLAYERS = frozenset({ALICE.pubkey, BOB.pubkey})
NOBODY: frozenset[str] = frozenset()


def a_flooded_gate() -> Gate:
    """Everything that strangers may say was said, and nobody asked yet who plays."""
    gate = Gate(USUAL)
    for event in flood(words=1, keys=int(GAME_RATE.burst)):
        assert gate.offer(event) is None
    return gate


def passed(gate: Gate) -> list[str]:
    return [entry.dedup_id for entry in gate.moves.entries]


def test_a_move_passes_at_once_however_many_strangers_name_its_game() -> None:
    gate, move = Gate(USUAL), a_move("e2e4")
    for event in flood():
        gate.offer(event)
    gate.intake.learn({GAME: PLAYERS})
    assert gate.asked == [GAME]
    assert len(passed(gate)) == GAME_RATE.burst

    for event in flood(words=2):
        assert gate.offer(event) is Drop.TOO_MANY_STRANGERS
    assert gate.offer(move) is None
    assert passed(gate)[int(GAME_RATE.burst) :] == [move.id]
    assert gate.asked == [GAME]


def test_a_move_that_came_amid_a_flood_waits_for_one_answer_and_keeps_its_place() -> None:
    gate = a_flooded_gate()
    first, second = a_move("e2e4"), a_move("d2d4")
    for event in (*flood(words=1), first, *flood(words=1), second):
        gate.offer(event)
    assert len(passed(gate)) == GAME_RATE.burst
    gate.now = 10 / GAME_RATE.per_second
    third = a_move("g1f3")
    assert gate.offer(third) is None

    gate.intake.learn({GAME: PLAYERS})
    told = passed(gate)
    assert [id_ for id_ in told if id_ in {first.id, second.id, third.id}] == [
        first.id,
        second.id,
        third.id,
    ]


def test_what_was_held_is_a_repetition_when_it_comes_again() -> None:
    gate, move = a_flooded_gate(), a_move("e2e4")
    assert gate.offer(move) is None
    assert gate.offer(move) is Drop.REPEATED
    gate.intake.learn({GAME: PLAYERS})
    assert gate.offer(move) is Drop.REPEATED
    assert passed(gate).count(move.id) == 1


def test_each_event_is_counted_under_its_fate_once() -> None:
    gate = a_flooded_gate()
    for event in (*flood(), a_move("e2e4")):
        gate.offer(event)
    assert gate.tally.counts() == {"passed-on": GAME_RATE.burst}
    gate.intake.learn({GAME: PLAYERS})
    assert gate.tally.counts() == {
        "passed-on": GAME_RATE.burst + 1,
        Drop.TOO_MANY_STRANGERS: 400,
    }


def test_both_players_have_no_share_but_their_own() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: PLAYERS})
    for key in (ALICE, BOB):
        words = [gate.offer(a_move("resign", by=key, ago=number)) for number in range(55)]
        assert set(words) == {None}
    assert LINE_RATE.burst > 55


def test_a_strangers_word_too_many_is_dropped_before_its_signature_is_paid_for() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: PLAYERS})
    for event in flood():
        # Were it verified, it would be called forged.
        assert gate.offer(unsigned(event)) is Drop.TOO_MANY_STRANGERS


def test_forged_words_use_up_nothing_that_strangers_have() -> None:
    gate = Gate(USUAL)
    for event in flood(words=1):
        assert gate.offer(unsigned(event)) is Drop.FORGED
    assert gate.offer(flood(words=1)[0]) is None
    assert (len(passed(gate)), gate.asked) == (1, [])


def test_strangers_are_heard_again_when_they_have_been_quiet() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: PLAYERS})
    gate.now = 3 / GAME_RATE.per_second
    late = [gate.offer(event) for event in flood(words=1)]
    assert late.count(None) == 3


def test_a_table_that_does_not_answer_loses_nothing() -> None:
    gate = a_flooded_gate()
    events = [*flood(words=1), a_move("e2e4")]
    for event in events:
        gate.offer(event)
    gate.intake.learn({GAME: None})
    assert passed(gate)[int(GAME_RATE.burst) :] == [event.id for event in events]


def test_a_table_that_does_not_answer_is_left_alone_for_a_while() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: None})
    for ago in range(5):
        gate.offer(a_move("d2d4", ago=ago, game="cd" * 16))
        gate.offer(a_move("d2d4", ago=ago))
    assert "d2d4" in gate.moves.entries[-1].body
    assert gate.asked == [GAME]

    gate.now = DOUBT_SECONDS
    for event in flood(words=1):
        gate.offer(event)
    assert gate.asked == [GAME, GAME]


def test_one_game_that_could_not_be_read_passes_beside_one_that_could() -> None:
    gate, other = Gate(USUAL), "cd" * 16
    for event in (*flood(words=1), *flood(other, words=1)):
        gate.offer(event)
    move, before = a_move("e2e4", game=other), len(passed(gate))
    gate.offer(move)
    gate.intake.learn({GAME: PLAYERS, other: None})
    assert passed(gate)[before:].count(move.id) == 1
    assert gate.tally.counts()[Drop.TOO_MANY_STRANGERS] == 40 - GAME_RATE.burst


def test_who_names_a_game_that_there_is_not_is_a_stranger() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: NOBODY})
    assert gate.offer(a_move("d2d4")) is Drop.TOO_MANY_STRANGERS
    assert gate.asked == [GAME]


def test_that_there_is_no_game_is_not_believed_for_long() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: NOBODY})
    gate.now = ABSENT_SECONDS
    events = flood(words=1)
    for event in events:
        gate.offer(event)
    assert gate.asked == [GAME, GAME]
    move = a_move("d2d4")
    assert gate.offer(move) is None
    gate.intake.learn({GAME: PLAYERS})
    assert move.id in passed(gate)


def test_words_for_games_that_there_are_not_share_what_all_strangers_have() -> None:
    gate = Gate(USUAL)
    games = [uuid4().hex for _ in range(200)]
    for game, key in zip(games, strangers(200), strict=True):
        gate.offer(a_move("e2e4", by=key, game=game))
    move = a_move("e2e4")
    gate.offer(move)
    assert gate.asked == [*games[int(ALL_RATE.burst) :], GAME]

    gate.intake.learn(dict.fromkeys(games, NOBODY) | {GAME: PLAYERS})
    assert passed(gate)[int(ALL_RATE.burst) :] == [move.id]


@pytest.mark.parametrize("named", [(), (("d", "x" * 500),), (("d",),), (("d", "AB" * 16),)])
def test_words_that_name_no_game_share_it_too_and_nothing_is_asked(
    named: tuple[tuple[str, ...], ...],
) -> None:
    gate = Gate(USUAL)
    tags = (("p", SERVER.pubkey), *named)
    fates = [gate.offer(an_event(key, 20303, "e2e4", tags)) for key in strangers(60)]
    assert fates.count(None) == ALL_RATE.burst
    assert gate.asked == []


def test_chat_of_strangers_is_a_part_of_it() -> None:
    gate = a_flooded_gate()
    gate.offer(a_move("e2e4"))
    gate.intake.learn({GAME: PLAYERS})
    tags = (("p", SERVER.pubkey), ("d", GAME))
    fates = {gate.offer(an_event(key, 20306, "hello", tags)) for key in strangers(40)}
    assert fates == {Drop.TOO_MANY_STRANGERS}
    assert gate.offer(an_event(BOB, 20305, "sealed", tags)) is None


def test_where_nobody_can_be_asked_everybody_may_be_a_player() -> None:
    gate = Gate(USUAL)
    gate.intake.close(1.0)
    for event in flood():
        assert gate.offer(event) is None
    assert gate.asked == []


def test_what_is_held_when_the_gate_closes_is_passed_on() -> None:
    gate, move = a_flooded_gate(), a_move("e2e4")
    gate.offer(move)
    gate.intake.close(1.0)
    assert passed(gate)[-1] == move.id


def test_too_much_to_hold_holds_up_the_relays_until_there_is_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stranger_limiter, "_MAX_HELD", 2)
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 10 * PATIENCE_SECONDS)
    gate = a_flooded_gate()
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
    for event in flood("cd" * 16, words=1, keys=int(GAME_RATE.burst) + 2):
        gate.offer(event)
    assert gate.asked == [GAME, "cd" * 16]


@pytest.mark.parametrize(("bound", "most"), [("_MAX_HELD", 2), ("_MAX_HELD_BYTES", 700)])
def test_too_much_to_hold_holds_up_the_relays_for_a_short_time_at_most(
    monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(stranger_limiter, bound, most)
    monkeypatch.setattr(ingest, "ANSWERED_SECONDS", 0.01)
    gate, move = a_flooded_gate(), a_move("e2e4")
    events = [*flood(words=1, keys=4), move]
    for event in events:
        assert gate.offer(event) is None
    assert passed(gate)[int(GAME_RATE.burst) :] == [event.id for event in events]
