"""Each law of the checker notices what breaks it, and nothing in a good run.

A run made by hand (made_history.py) is spoilt in one place. Rows name the rule that must notice it.
"""

import ast
import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.application.queue_messages import Timer
from arbiter.application.routing import Route, queue_entry, timer_entry
from arbiter.core import ratings as core_rating
from arbiter.core.clocks import SETTLE_MS
from arbiter.core.commands import (
    Claims,
    Ends,
    MakeOffer,
    OfferKind,
    PendingCommand,
    PlayMove,
    Resign,
)
from arbiter.core.decide import decide, timeout
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.offers import end
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_from_json, verify
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, an_event
from tests.simulation.checker.changes import what_is_held_was_said
from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import Rating
from tests.simulation.checker.laws import LAWS
from tests.simulation.checker.outages import RETURN_MS, SILENCE_MS, still_ms
from tests.simulation.checker.ratings import rated
from tests.simulation.checker.wire import read_event, stand_in
from tests.simulation.history import (
    ARBITER,
    STOPPED,
    Actor,
    Answered,
    Authored,
    DeadLettered,
    Delivered,
    Fired,
    Happening,
    Heard,
    History,
    Opened,
    PassedOver,
    Posted,
    Published,
    Queued,
    Removed,
    Scheduled,
    Sent,
    Signed,
    Wrote,
    of_kind,
)
from tests.simulation.made_history import RELAY, Story, text_of
from tests.template.source import ROOT

T = TypeVar("T", bound=Happening)
Item = dict[str, Any] | None
MINUTE_MS, DAY_MS = 60_000, 86_400_000
STATE = 20302
MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def broken(run: History | Story) -> set[str]:
    """The laws that a run broke, by their functions' names."""
    evidence = Evidence(run.history if isinstance(run, Story) else run)
    found = {law.__name__: [str(one) for one in law(evidence)] for law in LAWS}
    print(*(one for said in found.values() for one in said), sep="\n")  # noqa: T201 - shown when a test fails
    return {name for name, said in found.items() if said}


def casual(*moves: str) -> Story:
    return Story(time=None, is_rated=False).plays(*moves)


def live(*moves: str) -> Story:
    return Story().plays(*(moves or ("e2e4", "e7e5", "g1f3")))


def mate() -> History:
    return Story().plays(*MATE).history


def key_of(story: Story, *, on_turn: bool = True) -> SecretKey:
    color = story.game.turn if on_turn else not story.game.turn
    return ALICE if story.game.seat(color).player == ALICE.pubkey else BOB


def places(run: History, kind: type[T], wanted: Callable[[T], bool] = lambda _: True) -> list[int]:
    return [at for at, one in enumerate(run.happenings) if isinstance(one, kind) and wanted(one)]


def put(run: History, at: int, *instead: Happening) -> History:
    told = run.happenings
    return replace(run, happenings=(*told[:at], *instead, *told[at + 1 :]))


def spoil(
    run: History,
    kind: type[Happening],
    which: int = -1,
    /,
    instead: Callable[[Any], tuple[Happening, ...]] | None = None,
    **changes: object,
) -> History:
    """One happening of this kind is gone, is another, or has other fields."""
    at = places(run, kind)[which]
    one: Any = run.happenings[at]
    if instead is not None:
        return put(run, at, *instead(one))
    return put(run, at, *([replace(one, **changes)] if changes else []))


def add(run: History, *more: Happening) -> History:
    return replace(run, happenings=(*run.happenings, *more))


def writes(run: History, prefix: str = "g#") -> list[int]:
    return places(run, Wrote, lambda one: any(key.startswith(prefix) for key, _, _ in one.items))


def rewritten(run: History, which: int, **attributes: Item) -> History:
    """One write of the game with other attributes (None: without), there and ever after."""

    def other(key: str, item: Any) -> Any:
        if item is None or key[:2] != "g#":
            return item
        kept = {name: value for name, value in item.items() if name not in attributes}
        return kept | {name: value for name, value in attributes.items() if value is not None}

    told = list(run.happenings)
    for number, at in enumerate(writes(run)[which:]):
        one = told[at]
        assert isinstance(one, Wrote)
        items = (
            (key, was if number == 0 else other(key, was), other(key, it))
            for key, was, it in one.items
        )
        told[at] = replace(one, items=tuple(items))
    table = {key: other(key, item) for key, item in run.table.items()}
    return replace(run, happenings=tuple(told), table=table)


def rerated(run: History, change: Callable[[Any], Any]) -> History:
    """The write of the ratings with other items."""
    (at,) = writes(run, "rated#")
    wrote = run.happenings[at]
    assert isinstance(wrote, Wrote)
    return put(run, at, *change(wrote))


def said(run: History, kind: int) -> list[int]:
    """Where the arbiter published an event of this kind."""
    return places(run, Published, lambda one: json.loads(one.event)["kind"] == kind)


def told_otherwise(
    run: History,
    kind: int,
    which: int,
    key: SecretKey = SERVER,
    later: int = 0,
    content: str | None = None,
    **tags: str,
) -> History:
    """One event of the arbiter's in other words, signed anew."""
    at = said(run, kind)[which]
    one = run.happenings[at]
    assert isinstance(one, Published)
    event = read_event(one.event)
    assert event is not None
    named = tuple((tag[0], tags[tag[0]]) if tag[0] in tags else tag for tag in event.tags)
    words = event.content if content is None else content
    signed = key.sign(EventTemplate(event.kind, named, words, event.created_at + later))
    return put(run, at, replace(one, event=text_of(signed)))


def caused(game: Game, event: VerifiedEvent, **changes: Any) -> Game:
    """The game as it is written because of this event."""
    applied = (*game.applied_ids, bytes.fromhex(event.id)[:8])
    version = game.item_version + 1
    return replace(game.with_timer(), applied_ids=applied, item_version=version, **changes)


def moved(story: Story, event: VerifiedEvent, uci: str = "e2e4") -> Story:
    """This move is made, as if this event were behind it."""
    game, at_ms = story.game, story.now_ms
    player = game.seat(game.turn).player
    command = PlayMove(player=player, uci=uci, made_at_ms=at_ms, received_at_ms=at_ms)
    story.arrives(event)
    story.commits(caused(decide(game, command, at_ms).game, event))
    story.answers("played", event.id)
    return story


def ended(story: Story, key: SecretKey, word: str, how: Termination, winner: Any = None) -> Story:
    """The game ends so by this word, right or wrong."""
    event = story.word(key, word)
    story.arrives(event)
    story.commits(caused(end(story.game, Outcome(how, winner), story.now_ms).game, event))
    story.answers("ended", event.id)
    return story


def offered(story: Story, key: SecretKey, kind: OfferKind) -> Story:
    """An offer is made, right or wrong."""
    event = story.word(key, kind.value)
    story.arrives(event)
    color = story.game.color_of(key.pubkey)
    assert color is not None
    story.commits(caused(story.game.with_offer(Offer(kind, color), story.now_ms), event))
    story.answers("changed", event.id)
    return story


def refused(story: Story, event: VerifiedEvent, reason: str) -> Story:
    about = (("e", event.id), ("d", story.game.id))
    story.says(EventTemplate(20304, about, f"{reason}: no", story.now_ms // 1000))
    return story


def later(story: Story, ms: int) -> Story:
    story.now_ms += ms
    return story


def of_days(silent_ms: int, *notice_ms: int) -> Story:
    """White is silent for so long in a game of two weeks a move; Black offers to call the game off,
    and does so later if that is said.
    """
    story = later(Story("14d", is_rated=False).plays("e2e4", "e7e5"), silent_ms)
    black = BOB if story.game.black.player == BOB.pubkey else ALICE
    if notice_ms != (0,):
        offered(story, black, OfferKind.ABORT)
    for ms in notice_ms:
        ended(later(story, ms), black, "abort", Termination.ABORTED)
    return story


def a_timer(story: Story, *, player: str | None = None, ply: int | None = None) -> Story:
    """A timer comes now, among the moves of its game, or in the group of this player."""
    timer = Timer(story.game.id, story.game.ply if ply is None else ply, story.now_ms, player)
    entry, at_ms = timer_entry(timer, story.now_ms), story.now_ms
    story.batch += 1
    same: dict[str, Any] = {"queue": entry.queue, "group": entry.group_id, "body": entry.body}
    story.happenings += [
        Queued(at_ms=at_ms, by="clock", dedup_id=entry.dedup_id, status="taken", **same),
        Delivered(
            at_ms=at_ms,
            worker="worker",
            batch=story.batch,
            record=f"record {story.batch}",
            count=1,
            **same,
        ),
    ]
    return story


def flagged(story: Story, late_ms: int, by: str = "a timer") -> Story:
    """This comes so long after the deadline, and ends the game on time, right or wrong."""
    game = story.game
    story.now_ms = (game.deadline_ms() or 0) + late_ms
    mover, other = (game.seat(color).player for color in (game.turn, not game.turn))
    if by in {"a timer", "the other's timer"}:
        a_timer(story, player=mover if by == "a timer" else other)
        over = end(game, timeout(game), story.now_ms).game
        story.commits(replace(over, item_version=game.item_version + 1))
        story.answers("timeout", "")
        return story
    is_late = by == "a late move"
    content = {"a late move": "b8c6", "a move out of turn": "a1a8"}.get(by, by)
    event = story.word(key_of(story, on_turn=is_late), content)
    story.arrives(event)
    over = end(game, timeout(game), story.now_ms).game
    author = game.turn if is_late else not game.turn
    ring = "white_refused_ids" if author == WHITE else "black_refused_ids"
    more = {ring: (bytes.fromhex(event.id)[:8],)} if content != by else {}
    story.commits(caused(over, event, **more))
    story.answers("timeout", event.id)
    return story


def waited(waits_ms: int, *, is_charged: bool, fault: str | None = None) -> Story:
    """The third move waits to be decided, and the opponent answers it five seconds after that."""
    story = Story().plays("e2e4", "e7e5")
    if fault is not None:
        story.happenings.append(Fired(at_ms=story.now_ms, kind=fault))
    event = later(story, 3000).word(key_of(story), "g1f3")
    story.arrives(event)
    at_ms = story.now_ms
    asked = PlayMove(player=event.pubkey, uci="g1f3", made_at_ms=at_ms, received_at_ms=at_ms)
    told = decide(story.game, asked, later(story, waits_ms).now_ms, is_public=is_charged)
    story.commits(caused(told.game, event))
    return story.plays("b8c6", seconds=5)


def given_back(fast_ms: int) -> Story:
    """No relay is heard while Black thinks for 13.5 seconds, none of which is charged. The clock
    that stamps the move is so much ahead.
    """
    story = live()
    item = {"pk": {"S": "heard"}, "at": {"N": str(since_ms := story.now_ms)}}
    noted = Wrote(at_ms=since_ms, who="listener 1", items=(("heard", None, item),))
    story.happenings.append(noted)
    event = later(story, 13_500).word(key_of(story), "b8c6")
    stamp_ms = story.now_ms + fast_ms
    story.arrives(event, stamp_ms)
    asked = PlayMove(player=event.pubkey, uci="b8c6", made_at_ms=stamp_ms, received_at_ms=stamp_ms)
    told = decide(story.game, asked, story.now_ms, paused_ms=stamp_ms - since_ms)
    story.commits(caused(told.game, event))
    return story


def behind_own_words(count: int, *, are_answered: bool = False) -> Story:
    """In one batch are so many words of Black and a move, which waits for six seconds after the
    move of White that it answers; the words may have been answered before that.
    """
    story = Story().plays("e2e4", "e7e5")
    key = key_of(story, on_turn=False)
    for number in range(count):
        word = story.word(key, f"h8a{number}")
        story.arrives(word)
        if are_answered:
            story.answers("not-your-turn", word.id)
    move, at_ms = story.word(key, "b8c6"), story.now_ms
    story.arrives(move)
    story.plays("g1f3")
    asked = PlayMove(player=move.pubkey, uci="b8c6", made_at_ms=at_ms, received_at_ms=at_ms)
    told = decide(story.game, asked, later(story, 6000).now_ms, received_at_ms=at_ms)
    story.commits(caused(told.game, move))
    return story


def held_back(named: str | None, age_ms: int = 0) -> Story:
    """A player resigns by a word of this age that names a state, or none."""
    story = Story().plays("e2e4", "e7e5")
    older = story.shown
    story.plays("g1f3")
    state = {"present": story.shown, "older": older, None: None}[named]
    tags = (("d", story.game.id), ("p", SERVER.pubkey), *((("e", state),) if state else ()))
    now_ms, key = story.now_ms, key_of(story)
    event = later(story, -age_ms).signs(key, 20303, "resign", tags)
    story.now_ms = now_ms
    story.arrives(event)
    story.decides(event, Resign(key.pubkey))
    return story


def one_after_the_other(*stories: Story) -> History:
    told = tuple(one for story in stories for one in story.happenings)
    return replace(stories[0].history, happenings=told)


def called_off_at(*minutes: float) -> History:
    """Alice calls each of these games off as soon as it begins."""
    stories = [Story(begins_ms=NOW_MS + round(minute * MINUTE_MS)) for minute in minutes]
    for story in stories:
        ended(story, ALICE, "abort", Termination.ABORTED)
    return one_after_the_other(*stories)


def rematch(after_ms: int = 0, asked: str | None = None, *, is_swapped: bool = True) -> Story:
    """Alice offers a rematch, perhaps says something in the lobby, and Bob agrees."""
    story = offered(Story().plays(*MATE), ALICE, OfferKind.REMATCH)
    later(story, after_ms)
    if asked is not None:
        event = story.signs(ALICE, 20300, asked, (("p", SERVER.pubkey),))
        row = story.table[f"p#{ALICE.pubkey}"]
        story.writes({**row, "r": {"B": row["r"]["B"] + bytes.fromhex(event.id)[:8] + bytes(8)}})
    agreed, old = story.word(BOB, "rematch"), story.game
    white, black = (old.black, old.white) if is_swapped else (old.white, old.black)
    following = replace(
        old,
        id="f" * 32,
        white=Seat(white.player, "dilger"),
        black=Seat(black.player, "dilger"),
        moves=(),
        moved_at_ms=(),
        outcome=None,
        ended_at_ms=None,
        offer=None,
        applied_ids=(),
        item_version=1,
        created_at_ms=story.now_ms,
        changed_at_ms=story.now_ms,
    )
    ended_ = caused(replace(old, state_version=old.state_version + 1), agreed)
    rows = [
        {**story.table[f"p#{key.pubkey}"], "g": {"B": bytes.fromhex("f" * 32)}}
        for key in (ALICE, BOB)
    ]
    story.writes(
        item_of_game(replace(ended_, next_game_id="f" * 32, offer=None)),
        item_of_game(following),
        *rows,
    )
    return story


def challenged(between: str, opponent: str = BOB.pubkey) -> History:
    """Alice challenges Bob; a game of hers begins otherwise, and then Bob accepts in vain."""
    made = Story(begins_ms=NOW_MS - MINUTE_MS)
    made.happenings.clear()
    tags = (("p", SERVER.pubkey), ("challenge", opponent))
    asked = made.signs(ALICE, 20300, "", tags)
    wish = {"r": {"B": bytes.fromhex(asked.id)}, "p": {"B": bytes.fromhex(ALICE.pubkey)}}
    name = asked.id[:32]
    row = {**wish, "t": {"N": str(made.now_ms)}}
    made.writes({"pk": {"S": f"c#{name}"}, "q": {"M": row}})
    story = Story()
    if between == "played":
        story.plays("e2e4", "e7e5")
    if between == "cancelled":
        story.signs(ALICE, 20300, "cancel", (("p", SERVER.pubkey),))
    if between != "under way":
        ended(story, ALICE, "resign", Termination.RESIGNATION, story.game.color_of(BOB.pubkey))
    accepted = later(story, MINUTE_MS).signs(BOB, 20300, f"accept:{name}", (("p", SERVER.pubkey),))
    story.arrives(accepted)
    about = (("p", BOB.pubkey), ("e", accepted.id))
    story.says(EventTemplate(20301, about, "error:unknown-challenge: no", 1))
    return one_after_the_other(made, story)


def paired_after(minutes: int) -> History:
    """The request that waited did so for longer by so much."""
    run = mate()
    at = writes(run)[0]
    wrote = run.happenings[at]
    assert isinstance(wrote, Wrote)

    def older(key: str, item: Any) -> Any:
        if key[:2] != "q#" or item is None:
            return item
        (seek,) = item["q"]["L"]
        asked = int(seek["M"]["t"]["N"]) - minutes * MINUTE_MS
        return {**item, "q": {"L": [{"M": {**seek["M"], "t": {"N": str(asked)}}}]}}

    items = tuple((key, older(key, before), after) for key, before, after in wrote.items)
    return put(run, at, replace(wrote, items=items))


def two_games() -> History:
    one, other = casual(), casual()
    game = item_of_game(replace(other.game, id="f" * 32))
    begun = Wrote(at_ms=0, who="worker", items=((f"g#{'f' * 32}", None, game),))
    return replace(one.history, happenings=(*one.happenings, *other.happenings, begun))


def plays_and_waits() -> History:
    run = casual().history
    pool = next(
        (key, after)
        for at in places(run, Wrote)
        for key, _, after in run.happenings[at].items  # type: ignore[union-attr]
        if key[:2] == "q#"
    )
    return replace(run, table={**run.table, pool[0]: pool[1] or {}})


def questions(*seconds: float) -> History:
    story, heard = Story(), list[Happening]()
    for number, at in enumerate(seconds):
        tags = (("d", story.game.id), ("p", SERVER.pubkey), ("n", str(number)))
        text, at_ms = text_of(story.signs(EVE, 20303, "state", tags)), story.now_ms + int(1000 * at)
        heard.append(Heard(at_ms=at_ms, by="listener", way=RELAY, event=text, stamped_ms=at_ms))
    return add(story.history, *heard)


def copies(who: str, count: int, word: str = "e2e4", later: int = 0) -> History:
    """``who`` brings copies of Alice's event, which is then refused as one too many; she brings so
    many ``later``.
    """
    story = Story()
    event = story.word(ALICE, word)
    text, at_ms = text_of(event), story.now_ms
    opened = [Opened(at_ms=at_ms, who=name, way=name) for name in ("alice", "stranger")]
    heard = [
        Heard(at_ms=at_ms, by="gateway 1", way=way, event=text, stamped_ms=at_ms)
        for way in (*[who] * count, "alice")
    ]
    frame = f'["OK","{event.id}",false,"rate-limited: slow down"]'
    told = Posted(at_ms=at_ms, who="gateway 1", way="alice", frame=frame, arrived=True)
    after = [replace(heard[-1], at_ms=at_ms + 1000) for _ in range(later)]
    return add(story.history, *opened, *heard, told, *after)


def errors(count: int, readers: int) -> Story:
    story = Story()
    for number in range(count):
        event = later(story, number).word(ALICE, f"h8a{number}")
        story.arrives(event)
        players = [("p", key.pubkey) for key in (ALICE, BOB)][:readers]
        about = (("e", event.id), ("d", story.game.id), *players)
        story.says(EventTemplate(20304, about, "illegal-move: not counted", 1))
    return story


def asked(status: str, *, named: bool) -> Story:
    """Eve asks for a game, which comes to this status; the answer names her request or does not."""
    story = Story()
    event = story.signs(EVE, 20300, "", (("p", SERVER.pubkey),))
    story.arrives(event)
    about = (("p", EVE.pubkey), *((("e", event.id),) if named else ()))
    story.says(EventTemplate(20301, about, "queued", 1))
    story.answers(status, event.id)
    return story


def left_out(age_ms: int, by: str, *more: Happening) -> History:
    """A REQ, so long after the last move, is answered without it."""
    run = mate()
    last = of_kind(run.happenings, Signed)[-1]
    one = PassedOver(at_ms=last.at_ms + age_ms, by=by, way=RELAY, events=(last.event,))
    return add(run, one, *more)


def flooded(*, is_player: bool, names_two: bool = False) -> History:
    """After ten words of a stranger one more event is dropped as one of many strangers'."""
    run = mate()
    one = of_kind(run.happenings, Heard)[-1]
    named = tuple(map(tuple, json.loads(one.event)["tags"]))
    words = [an_event(EVE, 20303, f"{number}", named) for number in range(11)]
    flood = [replace(one, event=text_of(word), dropped="not-asked-for") for word in words]
    last = replace(one if is_player else flood[-1], dropped="too-many-strangers")
    if names_two:
        last = replace(last, event=last.event.replace('["d",', '["d","x"],["d",', 1))
    return spoil(run, Heard, instead=lambda it: (it, *flood, last))


def overtaken() -> History:
    run = mate()
    latest = of_kind(run.happenings, Delivered)[-1]
    first = places(run, Delivered, lambda one: one.group == latest.group)[0]
    early: Any = run.happenings[first]
    again = replace(early, batch=latest.batch)
    told = [
        Answered(at_ms=0, worker="worker", batch=latest.batch, record=record, status=status)
        for record, status in ((latest.record, "failed"), (early.record, "played"))
    ]
    return put(run, first, early, latest, again, *told)


def strangers_word_in_a_players_line() -> History:
    run = mate()
    players = of_kind(run.happenings, Queued)[-1]
    named = tuple(map(tuple, json.loads(players.body)["event"]["tags"]))
    event = an_event(EVE, 20303, "e2e4", named)
    entry = queue_entry(event, Route("moves", players.group), 1)
    more = replace(players, body=entry.body, dedup_id=entry.dedup_id)
    return spoil(run, Queued, instead=lambda it: (it, more))


def missing_note(*instead: Happening, **changes: Any) -> History:
    """No note of the game was published."""
    run = mate()
    (at,) = said(run, 64)
    return replace(put(run, at, *instead), **changes)


def takebacks(thinks_ms: int, *moves: str) -> Story:
    """Both want the last move of White back."""
    story = Story(is_rated=False).plays(*moves)
    white = ALICE if story.game.white.player == ALICE.pubkey else BOB
    for key in (white, BOB if white is ALICE else ALICE):
        event = later(story, thinks_ms).word(key, "takeback")
        story.arrives(event)
        story.decides(event, MakeOffer(key.pubkey, OfferKind.TAKEBACK, story.now_ms))
    return story


def in_the_queue(story: Story, tags: tuple[tuple[str, str], ...] | None = None) -> Story:
    """A move in time waits while the flag falls."""
    if tags is None:
        event = story.word(key_of(story), "b8c6")
    else:
        event = story.signs(key_of(story), 20303, "b8c6", tags)
    story.arrives(event, stamped_ms=story.now_ms + 1000)
    flagged(story, SETTLE_MS)
    story.answers("game-over", event.id)
    return story


def answers_state(which: str) -> Story:
    story = Story().plays("e2e4", "e7e5")
    former = story.shown
    story.plays("g1f3")
    state = {"present": story.shown, "former": former, "unknown": "f" * 64}[which]
    return in_the_queue(
        story, (("d", story.game.id), ("p", story.history.servers[0]), ("e", state))
    )


def signed_before_asking() -> History:
    story = casual()
    event = ALICE.sign(EventTemplate(5003, (), "resign", story.now_ms // 1000))
    early = Signed(at_ms=0, who="alice", event=text_of(event))
    story.arrives(event)
    story.decides(event, Resign(ALICE.pubkey))
    request = next(one for one in of_kind(story.happenings, Signed) if one.who == "alice")
    seat = {"S": json.loads(request.event)["id"]}
    return replace(
        (run := rewritten(story.history, 0, wa=seat, ba=seat)), happenings=(early, *run.happenings)
    )


def brought_by(who: str) -> History:
    story = Story().plays("e2e4", "e7e5")
    event = story.signs(ALICE, 5003, "resign", ())
    story.decides(event, Resign(ALICE.pubkey))
    sent = Sent(at_ms=story.now_ms, who=who, way="gateway", text=text_of(event))
    return add(story.history, sent)


def ok_of_nothing() -> History:
    story = Story()
    event = story.signs(EVE, 20300, "", (("p", SERVER.pubkey),))
    frame = f'["OK","{event.id}",true,""]'
    return add(story.history, Posted(at_ms=0, who="gateway 1", way="s", frame=frame, arrived=True))


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
    body = of_kind(story.happenings, Scheduled)[-1].body
    nudge = json.loads(body)["nudge"]
    story.now_ms = nudge["at_ms"]
    if goes_on == "among the moves":
        a_timer(story, ply=nudge["ply"])
    elif goes_on == "in the clock queue":
        story.sets_timer(story.game)
    story.happenings.append(Removed(at_ms=story.now_ms, record="a timer", body=body))
    return story


def stale(minutes: int, move: str = "e7e5") -> Story:
    story = later(casual("e2e4"), minutes * MINUTE_MS)
    black = BOB if story.game.white.player == ALICE.pubkey else ALICE
    return refused(story, story.word(black, move), "stale")


def believed(number: int = 0, /, run: History | None = None, **changes: Any) -> History:
    run = run or mate()
    beliefs = [*run.beliefs]
    beliefs[number] = replace(beliefs[number], **changes)
    return replace(run, beliefs=tuple(beliefs))


def expired_word() -> Story:
    story = casual()
    tags = (("d", story.game.id), ("p", SERVER.pubkey), ("expiration", "1"))
    event = story.signs(ALICE, 20303, "resign", tags)
    story.arrives(event)
    winner = story.game.color_of(BOB.pubkey)
    over = end(story.game, Outcome(Termination.RESIGNATION, winner), story.now_ms).game
    story.commits(caused(over, event))
    story.answers("resignation", event.id)
    return story


def early_move_comes_true() -> Story:
    story = casual()
    black = key_of(story, on_turn=False)
    event = story.word(black, "e7e5")
    refused(story, event, "not-your-turn").plays("e2e4")
    return moved(story, event, "e7e5")


def offered_again(minutes: int) -> Story:
    story = Story().plays(*MATE)
    for _ in range(2):
        later(offered(story, ALICE, OfferKind.REMATCH), minutes * MINUTE_MS)
    return story


def a_rating(score: float) -> Callable[[Any], Any]:
    """The ratings are written as this."""

    def change(wrote: Wrote) -> tuple[Wrote, ...]:
        items = tuple(
            (key, was, {**(it or {}), "rating": {"N": str(score)}} if key[:2] == "r#" else it)
            for key, was, it in wrote.items
        )
        return (replace(wrote, items=items),)

    return change


def again(one: Wrote) -> tuple[Wrote, ...]:
    return one, replace(one, items=tuple((key, it, it) for key, _, it in one.items))


def by_stranger(key: SecretKey) -> Story:
    story = Story().plays("e2e4", "e7e5")
    story.decides(story.word(key, "resign"), Resign(ALICE.pubkey))
    return story


def with_table(run: History, **changes: Any) -> History:
    return replace(
        run, table={key: it for key, it in run.table.items() if key[:2] != "g#"} | changes
    )


def packed(uci: str) -> dict[str, bytes]:
    """A move as the table packs it."""
    first, last = ("abcdefgh".index(uci[at]) + 8 * int(uci[at + 1]) - 8 for at in (0, 2))
    return {"B": (first << 9 | last << 3).to_bytes(2, "big")}


def over_what_was_not_read() -> History:
    """The last move is written over the version before the one that was there."""
    run = mate()
    *_, former, last = writes(run)
    wrote, read = run.happenings[last], run.happenings[former]
    assert isinstance(wrote, Wrote)
    assert isinstance(read, Wrote)
    ((key, _, after),), ((_, stale_, _),) = wrote.items, read.items
    return put(run, last, replace(wrote, items=((key, stale_, after),)))


def state_first() -> History:
    """The last state is published before it is written."""
    run = mate()
    last, told = writes(run)[-1], run.happenings
    early = next(at for at in said(run, STATE) if at > last)
    return replace(
        run, happenings=(*told[:last], told[early], *told[last:early], *told[early + 1 :])
    )


def half_published(later_state_too: bool) -> History:  # noqa: FBT001
    """A player missed the last state but one, which one relay took and another did not."""
    run = believed(version=(mate().beliefs[0].version or 0) - 1)
    *_, before, last = said(run, STATE)
    at = last if later_state_too else before
    one: Any = run.happenings[at]
    more = replace(one, way="relay 2")
    return put(run, at, one, more)


def outbox(content: dict[str, Any], days: int) -> History:
    run = mate()
    body = json.dumps({"id": "a" * 64, "content": content})
    same: dict[str, Any] = {"queue": "scuttlebutt.fifo", "group": "g", "dedup_id": "d"}
    one = Queued(at_ms=run.ended_at_ms, by="worker", body=body, status="taken", **same)
    return replace(add(run, one), ended_at_ms=run.ended_at_ms + days * DAY_MS)


FEED = f"@{'f' * 43}=.ed25519"
KEY = f"%{base64.b64encode(bytes(32)).decode()}.sha256"


def wrote(content: dict[str, Any], who: str = "feed", **more: Any) -> Authored:
    text = json.dumps(content)
    return Authored(at_ms=NOW_MS, who=who, author=FEED, key=KEY, sequence=1, content=text, **more)


def on_a_feed(days: int) -> History:
    """A player's move lies dead for so long."""
    one = wrote({"type": "chess_move", "root": KEY, "orig": "e2", "dest": "e4"})
    letter = {"kind": 20310, "content": json.dumps({"key": KEY})}
    event = {"id": "", "pubkey": "", "created_at": 0, "tags": [], "sig": "", **letter}
    body = json.dumps({"event": event})
    dead = DeadLettered(at_ms=NOW_MS, queue="moves.fifo", group="", record="r", body=body)
    feed = Actor(name="feed", pubkeys=(stand_in(SERVER.pubkey, FEED),), dialect="ssb")
    told, ended_ms = (one, dead), NOW_MS + days * DAY_MS
    return History(
        seed=1, servers=(SERVER.pubkey,), actors=(feed,), happenings=told, ended_at_ms=ended_ms
    )


def as_arbiter(content: dict[str, Any]) -> History:
    return add(mate(), wrote(content, ARBITER))


VERDICT = {"verdict": {"about": "%m", "reason": "no"}}
LINE = {"type": "chess_chat", "msg": "Arbiter: you play black"}
RESULT = {"type": "chess_chat", "verdict": {"reason": "result", "result": "1-0"}}
UNKNOWN = {"game": None, "version": None, "ply": None, "fen": None, "result": None}
TWO_KEYS = {"servers": ("f" * 64, SERVER.pubkey)}


def exchanged(seconds: int) -> Fired:
    at_ms = of_kind(mate().happenings, Published)[-1].at_ms
    return Fired(at_ms=at_ms - seconds * 1000, kind="F43")


def dead_note(days: int) -> History:
    run = mate()
    body = json.dumps({"republish": {"game_id": next(iter(Evidence(run).games))}})
    dead = DeadLettered(at_ms=run.ended_at_ms, queue="republish", group="", record="r", body=body)
    return missing_note(dead, ended_at_ms=run.ended_at_ms + days * DAY_MS)


def dropped(word: str) -> History:
    return spoil(mate(), Heard, dropped=word)


def published(key: SecretKey, kind: int, who: str = "listener 1") -> History:
    event = text_of(key.sign(EventTemplate(kind, (), "canary", NOW_MS // 1000)))
    return add(mate(), Published(at_ms=0, who=who, way=RELAY, event=event, taken=True))


DROPS = ("forged", "own", "not-for-us", "not-listened-kind", "too-many", "repeated", "tired")
STATUSES = ("expired", "not-for-us", "malformed-bad-sig", "our-own")
BETWEEN = ("played", "under way", "cancelled")


def _since(story: Story) -> int:
    assert story.game.clocks is not None
    return story.game.clocks.since_ms


def _event(signed: Signed) -> VerifiedEvent:
    event = event_from_json(json.loads(signed.event))
    assert isinstance(event, NostrEvent)
    found = verify(event)
    assert isinstance(found, VerifiedEvent)
    return found


def heard_over(way: str, before_ms: int = 0) -> History:
    """All was heard over this relay so long before it was answered, over another."""
    run = mate()
    told = [
        replace(it, way=way, at_ms=it.at_ms - before_ms) if isinstance(it, Heard) else it
        for it in run.happenings
    ]
    return replace(run, happenings=(*told, of_kind(run.happenings, Heard)[-1]))


def untaken(kind: int, told: str = "no") -> History:
    run = mate()
    at = said(run, kind)[-1]
    one: Any = run.happenings[at]
    return put(run, at, replace(one, taken=False, told=told))


def died_with_its_listener() -> Story:
    story = casual()
    text, at_ms = text_of(story.word(ALICE, "resign")), story.now_ms
    story.happenings += [
        Heard(at_ms=at_ms, by="listener", way=RELAY, event=text, stamped_ms=at_ms),
        Fired(at_ms=at_ms, kind="crash", where="listener"),
    ]
    return story


Run = Callable[[], History | Story]
BREAKS: dict[str, list[Run]] = {
    "nothing_is_lost": [
        lambda: with_table(mate()),
        over_what_was_not_read,
        lambda: rewritten(mate(), -1, m={"B": b""}),
        lambda: offered_again(4),
    ],
    "changes_are_lawful": [
        lambda: offered_again(4),
        lambda: spoil(mate(), Signed, 4),
        lambda: moved((s := Story()), s.word(key_of(s, on_turn=False), "e2e4")),
        lambda: moved((s := Story()), s.word(EVE, "e2e4")),
        lambda: moved(
            (s := Story()),
            s.signs(key_of(s), 20303, "e2e4", (("d", "0" * 32), ("p", SERVER.pubkey))),
        ),
        lambda: rewritten(mate(), 1, m=packed("d2d4")),
        lambda: rewritten(mate(), 1, m=packed("e2e5")),
        lambda: rewritten(mate(), -1, o=None, x=None, oa=None),
        lambda: rewritten(live().history, -1, o={"S": "checkmate"}, x={"S": "w"}),
        lambda: ended(live(), ALICE, "draw", Termination.AGREEMENT),
        lambda: of_days(2 * DAY_MS),
        lambda: of_days(3 * DAY_MS + 1000, 0),
        lambda: of_days(3 * DAY_MS + 1000, DAY_MS - 2000),
        lambda: held_back("older"),
        lambda: held_back(None, 61000),
    ],
    "events_are_applied_once": [
        lambda: rewritten(
            (s := live("e2e4", "e7e5").history),
            -1,
            e={"B": bytes.fromhex(Evidence(s).changes[1].new_causes[0]) * 2},
        )
    ],
    "refused_stays_refused": [early_move_comes_true],
    "old_words_make_no_new_game": [signed_before_asking],
    "words_are_signed": [
        lambda: told_otherwise(mate(), STATE, 1, key=EVE),
        lambda: spoil(
            mate(),
            Published,
            instead=lambda one: (
                replace(one, event=one.event.replace('"sig":"', '"sig":"0')[:-3] + '"}'),
            ),
        ),
        lambda: published(SERVER, 20399),
        lambda: published(EVE, STATE),
    ],
    "words_are_true": [
        lambda: published(SERVER, 1, "worker"),
        state_first,
        lambda: told_otherwise(mate(), STATE, 1, content="8/8/8/8/8/8/8/K1k5 w - - 0 1"),
        lambda: told_otherwise(
            mate(), 20301, 1, content=f"started:{Story().game.id}:{BOB.pubkey}:x"
        ),
        lambda: told_otherwise(mate(), 64, 0, result="1-0"),
        lambda: told_otherwise(mate(), 30300, 0, rating="2900"),
        lambda: refused((s := live("e2e4")), _event(of_kind(s.happenings, Signed)[-1]), "stale"),
    ],
    "one_version_one_word": [
        lambda: told_otherwise(mate(), STATE, 2, later=7),
        lambda: told_otherwise(mate(), STATE, 2, later=-30),
    ],
    "no_good_move_is_refused": [lambda: stale(0), lambda: stale(59)],
    "clocks_add_up": [
        lambda: rewritten(live().history, -1, tn={"N": str(_since(live()) + 1)}),
        lambda: rewritten(live().history, -1, tn={"N": str(_since(live()) - 1)}),
        lambda: rewritten(live().history, -1, wc={"N": "150000"}),
        lambda: rewritten(live().history, -1, bc={"N": "179999"}),
        lambda: rewritten(mate(), 0, wc={"N": "60000"}),
        lambda: rewritten(takebacks(0, "e2e4", "e7e5", "g1f3").history, -1, wc={"N": "180000"}),
        lambda: replace(live().history, ended_at_ms=NOW_MS + 30 * MINUTE_MS),
        lambda: replace(
            (s := live().history),
            table={**s.table, "heard": {"pk": {"S": "heard"}, "at": {"N": str(s.ended_at_ms)}}},
            ended_at_ms=NOW_MS + 30 * MINUTE_MS,
        ),
        lambda: flagged(live(), -8 * MINUTE_MS),
        lambda: flagged(live(), SETTLE_MS, "the other's timer"),
        lambda: in_the_queue(live()),
        lambda: answers_state("present"),
        lambda: flagged(live(), 0, "a late move"),
        lambda: behind_own_words(5),
        lambda: behind_own_words(6, are_answered=True),
    ],
    "no_flag_falls_too_soon": [
        lambda: flagged(live(), SETTLE_MS - 1),
        lambda: flagged(live("e2e4", "e7e5", "g1f3", "b8c6"), 1),
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
        lambda: replace(
            (s := live().history),
            happenings=tuple(it for it in s.happenings if not isinstance(it, Scheduled)),
        ),
        lambda: timer_replaced(None),
        lambda: timer_replaced(1),
        lambda: timer_leaves("nowhere"),
    ],
    "ratings_add_up": [
        lambda: rerated(mate(), again),
        lambda: rerated(mate(), lambda _: ()),
        lambda: rerated(mate(), a_rating(1700.5)),
        lambda: rerated(mate(), lambda one: (replace(one, items=one.items[:2]),)),
        lambda: by_stranger(EVE),
    ],
    "pairings_are_fair": [
        lambda: rewritten(mate(), 0, w=(same := {"B": bytes.fromhex(ALICE.pubkey)}), b=same),
        lambda: rewritten(mate(), 0, r=None),
        lambda: paired_after(31),
        two_games,
        lambda: rematch(is_swapped=False),
    ],
    "players_wait_nowhere": [plays_and_waits],
    "rematches_are_single": [
        lambda: rewritten(rewritten(mate(), -2, nx={"B": bytes(16)}), -1, nx={"B": b"x" * 16})
    ],
    "lots_are_drawn_in_secret": [
        lambda: Story(secret=b""),
        lambda: Story(secret=bytes.fromhex(SERVER.pubkey)),
    ],
    "who_ends_games_early_waits": [
        lambda: called_off_at(0, 6, 12, 12.5),
        lambda: called_off_at(0, 6, 12, 18, 19.5),
        lambda: called_off_at(0, 4.9),
    ],
    "rematches_are_agreed_to_in_time": [
        lambda: rematch(5 * MINUTE_MS + 1),
        lambda: rematch(MINUTE_MS, ""),
        lambda: rematch(MINUTE_MS, "cancel"),
    ],
    "challenges_come_back": [lambda: challenged("called off")],
    "others_bring_nothing_that_counts": [lambda: brought_by("stranger")],
    "questions_are_few": [lambda: questions(*[0] * 22)],
    "a_share_is_ones_own": [
        lambda: copies("stranger", 30),
        lambda: copies("alice", 3),
        lambda: copies("stranger", 30, later=30),
    ],
    "errors_are_their_authors": [lambda: errors(21, 1), lambda: errors(1, 2)],
    "what_was_brought_was_looked_at": [
        lambda: spoil(mate(), Heard, 0),
        lambda: spoil(mate(), Heard, 3),
    ],
    "what_a_relay_has_is_asked_for": [
        lambda: left_out(0, "listener 2"),
        lambda: left_out(150000, "listener 2"),
    ],
    "drops_are_true": [
        *(lambda word=word: dropped(word) for word in DROPS),
        lambda: flooded(is_player=True),
        lambda: spoil(
            mate(),
            Heard,
            instead=lambda one: (replace(one, event=one.event.replace("d8h4", "d8g5")),),
        ),
    ],
    "what_was_passed_on_was_queued": [lambda: spoil(mate(), Queued)],
    "what_was_queued_was_answered": [
        lambda: spoil(mate(), Delivered),
        lambda: spoil(mate(), Answered),
    ],
    "answers_are_true": [
        *(lambda word=word: spoil(mate(), Answered, status=word) for word in STATUSES),
        expired_word,
    ],
    "failures_have_a_cause": [
        lambda: spoil(
            mate(), Answered, instead=lambda one: (replace(one, batch=0, status="failed"), one)
        )
    ],
    "a_player_has_a_line_of_their_own": [
        lambda: spoil(mate(), Queued, group="another"),
        strangers_word_in_a_players_line,
        lambda: spoil(flagged(live(), SETTLE_MS).history, Queued, group="another"),
    ],
    "nothing_overtakes_a_failure": [overtaken],
    "what_is_answered_is_done_with": [
        lambda: spoil(
            (s := mate()), Answered, instead=lambda one: (one, of_kind(s.happenings, Delivered)[-1])
        )
    ],
    "an_event_waits_once": [
        lambda: spoil(mate(), Queued, instead=lambda one: (one, replace(one, dedup_id="another")))
    ],
    "stamps_are_true": [
        lambda: spoil(
            mate(), Heard, instead=lambda one: (replace(one, stamped_ms=one.stamped_ms - 5000),)
        ),
        lambda: spoil(
            mate(),
            Heard,
            instead=lambda one: (replace(one, by="gateway 1", at_ms=one.at_ms - 1),),
        ),
    ],
    "ok_means_queued": [ok_of_nothing],
    "players_know_their_games": [
        lambda: believed(version=1),
        lambda: half_published(True),
        lambda: believed(asked=("a" * 64,)),
        lambda: believed(run=casual().history, **UNKNOWN),
    ],
    "the_last_word_got_out": [
        *(lambda kind=kind: untaken(kind) for kind in (STATE, 64, 30300)),
        lambda: missing_note(exchanged(90), **TWO_KEYS),
        lambda: dead_note(12),
    ],
    "every_relay_is_spoken_over": [lambda: heard_over("relay 9")],
    "every_refusal_is_said": [lambda: asked("queued", named=False)],
    "nothing_is_uttered_twice": [lambda: as_arbiter({"type": "chess_chat", "utterance": "a"})],
    "utterances_are_true": [lambda: as_arbiter({"type": "chess_invite_accept", "root": KEY})],
    "everything_is_uttered": [
        lambda: outbox(VERDICT, 13),
        lambda: outbox(LINE, 13),
        lambda: outbox(RESULT, 14),
    ],
    "every_message_is_answered": [lambda: on_a_feed(12)],
}
KEEPS: list[Run] = [
    mate,
    lambda: casual("e2e4", "e7e5"),
    lambda: offered(casual("e2e4", "e7e5"), ALICE, OfferKind.DRAW),
    lambda: of_days(3 * DAY_MS + 1000, DAY_MS),
    lambda: stale(61),
    lambda: stale(0, "e7e4"),
    lambda: takebacks(0, "e2e4", "e7e5", "g1f3"),
    lambda: takebacks(6000, "e2e4", "e7e5", "g1f3", "b8c6"),
    lambda: flagged(live(), SETTLE_MS),
    lambda: flagged(live("e2e4", "e7e5", "g1f3", "b8c6"), SETTLE_MS),
    lambda: flagged(live(), 1, "a late move"),
    lambda: timer_replaced(0),
    lambda: half_published(False),
    lambda: published(EVE, 20399),
    lambda: replace(believed(asked=("a" * 64,)), is_quiet=False),
    lambda: spoil(mate(), Heard, instead=lambda one: (one, replace(one, dropped="repeated"))),
    lambda: flooded(is_player=False),
    lambda: left_out(0, "listener"),
    lambda: left_out(360_000, "listener 2"),
    lambda: left_out(
        0, "listener 2", Fired(at_ms=mate().ended_at_ms, kind=STOPPED, where="listener 2")
    ),
    died_with_its_listener,
    lambda: outbox(VERDICT, 14),
    lambda: outbox(LINE, 14),
    lambda: on_a_feed(14),
]
ALLOWED: dict[str, list[Run]] = {
    "changes_are_lawful": [
        lambda: held_back("present"),
        lambda: held_back(None, 59000),
        lambda: offered_again(6),
    ],
    "clocks_add_up": [
        lambda: answers_state("former"),
        lambda: answers_state("unknown"),
        lambda: given_back(1600),
        lambda: behind_own_words(6),
    ],
    "no_thinking_time_is_free": [
        lambda: waited(900, is_charged=False),
        lambda: waited(10900, is_charged=True),
        lambda: waited(15000, is_charged=True, fault="F39"),
        lambda: given_back(1600),
    ],
    "running_clocks_have_timers": [
        lambda: timer_leaves("among the moves"),
        lambda: timer_leaves("in the clock queue"),
    ],
    "ratings_add_up": [
        lambda: by_stranger(ALICE),
        lambda: spoil(rerated(mate(), lambda _: ()), Answered, status="not-for-us"),
    ],
    "pairings_are_fair": [rematch, lambda: paired_after(29)],
    "who_ends_games_early_waits": [
        lambda: called_off_at(0, 6, 12, 18),
        lambda: called_off_at(0, 70, 76, 82),
    ],
    "rematches_are_agreed_to_in_time": [
        lambda: rematch(5 * MINUTE_MS),
        lambda: rematch(MINUTE_MS, "state"),
    ],
    "challenges_come_back": [
        *(lambda it=it: challenged(it) for it in BETWEEN),
        lambda: challenged("called off", "open"),
    ],
    "others_bring_nothing_that_counts": [lambda: brought_by("alice")],
    "drops_are_true": [lambda: flooded(is_player=True, names_two=True)],
    "questions_are_few": [lambda: questions(*[0] * 20, *[5] * 10)],
    "a_share_is_ones_own": [lambda: copies("alice", 30), lambda: copies("stranger", 30, "state")],
    "errors_are_their_authors": [lambda: errors(20, 1)],
    "the_last_word_got_out": [
        lambda: untaken(STATE, told="mute"),
        lambda: missing_note(exchanged(5), **TWO_KEYS),
        lambda: dead_note(14),
    ],
    "every_relay_is_spoken_over": [lambda: heard_over("relay 9", before_ms=6_000)],
    "every_refusal_is_said": [
        lambda: asked("queued", named=True),
        lambda: asked("paired", named=False),
    ],
}


def rows(cases: dict[str, list[Run]]) -> list[tuple[str, Run]]:
    return [(law, run) for law, runs in cases.items() for run in runs]


def _named(value: object) -> str:
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("law", "run"), rows(BREAKS), ids=_named)
def test_a_law_notices_what_breaks_it(law: str, run: Run) -> None:
    assert law in broken(run())


@pytest.mark.parametrize("run", KEEPS)
def test_a_good_run_breaks_no_law(run: Run) -> None:
    assert broken(run()) == set()


@pytest.mark.parametrize(("law", "run"), rows(ALLOWED), ids=_named)
def test_a_law_lets_pass_what_it_allows(law: str, run: Run) -> None:
    assert law not in broken(run())


def test_each_law_has_a_run_that_breaks_it() -> None:
    assert {law.__name__ for law in LAWS} == {*BREAKS} | {"what_is_held_was_said"}


@pytest.mark.parametrize("author", [WHITE, BLACK])
@pytest.mark.parametrize("winner", [WHITE, BLACK, None])
@pytest.mark.parametrize("lost", ["winner", "ply", "ends", "fen", "by", None])
def test_a_claim_that_is_lost_while_its_move_is_held_is_noticed(
    lost: str | None, *, author: bool, winner: bool | None
) -> None:
    feeds = {color: f"@{name * 43}=.ed25519" for color, name in ((WHITE, "w"), (BLACK, "b"))}
    players = {color: stand_in(SERVER.pubkey, feed) for color, feed in feeds.items()}
    content: dict[str, Any] = {"type": "chess_game_end", "status": "mate", "root": KEY, "ply": 0}
    content |= {"orig": "d8", "dest": "h4", "fen": ""}
    content |= {} if winner is None else {"winner": feeds[winner]}
    move = PlayMove(
        player=players[author],
        uci="d8h4",
        made_at_ms=NOW_MS,
        received_at_ms=NOW_MS,
        ply=0,
        ends=Ends.CHECKMATE,
        claims=Claims("", None, winner),
    )
    item = item_of_game(
        replace(
            a_game(),
            white=Seat(players[WHITE], "ssb", f"{feeds[WHITE]} {KEY} guest"),
            black=Seat(players[BLACK], "ssb", f"{feeds[BLACK]} {KEY} host"),
            pending=(PendingCommand(bytes(32), move),),
        )
    )
    (held,) = json.loads(item["hd"]["S"])
    other = {"by": "b" if held["by"] == "w" else "w"} if lost == "by" else {}
    kept = {name: value for name, value in held.items() if name != lost} | other
    spoilt = {**item, "hd": {"S": json.dumps([kept])}}
    written = Wrote(at_ms=NOW_MS, who="worker", items=((item["pk"]["S"], None, spoilt),))
    told = (replace(wrote(content), author=feeds[author]), written)
    run = History(seed=1, servers=(SERVER.pubkey,), actors=(), happenings=told)
    is_claimed = lost is not None and (lost != "winner" or winner is not None)
    assert bool([*what_is_held_was_said(Evidence(run))]) is is_claimed


@pytest.mark.parametrize(
    ("until_ms", "written_ms", "skew_ms", "paused"),
    [
        (6_000, 6_000, 200, {0}),
        (SILENCE_MS + 1, SILENCE_MS + 1, 20_000, {SILENCE_MS + 1}),
        (6_000, 6_000, 20_000, {0, 6_000}),
        (6_000, SILENCE_MS + RETURN_MS, 0, {0, 6_000}),
    ],
)
def test_whether_a_silence_was_an_outage_depends_on_the_clock_that_judged_it(
    until_ms: int, written_ms: int, skew_ms: int, paused: set[int]
) -> None:
    story, heard_ms = live("e2e4"), NOW_MS
    last: Version = Evidence(story.history).changes[-1]
    item = {"pk": {"S": "heard"}, "at": {"N": str(heard_ms)}}
    noted = Wrote(at_ms=heard_ms, who="listener 1", items=(("heard", None, item),))
    happenings = (noted, *story.history.happenings)
    run = replace(story.history, happenings=happenings, skew_ms=skew_ms)
    one = replace(last, at=last.at + 1, at_ms=heard_ms + written_ms)
    assert still_ms(Evidence(run), one, heard_ms - 20_000, heard_ms + until_ms) == paused


@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
@pytest.mark.parametrize(("mine", "other"), [((1500, 350), (1500, 350)), ((2210, 45), (1380, 120))])
def test_two_ways_of_rating_a_game_agree(
    mine: tuple[float, float], other: tuple[float, float], score: float
) -> None:
    both, month_ms = (mine, other), 30 * DAY_MS
    ours = [core_rating.Rating(value=value, deviation=off) for value, off in both]
    theirs = [Rating(value=v, deviation=off, volatility=0.06, at_ms=0) for v, off in both]
    core, _ = core_rating.rate(ours[0], ours[1], score, month_ms)
    found = rated(theirs[0], theirs[1], score, month_ms)
    assert found.value == pytest.approx(core.value, abs=0.001)
    assert found.deviation == pytest.approx(core.deviation, abs=0.001)
    assert found.volatility == pytest.approx(core.volatility, abs=0.000_001)


def test_the_checker_imports_nothing_of_the_arbiter() -> None:
    here = ROOT / "tests/simulation"
    for path in (*(here / "checker").glob("*.py"), here / "history.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [it.name for it in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                is_own = name.startswith(("tests.simulation.checker", "tests.simulation.history"))
                foreign = {"arbiter", "functions", "local", "clients", "tests"}
                assert is_own or name.partition(".")[0] not in foreign, path
