"""What roles are granted, what was called in their names, and the difference.

Invariant: no call without a grant; no grant without a call or a stated reason, or the rehearsal
fails.
"""

import fnmatch
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Grant:
    """An action that a role is allowed on a resource, which may end in a star. ``sid`` names its
    statement.
    """

    role: str
    sid: str
    action: str
    resource: str


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Call:
    """An action that a function asked for in its role's name, and whether it was granted."""

    role: str
    function: str
    action: str
    resource: str
    granted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a grant goes unused. Empty fields mean any; ``resource`` is a part of its ARN."""

    sid: str
    action: str = ""
    resource: str = ""
    text: str

    def covers(self, grant: Grant) -> bool:
        """Whether it is this grant's."""
        return (
            self.sid == grant.sid
            and self.action in ("", grant.action)
            and self.resource in grant.resource
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A grant, how often it was used, and why it was not, where that is known."""

    grant: Grant
    calls: int
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every grant, and every call that no grant covers or that was refused."""

    rows: tuple[Row, ...]
    ungranted: tuple[Call, ...]

    @property
    def unexplained(self) -> tuple[Grant, ...]:
        """Grants without a call and without a reason."""
        return tuple(row.grant for row in self.rows if not (row.calls or row.reason))


def grants_of(role: str, policy: Mapping[str, Any]) -> tuple[Grant, ...]:
    """The grants of a policy document, one by one. Statements that deny grant nothing."""
    return tuple(
        Grant(role=role, sid=statement.get("Sid", ""), action=action, resource=resource)
        for statement in _listed(policy["Statement"])
        if statement["Effect"] == "Allow"
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    )


def calls_from(lines: Iterable[str]) -> Counter[Call]:
    """What ministack_with_records wrote down, counted."""
    return Counter(_call(json.loads(line)) for line in lines if line.strip())


def compare(
    grants: Sequence[Grant], calls: Mapping[Call, int], reasons: Sequence[Reason]
) -> Comparison:
    """Set calls against grants."""
    rows = []
    for grant in sorted(set(grants)):
        used = sum(count for call, count in calls.items() if call.granted and _covers(grant, call))
        found = (reason.text for reason in reasons if reason.covers(grant))
        rows.append(Row(grant=grant, calls=used, reason="" if used else next(found, "")))
    ungranted = (
        call
        for call in calls
        if not call.granted or not any(_covers(grant, call) for grant in grants)
    )
    return Comparison(tuple(rows), tuple(sorted(ungranted)))


def _covers(grant: Grant, call: Call) -> bool:
    return (grant.role, grant.action) == (call.role, call.action) and fnmatch.fnmatchcase(
        call.resource, grant.resource
    )


def _call(noted: Mapping[str, Any]) -> Call:
    # arn:aws:sts::000000000000:assumed-role/ROLE/SESSION, and the session is the function.
    _, role, function = str(noted["caller"]).split("/")
    return Call(
        role=role,
        function=function,
        action=str(noted["action"]),
        resource=str(noted["resource"]),
        granted=bool(noted["granted"]),
    )


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - IAM's JSON: one, or a list of them
    return value if isinstance(value, list) else [value]


_LAMBDA_POLLS = "Lambda fetches records in its name; the emulator does so without asking"
_LAMBDA_LOGS = "Lambda writes the log in its name; the emulator does so without asking"

REASONS: Sequence[Reason] = (
    Reason(sid="TakeRecords", text=_LAMBDA_POLLS),
    Reason(sid="WriteItsLog", text=_LAMBDA_LOGS),
    Reason(
        sid="DecryptTheServerKey",
        text="Systems Manager decrypts in its name; the emulator does not encrypt",
    ),
    Reason(
        sid="LetSchedulesReachTheClock",
        text="AWS asks for it at CreateSchedule; the emulator does not",
    ),
    Reason(sid="SendTimers", text="Scheduler's own, when a deadline comes that is hours away"),
    Reason(
        sid="PassOnOrWaitAgain",
        resource="-clock",
        text="only timers for more than a quarter of an hour off wait again",
    ),
    Reason(sid="SeeHowLongRecordsWait", text="only where a record waits in a queue"),
    Reason(sid="AskForAnotherTry", text="only where no relay takes a reply"),
    Reason(
        sid="LoadAndCommit",
        action="dynamodb:BatchGetItem",
        text="only where requests to play come together",
    ),
    Reason(sid="HaveItSaidOnSsb", text="only where there is a bridge"),
    Reason(
        sid="SeeHowLongQueuesAre",
        resource="-ssb-dead.fifo",
        text="only where there is a bridge",
    ),
    Reason(
        sid="FindWhoIsToHear",
        action="dynamodb:UpdateItem",
        text="only where there is a bridge, to count the chat it carries",
    ),
    Reason(
        sid="FindWhoIsToHear",
        action="dynamodb:Query",
        text="only where a topic has more subscriptions than its item holds",
    ),
    Reason(
        sid="FindWhoIsToHear",
        action="dynamodb:BatchWriteItem",
        text="only where a socket turns out to be gone",
    ),
    Reason(
        sid="FindWhoIsToHear",
        action="dynamodb:DeleteItem",
        text="only where a socket turns out to be gone",
    ),
    Reason(
        sid="FindWhoIsToHear",
        action="dynamodb:Query",
        text="only where a socket turns out to be gone, or a player uses NIP-100",
    ),
)


def lines_of(comparison: Comparison, logical: Mapping[str, str]) -> list[str]:
    """The table, role by role: what was called, line by line; what was not, by its reason.

    ``logical`` has the template's names by those in the account.
    """
    lines: list[str] = []
    for role, rows in groupby(comparison.rows, key=lambda row: row.grant.role):
        lines.append(f"  {logical.get(role, role)}")
        for (_, reason), alike in groupby(rows, key=_sid_and_excuse):
            together = list(alike)
            if together[0].calls:
                lines += [_called(row, logical) for row in together]
            else:
                lines += _not_called(together, reason, logical)
    lines += [
        f"  REFUSED or granted by nothing: {_shown(it, logical)}" for it in comparison.ungranted
    ]
    return lines


def shortened(arn: str, logical: Mapping[str, str]) -> str:
    """A resource by the template's names, as short as it stays clear."""
    name = arn.split(":", 5)[-1]
    for physical in sorted(logical, key=len, reverse=True):
        if physical and physical in name:
            return name.replace(physical, logical[physical])
    return name


def named(grant: Grant, logical: Mapping[str, str]) -> str:
    """A grant, as a failure names it."""
    role = logical.get(grant.role, grant.role)
    return f"{role} {grant.sid}: {grant.action} on {shortened(grant.resource, logical)}"


def _sid_and_excuse(row: Row) -> tuple[str, str]:
    return row.grant.sid, "" if row.calls else row.reason or "NO REASON STATED"


def _called(row: Row, logical: Mapping[str, str]) -> str:
    used = f"{row.calls} calls" if row.calls > 1 else "1 call"
    resource = shortened(row.grant.resource, logical)
    return f"    {row.grant.action:<32} {resource:<40} {used}"


def _not_called(rows: Sequence[Row], reason: str, logical: Mapping[str, str]) -> list[str]:
    actions = dict.fromkeys(row.grant.action for row in rows)
    resources = dict.fromkeys(shortened(row.grant.resource, logical) for row in rows)
    return [
        f"    {', '.join(actions)} on {', '.join(resources)}",
        f"      not called: {reason}",
    ]


def _shown(call: Call, logical: Mapping[str, str]) -> str:
    said = "granted" if call.granted else "refused"
    return f"{call.function}: {call.action} on {shortened(call.resource, logical)} ({said})"
