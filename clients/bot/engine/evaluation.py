"""The value of a position: material and squares, between middle game and endgame."""

import chess

VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 335,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 0,
}
PHASES = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
WHOLE_PHASE = 24
BISHOP_PAIR = 30
TEMPO = 10
SEVENTH = 6


def _from_centre(square: int) -> int:
    """0 in the centre, 6 in a corner."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return max(3 - file, file - 4) + max(3 - rank, rank - 4)


def _middle_game(piece: chess.PieceType, square: int) -> int:
    file, rank = chess.square_file(square), chess.square_rank(square)
    central = 3 - _from_centre(square)
    if piece == chess.PAWN:
        advanced = (0, 0, 2, 8, 16, 30, 60, 0)[rank]
        return advanced + (12 * (rank in {3, 4}) if file in {3, 4} else 0) - 4 * (file in {0, 7})
    if piece == chess.KNIGHT:
        return 10 * central
    if piece == chess.BISHOP:
        return 5 * central - 8 * (rank == 0)
    if piece == chess.ROOK:
        return 15 * (rank == SEVENTH) + 4 * (file in {3, 4})
    if piece == chess.QUEEN:
        return central
    sheltered = (20, 35, 10, -10, -10, 5, 35, 20)[file]
    return sheltered if rank == 0 else -20 * min(rank, 4)


def _endgame(piece: chess.PieceType, square: int) -> int:
    rank = chess.square_rank(square)
    central = 3 - _from_centre(square)
    if piece == chess.PAWN:
        return (0, 5, 10, 20, 40, 70, 110, 0)[rank]
    if piece == chess.KING:
        return 12 * central
    return {chess.KNIGHT: 6, chess.BISHOP: 4, chess.QUEEN: 5}.get(piece, 0) * central


def _tables(
    worth: dict[chess.PieceType, int], phase: str
) -> dict[chess.PieceType, tuple[list[int], list[int]]]:
    """For each piece, the worth of each square to Black and to White."""
    by_phase = _middle_game if phase == "middle game" else _endgame
    return {
        piece: (
            [worth[piece] + by_phase(piece, chess.square_mirror(square)) for square in range(64)],
            [worth[piece] + by_phase(piece, square) for square in range(64)],
        )
        for piece in chess.PIECE_TYPES
    }


MIDDLE_GAME = _tables(VALUES, "middle game")
ENDGAME = _tables({**VALUES, chess.PAWN: 120}, "endgame")


def evaluate(board: chess.Board) -> int:
    """Centipawns for the side to move."""
    middle, end, phase = 0, 0, 0
    sides = ((board.occupied_co[chess.WHITE], 1, 1), (board.occupied_co[chess.BLACK], 0, -1))
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for piece, mask in enumerate(pieces, start=chess.PAWN):
        for side, index, sign in sides:
            squares = mask & side
            if not squares:
                continue
            middle_table, end_table = MIDDLE_GAME[piece][index], ENDGAME[piece][index]
            count = 0
            while squares:
                lowest = squares & -squares
                square = lowest.bit_length() - 1
                middle += sign * middle_table[square]
                end += sign * end_table[square]
                squares ^= lowest
                count += 1
            phase += PHASES.get(piece, 0) * count
            if piece == chess.BISHOP and count > 1:
                middle += sign * BISHOP_PAIR
                end += sign * BISHOP_PAIR
    phase = min(phase, WHOLE_PHASE)
    score = middle * phase + end * (WHOLE_PHASE - phase)
    return (score if board.turn else -score) // WHOLE_PHASE + TEMPO
