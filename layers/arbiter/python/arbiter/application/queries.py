"""The web's reads, as values; reading changes nothing. Pages are parts of one order, newest first,
which new games do not disturb. A browser's placeholder key is never shown as a player.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from arbiter.application.connections import Connections
from arbiter.application.play.ratings import LEAST_PLIES
from arbiter.application.ports import Games, Ratings
from arbiter.core.clocks import Speed
from arbiter.core.game import Game, Seat, Termination
from arbiter.core.outages import RelayUptime
from arbiter.core.pairing import Pool
from arbiter.core.pgn_cache import Pgns
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.core.seeks import Challenge
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects import arbiter_events, hot_seat
from arbiter.dialects.ssb import address

MAX_GAMES_A_PAGE = 50
"""Read at once: 50 games of the most plies are 9 of DynamoDB's 16 MB."""

MAX_WAITING = 50
"""The pools, and the open challenges, that are shown: the newest."""

MAX_SPECTATORS = 100
"""More are not counted."""

MAX_PLIES_A_PAGE = 100_000
MAX_PLIES_A_PGN = 20_000
"""The plies after which a page ends early, so that an answer takes a second or so: to replay a ply
takes five microseconds, to write its SAN into a PGN sixty. A single game may have all the plies
there can be, 17,697.
"""

SETTLING_MS = 300_000
"""For so long after its end a game may still change: a rematch is accepted, a rating is late."""


@dataclass(frozen=True, slots=True, order=True)
class GameCursor:
    """A place in the order of games, begun (unix ms) and id; there need be no such game."""

    created_at_ms: int
    game_id: str

    def is_older_than(self, other: "GameCursor") -> bool:
        """Whether the game of this cursor began earlier, and not in the same millisecond."""
        return self.created_at_ms < other.created_at_ms


class Archive(Protocol):
    """Finds games by players, live ones, and who waits. May lag by a second or so."""

    def games_of(
        self, player_id: str, limit: int, after: GameCursor | None = None
    ) -> Sequence[Game]:
        """The newest games of this player after that cursor, at most ``limit`` (1 to 100)."""
        ...

    def live(self, limit: int, after: GameCursor | None = None) -> Sequence[Game]:
        """The games that go on, in the same order and with the same limits."""
        ...

    def pools(self, limit: int) -> Sequence[Pool]:
        """At most ``limit`` (1 to 100) pools in which somebody waits, also out of date."""
        ...

    def open_challenges(self, limit: int) -> Sequence[Challenge]:
        """At most ``limit`` (1 to 100) challenges open to anybody, also expired."""
        ...


DEAD_LETTERS = "dead_letters"
"""The name of all queues together whose messages wait for an operator, at any age."""


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """A queue's depth; ``age_seconds`` if known; ``waiting`` None without an answer."""

    name: str
    waiting: int | None
    age_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class RelayReach:
    """Whether a relay could be reached just now; ``trouble`` is one word of ours if not."""

    url: str
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The state of queues and relays, and when it was found."""

    queues: tuple[QueueDepth, ...]
    relays: tuple[RelayReach, ...]
    looked_at_ms: int


class HealthCheck(Protocol):
    """Whether the services we need are there. Trouble is in the result, never raised."""

    def has_table(self) -> bool: ...

    def report(self) -> HealthReport:
        """Queues and relays, really tried, at most half a minute ago."""
        ...


@dataclass(frozen=True, slots=True)
class GamePage:
    """Games, newest first, and where the next page begins; None: these were the last."""

    games: tuple[Game, ...]
    next_cursor: GameCursor | None


@dataclass(frozen=True, slots=True)
class GameWithRatings:
    """A game, and what it did to two ratings if it did."""

    game: Game
    rated: RatedGame | None = None

    def is_settled(self, now_ms: int) -> bool:
        game = self.game
        if game.outcome is None or now_ms - game.end_ms < SETTLING_MS:
            return False
        return self.rated is not None or not will_be_rated(game)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksNow:
    """Both clocks (ms) at ``at_ms``: now, or the end. At ``deadline_ms`` the side to move loses, or
    the game is aborted. ``is_running`` is false before both have moved in a live game, and after
    the end; while ``is_paused`` the deadline moves on.
    """

    white_ms: int
    black_ms: int
    at_ms: int
    deadline_ms: int | None
    is_running: bool
    is_paused: bool


def clocks_now(game: Game, now_ms: int, uptime: RelayUptime | None = None) -> ClocksNow | None:
    """The clocks as of now, charged as a move received now, or None; outages pause them."""
    clocks = game.clocks
    if clocks is None:
        return None
    at_ms = now_ms if game.outcome is None else game.end_ms
    paused_ms = uptime.paused_ms(clocks.since_ms, at_ms, now_ms) if uptime else 0
    deadline_ms = (game.deadline_ms() or 0) + paused_ms
    has_begun = game.ply >= 2 or not clocks.control.is_live  # noqa: PLR2004 - one first move each
    shown = clocks.at(game.ply, at_ms - paused_ms, white=game.turn)
    is_live = game.outcome is None
    return ClocksNow(
        white_ms=shown.white_ms,
        black_ms=shown.black_ms,
        at_ms=at_ms,
        deadline_ms=deadline_ms if is_live else None,
        is_running=is_live and has_begun,
        is_paused=is_live
        and uptime is not None
        and paused_ms > uptime.paused_ms(clocks.since_ms, at_ms - 1, now_ms),
    )


@dataclass(frozen=True, slots=True)
class WaitingRoom:
    """Who waits now: pools, the longest waiting first, and open challenges, the newest first."""

    pools: tuple[Pool, ...]
    challenges: tuple[Challenge, ...]


NO_KEYS: frozenset[str] = frozenset()


def waiting_room(archive: Archive, now_ms: int, hidden: frozenset[str] = NO_KEYS) -> WaitingRoom:
    """Who waits now, without seeks too old to be paired and hidden players' challenges."""
    pools = [
        replace(pool, waiting=tuple(seek for seek in pool.waiting if not seek.is_over(now_ms)))
        for pool in archive.pools(MAX_WAITING)
    ]
    waited_in = [pool for pool in pools if pool.waiting]
    challenges = [
        challenge
        for challenge in archive.open_challenges(MAX_WAITING)
        if now_ms < challenge.expires_at_ms() and challenge.seek.seat.player not in hidden
    ]
    return WaitingRoom(
        tuple(sorted(waited_in, key=lambda pool: pool.waiting[0].asked_at_ms)),
        tuple(sorted(challenges, key=lambda challenge: challenge.seek.asked_at_ms, reverse=True)),
    )


def cursor_of(game: Game) -> GameCursor:
    return GameCursor(game.created_at_ms, game.id)


def is_browser(seat: Seat) -> bool:
    return seat.dialect == hot_seat.NAME


def feed_of(seat: Seat) -> str | None:
    """The feed of Scuttlebutt in this seat; None for every other one."""
    return address.feed_of(seat) if seat.dialect == address.NAME else None


def will_be_rated(game: Game) -> bool:
    """Whether this ended game has done something to ratings, or will have soon."""
    return (
        game.rated
        and game.clocks is not None
        and game.outcome is not None
        and game.outcome.termination is not Termination.ABORTED
        and game.ply >= LEAST_PLIES
        and game.white.player != game.black.player
    )


def read_game(games: Games, ratings: Ratings, game_id: str) -> GameWithRatings | None:
    game = games.load(game_id)
    return with_ratings(ratings, game) if game else None


def with_ratings(ratings: Ratings, game: Game) -> GameWithRatings:
    return GameWithRatings(game, ratings.rated(game.id) if will_be_rated(game) else None)


def games_of(archive: Archive, player_id: str, limit: int, after: GameCursor | None) -> GamePage:
    return shortened(_page(archive.games_of(player_id, limit + 1, after), limit))


def live_games(
    archive: Archive, limit: int, after: GameCursor | None, hidden: frozenset[str] = NO_KEYS
) -> GamePage:
    """A page of live games, at most ``limit`` (1 to 50), without hidden players'."""
    page = shortened(_page(archive.live(limit + 1, after), limit))
    shown = (
        game for game in page.games if hidden.isdisjoint({game.white.player, game.black.player})
    )
    return replace(page, games=tuple(shown))


BoardPlace = tuple[int, int]
"""A round and a board, both from 1."""


def games_of_tournament(
    games: Games, tournament: Tournament, after: BoardPlace
) -> tuple[tuple[Game, ...], BoardPlace | None]:
    """A page of a tournament's games that are over, after that place; the next place."""
    boards = {
        (each.number, number): board.game_id
        for each in tournament.rounds
        for number, board in enumerate(each.boards, start=1)
        if board.game_id and board.result
    }
    places = [place for place in sorted(boards) if place > after]
    some = places[:MAX_GAMES_A_PAGE]
    found = games.load_all([boards[place] for place in some]) if some else {}
    shown: dict[BoardPlace, Game] = {}
    plies = 0
    for place in some:
        game = found.get(boards[place])
        if game is None or game.outcome is None:
            continue
        plies += game.ply
        if shown and plies > MAX_PLIES_A_PGN:
            break
        shown[place] = game
    last = next(reversed(shown), None) if plies > MAX_PLIES_A_PGN else next(reversed(some), None)
    return tuple(shown.values()), last if last and last != places[-1] else None


def standings_of(ratings: Ratings, player_id: str) -> tuple[Standing, ...]:
    found = (ratings.standing(player_id, speed) for speed in Speed)
    return tuple(standing for standing in found if standing.games)


def spectators(connections: Connections, game: Game) -> int:
    """The sockets of our gateway that follow this game, at most ``MAX_SPECTATORS``."""
    # A socket may have several subscriptions to the game, and some are the players'.
    following = connections.sample_subscribers(f"d:{game.id}", 2 * MAX_SPECTATORS)
    sockets = {subscriber.connection_id for subscriber in following}
    for seat in (game.white, game.black):
        if sockets and not is_browser(seat):
            sockets -= _sockets_for(connections, seat.player)
    return min(len(sockets), MAX_SPECTATORS)


def _sockets_for(connections: Connections, player: str) -> set[str]:
    """The player's own sockets: a page that names them may want ratings alone."""
    return {
        subscriber.connection_id
        for subscriber in connections.sample_subscribers(f"p:{player}", 2 * MAX_SPECTATORS)
        for wanted in subscriber.filters
        if player in wanted.tags.get("p", ()) and wanted.kinds != (arbiter_events.RATING,)
    }


def pgn_of(found: GameWithRatings, server: str, kept: Pgns | None = None) -> str:
    """The game as PGN: to the byte what its kind 64 note says, for it is the same function."""
    written = kept if found.game.outcome else None
    return arbiter_events.note_event(found.game, server, found.rated, written).content


def shortened(page: GamePage, most_plies: int = MAX_PLIES_A_PAGE) -> GamePage:
    """As many of these games as have so many plies together, and at least one."""
    plies = 0
    for count, game in enumerate(page.games):
        plies += game.ply
        if count and plies > most_plies:
            kept = page.games[:count]
            return GamePage(kept, cursor_of(kept[-1]))
    return page


def rating_now(standing: Standing, now_ms: int) -> Rating:
    return standing.rating.at(now_ms)


def _page(found: Sequence[Game], limit: int) -> GamePage:
    games = tuple(found[:limit])
    return GamePage(games, cursor_of(games[-1]) if len(found) > limit else None)
