"""The game after a game, once both agreed: with colours swapped, if the addresses allow it. Who
asks for another game withdraws their offer.
"""

from dataclasses import replace

import chess

from arbiter.application.deps import ArbiterDeps
from arbiter.application.door import are_apart
from arbiter.application.play.places import has_room, leaves_pool, placed, runs_beside
from arbiter.application.play.seating import leave_pools, with_last_game
from arbiter.application.play.timers import schedule_timer
from arbiter.application.ports import LobbyChange
from arbiter.application.results import slot_of
from arbiter.core.commands import Command, MakeOffer
from arbiter.core.game import BLACK, EVENT_KEY_BYTES, WHITE, Game, Seat
from arbiter.core.new_games import rematch
from arbiter.core.pairing import Place, Player, seated
from arbiter.core.replies import Decision, GameStarted, Reason, Rejected, RematchAgreed
from arbiter.dialects.base import Log
from arbiter.dialects.registry import DIALECTS


def seat_again(
    deps: ArbiterDeps, game: Game, agreed: Decision, command: Command, event_key: str, now_ms: int
) -> Decision | None:
    """Begin the rematch that ``command`` ``agreed`` to, or refuse it; None on a conflict."""
    seats = _seats(game, command)
    if seats is None:
        text = "both invitations give their authors the same colour: accept the other one"
        refusal = Rejected(command.player, Reason.NOT_OFFERED_HERE, text, game)
        return Decision(game, (refusal,))
    if are_apart(deps.lobby, seats[0].player, seats[1].player):
        text = "your opponent plays no rematch"
        return Decision(game, (Rejected(command.player, Reason.NOT_OFFERED_HERE, text, game),))
    following = rematch(game, *seats, event_key, now_ms, deps.pairing_key)
    players = deps.lobby.player(slot_of(seats[0])), deps.lobby.player(slot_of(seats[1]))
    places: list[tuple[Player, Player, Place]] = []
    for seat, player in zip(seats, players, strict=True):
        last = game if player.game_id == game.id else None
        if last is None and player.game_id:
            last = deps.games.load(player.game_id)
        why = deps.policy.why_no_game(seat.player, now_ms)
        if why := why or _why_not_there(deps, game, seat, player, last):
            refusal = Rejected(command.player, Reason.NOT_OFFERED_HERE, why, game)
            return Decision(game, (refusal,))
        # Their last game, which need not be this one, counts as it would for a request.
        counted = with_last_game(deps, player, last, now_ms)
        places.append((player, *placed(deps, counted, seat, is_slow=game.is_slow, last=last)))
    finished = replace(
        agreed.game,
        next_game_id=following.id,
        applied_ids=(*game.applied_ids, bytes.fromhex(event_key)[:EVENT_KEY_BYTES]),
        item_version=game.item_version + 1,
    )
    leaving = (one for one, _, place in places if leaves_pool(place, following))
    change = LobbyChange(
        pools=leave_pools(deps.lobby, *leaving),
        players=tuple(
            (player, seated(counted, following, place=place)) for player, counted, place in places
        ),
        game=following,
        finished=(game, finished),
    )
    if not deps.lobby.commit(change):
        return None
    schedule_timer(deps, following)
    # A spectator of the game before learns from it where it goes on.
    return Decision(following, (GameStarted(following), RematchAgreed(finished)))


def _why_not_there(
    deps: ArbiterDeps, game: Game, seat: Seat, player: Player, last: Game | None
) -> str | None:
    """Why no game can begin for this seat in its slot, or None; ``last`` is the game there."""
    if runs_beside(deps, game, player.id):
        has_place = has_room(deps, player, seat, is_slow=True)
        return None if has_place else "one of you plays too many games"
    has_one_place = slot_of(seat) == seat.player
    offers = game.offer is not None and game.seat(game.offer.color).player == seat.player
    if has_one_place and offers and player.game_id not in {None, game.id}:
        return "your opponent has played another game since"
    is_other = last is not None and last.id != game.id and last.outcome is None
    if last is not None and is_other and not runs_beside(deps, last, player.id):
        return "one of you plays another game"
    # A place of its own is written when its game begins, or when its invitation is withdrawn.
    if last is None and player.item_version and not has_one_place:
        return "that invitation was withdrawn"
    return None


def _seats(game: Game, command: Command) -> tuple[Seat, Seat] | None:
    seats = {color: game.seat(color) for color in (WHITE, BLACK)}
    allowed: dict[chess.Color, chess.Color] = {}
    author = game.color_of(command.player)
    own = command.address if isinstance(command, MakeOffer) else ""
    asked = [(game.offer.color, game.offer.address)] if game.offer else []
    for color, address in (*asked, (author, own)):
        if color is None or not address:
            continue
        seats[color] = replace(seats[color], address=address)
        wire = DIALECTS[seats[color].dialect].wire
        only = wire.color_at(seats[color]) if isinstance(wire, Log) else None
        if only is not None:
            # The colour of this game that will be White in the next.
            allowed[color] = color if only == WHITE else not color
    if len(set(allowed.values())) > 1:
        return None
    white = next(iter(allowed.values()), BLACK)
    return seats[white], seats[not white]
