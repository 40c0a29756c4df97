"""A game as an item of the table. Pure.

A game is one item that grows with every ply, and DynamoDB charges by the kilobyte: 65 plies fit
into the first one. So attribute names, which are paid for in every item, have one or two letters, a
ply takes 2 bytes, an event key 8, and a public key 32 instead of 64. The most plies that the
seventy-five-move rule allows, 17,697, with as many offers as a game can have, take 242 KB of the
400 that an item may have; 333 with a hundred pending moves of each player.

====  ==============  ========================================================================
name  game            what it is
====  ==============  ========================================================================
pk    S               ``g#`` and the game's id, 32 hex digits
s     N               the schema's version, set when the item is made
v     N               the item version, which every commit is conditional on
c u   N               created and changed, unix milliseconds
w b   B               the players, 32 bytes each
l     S               ``1`` while the game has no outcome; absent after that
wd bd S               their dialects; absent for the native one
wa ba B (S)           their reply addresses, as the players; absent when empty
wg bg BOOL            their last word came over our gateway; absent if over a relay
wn bn S               their names; absent for none
wl bl N               when they left our gateway, unix milliseconds, 0 while they are there;
                      absent for players who do not say whether they are
f     S               the FEN it started from; absent for the usual one
m     B               the moves, 16 bits each, big-endian: from square, to, promotion
o x   S               termination, and the winner (``w``, ``b``; absent: none); live: neither
oa    N               when it ended, unix milliseconds; absent in items of earlier releases
ab    S               the player to blame for an abort, as ``x``; absent: none or unknown
ws bs N               strikes; absent for none
e     B               applied event keys, 8 bytes each
wr br B               refused event keys of each player, 8 bytes each
r     N               1 for a rated game; absent for a casual one
va    S               the variant; absent for standard chess
tc    S               the time control as in a request; with the next three absent if unlimited
wc bc N               what each clock showed when the present move began, or the game ended, ms
tn    N               when it began, unix milliseconds
en    N               the state version
of    S               the open offer: kind, space, ``w`` or ``b``; for a rematch from elsewhere
                      space and the address
fo    S               earlier versions of the position: number, since, offer; separated by ``;``
wo bo N               the ply of each player's last draw offer
nx    B               the rematch's id
ta    N               when the next timer fires, unix milliseconds
mt    B               when each move was made, 5 bytes each: milliseconds since the game was made;
                      absent where no wire sends it
sp    B               seconds that each move took off its player's clock, as characters in UTF-8, a
                      byte for most; absent without live clocks
hd    S               pending commands, as JSON
fp    BOOL            the players met in a pool; absent if one chose the other
to    L               its place in a tournament: the id (S), round, board, seconds for a first move,
                      the first ply of agreed draws (N), the title (S); absent for none
ch    B               the id of the challenge that it came of, 16 bytes; absent for none
cn    B               the chain, 32 bytes; absent where the game began before there were any
fc    B               the chains of the versions in ``fo``, 32 bytes each
wi bi B               each player's conditional moves (``items/lines.py``); absent for none
vc    S               vacations: ``w`` or ``b``, since (unix ms), days, version; separated by ``;``
====  ==============  ========================================================================

Four of these are keys of indexes, as template.yaml has them: ``white`` (w, c), ``black`` (b, c) and
``live`` (l, c). DynamoDB refuses an item whose ``w``, ``b``, ``l`` or ``c`` is of another type, so
no other kind of item may use these names, and a player whose id is not 32 bytes in hex (and would
be stored as text) cannot be stored.
"""

from dataclasses import replace
from typing import Any

import chess
import orjson

from arbiter.adapters.items.attributes import (
    Item,
    dialect_of,
    identity,
    octets_of,
    pack_event_keys,
    pack_moves,
    pack_times,
    stamp,
    text_of,
    unpack_event_keys,
    unpack_moves,
    unpack_times,
)
from arbiter.adapters.items.lines import pack_lines, unpack_lines
from arbiter.core.clocks import Clocks, read_time
from arbiter.core.commands import (
    Ends,
    MakeOffer,
    MoveClaims,
    OfferKind,
    PendingCommand,
    PlayMove,
    Resign,
)
from arbiter.core.game import (
    BLACK,
    WHITE,
    Game,
    GamePlace,
    Offer,
    Outcome,
    Seat,
    StateVersion,
    Termination,
    Vacation,
    Variant,
    is_game_id,
)
from arbiter.nostr.strict_json import write_ascii

LIVE = "1"
"""The value of ``l``; the index ``live`` holds the items that have it."""

NATIVE = "native"
"""The dialect of most seats, left out of their items."""


def game_key(game_id: str) -> Item:
    """The key of a game's item. Raises ValueError for an invalid id."""
    if not is_game_id(game_id):
        raise ValueError("a game id is 32 lower-case hexadecimal digits")
    return {"pk": {"S": f"g#{game_id}"}}


def item_of_game(game: Game, before: tuple[Game, Item] | None = None) -> Item:
    """The item. ``before`` is an earlier version and its item, which has most of its moves packed.
    Raises ValueError for a move or an event key that cannot be packed.
    """
    begun = (before[0].moves, octets_of(before[1], "m")) if before else ()
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
    if game.from_pool:
        item["fp"] = {"BOOL": True}
    if game.tournament:
        item["to"] = _place(game.tournament)
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
    if game.vacations:
        item["vc"] = {"S": vacations_text(game.vacations)}
    if game.pending:
        item["hd"] = {"S": pack_pending(game.pending, game.white)}
    packed = {
        "m": pack_moves(game.moves, *begun),
        "e": pack_event_keys(game.applied_ids),
        "wr": pack_event_keys(game.white_refused_ids),
        "br": pack_event_keys(game.black_refused_ids),
        "mt": pack_times(game.moved_at_ms, game.created_at_ms),
        "sp": "".join(map(chr, game.spent_s)).encode(),
        "ch": bytes.fromhex(game.challenge or ""),
        "cn": game.chain,
        "fc": b"".join(version.chain for version in game.earlier_versions),
    }
    black, white = game.lines
    packed |= {"wi": pack_lines(white, game.ply), "bi": pack_lines(black, game.ply)}
    item.update({name: {"B": octets} for name, octets in packed.items() if octets})
    return item


PLAYERS = "pk, w, b"
"""The attributes that `players_of_item` needs, as a projection."""


def players_of_item(item: Item) -> tuple[str, frozenset[str]]:
    players = frozenset((text_of(item["w"]), text_of(item["b"])))
    return item["pk"]["S"].removeprefix("g#"), players


def game_of_item(item: Item) -> Game:
    """The game in an item. Raises for values of a later release: the event comes again."""
    white, black = _seat(item, "w"), _seat(item, "b")
    moves = unpack_moves(octets_of(item, "m"))
    return Game(
        id=item["pk"]["S"].removeprefix("g#"),
        white=white,
        black=black,
        created_at_ms=int(item["c"]["N"]),
        changed_at_ms=int(item["u"]["N"]),
        start_fen=item["f"]["S"] if "f" in item else chess.STARTING_FEN,
        moves=moves,
        outcome=_outcome(item),
        ended_at_ms=int(item["oa"]["N"]) if "oa" in item else None,
        white_strikes=_count(item, "ws"),
        black_strikes=_count(item, "bs"),
        applied_ids=unpack_event_keys(octets_of(item, "e")),
        white_refused_ids=unpack_event_keys(octets_of(item, "wr")),
        black_refused_ids=unpack_event_keys(octets_of(item, "br")),
        item_version=int(item["v"]["N"]),
        rated="r" in item,
        variant=Variant(item["va"]["S"]) if "va" in item else Variant.STANDARD,
        clocks=_clocks(item),
        state_version=_count(item, "en") or 1,
        offer=offer_of(item["of"]["S"]) if "of" in item else None,
        earlier_versions=earlier_of(item["fo"]["S"], octets_of(item, "fc")) if "fo" in item else (),
        white_offered_at=int(item["wo"]["N"]) if "wo" in item else None,
        black_offered_at=int(item["bo"]["N"]) if "bo" in item else None,
        next_game_id=octets_of(item, "nx").hex() or None,
        timer_at_ms=int(item["ta"]["N"]) if "ta" in item else None,
        moved_at_ms=unpack_times(octets_of(item, "mt"), int(item["c"]["N"])),
        spent_s=tuple(map(ord, octets_of(item, "sp").decode())),
        pending=unpack_pending(item["hd"]["S"], white, black) if "hd" in item else (),
        vacations=vacations_of(item["vc"]["S"]) if "vc" in item else (),
        from_pool="fp" in item,
        tournament=_place_of(item["to"]) if "to" in item else None,
        challenge=octets_of(item, "ch").hex() or None,
        chain=octets_of(item, "cn"),
        lines=(
            unpack_lines(octets_of(item, "bi"), len(moves)),
            unpack_lines(octets_of(item, "wi"), len(moves)),
        ),
    )


def _place(place: GamePlace) -> Item:
    numbers = (place.round, place.board, place.no_show_s, place.draws_from_ply)
    listed = [{"N": str(number)} for number in numbers]
    return {"L": [{"S": place.tournament_id}, *listed, {"S": place.title}]}


def _place_of(attribute: Item) -> GamePlace:
    tournament_id, *listed, title = attribute["L"]
    number, board, no_show_s, draws_from_ply = (int(one["N"]) for one in listed)
    return GamePlace(tournament_id["S"], number, board, no_show_s, draws_from_ply, title["S"])


def _agreement(game: Game) -> Item:
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
        item["fo"] = {"S": earlier_text(game.earlier_versions)}
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
    if seat.at_gateway:
        attributes[f"{color}g"] = {"BOOL": True}
    if seat.name:
        attributes[f"{color}n"] = {"S": seat.name}
    if seat.left_ms is not None:
        attributes[f"{color}l"] = {"N": str(seat.left_ms)}
    return attributes


def _seat(item: Item, color: str) -> Seat:
    return Seat(
        player=text_of(item[color]),
        dialect=dialect_of(item[f"{color}d"]) if f"{color}d" in item else NATIVE,
        address=text_of(item[f"{color}a"]) if f"{color}a" in item else "",
        at_gateway=f"{color}g" in item,
        name=item[f"{color}n"]["S"] if f"{color}n" in item else "",
        left_ms=int(item[f"{color}l"]["N"]) if f"{color}l" in item else None,
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
    return f"{offer.kind} {'w' if offer.color == WHITE else 'b'} {offer.address}".rstrip()


def offer_of(text: str) -> Offer | None:
    kind, color, address = [*text.split(" ", 2), "", ""][:3]
    return Offer(OfferKind(kind), color == "w", address) if kind else None


def _version_text(version: StateVersion) -> str:
    # Without the address, which players did not see and which may hold a comma.
    offer = offer_text(replace(version.offer, address="")) if version.offer else ""
    return f"{version.number},{version.since_ms},{offer}"


def earlier_text(earlier: tuple[StateVersion, ...]) -> str:
    return ";".join(map(_version_text, earlier))


def earlier_of(text: str, chains: bytes = b"") -> tuple[StateVersion, ...]:
    """The inverse of ``earlier_text``, with the ``chains`` of these versions, if they have any."""
    parts = (one.split(",") for one in text.split(";"))
    return tuple(
        StateVersion(int(n), int(since), offer_of(offer), chains[32 * at : 32 * at + 32])
        for at, (n, since, offer) in enumerate(parts)
    )


def vacations_text(vacations: tuple[Vacation, ...]) -> str:
    named = ((it, "w" if it.color == WHITE else "b") for it in vacations)
    return ";".join(f"{color},{it.since_ms},{it.days},{it.version}" for it, color in named)


def vacations_of(text: str) -> tuple[Vacation, ...]:
    parts = (one.split(",") for one in text.split(";"))
    return tuple(Vacation(color == "w", *map(int, numbers)) for color, *numbers in parts)


def pack_pending(pending: tuple[PendingCommand, ...], white: Seat) -> str:
    """The attribute's text. The author is stored as a colour."""
    return write_ascii([_packed(one, white) for one in pending])


def unpack_pending(text: str, white: Seat, black: Seat) -> tuple[PendingCommand, ...]:
    """The inverse of ``pack_pending``. Raises if a later release wrote it."""
    seats = {"w": white, "b": black}
    return tuple(
        PendingCommand(bytes.fromhex(one["id"]), _command(one, seats[one["by"]].player))
        for one in orjson.loads(text)
    )


def _packed(one: PendingCommand, white: Seat) -> dict[str, Any]:
    command = one.command
    packed = {"id": one.event_key.hex(), "by": "w" if command.player == white.player else "b"}
    match command:
        case Resign(loser=loser):
            named = {} if loser is None else {"loser": loser}
            return {**packed, "is": "resign", **named}
        case MakeOffer():
            return {**packed, "is": command.kind.value, "at": command.made_at_ms}
        case PlayMove():
            claims = command.claims or MoveClaims()
            claimed = {
                "ply": command.ply,
                "ends": command.ends.name if command.ends else None,
                "fen": claims.fen,
                "san": claims.san,
                "winner": claims.winner,
                "line": command.line,
                "draw": command.offers_draw or None,
                "made": command.made_at_ms
                if command.made_at_ms != command.received_at_ms
                else None,
            }
            return {
                **packed,
                "is": command.uci,
                "at": command.received_at_ms,
                **{name: value for name, value in claimed.items() if value is not None},
            }


def _command(one: dict[str, Any], player: str) -> PlayMove | Resign | MakeOffer:
    if one["is"] == "resign":
        return Resign(player, loser=one.get("loser"))
    if one["is"] in {kind.value for kind in OfferKind}:
        return MakeOffer(player, OfferKind(one["is"]), one["at"])
    return PlayMove(
        player=player,
        uci=one["is"],
        made_at_ms=one.get("made", one["at"]),
        received_at_ms=one["at"],
        ply=one.get("ply"),
        ends=Ends[one["ends"]] if "ends" in one else None,
        claims=MoveClaims(one.get("fen"), one.get("san"), one.get("winner")),
        line=one.get("line"),
        offers_draw=one.get("draw", False),
    )
