"""Roles against calls: what is missing, what is too much, and what has an reason."""

import json

from local.rehearsal.iam_usage import Call, Grant, Reason, calls_from, compare, grants_of

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


def test_a_grant_is_used_by_every_call_it_covers() -> None:
    calls = {
        _call("api:Post", "arn:api/v1/a"): 2,
        _call("api:Post", "arn:api/v1/b/c"): 1,
        _call("api:Post", "arn:api/v1/d", granted=False): 5,
    }
    (row,) = compare([_POST], calls, ()).rows
    assert (row.calls, row.reason) == (3, "")


def test_what_is_called_and_not_granted_is_found() -> None:
    calls = {
        _call("sqs:SendMessage"): 1,
        _call("sqs:PurgeQueue"): 1,
        _call("sqs:SendMessage", "arn:queue2"): 1,
        _call("sqs:SendMessage", role="S"): 1,
    }
    ungranted = compare([_SEND], calls, ()).ungranted
    assert set(ungranted) == set(calls) - {_call("sqs:SendMessage")}


def test_what_was_refused_is_found_though_it_seems_granted() -> None:
    refused = _call("sqs:SendMessage", granted=False)
    assert compare([_SEND], {refused: 1}, ()).ungranted == (refused,)


def test_what_is_granted_and_never_called_needs_an_excuse() -> None:
    reasons = (Reason(sid="Speak", action="sqs:ReceiveMessage", text="Lambda does"),)
    comparison = compare([_SEND, _RECEIVE], {}, reasons)
    assert comparison.unexplained == (_SEND,)
    assert {row.grant: row.reason for row in comparison.rows} == {
        _SEND: "",
        _RECEIVE: "Lambda does",
    }


def test_an_excuse_is_not_made_for_what_was_called() -> None:
    reasons = (Reason(sid="Speak", text="never"),)
    (row,) = compare([_SEND], {_call("sqs:SendMessage"): 1}, reasons).rows
    assert (row.calls, row.reason) == (1, "")


def test_an_excuse_for_one_resource_is_none_for_another() -> None:
    reason = Reason(sid="Speak", resource="other", text="seldom")
    assert not reason.covers(_SEND)
    assert Reason(sid="Speak", resource="queue", text="seldom").covers(_SEND)
