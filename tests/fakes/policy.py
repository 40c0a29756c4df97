"""A policy that nothing changes."""

from dataclasses import dataclass

from arbiter.core.policy import Policy
from arbiter.core.reports import PlayerReport


@dataclass
class FixedPolicy:
    """As `ports.PolicyStore`."""

    policy: Policy

    def load(self) -> Policy:
        return self.policy

    def commit(self, before: Policy, after: Policy) -> bool:
        raise AssertionError

    def reports(self) -> tuple[PlayerReport, ...]:
        return ()

    def add_report(self, report: PlayerReport) -> bool:
        raise AssertionError
