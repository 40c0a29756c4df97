"""Bugs before and after a game: who plays whom, on which terms, and what it does to ratings."""

from dataclasses import replace
from typing import Any

from arbiter.adapters.dynamodb.games import DynamoDbLobby
from arbiter.adapters.dynamodb.ratings import DynamoDbRatings
from arbiter.application import handle_event, lobby, ratings
from arbiter.application import rematch as agreeing
from arbiter.core import pairing
from arbiter.core.game import Game
from arbiter.core.pairing import Pairing, Pool
from arbiter.core.terms import Terms
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, always, value


def _old_wish_stays(real: Any) -> Any:
    def pair(pool: Pool, *args: Any) -> Pairing:
        found: Pairing = real(pool, *args)
        kept = tuple(seek for seek in pool.waiting if seek not in found.pool.waiting)
        return replace(found, pool=replace(found.pool, waiting=(*kept, *found.pool.waiting)))

    return pair


def _paired_wish_stays(real: Any) -> Any:
    def pair(pool: Pool, *args: Any) -> Pairing:
        found: Pairing = real(pool, *args)
        return replace(found, pool=pool) if found.game else found

    return pair


def _same_colours(real: Any) -> Any:
    def rematch(game: Game, *args: Any) -> Game:
        following: Game = real(game, *args)
        return replace(following, white=game.white, black=game.black)

    return rematch


def _another_time(real: Any) -> Any:
    def rematch(game: Game, *args: Any) -> Any:
        return replace(real(game, *args), clocks=None, rated=False, timer_at_ms=None)

    return rematch


def _busy_players_too(real: Any) -> Any:
    def load(bench: Any, asked: Any, event: Any, *rest: Any) -> Any:
        return real(replace(bench, games=_Blind(bench.games)), asked, event, *rest)

    return load


class _Blind:
    """Sees no game, and so nobody who plays one."""

    def __init__(self, games: Any) -> None:
        self.commit = games.commit
        self.load = lambda _: None


def _only_the_winner(real: Any) -> Any:
    def rate(white: Any, black: Any, score: float, *rest: Any) -> Any:
        new_white, new_black = real(white, black, score, *rest)
        return (new_white, black) if score > 0.5 else (white, new_black)

    return rate


def _unmarked(real: Any) -> Any:
    def commit(ratings: Any, rated: Any) -> Any:
        client = ratings._client()

        class Forgetful:
            def transact_write_items(self, **call: Any) -> Any:
                kept = [write for write in call["TransactItems"] if "Put" not in write]
                return client.transact_write_items(TransactItems=kept)

        return real(DynamoDbRatings(Forgetful, ratings._table), rated)  # type: ignore[arg-type]

    return commit


def _still_standing(real: Any) -> Any:
    def commit(lobby_: Any, change: Any) -> Any:
        made = [one for one in change.challenges if one[1] is not None]
        return real(lobby_, replace(change, challenges=tuple(made)) if change.game else change)

    return commit


def _whatever_stands(real: Any) -> Any:
    def commit(ratings: Any, rated: Any) -> Any:
        client = ratings._client()

        class Lenient:
            def transact_write_items(self, **call: Any) -> Any:
                for one in call["TransactItems"]:
                    one.get("Put", {}).pop("ConditionExpression", None)
                return client.transact_write_items(**call)

        return real(DynamoDbRatings(Lenient, ratings._table), rated)  # type: ignore[arg-type]

    return commit


BUGS = (
    Bug(
        "old-wish-stays",
        "Who asks again waits twice.",
        ((lobby, "pair", _old_wish_stays),),
    ),
    Bug(
        "paired-wish-stays",
        "Who was paired goes on waiting.",
        ((lobby, "pair", _paired_wish_stays),),
    ),
    Bug(
        "one-pool-for-all",
        "Whoever asks first is paired with whoever asks next, on whatever terms.",
        ((Terms, "pool", value(property(lambda _: "standard:unlimited:casual"))),),
        needs=frozenset({"sockets", "clock"}),
    ),
    Bug(
        "wishes-never-expire",
        "Who asked an hour ago and went away is paired.",
        ((pairing, "_expired", always(value=False)),),
        needs=frozenset({"passers"}),
    ),
    Bug(
        "requests-never-stale",
        "A request of yesterday is as good as one of today.",
        ((lobby, "screen", always(None)),),
        scene=scenes.LATE,
    ),
    Bug(
        "busy-players-paired",
        "Who plays is paired all the same.",
        ((handle_event, "request_game", _busy_players_too),),
        scene=scenes.GREED,
    ),
    Bug(
        "rematch-without-swap",
        "In a rematch everybody keeps his colour.",
        ((agreeing, "rematch", _same_colours),),
        needs=frozenset({"two games"}),
    ),
    Bug(
        "rematch-without-clock",
        "A rematch has no clock and counts for nothing.",
        ((agreeing, "rematch", _another_time),),
        needs=frozenset({"clock", "two games"}),
    ),
    Bug(
        "rated-twice",
        "Nobody looks whether a game was rated before.",
        (
            (DynamoDbRatings, "rated", always(None)),
            (DynamoDbRatings, "commit", _whatever_stands),
        ),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "rating-forgotten",
        "A game that is over moves no rating.",
        ((ratings, "rate_game", always(None)),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "loser-keeps-his-points",
        "The winner's rating rises, and the loser's stays.",
        ((ratings, "rate", _only_the_winner),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "wins-are-losses",
        "White's result counts for Black.",
        ((ratings, "_WHITE_SCORES", value({"1-0": 0.0, "0-1": 1.0, "1/2-1/2": 0.5})),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "rated-without-a-mark",
        "Ratings move, and nothing says by which game.",
        ((DynamoDbRatings, "commit", _unmarked),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "challenge-stays",
        "A challenge that was taken up stands on.",
        ((DynamoDbLobby, "commit", _still_standing),),
        needs=frozenset({"challenges"}),
    ),
)
