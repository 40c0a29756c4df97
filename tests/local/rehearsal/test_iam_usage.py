"""Roles against calls: what is missing, what is too much, and what has an reason."""

import json

from local.rehearsal.iam_usage import (
    REASONS,
    Call,
    Grant,
    Reason,
    calls_from,
    compare,
    grants_of,
)
from tests.template.source import named, statements

_POLICY = {
    "Statement": [
        {
            "Sid": "Speak",
            "Effect": "Allow",
            "Action": ["sqs:SendMessage", "sqs:ReceiveMessage"],
            "Resource": "arn:queue",
        },
        {"Sid": "Never", "Effect": "Deny", "Action": "sqs:*", "Resource": "*"},
        {"Sid": "Call", "Effect": "Allow", "Action": "api:Post", "Resource": ["arn:api/v1/*"]},
    ]
}
_SEND = Grant(role="R", sid="Speak", action="sqs:SendMessage", resource="arn:queue")
_RECEIVE = Grant(role="R", sid="Speak", action="sqs:ReceiveMessage", resource="arn:queue")
_POST = Grant(role="R", sid="Call", action="api:Post", resource="arn:api/v1/*")


def _call(
    action: str, resource: str = "arn:queue", *, role: str = "R", granted: bool = True
) -> Call:
    return Call(role=role, function="f", action=action, resource=resource, granted=granted)


def _line(session: str, *, granted: bool) -> str:
    return json.dumps(
        {
            "caller": f"arn:aws:sts::000000000000:assumed-role/{session}",
            "action": "sqs:SendMessage",
            "resource": "arn:queue",
            "granted": granted,
        }
    )


def test_a_policy_is_read_grant_by_grant_and_what_it_denies_is_none() -> None:
    assert grants_of("R", _POLICY) == (_SEND, _RECEIVE, _POST)


def test_calls_are_counted_by_role_function_and_answer() -> None:
    lines = [_line("R/f", granted=True), _line("R/f", granted=True), "", _line("R/g", granted=True)]
    calls = calls_from([*lines, _line("R/f", granted=False)])
    assert calls == {
        _call("sqs:SendMessage"): 2,
        _call("sqs:SendMessage", granted=False): 1,
        Call(
            role="R", function="g", action="sqs:SendMessage", resource="arn:queue", granted=True
        ): 1,
    }


def test_a_grant_is_used_by_every_call_it_covers_and_then_needs_no_reason() -> None:
    calls = {
        _call("api:Post", "arn:api/v1/a"): 2,
        _call("api:Post", "arn:api/v1/b/c"): 1,
        _call("api:Post", "arn:api/v1/d", granted=False): 5,
    }
    (row,) = compare([_POST], calls, (Reason(sid="Call", text="never"),)).rows
    assert (row.calls, row.reason) == (3, "")


def test_a_call_that_is_not_granted_or_was_refused_is_found() -> None:
    granted, refused = _call("sqs:SendMessage"), _call("sqs:SendMessage", granted=False)
    others = {
        _call("sqs:PurgeQueue"),
        _call("sqs:SendMessage", "arn:queue2"),
        _call("sqs:SendMessage", role="S"),
        refused,
    }
    assert set(compare([_SEND], dict.fromkeys({granted, *others}, 1), ()).ungranted) == others


def test_a_grant_without_a_call_needs_a_reason_for_its_action_and_resource() -> None:
    reasons = (Reason(sid="Speak", action="sqs:ReceiveMessage", text="Lambda does"),)
    comparison = compare([_SEND, _RECEIVE], {}, reasons)
    assert comparison.unexplained == (_SEND,)
    assert {row.grant: row.reason for row in comparison.rows} == {
        _SEND: "",
        _RECEIVE: "Lambda does",
    }
    assert not Reason(sid="Speak", resource="other", text="seldom").covers(_SEND)
    assert Reason(sid="Speak", resource="queue", text="seldom").covers(_SEND)


def test_every_reason_is_for_a_statement_of_the_template() -> None:
    sids = {it["Sid"] for role in named("AWS::IAM::Role") for it in statements(role)}
    assert {reason.sid for reason in REASONS} <= sids
