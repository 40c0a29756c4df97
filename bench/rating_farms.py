"""What keys that lose on purpose make of a rating, and what the answer costs honest players.

    python -m bench.rating_farms

Players of known strengths play by what Glicko-2 expects of them, with one draw in ten; each row is
counted twice, with every game in full and with ``Standing.share_against``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from statistics import correlation, fmean

from arbiter.core.clocks import Speed
from arbiter.core.ratings import Rating, Standing, rate

NOW_MS = 1_800_000_000_000
DRAWS = 0.1
SPREAD = 300.0
"""Points by which strengths deviate from 1500."""

FEW = 100
"""Players: fewer are tried more often."""

ESTABLISHED = Rating(deviation=60, rated_at_ms=NOW_MS)

Share = Callable[[Standing, Standing], float]


def in_full(_own: Standing, _opponent: Standing) -> float:
    """A whole game, whatever the opponent."""
    return 1.0


@dataclass(slots=True)
class Server:
    """Players and how much of a game counts."""

    share: Share
    standings: dict[str, Standing] = field(default_factory=dict)

    def known(self, player: str, rating: Rating) -> None:
        """Admit a player who has met enough others."""
        self.standings[player] = Standing(player, Speed.BLITZ, rating, 100, None)

    def of(self, player: str) -> Standing:
        """A player's standing."""
        return self.standings.get(player, Standing(player, Speed.BLITZ))

    def play(self, white: str, black: str, score: float) -> None:
        """One rated game; ``score`` is White's."""
        one, other = self.of(white), self.of(black)
        shares = self.share(one, other), self.share(other, one)
        ends = rate(one.rating, other.rating, score, NOW_MS, shares)
        self.standings[white], self.standings[black] = (
            one.after(other, ends[0]),
            other.after(one, ends[1]),
        )


def honest(share: Share, fresh: int, known: int, games: int, seed: int) -> float:
    """How well the ratings of the newcomers rank them (Spearman), when each has sought an opponent
    among all so many times.
    """
    chance, server = Random(seed), Server(share)  # noqa: S311 - a population
    strengths = {f"{number}": chance.gauss(1500, SPREAD) for number in range(fresh + known)}
    players = [*strengths]
    for player in players[fresh:]:
        value = min(max(chance.gauss(strengths[player], 60), 600), 3000)
        server.known(player, Rating(value=value, deviation=60, rated_at_ms=NOW_MS))
    # Where all are new each seek makes a game for two of them.
    for _ in range(games if known else games // 2):
        for white in chance.sample(players[:fresh], fresh):
            black = chance.choice([it for it in players if it != white])
            expected = 1 / (1 + 10 ** ((strengths[black] - strengths[white]) / 400))
            won = 1.0 if chance.random() < expected else 0.0
            server.play(white, black, 0.5 if chance.random() < DRAWS else won)
    ratings = [server.of(player).rating.value for player in players[:fresh]]
    return correlation(_ranks([strengths[it] for it in players[:fresh]]), _ranks(ratings))


def _ranks(numbers: list[float]) -> list[int]:
    return [sorted(numbers).index(number) for number in numbers]


def farmed(share: Share, keys: int, games: int, own: Rating | None = None) -> Rating:
    """What happens to a player against whom so many fresh keys lose so many games each."""
    server = Server(share)
    if own:
        server.known("winner", own)
    for _ in range(games):
        for key in range(keys):
            server.play("winner", f"{key}", 1.0)
    return server.of("winner").rating


def farmed_all_round(share: Share, keys: int, games: int) -> Rating:
    """The same where the keys draw with each other, too, so that they have met enough others."""
    server = Server(share)
    for _ in range(games):
        for one, other in combinations(range(keys), 2):
            server.play(f"{one}", f"{other}", 0.5)
        for key in range(keys):
            server.play("winner", f"{key}", 1.0)
    return server.of("winner").rating


def rows() -> Iterator[tuple[str, ...]]:
    """What is tried, what came of it before, and what comes of it."""
    for fresh, known, games in (
        (6, 0, 40),
        (30, 0, 20),
        (200, 0, 40),
        (200, 800, 10),
        (200, 800, 40),
    ):
        seeds = range(4 if fresh + known > FEW else 20)
        told = [
            f"{fmean(honest(share, fresh, known, games, seed) for seed in seeds):.3f}"
            for share in (in_full, Standing.share_against)
        ]
        yield f"rank correlation of {fresh} new among {known}, {games} games each", *told
    for keys, games in ((10, 10), (200, 1), (100, 10)):
        for name, own in (("a fresh key", None), ("1500 ± 60", ESTABLISHED)):
            both = (farmed(share, keys, games, own) for share in (in_full, Standing.share_against))
            yield f"{keys} keys lose {games} games each to {name}", *map(_shown, both)
    for keys in (2, 5, 10):
        both = (farmed_all_round(share, keys, 10) for share in (in_full, Standing.share_against))
        yield f"{keys} keys play all others ten times, and lose to a fresh key", *map(_shown, both)


def _shown(rating: Rating) -> str:
    mark = "" if rating.is_provisional(NOW_MS) else ", ranked"
    return f"{rating.value:.0f} ± {rating.deviation:.0f}{mark}"


if __name__ == "__main__":
    print("| | every game in full | by whom the opponent has met |\n|---|---|---|")
    for row in rows():
        print("| " + " | ".join(row) + " |")
