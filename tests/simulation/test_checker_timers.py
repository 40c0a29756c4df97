"""The checker notices a clock without a timer, and a flag that was called too soon."""

import json
from dataclasses import replace

import chess
import pytest

from arbiter.application.queue_messages import Timer
from arbiter.application.routing import timer_entry
from arbiter.core.clocks import SETTLE_MS
from arbiter.core.decide import timeout
from arbiter.core.game import BLACK, WHITE
from arbiter.core.offers import end
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB
from tests.simulation.checker.verdict import Law
from tests.simulation.history import Delivered, Queued, Removed, Scheduled, of_kind
from tests.simulation.made_history import Story
from tests.simulation.spoiling import broken


@pytest.fixture
def story() -> Story:
    return Story().plays("e2e4", "e7e5", "g1f3")


def test_a_game_whose_only_timer_was_never_set_is_noticed(story: Story) -> None:
    kept = tuple(one for one in story.happenings if not isinstance(one, Scheduled))
    assert broken(replace(story.history, happenings=kept)) == {Law.CLOCKS}


@pytest.mark.parametrize("late_ms", [None, 1, 0])
def test_a_timer_that_is_used_up_is_replaced_by_one_that_comes_when_it_is_needed(
    story: Story, late_ms: int | None
) -> None:
    """It found the clock running: then the next is set, and comes no later than a flag may fall."""
    assert story.game.timer_at_ms is not None
    story.now_ms = story.game.timer_at_ms
    _nudge(story)
    if late_ms is not None:
        at_ms = (story.game.deadline_ms() or 0) + SETTLE_MS + late_ms
        story.sets_timer(replace(story.game, timer_at_ms=at_ms))
    story.answers("tick-late", "")
    assert broken(story.history) == (set() if late_ms == 0 else {Law.CLOCKS})


@pytest.mark.parametrize("goes_on", ["among the moves", "in the clock queue", "nowhere"])
def test_a_timer_that_leaves_the_clock_queue_goes_on_somewhere(story: Story, goes_on: str) -> None:
    body = of_kind(story.happenings, Scheduled)[-1].body
    story.now_ms = json.loads(body)["nudge"]["at_ms"]
    if goes_on == "among the moves":
        _nudge(story, ply=json.loads(body)["nudge"]["ply"])
    elif goes_on == "in the clock queue":
        story.sets_timer(story.game)
    story.happenings.append(Removed(at_ms=story.now_ms, record="a timer", body=body))
    assert (Law.CLOCKS in broken(story.history)) is (goes_on == "nowhere")


@pytest.mark.parametrize("plies", [3, 4])
@pytest.mark.parametrize("late_ms", [1, SETTLE_MS - 1, SETTLE_MS])
@pytest.mark.parametrize("word", ["flag", "a move out of turn", "a timer"])
def test_a_flag_falls_by_a_timer_in_the_line_of_the_side_to_move_after_the_settling_time(
    plies: int, late_ms: int, word: str
) -> None:
    story = Story().plays(*("e2e4", "e7e5", "g1f3", "b8c6")[:plies])
    _flagged_by(story, late_ms, word)
    is_due = word == "a timer" and late_ms >= SETTLE_MS
    assert broken(story.history) == (set() if is_due else {Law.CLOCKS})


@pytest.mark.parametrize("late_ms", [0, 1])
def test_a_move_by_the_player_on_turn_is_late_a_millisecond_after_the_deadline(
    story: Story, late_ms: int
) -> None:
    deadline_ms = story.game.deadline_ms()
    assert deadline_ms is not None
    story.now_ms = deadline_ms + late_ms
    key = _key_of(story, story.game.turn)
    event = story.word(key, "b8c6")
    story.arrives(event)
    _time_out(story, event.id, story.game.turn, is_refused=True)
    story.answers("game-over", event.id)
    assert (Law.CLOCKS in broken(story.history)) is (late_ms == 0)


@pytest.mark.parametrize("state", ["present", "former", "unknown"])
def test_only_a_move_that_answers_the_present_position_holds_a_flag_up(state: str) -> None:
    story = Story().plays("e2e4", "e7e5")
    former = story.shown
    story.plays("g1f3")
    named = {"present": story.shown, "former": former, "unknown": "f" * 64}[state]
    key = _key_of(story, story.game.turn)
    tags = (("d", story.game.id), ("p", story.history.servers[0]), ("e", named))
    event = story.signs(key, 20303, "b8c6", tags)
    story.arrives(event, stamped_ms=story.now_ms + 1000)
    _flagged_by(story, SETTLE_MS, "a timer")
    story.answers("game-over", event.id)
    assert (Law.CLOCKS in broken(story.history)) is (state == "present")


def _key_of(story: Story, color: chess.Color) -> SecretKey:
    return ALICE if story.game.seat(color).player == ALICE.pubkey else BOB


def _nudge(story: Story, ply: int | None = None, player: str | None = None) -> None:
    nudge = Timer(story.game.id, story.game.ply if ply is None else ply, story.now_ms, player)
    entry = timer_entry(nudge, story.now_ms)
    story.batch += 1
    queued = Queued(
        at_ms=story.now_ms,
        by="clock",
        queue=entry.queue,
        group=entry.group_id,
        dedup_id=entry.dedup_id,
        body=entry.body,
        status="taken",
    )
    came = Delivered(
        at_ms=story.now_ms,
        worker="worker",
        batch=story.batch,
        queue=entry.queue,
        group=entry.group_id,
        record=f"record {story.batch}",
        body=entry.body,
        count=1,
    )
    story.happenings += [queued, came]


def _flagged_by(story: Story, late_ms: int, word: str) -> None:
    story.now_ms = (story.game.deadline_ms() or 0) + late_ms
    if word == "a timer":
        _nudge(story, player=story.game.seat(story.game.turn).player)
        _time_out(story)
        story.answers("timeout", "")
        return
    content = "a1a8" if word == "a move out of turn" else word
    event = story.word(_key_of(story, not story.game.turn), content)
    story.arrives(event)
    _time_out(story, event.id, author=not story.game.turn, is_refused=content != word)
    story.answers("timeout", event.id)


def _time_out(
    story: Story, cause: str = "", author: chess.Color = WHITE, *, is_refused: bool = False
) -> None:
    over = end(story.game, timeout(story.game), story.now_ms).game
    causes = (bytes.fromhex(cause)[:8],) if cause else ()
    refused = causes if is_refused else ()
    story.commits(
        replace(
            over,
            applied_ids=(*over.applied_ids, *causes),
            white_refused_ids=(*over.white_refused_ids, *(refused if author == WHITE else ())),
            black_refused_ids=(*over.black_refused_ids, *(refused if author == BLACK else ())),
            item_version=story.game.item_version + 1,
        )
    )
