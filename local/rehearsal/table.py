"""The comparison of grants and calls, as a table."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from local.rehearsal.iam_usage import Call, Comparison, Excuse, Grant, Row

_LAMBDA_POLLS = "Lambda fetches records in its name; the emulator does so without asking"
_LAMBDA_LOGS = "Lambda writes the log in its name; the emulator does so without asking"

EXCUSES: Sequence[Excuse] = (
    Excuse(sid="TakeRecords", text=_LAMBDA_POLLS),
    Excuse(sid="WriteItsLog", text=_LAMBDA_LOGS),
    Excuse(
        sid="DecryptTheServerKey",
        text="Systems Manager decrypts in its name; the emulator does not encrypt",
    ),
    Excuse(
        sid="LetSchedulesReachTheClock",
        text="AWS asks for it at CreateSchedule; the emulator does not",
    ),
    Excuse(sid="Nudge", text="Scheduler's own, when a deadline comes that is hours away"),
    Excuse(
        sid="PassOnOrWaitAgain",
        resource="-clock",
        text="only nudges for more than a quarter of an hour off wait again",
    ),
    Excuse(sid="SeeHowLongRecordsWait", text="only where a record waits in a queue"),
    Excuse(sid="AskForAnotherTry", text="only where no relay takes a reply"),
    Excuse(sid="HaveItSaidOnScuttlebutt", text="only where there is a bridge"),
    Excuse(
        sid="SeeHowLongQueuesAre",
        resource="-scuttlebutt-dead.fifo",
        text="only where there is a bridge",
    ),
    Excuse(
        sid="FindWhoIsToHear",
        action="dynamodb:UpdateItem",
        text="only where there is a bridge, to count the chat it carries",
    ),
    Excuse(
        sid="FindWhoIsToHear",
        action="dynamodb:BatchWriteItem",
        text="only where a socket turns out to be gone",
    ),
    Excuse(
        sid="FindWhoIsToHear",
        action="dynamodb:DeleteItem",
        text="only where a socket turns out to be gone",
    ),
)


def lines_of(comparison: Comparison, logical: Mapping[str, str]) -> list[str]:
    """The table, role by role: what was called, line by line; what was not, by its reason.

    ``logical`` has the template's names by those in the account.
    """
    lines: list[str] = []
    for role, rows in groupby(comparison.rows, key=lambda row: row.grant.role):
        lines.append(f"  {logical.get(role, role)}")
        for (_, excuse), alike in groupby(rows, key=_sid_and_excuse):
            together = list(alike)
            if together[0].calls:
                lines += [_called(row, logical) for row in together]
            else:
                lines += _not_called(together, excuse, logical)
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
    return row.grant.sid, "" if row.calls else row.excuse or "NOBODY KNOWS WHY"


def _called(row: Row, logical: Mapping[str, str]) -> str:
    used = f"{row.calls} calls" if row.calls > 1 else "1 call"
    resource = shortened(row.grant.resource, logical)
    return f"    {row.grant.action:<32} {resource:<40} {used}"


def _not_called(rows: Sequence[Row], excuse: str, logical: Mapping[str, str]) -> list[str]:
    actions = dict.fromkeys(row.grant.action for row in rows)
    resources = dict.fromkeys(shortened(row.grant.resource, logical) for row in rows)
    return [
        f"    {', '.join(actions)} on {', '.join(resources)}",
        f"      not called: {excuse}",
    ]


def _shown(call: Call, logical: Mapping[str, str]) -> str:
    said = "granted" if call.granted else "refused"
    return f"{call.function}: {call.action} on {shortened(call.resource, logical)} ({said})"
