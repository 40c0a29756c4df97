"""From the outbox to the log: each id once, and games do not delay each other."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.sqs import OutboxRecord, QueueUnreachable
from arbiter.application.intake.queue_messages import message_body
from arbiter.dialects.outgoing import SsbMessage
from bridge.outgoing import Outgoing, _name_of
from bridge.peer_process import PeerGone, PeerJson, PeerRefused
from tests.bridge.logs import ANNA, US, ArrivedLog, Author, key


class Outbox:
    """Gives its records again until they are deleted."""

    def __init__(self, records: Sequence[OutboxRecord]) -> None:
        self.records = [*records]
        self.aside: list[OutboxRecord] = []
        self.deletes_fail = False
        self.takes_no_dead = False

    def receive(self) -> Sequence[OutboxRecord]:
        return [*self.records]

    def delete(self, record: OutboxRecord) -> None:
        if self.deletes_fail:
            raise QueueUnreachable("ServiceUnavailable")
        self.records.remove(record)

    def put_aside(self, record: OutboxRecord) -> None:
        if self.takes_no_dead:
            raise QueueUnreachable("AccessDenied")
        self.aside.append(record)
        self.delete(record)


class PublishingPeer:
    """Publishes as the peer does: what has one id, once."""

    def __init__(self) -> None:
        self.published: list[Mapping[str, Any]] = []
        self.refuses: dict[str, str] = {}
        self.is_gone = False

    def ask_soon(self, what: str, **arguments: Any) -> Future[PeerJson]:
        answer: Future[PeerJson] = Future()
        said = arguments["content"]["utterance"]
        again = any(it["content"]["utterance"] == said for it in self.published)
        if self.is_gone:
            answer.set_exception(PeerGone("it ended"))
        elif kind := self.refuses.get(said):
            answer.set_exception(PeerRefused(kind, "a text of its own"))
        else:
            if not again:
                self.published.append(arguments)
            answer.set_result({"key": key(said), "again": again})
        return answer


def message(number: int, root: str, content: Mapping[str, Any], recps: Any = None) -> SsbMessage:
    return SsbMessage(f"{number:064x}", root, content, recps)


def record(one: SsbMessage, group: str = "a") -> OutboxRecord:
    return OutboxRecord(body=message_body(one), group_id=group, receipt=one.id)


class Harness:
    def __init__(self, *records: OutboxRecord, log: ArrivedLog | None = None) -> None:
        self.outbox, self.peer = Outbox(records), PublishingPeer()
        self.counters = Counters()
        self.outgoing = Outgoing(
            us=US,
            records=self.outbox,
            peer=self.peer,
            games=log or ArrivedLog(),
            counters=self.counters,
        )

    @property
    def published(self) -> list[Mapping[str, Any]]:
        """All but our name."""
        return [it for it in self.peer.published if it["content"]["type"] != "about"]

    def said(self) -> list[int]:
        return [int(it["content"]["utterance"], 16) for it in self.published]


ROOT = key("a game")
MOVE = {"type": "chess_move", "root": ROOT, "orig": "e2", "dest": "e4"}


def test_a_published_record_is_deleted_and_names_what_it_answers() -> None:
    log = ArrivedLog()
    anna, us = Author(ANNA), Author(US)
    invite = log.arrive(anna.invites(US))
    log.arrive(us.accepts(invite))
    newest = log.arrive(anna.moves(invite, 1, "e2e4"))
    log.arrive(anna.writes({"type": "chess_chat", "root": invite.key, "msg": "hello"}))
    harness = Harness(record(message(1, invite.key, {**MOVE, "root": invite.key})), log=log)
    harness.outgoing.step()

    [published] = harness.published
    assert published["content"]["branch"] == newest.key
    assert published["content"]["utterance"] == f"{1:064x}"
    assert "recps" not in published
    assert harness.outbox.records == []


def test_a_private_message_goes_to_its_recipients() -> None:
    chat = {"type": "chess_chat", "root": ROOT, "msg": "for you"}
    harness = Harness(record(message(1, ROOT, chat, (ANNA,))))
    harness.outgoing.step()

    assert harness.published[0]["recps"] == [ANNA]


def test_an_invitation_answers_nothing() -> None:
    invite = {"type": "chess_invite", "inviting": ANNA, "myColor": "black", "root": ROOT}
    harness = Harness(record(message(1, ROOT, invite)))
    harness.outgoing.step()

    assert "branch" not in harness.published[0]["content"]


def test_a_redelivered_record_is_published_once() -> None:
    harness = Harness(record(message(1, ROOT, MOVE)))
    harness.outbox.deletes_fail = True
    with pytest.raises(QueueUnreachable):
        harness.outgoing.step()
    harness.outbox.deletes_fail = False
    harness.outgoing.step()

    assert harness.said() == [1]
    assert harness.outbox.records == []
    assert harness.counters.counts() == {"said": 1, "said-before": 1}


def test_no_record_is_lost_while_the_peer_is_gone() -> None:
    harness = Harness(record(message(1, ROOT, MOVE)))
    harness.peer.is_gone = True
    with pytest.raises(PeerGone):
        harness.outgoing.step()
    assert len(harness.outbox.records) == 1

    harness.peer.is_gone = False
    harness.outgoing.step()
    assert harness.said() == [1]


def two_games() -> tuple[OutboxRecord, ...]:
    """Three words in one, two in the other."""
    b = key("b")
    said = [(1, ROOT, "a"), (2, ROOT, "a"), (3, ROOT, "a"), (4, b, "b"), (5, b, "b")]
    return tuple(record(message(at, root, MOVE), group) for at, root, group in said)


@pytest.mark.parametrize("kind", ["bad-argument", "too-long", "unpublishable"])
def test_an_unpublishable_record_becomes_a_dead_letter_and_the_next_are_published(
    kind: str,
) -> None:
    harness = Harness(*two_games())
    harness.peer.refuses = {f"{2:064x}": kind}
    harness.outgoing.step()

    assert sorted(harness.said()) == [1, 3, 4, 5]
    assert [it.receipt for it in harness.outbox.aside] == [f"{2:064x}"]
    assert harness.outbox.records == []


def test_an_unpublishable_record_stays_if_there_is_no_dead_letter_queue() -> None:
    harness = Harness(*two_games())
    harness.peer.refuses = {f"{2:064x}": "unpublishable"}
    harness.outbox.takes_no_dead = True
    harness.outgoing.step()

    assert sorted(harness.said()) == [1, 3, 4, 5]
    assert [it.receipt for it in harness.outbox.records] == [f"{2:064x}"]
    assert harness.counters.counts()["not-put-aside"] == 1


def test_a_failure_delays_its_own_game_alone() -> None:
    harness = Harness(*two_games())
    harness.peer.refuses = {f"{2:064x}": "failed"}
    harness.outgoing.step()

    assert sorted(harness.said()) == [1, 4, 5]
    assert [it.receipt for it in harness.outbox.records] == [f"{2:064x}", f"{3:064x}"]

    harness.peer.refuses = {}
    harness.outgoing.step()
    assert harness.said()[-2:] == [2, 3]
    assert harness.outbox.aside == []


@pytest.mark.parametrize(
    "body",
    [
        "no JSON",
        "[]",
        json.dumps({"id": "xyz", "root": ROOT, "content": MOVE}),
        json.dumps({"id": "ab" * 32, "root": ROOT, "content": "e4"}),
    ],
)
def test_an_unreadable_record_becomes_a_dead_letter(body: str) -> None:
    none = OutboxRecord(body=body, group_id="a", receipt="r")
    harness = Harness(none, record(message(1, ROOT, MOVE)))
    harness.outgoing.step()

    assert harness.said() == [1]
    assert harness.outbox.aside == [none]
    assert harness.counters.counts() == {"unsaid-unreadable": 1, "said": 1}


def test_our_feeds_name_is_published_once_before_its_first_message() -> None:
    harness = Harness()
    harness.outgoing.step()
    assert harness.peer.published == []
    for number in (1, 2):
        harness.outbox.records.append(record(message(number, ROOT, MOVE)))
        harness.outgoing.step()

    types = [it["content"]["type"] for it in harness.peer.published]
    assert types == ["about", "chess_move", "chess_move"]
    assert harness.peer.published[0]["content"]["about"] == US
    assert harness.peer.published[0]["content"]["name"] == "Arbiter"


def test_a_refused_name_delays_nothing() -> None:
    harness = Harness(record(message(1, ROOT, MOVE)))
    harness.peer.refuses = {_name_of(US)["utterance"]: "unpublishable"}
    harness.outgoing.step()

    assert harness.said() == [1]
    assert harness.counters.counts()["unnamed-unpublishable"] == 1
