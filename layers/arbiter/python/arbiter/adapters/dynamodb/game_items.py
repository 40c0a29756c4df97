"""A game as an item of the table, attribute by attribute. Pure.

A game is one item that grows with every ply, and DynamoDB charges by the kilobyte: 65 plies fit
into the first one. So attribute names, which are paid for in every item, are a letter or two, a ply
takes 2 bytes, a cause 8, and a public key its 32 bytes instead of 64 digits. The most
plies that the seventy-five-move rule allows, 17,697, and as much talk as there can be in a game are
190 KB of the 400 that an item may have; 281 where a hundred moves of each player wait.

====  ==============  ========================================================================
name  game            what it is
====  ==============  ========================================================================
pk    S               ``g#`` and the game's id, 32 hex digits
s     N               the schema's version, set when the item is made
v     N               the game's version, which every commit is conditional on
c u   N               created and changed, unix milliseconds
w b   B               the players, 32 bytes each
l     S               ``1`` while the game has no outcome; absent after that
wd bd S               their dialects; absent for the native one
wa ba B (S)           their reply addresses, as the players; absent when empty
f     S               the FEN it started from; absent for the usual one
m     B               the moves, 16 bits each, big-endian: from square, to, promotion
o x   S               termination, and who won (``w``, ``b``; absent: nobody); live: neither
ab    S               who aborted it or did not make a first move, as ``x``; absent: nobody, unknown
ws bs N               strikes; absent for none
e     B               applied causes, 8 bytes each
wr br B               answered causes of each player, 8 bytes each
r     N               1 for a rated game; absent for a casual one
va    S               the variant; absent for standard chess
tc    S               the time control as in a request; this and the next three absent for unlimited
wc bc N               what each clock showed when the present move began, milliseconds
tn    N               when it began, unix milliseconds
en    N               the edition
of    S               the offer that stands: kind, space, ``w`` or ``b``; space and the address
                      of a rematch that will find its offerer elsewhere
fo    S               former editions of the position: number, since, offer; parted by ``;``
wo bo N               the ply of each player's last draw offer
nx    B               the rematch's id
ta    N               when a timer next has us look at the clock, unix milliseconds
mt    B               when each move was made, 5 bytes each: milliseconds since the game was made;
                      absent where no wire tells
hd    S               what came before the moves it answers, as JSON (``held_records``)
====  ==============  ========================================================================

Four of these are keys of indexes, as template.yaml has them: ``white`` (w, c), ``black`` (b, c) and
``live`` (l, c). DynamoDB refuses an item whose ``w``, ``b``, ``l`` or ``c`` is of another type, so
no other kind of item may call an attribute so, and a player who is no key of 32 bytes (``identity``
would make text of him) can be packed but not stored.

A game's offer, and the former editions of its position, each as one attribute's text. Pure.

What a game holds, as one attribute of its item: JSON, for there is hardly ever any. Pure.
"""

import json
from dataclasses import replace
from typing import Any

import chess

from arbiter.adapters.dynamodb.items import Item, identity, octets_of, stamp, text_of
from arbiter.adapters.dynamodb.packing import (
    pack_causes,
    pack_moves,
    pack_times,
    unpack_causes,
    unpack_moves,
    unpack_times,
)
from arbiter.core.clocks import Clocks, read_time
from arbiter.core.commands import (
    Claims,
    Ends,
    MakeOffer,
    OfferKind,
    PendingCommand,
    PlayMove,
    Resign,
)
from arbiter.core.game import (
    BLACK,
    WHITE,
    Game,
    Offer,
    Outcome,
    Seat,
    StateVersion,
    Termination,
    Variant,
    is_game_id,
)

LIVE = "1"
"""What a game under way is filed under; the index ``live`` holds the items that have it."""

NATIVE = "dilger"
"""The dialect of nearly every seat, which is why an item need not name it."""


def game_key(game_id: str) -> Item:
    """The key of a game's item; ValueError for what is no game id. No key is made of a stranger's
    text: DynamoDB raises for a long or an empty one.
    """
    if not is_game_id(game_id):
        raise ValueError("a game id is 32 lower-case hexadecimal digits")
    return {"pk": {"S": f"g#{game_id}"}}


def item_of_game(game: Game) -> Item:
    """All that is known of a game, as an item. ValueError for a move or a cause that cannot be
    packed.
    """
    item = {
        **game_key(game.id),
        **stamp(game.item_version),
        "c": {"N": str(game.created_at_ms)},
        "u": {"N": str(game.changed_at_ms)},
        **_seat_attributes("w", game.white),
        **_seat_attributes("b", game.black),
    }
    if game.outcome is None:
        item["l"] = {"S": LIVE}
    if game.start_fen != chess.STARTING_FEN:
        item["f"] = {"S": game.start_fen}
    if game.outcome:
        item["o"] = {"S": game.outcome.termination.value}
        if game.ended_at_ms is not None:
            item["oa"] = {"N": str(game.ended_at_ms)}
        sides = {"x": game.outcome.winner, "ab": game.outcome.aborted_by}
        named = {name: color for name, color in sides.items() if color is not None}
        item |= {name: {"S": "w" if color == WHITE else "b"} for name, color in named.items()}
    strikes = {"ws": game.white_strikes, "bs": game.black_strikes}
    item.update({name: {"N": str(count)} for name, count in strikes.items() if count})
    item.update(_agreement(game))
    if game.pending:
        item["hd"] = {"S": pack_held(game.pending, game.white)}
    packed = {
        "m": pack_moves(game.moves),
        "e": pack_causes(game.applied_ids),
        "wr": pack_causes(game.white_refused_ids),
        "br": pack_causes(game.black_refused_ids),
        "mt": pack_times(game.moved_at_ms, game.created_at_ms),
    }
    item.update({name: {"B": octets} for name, octets in packed.items() if octets})
    return item


PLAYERS = "pk, w, b"
"""What to read of an item for `players_of_item`, as a projection."""


def players_of_item(item: Item) -> tuple[str, frozenset[str]]:
    """A game's id, and its players."""
    players = frozenset((text_of(item["w"]), text_of(item["b"])))
    return item["pk"]["S"].removeprefix("g#"), players


def game_of_item(item: Item) -> Game:
    """The game that an item holds. An exception means that a newer version wrote what this one has
    no word for: the queue delivers the event again, in time to a newer one.
    """
    white, black = _seat(item, "w"), _seat(item, "b")
    return Game(
        id=item["pk"]["S"].removeprefix("g#"),
        white=white,
        black=black,
        created_at_ms=int(item["c"]["N"]),
        changed_at_ms=int(item["u"]["N"]),
        start_fen=item["f"]["S"] if "f" in item else chess.STARTING_FEN,
        moves=unpack_moves(octets_of(item, "m")),
        outcome=_outcome(item),
        ended_at_ms=int(item["oa"]["N"]) if "oa" in item else None,
        white_strikes=_count(item, "ws"),
        black_strikes=_count(item, "bs"),
        applied_ids=unpack_causes(octets_of(item, "e")),
        white_refused_ids=unpack_causes(octets_of(item, "wr")),
        black_refused_ids=unpack_causes(octets_of(item, "br")),
        item_version=int(item["v"]["N"]),
        rated="r" in item,
        variant=Variant(item["va"]["S"]) if "va" in item else Variant.STANDARD,
        clocks=_clocks(item),
        state_version=_count(item, "en") or 1,
        offer=offer_of(item["of"]["S"]) if "of" in item else None,
        earlier_versions=former_of(item["fo"]["S"]) if "fo" in item else (),
        white_offered_at=int(item["wo"]["N"]) if "wo" in item else None,
        black_offered_at=int(item["bo"]["N"]) if "bo" in item else None,
        next_game_id=octets_of(item, "nx").hex() or None,
        timer_at_ms=int(item["ta"]["N"]) if "ta" in item else None,
        moved_at_ms=unpack_times(octets_of(item, "mt"), int(item["c"]["N"])),
        pending=unpack_held(item["hd"]["S"], white, black) if "hd" in item else (),
    )


def _agreement(game: Game) -> Item:
    """What the players agreed to, before the game and in it."""
    item: Item = {}
    if game.rated:
        item["r"] = {"N": "1"}
    if game.variant is not Variant.STANDARD:
        item["va"] = {"S": game.variant.value}
    if game.clocks:
        item |= {
            "tc": {"S": str(game.clocks.control)},
            "wc": {"N": str(game.clocks.white_ms)},
            "bc": {"N": str(game.clocks.black_ms)},
            "tn": {"N": str(game.clocks.since_ms)},
        }
    if game.state_version != 1:
        item["en"] = {"N": str(game.state_version)}
    if game.offer:
        item["of"] = {"S": offer_text(game.offer)}
    if game.earlier_versions:
        item["fo"] = {"S": former_text(game.earlier_versions)}
    offered = {"wo": game.white_offered_at, "bo": game.black_offered_at}
    item |= {name: {"N": str(ply)} for name, ply in offered.items() if ply is not None}
    if game.timer_at_ms is not None:
        item["ta"] = {"N": str(game.timer_at_ms)}
    if game.next_game_id:
        item["nx"] = {"B": bytes.fromhex(game.next_game_id)}
    return item


def _clocks(item: Item) -> Clocks | None:
    control = read_time(item["tc"]["S"]) if "tc" in item else None
    if control is None:
        return None
    return Clocks(control, *(int(item[name]["N"]) for name in ("wc", "bc", "tn")))


def _seat_attributes(color: str, seat: Seat) -> Item:
    attributes = {color: identity(seat.player)}
    if seat.dialect != NATIVE:
        attributes[f"{color}d"] = {"S": seat.dialect}
    if seat.address:
        attributes[f"{color}a"] = identity(seat.address)
    return attributes


def _seat(item: Item, color: str) -> Seat:
    return Seat(
        player=text_of(item[color]),
        dialect=item[f"{color}d"]["S"] if f"{color}d" in item else NATIVE,
        address=text_of(item[f"{color}a"]) if f"{color}a" in item else "",
    )


def _outcome(item: Item) -> Outcome | None:
    if "o" not in item:
        return None
    colors = {"w": WHITE, "b": BLACK}
    winner, aborted_by = (colors[item[name]["S"]] if name in item else None for name in ("x", "ab"))
    return Outcome(Termination(item["o"]["S"]), winner, aborted_by)


def _count(item: Item, name: str) -> int:
    return int(item[name]["N"]) if name in item else 0


def offer_text(offer: Offer) -> str:
    """Kind, space, ``w`` or ``b``; space and the address, if there is one."""
    return f"{offer.kind} {'w' if offer.color == WHITE else 'b'} {offer.address}".rstrip()


def offer_of(text: str) -> Offer | None:
    """What ``offer_text`` made the text of; None for an empty one."""
    kind, color, address = [*text.split(" ", 2), "", ""][:3]
    return Offer(OfferKind(kind), color == "w", address) if kind else None


def _edition_text(edition: StateVersion) -> str:
    # Of a former edition only what players saw counts, and an address might have a comma.
    offer = offer_text(replace(edition.offer, address="")) if edition.offer else ""
    return f"{edition.number},{edition.since_ms},{offer}"


def former_text(former: tuple[StateVersion, ...]) -> str:
    """Number, since, offer of each, parted by ``;``."""
    return ";".join(map(_edition_text, former))


def former_of(text: str) -> tuple[StateVersion, ...]:
    """What ``former_text`` made the text of."""
    parts = (one.split(",") for one in text.split(";"))
    return tuple(StateVersion(int(n), int(since), offer_of(offer)) for n, since, offer in parts)


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
