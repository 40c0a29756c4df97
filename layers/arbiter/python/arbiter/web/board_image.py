"""A position as a picture: SVG by python-chess, and PNG for those who show no SVG.

The law: **one position, one picture, to the byte.** Nothing of the machine goes in: no fonts (the
coordinates are paths), no time, no chance.

python-chess colours some pieces by ``style`` attributes, which a page's Content-Security-Policy
would have to allow for all that stands in it. Each of them is a presentation attribute as well, and
is written so here.
"""

import re

from arbiter.core.game import Game

SIDE_PIXELS = 600
"""What a picture measures, unless its viewer scales it. A PNG of this size is some 50 KB."""

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
    """The position on the board, White below, with the last move and a check marked."""
    # Imported at the first picture: most requests are for none.
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
    """The same picture as a PNG, 600 pixels wide and high."""
    # As above, and the library is in the HTTP function's own layer alone.
    import resvg_py  # noqa: PLC0415

    return resvg_py.svg_to_bytes(svg_string=board_svg(game), skip_system_fonts=True)
