"""The table of grants and calls, as it is printed, and the reasons that stand in it."""

from local.rehearsal.iam_usage import (
    REASONS,
    Call,
    Grant,
    Reason,
    compare,
    lines_of,
    shortened,
)
from tests.template.source import named, properties

_LOGICAL = {"stack-Role-1": "Role", "stack-Table-2": "Table"}
_TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/stack-Table-2"


def _grant(action: str, sid: str = "Read", resource: str = _TABLE) -> Grant:
    return Grant(role="stack-Role-1", sid=sid, action=action, resource=resource)


def _call(action: str, *, granted: bool = True) -> Call:
    return Call(role="stack-Role-1", function="f", action=action, resource=_TABLE, granted=granted)


def test_a_resource_is_named_as_in_the_template() -> None:
    assert shortened(_TABLE, _LOGICAL) == "table/Table"
    assert shortened(f"{_TABLE}/index/live", _LOGICAL) == "table/Table/index/live"
    assert shortened("*", _LOGICAL) == "*"


def test_what_was_called_has_a_line_each_and_what_was_not_is_gathered() -> None:
    grants = [_grant("a:Get"), _grant("a:Put", "Write"), _grant("a:Delete", "Write")]
    reasons = (Reason(sid="Write", text="nobody wrote"),)
    lines = lines_of(compare(grants, {_call("a:Get"): 2}, reasons), _LOGICAL)
    assert [" ".join(line.split()) for line in lines] == [
        "Role",
        "a:Get table/Table 2 calls",
        "a:Delete, a:Put on table/Table",
        "not called: nobody wrote",
    ]


def test_a_grant_without_an_excuse_is_for_all_to_see() -> None:
    lines = lines_of(compare([_grant("a:Get")], {}, ()), _LOGICAL)
    assert "NO REASON STATED" in lines[-1]


def test_a_refused_call_is_for_all_to_see() -> None:
    lines = lines_of(compare([], {_call("a:Get", granted=False): 1}, ()), _LOGICAL)
    assert lines == ["  REFUSED or granted by nothing: f: a:Get on table/Table (refused)"]


def test_every_excuse_is_for_a_statement_that_the_template_has() -> None:
    sids = {
        statement["Sid"]
        for role in named("AWS::IAM::Role")
        for policy in properties(role)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    }
    assert {reason.sid for reason in REASONS} <= sids
