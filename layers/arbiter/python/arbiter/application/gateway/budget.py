"""Refusals of our own relay once the day's budget is used up: of strangers, never of players."""

from collections.abc import Iterable

from arbiter.application.connections import Connection
from arbiter.application.gateway.deps import GatewayDeps, ParsedFrame
from arbiter.application.intake.routing import ENTRY_KINDS
from arbiter.application.spending import SPENT, Level
from arbiter.dialects.chat import SPECTATORS_CHAT
from arbiter.dialects.registry import SEEK_KINDS
from arbiter.nostr.client_messages import EventMessage, ReqMessage
from arbiter.nostr.event import NostrEvent

_MAX_LOOKED_AT = 8
"""Players of one frame, and games of one player, that are looked at."""

_NEW = SEEK_KINDS | ENTRY_KINDS | {SPECTATORS_CHAT}


def why_spent(deps: GatewayDeps, connection: Connection, said: ParsedFrame) -> str | None:
    """Return the refusal of a frame that there is no budget for; None if it is to be answered."""
    level = deps.spending.level() if deps.spending else Level.OPEN
    if level is Level.OPEN:
        return None
    match said:
        case EventMessage(event):
            is_taken = _is_taken(deps, event, level)
        case ReqMessage():
            # A player who comes back has proved nothing yet, and asks for what is theirs.
            named = (key for wanted in said.filters for key in wanted.tags.get("p", ()))
            is_taken = _one_plays(deps, (*connection.pubkeys, *connection.authors, *named))
        case _:
            is_taken = True
    return None if is_taken else f"restricted: {SPENT}"


def _is_taken(deps: GatewayDeps, event: NostrEvent, level: Level) -> bool:
    if event.kind in _NEW:
        return False
    return level < Level.GAMES_ONLY or _one_plays(deps, (event.pubkey,))


def _one_plays(deps: GatewayDeps, pubkeys: Iterable[str]) -> bool:
    for pubkey in [*dict.fromkeys(pubkeys)][:_MAX_LOOKED_AT]:
        player = deps.lobby.player(pubkey)
        games = (player.game_id, *reversed(player.event_games), *reversed(player.slow_games))
        for game_id in [it for it in games if it][:_MAX_LOOKED_AT]:
            game = deps.games.load(game_id)
            if game is not None and game.outcome is None:
                return True
    return False
