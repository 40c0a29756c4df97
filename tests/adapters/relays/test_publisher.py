import json
import logging
import threading
import time
from collections.abc import Sequence

import pytest

from arbiter.adapters.relays.publisher import Publisher, PublishReport
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.relay_messages import PublishStatus
from tests.adapters.relays.publishing import (
    ONE,
    SOON_SECONDS,
    TWO,
    Seconds,
    a_dead_url,
    published,
    publishing,
    statuses,
)
from tests.adapters.relays.watching import a_move, json_of
from tests.builders import SERVER
from tests.fakes.relay import PATIENCE_SECONDS, TEXT, Client, FakeRelay, Message


def test_all_events_go_to_all_relays_in_order() -> None:
    with FakeRelay() as one, FakeRelay() as two, publishing(one.url, two.url) as publisher:
        report = published(publisher, ONE, TWO)
        for relay in (one, two):
            assert relay.message("EVENT", 1)[1] == json_of(ONE)
            assert relay.message("EVENT", 2)[1] == json_of(TWO)
        assert report.statuses == {
            event.id: {one.url: PublishStatus.ACCEPTED, two.url: PublishStatus.ACCEPTED}
            for event in (ONE, TWO)
        }
        assert report.taken(ONE.id)
        assert not report.taken("00" * 32)


def test_events_are_pipelined_and_answered_in_any_order() -> None:
    waiting: list[str] = []

    def answer_backwards(client: Client, message: Message) -> None:
        waiting.append(message[1]["id"])
        if len(waiting) == 2:
            for id_ in reversed(waiting):
                client.send("OK", id_, True, "")

    with FakeRelay(on_event=answer_backwards) as relay, publishing(relay.url) as publisher:
        report = published(publisher, ONE, TWO)
        assert report.taken(ONE.id)
        assert report.taken(TWO.id)


def test_a_connection_is_kept_from_one_publication_to_the_next() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        for event in (ONE, TWO, ONE):
            assert published(publisher, event).taken(event.id)
        assert len(relay.clients) == 1


def test_nothing_to_publish_disturbs_nobody() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        assert publisher.publish((), 1.0).statuses == {}
        assert not relay.clients


@pytest.mark.parametrize(
    ("rest", "status", "is_taken"),
    [
        ((True, ""), PublishStatus.ACCEPTED, True),
        ((True,), PublishStatus.ACCEPTED, True),
        ((False, "duplicate: have it"), PublishStatus.ACCEPTED, True),
        ((False, "mute: no one was listening for this"), PublishStatus.NO_SUBSCRIBERS, True),
        ((False, "rate-limited: slow down"), PublishStatus.RETRY, False),
        ((False, "error: could not connect to the database"), PublishStatus.RETRY, False),
        ((False,), PublishStatus.RETRY, False),
        ((False, "blocked: not here"), PublishStatus.GIVE_UP, False),
        ((False, "invalid: ephemeral event expired"), PublishStatus.GIVE_UP, False),
        ((False, "auth-required: who?"), PublishStatus.AUTHENTICATE, False),
    ],
)
def test_a_verdict_becomes_a_fate_and_keeps_the_connection(
    rest: Sequence[object], status: PublishStatus, *, is_taken: bool
) -> None:
    def answer(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], *rest)

    with FakeRelay(on_event=answer) as relay, publishing(relay.url) as publisher:
        report = published(publisher)
        assert statuses(report) == [status]
        assert report.taken(ONE.id) is is_taken
        assert publisher.counters[f"ok:{status.name.lower()}"] == 1
        published(publisher)
        assert len(relay.clients) == 1


def test_what_is_to_stay_is_not_taken_where_nobody_was_listening() -> None:
    def answer(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], False, "mute: no one was listening for this")

    rating = SERVER.sign(EventTemplate(30300, (("d", "bullet"),), "", 1_800_000_000))
    with FakeRelay(on_event=answer) as relay, publishing(relay.url) as publisher:
        report = published(publisher, rating)
        assert statuses(report, rating) == [PublishStatus.RETRY]
        assert not report.taken(rating.id)


def test_one_relay_that_takes_it_is_enough() -> None:
    def refuse(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], False, "blocked: not here")

    with (
        FakeRelay(on_event=refuse) as closed,
        FakeRelay() as open_,
        publishing(closed.url, open_.url, a_dead_url()) as publisher,
    ):
        report = published(publisher)
        assert statuses(report) == [
            PublishStatus.GIVE_UP,
            PublishStatus.ACCEPTED,
            PublishStatus.RETRY,
        ]
        assert report.taken(ONE.id)


def test_junk_and_answers_to_others_do_not_count() -> None:
    def babble(client: Client, message: Message) -> None:
        client.send_text("{")
        client.send("NOTICE", "hello")
        client.send("OK", "00" * 32, False, "invalid: not yours")
        client.send("OK", message[1]["id"])
        client.send("OK", message[1]["id"], "true", "")
        client.send("EVENT", "x", message[1])
        client.send("OK", message[1]["id"], True, "")

    with FakeRelay(on_event=babble) as relay, publishing(relay.url) as publisher:
        assert published(publisher).taken(ONE.id)
        counted = publisher.counters
        assert (counted["malformed"], counted["foreign-ok"], counted["unasked"]) == (3, 1, 2)


def test_a_relay_that_dies_midway_gets_the_same_bytes_on_a_new_connection() -> None:
    deaths = iter([True])

    def die_first(client: Client, message: Message) -> None:
        if message[1]["id"] == TWO.id and next(deaths, False):
            client.drop()
        else:
            client.send("OK", message[1]["id"], True, "")

    with FakeRelay(on_event=die_first) as relay, publishing(relay.url) as publisher:
        report = published(publisher, ONE, TWO)
        assert report.taken(ONE.id)
        assert report.taken(TWO.id)
        assert len(relay.clients) == 2
        offered = [message[1]["id"] for _, message in relay.messages if message[0] == "EVENT"]
        assert offered == [ONE.id, TWO.id, TWO.id]
        assert relay.message("EVENT", 2) == relay.message("EVENT", 3)


def test_a_relay_that_dies_every_time_is_given_two_chances_only() -> None:
    with (
        FakeRelay(on_event=lambda client, _: client.drop()) as relay,
        publishing(relay.url) as publisher,
    ):
        assert statuses(published(publisher)) == [PublishStatus.RETRY]
        assert len(relay.clients) == 2


def test_a_relay_that_refuses_namelessly_is_dialled_again_next_time() -> None:
    with (
        FakeRelay(on_event=lambda c, _: c.send("OK", "", False, "invalid: no")) as relay,
        publishing(relay.url) as publisher,
    ):
        assert statuses(published(publisher)) == [PublishStatus.GIVE_UP]
        relay.on_event = relay.answer_event
        assert published(publisher).taken(ONE.id)
        assert len(relay.clients) == 2


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        published(publisher)
        relay.client(1).close()
        assert published(publisher, TWO).taken(TWO.id)
        assert len(relay.clients) == 2


def test_a_kept_connection_that_is_half_open_is_replaced_within_the_deadline() -> None:
    def answer_and_go_deaf(client: Client, message: Message) -> None:
        relay.answer_event(client, message)
        client.go_deaf()

    relay = FakeRelay(on_event=answer_and_go_deaf)
    with relay, publishing(relay.url) as publisher:
        published(publisher)
        relay.on_event = relay.answer_event
        report = published(publisher, TWO, deadline_seconds=2.0)
        assert report.taken(TWO.id)
        assert len(relay.clients) == 2
        assert publisher.counters["silent"] == 1


def test_a_kept_connection_of_a_far_relay_is_not_taken_for_a_dead_one() -> None:
    """Its answers take longer than the share of the deadline that others are given."""

    def answer_from_afar(client: Client, message: Message) -> None:
        time.sleep(0.4)
        relay.answer_event(client, message)

    relay = FakeRelay(on_event=answer_from_afar)
    with relay, publishing(relay.url) as publisher:
        for event in (ONE, TWO, ONE):
            assert published(publisher, event, deadline_seconds=1.5).taken(event.id)
        assert len(relay.clients) == 1
        assert publisher.counters["silent"] == 0


def test_a_slow_relay_may_use_the_whole_deadline_on_a_new_connection() -> None:
    may_answer = threading.Event()

    def answer_later(client: Client, message: Message) -> None:
        assert may_answer.wait(PATIENCE_SECONDS)
        client.send("OK", message[1]["id"], True, "")

    with (
        FakeRelay(on_event=answer_later) as slow,
        FakeRelay() as quick,
        publishing(slow.url, quick.url) as publisher,
    ):
        reports: list[PublishReport] = []
        asking = threading.Thread(target=lambda: reports.append(published(publisher)))
        asking.start()
        quick.message("EVENT")
        may_answer.set()
        asking.join(PATIENCE_SECONDS)
        assert statuses(reports[0]) == [PublishStatus.ACCEPTED, PublishStatus.ACCEPTED]


def test_a_silent_relay_delays_nobody_beyond_the_deadline() -> None:
    with (
        FakeRelay(on_event=lambda *_: None) as silent,
        FakeRelay() as well,
        publishing(silent.url, well.url) as publisher,
    ):
        report = published(publisher, deadline_seconds=SOON_SECONDS)
        assert statuses(report) == [PublishStatus.RETRY, PublishStatus.ACCEPTED]


def test_once_all_is_taken_somewhere_a_silent_relay_is_not_waited_for() -> None:
    with (
        FakeRelay(on_event=lambda *_: None) as silent,
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
        (report,) = reports
        assert statuses(report) == [PublishStatus.RETRY, PublishStatus.ACCEPTED]
        assert silent.message("EVENT") == well.message("EVENT")
        silent.client().drop()
        silent.client(2).drop()


def test_what_a_slow_relay_took_before_the_deadline_is_in_the_report() -> None:
    def answer_one(client: Client, message: Message) -> None:
        if message[1]["id"] == ONE.id:
            client.send("OK", ONE.id, True, "")

    with FakeRelay(on_event=answer_one) as relay, publishing(relay.url) as publisher:
        report = published(publisher, ONE, TWO, deadline_seconds=SOON_SECONDS)
        assert report.taken(ONE.id)
        assert not report.taken(TWO.id)
        relay.on_event = relay.answer_event
        assert published(publisher, TWO).taken(TWO.id), "who answers something is not dead"
        assert len(relay.clients) == 1


def test_a_dead_relay_rests_and_is_tried_again_after_that() -> None:
    clock = Seconds()
    with (
        FakeRelay(on_event=lambda *_: None) as relay,
        publishing(relay.url, monotonic=clock) as publisher,
    ):
        published(publisher, deadline_seconds=SOON_SECONDS)
        relay.message("EVENT")
        assert relay.count("EVENT") == 1
        clock.now = 1.9
        assert statuses(published(publisher)) == [PublishStatus.RETRY]
        assert (relay.count("EVENT"), publisher.counters["rested"]) == (1, 1)
        clock.now = 10.0
        relay.on_event = relay.answer_event
        assert published(publisher).taken(ONE.id)


def test_each_failure_in_a_row_makes_the_rest_longer_and_success_ends_that() -> None:
    clock, dead = Seconds(), a_dead_url()
    with publishing(dead, monotonic=clock) as publisher:
        for expected in (2.0, 4.0, 8.0):
            published(publisher)
            rested = publisher.counters["rested"]
            clock.now += expected - 0.1
            published(publisher)
            assert publisher.counters["rested"] == rested + 1
            clock.now += 0.1
        with FakeRelay(port=int(dead.rsplit(":", 1)[1].strip("/"))) as back:
            assert published(publisher).taken(ONE.id)
            back.shut()
        published(publisher)
        clock.now += 2.0
        rested = publisher.counters["rested"]
        published(publisher)
        assert publisher.counters["rested"] == rested


def test_with_all_relays_down_nothing_is_taken_and_nothing_raised() -> None:
    with publishing(a_dead_url(), a_dead_url()) as publisher:
        report = published(publisher, ONE, TWO)
        assert statuses(report) == [PublishStatus.RETRY] * 2
        assert not report.taken(ONE.id)
        assert publisher.counters["unreachable"] == 2


def test_no_relays_at_all_take_nothing() -> None:
    with publishing() as publisher:
        assert not published(publisher).taken(ONE.id)


def test_no_time_at_all_is_no_error() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        assert not published(publisher, deadline_seconds=0.0).taken(ONE.id)


def test_a_frame_too_large_costs_the_relay_its_connection_only() -> None:
    with (
        FakeRelay(on_event=lambda c, _: c.send_header(TEXT, 2**40)) as relay,
        publishing(relay.url) as publisher,
    ):
        assert statuses(published(publisher)) == [PublishStatus.RETRY]
        assert publisher.counters["too-large"] == 2


def test_two_threads_may_publish_at_once() -> None:
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
        taken = {id_ for report in reports for id_ in report.statuses if report.taken(id_)}
        assert taken == {event.id for event in events}
        assert len(relay.clients) == 1


def test_the_bytes_offered_are_the_event_and_nothing_else() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        published(publisher)
        assert relay.message("EVENT") == ["EVENT", json.loads(json.dumps(json_of(ONE)))]


def test_closing_twice_is_harmless() -> None:
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        published(publisher)
        publisher.close()
        publisher.close()
        assert published(publisher, TWO).taken(TWO.id)


@pytest.mark.parametrize("url", ["http://relay.example/", "relay.example", ""])
def test_a_relay_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="relay URL"):
        Publisher([url])


def test_a_relay_that_did_not_take_all_is_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)

    def refuse_the_second(client: Client, message: Message) -> None:
        is_first = message[1]["id"] == ONE.id
        client.send("OK", message[1]["id"], is_first, "" if is_first else "blocked: sesame")

    with (
        FakeRelay() as well,
        FakeRelay(on_event=refuse_the_second) as choosy,
        publishing(well.url, choosy.url) as publisher,
    ):
        published(publisher, ONE, TWO)

        assert [record.msg for record in caplog.records] == [
            {"status": "untaken", "relay": choosy.url, "events": 1, "why": ["give_up"]}
        ]


def test_relays_that_take_everything_are_not_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    with FakeRelay() as relay, publishing(relay.url) as publisher:
        published(publisher, ONE, TWO)

    assert not caplog.records
