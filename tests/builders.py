"""Games, events and keys in one line each."""

from dataclasses import replace
from functools import cache

import chess

from arbiter.core.commands import PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import Game, Seat
from arbiter.core.replies import Decision
from arbiter.core.rules import Rules
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey

NOW_MS = 1_800_000_000_000


@cache
def a_key(name: str) -> SecretKey:
    """The key of this person; anyone can make it."""
    return SecretKey.from_hex(name.encode().hex().rjust(64, "1")[-64:])


SERVER = a_key("server")
ALICE = a_key("alice")
BOB = a_key("bob")
EVE = a_key("eve")
BRIDGE = a_key("bridge")


def a_game(fen: str = chess.STARTING_FEN) -> Game:
    """Alice has White, Bob has Black."""
    return Game(
        id="0123456789abcdef0123456789abcdef",
        white=Seat(ALICE.pubkey, "native"),
        black=Seat(BOB.pubkey, "native"),
        created_at_ms=NOW_MS,
        changed_at_ms=NOW_MS,
        start_fen=fen,
    )


def move(game: Game, uci: str, *, at_ms: int = NOW_MS) -> PlayMove:
    player = game.seat(game.turn).player
    return PlayMove(player=player, uci=uci, made_at_ms=at_ms, received_at_ms=at_ms)


def decided(game: Game, uci: str, rules: Rules | None = None) -> Decision:
    """The decision on this move by the player on turn."""
    return decide(game, move(game, uci), NOW_MS, rules or Rules())


def after(game: Game, moves: str) -> Game:
    """The game after these moves (SAN or UCI, parted by blanks), each of them decided."""
    for text in moves.split():
        board = game.board()
        try:
            uci = board.parse_san(text).uci()
        except ValueError:
            uci = text
        decision = decided(game, uci)
        assert decision.game.ply == game.ply + 1, (text, decision.replies)
        game = replace(decision.game, item_version=game.item_version + 1)
    return game


def an_event(
    key: SecretKey,
    kind: int,
    content: str = "",
    tags: tuple[tuple[str, ...], ...] = (),
    at: int = NOW_MS // 1000,
) -> VerifiedEvent:
    return key.sign(EventTemplate(kind, tags, content, at))
