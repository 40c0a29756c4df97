"""Each rated game moves both ratings, once, and by what Glicko-2 says."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from math import exp, log, pi, sqrt

from tests.simulation.checker.accounted_events import NOT_FOR_US
from tests.simulation.checker.clock_sums import flagged
from tests.simulation.checker.items import (
    STRANGER,
    Change,
    Item,
    Rating,
    Stored,
    read_changes,
    read_opponents,
    read_rating,
)
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.violation import Invariant, Violation

SCALE = 173.7178
TAU = 0.75
PERIOD_MS = 112 * 3_600_000
HALVINGS = 200
PROVISIONAL = 110.0

LEAST_VALUE, MAX_VALUE = 600.0, 4000.0
LEAST_DEVIATION, MAX_DEVIATION = 30.0, 350.0
LEAST_VOLATILITY, MAX_VOLATILITY = 0.01, 0.1


OTHERS_MET = 3
"""PROTOCOL.md: against an opponent who has met so many others a game counts in full."""

_FIRST = 0.125


def counted(games: int, others: int | None) -> float:
    """How much of a game counts for a player of so many games, whose opponent has met so many
    others; None for an opponent of whom that was never noted.
    """
    if others is None:
        return 1.0
    return min(others / OTHERS_MET, 1.0) if others else _FIRST / (games + 1) ** 2


def rated(own: Rating, other: Rating, score: float, at_ms: int, share: float = 1.0) -> Rating:
    own, other = _waited(own, at_ms), _waited(other, at_ms)
    mu, phi = (own.value - 1500) / SCALE, own.deviation / SCALE
    mu_other, phi_other = (other.value - 1500) / SCALE, other.deviation / SCALE
    g = 1 / sqrt(1 + 3 * phi_other**2 / pi**2)
    expected = 1 / (1 + exp(-g * (mu - mu_other)))
    counts = share * min(1.0, (max(own.deviation, PROVISIONAL) / other.deviation) ** 2)
    v = 1 / (counts * g**2 * expected * (1 - expected))
    delta = v * counts * g * (score - expected)
    sigma = _volatility(own.volatility, phi, v, delta)
    phi_new = 1 / sqrt(1 / phi**2 + 1 / v)
    mu_new = mu + phi_new**2 * counts * g * (score - expected)
    return Rating(
        value=_within(1500 + SCALE * mu_new, LEAST_VALUE, MAX_VALUE),
        deviation=_within(SCALE * phi_new, LEAST_DEVIATION, MAX_DEVIATION),
        volatility=_within(sigma, LEAST_VOLATILITY, MAX_VOLATILITY),
        at_ms=own.at_ms,
    )


def _waited(rating: Rating, at_ms: int) -> Rating:
    if at_ms <= rating.at_ms:
        return rating
    periods = (at_ms - rating.at_ms) / PERIOD_MS
    grown = SCALE * sqrt((rating.deviation / SCALE) ** 2 + periods * rating.volatility**2)
    return Rating(
        value=rating.value,
        deviation=min(grown, MAX_DEVIATION),
        volatility=rating.volatility,
        at_ms=at_ms,
    )


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    a = log(sigma**2)

    def f(x: float) -> float:
        grown = exp(x)
        pull = grown * (delta**2 - phi**2 - v - grown) / (2 * (phi**2 + v + grown) ** 2)
        return pull - (x - a) / TAU**2

    low, high = a - 20, a + 20
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return exp((low + high) / 4)


def _within(number: float, least: float, most: float) -> float:
    return min(max(number, least), most)


LEAST_PLIES = 2
DAY_MS = 24 * 3_600_000
RATED_GAMES_OF_A_PAIR = 10
"""PROTOCOL.md: so many games of the same two count on one day."""

MAX_OFF = 0.01
"""Points by which two ways of finding a root may differ."""

_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def ratings_add_up(parsed: ParsedHistory) -> Iterator[Violation]:
    counted: set[str] = set()
    of_pairs: Counter[tuple[frozenset[str], int]] = Counter()
    for at, wrote in parsed.writes:
        items = {key: (before, after) for key, before, after in wrote.items}
        for key, (before, after) in items.items():
            game_id = key.removeprefix("rated#")
            if key.startswith("rated#") and after is not None:
                if game_id in counted or before is not None:
                    yield _violation(game_id, "it was rated twice")
                counted.add(game_id)
                yield from _of_one_game(parsed, at, game_id, items, of_pairs)
            elif key.startswith("r#") and not any(k.startswith("rated#") for k in items):
                yield _violation(key, "a rating changed, and no game with it")
    yield from _forgotten(parsed, counted)


def _forgotten(parsed: ParsedHistory, counted: set[str]) -> Iterator[Violation]:
    for game_id, versions in parsed.games.items():
        is_due = parsed.history.is_quiet and _counts(versions[-1].after)
        if is_due and game_id not in counted and not _came_again_too_late(parsed, versions):
            yield _violation(game_id, "it was rated and is over, and moved no rating")


def _came_again_too_late(parsed: ParsedHistory, versions: tuple[Version, ...]) -> bool:
    """Whether the word that ended the game names a former key when it comes again: the worker that
    stored the end died before it rated it (RELIABILITY.md, "a former key").
    """
    ends = next((one for one in versions if one.after.is_over), versions[-1])
    last = {
        parsed.by_event_key[it][1].id for it in ends.new_event_keys if it in parsed.by_event_key
    }
    return any(one.status == NOT_FOR_US and one.event in last for _, one in parsed.answered)


def _counts(game: Stored) -> bool:
    return (
        game.is_rated
        and game.time is not None
        and game.result in _SCORES
        and len(game.moves) >= LEAST_PLIES
    )


def _of_one_game(
    parsed: ParsedHistory,
    at: int,
    game_id: str,
    items: dict[str, tuple[Item | None, Item | None]],
    of_pairs: Counter[tuple[frozenset[str], int]],
) -> Iterator[Violation]:
    stored = [one.after for one in parsed.games.get(game_id, ()) if one.at < at]
    if not stored or not _counts(stored[-1]):
        yield _violation(game_id, "it moved ratings, and is no rated game that is over")
        return
    if sentence := _ended_by_a_stranger(parsed, game_id):
        yield _violation(game_id, sentence)
    game, item = stored[-1], items[f"rated#{game_id}"][1]
    speed, white, black = read_changes(item or {})
    if speed != _speed(game.time or ""):
        yield _violation(game_id, f"a game of {game.time} was rated as {speed}")
    score = _SCORES[game.result]
    pair = frozenset((white.player, black.player)), _ended_ms(parsed, game) // DAY_MS
    of_pairs[pair] += 1
    if of_pairs[pair] > RATED_GAMES_OF_A_PAIR:
        if any(one.before != one.after for one in (white, black)) or any(
            key.startswith("r#") for key in items
        ):
            yield _violation(game_id, "it moved ratings, and was one too many of these two")
        return
    for color, change, other, points in (
        ("w", white, black, score),
        ("b", black, white, 1 - score),
    ):
        if change.player != game.side(color).player:
            yield _violation(game_id, f"{color} of the rating is not {color} of the game")
        share = _share(change, other, items.get(f"r#{speed}#{other.player}"))
        due = rated(change.before, other.before, points, _ended_ms(parsed, game), share)
        if _differ(due, change.after):
            sentence = f"{color} went to {change.after.value:.2f}, due is {due.value:.2f}"
            yield _violation(game_id, sentence)
        yield from _chained(game_id, change, other, items.get(f"r#{speed}#{change.player}"))


def _share(own: Change, other: Change, written: tuple[Item | None, Item | None] | None) -> float:
    before = written[0] if written else None
    met = () if before is None else read_opponents(before)
    if met is None:
        return 1.0
    own_name = sha256(own.player.encode()).digest()[:8]
    return counted(own.games, len(set(met) - {own_name}))


def _ended_by_a_stranger(parsed: ParsedHistory, game_id: str) -> str | None:
    """Whether a rated game came to its end by something that neither of the two had signed, and not
    by the clock either.
    """
    end = next(one for one in parsed.games[game_id] if one.after.is_over)
    authors = [
        parsed.by_event_key[it][1].pubkey for it in end.new_event_keys if it in parsed.by_event_key
    ]
    if authors and not any(map(end.after.color_of, authors)):
        return f"it moved ratings, and {authors[0][:8]}, who has no seat, ended it"
    return None if authors or flagged(end) else "it moved ratings, and nothing ended it"


def _chained(
    game_id: str, change: Change, other: Change, written: tuple[Item | None, Item | None] | None
) -> Iterator[Violation]:
    if written is None or written[1] is None:
        yield _violation(game_id, "one of the two ratings was not written with it")
        return
    stored = read_rating(written[0]) if written[0] is not None else (STRANGER, 0)
    if stored != (change.before, change.games):
        yield _violation(game_id, f"it counted from {change.before}, and stored was {stored[0]}")
    if read_rating(written[1]) != (change.after, change.games + 1):
        yield _violation(game_id, "the rating that was written is not the one that was counted")
    met = read_opponents(written[0]) if written[0] is not None else ()
    name = sha256(other.player.encode()).digest()[:8]
    due = met if met is None or name in met else (*met, name)[: OTHERS_MET + 1]
    if read_opponents(written[1]) != due:
        yield _violation(game_id, f"the opponents of {change.player[:8]} are not those met")


def _ended_ms(parsed: ParsedHistory, game: Stored) -> int:
    """When the game was over: the first version that says so."""
    versions = (one.after for one in parsed.games[game.id] if one.after.is_over)
    return next(versions, game).changed_ms


def _differ(one: Rating, other: Rating) -> bool:
    return (
        abs(one.value - other.value) > MAX_OFF
        or abs(one.deviation - other.deviation) > MAX_OFF
        or abs(one.volatility - other.volatility) > MAX_OFF / 100
    )


def _speed(time: str) -> str:
    """PROTOCOL.md: bullet under 180 s of estimated time, and so on."""
    if time.endswith("d"):
        return "correspondence"
    base, _, increment = time.partition("+")
    estimate = int(base) + 40 * int(increment)
    limits = ((180, "bullet"), (480, "blitz"), (1500, "rapid"))
    return next((name for limit, name in limits if estimate < limit), "classical")


def _violation(id_: str, sentence: str) -> Violation:
    return Violation(Invariant.RATINGS, (id_,), sentence)
