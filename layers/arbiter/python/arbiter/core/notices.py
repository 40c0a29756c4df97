"""Notices to a player who is away: their turn in a game without hurry, a challenge, a round. Pure.

Invariant: each is given once, or twice where a process ended in between. Ten minutes are between
two, and a day where much was told; less only where a deadline would be missed.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

EVERY_MS = 10 * 60 * 1000
DAY_MS = 24 * 60 * 60 * 1000

MANY = 12
"""Turns told within a day, from which on there is one notice a day."""

URGENT_MS = 3 * 60 * 60 * 1000
"""A daily notice comes so long before the first deadline that it would miss."""

SENDING_MS = 2 * 60 * 1000
"""A process that has sent for longer has ended: its function has a minute."""

MAX_TRIES = 3
"""Attempts that no channel took, after which a notice is given up; the next come after so long."""
RETRY_MS = 2 * 60 * 1000

MAX_DEVICES = 5
MAX_WAITING = 50
MAX_TOLD = 200

Kind = Literal["hello", "turn", "closing", "challenge", "round"]
"""``hello`` answers the player who asked to be told."""
KINDS = frozenset(get_args(Kind))
OF_GAMES = frozenset(("turn", "closing", "round"))


@dataclass(frozen=True, slots=True)
class Occasion:
    """A reason to tell a player: a game's state ``version``, or a challenge, until ``by_ms``."""

    kind: Kind
    id: str
    version: int = 0
    by_ms: int | None = None

    @property
    def what(self) -> tuple[Kind, str]:
        """The same for all versions of one game."""
        return self.kind, self.id


@dataclass(frozen=True, slots=True)
class Device:
    """A subscription to Web Push, as its player encrypted it for the arbiter (NIP-44)."""

    id: str
    sealed: str


@dataclass(frozen=True, slots=True)
class Told:
    """The last version of a game that its player was told of, why, and when."""

    kind: Kind
    id: str
    version: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Sending:
    """The occasions that a process tells, since when; ``is_second``: another ended over them."""

    occasions: tuple[Occasion, ...]
    began_ms: int
    is_second: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """A player (64 hex): ``asked_at`` (unix seconds) last; at ``wakes_ms`` what waits is due."""

    player: str
    asked_at: int = 0
    dm: bool = False
    devices: tuple[Device, ...] = ()
    told: tuple[Told, ...] = ()
    waiting: tuple[Occasion, ...] = ()
    wakes_ms: int | None = None
    sending: Sending | None = None
    tries: int = 0
    item_version: int = 0

    @property
    def is_reachable(self) -> bool:
        return self.dm or bool(self.devices)


@dataclass(frozen=True, slots=True)
class Send:
    """Tell these now, if they still hold, once ``after`` is written."""

    after: Recipient
    occasions: tuple[Occasion, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Have the recipient looked at again at ``at_ms``, and write ``after``."""

    after: Recipient
    at_ms: int


def decide(recipient: Recipient, occasion: Occasion | None, now_ms: int) -> Send | Wait | None:
    """The next step for this occasion, or (None) because it is time to look; or None."""
    if not recipient.is_reachable:
        return None
    sending = recipient.sending
    is_busy = sending is not None and now_ms < sending.began_ms + SENDING_MS
    if sending and sending.is_second and not is_busy:
        recipient, sending = with_told(recipient, sending.occasions, sending.began_ms), None
    new = (occasion,) if occasion else ()
    # It comes again: the process that is telling it may have ended.
    is_doubted = sending is not None and is_busy and occasion in sending.occasions
    if sending and is_busy:
        wanted = _untold(recipient, (*recipient.waiting, *new), sending.occasions)
        at_ms = sending.began_ms + (SENDING_MS if is_doubted else EVERY_MS)
    else:
        left = sending.occasions if sending else ()
        wanted = _untold(recipient, (*left, *recipient.waiting, *new))
        at_ms = _earliest_ms(recipient, wanted)
    if not wanted and not is_doubted:
        return None
    if is_busy or at_ms > now_ms:
        is_set = recipient.wakes_ms is not None and now_ms < recipient.wakes_ms <= at_ms
        if is_set and wanted == recipient.waiting:
            return None
        wakes_ms = recipient.wakes_ms if is_set and recipient.wakes_ms else at_ms
        return Wait(replace(recipient, waiting=wanted, wakes_ms=wakes_ms), wakes_ms)
    claim = Sending(wanted, now_ms, is_second=sending is not None)
    return Send(replace(recipient, waiting=(), wakes_ms=None, sending=claim), wanted)


def with_told(recipient: Recipient, occasions: Iterable[Occasion], now_ms: int) -> Recipient:
    new = {one.what: Told(*one.what, one.version, now_ms) for one in occasions}
    kept = [one for one in recipient.told if (one.kind, one.id) not in new]
    told = (*kept, *new.values())[-MAX_TOLD:]
    return replace(recipient, told=told, sending=None, tries=0)


def with_failure(recipient: Recipient, occasions: tuple[Occasion, ...], now_ms: int) -> Recipient:
    """The recipient once no channel took these: they wait for the next attempt, or are given up."""
    tries = recipient.tries + 1
    if tries >= MAX_TRIES:
        return with_told(recipient, occasions, now_ms)
    waiting = _untold(recipient, (*occasions, *recipient.waiting))
    wakes_ms = now_ms + RETRY_MS * tries
    return replace(recipient, waiting=waiting, wakes_ms=wakes_ms, sending=None, tries=tries)


def without(recipient: Recipient, dropped: Collection[Occasion]) -> Recipient:
    """The recipient without these, which no longer hold, in what is told now or waits."""
    waiting = tuple(one for one in recipient.waiting if one not in dropped)
    sending = recipient.sending
    left = tuple(one for one in sending.occasions if one not in dropped) if sending else ()
    sending = replace(sending, occasions=left) if sending and left else None
    return replace(recipient, waiting=waiting, sending=sending)


def with_device(recipient: Recipient, device: Device) -> Recipient | None:
    others = tuple(one for one in recipient.devices if one.id != device.id)
    if len(others) >= MAX_DEVICES:
        return None
    return replace(recipient, devices=(*others, device))


def without_devices(recipient: Recipient, gone: Collection[str]) -> Recipient:
    return replace(recipient, devices=tuple(one for one in recipient.devices if one.id not in gone))


def text_of(occasions: Collection[Occasion], url: str) -> str:
    """The notice in words, none of another player's, with the URL of the page if there is one."""
    ids = {kind: [one.id for one in occasions if one.kind == kind] for kind in _WORDS}
    parts = [
        one if len(named) == 1 else many.format(len(named))
        for kind, (one, many) in _WORDS.items()
        if (named := ids[kind])
    ]
    said = "; ".join(parts)
    return f"{said[0].upper()}{said[1:]}." + (f" {url}/{path_of(occasions)}" if url else "")


def path_of(occasions: Collection[Occasion]) -> str:
    only = next(iter(occasions)) if len(occasions) == 1 else None
    return f"#/game/{only.id}" if only and only.kind in OF_GAMES else ""


_HELLO = "you will hear here when it is your turn"
_WORDS: dict[Kind, tuple[str, str]] = {
    "hello": (_HELLO, _HELLO),
    "round": ("your round has begun", "{} of your rounds have begun"),
    "turn": ("it is your turn", "it is your turn in {} games"),
    "closing": ("a game closes soon unless you move", "{} games close soon unless you move"),
    "challenge": ("you are challenged", "you have {} challenges"),
}


def _untold(
    recipient: Recipient, occasions: Iterable[Occasion], besides: Iterable[Occasion] = ()
) -> tuple[Occasion, ...]:
    """The newest of each game or challenge that the player is not told of; of too many the last."""
    known = {(one.kind, one.id): one.version for one in recipient.told}
    for one in besides:
        known[one.what] = max(one.version, known.get(one.what, 0))
    newest: dict[tuple[Kind, str], Occasion] = {}
    for one in occasions:
        if one.version > known.get(one.what, -1):
            newest[one.what] = one
            known[one.what] = one.version
    return tuple(newest.values())[-MAX_WAITING:]


def _earliest_ms(recipient: Recipient, wanted: Iterable[Occasion]) -> int:
    retry_ms = (recipient.wakes_ms or 0) if recipient.tries else 0
    if not recipient.told:
        return retry_ms
    last_ms = max(one.at_ms for one in recipient.told)
    soon_ms = last_ms + EVERY_MS
    is_much = sum(one.at_ms > last_ms - DAY_MS for one in recipient.told) >= MANY
    late_ms = last_ms + DAY_MS if is_much else soon_ms
    urgent = min(
        (one.by_ms - URGENT_MS for one in wanted if one.by_ms is not None), default=late_ms
    )
    return max(retry_ms, soon_ms, min(late_ms, urgent))
