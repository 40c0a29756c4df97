"""An event that somebody holds back does not mean in a later position what it did not mean when it
was signed.
"""

import pytest

from arbiter.core.game import Termination
from arbiter.core.rules import STALE_AFTER_MS, STATE_KNOWN_MS
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, SERVER, an_event

BLITZ = ("time", "180+2")
WORDS = ("draw", "draw-decline", "claim", "takeback", "takeback-decline", "quit", "resign", "flag")
OPENING = ("e2e4", "e7e5", "g1f3", "b8c6")


def a_table(*moves: str) -> tuple[World, Table]:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *moves)
    return world, table


def play(table: Table, *moves: str, seconds: int = 5) -> None:
    for uci in moves:
        table.world.clock.ms += seconds * 1000
        table.say(uci)


def signed_ago(table: Table, text: str, seconds: int) -> VerifiedEvent:
    """White's word, naming no state, signed so long ago."""
    tags = (("d", table.game_id), ("p", SERVER.pubkey), *table.state.tags[1:3])
    return an_event(table.white, 20303, text, tags, table.world.clock.ms // 1000 - seconds)


@pytest.mark.parametrize("word", [*WORDS, "abort"])
def test_a_word_that_names_another_position_is_stale_and_the_present_one_is_shown(
    word: str,
) -> None:
    world, table = a_table(OPENING[0])
    held = table.move_event(word, key=table.white)
    play(table, *OPENING[1:])
    before = world.game(table.game_id)

    shown, error = world.hear(held)

    assert error.content.startswith("stale: ")
    assert shown.tags == table.state.tags
    assert world.game(table.game_id) == before


def test_a_draw_is_not_agreed_to_with_an_offer_of_an_earlier_position() -> None:
    world, table = a_table(*OPENING)
    held = table.move_event("draw", key=table.white)
    play(table, "f1b5", "a7a6")
    table.say("draw", key=table.black)

    assert world.hear(held)[-1].content.startswith("stale: ")
    assert world.game(table.game_id).outcome is None


@pytest.mark.parametrize("names_state", [True, False])
def test_a_quit_that_was_to_call_a_game_off_resigns_none(*, names_state: bool) -> None:
    world, table = a_table(OPENING[0])
    held = table.move_event("quit", key=table.white, name_state=names_state)
    play(table, *OPENING[1:], seconds=30)

    assert world.hear(held)[-1].content.startswith("stale: ")
    assert world.game(table.game_id).outcome is None


@pytest.mark.parametrize("word", ["quit", "resign", "abort"])
def test_what_ends_a_game_is_stale_if_it_was_signed_long_before_the_position(word: str) -> None:
    world, table = a_table(*OPENING)
    late = signed_ago(table, word, STALE_AFTER_MS // 1000 + 6)

    assert world.hear(late)[-1].content.startswith("stale: ")
    assert world.game(table.game_id).outcome is None


@pytest.mark.parametrize("word", ["quit", "resign"])
def test_a_resignation_that_crosses_the_opponents_move_counts_if_it_names_no_state(
    word: str,
) -> None:
    world, table = a_table(*OPENING[:3])
    crossing = table.move_event(word, key=table.white, name_state=False)
    play(table, OPENING[3])

    world.hear(crossing)

    outcome = world.game(table.game_id).outcome
    assert outcome is not None
    assert outcome.termination is Termination.RESIGNATION
    assert outcome.winner is False


@pytest.mark.parametrize("word", ["quit", "resign", "draw", "takeback"])
def test_whose_clock_is_slow_is_understood_if_they_name_the_state(word: str) -> None:
    world, table = a_table(*OPENING)
    named = (("e", table.state.id),)
    slow = signed_ago(table, word, 3600)
    event = an_event(table.white, 20303, word, (*slow.tags, *named), slow.created_at)

    assert world.hear(event)[0].kind == 20302
    assert world.statuses()[-1] not in {"stale", "bad-time"}


@pytest.mark.parametrize(
    ("fast_seconds", "names_state", "status"),
    [(0, False, "stale"), (600, True, "stale"), (600, False, "played")],
)
def test_of_a_player_whose_clock_is_fast_only_what_names_a_state_cannot_be_held_back(
    fast_seconds: int, *, names_state: bool, status: str
) -> None:
    """Held back for as long as the clock is fast, a word is dated like a fresh one."""
    world, table = a_table(*OPENING[:2])
    world.clock.ms += fast_seconds * 1000
    held = table.move_event("draw", key=table.white, name_state=names_state)
    world.clock.ms -= fast_seconds * 1000
    play(table, *OPENING[2:], seconds=60)

    world.hear(held)

    assert world.statuses()[-1] == status


@pytest.mark.parametrize("answer", ["draw", "draw-decline"])
def test_an_answer_to_an_offer_may_name_the_position_as_it_was_before_the_offer(
    answer: str,
) -> None:
    world, table = a_table(*OPENING)
    before = table.state
    world.clock.ms += 5000
    table.say("draw", key=table.black)
    table.state = before

    said = table.say(answer, key=table.white)

    assert said[0].kind == 20302
    assert (world.game(table.game_id).outcome is not None) == (answer == "draw")


def test_time_is_up_whatever_state_the_flag_names() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, *OPENING[:2])
    flag = table.move_event("flag", key=table.black)
    play(table, OPENING[2])
    world.clock.ms += 10 * 60_000

    world.hear(flag)

    outcome = world.game(table.game_id).outcome
    assert outcome is not None
    assert outcome.termination is Termination.TIMEOUT


def test_a_rematch_that_was_wanted_before_the_end_is_not_wanted_after_it() -> None:
    world, table = a_table(*OPENING)
    held = table.move_event("rematch", key=table.white)
    world.clock.ms += 5000
    table.say("resign", key=table.black)

    assert world.hear(held)[-1].content.startswith("stale: ")
    assert world.game(table.game_id).offer is None


@pytest.mark.parametrize("word", ["resign", "draw", "d2d4"])
def test_what_was_stale_stays_so_when_the_state_it_names_is_known_no_more(word: str) -> None:
    """An hour later no date tells an earlier position's state from one of this position's."""
    world, table = a_table(*OPENING[:2])
    crossing = table.move_event(word, key=table.white)
    play(table, *OPENING[2:])
    assert world.hear(crossing)[-1].content.startswith("stale: ")
    world.clock.ms += STATE_KNOWN_MS + 120_000

    assert world.hear(crossing)[-1].content.startswith("stale: ")
    assert world.game(table.game_id).ply == len(OPENING)
    assert world.game(table.game_id).outcome is None


ASKS = ("w", "takeback", 0, "e")
CROSSINGS = {
    "a move that was under way is played": (1, [ASKS, ("b", "e7e5", 0, "e")], "played", 2, None),
    "an agreement that was under way when the asker moved is stale": (
        2,
        [ASKS, ("w", "g1f3", 0, "e"), ("b", "takeback", 1, "e")],
        "stale",
        3,
        None,
    ),
    "and is a wish of its author's own where it names no state": (
        2,
        [ASKS, ("w", "g1f3", 0, "e"), ("b", "takeback", 1, "")],
        "played",
        3,
        ("takeback", "b"),
    ),
    "a wish that was under way agrees to none of the opponent's": (
        2,
        [ASKS, ("b", "takeback", 0, "e")],
        "not-offered-here",
        2,
        ("takeback", "w"),
    ),
    "nor where it names no state": (
        2,
        [ASKS, ("b", "takeback", 0, "")],
        "not-offered-here",
        2,
        ("takeback", "w"),
    ),
    "who has seen the offer agrees without a state": (
        2,
        [ASKS, ("b", "takeback", 1, "")],
        "played",
        0,
        None,
    ),
    "a draw that both offer at once is a draw": (
        2,
        [("w", "draw", 0, "e"), ("b", "draw", 0, "e")],
        "agreement",
        2,
        None,
    ),
    "a takeback is no answer to a draw": (
        2,
        [("w", "draw", 0, "e"), ("b", "takeback", 0, "e")],
        "not-offered-here",
        2,
        ("draw", "w"),
    ),
    "a move of the asker's is stale once it was agreed to": (
        2,
        [ASKS, ("b", "takeback", 1, "e"), ("w", "g1f3", 1, "e")],
        "stale",
        0,
        None,
    ),
    "a reply to the move that is gone is stale": (
        1,
        [ASKS, ("b", "takeback", 1, "e"), ("b", "e7e5", 1, "e")],
        "stale",
        0,
        None,
    ),
    "and out of turn where it names no state": (
        1,
        [ASKS, ("b", "takeback", 1, "e"), ("b", "e7e5", 1, "")],
        "not-your-turn",
        0,
        None,
    ),
    "who agrees twice takes no more back": (
        4,
        [ASKS, ("b", "takeback", 1, "e"), ("b", "takeback", 0, "e")],
        "stale",
        2,
        None,
    ),
    "who declines when the asker has moved declines nothing": (
        2,
        [ASKS, ("w", "g1f3", 0, "e"), ("b", "takeback-decline", 1, "e")],
        "stale",
        3,
        None,
    ),
}
"""How many plies were played, and the words in the order in which they arrive: whose, how many of
the words before it its author had seen when they signed it, and whether it names the state that
they saw. Then the status of the last one, the plies and the offer.
"""


@pytest.mark.parametrize(
    ("played", "words", "status", "plies", "standing"), CROSSINGS.values(), ids=CROSSINGS
)
def test_a_takeback_and_what_crosses_it(
    played: int,
    words: list[tuple[str, str, int, str]],
    status: str,
    plies: int,
    standing: tuple[str, str] | None,
) -> None:
    world, table = a_table(*OPENING[:played])
    seen = [(table.state, world.clock.ms)]
    for side, word, last_seen, names in words:
        now_ms = world.clock.ms + 2000
        table.state, world.clock.ms = seen[last_seen]
        key = table.white if side == "w" else table.black
        event = table.move_event(word, key=key, name_state=names == "e")
        world.clock.ms = now_ms
        said = world.hear(event)
        table.state = next((one for one in reversed(said) if one.kind == 20302), seen[-1][0])
        seen.append((table.state, now_ms))

    game = world.game(table.game_id)
    offer = game.offer and (game.offer.kind.value, "w" if game.offer.color else "b")
    assert (world.statuses()[-1], game.ply, offer) == (status, plies, standing)
    assert (game.white_strikes, game.black_strikes) == (0, 0)
