"""The page of a game, for people and for those who preview links. No JavaScript anywhere.

The law: **whatever is not our own text is escaped where it is put in**, and the page's
Content-Security-Policy allows one stylesheet, by its hash, and nothing else: a mistake in the first
rule would still run nothing and load nothing.
"""

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from html import escape

import chess

from arbiter.application.reading import Reading, feed_of, is_browser
from arbiter.core.model import BLACK, WHITE, Game, Outcome, Seat, Termination, Variant
from arbiter.core.timing import DAY_MS, TimeControl
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.board_image import SIDE_PIXELS, board_svg
from arbiter.web.views import moves_of

MINUTE_MS = 60_000

REFRESH_SECONDS = 5
"""How often the page of a live game asks for itself again, which costs a CDN's answer."""

STYLE = """
:root{color-scheme:light dark;--ink:#2a2420;--soft:#6b5f56;--paper:#f7f3ec;--card:#fff;
--line:#e2d8ca;--accent:#8a5a2b}
@media(prefers-color-scheme:dark){:root{--ink:#efe8de;--soft:#b3a698;--paper:#1e1a17;
--card:#292420;--line:#40372f;--accent:#d9a066}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:68rem;margin:0 auto;padding:1rem;display:grid;gap:1.25rem}
.board svg{display:block;width:100%;height:auto;border-radius:6px}
h1{font-size:1.35rem;line-height:1.25;margin:0}
p{margin:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem}
.about{color:var(--soft);font-size:.9rem}
.players{display:grid;gap:.6rem;padding:0;margin:1rem 0;list-style:none}
.players li{display:flex;align-items:center;gap:.6rem}
.players small{display:block;color:var(--soft)}
.players b{margin-left:auto;font-variant-numeric:tabular-nums}
.disc{width:1rem;height:1rem;border-radius:50%;border:1px solid var(--soft);flex:none}
.white .disc{background:#fff}.black .disc{background:#000}
.to-move{outline:2px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
code{font-size:.85em;overflow-wrap:anywhere}
.moves{columns:10rem;column-gap:1rem;padding:0;margin:.5rem 0 0;
font-size:.95rem;font-variant-numeric:tabular-nums}
.moves li{break-inside:avoid;margin-left:2.3rem}
.moves span{display:inline-block;min-width:3.6rem}
.links{display:flex;flex-wrap:wrap;gap:.35rem 1rem;font-size:.9rem}
footer{color:var(--soft);font-size:.85rem}
@media(min-width:56rem){main{grid-template-columns:minmax(0,1fr) minmax(19rem,24rem)}
.board{position:sticky;top:1rem;align-self:start}.text{display:grid;gap:1.25rem;
align-content:start}footer{grid-column:1/-1}}
@media(max-width:55.99rem){.text{display:grid;gap:1.25rem}}
""".strip()

POLICY = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The Content-Security-Policy that a page of this style is to be sent with."""

HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}

_BY = {
    Termination.CHECKMATE: "by checkmate",
    Termination.STALEMATE: "by stalemate",
    Termination.INSUFFICIENT_MATERIAL: "for want of mating material",
    Termination.FIVEFOLD_REPETITION: "by fivefold repetition",
    Termination.SEVENTYFIVE_MOVES: "by the seventy-five-move rule",
    Termination.THREEFOLD_REPETITION: "by threefold repetition",
    Termination.FIFTY_MOVES: "by the fifty-move rule",
    Termination.AGREEMENT: "by agreement",
    Termination.RESIGNATION: "by resignation",
    Termination.TIMEOUT: "on time",
    Termination.ILLEGAL_MOVES: "by illegal moves of the opponent",
    Termination.ABORTED: "",
}


@dataclass(frozen=True, slots=True)
class Where:
    """Whose page this is, and at which address: ``base`` is a URL without a slash at its end."""

    name: str
    base: str


def game_page(reading: Reading, where: Where) -> str:
    """The page of a game as HTML."""
    game = reading.game
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{_head(game, where)}</head>\n<body>\n<main>\n'
        f'<div class="board">{board_svg(game)}</div>\n'
        f'<div class="text">\n<section class="card">\n<h1>{escape(standing_text(game))}</h1>\n'
        f'<p class="about">{escape(about_text(game))}</p>\n{_players(reading)}'
        f"{_links(game)}</section>\n"
        f'<section class="card">\n<p class="about">Moves</p>\n{_moves(game)}</section>\n</div>\n'
        f"<footer>{escape(where.name)} pairs chess players, checks every move, publishes every "
        f"game. <code>{escape(game.board().fen())}</code></footer>\n"
        "</main>\n</body>\n</html>\n"
    )


def standing_text(game: Game) -> str:
    """How the game stands or ended, in words."""
    if game.outcome is not None:
        return _ended(game.outcome)
    check = ", in check" if game.board().is_check() else ""
    return f"{_color(game.turn)} to move{check}"


def about_text(game: Game) -> str:
    """What kind of game it is, in words."""
    words = [] if game.result == "*" else [game.result]
    words.append("Rated" if game.rated else "Casual")
    if game.clocks:
        words += [game.clocks.control.speed.value, _control_text(game.clocks.control)]
    else:
        words.append("without clocks")
    if game.variant is Variant.CHESS960:
        words.append("Chess960")
    elif game.start_fen != chess.STARTING_FEN:
        words.append("from a position")
    plies = "1 ply" if game.ply == 1 else f"{game.ply} plies"
    return " · ".join([*words, plies])


def name_of(seat: Seat) -> str:
    """What a player is called in a line of text: the ends of his npub, or his feed's beginning."""
    if is_browser(seat):
        return "a browser"
    if (feed := feed_of(seat)) is not None:
        return f"{feed[:9]}…"
    npub = encode_npub(seat.player)
    return f"{npub[:10]}…{npub[-4:]}"


def _control_text(control: TimeControl) -> str:
    """As players say it: minutes and seconds, or days a move."""
    if control.move_ms:
        days = control.move_ms // DAY_MS
        return "a day a move" if days == 1 else f"{days} days a move"
    return f"{control.base_ms / MINUTE_MS:g}+{control.increment_ms // 1000}"


def _ended(outcome: Outcome) -> str:
    if outcome.termination is Termination.ABORTED:
        return "Called off"
    if outcome.winner is None:
        return f"Draw {_BY[outcome.termination]}"
    return f"{_color(outcome.winner)} won {_BY[outcome.termination]}"


def _color(color: chess.Color) -> str:
    return "White" if color == WHITE else "Black"


def _head(game: Game, where: Where) -> str:
    title = f"{name_of(game.white)} against {name_of(game.black)}"
    text = f"{standing_text(game)}. {about_text(game)}."
    url, picture = f"{where.base}/g/{game.id}", f"{where.base}/games/{game.id}/board.png"
    # Open Graph: "og:image:alt - A description of what is in the image (not a caption)."
    graph = {
        "og:type": "website",
        "og:site_name": where.name,
        "og:title": title,
        "og:description": text,
        "og:url": url,
        # A picture that was fetched for a link in a chat is kept by its address: another position
        # is another address.
        "og:image": f"{picture}?v={game.version}",
        "og:image:type": "image/png",
        "og:image:width": str(SIDE_PIXELS),
        "og:image:height": str(SIDE_PIXELS),
        "og:image:alt": f"The board after {about_text(game).rpartition(' · ')[2]}",
    }
    live = game.outcome is None
    return (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        + (f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">\n' if live else "")
        + f"<title>{escape(title)} · {escape(where.name)}</title>\n"
        f'<meta name="description" content="{escape(text)}">\n'
        '<meta name="twitter:card" content="summary">\n'
        + "".join(
            f'<meta property="{name}" content="{escape(value)}">\n' for name, value in graph.items()
        )
        + f'<link rel="canonical" href="{escape(url)}">\n<style>{STYLE}</style>\n'
    )


def _players(reading: Reading) -> str:
    rows = "".join(_player(reading, color) for color in (WHITE, BLACK))
    return f'<ul class="players">\n{rows}</ul>\n'


def _player(reading: Reading, color: chess.Color) -> str:
    game, seat = reading.game, reading.game.seat(color)
    name = escape(name_of(seat))
    if feed := feed_of(seat):
        name = f'<span title="{escape(feed)}">{name}</span>'
    elif not is_browser(seat):
        npub = escape(encode_npub(seat.player))
        name = f'<a href="nostr:{npub}" title="{npub}">{name}</a>'
    left = _clock_text(game.clocks.left_ms(white=color == WHITE)) if game.clocks else ""
    to_move = game.outcome is None and game.turn == color
    disc = '<span class="disc to-move"></span>' if to_move else '<span class="disc"></span>'
    side = _color(color)
    return (
        f'<li class="{side.lower()}">{disc}<span>{side}: {name}'
        f"{_rating(reading, color)}</span><b>{left}</b></li>\n"
    )


def _rating(reading: Reading, color: chess.Color) -> str:
    if not reading.rated:
        return ""
    before, after = reading.rated.white if color == WHITE else reading.rated.black
    old, new = round(before.rating.value), round(after.rating.value)
    return f"<small>{old} → {new}</small>"


def _clock_text(left_ms: int) -> str:
    """What was left when the present turn began."""
    seconds = left_ms // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours}h"
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def _links(game: Game) -> str:
    links = {
        "PGN": f"../games/{game.id}.pgn",
        "JSON": f"../games/{game.id}",
        "SVG": f"../games/{game.id}/board.svg",
        "PNG": f"../games/{game.id}/board.png",
    }
    if game.next_game_id:
        links["Rematch"] = f"../g/{game.next_game_id}"
    rows = "".join(f'<a href="{escape(url)}">{name}</a>\n' for name, url in links.items())
    return f'<p class="links">{rows}</p>\n'


def _moves(game: Game) -> str:
    """The moves, two in a line; Black's first one alone where Black began."""
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
