"""What a game holds, as one attribute of its item: JSON, for there is hardly ever any. Pure."""

import json
from typing import Any

from arbiter.core.claims import Claims
from arbiter.core.commands import Ends, MakeOffer, PlayMove, Resign
from arbiter.core.game import OfferKind, Seat
from arbiter.core.pending import PendingCommand


def pack_held(held: tuple[PendingCommand, ...], white: Seat) -> str:
    """The attribute's text. Who said it is told by his colour alone."""
    return json.dumps([_packed(one, white) for one in held], separators=(",", ":"))


def unpack_held(text: str, white: Seat, black: Seat) -> tuple[PendingCommand, ...]:
    """What ``pack_held`` made the text of. Raises for what a newer version wrote."""
    seats = {"w": white, "b": black}
    return tuple(
        PendingCommand(bytes.fromhex(one["id"]), _command(one, seats[one["by"]].player))
        for one in json.loads(text)
    )


def _packed(held: PendingCommand, white: Seat) -> dict[str, Any]:
    command = held.command
    packed = {"id": held.event_key.hex(), "by": "w" if command.player == white.player else "b"}
    match command:
        case Resign():
            return {**packed, "is": "resign"}
        case MakeOffer():
            return {**packed, "is": command.kind.value, "at": command.made_at_ms}
        case PlayMove():
            claims = command.claims or Claims()
            said = {
                "ply": command.ply,
                "ends": command.ends.name if command.ends else None,
                "fen": claims.fen,
                "san": claims.san,
                "winner": claims.winner,
            }
            return {
                **packed,
                "is": command.uci,
                "at": command.received_at_ms,
                **{name: value for name, value in said.items() if value is not None},
            }


def _command(one: dict[str, Any], player: str) -> PlayMove | Resign | MakeOffer:
    if one["is"] == "resign":
        return Resign(player)
    if one["is"] in {kind.value for kind in OfferKind}:
        return MakeOffer(player, OfferKind(one["is"]), one["at"])
    return PlayMove(
        player=player,
        uci=one["is"],
        made_at_ms=one["at"],
        received_at_ms=one["at"],
        ply=one.get("ply"),
        ends=Ends[one["ends"]] if "ends" in one else None,
        claims=Claims(one.get("fen"), one.get("san"), one.get("winner")),
    )
