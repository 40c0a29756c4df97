"""Ratings without the games that the operator made void are what they would be, had those games
never been played: compared with a computation from the games' notes, one after the other.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.application.play.ratings import rate_game
from arbiter.core.clocks import Speed
from arbiter.core.policy import Policy, pair_of
from arbiter.core.rated_anew import PlayedGame, rated_anew
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR
from tests.builders import NOW_MS
from tests.fakes.stores import FakeRatings

KEYS = [f"{letter}" * 64 for letter in "abcde"]
SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
A_GAME = st.tuples(st.permutations(KEYS), st.sampled_from([*SCORES]), st.integers(1, 40_000_000))


@settings(max_examples=30, deadline=None)
@given(
    games=st.lists(A_GAME, min_size=1, max_size=30),
    void_keys=st.frozensets(st.sampled_from(KEYS), max_size=1),
    pairs=st.frozensets(st.permutations(KEYS).map(tuple), max_size=2),
)
def test_without_void_games_ratings_are_as_if_these_were_never_played(
    games: list[tuple[list[str], str, int]],
    void_keys: frozenset[str],
    pairs: frozenset[tuple[str, ...]],
) -> None:
    policy = Policy(
        void_keys=void_keys, void_pairs=frozenset(pair_of(pair[0], pair[1]) for pair in pairs)
    )
    at_ms, played, kept = NOW_MS, FakeRatings(), FakeRatings()
    stored = []
    for number, ((white, black, *_), result, later_ms) in enumerate(games):
        at_ms += later_ms
        id_ = f"{number:032x}"
        rated = rate_game(played, id_, Speed.BLITZ, white, black, result, 40, at_ms)
        assert rated is not None
        stored.append(
            PlayedGame(id_, Speed.BLITZ, white, black, SCORES[result], at_ms, rated.of_pair)
        )
        if not policy.voids(white, black):
            rate_game(kept, id_, Speed.BLITZ, white, black, result, 40, at_ms)

    found = rated_anew(stored[::-1], policy.voids)
    unchanged = rated_anew(stored, Policy().voids)

    for (player, speed), (standing, _) in found.items():
        assert standing == kept.standing(player, speed)
        assert standing.opponents == kept.standing(player, speed).opponents
        assert unchanged[player, speed][0] == played.standing(player, speed)


def test_a_game_beyond_the_limit_of_a_pair_does_not_count() -> None:
    of_pair = RATED_GAMES_OF_A_PAIR + 1
    game = PlayedGame("1" * 32, Speed.BLITZ, KEYS[0], KEYS[1], 1.0, NOW_MS, of_pair)

    found = rated_anew([game], Policy().voids)

    assert {standing.games for standing, _ in found.values()} == {0}
