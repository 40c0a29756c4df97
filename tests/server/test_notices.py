"""Notices of one process: told by threads, counted, and given up."""

import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, cast

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.notices.tell import NoticeDeps
from arbiter.application.records import NoticeAsked
from arbiter.nostr.event import event_to_json
from arbiter.nostr.nip17 import wrap_message
from server import notices as subject
from server.metrics import Metrics
from server.notices import ATTEMPTS, MAX_UNTOLD, Notices
from server.settings import read_settings
from tests.builders import ALICE, BOB, an_event
from tests.fakes.faults import Crash
from tests.fakes.relay import FakeRelay
from tests.server.running_server import running_server

ASKED = (NoticeAsked(ALICE.pubkey),)


class Told:
    """Notices whose work is ``see_to``; ``results`` are those of its tries, the last of all
    others.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *results: str | Exception) -> None:
        self.results, self.tries = [*results], 0
        self.metrics, self.settled = Metrics(), threading.Semaphore(0)
        self.may_work = threading.Event()
        monkeypatch.setattr(subject, "see_to", self._see_to)
        self.notices = Notices(
            cast("NoticeDeps", None), self.metrics, self._in_loop, lambda _seconds: None
        )

    def _see_to(self, _deps: Any, _notice: Any) -> str:
        assert self.may_work.wait(10)
        self.tries += 1
        result = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        if isinstance(result, Exception):
            raise result
        return result

    def _in_loop(self, work: Callable[[], object]) -> None:
        work()
        self.settled.release()

    def settles(self, times: int = 1) -> None:
        self.may_work.set()
        for _ in range(times):
            assert self.settled.acquire(timeout=10)

    def count(self, status: str) -> int:
        return self.metrics.sum("Notices", status=status)


def test_a_notice_is_counted_and_its_record_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    told, done = Told(monkeypatch, "notice-sent"), list[int]()
    told.notices.take(ASKED, lambda: done.append(1))
    assert done == [], "its record stays until it is told"
    told.settles()
    assert (done, told.count("notice-sent")) == ([1], 1)
    told.notices.close()


def test_a_fault_is_tried_a_few_times_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(monkeypatch, Crash(), "notice-sent")
    told.notices.send(ASKED)
    told.settles()
    assert (told.tries, told.count("notice-sent")) == (2, 1)
    lost = Told(monkeypatch, Crash())
    lost.notices.send(ASKED)
    lost.settles()
    assert (lost.tries, lost.count("notices-lost")) == (ATTEMPTS, 1)
    told.notices.close()
    lost.notices.close()


def test_beyond_the_bound_a_notice_is_lost_and_its_record_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, done = Told(monkeypatch, "notice-sent"), list[int]()
    for _ in range(MAX_UNTOLD + 1):
        told.notices.take(ASKED, lambda: done.append(1))
    assert (len(done), told.count("notices-lost")) == (1, 1)
    told.settles(MAX_UNTOLD)
    assert (len(done), told.count("notice-sent")) == (MAX_UNTOLD + 1, MAX_UNTOLD)
    told.notices.close()


@pytest.mark.slow
def test_a_message_comes_to_the_players_relay_and_their_answer_ends_it(tmp_path: Path) -> None:
    with FakeRelay() as relay, running_server(tmp_path, relay.url) as server:
        server.stop()
        with Store.open(read_settings({"data": str(server.data)}, {}).database) as store:
            policy = StoredPolicy(SqliteTable(store))
            assert policy.commit(policy.load(), replace(policy.load(), notices=True))
        now = int(time.time())
        relay.remembered.append(
            listed := event_to_json(an_event(BOB, 10050, "", (("relay", relay.url),), now))
        )
        server.start()
        arbiter = ("p", server.pubkey)

        def said(content: str, at: int) -> dict[str, Any]:
            """The answer to this request."""
            asked = an_event(BOB, 20300, content, (arbiter,), at)
            relay.broadcast(event_to_json(asked))
            return published(relay, lambda it: ["e", asked.id] in it["tags"])

        published(relay, lambda it: it["kind"] == 0)
        relay.message("REQ")
        assert ["dm"] in said("notify:dm", now)["tags"]
        wrap = published(relay, lambda it: it["kind"] == 1059 and ["p", BOB.pubkey] in it["tags"])
        keys = nostr_sdk.Keys.parse(BOB.to_hex())
        gift = nostr_sdk.UnwrappedGift.from_gift_wrap(
            keys, nostr_sdk.Event.from_json(json.dumps(wrap))
        )
        assert gift.sender().to_hex() == server.pubkey
        assert gift.rumor().content().startswith("You will hear here when it is your turn.")
        own = published(relay, lambda it: it["kind"] == 10050 and it != listed)
        assert own["tags"][0] == ["relay", relay.url]

        stop = wrap_message(BOB, server.pubkey, "stop", now + 1, secrets.token_bytes)
        assert stop is not None
        relay.broadcast(event_to_json(stop))
        for at in range(2, 40):
            if ["dm"] not in said("notify", now + at)["tags"]:
                break
        else:
            raise AssertionError("the player was told on although they said stop")


def published(relay: FakeRelay, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first event like this that the arbiter published, once it has."""
    for number in count(1):
        event: dict[str, Any] = relay.message("EVENT", number)[1]
        if wanted(event):
            return event
    raise AssertionError
