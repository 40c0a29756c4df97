"""Roles against calls: what is missing, what is too much, and what has an reason."""

from local.rehearsal.iam_usage import (
    REASONS,
    Call,
    Grant,
    Reason,
    compare,
)
from tests.template.source import named, statements

_SEND = Grant(role="R", sid="Speak", action="sqs:SendMessage", resource="arn:queue")
_RECEIVE = Grant(role="R", sid="Speak", action="sqs:ReceiveMessage", resource="arn:queue")


def _call(
    action: str, resource: str = "arn:queue", *, role: str = "R", granted: bool = True
) -> Call:
    return Call(role=role, function="f", action=action, resource=resource, granted=granted)


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
