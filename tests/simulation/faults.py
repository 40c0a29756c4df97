"""Every kind of fault, which of them may strike in this run, and how often each did.

A fault strikes only where it is asked about, by one seeded chance, and is counted and
written down when it does. Each seed enables a part of the kinds (swarm testing): a run in which
everything fails at once never gets anywhere, and some defects show only when nothing else fails.

F and H are the numbers of the project's list of faults and hostile inputs. Crashes have one kind
for each port call and side, such as ``crash after dynamodb.update_item``; they are enabled as one.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

CRASH = "crash"

ASKED: dict[str, tuple[float, str]] = {
    "F01": (0.02, "a relay hangs up in the middle of a publication"),
    "F02": (0.10, "a relay takes an event with words of its own"),
    "F03": (0.06, "a relay is asked too much: rate-limited"),
    "F04": (0.03, "a relay refuses for good: blocked, restricted"),
    "F05": (0.25, "a relay wants to know who publishes: auth-required"),
    "F06": (0.03, "a relay finds the date too far off: invalid"),
    "F07": (0.03, "a relay wants work: pow"),
    "F08": (0.05, "a relay answers error, mute, nonsense, or for another event"),
    "F09": (0.05, "a relay says that it took an event, and neither keeps nor passes it on"),
    "F10": (0.004, "a connection to a relay stays, and nothing comes, or only answers do"),
    "F11": (0.03, "a relay drops one event for one subscriber"),
    "F12": (0.03, "a relay closes a subscription, or says NOTICE"),
    "F13": (0.03, "a relay sends old events again"),
    "F23": (0.004, "a call of the cloud hangs until the function is out of time"),
    "F24": (0.01, "a record meets an exception that nobody foresaw"),
    "F26": (0.01, "the table or a queue is throttled, or fails"),
    "F26 conflict": (0.02, "a transaction meets another one"),
    "F29": (0.02, "a record is delivered to a second worker while the first has it"),
    "F30": (0.03, "the queue is not to be reached"),
    "F31": (0.03, "the queue takes a part of a batch"),
    "ambiguous write": (0.01, "a write is made, and its answer is lost"),
    "slow": (0.02, "a call of the cloud or a frame of a relay takes its time"),
    "reorder": (0.05, "a relay's frame overtakes those before it"),
    "duplicate": (0.03, "a relay sends a frame twice"),
    "F40 skew": (0.30, "a part's clock is wrong"),
    "F44": (0.30, "code that writes what present code does not know runs beside it"),
    "socket gone": (0.01, "a player's socket to the gateway breaks"),
}
"""Asked about at each occasion: how likely it is then, and what it is."""

PLANNED: dict[str, tuple[float, str]] = {
    "F28": (1.5, "the queue delivers records of long ago again"),
    "F32": (2.0, "a listener dies and another is started"),
    "F35": (1.5, "two listeners overlap"),
    "F36": (0.7, "all relays are down for a while"),
    "F36 one": (1.5, "one relay is down for a while, and forgets what it may forget"),
    "F37": (2.0, "a relay and somebody who uses it cannot see each other for a while"),
    "F39": (1.0, "nobody takes records from the queue for a while"),
    "F40 step": (1.0, "a part's clock is set forwards or backwards"),
    "F43": (0.5, "the server's key is exchanged"),
    "F44 deploy": (1.0, "every worker and listener is replaced, one after the other"),
    "F45": (0.7, "nobody publishes what waits to be said again, for a while"),
    "F48": (0.6, "a relay cannot be reached in the whole run"),
    "long pause": (0.4, "nothing runs for hours or days"),
    "redrive": (0.7, "what lies among the dead letters is put back, twice"),
}
"""Planned ahead: how many of them a run has, on average, and what it is."""

ON_FEEDS: dict[str, tuple[float, str]] = {
    "late log": (0.05, "a log's messages come late, and all that follow them"),
    "log again": (0.05, "a message of a log comes twice"),
    "peer gone": (0.003, "our Scuttlebutt peer ends before or after a request"),
    "peer silent": (0.002, "our Scuttlebutt peer does not answer in time"),
    "bridge gone": (2.0, "the bridge is killed, and another is started"),
    "unfounded": (0.15, "a player of Scuttlebutt says what is not so, beside what is"),
    "too early": (0.1, "a player of Scuttlebutt moves before it is their turn"),
    "forked": (0.3, "a player of Scuttlebutt writes two messages of one number"),
    "bystander": (0.2, "a stranger writes moves and ends into a game on Scuttlebutt"),
}
"""What may happen on Scuttlebutt alone: how likely at each occasion (of a planned one, how many),
and what it is.
"""

OBSERVED: dict[str, str] = {
    "F14": "an event came over several relays",
    "F15": "an event came with two signatures",
    "F16": "a forged copy of an event came before it",
    "F17": "a player's clock is far off",
    "F18": "a player signed two moves for one ply",
    "F20": "a worker died before it wrote",
    "F21": "a worker died after it wrote, before all was said",
    "F22": "a worker died after all was said, before its records were deleted",
    "F25": "a part of a batch failed",
    "F27": "a commit met a newer game",
    "F33": "a relay answered with less than it has",
    "F34": "an event passed a relay while nobody of ours listened there",
    "F38": "a move and the fall of a flag raced",
    "F41": "a player said two things at once",
    "F42": "a change of the lobby met another one",
    "dead letter": "a record was given up",
    "fork": "our Scuttlebutt peer saw that a log is forked",
    "greed": "a player asked for a game while they played one",
    "late request": "a request to play came long after it was signed",
    "stray": "a relay sent the arbiter what it never asked for",
}
"""They happen because of others, or because somebody hostile wants them."""

HOSTILE: dict[str, str] = {
    "H01": "a signature that nobody made",
    "H02": "a move signed by somebody who does not play",
    "H04": "an event that was altered after it was signed",
    "H08": "a pubkey in capitals",
    "H13": "an event in the server's own name",
    "H15": "a move that was signed for another server",
    "H20": "frames that are no messages",
    "H41": "tags that are said twice and contradict each other",
    "H42": "a game that does not exist",
    "H44": "a move for the opponent",
    "H46": "a move that names another state",
    "H47": "a move of an old game, said in the next",
    "H48": "a null move",
    "H49": "a move in other words",
    "H50": "a promotion that is none",
    "H51": "a word after the end",
    "H53": "offers without end",
    "H54": "a request to play oneself",
    "H55": "an answer to somebody else's challenge",
    "H60": "requests to play from many keys",
    "H62": "the same event many times",
    "expired": "a word that was void before it was said (NIP-40)",
    "takeback": "a takeback asked for at any time",
    "silence": "a player leaves in the middle of a game, and their clock runs",
    "F19": "a move comes out of its turn",
    "F49": "a refused move is said again when it could come true",
}

OF_THE_CLOCK: dict[str, str] = {
    "impatient": "a player speaks as soon as the opponent's time is up, before a flag may fall"
}
"""Drawn by a chance of its own: the seeds that do not have it are what they were before it."""

TRICKS: dict[str, str] = {
    "flood": "a stranger with many keys fills a game with words",
    "ground": "a request is searched for the colour that it would give",
    "walk-out": "a game is asked for to be called off",
    "no-show": "a game is asked for, and nobody comes to it",
    "front-run": "a stranger takes an open challenge, and calls the game off",
    "two in a second": "two requests of one player are dated in one second",
    "copies": "a stranger brings many copies of what a player signed",
    "held back": "a player's word is said when the position that it was signed in is past",
    "backdated": "illegal moves are dated a second before the position",
    "late agreement": "a rematch is agreed to when its author wants another game, or much later",
    "signed elsewhere": "a stranger brings what a player signed for another arbiter",
}
"""What a cheat tries; see `cheats`."""

KINDS = {
    **{kind: text for kind, (_, text) in {**ASKED, **PLANNED, **ON_FEEDS}.items()},
    **OBSERVED,
    **HOSTILE,
    **OF_THE_CLOCK,
    **{f"cheat {kind}": text for kind, text in TRICKS.items()},
    CRASH: "a process dies before or after a port call",
}

CRASH_LIKELIHOOD = 0.004

RARE = {
    "dynamodb.batch_write_item": 0.03,
    "dynamodb.delete_item": 0.05,
    "dynamodb.put_item": 0.02,
    "dynamodb.transact_write_items": 0.02,
    "gateway.delete_connection": 0.3,
    "scheduler.create_schedule": 0.1,
    "sqs.send_message": 0.02,
    "ssm.get_parameter": 0.01,
}
"""Calls that are made seldom, and whose crashes would otherwise be seen in one run of a hundred."""


def expected(side: str, reached: int) -> float:
    """How many crashes chance should bring at this side of a call that was reached so often while
    crashes were enabled.
    """
    return reached * RARE.get(side.partition(" ")[2], CRASH_LIKELIHOOD)


@dataclass
class Faults:
    """The faults of one run. ``write`` is told of each that strikes: its kind, and where.

    ``decide`` says, of a kind and a place, whether it strikes, instead of chance. ``oftener``
    multiplies how likely each kind is.
    """

    chance: Random
    write: Callable[[str, str], None]
    enabled: frozenset[str] = frozenset()
    is_healed: bool = False
    fired: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    decide: Callable[[str, str], bool] | None = None
    oftener: float = 1.0

    def strikes(self, kind: str, where: str = "") -> bool:
        """Whether this fault strikes here and now; if so it is counted."""
        if not self.allows(kind):
            return False
        likelihood = (ASKED.get(kind) or ON_FEEDS[kind])[0]
        if not self._comes(kind, where, likelihood * self.oftener):
            return False
        self.note(kind, where)
        return True

    def crashes(self, point: str, where: str) -> bool:
        """Whether the process dies at this side of a port call, such as ``after sqs.send``."""
        likelihood = RARE.get(point.partition(" ")[2], CRASH_LIKELIHOOD)
        if not self.allows(CRASH):
            return False
        self.reached[point] += 1
        if not self._comes(CRASH, where, likelihood):
            return False
        self.note(f"{CRASH} {point}", where)
        return True

    def note(self, kind: str, where: str = "") -> None:
        self.fired[kind] += 1
        self.write(kind, where)

    def allows(self, kind: str) -> bool:
        return kind in self.enabled and not self.is_healed

    def _comes(self, kind: str, where: str, likelihood: float) -> bool:
        return self.decide(kind, where) if self.decide else self.chance.random() < likelihood


def draw_enabled(chance: Random) -> frozenset[str]:
    """A swarm: nothing at all in one seed of twelve, else each kind by a coin of the seed's own."""
    if chance.random() < 1 / 12:
        return frozenset()
    share = chance.choice((0.1, 0.25, 0.5, 0.75))
    return frozenset(
        kind for kind in (*ASKED, *PLANNED, *HOSTILE, CRASH) if chance.random() < share
    )


def draw_on_feeds(chance: Random) -> frozenset[str]:
    """Of a seed with Scuttlebutt: what may happen there."""
    return frozenset(kind for kind in ON_FEEDS if chance.random() < 0.5)


def draw_tricks(chance: Random) -> frozenset[str]:
    """Of a seed with a cheat: what they try."""
    return frozenset(kind for kind in TRICKS if chance.random() < 0.5)
