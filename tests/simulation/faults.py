"""Every kind of fault, which of them may strike in this run, and how often each did.

A fault strikes only where it is asked about, by one seeded chance, and is counted when it does.
Each seed enables a part of the kinds (swarm testing): a run in which everything fails at once never
gets anywhere, and some defects show only when nothing else fails. F and H are the numbers of the
project's list of faults and hostile inputs.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

ASKED: dict[str, tuple[float, str]] = {
    "F01": (0.02, "a relay hangs up in the middle of a publication"),
    "F02": (0.1, "a relay takes an event with words of its own"),
    "F03": (0.06, "a relay is asked too much: rate-limited"),
    "F04": (0.03, "a relay refuses for good: blocked, restricted"),
    "F05": (0.25, "a relay wants to know who publishes: auth-required"),
    "F06": (0.03, "a relay finds the date too far off: invalid"),
    "F07": (0.03, "a relay wants work: pow"),
    "F08": (0.05, "a relay answers error, mute, nonsense, or for another event"),
    "F09": (0.05, "a relay says that it took an event, and neither keeps nor passes it on"),
    "F10": (0.002, "a connection to a relay stays, and nothing comes, or only answers do"),
    "F11": (0.03, "a relay drops one event for one subscriber"),
    "F12": (0.03, "a relay closes a subscription, or says NOTICE"),
    "F20": (0.001, "the process dies before a commit"),
    "F21": (0.003, "the process dies after a commit, before anything is said"),
    "F24": (0.01, "a record meets an unforeseen exception"),
    "disk fails": (0.01, "a commit meets an I/O error"),
    "slow": (0.02, "a frame of a relay takes its time"),
    "reorder": (0.05, "a relay's frame overtakes those before it"),
    "duplicate": (0.03, "a relay sends a frame twice"),
    "socket gone": (0.01, "a player's socket to the gateway breaks"),
    "slow reader": (0.1, "a player reads their socket slowly"),
}
"""At each occasion: how likely it is then, and what it is."""

PLANNED: dict[str, tuple[float, str]] = {
    "F04 while": (1.0, "all relays refuse for a while what the arbiter publishes"),
    "F13": (2.0, "old events come again"),
    "F23": (1.0, "the disk is slow for a while"),
    "F32": (1.5, "the process is killed, and another is started"),
    "F36": (0.7, "all relays are down for a while"),
    "F36 one": (1.5, "one relay is down for a while, and forgets what it may forget"),
    "F37": (2.0, "a relay and one who uses it cannot see each other for a while"),
    "F40 step": (0.7, "the arbiter's clock is set forwards or backwards"),
    "F44": (1.0, "the process ends in order, and another is started"),
    "F48": (0.6, "a relay cannot be reached in the whole run"),
    "disk full": (0.7, "the disk is full for a while"),
    "night": (0.6, "nobody plays for hours or days"),
}
"""Ahead: how many of them a run has, on average."""

OBSERVED = {
    "F14": "an event came over several relays",
    "F33": "a relay answered with less than it has",
    "F34": "an event passed a relay while the arbiter was not there",
}
"""Because of others."""

HOSTILE = {
    "F16": "a forged copy of an event came before it",
    "F17": "an event is dated far off",
    "F18": "two moves for one ply",
    "F19": "a move comes out of its turn",
    "F41": "a player said two things at once",
    "F49": "a refused move is sent again when it could come true",
    "H44": "a move for the opponent",
    "H46": "a move that names another state",
    "H48": "a null move",
    "H53": "offers without end",
    "expired": "a word that was void before it was said (NIP-40)",
    "takeback": "a takeback asked for at any time",
    "silence": "a player leaves in the middle of a game, and their clock runs",
}
"""The deeds of players and relays."""

POLICY = {
    "deny": "the operator keeps a key out",
    "admit": "the operator takes that back",
    "allow": "the operator lets only some keys in",
    "disallow": "the operator lets all in again",
    "hide": "the operator hides a key",
    "show": "the operator shows it again",
    "void": "the operator has games not count",
    "count": "the operator has them count again",
    "close": "the operator has no game begin",
    "open": "the operator has games begin again",
    "block": "a player blocks another",
    "unblock": "a player takes that back",
}
"""Decisions of the operator and of players."""

KINDS = {
    **{kind: text for kind, (_, text) in {**ASKED, **PLANNED}.items()},
    **OBSERVED,
    **HOSTILE,
    **POLICY,
}
_LIKELIHOODS = {kind: likelihood for kind, (likelihood, _) in ASKED.items()}


@dataclass
class Faults:
    """The faults of one run. ``write`` is told of each that strikes: its kind, and where."""

    chance: Random
    write: Callable[[str, str], None]
    enabled: frozenset[str] = frozenset()
    is_healed: bool = False
    fired: Counter[str] = field(default_factory=Counter)

    def strikes(self, kind: str, where: str = "") -> bool:
        """Whether this fault strikes here and now; if so it is counted."""
        if not self.allows(kind) or self.chance.random() >= _LIKELIHOODS[kind]:
            return False
        self.note(kind, where)
        return True

    def note(self, kind: str, where: str = "") -> None:
        self.fired[kind] += 1
        self.write(kind, where)

    def allows(self, kind: str) -> bool:
        return kind in self.enabled and not self.is_healed


def draw_enabled(chance: Random) -> frozenset[str]:
    """A swarm: nothing at all in one seed of twelve, else each kind by a coin of the seed's own."""
    if chance.random() < 1 / 12:
        return frozenset()
    share = chance.choice((0.1, 0.25, 0.5, 0.75))
    kinds = (*ASKED, *PLANNED, *HOSTILE)
    return frozenset(kind for kind in kinds if chance.random() < share)
