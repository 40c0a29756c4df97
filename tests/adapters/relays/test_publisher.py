"""The publisher's threads and connections, against relays on loopback."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from arbiter.adapters.relays.publish_attempt import (
    SUBSCRIPTION,
    VERIFY_STORED_SECONDS,
    Authenticate,
)
from arbiter.adapters.relays.publisher import PublishReport, RelayPublisher
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus
from tests.adapters.relays.stand_ins import a_move, json_of
from tests.builders import SERVER
from tests.fakes.relay import PATIENCE_SECONDS, Client, FakeRelay, Message

THREE = a_move("g1f3", by=SERVER)
ONE, TWO = a_move("e2e4", by=SERVER), a_move("e7e5", by=SERVER)
SOON_SECONDS = 1.0
"""A deadline that is meant to pass, but not before a relay on a busy machine has answered."""
ACCEPTED, RETRY, GIVE_UP, NOT_STORED, UNANSWERED = (
    PublishStatus.ACCEPTED,
    PublishStatus.RETRY,
    PublishStatus.GIVE_UP,
    PublishStatus.NOT_STORED,
    PublishStatus.UNANSWERED,
)


@contextmanager
def publishing(
    *urls: str,
    authenticate: Authenticate | None = None,
    monotonic: Callable[[], float] = lambda: 0.0,
    settle_seconds: float = PATIENCE_SECONDS,
) -> Iterator[RelayPublisher]:
    publisher = RelayPublisher(
        urls,
        authenticate=authenticate,
        monotonic=monotonic,
        chance=lambda: 1.0,
        settle_seconds=settle_seconds,
    )
    try:
        yield publisher
    finally:
        publisher.close()


def published(
    publisher: RelayPublisher, *events: VerifiedEvent, deadline_seconds: float = PATIENCE_SECONDS
) -> PublishReport:
    return publisher.publish(events or (ONE,), deadline_seconds)


def statuses(report: PublishReport, event: VerifiedEvent = ONE) -> list[PublishStatus]:
    return list(report.statuses[event.id].values())


def a_dead_url() -> str:
    with FakeRelay() as relay:
        return relay.url


def refuse(client: Client, message: Message) -> None:
    client.send("OK", message[1]["id"], False, "blocked: not here")


def ignore(client: Client, message: Message) -> None:
    del message
    client.answers_pings = False


def drop(client: Client, message: Message) -> None:
    del message
    client.drop()


def test_all_events_go_to_all_relays_in_order_over_connections_that_are_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeRelay() as one, FakeRelay() as two, publishing(one.url, two.url) as publisher:
        assert publisher.publish((), 1.0).statuses == {}
        publisher.close()  # it may be used again
        assert not one.clients
        published(publisher, ONE, TWO)
        report = published(publisher, ONE, TWO)
        for relay in (one, two):
            sent = [relay.message("EVENT", number) for number in range(1, 5)]
            assert sent == [["EVENT", json_of(event)] for event in (ONE, TWO, ONE, TWO)]
            assert len(relay.clients) == 1
    assert report.statuses == {
        event.id: {one.url: ACCEPTED, two.url: ACCEPTED} for event in (ONE, TWO)
    }
    assert report.is_accepted(ONE.id)
    assert not report.is_accepted("00" * 32)
    assert not caplog.records


def test_one_relay_that_takes_it_is_enough_and_the_others_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    with (
        FakeRelay(on_event=refuse) as closed,
        FakeRelay() as open_,
        publishing(closed.url, open_.url, dead := a_dead_url()) as publisher,
    ):
        report = published(publisher)
    assert statuses(report) == [GIVE_UP, ACCEPTED, RETRY]
    assert report.is_accepted(ONE.id)
    assert [record.msg for record in caplog.records] == [
        {"status": "untaken", "relay": closed.url, "events": 1, "why": ["give_up"]},
        {"status": "untaken", "relay": dead, "events": 1, "why": ["retry"]},
    ]


def test_what_must_be_stored_is_not_taken_where_there_were_no_subscribers() -> None:
    def answer(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], False, "mute: no one was listening for this")

    rating = SERVER.sign(EventTemplate(30300, (("d", "bullet"),), "", 1_800_000_000))
    with FakeRelay(on_event=answer) as relay, publishing(relay.url) as publisher:
        report = published(publisher, ONE, rating)
    assert statuses(report, rating) == [RETRY]
    assert not report.is_accepted(rating.id)
    assert report.is_accepted(ONE.id)


def test_a_relay_that_dies_midway_gets_the_same_bytes_on_a_new_connection() -> None:
    deaths = iter([True])

    def die_first(client: Client, message: Message) -> None:
        if message[1]["id"] == TWO.id and next(deaths, False):
            client.drop()
        else:
            client.send("OK", message[1]["id"], True, "")

    with FakeRelay(on_event=die_first) as relay, publishing(relay.url) as publisher:
        report = published(publisher, ONE, TWO)
        assert report.is_accepted(ONE.id)
        assert report.is_accepted(TWO.id)
        assert len(relay.clients) == 2
        sent = [message for _, message in relay.messages if message[0] == "EVENT"]
        assert sent == [["EVENT", json_of(event)] for event in (ONE, TWO, TWO)]


def test_after_a_refusal_that_names_no_event_there_is_a_new_connection() -> None:
    with (
        FakeRelay(on_event=lambda c, _: c.send("OK", "", False, "invalid: no")) as relay,
        publishing(relay.url) as publisher,
    ):
        assert statuses(published(publisher)) == [GIVE_UP]
        relay.on_event = relay.answer_event
        assert published(publisher).is_accepted(ONE.id)
        assert len(relay.clients) == 2


def test_a_kept_connection_that_was_closed_or_is_half_open_is_replaced() -> None:
    def answer_and_go_deaf(client: Client, message: Message) -> None:
        relay.answer_event(client, message)
        client.go_deaf()

    with FakeRelay() as relay, publishing(relay.url) as publisher:
        published(publisher)
        relay.client(1).close()
        relay.on_event = answer_and_go_deaf
        assert published(publisher, TWO).is_accepted(TWO.id)
        relay.on_event = relay.answer_event
        assert published(publisher, deadline_seconds=2.0).is_accepted(ONE.id)
        assert len(relay.clients) == 3
        assert publisher.counters["silent"] == 1


def test_a_kept_connection_of_a_far_relay_is_not_taken_for_a_dead_one() -> None:
    def answer_from_afar(client: Client, message: Message) -> None:
        time.sleep(0.4)  # more than the share of the deadline that others are given
        relay.answer_event(client, message)

    relay = FakeRelay(on_event=answer_from_afar)
    with relay, publishing(relay.url) as publisher:
        for event in (ONE, TWO, ONE):
            assert published(publisher, event, deadline_seconds=1.5).is_accepted(event.id)
        assert len(relay.clients) == 1
        assert publisher.counters["silent"] == 0


def test_once_all_is_taken_somewhere_a_silent_relay_is_not_waited_for() -> None:
    with (
        FakeRelay(on_event=ignore) as silent,
        FakeRelay() as well,
        publishing(silent.url, well.url, settle_seconds=0.0) as publisher,
    ):
        reports: list[PublishReport] = []
        asking = threading.Thread(
            target=lambda: reports.append(published(publisher, deadline_seconds=3600.0)),
            daemon=True,
        )
        asking.start()
        asking.join(PATIENCE_SECONDS)
        assert statuses(reports[0]) == [RETRY, ACCEPTED]
        assert silent.message("EVENT") == well.message("EVENT")
        silent.client().drop()
        silent.client(2).drop()


def test_other_work_is_done_once_the_events_are_sent_and_before_a_relay_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arbiter.adapters.relays.publisher._SENT_SECONDS", PATIENCE_SECONDS)
    done = threading.Event()

    def answer_after(client: Client, message: Message) -> None:
        assert done.wait(PATIENCE_SECONDS)
        client.send("OK", message[1]["id"], True, "")

    with FakeRelay() as relay, publishing(relay.url, a_dead_url()) as publisher:
        published(publisher)
        relay.on_event = answer_after
        arrived: list[Message] = []

        def work() -> None:
            arrived.append(relay.message("EVENT", 2))
            done.set()

        report = publisher.publish((TWO,), PATIENCE_SECONDS, work)
        assert arrived == [["EVENT", json_of(TWO)]]
        assert report.is_accepted(TWO.id)


def test_what_a_slow_relay_took_before_the_deadline_is_in_the_report() -> None:
    def answer_one(client: Client, message: Message) -> None:
        if message[1]["id"] == ONE.id:
            client.send("OK", ONE.id, True, "")

    with FakeRelay(on_event=answer_one) as relay, publishing(relay.url) as publisher:
        report = published(publisher, ONE, TWO, deadline_seconds=SOON_SECONDS)
        assert report.is_accepted(ONE.id)
        assert not report.is_accepted(TWO.id)
        relay.on_event = relay.answer_event
        assert published(publisher, TWO).is_accepted(TWO.id), "a relay that answers does not rest"
        assert len(relay.clients) == 1


def test_each_failure_in_a_row_makes_the_rest_longer_and_success_ends_that() -> None:
    now, dead = [0.0], a_dead_url()
    with publishing(dead, monotonic=lambda: now[0]) as publisher:
        for expected in (2.0, 4.0, 8.0):
            published(publisher)
            rested = publisher.counters["rested"]
            now[0] += expected - 0.1
            assert statuses(published(publisher)) == [RETRY]
            assert publisher.counters["rested"] == rested + 1
            now[0] += 0.1
        with FakeRelay(port=int(dead.rsplit(":", 1)[1].strip("/"))) as back:
            assert published(publisher).is_accepted(ONE.id)
            back.shut()
        published(publisher)
        now[0] += 2.0
        rested = publisher.counters["rested"]
        published(publisher)
        assert publisher.counters["rested"] == rested


def test_a_silent_relay_rests_too() -> None:
    with FakeRelay(on_event=ignore) as relay, publishing(relay.url) as publisher:
        for _ in range(2):
            published(publisher, deadline_seconds=SOON_SECONDS)
        assert (relay.count("EVENT"), publisher.counters["rested"]) == (1, 1)


def test_a_failure_found_after_a_freeze_makes_no_rest_from_then_on() -> None:
    now = [0.0]

    def freeze(client: Client, message: Message) -> None:
        ignore(client, message)
        now[0] = 60.0

    with (
        FakeRelay(on_event=freeze) as relay,
        publishing(relay.url, monotonic=lambda: now[0]) as publisher,
    ):
        assert statuses(published(publisher, deadline_seconds=SOON_SECONDS)) == [RETRY]
        relay.on_event = relay.answer_event
        assert published(publisher, TWO).is_accepted(TWO.id)


def test_without_relays_or_time_nothing_is_taken_and_nothing_raised() -> None:
    with publishing() as publisher:
        assert not published(publisher).is_accepted(ONE.id)
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        assert not published(publisher, deadline_seconds=0.0).is_accepted(ONE.id)


def test_threads_may_publish_at_the_same_time() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        events = [a_move(str(number), by=SERVER) for number in range(20)]
        reports: list[PublishReport] = []
        threads = [
            threading.Thread(target=lambda e=event: reports.append(published(publisher, e)))
            for event in events
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        taken = {id_ for report in reports for id_ in report.statuses if report.is_accepted(id_)}
        assert taken == {event.id for event in events}
        assert len(relay.clients) == 1


class AuthRequiringRelay:
    """A relay that takes nothing before AUTH; it challenges at once, or with its first refusal."""

    def __init__(self, *, at_once: bool = True) -> None:
        self.at_once = at_once
        self.known: set[Client] = set()
        self.relay = FakeRelay(
            on_connect=(lambda client: client.send("AUTH", "prove it")) if at_once else None,
            on_event=self.on_event,
            on_auth=self.on_auth,
        )

    def on_event(self, client: Client, message: Message) -> None:
        if client in self.known:
            client.send("OK", message[1]["id"], True, "")
            return
        client.send("OK", message[1]["id"], False, "auth-required: members only")
        if not self.at_once:
            client.send("AUTH", "prove it")

    def on_auth(self, client: Client, message: Message) -> None:
        self.known.add(client)
        client.send("OK", message[1]["id"], True, "")


@pytest.mark.parametrize("at_once", [True, False], ids=["challenge first", "refusal first"])
def test_it_authenticates_once_to_a_relay_that_requires_it(*, at_once: bool) -> None:
    guarded = AuthRequiringRelay(at_once=at_once)
    with guarded.relay as relay, publishing(relay.url, authenticate=SERVER.sign) as publisher:
        report = published(publisher, ONE, TWO)
        assert report.is_accepted(ONE.id)
        assert report.is_accepted(TWO.id)
        published(publisher)
        assert relay.count("AUTH") == 1
        assert ["relay", relay.url] in relay.message("AUTH")[1]["tags"]


def test_a_key_that_fails_to_sign_is_logged_and_concerns_one_relay() -> None:
    def fail(_: EventTemplate) -> VerifiedEvent:
        raise RuntimeError("no key")

    with (
        AuthRequiringRelay().relay as guarded,
        FakeRelay() as open_,
        publishing(guarded.url, open_.url, authenticate=fail) as publisher,
    ):
        assert statuses(published(publisher)) == [RETRY, ACCEPTED]
        assert publisher.counters["bug"] == 1


def read(client: Client, message: Message) -> None:
    """As nostr-rs-relay: pass the event on, and answer only one that is to be stored."""
    if message[1]["kind"] == 64:
        client.send("OK", message[1]["id"], True, "")


def test_a_relay_that_answers_no_ephemeral_event_is_waited_for_once_and_sent_each_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeRelay(on_event=read) as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher)) == [UNANSWERED]
        monkeypatch.setattr("arbiter.adapters.relays.publish_attempt.OK_SECONDS", 3600.0)
        for event in (ONE, TWO):
            report = published(publisher, event, deadline_seconds=3600.0)
            assert statuses(report, event) == [UNANSWERED]
            assert report.is_accepted(event.id)
        assert (relay.count("EVENT"), len(relay.clients)) == (3, 1)
        relay.on_event = relay.answer_event
        note = a_note()
        assert statuses(published(publisher, note), note) == [ACCEPTED]
        assert publisher.counters["silent"] == publisher.counters["rested"] == 0
    assert not caplog.records


def test_a_connection_that_died_is_noticed_although_no_ok_is_due() -> None:
    with FakeRelay(on_event=read) as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher)) == [UNANSWERED]
        relay.client().go_deaf()
        # The thread of the fake reads one frame more before it is deaf.
        published(publisher, TWO, deadline_seconds=2.0)
        assert statuses(published(publisher, THREE, deadline_seconds=2.0), THREE) == [UNANSWERED]
        assert relay.sender_and_message("EVENT", relay.count("EVENT"))[0] is relay.client(2)


def a_note(*, age_seconds: int = 0) -> VerifiedEvent:
    return SERVER.sign(EventTemplate(64, (), "1. e4 *", int(time.time()) - age_seconds))


def forget(client: Client, message: Message) -> None:
    client.send("OK", message[1]["id"], True, "")


def test_a_note_is_asked_for_over_another_connection() -> None:
    note = a_note()
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher, note), note) == [ACCEPTED]
        writer, _ = relay.sender_and_message("EVENT")
        reader, question = relay.sender_and_message("REQ")
        assert question == ["REQ", SUBSCRIPTION, {"ids": [note.id]}]
        assert reader is not writer


def test_a_note_is_not_taken_by_a_relay_that_does_not_have_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    note = a_note()
    with (
        FakeRelay(on_event=forget) as liar,
        FakeRelay() as honest,
        publishing(liar.url) as publisher,
        publishing(liar.url, honest.url) as both,
    ):
        assert not published(publisher, note).is_accepted(note.id)
        (line,) = [one.msg for one in caplog.records if "untaken" in str(one.msg)]
        assert line == {"status": "untaken", "relay": liar.url, "events": 1, "why": ["not_stored"]}
        report = published(both, note)
        assert report.is_accepted(note.id)
        assert statuses(report, note) == [NOT_STORED, ACCEPTED]
        liar.on_event = liar.answer_event
        assert published(publisher, note).is_accepted(note.id)


@pytest.mark.parametrize(
    ("event", "on_event", "status"),
    [
        (ONE, forget, ACCEPTED),
        (a_note(age_seconds=VERIFY_STORED_SECONDS + 60), forget, ACCEPTED),
        (a_note(), refuse, GIVE_UP),
    ],
    ids=["ephemeral", "of long ago", "refused"],
)
def test_what_need_not_be_stored_is_not_asked_for(
    event: VerifiedEvent, on_event: Callable[[Client, Message], None], status: PublishStatus
) -> None:
    with FakeRelay(on_event=on_event) as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher, event), event) == [status]
        assert relay.count("REQ") == 0


def refuse_to_answer(client: Client, message: Message) -> None:
    client.send("CLOSED", message[1], "auth-required: who are you?")


@pytest.mark.parametrize("on_req", [refuse_to_answer, drop, ignore])
def test_a_relay_that_cannot_be_asked_is_believed(
    on_req: Callable[[Client, Message], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.adapters.relays.publisher._ASK_SECONDS", 0.2)
    note = a_note()
    with FakeRelay(on_event=forget, on_req=on_req) as relay, publishing(relay.url) as publisher:
        assert published(publisher, note).is_accepted(note.id)
        assert relay.count("REQ") == 1


def announced(*kinds: int, age_seconds: int = 0) -> list[VerifiedEvent]:
    at = int(time.time()) - age_seconds
    return [SERVER.sign(EventTemplate(kind, (), "", at)) for kind in kinds]


@pytest.mark.parametrize(
    ("stored", "age_seconds", "sent"),
    [
        ((), 0, [0, 10002, 31990]),
        ((0, 10002, 31990), 0, []),
        ((0, 31990), 0, [10002]),
        ((0, 10002, 31990), 86_400, [0, 10002, 31990]),
    ],
    ids=["nothing", "all", "some", "older ones"],
)
def test_a_relay_is_given_the_announcement_that_it_lost(
    stored: tuple[int, ...], age_seconds: int, sent: list[int]
) -> None:
    events = announced(0, 10002, 31990, age_seconds=60)
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        relay.remembered += map(json_of, announced(*stored, age_seconds=age_seconds))
        assert publisher.restore(relay.url, events, PATIENCE_SECONDS) == len(sent)
        told = [relay.message("EVENT", at + 1)[1]["kind"] for at in range(relay.count("EVENT"))]
        assert told == sent


@pytest.mark.parametrize("on_req", [refuse_to_answer, drop])
def test_a_relay_that_does_not_say_what_it_has_is_given_nothing(
    on_req: Callable[[Client, Message], None],
) -> None:
    with FakeRelay(on_req=on_req) as relay, publishing(relay.url) as publisher:
        assert publisher.restore(relay.url, announced(0), PATIENCE_SECONDS) == 0
        assert relay.count("EVENT") == 0
