"""The games of a player: one live game in their place in the lobby, and up to fifty slow ones (days
a move, or no clock) where each event names its game. Elsewhere any game takes the one place.
"""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.core.game import BLACK, Game, Seat
from arbiter.core.pairing import MAX_SLOW_GAMES, Place, Player
from arbiter.core.replies import Reason, RequestRefused
from arbiter.dialects.base import Relay
from arbiter.dialects.registry import DIALECTS

GAMES_LISTED, ALL_GAMES_LISTED, LISTED_SECONDS = 150, 6_000, 60
"""Games read in so long, of one player and all."""


def has_many_games(deps: ArbiterDeps, seat: Seat) -> bool:
    """Whether the player can have many games in this seat; a program of the house plays one."""
    return isinstance(DIALECTS[seat.dialect].wire, Relay) and seat.player not in deps.house_levels


def runs_beside(deps: ArbiterDeps, game: Game, player_id: str) -> bool:
    color = game.color_of(player_id)
    return game.is_slow and color is not None and has_many_games(deps, game.seat(color))


def with_slow_game(deps: ArbiterDeps, player: Player, last: Game | None) -> Player:
    """The player with their slow ``last`` game where it belongs; an earlier release's is not."""
    if last is None or last.outcome is not None or last.id in player.slow_games:
        return player
    if not runs_beside(deps, last, player.id):
        return player
    return replace(player, slow_games=(*player.slow_games, last.id))


def placed(
    deps: ArbiterDeps, player: Player, seat: Seat, *, is_slow: bool, last: Game | None = None
) -> tuple[Player, Place]:
    """The player with room for such a game, and its place; ``last``, theirs, is read if needed."""
    if not (is_slow and has_many_games(deps, seat)):
        return with_slow_game(deps, player, last), Place.ONE
    if last is None and player.game_id:
        last = deps.games.load(player.game_id)
    player = with_slow_game(deps, player, last)
    if len(player.slow_games) >= MAX_SLOW_GAMES:
        player, _ = with_slow_games(deps, player)
    is_held = last is not None and last.outcome is None and not runs_beside(deps, last, player.id)
    return player, Place.BESIDE_ANOTHER if is_held else Place.BESIDE


def leaves_pool(place: Place, game: Game) -> bool:
    """Whether the player waits no more once this game begins there."""
    return place is Place.ONE or game.clocks is None


def has_room(deps: ArbiterDeps, player: Player, seat: Seat, *, is_slow: bool) -> bool:
    if not (is_slow and has_many_games(deps, seat)) or len(player.slow_games) < MAX_SLOW_GAMES:
        return True
    return len(with_slow_games(deps, player)[0].slow_games) < MAX_SLOW_GAMES


def too_many_games(seat: Seat) -> RequestRefused:
    text = f"you play {MAX_SLOW_GAMES} games without a live clock: finish one first"
    return RequestRefused(seat, Reason.RATE_LIMITED, text)


def may_read_all(deps: ArbiterDeps, player: Player, now_ms: int) -> bool:
    """Whether all slow games of the player may be read and shown now: each counts."""
    number = len(player.slow_games)
    if number < 2 or deps.rate_limits is None:  # noqa: PLR2004 - one is always shown
        return True
    bounds = ((f"games-listed:{player.id}", GAMES_LISTED), ("games-listed", ALL_GAMES_LISTED))
    take = deps.rate_limits.take
    return all(take(key, most, LISTED_SECONDS, now_ms, number) for key, most in bounds)


def latest_game(deps: ArbiterDeps, player: Player) -> tuple[Game, ...]:
    found = deps.games.load(player.slow_games[-1]) if player.slow_games else None
    return (found,) if found is not None and _goes_on(found) else ()


def with_slow_games(deps: ArbiterDeps, player: Player) -> tuple[Player, tuple[Game, ...]]:
    """The player without ended slow games, and those that go on, in order; unread ones are kept."""
    if not player.slow_games:
        return player, ()
    found = deps.games.load_all(player.slow_games)
    kept = tuple(id_ for id_ in player.slow_games if id_ not in found or _goes_on(found[id_]))
    games = tuple(game for game in map(found.get, kept) if game is not None)
    return (player if kept == player.slow_games else replace(player, slow_games=kept)), games


def with_event_games(deps: ArbiterDeps, player: Player) -> tuple[Player, tuple[Game, ...]]:
    """The player without the games of tournaments that have ended, and those that go on."""
    if not player.event_games:
        return player, ()
    found = deps.games.load_all(player.event_games)
    games = tuple(game for game in found.values() if game is not None and _goes_on(game))
    kept = tuple(id_ for id_ in player.event_games if id_ not in found or _goes_on(found[id_]))
    return replace(player, event_games=kept), games


def game_without_name(deps: ArbiterDeps, player: Player, dialect: str) -> str | None:
    """The game of commands that name none: the latest tournament's, or the one place's."""
    _, games = with_event_games(deps, player)
    here = [one for one in games if one.seat(one.color_of(player.id) or BLACK).dialect == dialect]
    latest = max(here, key=lambda one: one.created_at_ms, default=None)
    return latest.id if latest else player.game_id


def _goes_on(game: Game | None) -> bool:
    return game is not None and game.outcome is None


def in_order(games: tuple[Game, ...], player_id: str) -> tuple[Game, ...]:
    """The games as their player needs them: live first, then those to move, by deadline."""

    def urgency(game: Game) -> tuple[bool, bool, int, int]:
        deadline_ms = game.deadline_ms()
        waits = game.color_of(player_id) != game.turn
        return game.is_slow, waits, deadline_ms or 1 << 62, game.changed_at_ms

    return tuple(sorted(games, key=urgency))
