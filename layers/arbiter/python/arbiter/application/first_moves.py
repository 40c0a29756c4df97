"""White's first move where it comes before an opponent: kind 30 has no word by which a player would
learn that a game begins, so they move at once.
"""

from arbiter.application.abandonment import with_closing_timer
from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.event_memory import release
from arbiter.application.ports import Conflict, LobbyChange
from arbiter.application.results import Result, slot_of
from arbiter.core.commands import PendingCommand, PlayMove
from arbiter.core.game import Game, Seat
from arbiter.core.pairing import Pairing, with_first_move
from arbiter.core.replies import Reply
from arbiter.core.terms import ColorPreference


def begun(
    deps: ArbiterDeps, pairing: Pairing, now_ms: int
) -> tuple[Game | None, tuple[Reply, ...]]:
    """The game of a pairing, if any, as it is stored, and the replies: with the timer that closes
    it, and with White's first move if that came before.
    """
    if pairing.game is None:
        return None, pairing.replies
    game, replies = release(with_closing_timer(pairing.game, deps.rules), deps.rules, now_ms)
    return game, (*pairing.replies, *replies)


def keep_first_move(
    deps: ArbiterDeps, seat: Seat, command: PlayMove, event_key: str
) -> Result | None:
    """Keep White's first move for the game that their request is to lead to; None if they do not
    wait, or not with White. The first one counts. Raises ``Contended``.
    """

    def attempt(_: Conflict | None) -> Result | Conflict | None:
        slot = slot_of(seat)
        player = deps.lobby.player(slot)
        pool = deps.lobby.pool(player.waits_in) if player.waits_in else None
        seek = next((one for one in pool.waiting if one.slot == slot), None) if pool else None
        if pool is None or seek is None or seek.terms.color is not ColorPreference.WHITE:
            return None
        if seek.first_move is None:
            kept = PendingCommand(bytes.fromhex(event_key), command)
            change = LobbyChange(pools=((pool, with_first_move(pool, slot, kept)),))
            if not deps.lobby.commit(change):
                return Conflict(None)
        return Result(status="held", event_key=event_key)

    return retry_on_conflict(attempt)
