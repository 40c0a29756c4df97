"""What roles are granted, what was called in their names, and the difference.

Invariant: no call without a grant; no grant without a call or a stated reason, or the rehearsal
fails.
"""

import fnmatch
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
class Excuse:
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
    excuse: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every grant, and every call that no grant covers or that was refused."""

    rows: tuple[Row, ...]
    ungranted: tuple[Call, ...]

    @property
    def unexplained(self) -> tuple[Grant, ...]:
        """Grants without a call and without a reason."""
        return tuple(row.grant for row in self.rows if not (row.calls or row.excuse))


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
    grants: Sequence[Grant], calls: Mapping[Call, int], excuses: Sequence[Excuse]
) -> Comparison:
    """Set calls against grants."""
    rows = []
    for grant in sorted(set(grants)):
        used = sum(count for call, count in calls.items() if call.granted and _covers(grant, call))
        found = (excuse.text for excuse in excuses if excuse.covers(grant))
        rows.append(Row(grant=grant, calls=used, excuse="" if used else next(found, "")))
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
