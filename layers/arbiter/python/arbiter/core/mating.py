"""Whether a king could be mated on some square, by men that may stand where their spans say.

Mate takes a guard on the king's square, and on every square around it a guard or a man of the
king's own. The test asks for no more than that, and lets every man stand anywhere in its span and
see along an empty board: it never calls a mate impossible that could happen.
"""

from math import prod

import chess

from arbiter.core.mobility import Mobility, Span

_FEW = 2
"""So many mobile men are placed square by square around a king; more of them guard all they can."""

_MOST_WAYS = 1_000
"""With more ways than these to place men around a king, mate is taken to be possible there."""

_Way = tuple[int, int]
"""What one man guards of a king's square and those around it, and on which of them it stands."""

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
    """Whether some square is left where the other king could ever stand mated."""
    mobility = Mobility(board)
    attackers = mobility.men(winner)
    guarded = 0
    for attacker in attackers:
        guarded |= attacker.guards
    king = mobility.king(winner)
    blockers = [man.stands for man in mobility.men(not winner)]
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
    """What the winner's king can guard of the needed squares; less than another way is left out."""
    guards = {chess.BB_KING_ATTACKS[square] & needed for square in chess.scan_forward(squares)}
    return {(one, 0) for one in guards if not any(one != more == one | more for more in guards)}


def _ways(attacker: Span, near: int, here: int) -> set[_Way]:
    ways = {(0, 0)}
    for square in chess.scan_forward(attacker.stands & ~here):
        seen = _sight(attacker, square) & near
        if seen:
            ways.add((seen, chess.BB_SQUARES[square] & near))
    return ways


def _sight(attacker: Span, square: int) -> int:
    """What this man sees from one of its squares on an empty board."""
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
    """Whether each man has a way so that the needed squares are guarded, or blocked where the
    winner does not stand.
    """
    if not ways:
        return not needed & (stood | here) and _can_block(needed, blockers)
    return any(
        _some_way(needed & ~guards, stood | stands, ways[1:], here, blockers)
        for guards, stands in ways[0]
        if len(ways) > 1 or not needed & here & ~guards
    )


def _can_block(squares: int, blockers: list[int]) -> bool:
    """Whether each of these squares can have a blocker of its own."""
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
