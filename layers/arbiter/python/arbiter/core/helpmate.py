"""Whether a side could checkmate by any possible series of legal moves (FIDE 6.9, 7.5.5).

A best-first search through the positions that both sides together can reach, pruned where
``mating`` rules out a mate. It finds a mate, or exhausts the positions (no mate is possible), or
reaches its bound; then the side counts as able to mate, for no game is drawn without a proof.
Repetition and the fifty- and seventy-five-move rules do not count: the article asks for legal moves
only.

After Miguel Ambrona, "A Practical Algorithm for Chess Unwinnability" (FUN 2022).
"""

from enum import Enum
from functools import lru_cache
from heapq import heappop, heappush

import chess

from arbiter.core.mating import allows_mate

MOVES = 8_000
"""The bound of a search, in moves tried: about 200 ms. A bound in time could judge one position in
two ways.
"""

_LOOK = 40
"""The cost of one mobility check, in moves tried."""

_FIRST_LOOKS = 12
_LOOKS_PER_PROOF = 4
_POSITIONS_PER_LOOK = 100
"""How often the search checks mobility: at the first positions, more often after a check has pruned
something, and now and then.
"""

_Key = tuple[int, ...]


class Verdict(Enum):
    """The result of a search."""

    MATE = "mate found"
    NO_MATE = "no mate possible"
    UNDECIDED = "undecided"


def can_mate(board: chess.Board, winner: chess.Color) -> bool:
    """Whether this side could mate, as far as a bounded search can tell. False is proved."""
    if board.has_insufficient_material(winner):
        return False
    fen = board.fen(shredder=board.chess960, en_passant="fen")
    # The halfmove clock and move number do not affect what can be reached.
    return _judged(" ".join(fen.split()[:4]), board.chess960, winner) is not Verdict.NO_MATE


def is_dead_wall(board: chess.Board) -> bool:
    """Whether locked pawns leave neither side a mate: a dead position (FIDE 5.2.2). Asked after
    every move, so it checks only positions where each white pawn is blocked by a black one, and
    never searches.
    """
    white, black = (board.pawns & board.occupied_co[color] for color in (chess.WHITE, chess.BLACK))
    if not white or white << 8 != black:
        return False
    return not any(allows_mate(board, color) for color in (chess.WHITE, chess.BLACK))


@lru_cache(maxsize=64)
def _judged(epd: str, chess960: bool, winner: chess.Color) -> Verdict:  # noqa: FBT001 - part of a key
    """Cached: a timeout is judged again on a redelivery or after a conflict."""
    return judge(chess.Board(f"{epd} 0 1", chess960=chess960), winner)


def judge(board: chess.Board, winner: chess.Color, moves: int = MOVES) -> Verdict:
    """The result of a search that tries at most ``moves`` moves."""
    start = board.copy(stack=False)
    if start.is_checkmate():
        return Verdict.NO_MATE if start.turn == winner else Verdict.MATE
    if not _may_mate(start, winner):
        return Verdict.NO_MATE
    return _search(start, winner, moves)


def _may_mate(board: chess.Board, winner: chess.Color) -> bool:
    return not board.has_insufficient_material(winner) and allows_mate(board, winner)


def _search(start: chess.Board, winner: chess.Color, moves: int) -> Verdict:
    seen = {_key(start)}
    # Among equals the newest comes first: following one line finds long mates sooner.
    waiting = [(0, 0, start)]
    looks = proofs = 0
    while waiting:
        board = heappop(waiting)[2]
        for move in board.generate_legal_moves():
            moves -= 1
            if moves < 0:
                return Verdict.UNDECIDED
            after = board.copy(stack=False)
            after.push(move)
            key = _key(after)
            if key in seen:
                continue
            seen.add(key)
            if after.turn != winner and after.is_checkmate():
                return Verdict.MATE
            if after.has_insufficient_material(winner):
                continue
            if looks < _FIRST_LOOKS + _LOOKS_PER_PROOF * proofs + len(seen) // _POSITIONS_PER_LOOK:
                looks += 1
                moves -= _LOOK
                if not allows_mate(after, winner):
                    proofs += 1
                    continue
            heappush(waiting, (_distance(after, winner), -len(seen), after))
    return Verdict.NO_MATE


def _key(board: chess.Board) -> _Key:
    """What makes two positions equal: pieces, turn, castling rights and en passant."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.castling_rights,
        board.ep_square or 0,
    )


def _distance(board: chess.Board, winner: chess.Color) -> int:
    """A heuristic distance to mate. It only orders the search; the weights are those that found
    mates soonest in games lost on time.
    """
    own, enemy = board.occupied_co[winner], board.occupied_co[not winner]
    mated, mating = (board.kings & enemy).bit_length() - 1, (board.kings & own).bit_length() - 1
    flights = sum(
        not board.attackers_mask(winner, square)
        for square in chess.scan_forward(chess.BB_KING_ATTACKS[mated] & ~enemy)
    )
    file, rank = chess.square_file(mated), chess.square_rank(mated)
    from_corner = min(file, 7 - file) + min(rank, 7 - rank)
    heavy = (board.queens | board.rooks) & own
    distance = (
        3 * flights
        + 2 * from_corner
        + 3 * chess.square_distance(mated, mating)
        + 4 * chess.popcount(enemy)
        - 3 * chess.popcount(heavy)
    )
    if heavy:
        return distance
    pawns = board.pawns & own
    if not pawns:
        return distance + 24 - 6 * chess.popcount(own ^ board.kings & own)
    foremost = 7 - (chess.msb(pawns) >> 3) if winner else chess.lsb(pawns) >> 3
    return distance + 8 + 2 * foremost
