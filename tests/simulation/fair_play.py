"""The price and the gain of a delay (docs/decisions/0025), in virtual time: `make sim FAIR_PLAY=1`.

First the clocks of a pair whose move is decided late, and of a player who thinks while relays are
out, by the arbiter's own application. Then the delay that strangers can buy: the time that a move
waits in `JobGroups` while they say all that the limits of the gateway let pass.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from arbiter.application.intake.routing import players_group, route
from arbiter.core.clocks import LAG_MS
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.nip11 import DEFAULT_LIMITS
from server.job_groups import Job, JobGroups
from server.transaction_loop import CAPACITY, TRANSACTION_SECONDS
from tests.application.script import Conversation, run
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_key

LATE_S = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
WIRES = ("relay", "gateway")
OUTAGES = ("none", "one relay of two", "all relays")
_BASE_MS, _INCREMENT_MS, _THOUGHT_MS, _LONG_MS = 180_000, 2_000, 5_000, 60_000

ADDRESSES = 50
_GAME = "ab" * 16
_MOVE_MS, _SYNC_MS = 4.0, 5.0
_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Charged:
    """The milliseconds that each clock lost beyond its player's own thinking; below 0: gained."""

    mover: int
    opponent: int


def decided_late(late_s: float, wire: str, outage: str, *, is_long: bool = False) -> Charged:
    """White thinks, and the move is decided so much later; Black answers in that moment. A long
    thought lasts for all of the outage.
    """
    talk = run("alice seek blitz; bob seek blitz; moves e2e4 e7e5")
    talk.world.outages.report_connected(talk.world.clock.ms)
    thought_ms = _LONG_MS if is_long else _THOUGHT_MS
    _pass(talk, thought_ms - 1000, outage)
    body = _body(talk, "alice g1f3", wire)  # said a second after
    _pass(talk, round(1000 * late_s), outage)
    talk.deliver(body)
    talk.world.clock.ms -= 1000
    talk.deliver(_body(talk, "bob b8c6", wire))
    clocks = talk.game().clocks
    assert clocks
    assert talk.game().ply == 4, "both moves count"
    left_ms = _BASE_MS + _INCREMENT_MS
    return Charged(left_ms - clocks.white_ms - thought_ms + LAG_MS, left_ms - clocks.black_ms)


def _body(talk: Conversation, words: str, wire: str) -> str:
    event, _ = talk.players.event(words)
    return talk.world.body(event, at_gateway=wire == "gateway")


def _pass(talk: Conversation, ms: int, outage: str) -> None:
    """Let time pass; a listener that hears some relay says so every five seconds."""
    until_ms = talk.world.clock.ms + ms
    if outage != "all relays":
        for at_ms in range(talk.world.clock.ms, until_ms, 5000):
            talk.world.outages.report_connected(at_ms)
    talk.world.clock.ms = until_ms
    talk.world.outages.report_connected(until_ms)


def _event(number: int, kind: int, content: str) -> VerifiedEvent:
    tags = (("p", SERVER.pubkey), ("d", _GAME))
    return a_key(f"eve {number}").sign(EventTemplate(kind, tags, content, NOW_MS // 1000))


def _seek(number: int) -> VerifiedEvent:
    return _event(number, 20300, "")


def _entry(number: int) -> VerifiedEvent:
    return _event(number, 20307, "join")


def _word(number: int) -> VerifiedEvent:
    return _event(number, 20303, "e2e4")


def _opponents(number: int) -> VerifiedEvent:
    tags = (("p", SERVER.pubkey), ("d", _GAME), ("n", str(number)))
    return BOB.sign(EventTemplate(20303, tags, "draw", NOW_MS // 1000))


_LIMITS = DEFAULT_LIMITS
_SEEKS = ADDRESSES * _LIMITS.address_seeks_per_ten_seconds / 10
ATTACKS: dict[str, tuple[Callable[[int], VerifiedEvent], float, float]] = {
    "requests": (_seek, _SEEKS, 1.4),
    "all fifty games, asked for": (_seek, _SEEKS, 60.0),
    "entries": (_entry, _LIMITS.all_entries_per_ten_seconds / 10, 3.8),
    "strangers' words": (_word, _LIMITS.all_strangers_per_ten_seconds / 10, 2.0),
    "the opponent's words": (_opponents, _LIMITS.events_per_ten_seconds / 10, 2.0),
}
"""By name: the event of a number, how many come a second, and the milliseconds that each takes."""


def bought_ms(name: str, *, is_on_aws: bool = False) -> float:
    """The longest wait of a move that one player of a running game makes every second. On AWS only
    what is in its own group is before it.
    """
    make, per_second, each_ms = ATTACKS[name]
    groups, own = JobGroups(CAPACITY), players_group(_GAME, ALICE.pubkey)
    for player in (ALICE, BOB):
        groups.put_first(players_group(_GAME, player.pubkey))
    # A fresh key each time means a group of its own at most: a hundred tell as much as all.
    theirs = [found.group_id for found in map(route, map(make, range(100))) if found]
    assert own not in theirs, f"{name}: a stranger is before the move, in its own line"
    if is_on_aws:
        return _MOVE_MS
    return max(_waits(groups, own, theirs, per_second, each_ms))


def _waits(
    groups: JobGroups, own: str, theirs: list[str], per_second: float, each_ms: float
) -> Iterator[float]:
    """Take turns as `TransactionLoop` does, for some seconds."""
    now_ms, came, moved = 0.0, 0, 0
    sent_ms: float | None = None
    while now_ms < 1000 * _SECONDS:
        ends_ms = now_ms + 1000 * TRANSACTION_SECONDS
        while True:
            while came < per_second * now_ms / 1000 and not groups.are_full:
                groups.add(Job(theirs[came % len(theirs)], lambda _: None, lambda _: None))
                came += 1
            if sent_ms is None and now_ms >= 1000 * moved:
                sent_ms, moved = 1000.0 * moved, moved + 1
                groups.add(Job(own, lambda _: None, lambda _: None))
            if not groups.is_ready:
                now_ms += 1
                continue
            is_own = groups.take().group == own
            now_ms += _MOVE_MS if is_own else each_ms
            if is_own and sent_ms is not None:
                yield now_ms - sent_ms + _SYNC_MS
                sent_ms = None
            if now_ms >= ends_ms:
                break
        now_ms += _SYNC_MS
    if sent_ms is not None:
        yield now_ms - sent_ms


def table() -> Iterator[str]:
    """Both tables, line by line."""
    yield "decided late: ms charged to who moved, beyond their thinking, and to the opponent"
    for wire in WIRES:
        for outage in OUTAGES:
            seen = ((late_s, decided_late(late_s, wire, outage)) for late_s in LATE_S)
            told = "  ".join(f"{late_s:g} s: {it.mover}, {it.opponent}" for late_s, it in seen)
            long = decided_late(LATE_S[0], wire, outage, is_long=True).mover
            yield f"{wire:<8} out: {outage:<17} {told}  after a minute of thinking: {long}"
    yield "the longest that others keep a move waiting, in ms: in one process, on AWS"
    for name in ATTACKS:
        yield f"{name:<28}{bought_ms(name):>8.0f}{bought_ms(name, is_on_aws=True):>8.0f}"
