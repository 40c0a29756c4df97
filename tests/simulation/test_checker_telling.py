"""The checker notices what nobody was told: states, notes, ratings, answers."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.builders import NOW_MS, SERVER
from tests.simulation.checker.evidence import Evidence
from tests.simulation.checker.laws import check
from tests.simulation.checker.verdict import Law
from tests.simulation.checker.wire import stand_in
from tests.simulation.history import (
    Actor,
    Authored,
    DeadLettered,
    Fired,
    History,
    Published,
    Queued,
)
from tests.simulation.made_history import Story
from tests.simulation.spoiling import broken, put, said

DAY_MS = 24 * 60 * 60_000


@pytest.fixture
def good() -> History:
    return Story().plays("f2f3", "e7e5", "g2g4", "d8h4").history


def test_a_player_who_believes_in_an_older_state_is_noticed(good: History) -> None:
    one, other = good.beliefs
    assert one.version is not None
    behind = replace(one, version=one.version - 1)
    assert broken(replace(good, beliefs=(behind, other))) == {Law.TOLD}


def test_an_offer_after_the_end_that_one_relay_did_not_take_may_pass_a_player_by(
    good: History,
) -> None:
    one, other = good.beliefs
    assert one.version is not None
    behind = replace(good, beliefs=(replace(one, version=one.version - 1), other))
    (*_, before, last) = said(good, 20302)
    former = good.happenings[before]
    assert isinstance(former, Published)
    assert check(put(behind, before, former, replace(former, way="relay 2"))) == ()

    present = good.happenings[last]
    assert isinstance(present, Published)
    both = put(behind, last, present, replace(present, way="relay 2"))
    assert broken(both) == {Law.TOLD}


def test_a_player_who_was_never_answered_is_noticed(good: History) -> None:
    one, other = good.beliefs
    assert broken(replace(good, beliefs=(replace(one, asked=("a" * 64,)), other))) == {Law.TOLD}


def test_a_player_who_knows_nothing_of_his_game_is_noticed() -> None:
    history = Story(time=None, is_rated=False).history
    one, other = history.beliefs
    unaware = replace(one, game=None, version=None, ply=None, fen=None, result=None)
    assert broken(replace(history, beliefs=(unaware, other))) == {Law.TOLD}


@pytest.mark.parametrize("kind", [20302, 64, 30300])
def test_a_last_word_that_no_relay_took_is_noticed(good: History, kind: int) -> None:
    for at in said(good, kind)[-1:]:
        one = good.happenings[at]
        assert isinstance(one, Published)
        good = put(good, at, replace(one, taken=False, told="no"))
    assert broken(good) == {Law.TOLD}


def test_a_run_that_is_not_over_yet_owes_nobody_the_end(good: History) -> None:
    one, other = good.beliefs
    waiting = replace(good, beliefs=(replace(one, asked=("a" * 64,)), other), is_quiet=False)
    assert check(waiting) == ()


@pytest.mark.parametrize(("seconds_before", "is_noticed"), [(90, True), (5, False)])
def test_a_note_that_is_missing_is_excused_by_a_key_that_was_exchanged_meanwhile(
    good: History, seconds_before: int, *, is_noticed: bool
) -> None:
    (at,) = said(good, 64)
    one = good.happenings[at]
    exchanged = Fired(at_ms=one.at_ms - seconds_before * 1000, kind="F43")
    missing = put(good, at, exchanged)
    two_keys = replace(missing, servers=("f" * 64, *good.servers))
    assert (Law.TOLD in broken(two_keys)) is is_noticed


@pytest.mark.parametrize(("days", "is_noticed"), [(12, True), (14, False)])
def test_a_note_that_is_missing_is_excused_when_it_lay_dead_for_two_weeks(
    good: History, days: int, *, is_noticed: bool
) -> None:
    (at,) = said(good, 64)
    one = good.happenings[at]
    body = json.dumps({"republish": {"game_id": next(iter(Evidence(good).games))}})
    dead = DeadLettered(at_ms=one.at_ms, queue="republish", group="", record="r", body=body)
    later = one.at_ms + days * DAY_MS
    missing = replace(put(good, at, dead), ended_at_ms=later)
    assert (Law.TOLD in broken(missing)) is is_noticed


_VERDICT = {"verdict": {"about": "%m", "reason": "no"}}
_RESULT = {"type": "chess_chat", "verdict": {"reason": "result", "result": "1-0"}}


@pytest.mark.parametrize(
    ("content", "days", "is_noticed"),
    [
        (_VERDICT, 13, True),
        (_VERDICT, 14, False),
        ({"type": "chess_chat", "msg": "Arbiter: you play black"}, 13, True),
        ({"type": "chess_chat", "msg": "Arbiter: you play black"}, 14, False),
        (_RESULT, 14, True),
        ({"type": "chess_move", "ply": 1}, 14, True),
    ],
)
def test_a_line_or_a_verdict_on_scuttlebutt_is_owed_until_its_queue_forgets_it(
    good: History, content: dict[str, Any], days: int, *, is_noticed: bool
) -> None:
    body = json.dumps({"id": "a" * 64, "content": content})
    queued = Queued(
        at_ms=good.ended_at_ms,
        by="worker",
        queue="scuttlebutt.fifo",
        group="g",
        dedup_id="d",
        body=body,
        status="taken",
    )
    later = good.ended_at_ms + days * DAY_MS
    waiting = replace(good, happenings=(*good.happenings, queued), ended_at_ms=later)
    assert (Law.TOLD in broken(waiting)) is is_noticed


@pytest.mark.parametrize(("days", "is_noticed"), [(12, True), (14, False)])
def test_a_message_on_scuttlebutt_is_owed_an_answer_unless_it_lay_dead_for_two_weeks(
    days: int, *, is_noticed: bool
) -> None:
    key = f"%{base64.b64encode(bytes(32)).decode()}.sha256"
    content = json.dumps({"type": "chess_move", "root": key, "orig": "e2", "dest": "e4"})
    letter = {"kind": 20310, "content": json.dumps({"key": key})}
    event = {"id": "", "pubkey": "", "created_at": 0, "tags": [], "sig": "", **letter}
    body = json.dumps({"event": event})
    wrote = Authored(at_ms=NOW_MS, who="feed", author="@feed", key=key, sequence=1, content=content)
    dead = DeadLettered(at_ms=NOW_MS, queue="moves.fifo", group="", record="r", body=body)
    feed = Actor(name="feed", pubkeys=(stand_in(SERVER.pubkey, "@feed"),), dialect="ssb")
    history = History(
        seed=1,
        servers=(SERVER.pubkey,),
        actors=(feed,),
        happenings=(wrote, dead),
        ended_at_ms=NOW_MS + days * DAY_MS,
    )
    assert (Law.ACCOUNTED in broken(history)) is is_noticed
