"""Laws that hold after any input, checked by other eyes than the arbiter's."""

import json

import chess

from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.adapters.items.lobby import (
    challenge_of_item,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_of_item,
    pool_of_item,
)
from arbiter.core.game import Game, Variant
from arbiter.dialects.chat import CHAT_KINDS, PLAYERS_CHAT, clean
from arbiter.nostr.event import VerifiedEvent, event_to_json, parse_event, verify
from tests.hostile.scenario import MARK, Scenario

_ITEM_BYTES = 400_000
"""DynamoDB's limit is 400 KiB."""


def check(scenario: Scenario) -> None:
    """Everything stored can be stored and is legal; everything said is signed, and is ours."""
    world = scenario.world
    for game in world.games.by_id.values():
        _check_game(game)
    lobby, now_ms = world.lobby, world.clock.ms
    for player in lobby.players.values():
        assert player_of_item(item_of_player(player, now_ms)) == player
    for pool in lobby.pools.values():
        assert pool_of_item(item_of_pool(pool)) == pool
    for challenge in lobby.challenges.values():
        assert challenge_of_item(item_of_challenge(challenge)) == challenge
    for event in world.publisher.taken_events:
        _check_said(event, world.deps.server)


def _check_game(game: Game) -> None:
    item = item_of_game(game)
    assert game_of_item(item) == game
    assert len(str(item)) < _ITEM_BYTES
    board = chess.Board(game.start_fen, chess960=game.variant is Variant.CHESS960)
    assert board.is_valid()
    for move in game.moves:
        assert move in board.legal_moves, (game.start_fen, game.moves)
        board.push(move)
    assert game.outcome is not None or not board.is_checkmate()


def _check_said(event: VerifiedEvent, server: str) -> None:
    text = json.dumps(event_to_json(event))
    if event.kind in CHAT_KINDS:
        # Carried from another wire, under our name: clean and short.
        assert event.kind == PLAYERS_CHAT or clean(event.content) == event.content
    elif not event.content.startswith("error:bad-terms: "):
        # The author of a term that cannot be read is sent the beginning of its value.
        assert MARK not in text
    read = parse_event(text)
    assert verify(read) == event  # type: ignore[arg-type]
    assert event.pubkey == server
