"""Invocations are divided by the shares of a phase, and an idle release is reported."""

import json
from pathlib import Path

import pytest

from tests.releases.__main__ import idle, served_from
from tests.releases.ministack_with_releases import Turns, executing, is_new
from tests.releases.played import Phase

A_FUNCTION = {
    "config": {"FunctionName": "process"},
    "versions": {number: {"config": {"Version": number}} for number in ("1", "2")},
}


@pytest.mark.parametrize("new_of_ten", range(11))
def test_of_every_ten_in_a_row_the_share_is_the_new_releases(new_of_ten: int) -> None:
    turns = [is_new(before, new_of_ten) for before in range(40)]

    assert [at for at in range(30) if sum(turns[at : at + 10]) != new_of_ten] == []


def test_versions_answer_in_turn_and_are_logged(tmp_path: Path) -> None:
    (tmp_path / "releases").write_text(json.dumps({"phase": "here", "new_of_ten": 5}))
    turns = Turns(tmp_path / "releases", tmp_path / "served")
    execute = executing(turns, lambda function, *_: {"by": function["config"]["Version"]})

    answers = [execute(A_FUNCTION, {}, "id")["by"] for _ in range(4)]
    alone = {"config": {"Version": "latest"}, "versions": {"1": {}}}

    assert answers == ["1", "2", "1", "2"]
    assert execute(alone, {}, "id") == {"by": "latest"}
    assert served_from((tmp_path / "served").read_text().splitlines()) == {
        ("here", "1"): {"process": 2},
        ("here", "2"): {"process": 2},
    }


def test_an_idle_release_is_reported() -> None:
    every = {"ProcessEventsFunction": 1, "GatewayFunction": 1, "HttpApiFunction": 1}
    half = Phase("half", 5)

    assert idle([half], {("half", "1"): every, ("half", "2"): every}) == []
    assert idle([half], {("half", "1"): every, ("half", "2"): {"GatewayFunction": 1}}) == [
        "the new release did not serve each wire in “half”"
    ]
    assert idle([Phase("old", 0)], {("old", "1"): every, ("old", "2"): every}) == [
        "the new release served in “old”"
    ]
