"""Cases of the laws about what becomes of an event: heard, queued, delivered and answered."""

import json
from dataclasses import replace
from typing import Any

from arbiter.application.routing import Route, queue_entry
from arbiter.core.clocks import SETTLE_MS
from arbiter.core.commands import Resign
from arbiter.core.game import Outcome, Termination
from arbiter.core.offers import end
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from tests.builders import ALICE, BOB, EVE, an_event
from tests.simulation import history
from tests.simulation.history import History
from tests.simulation.law_cases import runs
from tests.simulation.law_cases.clocks import flagged
from tests.simulation.law_cases.runs import Cases, casual, live, mate, spoil
from tests.simulation.made_history import RELAY, Story, text_of

DROPS = ("forged", "own", "not-for-us", "not-listened-kind", "too-many", "repeated", "tired")
STATUSES = ("expired", "not-for-us", "malformed-bad-sig", "our-own")


def brought_by(who: str) -> History:
    story = Story().plays("e2e4", "e7e5")
    event = story.signs(ALICE, 5003, "resign", ())
    story.decides(event, Resign(ALICE.pubkey))
    sent = history.Sent(at_ms=story.now_ms, who=who, way="gateway", text=text_of(event))
    return runs.add(story.history, sent)


def heard(
    event: VerifiedEvent, at_ms: int, by: str = "listener", way: str = RELAY
) -> history.Heard:
    return history.Heard(at_ms=at_ms, by=by, way=way, event=text_of(event), stamped_ms=at_ms)


def questions(*seconds: float) -> History:
    story, told = Story(), list[history.Happening]()
    for number, at in enumerate(seconds):
        tags = (("d", story.game.id), runs.TO_SERVER, ("n", str(number)))
        event = story.signs(EVE, 20303, "state", tags)
        told.append(heard(event, story.now_ms + int(1000 * at)))
    return runs.add(story.history, *told)


def copies(who: str, count: int, word: str = "e2e4", later: int = 0) -> History:
    """``who`` brings copies of Alice's event, which is then refused as one too many; she brings so
    many ``later``.
    """
    story = Story()
    event, at_ms = story.word(ALICE, word), story.now_ms
    opened = [history.Opened(at_ms=at_ms, who=name, way=name) for name in ("alice", "stranger")]
    brought = [heard(event, at_ms, "gateway 1", way) for way in (*[who] * count, "alice")]
    frame = f'["OK","{event.id}",false,"rate-limited: slow down"]'
    told = history.Posted(at_ms=at_ms, who="gateway 1", way="alice", frame=frame, arrived=True)
    after = [replace(brought[-1], at_ms=at_ms + 1000) for _ in range(later)]
    return runs.add(story.history, *opened, *brought, told, *after)


def errors(count: int, readers: int) -> Story:
    story = Story()
    for number in range(count):
        event = story.waits(number).word(ALICE, f"h8a{number}")
        story.arrives(event)
        players = [("p", key.pubkey) for key in (ALICE, BOB)][:readers]
        about = (("e", event.id), ("d", story.game.id), *players)
        story.says(EventTemplate(20304, about, "illegal-move: not counted", 1))
    return story


def left_out(age_ms: int, by: str, *more: history.Happening) -> History:
    """A REQ, so long after the last move, is answered without it."""
    run = mate()
    last = history.of_kind(run.happenings, history.Signed)[-1]
    one = history.PassedOver(at_ms=last.at_ms + age_ms, by=by, way=RELAY, events=(last.event,))
    return runs.add(run, one, *more)


def flooded(*, is_player: bool, names_two: bool = False) -> History:
    """After ten words of a stranger one more event is dropped as one of many strangers'."""
    run = mate()
    one = history.of_kind(run.happenings, history.Heard)[-1]
    named = tuple(map(tuple, json.loads(one.event)["tags"]))
    words = [an_event(EVE, 20303, f"{number}", named) for number in range(11)]
    flood = [replace(one, event=text_of(word), dropped="not-asked-for") for word in words]
    last = replace(one if is_player else flood[-1], dropped="too-many-strangers")
    if names_two:
        last = replace(last, event=last.event.replace('["d",', '["d","x"],["d",', 1))
    return spoil(history.Heard, run=run, instead=lambda it: (it, *flood, last))


def overtaken() -> History:
    run = mate()
    latest = history.of_kind(run.happenings, history.Delivered)[-1]
    first = runs.places(run, history.Delivered, lambda one: one.group == latest.group)[0]
    early: Any = run.happenings[first]
    again = replace(early, batch=latest.batch)
    told = [
        history.Answered(at_ms=0, worker="worker", batch=latest.batch, record=record, status=status)
        for record, status in ((latest.record, "failed"), (early.record, "played"))
    ]
    return runs.put(run, first, early, latest, again, *told)


def delivered_once_more() -> History:
    run = mate()
    last = history.of_kind(run.happenings, history.Delivered)[-1]
    return spoil(history.Answered, run=run, instead=lambda one: (one, last))


def strangers_word_in_a_players_line() -> History:
    run = mate()
    players = history.of_kind(run.happenings, history.Queued)[-1]
    named = tuple(map(tuple, json.loads(players.body)["event"]["tags"]))
    event = an_event(EVE, 20303, "e2e4", named)
    entry = queue_entry(event, Route("moves", players.group), 1)
    more = replace(players, body=entry.body, dedup_id=entry.dedup_id)
    return spoil(history.Queued, run=run, instead=lambda it: (it, more))


def ok_of_nothing() -> History:
    story = Story()
    event = story.signs(EVE, 20300, "", (runs.TO_SERVER,))
    frame = f'["OK","{event.id}",true,""]'
    return runs.add(
        story.history, history.Posted(at_ms=0, who="gateway 1", way="s", frame=frame, arrived=True)
    )


def expired_word() -> Story:
    story = casual()
    tags = (("d", story.game.id), runs.TO_SERVER, ("expiration", "1"))
    event = story.signs(ALICE, 20303, "resign", tags)
    how = Outcome(Termination.RESIGNATION, story.game.color_of(BOB.pubkey))
    return story.happens(event, end(story.game, how, story.now_ms).game, "resignation")


BREAKS: Cases = {
    "others_bring_nothing_that_counts": [lambda: brought_by("stranger")],
    "questions_are_few": [lambda: questions(*[0] * 22)],
    "a_share_is_ones_own": [
        lambda: copies("stranger", 30),
        lambda: copies("alice", 3),
        lambda: copies("stranger", 30, later=30),
    ],
    "errors_are_their_authors": [lambda: errors(21, 1), lambda: errors(1, 2)],
    "what_was_brought_was_looked_at": [
        lambda: spoil(history.Heard, 0),
        lambda: spoil(history.Heard, 3),
    ],
    "what_a_relay_has_is_asked_for": [
        lambda: left_out(0, "listener 2"),
        lambda: left_out(150000, "listener 2"),
    ],
    "drops_are_true": [
        *(lambda word=word: spoil(history.Heard, dropped=word) for word in DROPS),
        lambda: flooded(is_player=True),
        lambda: spoil(
            history.Heard,
            instead=lambda one: replace(one, event=one.event.replace("d8h4", "d8g5")),
        ),
    ],
    "what_was_passed_on_was_queued": [lambda: spoil(history.Queued)],
    "what_was_queued_was_answered": [
        lambda: spoil(history.Delivered),
        lambda: spoil(history.Answered),
    ],
    "answers_are_true": [
        *(lambda word=word: spoil(history.Answered, status=word) for word in STATUSES),
        expired_word,
    ],
    "failures_have_a_cause": [
        lambda: spoil(
            history.Answered,
            instead=lambda one: (replace(one, batch=0, status="failed"), one),
        )
    ],
    "a_player_has_a_line_of_their_own": [
        lambda: spoil(history.Queued, group="another"),
        strangers_word_in_a_players_line,
        lambda: spoil(history.Queued, run=flagged(live(), SETTLE_MS).history, group="another"),
    ],
    "nothing_overtakes_a_failure": [overtaken],
    "what_is_answered_is_done_with": [delivered_once_more],
    "an_event_waits_once": [
        lambda: spoil(history.Queued, instead=lambda one: (one, replace(one, dedup_id="another")))
    ],
    "stamps_are_true": [
        lambda: spoil(
            history.Heard, instead=lambda one: replace(one, stamped_ms=one.stamped_ms - 5000)
        ),
        lambda: spoil(
            history.Heard, instead=lambda one: replace(one, by="gateway 1", at_ms=one.at_ms - 1)
        ),
    ],
    "ok_means_queued": [ok_of_nothing],
}
