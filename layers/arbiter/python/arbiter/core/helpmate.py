"""Whether a side could checkmate by any possible series of legal moves (FIDE 6.9, 7.5.5).

A best-first search through the positions that both sides together can reach, pruned by
`allows_mate`. It finds a mate, or exhausts the positions, or reaches its bound; then the side
counts as able to mate, for no game is drawn without a proof. Repetition and move counts do not
count. After Miguel Ambrona, "A Practical Algorithm for Chess Unwinnability" (FUN 2022).
"""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from heapq import heappop, heappush
from math import prod

import chess

from arbiter.core.mobility import Mobility, Span

MOVES = 8_000
"""The bound of a search, in moves tried, some 200 ms: time could judge in two ways."""

_LOOK = 40
"""The cost of one mobility check, in moves tried."""

_FIRST_LOOKS = 12
_LOOKS_PER_PROOF = 4
_POSITIONS_PER_LOOK = 100
"""Positions between two checks of mobility, but at first and after pruning."""

_Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """A position as far as a search goes by it, and the side that is to mate."""

    epd: str
    chess960: bool
    winner: chess.Color


class SearchResult(Enum):
    """The result of a search."""

    MATE = "mate found"
    NO_MATE = "no mate possible"
    UNDECIDED = "undecided"


def can_mate(board: chess.Board, winner: chess.Color) -> bool:
    """Whether this side could mate, as far as a bounded search can tell. False is proved."""
    return search_position(position_of(board, winner)) is not SearchResult.NO_MATE


def position_of(board: chess.Board, winner: chess.Color) -> Position:
    """The position on this board, without halfmove clock and move number."""
    fen = board.fen(shredder=board.chess960, en_passant="fen")
    return Position(" ".join(fen.split()[:4]), board.chess960, winner)


def is_dead_wall(board: chess.Board) -> bool:
    """Whether locked pawns leave neither side a mate (FIDE 5.2.2). Asked after every move, so it
    looks only where each white pawn is blocked by a black one, and never searches.
    """
    white, black = (board.pawns & board.occupied_co[color] for color in (chess.WHITE, chess.BLACK))
    if not white or white << 8 != black:
        return False
    return not any(allows_mate(board, color) for color in (chess.WHITE, chess.BLACK))


@lru_cache(maxsize=64)
def search_position(position: Position, moves: int = MOVES) -> SearchResult:
    """As `search_mate`. Cached: a timeout is judged again on a redelivery or after a conflict."""
    board = chess.Board(f"{position.epd} 0 1", chess960=position.chess960)
    return search_mate(board, position.winner, moves)


def search_mate(board: chess.Board, winner: chess.Color, moves: int = MOVES) -> SearchResult:
    start = board.copy(stack=False)
    if start.has_insufficient_material(winner):
        return SearchResult.NO_MATE
    if start.is_checkmate():
        return SearchResult.NO_MATE if start.turn == winner else SearchResult.MATE
    if not _may_mate(start, winner):
        return SearchResult.NO_MATE
    return _search(start, winner, moves)


def _may_mate(board: chess.Board, winner: chess.Color) -> bool:
    return not board.has_insufficient_material(winner) and allows_mate(board, winner)


def _search(start: chess.Board, winner: chess.Color, moves: int) -> SearchResult:
    seen = {_key(start)}
    # Among equals the newest comes first: following one line finds long mates sooner.
    waiting = [(0, 0, start)]
    looks = proofs = 0
    while waiting:
        board = heappop(waiting)[2]
        for move in board.generate_legal_moves():
            moves -= 1
            if moves < 0:
                return SearchResult.UNDECIDED
            after = board.copy(stack=False)
            after.push(move)
            key = _key(after)
            if key in seen:
                continue
            seen.add(key)
            if after.turn != winner and after.is_checkmate():
                return SearchResult.MATE
            if after.has_insufficient_material(winner):
                continue
            if looks < _FIRST_LOOKS + _LOOKS_PER_PROOF * proofs + len(seen) // _POSITIONS_PER_LOOK:
                looks += 1
                moves -= _LOOK
                if not allows_mate(after, winner):
                    proofs += 1
                    continue
            heappush(waiting, (_distance(after, winner), -len(seen), after))
    return SearchResult.NO_MATE


def _key(board: chess.Board) -> _Key:
    """The values by which two positions are equal: pieces, turn, castling rights and en passant."""
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
    """A heuristic distance to mate, to order the search; weights found mates soonest."""
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


_FEW = 2
"""Up to so many mobile pieces are placed square by square; more may guard all they can."""

_MAX_WAYS = 1_000
"""With more placements than this around a king, a mate is taken to be possible."""

_Way = tuple[int, int]
"""The squares that a piece guards of a king's square and its ring, and its own among them."""

_LINES = {
    chess.KNIGHT: list(chess.BB_KNIGHT_ATTACKS),
    chess.BISHOP: [masks[0] for masks in chess.BB_DIAG_ATTACKS],
    chess.ROOK: [
        rank[0] | file[0]
        for rank, file in zip(chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS, strict=True)
    ],
}
_LINES[chess.QUEEN] = [
    bishop | rook for bishop, rook in zip(_LINES[chess.BISHOP], _LINES[chess.ROOK], strict=True)
]


def allows_mate(board: chess.Board, winner: chess.Color) -> bool:
    """Whether there is a square on which the other king could ever be mated: it and all around it
    guarded, or occupied by its own side. Each piece may be anywhere in its span on an empty board.
    """
    mobility = Mobility(board)
    attackers = mobility.men(winner)
    guarded = 0
    for attacker in attackers:
        guarded |= attacker.guards
    king = mobility.king(winner)
    blockers = [man.squares for man in mobility.men(not winner)]
    return any(
        _mate_on(square, king, attackers, blockers)
        for square in chess.scan_forward(mobility.king(not winner) & guarded)
    )


def _mate_on(square: int, king: int, attackers: list[Span], blockers: list[int]) -> bool:
    ring, here = chess.BB_KING_ATTACKS[square], chess.BB_SQUARES[square]
    near = ring | here
    guarded = together = 0
    mobile = []
    for attacker in attackers:
        if attacker.is_fixed:
            guarded |= attacker.guards
        elif attacker.guards & near:
            mobile.append(attacker)
            together |= attacker.guards
    needed = near & ~guarded
    kings = _king_ways(king & ~near, needed)
    if not _some_way(needed, 0, [kings, {(together, 0)}], here, blockers):
        return False
    if len(mobile) > _FEW:
        return True
    ways = [kings, *(_ways(attacker, near, here) for attacker in mobile)]
    return prod(len(one) for one in ways) > _MAX_WAYS or _some_way(needed, 0, ways, here, blockers)


def _king_ways(squares: int, needed: int) -> set[_Way]:
    """The maximal sets of needed squares that the winner's king can guard."""
    guards = {chess.BB_KING_ATTACKS[square] & needed for square in chess.scan_forward(squares)}
    return {(one, 0) for one in guards if not any(one != more == one | more for more in guards)}


def _ways(attacker: Span, near: int, here: int) -> set[_Way]:
    ways = {(0, 0)}
    for square in chess.scan_forward(attacker.squares & ~here):
        seen = _sight(attacker, square) & near
        if seen:
            ways.add((seen, chess.BB_SQUARES[square] & near))
    return ways


def _sight(attacker: Span, square: int) -> int:
    """Squares that this piece sees from one of its squares on an empty board."""
    at = chess.BB_SQUARES[square]
    seen = 0
    if attacker.reach & at:
        seen = (
            chess.BB_PAWN_ATTACKS[attacker.color][square]
            if attacker.kind == chess.PAWN
            else _LINES[attacker.kind][square]
        )
    if attacker.promoted & at:
        seen |= _LINES[chess.QUEEN][square] | _LINES[chess.KNIGHT][square]
    return seen


def _some_way(
    needed: int, stood: int, ways: list[set[_Way]], here: int, blockers: list[int]
) -> bool:
    """Whether every needed square can be guarded, or blocked where the winner has no piece."""
    if not ways:
        return not needed & (stood | here) and _can_block(needed, blockers)
    return any(
        _some_way(needed & ~guards, stood | square, ways[1:], here, blockers)
        for guards, square in ways[0]
        if len(ways) > 1 or not needed & here & ~guards
    )


def _can_block(squares: int, blockers: list[int]) -> bool:
    """Whether each of these squares can have a blocker of its own: bipartite matching."""
    placed: dict[int, int] = {}

    def place(square: int, tried: set[int]) -> bool:
        for number, span in enumerate(blockers):
            if span & square and number not in tried:
                tried.add(number)
                if number not in placed or place(placed[number], tried):
                    placed[number] = square
                    return True
        return False

    return all(place(chess.BB_SQUARES[square], set()) for square in chess.scan_forward(squares))
