"""The front page: the games that go on, and how to play one."""

from collections.abc import Sequence
from html import escape

from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import Where, card, game_list, page


def front_page(games: Sequence[Game], where: Where, server: str, relays: Sequence[str]) -> str:
    """The front page as HTML. ``games`` are the newest that go on, ``server`` is the arbiter's
    pubkey (64 hex), ``relays`` (URLs) are where it hears and speaks.
    """
    told = "Pairs chess players, checks every move by the rules, publishes every game."
    about = f'<p class="about">{told}</p>\n'
    live = game_list(games, where, "None at the moment.")
    ranked = {f"leaderboard/{speed.value}": speed.value.capitalize() for speed in Speed}
    programs = {"docs": "HTTP API", "openapi.json": "OpenAPI", "healthz": "Health"}
    main = (
        f'<div class="text">\n{card(where.name, about, 1)}'
        f"{card('Games that go on', live)}</div>\n"
        f'<div class="text">\n{card("To play", _how_to_play(server, relays))}'
        f"{card('Leaderboards', _links(ranked, where))}"
        f"{card('For programs', _links(programs, where))}</div>\n"
    )
    return page(where, where.name, main, is_wide=True)


def _how_to_play(server: str, relays: Sequence[str]) -> str:
    npub = encode_npub(server)
    urls = "".join(f"<li><code>{escape(url)}</code></li>\n" for url in relays)
    command = f"make play RELAYS={','.join(relays)} SERVER={npub}"
    return (
        f'<p>On Nostr, <a href="nostr:{npub}">the arbiter</a> hears you over</p>\n'
        f'<ul class="players">\n{urls}</ul>\n'
        f"<p>In a terminal: <code>{escape(command)}</code></p>\n"
    )


def _links(links: dict[str, str], where: Where) -> str:
    rows = "".join(f'<a href="{where.root}{path}">{name}</a>\n' for path, name in links.items())
    return f'<p class="links">{rows}</p>\n'
