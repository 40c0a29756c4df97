"""That invocations are divided as they are told to be, and that what is told of them is so."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.releases.ministack_with_releases import (
    Execute,
    Turns,
    executing,
    is_new,
    leasing,
)

A_FUNCTION = {
    "config": {"FunctionName": "process"},
    "versions": {number: {"config": {"Version": number}} for number in ("1", "2")},
}


def turns_in(folder: Path, new_of_ten: int) -> Turns:
    releases = folder / "releases.json"
    releases.write_text(json.dumps({"phase": "here", "new_of_ten": new_of_ten}))
    return Turns(releases, folder / "served.jsonl")


def divided(folder: Path, new_of_ten: int) -> Execute:
    """Functions whose answer is the version that was asked."""
    return executing(turns_in(folder, new_of_ten), answer_of)


def answer_of(function: Any, invocation: Any, request_id: str) -> dict[str, Any]:
    return {"body": function["config"].get("Version", "latest"), "log": invocation.get("log", "")}


def served(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "served.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("new_of_ten", range(11))
def test_of_every_ten_in_a_row_as_many_are_the_new_ones_as_were_asked_for(new_of_ten: int) -> None:
    turns = [is_new(before, new_of_ten) for before in range(40)]

    assert [at for at in range(30) if sum(turns[at : at + 10]) != new_of_ten] == []


def test_the_version_whose_turn_it_is_answers_and_is_written_down(tmp_path: Path) -> None:
    turns = divided(tmp_path, 5)

    answers = [turns(A_FUNCTION, {}, "id")["body"] for _ in range(4)]

    assert answers == ["1", "2", "1", "2"]
    assert [line["release"] for line in served(tmp_path)] == answers
    assert {line["phase"] for line in served(tmp_path)} == {"here"}


def test_a_function_with_one_version_is_left_alone(tmp_path: Path) -> None:
    turns = divided(tmp_path, 5)
    alone = {"config": {"FunctionName": "process"}, "versions": {"1": {}}}

    assert turns(alone, {}, "id")["body"] == "latest"
    assert not (tmp_path / "served.jsonl").exists()


def test_moves_and_failures_are_read_from_the_log(tmp_path: Path) -> None:
    log = '{"fate": "played", "event": "ab"}\nno JSON\n7\n{"fate": "failed", "error": "Contended"}'

    divided(tmp_path, 0)(A_FUNCTION, {"log": log}, "id")

    (line,) = served(tmp_path)
    assert (line["played"], line["failures"]) == (["ab"], ["Contended"])


@pytest.mark.parametrize(
    ("path", "status", "made"),
    [("/make-move/e2/e4", 200, True), ("/make-move/e2/e5", 400, False), ("/board", 200, False)],
)
def test_a_move_over_http_counts_when_it_was_granted(
    tmp_path: Path, path: str, status: int, *, made: bool
) -> None:
    execute = executing(turns_in(tmp_path, 10), lambda *_: {"body": {"statusCode": status}})

    execute(A_FUNCTION, {"rawPath": path}, "id")

    assert served(tmp_path)[0]["made_move"] is made


def test_what_comes_over_a_socket_is_divided_too(tmp_path: Path) -> None:
    versions = {number: {"config": {"Version": number}, "code_zip": b""} for number in ("1", "2")}
    functions = {"gateway": {"config": {"FunctionName": "gateway"}, "versions": versions}}
    lease = leasing(
        turns_in(tmp_path, 5), lambda name, config, code, qualifier: qualifier, functions.get
    )

    assert [lease("gateway", {}, b"") for _ in range(4)] == ["1", "2", "1", "2"]
    assert lease("another", {}, b"") == "$LATEST"
    assert len(served(tmp_path)) == 4
