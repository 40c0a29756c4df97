"""A position as an image: SVG by python-chess, and PNG.

Invariant: one position has one image, byte for byte; no fonts (coordinates are paths), no time, no
chance. python-chess uses ``style`` attributes, which a page's Content-Security-Policy would forbid;
they are rewritten as presentation attributes.
"""

import re

from arbiter.core.game import Game

SIDE_PIXELS = 600
"""Default size. A PNG of this size has about 50 KB."""

COLORS = {
    "square light": "#ecdab9",
    "square dark": "#ae8a68",
    "square light lastmove": "#d3cf7e",
    "square dark lastmove": "#a99b45",
    "margin": "#3b322b",
    "inner border": "#2a2420",
    "outer border": "#2a2420",
    "coord": "#e8dcc8",
}

_STYLE = re.compile(r' style="([^"]*)"')
_PROPERTY = re.compile(r"([a-z-]+):\s*([^;]+);?")


def board_svg(game: Game) -> str:
    """The position, White below, with the last move and a check marked."""
    # Imported with the first image: most requests need none.
    import chess.svg  # noqa: PLC0415

    board = game.board()
    svg = chess.svg.board(
        board,
        size=SIDE_PIXELS,
        lastmove=game.moves[-1] if game.moves else None,
        check=board.king(board.turn) if board.is_check() else None,
        colors=COLORS,
    )
    return _STYLE.sub(lambda style: _PROPERTY.sub(r' \1="\2"', style[1]), str(svg))


def board_png(game: Game) -> bytes:
    """The same image as a PNG."""
    # As above; and only the HTTP function's layer has this library.
    import resvg_py  # noqa: PLC0415

    return resvg_py.svg_to_bytes(svg_string=board_svg(game), skip_system_fonts=True)
