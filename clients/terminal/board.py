"""The board as text; last move and check are marked by colours, or by brackets and plus signs."""

from dataclasses import dataclass

import chess

from clients.terminal.text import fit, to_ascii

_TEXT_STYLE = "\ufe0e"
"""Without this, many fonts draw U+265F as an emoji, two cells wide and in its own colour."""

_SOLID = {
    chess.PAWN: "♟" + _TEXT_STYLE,
    chess.KNIGHT: "♞",
    chess.BISHOP: "♝",
    chess.ROOK: "♜",
    chess.QUEEN: "♛",
    chess.KING: "♚",
}
_OUTLINED = {
    chess.PAWN: "♙",
    chess.KNIGHT: "♘",
    chess.BISHOP: "♗",
    chess.ROOK: "♖",
    chess.QUEEN: "♕",
    chess.KING: "♔",
}

RESET = "\x1b[0m"
_LIGHT, _DARK = 67, 24
_LIGHT_MOVED, _DARK_MOVED = 136, 94
_CHECK = 160
_WHITE_PIECE, _BLACK_PIECE = 231, 16
"""Numbers of the 256-colour palette: pieces have a contrast of 3 to 1 on every square."""

_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_AT_FIRST = {chess.PAWN: 8, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 2, chess.QUEEN: 1}


@dataclass(frozen=True, slots=True)
class Style:
    """The abilities of the terminal."""

    color: bool
    unicode: bool

    def text(self, text: str) -> str:
        """The text in letters that the terminal has."""
        return text if self.unicode else to_ascii(text)

    def fit(self, text: str, room: int) -> str:
        """The text in these letters, cut where it takes more than ``room`` columns."""
        return fit(self.text(text), room, self.text("…"))

    def dim(self, text: str) -> str:
        """Dimmed text, where there is colour."""
        return f"\x1b[2m{text}{RESET}" if self.color else text

    def bold(self, text: str) -> str:
        """Bold text, where there is colour."""
        return f"\x1b[1m{text}{RESET}" if self.color else text


def board_lines(board: chess.Board, side: chess.Color, style: Style) -> list[str]:
    """Eight ranks and the files under them, ``side`` at the bottom."""
    ranks = range(7, -1, -1) if side == chess.WHITE else range(8)
    files = range(8) if side == chess.WHITE else range(7, -1, -1)
    checked = board.king(board.turn) if board.is_check() else None
    last = board.move_stack[-1] if board.move_stack else None
    moved = {last.from_square, last.to_square} if last else set()
    lines = []
    for rank in ranks:
        squares = "".join(
            _square(board, chess.square(file, rank), style, moved=moved, checked=checked)
            for file in files
        )
        lines.append(f" {rank + 1} {squares}{RESET if style.color else ''} ")
    letters = "".join(f" {'abcdefgh'[file]} " for file in files)
    return [*lines, f"   {letters} "]


def captured(board: chess.Board, by: chess.Color, style: Style) -> str:
    """The pieces that ``by`` has captured, and their lead in pawns, if any."""
    taken = _missing(board, not by)
    glyphs = "".join(
        _glyph(chess.Piece(kind, not by), style, outlined=by == chess.BLACK) * taken[kind]
        for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
    )
    lead = sum(
        value * (len(board.pieces(kind, by)) - len(board.pieces(kind, not by)))
        for kind, value in _VALUES.items()
    )
    return f"{glyphs} +{lead}".strip() if lead > 0 else glyphs


def _square(
    board: chess.Board, square: chess.Square, style: Style, *, moved: set[int], checked: int | None
) -> str:
    piece = board.piece_at(square)
    light = (chess.square_file(square) + chess.square_rank(square)) % 2 == 1
    if not style.color:
        empty = " " if light else ("·" if style.unicode else ".")
        shown = _glyph(piece, style, outlined=piece.color) if piece else empty
        if square == checked:
            return f"+{shown}+"
        return f"[{shown}]" if square in moved else f" {shown} "
    if square == checked:
        ground = _CHECK
    elif square in moved:
        ground = _LIGHT_MOVED if light else _DARK_MOVED
    else:
        ground = _LIGHT if light else _DARK
    if piece is None:
        return f"\x1b[48;5;{ground}m   "
    ink = _WHITE_PIECE if piece.color == chess.WHITE else _BLACK_PIECE
    return f"\x1b[48;5;{ground};38;5;{ink};1m {_glyph(piece, style, outlined=False)} "


def _glyph(piece: chess.Piece, style: Style, *, outlined: bool) -> str:
    if not style.unicode:
        return piece.symbol()
    return (_OUTLINED if outlined else _SOLID)[piece.piece_type]


def _missing(board: chess.Board, color: chess.Color) -> dict[int, int]:
    """The captured pieces of one colour; a promoted pawn was not captured."""
    counts = {kind: len(board.pieces(kind, color)) for kind in _AT_FIRST}
    promoted = sum(
        max(0, counts[kind] - number) for kind, number in _AT_FIRST.items() if kind != chess.PAWN
    )
    missing = {kind: max(0, number - counts[kind]) for kind, number in _AT_FIRST.items()}
    return missing | {chess.PAWN: max(0, missing[chess.PAWN] - promoted)}
