"""The checker notices what does not add up: events, clocks, ratings."""

import json
from dataclasses import replace

import pytest

from arbiter.application.routing import Route, players_group, queue_entry
from arbiter.core import ratings as core_rating
from arbiter.core.commands import MakeOffer, OfferKind, Tick
from arbiter.core.decide import decide
from arbiter.core.game import Outcome, Termination
from arbiter.core.offers import end
from tests.builders import ALICE, BOB, EVE, an_event
from tests.simulation.checker.items import Rating
from tests.simulation.checker.laws import check
from tests.simulation.checker.ratings import rated
from tests.simulation.checker.verdict import Law
from tests.simulation.history import (
    Answered,
    Delivered,
    Fired,
    Heard,
    History,
    Queued,
    Wrote,
)
from tests.simulation.made_history import Story, text_of
from tests.simulation.spoiling import broken, places, put, rewritten, writes_of_game

MINUTE_MS = 60_000


@pytest.fixture
def good() -> History:
    return Story().plays("f2f3", "e7e5", "g2g4", "d8h4").history


def _flagged(story: Story, after_ms: int, *, is_in_line: bool = True) -> None:
    """A nudge comes so long after the last move, in the line of the side to move or in the other,
    and the flag falls, right or wrong.
    """
    story.now_ms += after_ms
    due_ms = max(story.now_ms, story.game.changed_at_ms + 10 * MINUTE_MS)
    game = story.game
    mover = game.seat(game.turn if is_in_line else not game.turn).player
    body = json.dumps({"nudge": {"game_id": game.id, "ply": game.ply, "player": mover}})
    group = players_group(game.id, mover)
    asked = Queued(
        at_ms=story.now_ms,
        by="clock",
        queue="moves",
        group=group,
        dedup_id="nudge",
        body=body,
        status="taken",
    )
    came = Delivered(
        at_ms=story.now_ms,
        worker="worker",
        batch=99,
        queue="moves",
        group=group,
        record="nudge",
        body=body,
        count=1,
    )
    story.happenings += [asked, came]
    over = decide(story.game, Tick(), due_ms).game
    over = replace(over, changed_at_ms=story.now_ms, ended_at_ms=story.now_ms)
    story.commits(replace(over, item_version=story.game.item_version + 1))
    told = Answered(at_ms=story.now_ms, worker="worker", batch=99, record="nudge", status="timeout")
    story.happenings.append(told)


def test_a_flag_that_fell_in_time_is_no_violation() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    _flagged(story, 10 * MINUTE_MS)
    assert check(story.history) == ()


def test_a_flag_that_fell_too_soon_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    _flagged(story, 2 * MINUTE_MS)
    assert Law.CLOCKS in broken(story.history)


def test_a_flag_that_fell_before_a_move_in_time_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    key = ALICE if story.game.seat(story.game.turn).player == ALICE.pubkey else BOB
    event = story.word(key, "b8c6")
    story.arrives(event, stamped_ms=story.now_ms + 1000)
    _flagged(story, 10 * MINUTE_MS)
    story.answers("game-over", event.id)
    assert Law.CLOCKS in broken(story.history)


def test_a_flag_that_fell_before_a_move_had_come_is_no_violation() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    key = ALICE if story.game.seat(story.game.turn).player == ALICE.pubkey else BOB
    begun = len(story.happenings)
    for word in ("b8c6", "state"):
        story.arrives(story.word(key, word), stamped_ms=story.now_ms + 1000)
    later = [
        replace(one, batch=99) if isinstance(one, Delivered) else one
        for one in story.happenings[begun:]
    ]
    del story.happenings[begun:]
    _flagged(story, 10 * MINUTE_MS)
    at = writes_of_game(story.history)[-1]
    wrote = story.history.happenings[at]

    assert Law.CLOCKS not in broken(put(story.history, at, *later, wrote))


def test_a_flag_that_fell_in_the_opponents_line_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    _flagged(story, 10 * MINUTE_MS, is_in_line=False)
    assert broken(story.history) == {Law.CLOCKS}


@pytest.mark.parametrize("off_ms", [-1, 1, 5000])
def test_a_clock_that_runs_from_another_time_than_it_should_is_noticed(off_ms: int) -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    assert story.game.clocks is not None
    last = writes_of_game(story.history)[-1]
    since = {"N": str(story.game.clocks.since_ms + off_ms)}
    assert Law.CLOCKS in broken(rewritten(story.history, last, tn=since))


def test_a_clock_that_is_charged_too_much_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    last = writes_of_game(story.history)[-1]
    assert Law.CLOCKS in broken(rewritten(story.history, last, wc={"N": "150000"}))


def test_the_clock_of_the_one_who_did_not_move_stays() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    last = writes_of_game(story.history)[-1]
    assert Law.CLOCKS in broken(rewritten(story.history, last, bc={"N": "179999"}))


def test_a_clock_that_ran_out_and_was_never_looked_at_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    late = replace(story.history, ended_at_ms=story.now_ms + 30 * MINUTE_MS)
    assert broken(late) == {Law.CLOCKS}


def test_that_nobody_listens_any_more_at_the_end_excuses_no_clock() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    heard = {"pk": {"S": "heard"}, "at": {"N": str(story.now_ms)}}
    history = replace(story.history, table={**story.table, "heard": heard})
    late = replace(history, ended_at_ms=story.now_ms + 30 * MINUTE_MS)
    assert broken(late) == {Law.CLOCKS}


def test_a_takeback_takes_the_increments_of_what_it_undoes_and_gives_no_time_back() -> None:
    story = Story(is_rated=False).plays("e2e4", "e7e5", "g1f3")
    white_is_alice = story.game.white.player == ALICE.pubkey
    for key in (ALICE, BOB) if white_is_alice else (BOB, ALICE):
        event = story.word(key, "takeback")
        story.arrives(event)
        story.decides(event, MakeOffer(key.pubkey, OfferKind.TAKEBACK, story.now_ms))
    assert check(story.history) == ()
    last = writes_of_game(story.history)[-1]
    assert Law.CLOCKS in broken(rewritten(story.history, last, wc={"N": "180000"}))


def test_who_asks_for_a_takeback_on_their_own_turn_is_seen_to_have_spent_what_they_thought() -> (
    None
):
    story = Story(is_rated=False).plays("e2e4", "e7e5", "g1f3", "b8c6")
    white_is_alice = story.game.white.player == ALICE.pubkey
    left_ms = story.game.clocks.white_ms if story.game.clocks else 0
    for key in (ALICE, BOB) if white_is_alice else (BOB, ALICE):
        story.now_ms += 6000
        event = story.word(key, "takeback")
        story.arrives(event)
        story.decides(event, MakeOffer(key.pubkey, OfferKind.TAKEBACK, story.now_ms))
    assert check(story.history) == ()
    last = writes_of_game(story.history)[-1]
    given_back = {"N": str(left_ms - 2000)}
    assert Law.CLOCKS in broken(rewritten(story.history, last, wc=given_back))


def test_clocks_that_start_at_another_time_are_noticed(good: History) -> None:
    first = writes_of_game(good)[0]
    assert Law.CLOCKS in broken(rewritten(good, first, wc={"N": "60000"}))


@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
@pytest.mark.parametrize(("mine", "his"), [((1500, 350), (1500, 350)), ((2210, 45), (1380, 120))])
def test_two_ways_of_rating_a_game_agree(
    mine: tuple[float, float], his: tuple[float, float], score: float
) -> None:
    month_ms = 30 * 24 * 60 * MINUTE_MS
    ours = [core_rating.Rating(value=value, deviation=off) for value, off in (mine, his)]
    theirs = [Rating(value=v, deviation=off, volatility=0.06, at_ms=0) for v, off in (mine, his)]
    core, _ = core_rating.rate(ours[0], ours[1], score, month_ms)
    other = rated(theirs[0], theirs[1], score, month_ms)
    assert other.value == pytest.approx(core.value, abs=0.001)
    assert other.deviation == pytest.approx(core.deviation, abs=0.001)
    assert other.volatility == pytest.approx(core.volatility, abs=0.000_001)


def _rating_write(history: History) -> tuple[int, Wrote]:
    (at,) = places(history, Wrote, lambda one: any(key[:6] == "rated#" for key, _, _ in one.items))
    wrote = history.happenings[at]
    assert isinstance(wrote, Wrote)
    return at, wrote


def test_a_game_that_is_rated_twice_is_noticed(good: History) -> None:
    at, wrote = _rating_write(good)
    again = replace(wrote, items=tuple((key, after, after) for key, _, after in wrote.items))
    assert broken(put(good, at, wrote, again)) == {Law.RATINGS}


def test_a_rated_game_that_moves_no_rating_is_noticed(good: History) -> None:
    at, _ = _rating_write(good)
    assert Law.RATINGS in broken(put(good, at))


def test_a_rating_that_is_not_what_glicko_says_is_noticed(good: History) -> None:
    at, wrote = _rating_write(good)
    changed = tuple(
        (key, before, {**(after or {}), "rating": {"N": "1700.5"}} if key[:2] == "r#" else after)
        for key, before, after in wrote.items
    )
    assert Law.RATINGS in broken(put(good, at, replace(wrote, items=changed)))


def test_a_rating_of_one_player_alone_is_noticed(good: History) -> None:
    at, wrote = _rating_write(good)
    assert Law.RATINGS in broken(put(good, at, replace(wrote, items=wrote.items[:2])))


def _first(history: History, kind: type[Heard] | type[Queued] | type[Delivered]) -> int:
    return places(history, kind, lambda _: True)[-1]


def test_an_event_that_a_listener_kept_is_noticed(good: History) -> None:
    at = _first(good, Queued)
    assert Law.ACCOUNTED in broken(put(good, at))


def test_an_event_that_died_with_its_listener_is_accounted_for() -> None:
    story = Story(time=None, is_rated=False)
    event = story.word(ALICE, "resign")
    text, now_ms = text_of(event), story.now_ms
    story.happenings += [
        Heard(at_ms=now_ms, by="listener", way="relay 1", event=text, stamped_ms=now_ms),
        Fired(at_ms=now_ms, kind="crash", where="listener"),
    ]
    assert check(story.history) == ()


def test_a_record_that_was_never_delivered_is_noticed(good: History) -> None:
    assert Law.ACCOUNTED in broken(put(good, _first(good, Delivered)))


def test_a_record_that_was_never_answered_is_noticed(good: History) -> None:
    at = places(good, Answered, lambda _: True)[-1]
    assert broken(put(good, at)) == {Law.ACCOUNTED}


def test_a_record_that_fails_without_a_fault_is_noticed(good: History) -> None:
    at = places(good, Answered, lambda _: True)[-1]
    one = good.happenings[at]
    assert isinstance(one, Answered)
    failed = put(good, at, replace(one, batch=0, status="failed"), one)
    assert broken(failed) == {Law.ACCOUNTED}


def _heard(history: History, **changes: object) -> History:
    at = _first(history, Heard)
    one = history.happenings[at]
    assert isinstance(one, Heard)
    return put(history, at, replace(one, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "word", ["forged", "own", "not-for-us", "not-listened-kind", "too-many", "repeated", "tired"]
)
def test_a_drop_for_a_reason_that_is_not_true_is_noticed(good: History, word: str) -> None:
    assert broken(_heard(good, dropped=word)) == {Law.ACCOUNTED}


@pytest.mark.parametrize("is_player", [True, False])
def test_a_player_who_is_dropped_for_a_stranger_among_many_is_noticed(
    good: History, *, is_player: bool
) -> None:
    at = _first(good, Heard)
    one = good.happenings[at]
    assert isinstance(one, Heard)
    named = tuple(map(tuple, json.loads(one.event)["tags"]))
    words = [an_event(EVE, 20303, f"{number}", named) for number in range(11)]
    flood = [replace(one, event=text_of(word), dropped="not-asked-for") for word in words]
    last = replace(one if is_player else flood[-1], dropped="too-many-strangers")
    history = put(good, at, one, *flood, last)

    assert broken(history) == ({Law.ACCOUNTED} if is_player else set())


def test_a_forged_event_that_is_passed_on_is_noticed(good: History) -> None:
    at = _first(good, Heard)
    one = good.happenings[at]
    assert isinstance(one, Heard)
    assert Law.ACCOUNTED in broken(_heard(good, event=one.event.replace("d8h4", "d8g5")))


def test_a_second_copy_that_is_dropped_as_repeated_is_accounted_for(good: History) -> None:
    at = _first(good, Heard)
    one = good.happenings[at]
    assert isinstance(one, Heard)
    assert check(put(good, at, one, replace(one, dropped="repeated"))) == ()


@pytest.mark.parametrize("status", ["expired", "not-for-us", "malformed-bad-sig", "our-own"])
def test_a_good_event_that_a_worker_drops_is_noticed(good: History, status: str) -> None:
    at = places(good, Answered, lambda _: True)[-1]
    one = good.happenings[at]
    assert isinstance(one, Answered)
    assert Law.ACCOUNTED in broken(put(good, at, replace(one, status=status)))


def test_an_expired_event_that_is_answered_is_noticed() -> None:
    story = Story(time=None, is_rated=False)
    old = str(story.now_ms // 1000 - 60)
    tags = (("d", story.game.id), ("p", story.history.servers[0]), ("expiration", old))
    event = story.signs(ALICE, 20303, "resign", tags)
    story.arrives(event)
    white_is_alice = story.game.white.player == ALICE.pubkey
    outcome = Outcome(Termination.RESIGNATION, winner=not white_is_alice)
    over = end(story.game, outcome, story.now_ms).game
    cause = bytes.fromhex(event.id)[:8]
    story.commits(replace(over, applied_ids=(cause,), item_version=story.game.item_version + 1))
    story.answers("resignation", event.id)
    assert broken(story.history) == {Law.ACCOUNTED}


def test_a_record_that_overtakes_a_failed_one_is_noticed(good: History) -> None:
    moves = places(good, Delivered, lambda one: one.queue == "moves")
    late = good.happenings[moves[-1]]
    assert isinstance(late, Delivered)
    moves = places(good, Delivered, lambda one: one.group == late.group)
    early = good.happenings[moves[0]]
    assert isinstance(early, Delivered)
    told = [
        Answered(at_ms=0, worker="worker", batch=one.batch, record=one.record, status=status)
        for one, status in ((late, "failed"), (replace(early, batch=late.batch), "played"))
    ]
    before = put(good, moves[0], early, late, replace(early, batch=late.batch), *told)
    assert Law.ORDERED in broken(before)


def test_a_record_that_is_answered_and_comes_again_is_noticed(good: History) -> None:
    at = places(good, Answered, lambda _: True)[-1]
    came = good.happenings[_first(good, Delivered)]
    assert isinstance(came, Delivered)
    assert broken(put(good, at, good.happenings[at], came)) == {Law.ORDERED}


def test_a_record_that_only_its_former_holder_answered_comes_again() -> None:
    story = Story(time=None, is_rated=False)
    event = story.word(ALICE, "draw")
    story.arrives(event)
    first = story.happenings[-1]
    assert isinstance(first, Delivered)
    second = replace(first, worker="another", batch=first.batch + 100, count=2)
    story.happenings.append(second)
    story.answers("duplicate", event.id)
    story.happenings.append(replace(second, batch=second.batch + 1, count=3))
    assert check(story.history) == ()


def test_what_a_player_says_that_waits_in_two_lines_is_noticed(good: History) -> None:
    at = _first(good, Queued)
    one = good.happenings[at]
    assert isinstance(one, Queued)
    assert broken(put(good, at, replace(one, group="another"))) == {Law.ORDERED}


@pytest.mark.parametrize("content", ["state", "e2e4"])
def test_a_stranger_who_waits_in_a_players_line_is_noticed(good: History, content: str) -> None:
    at = _first(good, Queued)
    one = places(good, Queued, lambda one: one.queue == "moves")[0]
    players = good.happenings[one]
    assert isinstance(players, Queued)
    named = json.loads(players.body)["event"]["tags"]
    event = an_event(EVE, 20303, content, tuple(map(tuple, named)))
    strangers = queue_entry(event, Route("moves", players.group), 1)
    entry = replace(players, body=strangers.body, dedup_id=strangers.dedup_id)
    assert Law.ORDERED in broken(put(good, at, good.happenings[at], entry))


def test_a_nudge_that_waits_in_another_line_than_its_player_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5", "g1f3")
    _flagged(story, 10 * MINUTE_MS)
    (at,) = places(story.history, Queued, lambda one: one.dedup_id == "nudge")
    nudge = story.history.happenings[at]
    assert isinstance(nudge, Queued)
    assert Law.ORDERED in broken(put(story.history, at, replace(nudge, group="another")))


def test_an_event_that_waits_twice_is_noticed(good: History) -> None:
    at = _first(good, Queued)
    one = good.happenings[at]
    assert isinstance(one, Queued)
    assert broken(put(good, at, one, replace(one, dedup_id="another"))) == {Law.ORDERED}


def test_an_event_that_is_stamped_with_another_time_is_noticed(good: History) -> None:
    at = _first(good, Heard)
    one = good.happenings[at]
    assert isinstance(one, Heard)
    assert broken(_heard(good, stamped_ms=one.stamped_ms - 5000)) == {Law.CLOCKS}


def test_an_event_of_somebody_elses_that_is_passed_on_is_noticed() -> None:
    story = Story(time=None, is_rated=False)
    event = story.signs(ALICE, 20303, "e2e4", (("d", story.game.id), ("p", BOB.pubkey)))
    story.arrives(event)
    story.answers("not-for-us", event.id)
    assert broken(story.history) == {Law.ACCOUNTED}
