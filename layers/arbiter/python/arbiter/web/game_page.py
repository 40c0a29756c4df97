"""The page of a game, with Open Graph data for link previews, and its position as an image.

Invariant: one position has one image, byte for byte: no fonts, no time. python-chess's ``style``
attributes, which a Content-Security-Policy would forbid, become presentation attributes.
"""

import re
from html import escape

import chess

from arbiter.application.queries import ClocksNow, GameWithRatings
from arbiter.core.clocks import DAY_MS
from arbiter.core.game import BLACK, WHITE, Game
from arbiter.web import pages
from arbiter.web.views import moves_of

REFRESH_SECONDS = 5
"""Time between reloads of the page of a live game; a CDN can answer."""


def game_page(found: GameWithRatings, where: pages.Where, clocks: ClocksNow | None = None) -> str:
    game = found.game
    main = (
        f'<div class="board">{board_svg(game)}</div>\n'
        '<div class="text">\n<section class="card">\n'
        f"<h1>{escape(pages.standing_text(game))}</h1>\n"
        f'<p class="about">{escape(pages.about_text(game))}</p>\n{_players(found, where, clocks)}'
        f"{_clock_text(game, clocks) if clocks else ''}{_links(game, where)}</section>\n"
        f"{pages.card('Moves', _moves(game))}</div>\n"
        f"<footer>{escape(where.name)} pairs chess players, checks every move, publishes every "
        f"game. <code>{escape(game.fen())}</code></footer>\n"
    )
    return pages.page(where, _title(game), main, head=_head(game, where), is_wide=True)


EMBED_STYLE = """
.embed main{padding:.5rem;gap:.5rem;max-width:28rem}.embed .board{position:static}
""".strip()
"""After the common style, where others frame the board."""


def embedded_board(game: Game, where: pages.Where) -> str:
    """The board for the pages of others, which reloads itself while the game goes on."""
    there = f'href="{where.root}g/{game.id}" target="_blank" rel="noopener"'
    main = (
        f'<div class="board">{board_svg(game)}</div>\n'
        f"<p><a {there}>{escape(_title(game))}</a><br>\n"
        f'<span class="about">{escape(pages.standing_text(game))}</span></p>\n'
    )
    head = _refresh(game)
    return pages.page(where, _title(game), main, head=head, style=EMBED_STYLE, kind="embed")


def proof_page(game: Game, where: pages.Where, script: str, relay: str) -> str:
    """The page on which this ``script`` checks the transcript, with ``relay``'s note."""
    transcript = f"{where.root}games/{game.id}/transcript"
    main = pages.card(
        "Proof",
        f"<p>{escape(pages.standing_text(game))}. Your browser checks what the players signed, and "
        "believes the arbiter nothing but its signature.</p>\n"
        f'<ul id="found" aria-live="polite" data-game="{game.id}" data-relay="{escape(relay)}" '
        f'data-transcript="{transcript}"><li>Checking …</li></ul>\n'
        f'<p class="links"><a href="{transcript}">Transcript</a>\n'
        f'<a href="{where.root}g/{game.id}">Game</a></p>\n'
        f"<p>Without a browser: <code>arbiter verify {escape(where.base)}/g/{game.id}</code></p>\n",
        1,
    )
    head = f'<script type="module" src="{where.root}{escape(script)}"></script>\n'
    return pages.page(where, f"Proof of {_title(game)}", main, head=head)


def _title(game: Game) -> str:
    return f"{pages.name_of(game.white)} against {pages.name_of(game.black)}"


def _head(game: Game, where: pages.Where) -> str:
    text = f"{pages.standing_text(game)}. {pages.about_text(game)}."
    url, picture = f"{where.base}/g/{game.id}", f"{where.base}/games/{game.id}/board.png"
    # Open Graph: "og:image:alt - A description of what is in the image (not a caption)."
    graph = {
        "og:type": "website",
        "og:site_name": where.name,
        "og:title": _title(game),
        "og:description": text,
        "og:url": url,
        # Chat clients cache an image by its URL, so each position has its own.
        "og:image": f"{picture}?v={game.item_version}",
        "og:image:type": "image/png",
        "og:image:width": str(SIDE_PIXELS),
        "og:image:height": str(SIDE_PIXELS),
        "og:image:alt": f"The board after {pages.about_text(game).rpartition(' · ')[2]}",
    }
    return (
        _refresh(game) + f'<meta name="description" content="{escape(text)}">\n'
        '<meta name="twitter:card" content="summary">\n'
        + "".join(
            f'<meta property="{name}" content="{escape(value)}">\n' for name, value in graph.items()
        )
        + f'<link rel="canonical" href="{escape(url)}">\n'
    )


def _refresh(game: Game) -> str:
    refresh = f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">\n'
    return refresh if game.outcome is None else ""


def _players(found: GameWithRatings, where: pages.Where, clocks: ClocksNow | None) -> str:
    rows = "".join(_player(found, color, where, clocks) for color in (WHITE, BLACK))
    return f'<ul class="players">\n{rows}</ul>\n'


def _player(
    found: GameWithRatings, color: chess.Color, where: pages.Where, clocks: ClocksNow | None
) -> str:
    game, seat = found.game, found.game.seat(color)
    left = ""
    if clocks:
        left = _left(clocks.white_ms if color == WHITE else clocks.black_ms)
    to_move = game.outcome is None and game.turn == color
    disc = '<span class="disc to-move"></span>' if to_move else '<span class="disc"></span>'
    side, player = pages.color_text(color), pages.player_link(seat, where)
    return (
        f'<li class="{side.lower()}">{disc}<span><small>{side}</small> {player}'
        f"{_rating(found, color)}</span><b>{left}</b></li>\n"
    )


def _rating(found: GameWithRatings, color: chess.Color) -> str:
    if not found.rated:
        return ""
    before, after = found.rated.white if color == WHITE else found.rated.black
    old, new = round(before.rating.value), round(after.rating.value)
    return f"<small>{old} → {new}</small>"


def _left(left_ms: int) -> str:
    """Remaining time, machine-readable as a duration in whole seconds."""
    seconds = left_ms // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    days, hours = divmod(hours, 24)
    if days:
        shown = f"{days}d {hours}h"
    elif hours:
        shown = f"{hours}:{minutes:02}:{seconds % 60:02}"
    else:
        shown = f"{minutes}:{seconds % 60:02}"
    return f'<time datetime="PT{seconds}S">{shown}</time>'


def _clock_text(game: Game, clocks: ClocksNow) -> str:
    """When the side to move loses on time, and when that was computed; empty after the end."""
    if clocks.deadline_ms is None:
        return ""
    is_far = clocks.deadline_ms - clocks.at_ms > DAY_MS // 2
    shown = "%Y-%m-%d %H:%M UTC" if is_far else "%H:%M:%S UTC"
    side, deadline = pages.color_text(game.turn), pages.moment(clocks.deadline_ms, shown)
    if clocks.is_running:
        text = f"{side}'s time ends at {deadline}."
    else:
        text = f"The clocks start after the first moves. {side}'s is due by {deadline}."
    if clocks.is_paused:
        text = f"No relay can be reached, so the clock is paused. {text}"
    return f'<p class="about">{text} As of {pages.moment(clocks.at_ms)}.</p>\n'


def _links(game: Game, where: pages.Where) -> str:
    links = {"Board": f"#/game/{game.id}"} if where.has_client else {}
    links |= {
        "PGN": f"games/{game.id}.pgn",
        "JSON": f"games/{game.id}",
        "SVG": f"games/{game.id}/board.svg",
        "PNG": f"games/{game.id}/board.png",
        "To embed": f"g/{game.id}/embed",
    }
    if game.outcome is not None and where.has_client:
        links["Proof"] = f"g/{game.id}/proof"
    if game.next_game_id:
        links["Rematch"] = f"g/{game.next_game_id}"
    rows = "".join(
        f'<a href="{where.root}{escape(path)}">{name}</a>\n' for name, path in links.items()
    )
    return f'<p class="links">{rows}</p>\n'


def _moves(game: Game) -> str:
    sans = [escape(san) for _, san in moves_of(game)]
    if not sans:
        return "<p>None yet.</p>\n"
    if game.mover(0) == BLACK:
        sans.insert(0, "…")
    start = chess.Board(game.start_fen).fullmove_number
    pairs = (sans[at : at + 2] for at in range(0, len(sans), 2))
    rows = "".join(
        f"<li>{' '.join(f'<span>{san}</span>' for san in pair)}</li>\n" for pair in pairs
    )
    return f'<ol class="moves" start="{start}">\n{rows}</ol>\n'


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
    # As above; and only the HTTP function's layer has this library.
    import resvg_py  # noqa: PLC0415

    return resvg_py.svg_to_bytes(svg_string=board_svg(game), skip_system_fonts=True)
