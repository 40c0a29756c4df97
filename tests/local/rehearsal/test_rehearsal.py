"""The rehearsal's game and folder, and its reading of the account."""

from pathlib import Path

import chess

from local.deploy import STACK_NAME
from local.foreground import empty
from local.rehearsal.account import beyond
from local.rehearsal.build_variants import CHANGED_FUNCTION, IMPOSSIBLE
from local.rehearsal.cloud import last_update_of
from local.rehearsal.game import RESULT, SCRIPT
from local.rehearsal.probes import SIGNERS, forbidden_to
from local.rehearsal.updates import failed_half_way
from tests.template.source import named

_OUTPUTS = {
    "TableName": "table",
    "MovesQueueUrl": "http://queue/moves.fifo",
    "MovesDeadLettersUrl": "http://queue/moves-dead.fifo",
    "KeyParameterName": "/arbiter/key",
}


def test_the_script_is_a_game_that_ends_in_mate() -> None:
    board = chess.Board()
    for uci in SCRIPT:
        assert board.outcome() is None
        board.push(board.parse_uci(uci))
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.result()) == (chess.Termination.CHECKMATE, RESULT)


def test_what_is_new_in_the_account_is_left_over() -> None:
    before = {"groups": frozenset({"default"}), "queues": frozenset[str]()}
    now = {
        "groups": frozenset({"default"}),
        "queues": frozenset({"b", "a"}),
        "tables": frozenset({"t"}),
    }
    assert beyond(now, before) == {"queues": ("a", "b"), "tables": ("t",)}
    assert beyond(before, now) == {}


def _event(name: str, status: str, reason: str = "") -> dict[str, str]:
    return {
        "LogicalResourceId": name,
        "ResourceStatus": status,
        "ResourceStatusReason": reason,
    }


_BEGUN = _event(STACK_NAME, "UPDATE_IN_PROGRESS")
_CHANGED = _event(CHANGED_FUNCTION, "UPDATE_COMPLETE")
_FAILED = _event(IMPOSSIBLE, "CREATE_FAILED", "no such thing")


def test_the_events_of_the_last_update_are_in_their_order() -> None:
    oldest_first = [_BEGUN, _CHANGED, _BEGUN, _FAILED]
    assert last_update_of(oldest_first[::-1]) == (_BEGUN, _FAILED)
    assert last_update_of([_FAILED]) == (_FAILED,)


def test_an_update_fails_half_way_after_the_function_has_changed() -> None:
    assert failed_half_way([_BEGUN, _CHANGED, _FAILED]) == "no such thing"
    assert failed_half_way([_BEGUN, _FAILED, _CHANGED]) == ""
    assert failed_half_way([_BEGUN, _CHANGED]) == ""


def test_the_folder_is_emptied_except_its_lock_and_key(tmp_path: Path) -> None:
    (tmp_path / "build" / "deep").mkdir(parents=True)
    (tmp_path / "build" / "deep" / "file").touch()
    (tmp_path / "elsewhere").symlink_to(tmp_path / "build")
    for name in ("lock", "server.key", "calls.jsonl"):
        (tmp_path / name).touch()
    empty(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "server.key"]


def test_roles_that_do_not_sign_are_tried_with_the_secret_key() -> None:
    assert set(named("AWS::IAM::Role")) > SIGNERS
    for role in ("ClockRole", *SIGNERS):
        asked = [call["arguments"].get("Name") for call in forbidden_to(role, _OUTPUTS)]
        assert (_OUTPUTS["KeyParameterName"] in asked) == (role not in SIGNERS)
