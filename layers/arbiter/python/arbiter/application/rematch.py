"""The game after a game: both players agreed, and it begins at once with colours swapped."""

from dataclasses import replace

from arbiter.application.answer import Bench, wind
from arbiter.application.ports import LobbyChange
from arbiter.application.settled import leave_pools
from arbiter.core.model import CAUSE_BYTES, Game
from arbiter.core.pairing import rematch, seated
from arbiter.core.replies import Decision, GameStarted, Reason, Rejected


def seat_again(
    bench: Bench, game: Game, agreed: Decision, author: str, event_id: str, now_ms: int
) -> Decision | None:
    """Make the rematch and say so, or say why not; None when somebody wrote in between.

    ``agreed`` is the decision on ``author``'s event of this id, the one that accepted.
    """
    following = rematch(game, event_id, now_ms)
    players = bench.lobby.player(game.white.player), bench.lobby.player(game.black.player)
    for player in players:
        other = bench.games.load(player.game_id) if player.game_id else None
        if other is not None and other.id != game.id and other.outcome is None:
            text = "one of you plays another game"
            refusal = Rejected(author, Reason.NOT_OFFERED_HERE, text, game)
            return Decision(game, (refusal,))
    finished = replace(
        agreed.game,
        next_game_id=following.id,
        applied=(*game.applied, bytes.fromhex(event_id)[:CAUSE_BYTES]),
        version=game.version + 1,
    )
    change = LobbyChange(
        pools=leave_pools(bench.lobby, *players),
        players=tuple((player, seated(player, following)) for player in players),
        game=following,
        finished=(game, finished),
    )
    if not bench.lobby.commit(change):
        return None
    wind(bench, following)
    return Decision(following, (GameStarted(following),))
