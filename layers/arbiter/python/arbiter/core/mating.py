"""Whether a king could be mated on some square, given where each piece may ever stand.

A mate needs the king's square guarded, and every square around it guarded or occupied by the king's
own side. The test asks for no more and lets each piece stand anywhere in its span with an empty
board between, so it never rules out a mate that can happen.
"""

from math import prod

import chess

from arbiter.core.mobility import Mobility, Span

_FEW = 2
"""Up to so many mobile pieces are placed square by square around a king; more are taken to guard
all they can.
"""

_MOST_WAYS = 1_000
"""With more placements than this around a king, a mate is taken to be possible."""

_Way = tuple[int, int]
"""What one piece guards of a king's square and its ring, and its own square if it is among them."""

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
    """Whether there is a square on which the other king could ever be mated."""
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
    return prod(len(one) for one in ways) > _MOST_WAYS or _some_way(needed, 0, ways, here, blockers)


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
    """What this piece sees from one of its squares on an empty board."""
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
    """Whether the pieces can be placed so that every needed square is guarded, or blocked where the
    winner has no piece.
    """
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
