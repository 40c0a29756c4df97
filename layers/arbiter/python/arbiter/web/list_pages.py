"""Pages of lists: the front page, a player, games, who waits, a leaderboard."""

from collections.abc import Sequence
from html import escape

from arbiter.application.queries import WaitingRoom, feed_of, is_browser, rating_now
from arbiter.core.clocks import Speed
from arbiter.core.game import Game, Seat, Variant
from arbiter.core.ratings import PROVISIONAL_DEVIATION, Standing
from arbiter.core.terms import Terms
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import (
    Where,
    card,
    game_list,
    key_link,
    kind_text,
    moment,
    name_of,
    name_of_key,
    page,
    player_link,
)
from arbiter.web.views import seat_in


def front_page(games: Sequence[Game], where: Where, server: str, relays: Sequence[str]) -> str:
    """The front page: the newest live ``games``, ``server`` (64 hex), URLs of ``relays``."""
    summary = "Pairs chess players, checks every move by the rules, publishes every game."
    about = f'<p class="about">{summary}</p>\n'
    live = game_list(games, where, "None at the moment.")
    ranked = {f"leaderboard/{speed.value}": speed.value.capitalize() for speed in Speed}
    programs = {"docs": "HTTP API", "openapi.json": "OpenAPI", "healthz": "Health"}
    main = (
        f'<div class="text">\n{card(where.name, about, 1)}'
        f"{card('Live games', live + _links({'lobby': 'Open challenges'}, where))}</div>\n"
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
        f'<p>On Nostr, <a href="nostr:{npub}">the arbiter</a> listens on</p>\n'
        f'<ul class="players">\n{urls}</ul>\n'
        f"<p>In a terminal: <code>{escape(command)}</code></p>\n"
    )


def _links(links: dict[str, str], where: Where) -> str:
    rows = "".join(f'<a href="{where.root}{path}">{name}</a>\n' for path, name in links.items())
    return f'<p class="links">{rows}</p>\n'


def player_page(
    player: str, games: Sequence[Game], standings: Sequence[Standing], where: Where, now_ms: int
) -> str:
    """A player's identity, ratings and newest ``games``, which also show the network."""
    seat = seat_in(games, player)
    name = name_of(seat) if seat else name_of_key(player)
    all_games = f"{where.root}players/{player}/games"
    links = f'<p class="links"><a href="{all_games}">All games</a>\n'
    links += f'<a href="{all_games}.pgn">As PGN</a></p>\n'
    live = [game for game in games if game.outcome is None]
    ended = [game for game in games if game.outcome is not None]
    main = card(name, _identity(player, seat), 1)
    if live:
        main += card("In progress", game_list(live, where, ""))
    main += card("Ratings", _ratings(standings, where, now_ms))
    main += card("Last games", game_list(ended, where, "No game has ended yet.") + links)
    return page(where, name, main)


def games_page(title: str, games: Sequence[Game], next_url: str | None, where: Where) -> str:
    more = (
        f'<p class="links"><a href="{escape(next_url)}">Older games</a></p>\n' if next_url else ""
    )
    return page(where, title, card(title, game_list(games, where, "None.") + more, 1))


def lobby_page(room: WaitingRoom, where: Where) -> str:
    pools = "".join(
        f"<li><span>{escape(_terms_text(pool.waiting[0].terms))}"
        f"<small>{len(pool.waiting)} waiting since {moment(pool.waiting[0].asked_at_ms)}"
        "</small></span></li>\n"
        for pool in room.pools
    )
    challenges = "".join(
        f"<li><span>{escape(_terms_text(challenge.seek.terms))}"
        f"<small>{player_link(challenge.seek.seat, where)}, open to all</small></span></li>\n"
        for challenge in room.challenges
    )
    rows = f'<ul class="players">\n{pools}{challenges}</ul>\n' if pools or challenges else ""
    empty = f'<p>No open challenges. <a href="{where.root}">Create one</a>.</p>\n'
    return page(where, "Open challenges", card("Open challenges", rows or empty, 1))


def _terms_text(terms: Terms) -> str:
    variant = " · Chess960" if terms.variant is Variant.CHESS960 else ""
    return kind_text(terms.time, rated=terms.rated) + variant


def leaderboard_page(speed: Speed, ranked: Sequence[Standing], where: Where, now_ms: int) -> str:
    current = {speed: ' aria-current="page"'}
    speeds = "".join(
        f'<a href="{where.root}leaderboard/{one.value}"{current.get(one, "")}>'
        f"{one.value.capitalize()}</a>\n"
        for one in Speed
    )
    rows = "".join(
        f"<tr><td>{rank}</td><td>{key_link(one.player, where)}</td>{_numbers(one, now_ms)}</tr>\n"
        for rank, one in enumerate(ranked, start=1)
    )
    header = "<tr><th>#</th><th>Player</th><th>Rating</th><th>Games</th></tr>\n"
    shown = f"<table>\n{header}{rows}</table>\n" if rows else _none_ranked(speed)
    rule = (
        f'<p class="about">A player is ranked while their deviation (Glicko-2) is below '
        f"{PROVISIONAL_DEVIATION:.0f}: after about a dozen rated games at this speed, "
        "and until they stop playing for long.</p>\n"
    )
    title = f"Best at {speed.value}"
    return page(where, title, card(title, f"<nav>\n{speeds}</nav>\n{shown}{rule}", 1))


def _none_ranked(speed: Speed) -> str:
    return f"<p>No player is ranked at {speed.value} at the moment.</p>\n"


def _identity(player: str, seat: Seat | None) -> str:
    if seat and is_browser(seat):
        return "<p>Plays in a browser, without a key.</p>\n"
    if seat and (feed := feed_of(seat)) is not None:
        return f"<p>On Scuttlebutt: <code>{escape(feed)}</code></p>\n"
    npub = encode_npub(player)
    return f'<p>On Nostr: <a href="nostr:{npub}"><code>{npub}</code></a></p>\n'


def _ratings(standings: Sequence[Standing], where: Where, now_ms: int) -> str:
    if not standings:
        return "<p>None: no rated game has ended yet.</p>\n"
    rows = "".join(
        f'<tr><td><a href="{where.root}leaderboard/{standing.speed.value}">'
        f"{standing.speed.value}</a></td>"
        f"{_numbers(standing, now_ms)}</tr>\n"
        for standing in standings
    )
    header = "<tr><th>Speed</th><th>Rating</th><th>Games</th></tr>\n"
    return f"<table>\n{header}{rows}</table>\n"


def _numbers(standing: Standing, now_ms: int) -> str:
    rating = rating_now(standing, now_ms)
    unsure = " provisional" if rating.is_provisional(now_ms) else ""
    shown = f"{rating.value:.0f} ±&nbsp;{rating.deviation:.0f}{unsure}"
    return f"<td>{shown}</td><td>{standing.games}</td>"
