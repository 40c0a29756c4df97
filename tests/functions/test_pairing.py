"""The pairing function as Lambda calls it: a question in, an answer among the moves."""

import json
import logging
import signal
from dataclasses import dataclass, field, replace

import pytest

from arbiter import wiring
from arbiter.adapters.pairing.engine import Engine
from arbiter.application.intake.queue_messages import parse
from arbiter.application.ports import PairingEngine
from arbiter.application.records import GamesAsked, PairingAsked, TournamentPaired
from arbiter.application.tournaments.messages import entry
from arbiter.application.tournaments.pairing import PairingDeps, Unanswered
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Phase, Tournament
from events.samples import tournament
from functions.pairing import app
from tests.fakes.faults import crash_at
from tests.fakes.queue import FakeEventQueue
from tests.functions.logged import MARK, lines

TOURNAMENT = tournament()
ASKED = PairingAsked(TOURNAMENT.id, 1, 7)
_ANSWER = entry(TournamentPaired(TOURNAMENT.id, Engine().pair(TOURNAMENT), ASKED.number))


@dataclass
class Stored:
    """The tournaments that the function finds, and the messages that it sent."""

    tournament: Tournament | None = TOURNAMENT
    queue: FakeEventQueue = field(default_factory=FakeEventQueue)

    def deps(self, engine: PairingEngine) -> PairingDeps:
        return PairingDeps(
            lambda id_: self.tournament if id_ == ASKED.tournament_id else None, engine, self.queue
        )

    def answers(self) -> list[TournamentPaired]:
        messages = [parse(each.body) for each in self.queue.waiting]
        assert all(isinstance(it, TournamentPaired) for it in messages)
        return [it for it in messages if isinstance(it, TournamentPaired)]


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Stored:
    caplog.set_level(logging.INFO)
    made = Stored()
    app._deps.cache_clear()
    monkeypatch.setattr(wiring, "pairing_deps", made.deps)
    return made


def handle(body: str) -> None:
    app.handler(json.loads(body), None)


def test_a_round_is_paired_and_the_answer_joins_the_moves(
    stored: Stored, caplog: pytest.LogCaptureFixture
) -> None:
    handle(entry(ASKED).body)

    assert stored.answers() == [
        TournamentPaired(TOURNAMENT.id, Engine().pair(TOURNAMENT), ASKED.number)
    ]
    (sent,) = stored.queue.waiting
    assert (sent.queue, sent.group_id) == ("moves", entry(stored.answers()[0]).group_id)
    assert [line["status"] for line in lines(caplog.records)] == ["paired"]


def test_a_question_that_comes_again_has_the_same_answer(stored: Stored) -> None:
    for _ in range(3):
        handle(entry(ASKED).body)

    assert len(stored.queue.waiting) == 1


@pytest.mark.parametrize(
    "found",
    [
        None,
        replace(TOURNAMENT, phase=Phase.CANCELLED, by_player={}),
        replace(TOURNAMENT, round=2, by_player={}),
    ],
    ids=["gone", "cancelled", "another round"],
)
def test_a_question_that_is_no_longer_asked_has_no_answer(
    stored: Stored, caplog: pytest.LogCaptureFixture, found: Tournament | None
) -> None:
    stored.tournament = found

    handle(entry(ASKED).body)

    assert stored.queue.waiting == []
    assert [line["status"] for line in lines(caplog.records)] == ["pairing-stale"]


def test_what_is_no_question_is_dropped(stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
    for body in (f'"{MARK}"', "{}", entry(GamesAsked(TOURNAMENT.id, 1, 0)).body):
        handle(body)

    assert stored.queue.waiting == []
    assert {line["status"] for line in lines(caplog.records)} == {"unreadable"}
    assert MARK not in caplog.text


def test_an_answer_that_the_queue_does_not_take_is_a_failure(stored: Stored) -> None:
    stored.queue.hook = crash_at(f"queue.entry {_ANSWER.dedup_id}")

    with pytest.raises(Unanswered):
        handle(entry(ASKED).body)


def test_an_engine_that_hangs_is_interrupted_and_the_organiser_hears_of_it(
    stored: Stored, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def hang(*_: object) -> Pairings:
        while True:
            pass

    monkeypatch.setattr(app, "MAX_PAIRING_SECONDS", 0.05)
    monkeypatch.setattr("arbiter.adapters.pairing.engine._paired", hang)
    before = signal.getsignal(signal.SIGALRM)

    handle(entry(ASKED).body)

    (answer,) = stored.answers()
    assert answer.answer == NoPairings(
        1, is_impossible=False, text="the engine failed: TimeoutError"
    )
    assert [line["status"] for line in lines(caplog.records)] == ["pairing-failed"]
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
