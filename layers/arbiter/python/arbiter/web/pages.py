"""Parts that pages share: frame, style, headers, and the words for players and games.

Pages have no JavaScript. Text that is not ours is escaped where it is inserted; the
Content-Security-Policy, one stylesheet by hash, is behind that.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from html import escape
from http import HTTPStatus

import chess

from arbiter.application.queries import feed_of, is_browser
from arbiter.core.clocks import DAY_MS, Speed, TimeControl
from arbiter.core.game import WHITE, Game, Outcome, Seat, Termination, Variant
from arbiter.nostr.nip19 import encode_npub

MINUTE_MS = 60_000

STYLE = """
:root{color-scheme:light dark;--ink:#2a2420;--soft:#6b5f56;--paper:#f7f3ec;--card:#fff;
--line:#e2d8ca;--accent:#8a5a2b}
@media(prefers-color-scheme:dark){:root{--ink:#efe8de;--soft:#b3a698;--paper:#1e1a17;
--card:#292420;--line:#40372f;--accent:#d9a066}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,body>nav{max-width:68rem;margin:0 auto;padding:1rem}
main{display:grid;grid-template-columns:minmax(0,1fr);gap:1.25rem}
nav,.links{display:flex;flex-wrap:wrap;gap:0 .75rem}
body>nav{padding-bottom:0}
body>nav a:first-child{font-weight:600}
nav a,.links a{display:inline-block;padding:.4rem 0;min-width:1.5rem}
[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
time{white-space:nowrap}
.board svg{display:block;width:100%;height:auto;border-radius:6px}
h1{font-size:1.35rem;line-height:1.25;margin:0}
h2{font-size:1rem;line-height:1.25;margin:0;color:var(--soft)}
p{margin:.25rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem}
.about{color:var(--soft);font-size:.9rem}
.players{display:grid;gap:.75rem;padding:0;margin:.75rem 0;list-style:none}
.players li{display:flex;align-items:center;gap:.6rem}
.players small{display:block;color:var(--soft);font-size:.9rem}
.players a{display:inline-block;padding:.1rem 0}
.players b{margin-left:auto;font-variant-numeric:tabular-nums}
.disc{width:1rem;height:1rem;border-radius:50%;border:1px solid var(--soft);flex:none}
.white .disc{background:#fff}.black .disc{background:#000}
.to-move{outline:2px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
code,pre{font-size:.85em;overflow-wrap:anywhere}
td:first-child code{white-space:nowrap}
pre{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-variant-numeric:tabular-nums}
td,th{border-bottom:1px solid var(--line);padding:.4rem .4rem .4rem 0;text-align:left;
vertical-align:top}
th{color:var(--soft);font-weight:600;font-size:.9rem}
details{border-bottom:1px solid var(--line)}
summary{padding:.5rem 0;cursor:pointer;overflow-wrap:anywhere}
.moves{columns:10rem;column-gap:1rem;padding:0;margin:.5rem 0 0;
font-size:.95rem;font-variant-numeric:tabular-nums}
.moves li{break-inside:avoid;margin-left:2.3rem}
.moves span{display:inline-block;min-width:3.6rem}
.text{display:grid;grid-template-columns:minmax(0,1fr);gap:1.25rem;align-content:start}
footer{color:var(--soft);font-size:.85rem}
@media(min-width:56rem){main.two{grid-template-columns:minmax(0,1fr) minmax(19rem,24rem)}
.board{position:sticky;top:1rem;align-self:start}footer{grid-column:1/-1}}
""".strip()


ICON = (
    '<link rel="icon" href="data:image/svg+xml,'
    "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10'%3E"
    "%3Ctext y='9' font-size='10'%3E%E2%99%9E%3C/text%3E%3C/svg%3E\">\n"
)
"""A browser asks for `/favicon.ico` where a page names no icon."""


def headers_of_page(
    style: str = "", *, is_embedded: bool = False, asks: str = ""
) -> dict[str, str]:
    """The headers of a page with this style, images, in others' frames, asking a relay."""
    digest = b64encode(sha256((STYLE + style).encode()).digest()).decode()
    policy = (
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src 'self' data:",
        *(("script-src 'self'", f"connect-src 'self' {asks}") if asks else ()),
        "base-uri 'none'",
        "form-action 'none'",
        *(() if is_embedded else ("frame-ancestors 'none'",)),
    )
    return {"Content-Security-Policy": "; ".join(policy), "Referrer-Policy": "no-referrer"}


HEADERS = headers_of_page()

_BY = {
    Termination.CHECKMATE: "by checkmate",
    Termination.STALEMATE: "by stalemate",
    Termination.INSUFFICIENT_MATERIAL: "because neither side can mate",
    Termination.FIVEFOLD_REPETITION: "by fivefold repetition",
    Termination.SEVENTYFIVE_MOVES: "by the seventy-five-move rule",
    Termination.THREEFOLD_REPETITION: "by threefold repetition",
    Termination.FIFTY_MOVES: "by the fifty-move rule",
    Termination.AGREEMENT: "by agreement",
    Termination.RESIGNATION: "by resignation",
    Termination.TIMEOUT: "on time",
    Termination.LEFT: "because a player left",
    Termination.ILLEGAL_MOVES: "by illegal moves of the opponent",
    Termination.ABORTED: "",
    Termination.NO_SHOW: "because the opponent did not come",
}


@dataclass(frozen=True, slots=True)
class Where:
    """The arbiter's name and base URL, without a trailing slash; whether `/` is the web client."""

    name: str
    base: str
    has_client: bool = False

    @property
    def root(self) -> str:
        """The path that all links begin with, escaped; relative ones break below a slash."""
        _, _, path = self.base.partition("://")[2].partition("/")
        return escape(f"/{path}/" if path else "/")


def page(
    where: Where,
    title: str,
    main: str,
    *,
    head: str = "",
    is_wide: bool = False,
    style: str = "",
    kind: str = "",
) -> str:
    """A whole page of text ``title``, HTML ``main`` and ``head``, ``style`` after the common one.
    One of a ``kind``, a class of its body, has no links to others.
    """
    ways = {
        "": where.name,
        "live": "Live games",
        "events": "Events",
        f"leaderboard/{Speed.BLITZ.value}": "Leaderboards",
        "docs": "API",
    }
    links = "".join(f'<a href="{where.root}{to}">{escape(text)}</a>\n' for to, text in ways.items())
    columns = ' class="two"' if is_wide else ""
    shown = title if title == where.name else f"{title} · {where.name}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(shown)}</title>\n{ICON}{head}<style>{STYLE}{style}</style>\n</head>\n"
        + (f'<body class="{kind}">\n' if kind else f"<body>\n<nav>\n{links}</nav>\n")
        + f"<main{columns}>\n{main}</main>\n</body>\n</html>\n"
    )


def card(title: str, content: str, level: int = 2) -> str:
    """A section of a page. ``title`` is text, ``content`` is HTML."""
    heading = f"<h{level}>{escape(title)}</h{level}>\n"
    return f'<section class="card">\n{heading}{content}</section>\n'


def problem_page(where: Where, status: int, detail: str) -> str:
    home = (
        f'<p><a href="{where.root}">Live games</a>, '
        f'or <a href="{where.root}docs">all addresses</a>.</p>\n'
    )
    phrase = HTTPStatus(status).phrase
    return page(where, phrase, card(f"{status} {phrase}", f"<p>{escape(detail)}</p>\n{home}", 1))


def standing_text(game: Game) -> str:
    if game.outcome is not None:
        return _ended(game.outcome)
    check = ", in check" if game.board().is_check() else ""
    return f"{color_text(game.turn)} to move{check}"


def about_text(game: Game) -> str:
    words = [] if game.result == "*" else [game.result]
    words.append(kind_text(game.clocks.control if game.clocks else None, rated=game.rated))
    if game.variant is Variant.CHESS960:
        words.append("Chess960")
    elif game.start_fen != chess.STARTING_FEN:
        words.append("from a position")
    plies = "1 ply" if game.ply == 1 else f"{game.ply} plies"
    return " · ".join([*words, plies])


def kind_text(control: TimeControl | None, *, rated: bool) -> str:
    time = f"{control.speed.value} · {_control_text(control)}" if control else "without clocks"
    return f"{'Rated' if rated else 'Casual'} · {time}"


def color_text(color: chess.Color) -> str:
    return "White" if color == WHITE else "Black"


def name_of(seat: Seat) -> str:
    """The player's own name in that game; else the ends of their npub or feed."""
    if is_browser(seat):
        return "a browser"
    if (feed := feed_of(seat)) is not None:
        return f"{feed[:9]}…"
    return seat.name or name_of_key(seat.player)


def name_of_key(pubkey: str) -> str:
    npub = encode_npub(pubkey)
    return f"{npub[:10]}…{npub[-4:]}"


def player_link(seat: Seat, where: Where) -> str:
    name = escape(name_of(seat))
    if is_browser(seat):
        return name
    if (feed := feed_of(seat)) is not None:
        # A placeholder key: its npub would mean nothing on Nostr.
        return _link(f"{where.root}players/{seat.player}", name, feed)
    return key_link(seat.player, where, seat.name)


def key_link(pubkey: str, where: Where, name: str = "") -> str:
    npub = encode_npub(pubkey)
    return _link(f"{where.root}players/{npub}", escape(name or name_of_key(pubkey)), npub)


def game_list(games: Sequence[Game], where: Where, none: str) -> str:
    """Games with links to their pages and players; ``none`` is the text for an empty list."""
    if not games:
        return f"<p>{escape(none)}</p>\n"
    rows = "".join(_game(game, where) for game in games)
    return f'<ul class="players">\n{rows}</ul>\n'


def moment(at_ms: int, shown: str = "%H:%M:%S UTC") -> str:
    """A time (unix milliseconds) as machine-readable HTML."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    exact = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f'<time datetime="{exact}">{at.strftime(shown)}</time>'


def _game(game: Game, where: Where) -> str:
    players = " against ".join(player_link(seat, where) for seat in (game.white, game.black))
    ended = f" · {moment(game.end_ms, '%Y-%m-%d')}" if game.outcome else ""
    return (
        f'<li><span><a href="{where.root}g/{escape(game.id)}">{escape(standing_text(game))}</a>'
        f"<small>{players}</small><small>{escape(about_text(game))}{ended}</small></span></li>\n"
    )


def _link(url: str, text: str, title: str) -> str:
    return f'<a href="{escape(url)}" title="{escape(title)}">{text}</a>'


def _control_text(control: TimeControl) -> str:
    """As players write it: minutes and seconds, or days a move."""
    if control.move_ms:
        days = control.move_ms // DAY_MS
        return "a day a move" if days == 1 else f"{days} days a move"
    return f"{control.base_ms / MINUTE_MS:g}+{control.increment_ms // 1000}"


def _ended(outcome: Outcome) -> str:
    if outcome.termination is Termination.ABORTED:
        return "Aborted"
    if outcome.winner is None:
        return f"Draw {_BY[outcome.termination]}"
    return f"{color_text(outcome.winner)} won {_BY[outcome.termination]}"
