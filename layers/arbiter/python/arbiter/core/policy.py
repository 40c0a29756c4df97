"""The operator's policy: who may play here, who is shown, and whether new games begin. Pure.

A key is 64 hex digits. What the policy refuses is refused at the door, before anything is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Word = Literal[
    "deny",
    "admit",
    "allow",
    "disallow",
    "hide",
    "show",
    "void",
    "count",
    "close",
    "open",
    "notices",
    "quiet",
    "operator",
    "vacation",
]
"""Each word and the one that takes it back. ``notices`` has players told, when they want it, that
it is their turn. ``operator`` names the operator's key, or none; ``vacation`` the days of a year
that a player may take off in a game by days.
"""

MAX_KEYS = 1000
"""Keys of each kind: together they fit into one item."""

MAX_REASON_CHARS = 200

MAX_VACATION_DAYS = 60

MAX_CHANGES = 50
"""The last changes, which are shown to the operator."""

NOT_HERE = "this key may not play here"
MEMBERS_ONLY = "this arbiter is for its members"
CLOSED = "no new games begin here now"


@dataclass(frozen=True, slots=True)
class Denial:
    """A key may not play between two times (unix ms; None: for good), or go on (``ends_games``)."""

    since_ms: int
    reason: str = ""
    until_ms: int | None = None
    ends_games: bool = False


@dataclass(frozen=True, slots=True)
class Closing:
    """No new game begins from then on and until then (unix ms; None: until it is opened)."""

    from_ms: int
    text: str = ""
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A change that was made: when, by whom (a key, or the name of a program) and what it said."""

    at_ms: int
    by: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCommand:
    """A change that is asked for. ``void`` and ``count`` of two keys are about the games between
    them. ``from_ms`` and ``until_ms`` are of ``deny`` and ``close``; ``ends_games``: the running
    games of who is denied end. ``group``: the address of a NIP-29 group's list of members
    (``39002:<key of its relay>:<id>``), for ``allow``.
    ``days`` are those of ``vacation``.
    """

    word: Word
    keys: tuple[str, ...] = ()
    reason: str = ""
    from_ms: int | None = None
    until_ms: int | None = None
    ends_games: bool = False
    group: str = ""
    days: int | None = None


Pair = tuple[str, str]
"""Two keys in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The policy as it is stored. Without ``allowed`` every key that is not denied may play; these
    are the members of ``group``, if there is one. ``operator`` may change it by signed events.
    ``lists`` has, by name, the date of the list (unix seconds) that was taken last.
    """

    denied: Mapping[str, Denial] = field(default_factory=dict)
    allowed: frozenset[str] | None = None
    group: str = ""
    hidden: frozenset[str] = frozenset()
    void_keys: frozenset[str] = frozenset()
    void_pairs: frozenset[Pair] = frozenset()
    closed: Closing | None = None
    operator: str | None = None
    notices: bool = False
    vacation_days: int = 0
    changes: tuple[PolicyChange, ...] = ()
    lists: Mapping[str, int] = field(default_factory=dict)
    item_version: int = 0

    def denial(self, key: str, now_ms: int) -> Denial | None:
        """The denial of this key that is in force."""
        denial = self.denied.get(key)
        over = denial is None or (denial.until_ms is not None and now_ms >= denial.until_ms)
        return None if over else denial

    def why_not(self, key: str, now_ms: int) -> str | None:
        """Return the reason why this key may not play here; None if it may."""
        if denial := self.denial(key, now_ms):
            return f"{NOT_HERE}: {denial.reason}" if denial.reason else NOT_HERE
        return MEMBERS_ONLY if self.allowed is not None and key not in self.allowed else None

    def why_closed(self, now_ms: int) -> str | None:
        """Return the text for who asks for a new game; None while games may begin."""
        closed = self.closed
        if closed is None or now_ms < closed.from_ms:
            return None
        if closed.until_ms is not None and now_ms >= closed.until_ms:
            return None
        return closed.text or CLOSED

    def voids(self, one: str, other: str) -> bool:
        """Whether games between these two do not count for the ratings."""
        is_of_key = one in self.void_keys or other in self.void_keys
        return is_of_key or pair_of(one, other) in self.void_pairs


EVERYBODY = Policy()
"""The policy of an operator who has said nothing."""


def pair_of(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def changed(policy: Policy, command: PolicyCommand, now_ms: int, by: str) -> Policy | str:
    """The policy after this command, or the reason why it is refused."""
    if text := _objection(command, now_ms):
        return text
    after = _applied(policy, command, now_ms)
    listed = (after.denied, after.allowed or (), after.hidden, after.void_keys, after.void_pairs)
    if any(len(keys) > MAX_KEYS for keys in listed):
        return TOO_MANY
    change = PolicyChange(now_ms, by, _said(command))
    return replace(after, changes=(*policy.changes, change)[-MAX_CHANGES:])


TOO_MANY = f"at most {MAX_KEYS} keys fit into each list"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """A list of keys, signed then (unix seconds) by the operator or a relay: deny, allow, hide,
    group.
    """

    name: str
    keys: frozenset[str]
    made_at: int
    by: str


def listed(policy: Policy, of: KeyList, now_ms: int, flaw: str = "") -> Policy | None:
    """The policy after this list; None for an older one. It replaces the one before it; an empty
    ``allow`` allows everybody; one with a ``flaw`` is refused, and the changes say why.
    """
    name, keys = of.name, of.keys
    if of.made_at <= policy.lists.get(name, 0):
        return None
    after = policy
    match "" if flaw else name:
        case "deny":
            denied = {key: policy.denied.get(key) or Denial(now_ms) for key in sorted(keys)}
            after = replace(policy, denied=denied)
        case "allow":
            after = replace(policy, allowed=keys or None)
        case "group":
            after = replace(policy, allowed=keys)
        case "hide":
            after = replace(policy, hidden=keys)
        case _:
            pass
    said = f"list of {len(keys)} to {name}" + (f" is refused: {flaw}" if flaw else "")
    changes = (*policy.changes, PolicyChange(now_ms, of.by, said))[-MAX_CHANGES:]
    return replace(after, lists={**policy.lists, name: of.made_at}, changes=changes)


def _objection(command: PolicyCommand, now_ms: int) -> str | None:
    word, count = command.word, len(command.keys)
    if (word == "vacation") != (command.days is not None):
        return "vacation says days, and nothing else does"
    if not 0 <= (command.days or 0) <= MAX_VACATION_DAYS:
        return f"a vacation has 0 to {MAX_VACATION_DAYS} days a year"
    if word in ("close", "open", "notices", "quiet", "vacation") and count:
        return f"{word} is about no key"
    if word in ("void", "count") and count not in (1, 2):
        return f"{word} names one key, or the two of a pair"
    if word == "operator" and count > 1:
        return "there is one operator"
    names_group = word == "allow" and command.group
    if word in ("deny", "admit", "allow", "hide", "show") and not count and not names_group:
        return f"{word} names a key"
    if len(command.reason) > MAX_REASON_CHARS:
        return f"a reason has at most {MAX_REASON_CHARS} characters"
    starts_ms = max(now_ms, command.from_ms or now_ms)
    if command.until_ms is not None and command.until_ms <= starts_ms:
        return "until is over already"
    return None


def _applied(  # noqa: C901, PLR0912 - a case for each word
    policy: Policy, command: PolicyCommand, now_ms: int
) -> Policy:
    keys = frozenset(command.keys)
    pair = frozenset([pair_of(*command.keys)] if len(command.keys) == 2 else [])  # noqa: PLR2004
    match command.word:
        case "deny":
            denial = Denial(now_ms, command.reason, command.until_ms, command.ends_games)
            return replace(policy, denied={**policy.denied, **dict.fromkeys(command.keys, denial)})
        case "admit":
            kept = {key: one for key, one in policy.denied.items() if key not in keys}
            return replace(policy, denied=kept)
        case "allow" if command.group:
            # Its members are heard when they next change.
            lists = {name: at for name, at in policy.lists.items() if name != "group"}
            return replace(policy, group=command.group, lists=lists)
        case "allow":
            return replace(policy, allowed=(policy.allowed or frozenset()) | keys)
        case "disallow":
            # Without a key the list is given up, and everybody may play.
            rest = (policy.allowed or frozenset()) - keys
            if keys and policy.allowed is not None:
                return replace(policy, allowed=rest)
            return replace(policy, allowed=None, group="")
        case "hide":
            return replace(policy, hidden=policy.hidden | keys)
        case "show":
            return replace(policy, hidden=policy.hidden - keys)
        case "void":
            if pair:
                return replace(policy, void_pairs=policy.void_pairs | pair)
            return replace(policy, void_keys=policy.void_keys | keys)
        case "count":
            if pair:
                return replace(policy, void_pairs=policy.void_pairs - pair)
            return replace(policy, void_keys=policy.void_keys - keys)
        case "close":
            from_ms = now_ms if command.from_ms is None else command.from_ms
            return replace(policy, closed=Closing(from_ms, command.reason, command.until_ms))
        case "open":
            return replace(policy, closed=None)
        case "notices" | "quiet":
            return replace(policy, notices=command.word == "notices")
        case "operator":
            return replace(policy, operator=next(iter(command.keys), None))
        case "vacation":
            return replace(policy, vacation_days=command.days or 0)


def _said(command: PolicyCommand) -> str:
    days = "" if command.days is None else f"{command.days} days"
    more = (command.group, command.reason, days, "ending games" if command.ends_games else "")
    return " ".join(filter(None, (command.word, *command.keys, *more)))
