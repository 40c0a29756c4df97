"""Cases of the laws about clocks, flags and timers."""

import json
from dataclasses import replace

from arbiter.application.queue_messages import Timer
from arbiter.application.routing import timer_entry
from arbiter.core.clocks import SETTLE_MS
from arbiter.core.commands import MakeOffer, OfferKind, PlayMove
from arbiter.core.decide import decide, timeout
from arbiter.core.game import BLACK, WHITE
from arbiter.core.offers import end
from arbiter.nostr.event import VerifiedEvent
from tests.builders import NOW_MS
from tests.simulation import history
from tests.simulation.history import History
from tests.simulation.law_cases import runs
from tests.simulation.law_cases.runs import Cases, live
from tests.simulation.made_history import Story, caused


def a_timer(story: Story, *, player: str | None = None, ply: int | None = None) -> Story:
    """A timer comes now, among the moves of its game, or in the group of this player."""
    timer = Timer(story.game.id, story.game.ply if ply is None else ply, story.now_ms, player)
    story.delivers(timer_entry(timer, story.now_ms), "clock")
    return story


def flagged(story: Story, late_ms: int, by: str = "a timer") -> Story:
    """This comes so long after the deadline, and ends the game on time, right or wrong."""
    game = story.game
    story.now_ms = (game.deadline_ms() or 0) + late_ms
    over = end(game, timeout(game), story.now_ms).game
    if by in {"a timer", "the other's timer"}:
        a_timer(story, player=(story.mover if by == "a timer" else story.waiter).pubkey)
        story.commits(replace(over, item_version=game.item_version + 1))
        story.answers("timeout", "")
        return story
    author = story.mover if by == "a late move" else story.waiter
    content = {"a late move": "b8c6", "a move out of turn": "a1a8"}.get(by, by)
    event = story.word(author, content)
    ring = "white_refused_ids" if author == story.key_of(WHITE) else "black_refused_ids"
    more = {ring: (bytes.fromhex(event.id)[:8],)} if content != by else {}
    return story.happens(event, over, "timeout", **more)


def made(event: VerifiedEvent, at_ms: int) -> PlayMove:
    return PlayMove(player=event.pubkey, uci=event.content, made_at_ms=at_ms, received_at_ms=at_ms)


def waited(waits_ms: int, *, is_charged: bool, fault: str | None = None) -> Story:
    """The third move waits to be decided, and the opponent answers it five seconds after that."""
    story = Story().plays("e2e4", "e7e5")
    if fault is not None:
        story.happenings.append(history.Fired(at_ms=story.now_ms, kind=fault))
    event = story.waits(3000).word(story.mover, "g1f3")
    story.arrives(event)
    move = made(event, story.now_ms)
    told = decide(story.game, move, story.waits(waits_ms).now_ms, is_public=is_charged)
    story.commits(caused(told.game, event))
    return story.plays("b8c6", seconds=5)


def given_back(fast_ms: int) -> Story:
    """No relay is heard while Black thinks for 13.5 seconds, none of which is charged. The clock
    that stamps the move is so much ahead.
    """
    story = live()
    item = {"pk": {"S": "heard"}, "at": {"N": str(since_ms := story.now_ms)}}
    noted = history.Wrote(at_ms=since_ms, who="listener 1", items=(("heard", None, item),))
    story.happenings.append(noted)
    event = story.waits(13_500).word(story.mover, "b8c6")
    stamp_ms = story.now_ms + fast_ms
    story.arrives(event, stamp_ms)
    move, paused_ms = made(event, stamp_ms), stamp_ms - since_ms
    story.commits(caused(decide(story.game, move, story.now_ms, paused_ms=paused_ms).game, event))
    return story


def behind_own_words(count: int, *, are_answered: bool = False) -> Story:
    """In one batch are so many words of Black and a move, which waits for six seconds after the
    move of White that it answers; the words may have been answered before that.
    """
    story = Story().plays("e2e4", "e7e5")
    key = story.waiter
    for number in range(count):
        word = story.word(key, f"h8a{number}")
        story.arrives(word)
        if are_answered:
            story.answers("not-your-turn", word.id)
    event, at_ms = story.word(key, "b8c6"), story.now_ms
    story.arrives(event)
    story.plays("g1f3").waits(6000)
    told = decide(story.game, made(event, at_ms), story.now_ms, received_at_ms=at_ms)
    story.commits(caused(told.game, event))
    return story


def takebacks(thinks_ms: int, *moves: str) -> Story:
    """Both want the last move of White back."""
    story = Story(is_rated=False).plays(*moves)
    for key in (story.key_of(WHITE), story.key_of(BLACK)):
        event = story.waits(thinks_ms).word(key, "takeback")
        story.arrives(event)
        story.decides(event, MakeOffer(key.pubkey, OfferKind.TAKEBACK, story.now_ms))
    return story


def in_the_queue(story: Story, state: str | None = None) -> Story:
    """A move in time waits while the flag falls."""
    tags = (("d", story.game.id), runs.TO_SERVER, ("e", state or story.shown))
    event = story.signs(story.mover, 20303, "b8c6", tags)
    story.arrives(event, stamped_ms=story.now_ms + 1000)
    flagged(story, SETTLE_MS)
    story.answers("game-over", event.id)
    return story


def answers_state(which: str) -> Story:
    story = Story().plays("e2e4", "e7e5")
    former = story.shown
    story.plays("g1f3")
    return in_the_queue(
        story, {"present": story.shown, "former": former, "unknown": "f" * 64}[which]
    )


def timer_replaced(late_ms: int | None) -> Story:
    """A timer that found the clock running is used up; another is set, or none."""
    story = live()
    story.now_ms = story.game.timer_at_ms or 0
    a_timer(story)
    if late_ms is not None:
        at_ms = (story.game.deadline_ms() or 0) + SETTLE_MS + late_ms
        story.sets_timer(replace(story.game, timer_at_ms=at_ms))
    story.answers("tick-late", "")
    return story


def timer_leaves(goes_on: str) -> Story:
    """A timer leaves the clock queue."""
    story = live()
    body = history.of_kind(story.happenings, history.Scheduled)[-1].body
    nudge = json.loads(body)["nudge"]
    story.now_ms = nudge["at_ms"]
    if goes_on == "among the moves":
        a_timer(story, ply=nudge["ply"])
    elif goes_on == "in the clock queue":
        story.sets_timer(story.game)
    story.happenings.append(history.Removed(at_ms=story.now_ms, record="a timer", body=body))
    return story


def without_timers() -> History:
    run = live().history
    kept = tuple(it for it in run.happenings if not isinstance(it, history.Scheduled))
    return replace(run, happenings=kept)


def half_an_hour_later(*, is_heard: bool = False) -> History:
    """The clock has long run out; perhaps a relay was heard until the end."""
    run = live().history
    item = {"pk": {"S": "heard"}, "at": {"N": str(run.ended_at_ms)}}
    table = {**run.table, "heard": item} if is_heard else run.table
    return replace(run, table=table, ended_at_ms=NOW_MS + 30 * runs.MINUTE_MS)


def counted_since(later_ms: int) -> History:
    story = live()
    assert story.game.clocks is not None
    since_ms = story.game.clocks.since_ms + later_ms
    return runs.rewritten(-1, run=story.history, tn={"N": str(since_ms)})


def time_given_back() -> History:
    run = takebacks(0, "e2e4", "e7e5", "g1f3").history
    return runs.rewritten(-1, run=run, wc={"N": "180000"})


FOUR_MOVES = ("e2e4", "e7e5", "g1f3", "b8c6")

BREAKS: Cases = {
    "clocks_add_up": [
        lambda: counted_since(1),
        lambda: counted_since(-1),
        lambda: runs.rewritten(-1, run=live().history, wc={"N": "150000"}),
        lambda: runs.rewritten(-1, run=live().history, bc={"N": "179999"}),
        lambda: runs.rewritten(0, wc={"N": "60000"}),
        time_given_back,
        half_an_hour_later,
        lambda: half_an_hour_later(is_heard=True),
        lambda: flagged(live(), -8 * runs.MINUTE_MS),
        lambda: flagged(live(), SETTLE_MS, "the other's timer"),
        lambda: in_the_queue(live()),
        lambda: answers_state("present"),
        lambda: flagged(live(), 0, "a late move"),
        lambda: behind_own_words(5),
        lambda: behind_own_words(6, are_answered=True),
    ],
    "no_flag_falls_too_soon": [
        lambda: flagged(live(), SETTLE_MS - 1),
        lambda: flagged(live(*FOUR_MOVES), 1),
        lambda: flagged(live(), SETTLE_MS - 1, "flag"),
        lambda: flagged(live(), SETTLE_MS - 1, "a move out of turn"),
    ],
    "no_thinking_time_is_free": [
        lambda: waited(7000, is_charged=False),
        lambda: waited(15000, is_charged=True),
        lambda: waited(15000, is_charged=True, fault="cheat flood"),
        lambda: given_back(0),
    ],
    "running_clocks_have_timers": [
        without_timers,
        lambda: timer_replaced(None),
        lambda: timer_replaced(1),
        lambda: timer_leaves("nowhere"),
    ],
}
