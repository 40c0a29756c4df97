"""The operator's policy as one item of the table of games, and players' reports as another.

====  ====  ==========================================================
name  type  of the policy
====  ====  ==========================================================
pk    S     ``policy``
s v   N     the schema's version; the number of changes
doc   S     the policy as JSON, which a later release may add names to
====  ====  ==========================================================

The item ``reports`` is the same, with a list of reports as its ``doc``.
"""

import json
from dataclasses import asdict, replace
from typing import Any

from arbiter.adapters.items.attributes import Item, stamp
from arbiter.adapters.items.table import Table, Writes
from arbiter.core.policy import Closing, Denial, Policy, PolicyChange
from arbiter.core.reports import PlayerReport, with_report

KEY: Item = {"pk": {"S": "policy"}}

_REPORTS: Item = {"pk": {"S": "reports"}}

MAX_CHARS = 300_000
"""DynamoDB's largest item is 400 KB."""


def item_of_policy(policy: Policy) -> Item:
    """The item. Raises ValueError for a policy that is too large for one."""
    said: dict[str, Any] = {
        "denied": {key: asdict(denial) for key, denial in policy.denied.items()},
        "allowed": None if policy.allowed is None else sorted(policy.allowed),
        "group": policy.group,
        "hidden": sorted(policy.hidden),
        "void_keys": sorted(policy.void_keys),
        "void_pairs": sorted(policy.void_pairs),
        "closed": asdict(policy.closed) if policy.closed else None,
        "operator": policy.operator,
        "notices": policy.notices,
        "vacation_days": policy.vacation_days,
        "changes": [asdict(change) for change in policy.changes],
        "lists": dict(policy.lists),
    }
    doc = json.dumps(said, sort_keys=True)
    if len(doc) > MAX_CHARS:
        raise ValueError("the policy is too long: take keys out that no longer matter")
    return {**KEY, **stamp(policy.item_version), "doc": {"S": doc}}


def policy_of_item(item: Item) -> Policy:
    """The inverse of ``item_of_policy``."""
    said: dict[str, Any] = json.loads(item["doc"]["S"])
    allowed = said["allowed"]
    return Policy(
        denied={key: Denial(**denial) for key, denial in said["denied"].items()},
        allowed=None if allowed is None else frozenset(allowed),
        group=said.get("group", ""),
        hidden=frozenset(said["hidden"]),
        void_keys=frozenset(said["void_keys"]),
        void_pairs=frozenset((one, other) for one, other in said["void_pairs"]),
        closed=Closing(**said["closed"]) if said["closed"] else None,
        operator=said.get("operator"),
        notices=said.get("notices", False),
        vacation_days=said.get("vacation_days", 0),
        changes=tuple(PolicyChange(**change) for change in said["changes"]),
        lists=said["lists"],
        item_version=int(item["v"]["N"]),
    )


class StoredPolicy:
    """The policy of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def load(self) -> Policy:
        """The policy as last written (strongly consistent). Raises the store's errors."""
        item = self._table.find(KEY)
        return policy_of_item(item) if item else Policy()

    def commit(self, before: Policy, after: Policy) -> bool:
        """Write ``after``, one version on; False if another was first. ValueError if too long."""
        written = replace(after, item_version=before.item_version + 1)
        update = (before.item_version, item_of_policy(before), item_of_policy(written))
        return self._table.write(Writes(updates=[update]))

    def reports(self) -> tuple[PlayerReport, ...]:
        """The latest reports of players, the latest last."""
        return _reports(self._table.find(_REPORTS))

    def add_report(self, report: PlayerReport) -> bool:
        """Keep this report; False if another writer was first."""
        item = self._table.find(_REPORTS)
        after = with_report(_reports(item), report)
        if after is None:
            return True
        version = int(item["v"]["N"]) if item else 0
        doc = json.dumps([asdict(one) for one in after])
        while len(doc) > MAX_CHARS:
            after = after[1:]
            doc = json.dumps([asdict(one) for one in after])
        written = {**_REPORTS, **stamp(version + 1), "doc": {"S": doc}}
        return self._table.write(Writes(updates=[(version, item or {}, written)]))


def _reports(item: Item | None) -> tuple[PlayerReport, ...]:
    said: list[dict[str, Any]] = json.loads(item["doc"]["S"]) if item else []
    return tuple(PlayerReport(**{**one, "chat": tuple(one["chat"])}) for one in said)
