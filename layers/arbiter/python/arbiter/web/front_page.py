"""The front page, for whoever opens the address in a browser: the games that go on, and how to play
one. Dressed as the page of a game is, and under the same law: what is not our own text is escaped.
"""

from collections.abc import Sequence
from html import escape

from arbiter.core.model import Game
from arbiter.core.timing import Speed
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import STYLE, about_text, name_of, standing_text

_FOR_PROGRAMS = {
    "How to ask": "docs",
    "OpenAPI": "openapi.json",
    "Live games": "live",
    **{f"Best at {speed.value}": f"leaderboard/{speed.value}" for speed in Speed},
    "Health": "healthz",
}


def front_page(games: Sequence[Game], name: str, server: str, relays: Sequence[str]) -> str:
    """The front page as HTML. ``games`` are the newest that go on, ``name`` is what the arbiter
    calls itself, ``server`` is its pubkey (64 hex), ``relays`` (URLs) are where it hears and
    speaks.
    """
    told = "Pairs chess players, checks every move by the rules, publishes every game."
    title = escape(name)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<div class="text">\n<section class="card">\n<h1>{title}</h1>\n'
        f'<p class="about">{told}</p>\n</section>\n{_card("Games that go on", _games(games))}'
        f'</div>\n<div class="text">\n{_card("To play", _how_to_play(server, relays))}'
        f"{_card('For programs', _links())}</div>\n</main>\n</body>\n</html>\n"
    )


def _card(title: str, content: str) -> str:
    return f'<section class="card">\n<p class="about">{title}</p>\n{content}</section>\n'


def _games(games: Sequence[Game]) -> str:
    if not games:
        return "<p>None at the moment.</p>\n"
    return f'<ul class="players">\n{"".join(map(_game, games))}</ul>\n'


def _game(game: Game) -> str:
    players = f"{name_of(game.white)} against {name_of(game.black)}"
    return (
        f'<li><span><a href="g/{game.id}">{escape(players)}</a>'
        f"<small>{escape(f'{standing_text(game)} · {about_text(game)}')}</small></span></li>\n"
    )


def _how_to_play(server: str, relays: Sequence[str]) -> str:
    npub = encode_npub(server)
    where = "".join(f"<li><code>{escape(url)}</code></li>\n" for url in relays)
    command = f"make play RELAYS={','.join(relays)} SERVER={npub}"
    return (
        f'<p>On Nostr, <a href="nostr:{npub}">the arbiter</a> hears you over</p>\n'
        f'<ul class="players">\n{where}</ul>\n'
        f"<p>In a terminal: <code>{escape(command)}</code></p>\n"
    )


def _links() -> str:
    rows = "".join(f'<a href="{path}">{escape(name)}</a>\n' for name, path in _FOR_PROGRAMS.items())
    return f'<p class="links">{rows}</p>\n'
