"""One request to play against the lobby: answer it, let it wait, or pair it. At most five times,
for the same reason as a move.
"""

from arbiter.application.answer import Answer, Contended, Republish
from arbiter.application.ports import Clock, Games, Lobby, LobbyChange
from arbiter.core.model import WHITE, Game
from arbiter.core.pairing import Player, Pool, Seek, next_opponent, pair, remember_request, screen
from arbiter.core.replies import GameStarted, Queued, Reply, StateShown
from arbiter.dialects.dialect import RequestToPlay
from arbiter.nostr.event import VerifiedEvent

ATTEMPTS = 5


def request_game(
    games: Games, lobby: Lobby, clock: Clock, asked: RequestToPlay, event: VerifiedEvent
) -> Answer:
    """Answer a request to play.

    A player whose game goes on is shown it (the native protocol's only way to catch up); one who
    waits goes on waiting; anybody else is paired, or waits. Raises ``Contended`` when five commits
    in a row met a newer lobby.
    """
    made_at_ms = event.created_at * 1000
    for _ in range(ATTEMPTS):
        now_ms = clock.now_ms()
        seek = Seek(event.id, asked.seat, now_ms)
        player = lobby.player(asked.seat.player)
        game = games.load(player.game_id) if player.game_id else None
        live = game if game and game.outcome is None else None
        if player.remembers(event.id):
            return _again(event.id, asked, live, lobby.pool(asked.pool))
        if refusal := screen(player, seek, made_at_ms, now_ms):
            return _answer("request-" + refusal.reason, event.id, asked, (refusal,))
        if live:
            remembered = remember_request(player, event.id, made_at_ms, now_ms)
            if lobby.commit(LobbyChange(players=((player, remembered),))):
                return _answer("shown", event.id, asked, (_shown(live, player.id),), live)
            continue
        pool = lobby.pool(asked.pool)
        rival = next_opponent(pool, player.id, now_ms)
        opponent = lobby.player(rival.seat.player) if rival else None
        pairing = pair(pool, player, seek, opponent, made_at_ms, now_ms)
        players: tuple[tuple[Player, Player], ...] = ((player, pairing.player),)
        if opponent and pairing.opponent:
            players = (*players, (opponent, pairing.opponent))
        if lobby.commit(LobbyChange(pool=(pool, pairing.pool), players=players, game=pairing.game)):
            fate = "paired" if pairing.game else "queued"
            return _answer(fate, event.id, asked, pairing.replies, pairing.game)
    raise Contended


def places_of(player_id: str, pool: Pool) -> tuple[Reply, ...]:
    """What a waiting player is told again; nothing once he waits no more."""
    return tuple(Queued(seek.seat) for seek in pool.waiting if seek.seat.player == player_id)


def _again(event_id: str, asked: RequestToPlay, live: Game | None, pool: Pool) -> Answer:
    """The same request once more: the first answer may have died with the process that committed
    it.
    """
    if live is None:
        return _answer("duplicate", event_id, asked, places_of(asked.seat.player, pool))
    if live.ply == 0:
        return _answer("duplicate", event_id, asked, (GameStarted(live),), live)
    return _answer("duplicate", event_id, asked, (_shown(live, asked.seat.player),), live)


def _shown(game: Game, player_id: str) -> StateShown:
    color = game.color_of(player_id)
    return StateShown(game, WHITE if color is None else color)


def _answer(
    fate: str,
    event_id: str,
    asked: RequestToPlay,
    replies: tuple[Reply, ...],
    game: Game | None = None,
) -> Answer:
    again = None
    if game:
        again = Republish(game_id=game.id, changed_at_ms=game.changed_at_ms)
    elif any(isinstance(reply, Queued) for reply in replies):
        again = Republish(player_id=asked.seat.player)
    return Answer(
        fate=fate,
        replies=replies,
        cause=event_id,
        asked_in=asked.seat.dialect,
        republish=again,
        game_id=game.id if game else None,
    )
