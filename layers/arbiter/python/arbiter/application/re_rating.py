"""All ratings computed again from the stored games, after the operator made some void or not.

Invariant: a rating is written if it is the one which was compared, so none is lost.
"""

from collections.abc import Iterator

from arbiter.application.deps import Contended
from arbiter.application.intake.queue_messages import tell_rating_body
from arbiter.application.play.ratings import WHITE_SCORES
from arbiter.application.ports import Games, Ratings, RepublishQueue
from arbiter.application.records import RatingToTell
from arbiter.core.clocks import DAY_MS
from arbiter.core.policy import Policy
from arbiter.core.rated_anew import Held, PlayedGame, rated_anew
from arbiter.core.ratings import RatedGame, Standing

ATTEMPTS = 8
_AT_ONCE = 100


def rate_anew(games: Games, ratings: Ratings, queue: RepublishQueue, policy: Policy) -> int:
    """Write and publish each rating that this policy changes; how many. Raises ``Contended``."""
    changed: set[Held] = set()
    for _ in range(ATTEMPTS):
        rated = [*ratings.all_rated()]
        before = _present(ratings, rated)
        if {one.game_id for one in ratings.all_rated()} != {one.game_id for one in rated}:
            continue
        is_whole = True
        for held, (after, last_id) in rated_anew(_played(games, rated), policy.voids).items():
            if before[held] == after and before[held].opponents == after.opponents:
                continue
            if not ratings.replace(before[held], after):
                is_whole = False
                continue
            changed.add(held)
            queue.send(tell_rating_body(RatingToTell(*held, last_id)), 0)
        if is_whole:
            return len(changed)
    raise Contended


def may_be_unfinished(policy: Policy, now_ms: int) -> bool:
    """Whether games were made void, or count again, within a day: the process may have died."""
    return any(
        one.said.startswith(("void ", "count ")) and now_ms - one.at_ms < DAY_MS
        for one in policy.changes
    )


def _present(ratings: Ratings, rated: list[RatedGame]) -> dict[Held, Standing]:
    found: dict[Held, Standing] = {}
    for speed in {one.speed for one in rated}:
        players = sorted(
            {
                side[0].player
                for one in rated
                if one.speed is speed
                for side in (one.white, one.black)
            }
        )
        for at in range(0, len(players), _AT_ONCE):
            some = ratings.load_standings(players[at : at + _AT_ONCE], speed)
            found |= {(player, speed): standing for player, standing in some.items()}
    return found


def _played(games: Games, rated: list[RatedGame]) -> Iterator[PlayedGame]:
    for at in range(0, len(rated), _AT_ONCE):
        some = rated[at : at + _AT_ONCE]
        found = games.load_all([one.game_id for one in some])
        for one in some:
            game = found[one.game_id]
            if game is not None:
                players = one.white[0].player, one.black[0].player
                score = WHITE_SCORES[game.result]
                yield PlayedGame(game.id, one.speed, *players, score, game.end_ms, one.of_pair)
