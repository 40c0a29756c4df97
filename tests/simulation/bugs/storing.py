"""Bugs of storing: what the table is told, and what it is believed to have said."""

from dataclasses import replace
from typing import Any

from arbiter.adapters.dynamodb import game_items, games
from arbiter.adapters.dynamodb.games import DynamoDbGames, DynamoDbLobby
from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, then


def _without_condition(update: dict[str, Any]) -> dict[str, Any]:
    values = dict(update["ExpressionAttributeValues"])
    values.pop(":version", None)
    kept = {name: given for name, given in update.items() if name != "ConditionExpression"}
    return kept | {"ExpressionAttributeValues": values}


def _one_late(real: Any) -> Any:
    def commit(games: Any, before: Game, after: Game) -> Any:
        waiting = vars(games).setdefault("_waiting", [])
        for one in waiting:
            real(games, *one)
        waiting[:] = [(before, after)]
        return Committed()

    return commit


def _from_memory(real: Any) -> Any:
    def load(games: Any, game_id: str) -> Any:
        known = vars(games).setdefault("_known", {})
        if known.get(game_id) is None:
            known[game_id] = real(games, game_id)
        return known[game_id]

    return load


def _success_whatever_came(real: Any) -> Any:
    def commit(games: Any, before: Game, after: Game) -> Any:
        real(games, before, after)
        return Committed()

    return commit


def _what_was_read_before(real: Any) -> Any:
    def commit(games: Any, before: Game, after: Game) -> Any:
        met = real(games, before, after)
        if isinstance(met, Conflict) and met.game is not None:
            return Conflict(replace(before, item_version=met.game.item_version))
        return met

    return commit


def _one_after_the_other(real: Any) -> Any:
    def commit(lobby: Any, change: Any) -> Any:
        rest = replace(change, pools=(), players=())
        pools = replace(change, players=(), challenges=(), game=None, finished=None)
        players = replace(change, pools=(), challenges=(), game=None, finished=None)
        return real(lobby, pools) and real(lobby, players) and real(lobby, rest)

    return commit


def _without_last_move(game: Game) -> Game:
    is_late = game.ply > 3
    return replace(game, moves=game.moves[:-1], cached_board=None) if is_late else game


def _clocks_exchanged(item: dict[str, Any]) -> dict[str, Any]:
    if "wc" not in item:
        return item
    return item | {"wc": item["bc"], "bc": item["wc"]}


def _without(*names: str) -> Any:
    """Items of games lack these attributes."""
    return then(lambda item: {name: one for name, one in item.items() if name not in names})


def _claims_that_are_true(packed: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in packed.items() if value}


def _of_white(real: Any) -> Any:
    def packed(held: Any, white: Any) -> Any:
        return {**real(held, white), "by": "w"}

    return packed


BUGS = (
    Bug(
        "no-version-condition",
        "A game is written whatever stands there.",
        ((games, "update_of", then(_without_condition)),),
        needs=frozenset({"F29"}),
    ),
    Bug(
        "answer-before-commit",
        "A state is told first, and written with the next one.",
        ((DynamoDbGames, "commit", _one_late),),
    ),
    Bug(
        "memory-instead-of-table",
        "A warm function believes the game that it read first, and reads it no more.",
        ((DynamoDbGames, "load", _from_memory),),
    ),
    Bug(
        "conflict-is-success",
        "A commit that met a newer game is taken for made.",
        ((DynamoDbGames, "commit", _success_whatever_came),),
        scene=scenes.TWO_WORKERS,
    ),
    Bug(
        "conflict-not-read",
        "After a lost race the old game is decided on again, and written over the new one.",
        ((DynamoDbGames, "commit", _what_was_read_before),),
        scene=scenes.TWO_WORKERS,
    ),
    Bug(
        "lobby-in-pieces",
        "Pools, players and the new game are written one after the other.",
        ((DynamoDbLobby, "commit", _one_after_the_other),),
    ),
    Bug(
        "last-move-not-read",
        "The last move of an item is not read.",
        ((games, "game_of_item", then(_without_last_move)),),
    ),
    Bug(
        "clocks-exchanged",
        "White's clock is stored as Black's.",
        ((games, "item_of_game", then(_clocks_exchanged)),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "strikes-not-stored",
        "Nobody counts how often a player moved illegally.",
        ((games, "item_of_game", _without("ws", "bs")),),
        needs=frozenset({"careless", "H50"}),
    ),
    Bug(
        "start-not-stored",
        "A game that began elsewhere goes on from the usual position.",
        ((games, "item_of_game", _without("f")),),
        needs=frozenset({"challenges"}),
    ),
    Bug(
        "rematch-not-named",
        "A game does not name the one that followed it, and another may.",
        ((games, "item_of_game", _without("nx")),),
        needs=frozenset({"two games"}),
    ),
    Bug(
        "held-claim-of-black",
        "The claim that Black won with a move is dropped while the move is held.",
        ((game_items, "_packed", then(_claims_that_are_true)),),
        scene=scenes.FEEDS_IN_HASTE,
    ),
    Bug(
        "held-is-whites",
        "Whatever a game holds is read back as White's.",
        ((game_items, "_packed", _of_white),),
        scene=scenes.FEEDS_IN_HASTE,
    ),
)
