"""The games that two requests, or an agreed rematch, make.

Id, colours and Chess960 position are an HMAC of the two under ``pairing_key``, so a request
delivered twice makes the same game, and no player can search for one that gives them White.
"""

import hmac

import chess

from arbiter.core.chain import begun
from arbiter.core.clocks import start_clocks
from arbiter.core.game import GAME_ID_BYTES, Game, Seat, Variant
from arbiter.core.seeks import Seek
from arbiter.core.terms import ColorPreference
from arbiter.core.timers import with_timer


def new_game(
    one: Seek, other: Seek, now_ms: int, pairing_key: bytes, *, from_pool: bool = False
) -> Game:
    first, second = sorted((one, other), key=lambda seek: seek.request_id)
    digest = _drawn(pairing_key, "game", first.request_id, second.request_id)
    white, black = (first, second) if digest[-1] % 2 == 0 else (second, first)
    if white.terms.color is ColorPreference.BLACK or black.terms.color is ColorPreference.WHITE:
        white, black = black, white
    terms = one.terms
    start_fen = one.terms.start_fen or other.terms.start_fen
    if start_fen is None and terms.variant is Variant.CHESS960:
        start_fen = _one_of_960(digest)
    game = Game(
        id=digest[:GAME_ID_BYTES].hex(),
        white=white.seat,
        black=black.seat,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
        start_fen=start_fen or chess.STARTING_FEN,
        rated=terms.rated,
        variant=terms.variant,
        clocks=start_clocks(terms.time, now_ms) if terms.time else None,
        pending=(white.first_move,) if white.first_move else (),
        from_pool=from_pool,
    )
    return with_timer(begun(game, one.request_id, other.request_id))


def rematch(
    game: Game, white: Seat, black: Seat, request_id: str, now_ms: int, pairing_key: bytes
) -> Game:
    """The same terms again with these seats; ``request_id`` is the event that agreed."""
    digest = _drawn(pairing_key, "rematch", game.id, request_id)
    start_fen = game.start_fen
    if game.variant is Variant.CHESS960:
        start_fen = _one_of_960(digest)
    following = Game(
        id=digest[:GAME_ID_BYTES].hex(),
        white=white,
        black=black,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
        start_fen=start_fen,
        rated=game.rated,
        variant=game.variant,
        clocks=start_clocks(game.clocks.control, now_ms) if game.clocks else None,
    )
    return with_timer(begun(following, request_id))


def _drawn(pairing_key: bytes, *parts: str) -> bytes:
    """32 bytes that only the holder of the key can predict."""
    return hmac.digest(pairing_key, ":".join(parts).encode(), "sha256")


def _one_of_960(digest: bytes) -> str:
    return chess.Board.from_chess960_pos(int.from_bytes(digest[16:24]) % 960).fen()
