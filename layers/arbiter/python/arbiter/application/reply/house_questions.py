"""The house players that a result asks for an answer."""

from collections.abc import Container, Iterable

from arbiter.application.records import HouseRequest
from arbiter.application.results import Result
from arbiter.core import replies
from arbiter.core.game import BLACK, WHITE


def house_requests(result: Result, house_pubkeys: Container[str]) -> tuple[HouseRequest, ...]:
    asked = (request for reply in result.replies for request in _requests_in(reply, house_pubkeys))
    return tuple(dict.fromkeys(asked))


def _requests_in(reply: replies.Reply, house_pubkeys: Container[str]) -> Iterable[HouseRequest]:
    match reply:
        case replies.Challenged(seat, challenge) if seat.player in house_pubkeys:
            yield HouseRequest(player=seat.player, challenge_id=challenge.id)
        case (
            replies.GameStarted(game)
            | replies.MovePlayed(game)
            | replies.GameChanged(game)
            | replies.GameEnded(game)
            | replies.RematchAgreed(game)
            | replies.StateShown(game)
        ):
            for color in (WHITE, BLACK):
                player = game.seat(color).player
                offered = (
                    game.offer is not None
                    and game.offer.color != color
                    and game.next_game_id is None
                )
                owes_move = game.outcome is None and game.turn == color
                # At the end those in line for the player are handed on.
                is_asked = owes_move or offered or game.outcome is not None
                if player in house_pubkeys and is_asked:
                    version = game.state_version
                    yield HouseRequest(player=player, game_id=game.id, version=version)
        case _:
            return
