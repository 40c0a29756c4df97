"""The games of a round, made twenty a message.

Invariant: a board's game follows from its round, its place and its players, so no board has two.
"""

import hmac
from collections.abc import Mapping

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.play.timers import schedule_timer
from arbiter.application.ports import Conflict, LobbyChange
from arbiter.application.records import GamesAsked
from arbiter.application.tournaments.change import Changed, begins, change
from arbiter.core.game import GAME_ID_BYTES, Game
from arbiter.core.pairing import Player, with_event_game
from arbiter.core.tournaments.commands import GamesMade
from arbiter.core.tournaments.games import game_of_board
from arbiter.core.tournaments.rounds import round_at
from arbiter.core.tournaments.tournament import Board, Tournament

GAMES_A_MESSAGE = 20


def make_games(deps: ArbiterDeps, asked: GamesAsked) -> tuple[Changed, tuple[Game, ...]]:
    """Make the next games of this round, and note it; those that have not begun are returned."""
    tournament = deps.tournaments.load(asked.tournament_id)
    each = round_at(tournament, asked.round) if tournament else None
    if tournament is None or each is None or not begins(tournament, asked.round):
        return Changed(tournament, tournament), ()
    # What was told before its message came back is told again.
    first = min(asked.first, each.started)
    last = min(first + GAMES_A_MESSAGE, len(each.boards))
    ids = [
        _game_id(deps, tournament, asked.round, at, board)
        for at, board in enumerate(each.boards[:last])
    ]
    games = [
        game_of_board(tournament, asked.round, at + 1, ids[at], deps.clock.now_ms())
        for at in range(first, last)
    ]
    players = _players_of(deps, *filter(None, games))
    made = [_put(deps, game, players) for game in games if game is not None]
    for game in made:
        schedule_timer(deps, game)
    done = change(deps, tournament.id, GamesMade(asked.round, last, (*ids,)))
    return done, tuple(game for game in made if game.ply == 0 and game.outcome is None)


def _game_id(deps: ArbiterDeps, tournament: Tournament, number: int, at: int, board: Board) -> str:
    """The id of a board's game, of both players, for a plan may be changed by hand; or ""."""
    if board.result is not None or board.game_id:
        return board.game_id
    said = f"tournament:{tournament.id}:{number}:{at + 1}:{board.white}:{board.black}"
    return hmac.digest(deps.pairing_key, said.encode(), "sha256")[:GAME_ID_BYTES].hex()


def _players_of(deps: ArbiterDeps, *games: Game) -> Mapping[str, Player]:
    ids = {seat.player for game in games for seat in (game.white, game.black)}
    return deps.lobby.load_players(ids) if ids else {}


def _put(deps: ArbiterDeps, game: Game, players: Mapping[str, Player]) -> Game:
    """The stored game, this one if there was none; pools and players' own games stay."""
    ids = (game.white.player, game.black.player)
    known = players

    def attempt(conflict: Conflict | None) -> Game | Conflict:
        nonlocal known
        if conflict is not None:
            if stored := deps.games.load(game.id):
                return stored
            known = {}
        seated = [known.get(id_) or deps.lobby.player(id_) for id_ in ids]
        changes = tuple((player, with_event_game(player, game.id)) for player in seated)
        is_made = deps.lobby.commit(LobbyChange(players=changes, game=game))
        return game if is_made else Conflict(None)

    return retry_on_conflict(attempt)
