"""The operator's policy as a process knows it."""

import logging
from dataclasses import dataclass, field

from arbiter.application.ports import Clock, PolicyStore
from arbiter.application.spending import Spending
from arbiter.core.game import Game
from arbiter.core.policy import EVERYBODY, Policy

KNOWN_MS = 60_000
"""A policy that was read is good for this time: a change made elsewhere is obeyed by then."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class KnownPolicy:
    """The policy as of the last minute; without a ``store`` everybody may play. ``house`` players
    (64 hex) are no members. The operator is configured, or the policy names them.
    """

    store: PolicyStore | None = None
    clock: Clock | None = None
    house: frozenset[str] = frozenset()
    configured_operator: str | None = None
    spending: Spending | None = None
    _policy: Policy = field(default=EVERYBODY, init=False)
    _good_until_ms: int = field(default=0, init=False)

    def now(self) -> Policy:
        """The policy; one that cannot be read stays as it was, and no event is refused for it."""
        if self.store is None or self.clock is None:
            return self._policy
        now_ms = self.clock.now_ms()
        if now_ms >= self._good_until_ms:
            self._good_until_ms = now_ms + KNOWN_MS
            try:
                self._policy = self.store.load()
            except Exception as failure:  # noqa: BLE001 - as above
                _log.warning({"status": "no-policy", "error": type(failure).__name__})
        return self._policy

    @property
    def operator(self) -> str | None:
        """The operator's key (64 hex), if there is one."""
        return self.configured_operator or self.now().operator

    def forget(self) -> None:
        """Read it anew the next time."""
        self._good_until_ms = 0

    def why_not(self, key: str, now_ms: int) -> str | None:
        """Return the reason why this key may not play here, as `Policy.why_not`."""
        return None if key in self.house else self.now().why_not(key, now_ms)

    def why_no_game(self, key: str, now_ms: int) -> str | None:
        """Return the reason why no game begins for this key now."""
        return self.why_not(key, now_ms) or self.why_closed(now_ms)

    def why_closed(self, now_ms: int) -> str | None:
        """The reason why no game begins: the operator's, or that the budget is used up."""
        spent = self.spending.why_closed() if self.spending else None
        return self.now().why_closed(now_ms) or spent

    def why_not_in(self, game: Game, key: str, now_ms: int) -> str | None:
        """The reason why this key may not play on in this game; or None."""
        denial = self.now().denial(key, now_ms)
        if denial is None or not (denial.ends_games or game.created_at_ms > denial.since_ms):
            return None
        return self.why_not(key, now_ms)
