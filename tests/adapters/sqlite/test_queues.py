"""The queues of the file: the inbox, timers, events that no relay took, messages of the bridge, and
dead letters. Records stay until they are done, also when the file is opened again.
"""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.sqlite.dead_letters import SqliteDeadLetters
from arbiter.adapters.sqlite.queues import SqliteInbox, SqliteOutbox, SqliteRepublishQueue
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.application.intake.queue_messages import republish_body
from arbiter.application.ports import Committed, LobbyChange
from arbiter.application.records import QueueEntry, QueueName, Republish, Timer
from arbiter.core.game import Outcome, Termination
from arbiter.dialects.outgoing import SsbMessage
from tests.builders import NOW_MS, a_game
from tests.fakes.clock import FakeClock

CLOCK = FakeClock(NOW_MS)
GAME = "0123456789abcdef" * 2


def an_entry(name: str, queue: QueueName = "moves") -> QueueEntry:
    return QueueEntry(queue=queue, body=f"body {name}", group_id="group", dedup_id=name)


def reached_the_disk(store: Store) -> None:
    store.write(lambda _: None)


def test_the_inbox_keeps_what_was_accepted_in_order_until_it_is_finished(path: Path) -> None:
    one, two, same, three = an_entry("1"), an_entry("2"), an_entry("1", "seeks"), an_entry("3")
    with Store.open(path) as store:
        inbox = SqliteInbox(store, CLOCK)
        inbox.accept([one, two, same])
        inbox.send([three])
        inbox.accept([replace(two, body="again")])
        inbox.finish([one])

    with Store.open(path) as store:
        found = SqliteInbox(store, CLOCK).unfinished()
    assert found == (two, same, three)


def test_an_entry_that_is_finished_may_come_again(store: Store) -> None:
    inbox = SqliteInbox(store, CLOCK)
    for _ in range(2):
        inbox.accept([an_entry("1")])
        inbox.finish([an_entry("1")])
    inbox.send([an_entry("1")])

    assert inbox.unfinished() == (an_entry("1"),)


def test_what_is_buried_waits_no_more_and_is_kept_with_the_reason(store: Store) -> None:
    inbox, out = SqliteInbox(store, CLOCK), SqliteOutbox(store, CLOCK)
    inbox.send([an_entry("1"), an_entry("2", "seeks")])
    out.send([SsbMessage("ab" * 32, "%root", {"type": "chess_move"})])
    (waiting,) = out.first()
    for entry in inbox.unfinished():
        inbox.bury(entry, "five attempts")
    out.bury(waiting.id, "never valid")

    assert SqliteDeadLetters(store).count() == 3
    assert (inbox.unfinished(), out.first()) == ((), ())
    kept = store.read(lambda cursor: cursor.execute("SELECT * FROM dead_letters").fetchall())
    times = (NOW_MS, NOW_MS)
    assert kept == [
        (1, "moves", "1", "group", "body 1", *times, "five attempts"),
        (2, "seeks", "2", "group", "body 2", *times, "five attempts"),
        (3, "outbox", waiting.id, waiting.group_id, waiting.body, *times, "never valid"),
    ]


def test_what_no_relay_took_is_due_in_order_until_it_is_done(path: Path) -> None:
    with Store.open(path) as store:
        again = SqliteRepublishQueue(store, CLOCK)
        assert again.due(2 * NOW_MS) == ()
        for text, seconds in (("third", 60), ("first", 0), ("second", 30), ("last", 3600)):
            again.send(text, seconds)

    with Store.open(path) as store:
        again = SqliteRepublishQueue(store, CLOCK)
        assert [it.body for it in again.due(NOW_MS)] == ["first"]
        assert [it.body for it in again.due(NOW_MS + 899_999)] == ["first", "second", "third"]
        first, *_, last = again.due(NOW_MS + 900_000)
        again.done(first)
        again.done(last)
        reached_the_disk(store)
        assert [it.body for it in again.due(2 * NOW_MS)] == ["second", "third"]


def a_message(number: int, root: str = "%root") -> SsbMessage:
    return SsbMessage(f"{number:064x}", root, {"type": "chess_move", "ply": number})


def test_a_message_waits_for_the_bridge_until_it_was_published(store: Store) -> None:
    out = SqliteOutbox(store, CLOCK)
    out.send([a_message(n) for n in range(3)])
    one, two, three = out.first()
    out.done(two.id)
    out.send([a_message(0)])

    assert out.first() == (one, three)
    assert out.first(1) == (one,)
    assert out.count() == 2


def test_a_message_is_deleted_once_and_never_another_in_its_place(store: Store) -> None:
    out = SqliteOutbox(store, CLOCK)
    for number in (1, 2):
        out.send([a_message(number)])
        out.done(a_message(1).id)
    out.bury(a_message(1).id, "never valid")

    assert [it.id for it in out.first()] == [a_message(2).id]
    assert SqliteDeadLetters(store).count() == 0


def test_messages_of_groups_that_rest_are_left_out(store: Store) -> None:
    out = SqliteOutbox(store, CLOCK)
    out.send([a_message(n, f"%{n % 3}") for n in range(6)])
    zero, one = out.first(2)

    found = out.first(10, {zero.group_id, one.group_id})
    assert [it.id for it in found] == [a_message(2).id, a_message(5).id]


def test_timers_are_due_in_order_and_until_they_are_done(path: Path) -> None:
    with Store.open(path) as store:
        timers = SqliteTimers(store)
        assert timers.due(2 * NOW_MS) == ()
        for at_ms, player in ((NOW_MS + 5, None), (NOW_MS, "ab" * 32), (NOW_MS, None)):
            timers.set((Timer(GAME, 7, at_ms, player),), NOW_MS)
            timers.set((Timer(GAME, 7, at_ms, player),), NOW_MS)

    with Store.open(path) as store:
        timers = SqliteTimers(store)
        assert timers.due(NOW_MS - 1) == ()
        now = {Timer(GAME, 7, NOW_MS), Timer(GAME, 7, NOW_MS, "ab" * 32)}
        assert {*timers.due(NOW_MS + 4)} == now
        assert timers.due(NOW_MS + 5)[-1] == Timer(GAME, 7, NOW_MS + 5)
        assert len(timers.due(NOW_MS, 1)) == 1
        timers.done([*now])
        reached_the_disk(store)
        assert timers.due(2 * NOW_MS) == (Timer(GAME, 7, NOW_MS + 5),)


@pytest.mark.parametrize("way", ["lobby", "browser", "move"])
def test_a_game_is_never_without_its_timer(store: Store, way: str) -> None:
    at_ms = NOW_MS + 60_000
    game = replace(a_game(), id=uuid4().hex, timer_at_ms=None if way == "move" else at_ms)
    if way == "browser":
        assert StoredBrowsers(SqliteTable(store)).start(uuid4().hex, game)
    else:
        assert StoredLobby(SqliteTable(store), CLOCK).commit(LobbyChange(game=game))
    if way == "move":
        moved = replace(game, timer_at_ms=at_ms, item_version=2)
        assert StoredGames(SqliteTable(store)).commit(game, moved) == Committed()

    assert SqliteTimers(store).due(at_ms) == (Timer(game.id, 0, at_ms),)


def test_a_game_that_ended_sets_no_timer(store: Store) -> None:
    game = replace(a_game(), id=uuid4().hex)
    assert StoredLobby(SqliteTable(store), CLOCK).commit(LobbyChange(game=game))
    over = replace(
        game, outcome=Outcome(Termination.RESIGNATION, None), timer_at_ms=NOW_MS, item_version=2
    )

    assert StoredGames(SqliteTable(store)).commit(game, over) == Committed()

    assert SqliteTimers(store).due(2 * NOW_MS) == ()


def test_a_publication_waits_once_however_often_it_is_asked_for_and_no_longer_than_the_last_said(
    path: Path,
) -> None:
    def order(attempt: int, game: str = GAME) -> str:
        return republish_body(Republish(game, NOW_MS, None, attempt))

    with Store.open(path) as store:
        republish = SqliteRepublishQueue(store, FakeClock(NOW_MS))
        republish.send(order(9), 600)
        republish.send(order(1), 2)
        republish.send(order(2), 900)
        republish.send(order(1, "f" * 32), 900)
        waiting = [
            [one.body for one in republish.due(NOW_MS + after_ms)]
            for after_ms in (1_999, 2_000, 899_999, 900_000)
        ]
    assert waiting == [[], [order(9)], [order(9)], [order(9), order(1, "f" * 32)]]
