"""The ratings that the published notes come to, without the games that the operator made void.

Glicko-2 is written anew here, after the paper and "Ratings" of PROTOCOL.md.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import exp, log, pi, sqrt

from tests.simulation.checker.parsed_history import ParsedHistory
from tests.simulation.checker.policy import voids
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import NOTE, Event

SCALE, TAU = 173.7178, 0.75
PERIOD_SECONDS = 112 * 3600
NEAR = 0.01
"""Points by which a rating may differ: a note is dated in seconds."""

_RATED = re.compile(r'\[Event "Rated (\w+) game"\]')
_PLIES = re.compile(r'\[PlyCount "(\d+)"\]')
_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


@dataclass(frozen=True, slots=True)
class Known:
    """A rating, as of a time (unix seconds), and whom its player has met, the first four."""

    value: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    at: int = 0
    games: int = 0
    met: tuple[str, ...] = field(default=())

    def aged(self, at: int) -> "Known":
        waited = max(at - self.at, 0) / PERIOD_SECONDS
        grown = sqrt((self.deviation / SCALE) ** 2 + waited * self.volatility**2) * SCALE
        return replace(self, deviation=min(grown, 350.0), at=max(at, self.at))


def ratings_are_of_the_notes(parsed: ParsedHistory) -> Iterator[Violation]:
    """When all is quiet, each rating is what the notes of the games come to that count."""
    is_set_back = any(one.kind == "F40 step" for one in parsed.faults)
    if not parsed.history.is_quiet or is_set_back:
        return  # the order of the ends is not that of their dates
    table, notes = parsed.history.table, _notes(parsed)
    rated = {key.removeprefix("rated#") for key in table if key.startswith("rated#")}
    if not rated <= notes.keys():
        return  # `the_last_word_got_out` says whether one is missing
    counted = [notes[game_id] for game_id in rated if not voids(parsed, notes[game_id])]
    due = ratings_of(sorted(counted, key=lambda note: note.created_at))
    for key, item in table.items():
        if not key.startswith("r#"):
            continue
        _, speed, player = key.split("#", 2)
        expected = due.get((player, speed), Known())
        known = float(item["rating"]["N"]), int(item["v"]["N"])
        if abs(known[0] - expected.value) > NEAR or known[1] != expected.games:
            sentence = f"{player[:8]} has {known} at {speed}, and the notes come to"
            sentence += f" {expected.value:.2f} after {expected.games} games"
            yield Violation(Invariant.RATINGS, (key,), sentence)


def _notes(parsed: ParsedHistory) -> dict[str, Event]:
    found: dict[str, Event] = {}
    for one in parsed.published_events:
        if one.event.kind == NOTE and (game_id := one.event.value("d")):
            found[game_id] = one.event
    return found


def ratings_of(notes: list[Event]) -> dict[tuple[str, str], Known]:
    """The rating of each player at each speed after these notes, in this order."""
    found: dict[tuple[str, str], Known] = {}
    for note in notes:
        rated, plies = _RATED.search(note.content), _PLIES.search(note.content)
        score = _SCORES.get(note.value("result") or "")
        if rated is None or plies is None or int(plies[1]) < 2 or score is None:
            continue
        players = [tag[0] for tag in note.all("p")]
        keys = [(player, rated[1]) for player in players]
        white, black = (found.get(key, Known()).aged(note.created_at) for key in keys)
        found[keys[0]] = _after(white, black, score, players)
        found[keys[1]] = _after(black, white, 1 - score, players[::-1])
    return found


def _after(own: Known, other: Known, score: float, players: list[str]) -> Known:
    me, them = players
    weight = 1 / sqrt(1 + 3 * (other.deviation / SCALE / pi) ** 2)
    expected = 1 / (1 + exp(-weight * (own.value - other.value) / SCALE))
    share = _share(own, other, me)
    information = share * weight**2 * expected * (1 - expected)
    surprise = share * weight * (score - expected)
    phi = own.deviation / SCALE
    volatility = _volatility(phi, own.volatility, 1 / information, surprise / information)
    variance = 1 / (1 / phi**2 + information)
    met = own.met if them in own.met else (*own.met, them)[:4]
    return Known(
        value=own.value + SCALE * variance * surprise,
        deviation=max(SCALE * sqrt(variance), 30.0),
        volatility=min(max(volatility, 0.01), 0.1),
        at=own.at,
        games=own.games + 1,
        met=met,
    )


def _share(own: Known, other: Known, me: str) -> float:
    """The part of a game that counts against this opponent."""
    by_deviation = min(1.0, (max(own.deviation, 110.0) / other.deviation) ** 2)
    others = [one for one in other.met if one != me]
    return by_deviation * (min(1.0, len(others) / 3) if others else 1 / 8 / (own.games + 1) ** 2)


def _volatility(phi: float, sigma: float, v: float, delta: float) -> float:
    """Step 5 of the paper, by bisection."""
    start = log(sigma**2)

    def f(x: float) -> float:
        spread = phi**2 + v + exp(x)
        pull = exp(x) * (delta**2 - spread) / (2 * spread**2)
        return pull - (x - start) / TAU**2

    low, high = start - 10.0, start + 10.0  # f falls
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return exp((low + high) / 4)
