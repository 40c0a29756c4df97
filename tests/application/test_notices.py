"""Players who are away are told that it is their turn: over the records of both queues."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from arbiter.adapters.items.recipients import StoredRecipients
from arbiter.adapters.items.table import Table
from arbiter.application.connections import Connection
from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.notices.change import CHANGES_AN_HOUR
from arbiter.core.notices import DAY_MS, EVERY_MS, MAX_DEVICES, MAX_TRIES, SENDING_MS
from arbiter.core.outages import Outage, RelayUptime
from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.limits import GIFT_WRAP
from arbiter.nostr.nip17 import wrap_message
from tests.application.random_evening import empty_table
from tests.application.script import Conversation, run
from tests.application.world import Table as Played
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event
from tests.fakes.connections import FakeConnections
from tests.fakes.notices import NoticeWorld
from tests.fakes.policy import FixedPolicy
from tests.fakes.stores import MemoryTable

DAYS = ("time", "2d")
DEVICE, SEALED = "0123456789abcdef", "A" * 132


@pytest.fixture(params=("sqlite", "dynamodb"))
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with empty_table(request.param) as table:
        yield table


@pytest.fixture
def notices(table: Table) -> NoticeWorld:
    return NoticeWorld(World(), table)


def asks(notices: NoticeWorld, content: str, key: object = BOB) -> VerifiedEvent:
    """Bob asks this; the answer, once its notices are seen to and ten minutes have passed."""
    (answer,) = notices.world.ask(key, content)  # type: ignore[arg-type]
    notices.see_to_all()
    notices.world.clock.ms += EVERY_MS
    notices.messenger.taken.clear()
    notices.push.taken.clear()
    return answer


def test_a_move_by_days_is_told_to_the_other_player_and_to_nobody_else(
    notices: NoticeWorld,
) -> None:
    asks(notices, "notify:dm")
    game = notices.world.start(ALICE, BOB, DAYS)
    notices.see_to_all()
    notices.messenger.taken.clear()
    notices.world.clock.ms += EVERY_MS
    if game.white is BOB:
        game.say("e2e4")
        notices.see_to_all()
        assert notices.messenger.taken == [], "Alice asked for nothing, and Bob has moved"
    game.say("e7e5" if game.white is BOB else "e2e4", key=ALICE)
    assert notices.see_to_all() == ["notice-sent"]
    ((to, text),) = notices.messenger.taken
    assert to == BOB.pubkey
    url = f"https://chess.example/#/game/{game.game_id}"
    assert text == f"It is your turn. {url} (Answer stop to hear no more.)"


def test_a_live_game_is_told_to_nobody(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    game = notices.world.start(ALICE, BOB, ("time", "300+3"))
    game.say("e2e4")
    assert notices.queue.bodies == []


def test_without_the_operators_word_nothing_is_asked_or_kept() -> None:
    notices = NoticeWorld(World(), wanted=False)
    (answer,) = notices.world.ask(BOB, "notify:dm")
    assert answer.content.startswith("error:not-offered-here")
    notices.world.start(ALICE, BOB, DAYS).say("e2e4")
    assert notices.queue.bodies == []
    assert not notices.recipients.load(BOB.pubkey).item_version


def test_a_challenge_is_told(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    notices.world.ask(ALICE, "", DAYS, ("challenge", BOB.pubkey))
    assert notices.see_to_all() == ["notice-sent"]
    assert notices.messenger.taken[0][1].startswith("You are challenged. https://chess.example/")


def test_a_challenge_that_was_withdrawn_is_not(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    notices.world.ask(ALICE, "", DAYS, ("challenge", BOB.pubkey))
    bodies, notices.queue.bodies = notices.queue.bodies, []
    notices.world.clock.ms += 1000
    notices.world.ask(ALICE, "cancel")
    notices.queue.bodies = bodies
    assert notices.see_to_all() == ["notice-superseded"]


def told_of(notices: NoticeWorld) -> str:
    """A game in which Alice has moved, and Bob is to be told. Its id."""
    game = notices.world.start(ALICE, BOB, DAYS)
    if game.white is BOB:
        game.say("e2e4")
    notices.queue.bodies.clear()
    game.say("e7e5" if game.white is BOB else "e2e4")
    return game.game_id


def test_a_record_that_comes_again_is_told_once(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    told_of(notices)
    notices.see_to_all(again=3)
    assert len(notices.messenger.taken) == 1


def test_who_moved_meanwhile_is_not_told(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    game = notices.world.start(ALICE, BOB, DAYS)
    if game.white is BOB:
        game.say("e2e4")
    notices.queue.bodies.clear()
    game.say("e7e5" if game.white is BOB else "e2e4")
    bodies = [*notices.queue.bodies]
    game.say("g1f3" if game.white is BOB else "e7e5")
    game.say("b1c3" if game.white is ALICE else "b8c6")
    notices.queue.bodies = bodies
    assert notices.see_to_all() == ["notice-superseded"], (
        "of this state; the next is told by itself"
    )
    assert notices.messenger.taken == []


def bobs_turn(notices: NoticeWorld) -> Played:
    """A game in which Alice has just moved; of it alone Bob is to be told."""
    game = notices.world.start(ALICE, BOB, DAYS)
    if game.white is BOB:
        game.say("e2e4")
    notices.queue.bodies.clear()
    game.say("e7e5" if game.white is BOB else "e2e4")
    return game


def test_an_offer_takes_no_notice_away_and_makes_no_other(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    game = bobs_turn(notices)
    game.say("draw", key=ALICE)
    assert len(notices.queue.bodies) == 1, "it was Bob's turn before"
    assert notices.see_to_all() == ["notice-sent"]
    notices.world.clock.ms += EVERY_MS
    game.say("decline", key=BOB)
    game.say("takeback", key=ALICE)
    assert notices.queue.bodies == []


def test_a_record_that_comes_again_after_an_offer_asks_for_the_same_notice(
    notices: NoticeWorld,
) -> None:
    asks(notices, "notify:dm")
    game = notices.world.start(ALICE, BOB, DAYS)
    if game.white is BOB:
        game.say("e2e4")
    notices.queue.bodies.clear()
    move = game.move_event("e7e5" if game.white is BOB else "e2e4")
    notices.world.hear(move)
    (moved,) = notices.queue.bodies
    game.say("draw", key=ALICE, name_state=False)
    notices.queue.bodies.clear()
    notices.world.hear(move)
    assert notices.queue.bodies == [moved]


def test_a_move_that_was_taken_back_is_told_as_a_turn_of_its_own(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    game = bobs_turn(notices)
    game.say("g1f3" if game.white is BOB else "e7e5", key=BOB)
    notices.queue.bodies.clear()
    game.say("takeback", key=BOB)
    notices.queue.bodies.clear()
    game.say("takeback", key=ALICE)
    assert notices.see_to_all() == ["notice-sent"]


def test_a_vacation_of_the_player_to_move_leaves_their_notice(notices: NoticeWorld) -> None:
    policy = notices.world.deps.policy.store
    assert isinstance(policy, FixedPolicy)
    policy.policy = replace(policy.policy, vacation_days=9)
    asks(notices, "notify:dm")
    notices.world.ask(EVE, "", DAYS, ("challenge", BOB.pubkey))
    assert notices.see_to_all() == ["notice-sent"]
    game = bobs_turn(notices)
    assert notices.see_to_all() == ["notice-waits"]
    notices.world.clock.ms += 1000
    timers = [*notices.world.timers.near]
    game.say("vacation:9", key=BOB)
    notices.world.clock.ms += 3 * DAY_MS
    notices.world.timers.near = timers
    assert fired(notices)[0] == "notice-sent", "though the deadline that it had has passed"


def test_who_began_the_game_by_their_own_request_is_not_told(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    asked = notices.world.ask(ALICE, "", DAYS, ("challenge", BOB.pubkey), ("color", "black"))
    challenge = next(it.content for it in asked if it.content.startswith("challenged:"))
    notices.queue.bodies.clear()
    notices.world.ask(BOB, f"accept:{challenge.split(':')[1]}")
    assert notices.queue.bodies == [], "Bob has White, and is there"


def test_who_has_a_socket_open_is_not_told(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    connections = notices.world.connections
    assert isinstance(connections, FakeConnections)
    told_of(notices)
    now_ms = notices.world.clock.ms
    connections.add(Connection(id="s", address="a", challenge="c", opened_at_ms=now_ms), now_ms)
    connections.meet("s", BOB.pubkey)
    assert notices.see_to_all() == ["notice-superseded"]
    connections.remove("s")
    notices.world.clock.ms += EVERY_MS
    told_of(notices)
    assert "notice-sent" in notices.see_to_all()


def fired(notices: NoticeWorld) -> list[str]:
    """Let the timers of notices fire when they are due; the words for what they lead to."""
    world, words = notices.world, []
    timers = {timer for body, _ in world.timers.near if (timer := parse_timer(body))}
    world.timers.near.clear()
    for timer in sorted(timers, key=lambda it: it.at_ms):
        if not (timer.player or "").startswith("notice:"):
            continue
        world.clock.ms = max(world.clock.ms, timer.at_ms)
        assert world.deliver(world.record(timer_entry(timer, world.clock.ms).body)) == ()
        words += notices.see_to_all()
    return words


def test_what_waits_is_told_when_its_timer_fires(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    told_of(notices)
    notices.see_to_all()
    notices.world.ask(EVE, "", DAYS, ("challenge", BOB.pubkey))
    assert notices.see_to_all() == ["notice-waits"]
    assert fired(notices) == ["notice-sent"]
    assert [text.partition(".")[0] for _, text in notices.messenger.taken] == [
        "It is your turn",
        "You are challenged",
    ]
    assert fired(notices) == []


def test_relays_that_take_nothing_are_tried_a_few_times(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    notices.messenger.deaf = True
    told_of(notices)
    words = notices.see_to_all()
    for _ in range(2 * MAX_TRIES):
        words += fired(notices)
    assert words == ["notice-failed"] * (MAX_TRIES - 1) + ["notice-given-up"]


def test_a_process_that_ends_once_the_message_is_out_tells_it_twice(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    told_of(notices)
    notices.messenger.dies = 5
    words = []
    for _ in range(6):
        words += notices.see_to_all()
        notices.world.clock.ms += SENDING_MS
    assert words == ["crashed", "crashed", "notice-unwanted"]
    assert len(notices.messenger.taken) == 2


def test_a_queue_that_fails_keeps_no_move(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    notices.queue.fails = True
    told_of(notices)
    assert "failed" not in notices.world.statuses()


def test_devices_are_told_and_those_that_are_gone_are_forgotten(notices: NoticeWorld) -> None:
    answer = asks(notices, f"notify:push:{DEVICE}:{SEALED}")
    assert (answer.content, answer.tags[1]) == ("notify", ("push", DEVICE))
    game_id = told_of(notices)
    assert notices.see_to_all() == ["notice-sent"]
    ((device, text),) = notices.push.taken
    said = {"text": "It is your turn.", "tag": f"turn:{game_id}", "url": f"#/game/{game_id}"}
    assert (device, json.loads(text)) == (DEVICE, said)
    notices.push.answer = "gone"
    notices.world.clock.ms += EVERY_MS
    notices.world.ask(EVE, "", DAYS, ("challenge", BOB.pubkey))
    assert notices.see_to_all() == ["notice-failed"]
    assert notices.recipients.load(BOB.pubkey).devices == ()


def test_without_a_key_that_signs_pushes_none_are_promised(notices: NoticeWorld) -> None:
    world = notices.world
    world.deps = replace(world.deps, recipients=StoredRecipients(MemoryTable()))
    answer = asks(notices, f"notify:push:{DEVICE}:{SEALED}")
    assert answer.content == "error:not-offered-here: no pushes are sent here"
    assert asks(notices, "notify:dm").tags[1:2] == (("dm",),)


def test_many_devices_of_one_key_are_refused(notices: NoticeWorld) -> None:
    for number in range(MAX_DEVICES):
        asks(notices, f"notify:push:{number:016x}:{SEALED}")
    answer = asks(notices, f"notify:push:{99:016x}:{SEALED}")
    assert answer.content.startswith("error:full: ")
    notices.world.clock.ms += 1000
    off = asks(notices, f"notify:push:{0:016x}:off")
    assert off.tags[1][0] == "push"
    assert len(off.tags[1]) == MAX_DEVICES
    assert asks(notices, f"notify:push:{99:016x}:{SEALED}").content == "notify"


def test_thousands_of_subscriptions_of_one_key_cost_thirty_writes_an_hour(
    notices: NoticeWorld,
) -> None:
    said = Counter[str]()
    for number in range(300):
        (answer,) = notices.world.ask(BOB, f"notify:push:{number:016x}:{SEALED}") or (None,)
        said[answer.content.rpartition(": ")[0] if answer else ""] += 1
        notices.queue.bodies.clear()
        notices.world.clock.ms += 1000
    assert said["error:rate-limited"] >= 300 - CHANGES_AN_HOUR - MAX_DEVICES
    assert notices.recipients.load(BOB.pubkey).item_version == MAX_DEVICES


@pytest.mark.parametrize(
    "content",
    [
        "notify:mail",
        "notify:dm:maybe",
        "notify:push:xyz:" + SEALED,
        "notify:push::",
        "notify:push:" + DEVICE + ":" + "A" * 3000,
    ],
)
def test_what_is_no_such_wish_is_refused(notices: NoticeWorld, content: str) -> None:
    assert asks(notices, content).content.startswith("error:bad-terms: notify: dm, dm:off")


def test_an_unknown_key_shows_the_work_that_a_request_to_play_needs() -> None:
    notices = NoticeWorld(World(Rules(work_of_strangers=20)))
    assert asks(notices, "notify:dm").content == "error:pow: 20"


def test_an_older_wish_changes_nothing(notices: NoticeWorld) -> None:
    now = notices.world.clock.ms // 1000
    named = (("p", SERVER.pubkey),)
    off, on = (
        an_event(BOB, 20300, it, named, at)
        for it, at in (("notify:dm:off", now), ("notify:dm", now - 60))
    )
    notices.world.hear(an_event(BOB, 20300, "notify:dm", named, now - 90))
    notices.world.hear(off)
    notices.world.hear(on)
    assert not notices.recipients.load(BOB.pubkey).dm


def test_a_wish_that_is_dated_ahead_is_ended_by_the_next(notices: NoticeWorld) -> None:
    now, named = notices.world.clock.ms // 1000, (("p", SERVER.pubkey),)
    notices.world.hear(an_event(BOB, 20300, "notify:dm", named, now + 86_400))
    assert notices.recipients.load(BOB.pubkey).dm
    notices.world.clock.ms += 1000
    notices.world.hear(an_event(BOB, 20300, "notify:dm:off", named, now + 1))
    assert not notices.recipients.load(BOB.pubkey).dm


def says(notices: NoticeWorld, text: str, key: object = BOB, at: int | None = None) -> list[str]:
    at = notices.world.clock.ms // 1000 if at is None else at
    wrap = wrap_message(key, SERVER.pubkey, text, at, lambda size: bytes([7] * size))  # type: ignore[arg-type]
    assert wrap is not None
    assert wrap.kind == GIFT_WRAP
    notices.world.hear(wrap)
    return notices.see_to_all()


@pytest.mark.parametrize("text", ["stop", "Stop.", "  STOP!\n"])
def test_stop_stops_it(notices: NoticeWorld, text: str) -> None:
    asks(notices, "notify:dm")
    asks(notices, f"notify:push:{DEVICE}:{SEALED}")
    assert says(notices, text) == ["notices-stopped"]
    assert not notices.recipients.load(BOB.pubkey).is_reachable
    told_of(notices)
    assert set(notices.see_to_all()) == {"notice-unwanted"}


def test_what_is_not_stop_stops_nothing(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    assert says(notices, "please stop my opponent") == ["message-unread"]
    assert says(notices, "stop", EVE) == ["notices-stopped"]
    assert not notices.recipients.load(EVE.pubkey).item_version, "a stranger's leaves no trace"
    assert notices.recipients.load(BOB.pubkey).dm


def test_an_old_stop_that_comes_again_does_not_undo_a_later_wish(notices: NoticeWorld) -> None:
    asks(notices, "notify:dm")
    stopped_at = notices.world.clock.ms // 1000
    says(notices, "stop")
    notices.world.clock.ms += 5000
    asks(notices, "notify:dm")
    says(notices, "stop", at=stopped_at)
    assert notices.recipients.load(BOB.pubkey).dm
    says(notices, "stop", at=2**40)
    notices.world.clock.ms += 5000
    asks(notices, "notify:dm")
    assert notices.recipients.load(BOB.pubkey).dm, "one that is dated ahead counts as of now"


def test_a_wish_is_kept_as_it_was_encrypted(notices: NoticeWorld) -> None:
    asks(notices, f"notify:push:{DEVICE}:{SEALED}")
    before = notices.recipients.load(BOB.pubkey)
    assert before.devices[0].sealed == SEALED
    assert notices.recipients.commit(before, replace(before, dm=True))
    assert not notices.recipients.commit(before, before), "another was first"


CLOSES_DAYS = Rules().abandoned_days


def abandoned(table: Table) -> tuple[Conversation, NoticeWorld]:
    """A game without a clock in which Bob, who is told of turns, is to move."""
    talk = run("bob seek; +alice start; +alice e2e4")
    notices = NoticeWorld(talk.world, table)
    asks(notices, "notify:dm", talk.players.key("bob"))
    return talk, notices


def pass_days(talk: Conversation, days: int) -> None:
    """Each of these days the timers that are due come to their games."""
    world = talk.world
    for _ in range(days):
        talk.line("wait 1d")
        due = [it for it in world.timers.far if it.at_ms <= world.clock.ms]
        for timer in due:
            del world.timers.far[timer]
            assert world.deliver(world.record(timer_entry(timer, world.clock.ms).body)) == ()


def test_who_lets_a_game_without_a_clock_be_is_told_some_days_before_it_is_closed(
    table: Table,
) -> None:
    talk, notices = abandoned(table)
    pass_days(talk, CLOSES_DAYS - 4)
    assert notices.queue.bodies == []
    pass_days(talk, 1)
    assert notices.see_to_all() == ["notice-sent"]
    ((to, text),) = notices.messenger.taken
    assert to == talk.players.key("bob").pubkey
    assert text.startswith("A game closes soon unless you move. https://chess.example/#/game/")
    pass_days(talk, 2)
    assert (talk.fact("end"), notices.see_to_all()) == ("-", [])
    pass_days(talk, 1)
    assert talk.game().outcome is not None
    assert notices.see_to_all() == []


def test_a_timer_that_comes_again_makes_no_second_notice_and_no_lost_one(table: Table) -> None:
    talk, notices = abandoned(table)
    pass_days(talk, CLOSES_DAYS - 4)
    (timer,) = talk.world.timers.far
    pass_days(talk, 1)
    notices.queue.bodies.clear()  # the process died before it asked
    again = timer_entry(timer, talk.world.clock.ms).body
    for _ in range(3):
        assert talk.world.deliver(talk.world.record(again)) == ()
    assert notices.see_to_all() == ["notice-sent", "notice-unwanted", "notice-unwanted"]
    assert talk.world.statuses()[-3:] == ["tick-late"] * 3


def test_each_position_that_is_let_be_has_a_notice(table: Table) -> None:
    talk, notices = abandoned(table)
    pass_days(talk, CLOSES_DAYS - 2)
    assert notices.see_to_all() == ["notice-sent"]
    talk.line("bob e7e5; +alice g1f3")
    notices.queue.bodies.clear()
    pass_days(talk, CLOSES_DAYS - 4)
    assert (talk.fact("end"), notices.queue.bodies) == ("-", [])
    pass_days(talk, 1)
    assert notices.see_to_all() == ["notice-sent"]
    assert [text.partition(".")[0] for _, text in notices.messenger.taken] == [
        "A game closes soon unless you move"
    ] * 2
    pass_days(talk, 3)
    assert talk.game().outcome is not None


def test_a_game_whose_relays_were_silent_closes_later_and_is_not_looked_at_all_the_time(
    table: Table,
) -> None:
    talk, _ = abandoned(table)
    pass_days(talk, CLOSES_DAYS - 1)
    now_ms, outages = talk.world.clock.ms, talk.world.outages
    silence = Outage(now_ms, now_ms + DAY_MS // 2)
    outages.known = RelayUptime(now_ms + 3 * DAY_MS, (silence,))
    pass_days(talk, 1)
    assert talk.game().outcome is None
    assert (talk.game().timer_at_ms or 0) > talk.world.clock.ms
    pass_days(talk, 1)
    assert talk.game().outcome is not None
