"""From the log to the queue: envelopes, the cursor, and a queue that fails."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arbiter.adapters.relays.counters import Counters
from arbiter.application.records import QueueEntry
from arbiter.dialects.ssb.messages import ENVELOPE, digits_of, read_envelope
from arbiter.nostr.event import NostrEvent, VerifiedEvent, event_from_json, verify
from arbiter.nostr.keys import SecretKey
from bridge.cursor import Cursor
from bridge.envelopes import EnvelopeWriter
from bridge.incoming import Incoming
from tests.bridge.logs import ANNA, BERT, US, ArrivedLog, Author

KEY = SecretKey.from_hex("77" * 32)
SERVER = "ab" * 32
NOW_S = 1_800_000_000


class FixedClock:
    def __init__(self) -> None:
        self.ms = NOW_S * 1000

    def now_ms(self) -> int:
        return self.ms


class RememberingQueue:
    """Takes what its test lets it."""

    def __init__(self) -> None:
        self.taken: list[QueueEntry] = []
        self.refuses: set[str] = set()
        self.is_down = False

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        refused = [it for it in batch if self.is_down or it.group_id in self.refuses]
        self.taken += [it for it in batch if it not in refused]
        return refused


class Harness:
    """An `Incoming` over a log in memory; `again` is another one after a restart."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = ArrivedLog()
        self.queue = RememberingQueue()
        self.clock = FixedClock()
        self.counters = Counters()
        self.again()

    def again(self) -> None:
        self.incoming = Incoming(
            log=self.log,
            us=US,
            writer=EnvelopeWriter(KEY, SERVER, US),
            queue=self.queue,
            cursor=Cursor(self.directory),
            clock=self.clock,
            counters=self.counters,
        )

    def catch_up(self) -> None:
        while self.incoming.step():
            pass

    def keys(self) -> list[str]:
        return [json.loads(event_of(it).content)["key"] for it in self.queue.taken]


def event_of(entry: QueueEntry) -> VerifiedEvent:
    read = event_from_json(json.loads(entry.body)["event"])
    assert isinstance(read, NostrEvent)
    event = verify(read)
    assert isinstance(event, VerifiedEvent)
    return event


def test_a_message_becomes_an_envelope_that_the_arbiter_can_read(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    anna = Author(ANNA)
    invite = harness.log.arrive(anna.invites(US))
    move = harness.log.arrive(anna.moves(invite, 1, "e2e4"))
    harness.catch_up()

    asked, played = map(event_of, harness.queue.taken)
    envelope = read_envelope(played)
    assert envelope is not None
    assert (envelope.key, envelope.author) == (move.key, ANNA)
    assert (envelope.us, envelope.root) == (US, invite.key)
    assert envelope.content == move.content
    assert envelope.event_key == digits_of(move.key)
    assert not envelope.forked
    assert (asked.kind, asked.pubkey, asked.tags) == (ENVELOPE, KEY.pubkey, (("p", SERVER),))
    assert asked.created_at == NOW_S
    assert [it.queue for it in harness.queue.taken] == ["seeks", "moves"]
    assert len({it.group_id for it in harness.queue.taken}) == 1


def test_a_refused_envelope_is_sent_again_and_delays_its_own_game_alone(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    anna, bert = Author(ANNA), Author(BERT)
    one = harness.log.arrive(anna.invites(US))
    harness.catch_up()
    harness.queue.refuses = {harness.queue.taken[0].group_id}
    stuck = harness.log.arrive(anna.moves(one, 1, "e2e4"))
    two = harness.log.arrive(bert.invites(US))
    harness.catch_up()

    assert harness.keys() == [one.key, two.key]
    assert harness.incoming.waiting == 1

    harness.queue.refuses = set()
    harness.catch_up()
    assert harness.keys() == [one.key, two.key, stuck.key]
    assert harness.incoming.waiting == 0


def test_a_restarted_bridge_sends_what_the_queue_did_not_take(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    anna = Author(ANNA)
    invite = harness.log.arrive(anna.invites(US))
    harness.catch_up()
    harness.queue.is_down = True
    moves = [harness.log.arrive(anna.moves(invite, ply, "e2e4")) for ply in (1, 3, 5, 7)]
    harness.catch_up()
    harness.clock.ms += 3_600_000

    harness.queue.is_down = False
    harness.again()
    harness.catch_up()

    assert harness.keys()[-4:] == [it.key for it in moves]


def test_old_messages_are_not_sent_again(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    anna = Author(ANNA)
    invite = harness.log.arrive(anna.invites(US))
    harness.catch_up()
    harness.clock.ms += 3_600_000
    move = harness.log.arrive(anna.moves(invite, 1, "e2e4"))
    harness.again()
    harness.catch_up()

    assert harness.keys() == [invite.key, move.key]


def test_after_a_lost_cursor_envelopes_are_repeated(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.log.arrive(Author(ANNA).invites(US))
    harness.catch_up()
    (tmp_path / "cursor.json").write_text("{ half a")
    harness.clock.ms += 3_600_000
    harness.again()
    harness.catch_up()

    assert len(set(harness.keys())) == 1
    first, second = harness.queue.taken
    assert (first.dedup_id, first.group_id) == (second.dedup_id, second.group_id)


def test_the_cursor_stays_some_minutes_behind_however_busy_the_log(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    for minute in range(60):
        for second in range(0, 60, 5):
            at_s = NOW_S + 60 * minute + second
            cursor.advance(at_s - NOW_S, at_s)

    reached = NOW_S + 3595
    behind = 3595 - Cursor(tmp_path).starts_after(reached)
    assert 600 <= behind <= 720
    assert len(json.loads((tmp_path / "cursor.json").read_text())) < 20


def test_a_fork_is_reported_once_in_each_game_of_its_author(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    anna, bert = Author(ANNA), Author(BERT)
    first = harness.log.arrive(anna.invites(US))
    last = harness.log.arrive(anna.moves(first, 1, "e2e4"))
    second = harness.log.arrive(anna.invites(US))
    harness.log.arrive(bert.invites(US))
    harness.catch_up()
    sent = len(harness.queue.taken)
    harness.log.forked[ANNA] = (2, last.key)
    for _ in range(2):
        harness.incoming.tell_forks()
        harness.catch_up()

    told = [event_of(it) for it in harness.queue.taken[sent:]]
    assert [json.loads(it.content)["key"] for it in told] == [last.key, second.key]
    assert [
        it for it in told if json.loads(it.content)["fork"] != {"sequence": 2, "known": last.key}
    ] == []
    assert [
        envelope for envelope in map(read_envelope, told) if envelope is None or not envelope.forked
    ] == []
    # Or the queue would take it for the message that it has had already.
    assert not {it.dedup_id for it in harness.queue.taken[:sent]} & {
        it.dedup_id for it in harness.queue.taken[sent:]
    }


def test_a_message_that_fits_no_envelope_is_counted_and_skipped(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    anna = Author(ANNA)
    invite = harness.log.arrive(anna.invites(US))
    harness.log.arrive(replace(anna.moves(invite, 1, "e2e4"), key="%no key.sha256"))
    move = harness.log.arrive(anna.moves(invite, 1, "d2d4"))
    harness.catch_up()

    assert harness.keys() == [invite.key, move.key]
    assert harness.counters.counts()["no-letter"] == 1


def test_what_is_sent_again_does_not_take_the_cursor_back(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    for place, minute in ((10, 0), (30, 5), (20, 40), (21, 55)):
        cursor.advance(place, NOW_S + 60 * minute)

    assert Cursor(tmp_path).starts_after(NOW_S + 4_200) == 30
