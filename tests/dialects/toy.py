"""A dialect of two kinds with moves in SAN, for the tests alone: the example to follow.

What a dialect takes, in six places, of which a toy has no page and no golden file:

1. this module, which in the product is ``dialects/<name>.py``: ``decode``, ``encode``, ``DIALECT``;
2. a line in ``dialects/registry.py``, in place of which there is ``registered`` here;
3. its page ``docs/dialects/<name>.md``, with its kinds in the list of ``docs/dialects/README.md``;
4. its cases: events in the golden file, and ``<name>_cases.py``, which ``test_golden.py`` finds;
5. its golden file, which ``GOLDEN=rewrite pytest tests/dialects`` completes;
6. its player in ``tests/application/test_one_game_on_every_wire.py``.

The wire: kind 20390 asks (``play``, ``cancel``) and is answered in the same kind (``waiting``,
``cancelled``, ``white``, ``black``, ``error: …``). Kind 20391 names its game in a ``d`` tag and
says a move as SAN and squares (``Nf3 g1f3``: the squares are played, for no game is at hand here,
and the SAN is compared), ``draw`` or ``resign``. The arbiter publishes each move in the same kind
as SAN alone, with ``ply``, and ``draw`` or ``result`` where there is one.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from arbiter.core import replies
from arbiter.core.commands import (
    Command,
    MakeOffer,
    MoveClaims,
    OfferKind,
    PlayMove,
    Resign,
    Unrecognized,
)
from arbiter.core.game import BLACK, WHITE, Game, Seat, is_game_id
from arbiter.dialects.base import (
    CancelRequests,
    Decoded,
    Dialect,
    GameCommand,
    NoSuchGame,
    ReplyContext,
    RequestToPlay,
)
from arbiter.dialects.registry import BY_KIND, DIALECTS, by_kind
from arbiter.nostr.event import EventTemplate, VerifiedEvent, all_tags

NAME = "toy"
ASK = 20390
MOVE = 20391

_MOVE = re.compile(r"([A-Za-z][A-Za-z0-9=+#-]{1,7}) ([a-h][1-8][a-h][1-8][qrbn]?)")


@contextmanager
def registered() -> Iterator[None]:
    """The arbiter speaks this dialect too."""
    with mock.patch.dict(DIALECTS, {NAME: DIALECT}), mock.patch.dict(BY_KIND, by_kind([DIALECT])):
        yield


def decode(event: VerifiedEvent, received_at_ms: int, _server: str = "") -> Decoded:
    """Read a request (20390) or what is said in a game (20391)."""
    seat = Seat(event.pubkey, NAME)
    match event.kind, event.content:
        case 20390, "play":
            return RequestToPlay(seat)
        case 20390, "cancel":
            return CancelRequests(seat)
        case 20390, _:
            return RequestToPlay(seat, flaw="say play or cancel")
        case _:
            pass
    games = {tag[1] for tag in all_tags(event, "d") if len(tag) > 1}
    if len(games) != 1 or not is_game_id(game_id := games.pop()):
        return NoSuchGame(event.pubkey, "name one game in a d tag")
    return GameCommand(game_id, _command(event, received_at_ms))


def _command(event: VerifiedEvent, received_at_ms: int) -> Command:
    player, at_ms = event.pubkey, event.created_at * 1000
    if found := _MOVE.fullmatch(event.content):
        return PlayMove(
            player=player,
            uci=found[2],
            made_at_ms=at_ms,
            received_at_ms=received_at_ms,
            claims=MoveClaims(san=found[1]),
        )
    match event.content:
        case "draw":
            return MakeOffer(player, OfferKind.DRAW, at_ms)
        case "resign":
            return Resign(player, at_ms)
        case _:
            return Unrecognized(player)


def encode(reply: replies.Reply, context: ReplyContext) -> tuple[EventTemplate, ...]:
    """Write a reply as events; none for what the wire has no word for."""
    match reply:
        case replies.Queued(seat):
            return (_event(ASK, "waiting", context, ("p", seat.player)),)
        case replies.Cancelled(seat):
            return (_event(ASK, "cancelled", context, ("p", seat.player)),)
        case replies.RequestRefused(seat, _, text):
            return (_event(ASK, f"error: {text}", context, ("p", seat.player)),)
        case replies.GameStarted(game):
            return tuple(
                _event(ASK, name, context, ("p", game.seat(color).player), ("d", game.id))
                for color, name in ((WHITE, "white"), (BLACK, "black"))
                if color in context.colors
            )
        case (
            replies.MovePlayed(game)
            | replies.GameChanged(game)
            | replies.GameEnded(game)
            | replies.StateShown(game)
        ):
            return (_state(game, context),)
        case replies.Rejected(author, _, text, game):
            tags = (("p", author), *((("d", game.id),) if game else ()))
            return (_event(MOVE, f"error: {text}", context, *tags),)
        case _:
            return ()


def _state(game: Game, context: ReplyContext) -> EventTemplate:
    board = game.board().copy(stack=1)
    san = board.san(board.pop()) if board.move_stack else ""
    players = (("p", game.white.player), ("p", game.black.player))
    offered = (("draw", "white" if game.offer.color else "black"),) if game.offer else ()
    ended = (("result", game.result),) if game.outcome else ()
    tags = (("d", game.id), *players, ("ply", str(game.ply)), *offered, *ended)
    return _event(MOVE, san, context, *tags)


def _event(kind: int, text: str, context: ReplyContext, *tags: tuple[str, ...]) -> EventTemplate:
    return EventTemplate(kind, tags, text, context.at)


DIALECT = Dialect(
    name=NAME, kinds=frozenset({ASK, MOVE}), seeks=frozenset({ASK}), decode=decode, encode=encode
)
