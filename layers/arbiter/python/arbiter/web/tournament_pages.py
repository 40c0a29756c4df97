"""Pages of tournaments (events): the list, one, its poster for a screen, and what others embed."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from html import escape

from arbiter.application.ports import ListedTournament
from arbiter.core.clocks import read_time
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.terms import rounds_of
from arbiter.core.tournaments.tournament import Board, Format, Phase, Round, Tournament
from arbiter.dialects.tournament_events import next_at_ms
from arbiter.web.pages import Where, card, key_link, kind_text, moment, page
from arbiter.web.tournament_tables import (
    Shown,
    bracket_card,
    crosstable_card,
    has_crosstable,
    pairings_table,
    standings_table,
    tie_breaks_text,
)

REFRESH_SECONDS = 20
"""Between reloads of a poster; a reader would lose their place (WCAG 2.2.1)."""

LIVE_BOARDS = 12
ROUNDS_SHOWN = 40
"""Of an arena the last ones."""
RANKS_EMBEDDED = 10

TIME = "%Y-%m-%d %H:%M UTC"

STYLE = """
.wide{overflow-x:auto}
.wide:focus-visible{outline:2px solid var(--accent)}
.wide td:nth-child(2):not(.num),.grid .name{overflow-wrap:anywhere;min-width:6rem}
.num{width:1%;white-space:nowrap;text-align:right;padding-right:.75em}
.pairs td{overflow-wrap:anywhere}.pairs td:nth-child(n+2),.pairs th:nth-child(n+2){width:46%}
.pairs .num.num{width:1%;overflow-wrap:normal}
.grid td,.grid th{text-align:center;padding:.3rem .35rem}
.grid .name{text-align:left;font-weight:400;font-size:inherit;color:var(--ink)}
.tree{display:flex;gap:1.5rem}.tree ol{display:flex;flex-direction:column;height:100%}
.tree,.tree ol{list-style:none;padding:0;margin:0}.tree>li{flex:1 0 8rem}
.tree ol>li{flex:1;display:grid;align-content:center;padding:.3rem 0}
.tree p{display:flex;justify-content:space-between;gap:.5rem;margin:0;padding:.15rem .5rem;
border:1px solid var(--line);overflow-wrap:anywhere}.tree .won{font-weight:700}
caption{text-align:left;color:var(--soft);padding:.25rem 0}
abbr{text-decoration:underline dotted;cursor:help}
dl{display:grid;grid-template-columns:auto 1fr;gap:.15rem .75rem;margin:.5rem 0}
dt{font-weight:600}dd{margin:0}
.boards{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem}
figure{margin:0}figure img{width:100%;height:auto;display:block;border-radius:4px}
figcaption{font-size:.85rem}
.trouble{border-left:4px solid var(--accent);padding-left:.6rem}
.poster{font-size:clamp(1.1rem,1.9vw,2.4rem)}
.poster main{max-width:none}.poster h1{font-size:2em}.poster h2{font-size:1.3em}
.poster th,.poster .about,.poster caption{font-size:.7em}
@media(min-width:56rem){.poster .wide{overflow:visible}}
.poster .pairings{columns:22em;column-gap:2em}
.poster .pairings table{margin:0}.poster tr{break-inside:avoid}
.embed main{padding:.5rem;max-width:none}
@media print{:root{--ink:#000;--soft:#333;--paper:#fff;--card:#fff;--line:#999;--accent:#000}
body{font-size:10.5pt}body>nav,.links,.live,details,.earlier,footer{display:none}
main,.text{display:block}.card{border:0;padding:0;margin:0 0 1.2em}
.new-page{break-before:page}tr,figure{break-inside:avoid}thead{display:table-header-group}
td,th{padding-top:.15rem;padding-bottom:.15rem}
a{color:inherit;text-decoration:none}.wide{overflow:visible}}
""".strip()

_FORMATS = {
    Format.ROUND_ROBIN: "Round robin",
    Format.SWISS: "Swiss",
    Format.ARENA: "Arena",
    Format.KNOCKOUT: "Knockout",
}


class Shape(StrEnum):
    """The value of ``view`` in an event's address."""

    WHOLE = ""
    POSTER = "poster"
    EMBED = "embed"


def events_page(rows: Sequence[ListedTournament], where: Where) -> str:
    """The newest events, those that go on or are to come first."""
    groups = {"Now": "playing", "To come": "open", "Over": "finished"}
    lists = {
        heading: [row for row in rows if row.status == status] for heading, status in groups.items()
    }
    main = "".join(
        card(heading, _listed(found, where)) for heading, found in lists.items() if found
    )
    about = '<p class="about">Tournaments that are held here.</p>\n' if main else ""
    none = "" if main else "<p>None yet.</p>\n"
    return page(where, "Events", card("Events", about + none, 1) + main)


def _listed(rows: Sequence[ListedTournament], where: Where) -> str:
    items = "".join(
        f'<li><span><a href="{where.root}events/{row.id}">{escape(row.title)}</a>'
        f"<small>{_FORMATS[row.format]} · {escape(_time_text(row.time))} · "
        f"{moment(row.starts_ms, TIME)}</small></span></li>\n"
        for row in rows
    )
    return f'<ul class="players">\n{items}</ul>\n'


def _time_text(text: str) -> str:
    time = read_time(text)
    return kind_text(time, rated=False).partition(" · ")[2] if time else text


def tournament_page(tournament: Tournament, where: Where, shape: Shape = Shape.WHOLE) -> str:
    shown = Shown(tournament, where, standings(tournament))
    make: dict[Shape, Callable[[Shown], str]] = {
        Shape.WHOLE: _whole,
        Shape.POSTER: _poster,
        Shape.EMBED: _embed,
    }
    is_alone = shape is Shape.POSTER and tournament.is_under_way
    refresh = f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">\n' if is_alone else ""
    base = '<base target="_blank">\n' if shape is Shape.EMBED else ""
    title = tournament.terms.title
    return page(
        where,
        title,
        make[shape](shown),
        head=f'{refresh}{base}<meta name="description" content="{escape(_summary(tournament))}">\n',
        style=STYLE,
        kind=shape,
    )


def _summary(event: Tournament) -> str:
    terms = event.terms
    length = f", {terms.rounds} rounds" if terms.rounds else ""
    length = f", {terms.minutes} minutes" if terms.minutes else length
    length = ", double" if terms.cycles > 1 else length
    return f"{_FORMATS[terms.format]}{length} · {kind_text(terms.time, rated=terms.rated)}"


def _state_text(event: Tournament) -> str:
    next_ms = next_at_ms(event)
    then = moment(next_ms, TIME) if next_ms else ""
    number = f"Round {event.round}"
    match event.phase:
        case Phase.OPEN:
            return f"Open. It starts at {then or moment(event.terms.starts_ms, TIME)}."
        case Phase.FINISHED:
            return "Finished."
        case Phase.CANCELLED:
            return "Cancelled."
        case _ if event.terms.format is Format.ARENA:
            return f"It goes on{f' until {then}' if then else ''}."
        case Phase.PLAYING:
            return f"{number} is played."
        case Phase.PLANNED:
            return f"{number} is paired. {_begins(then)}"
        case Phase.WAITING:
            return f"{number} is over. {_begins(then)}" if event.round else _begins(then)
        case _:
            return f"{number} is being paired."


def _begins(then: str) -> str:
    return f"The games begin at {then}." if then else "The organiser begins the games."


def _head(shown: Shown) -> str:
    event = shown.event
    trouble = f'<p class="trouble">{escape(event.trouble)}</p>\n' if event.trouble else ""
    about = escape(event.terms.description)
    return (
        f'<p class="about">{escape(_summary(event))}</p>\n<p>{_state_text(event)}</p>\n{trouble}'
        + (f"<p>{about}</p>\n" if about else "")
    )


def _whole(shown: Shown) -> str:
    event, path = shown.event, shown.path
    links = {
        "Reload": "",
        "PGN": "/pgn",
        "TRF": "/trf",
        "Poster": "?view=poster",
        "To embed": "?view=embed",
    }
    rows = "".join(f'<a href="{path}{to}">{text}</a>\n' for text, to in links.items())
    board = f'<a href="{shown.where.root}#/events/{event.id}">Join or play</a>\n'
    organised = f"<p>Organised by {key_link(event.organiser, shown.where)}.</p>\n"
    client = board if shown.where.has_client else ""
    head = f'{_head(shown)}{organised}<p class="links">{client}{rows}</p>\n'
    rounds = event.rounds
    parts = [card(event.terms.title, head, 1)]
    if rounds:
        parts.append(_present(shown, rounds[-1]))
    parts.append(card("Standings", standings_table(shown, shown.rows) + tie_breaks_text(event)))
    if rounds and has_crosstable(event):
        parts.append(crosstable_card(shown))
    if rounds and event.terms.format is Format.KNOCKOUT:
        parts.append(bracket_card(shown))
    if earlier := rounds[-ROUNDS_SHOWN:-1]:
        folded = "".join(_folded(shown, each) for each in earlier[::-1])
        parts.append(f'<div class="earlier">{card("Earlier rounds", folded)}</div>\n')
    return "".join(parts)


def _present(shown: Shown, each: Round) -> str:
    return card(
        _round_title(shown.event, each), pairings_table(shown, each) + _live_boards(shown, each)
    )


def _round_title(event: Tournament, each: Round) -> str:
    if event.terms.format is Format.ARENA:
        return f"Pairings {each.number}"
    rounds = rounds_of(event)
    return f"Round {each.number} of {rounds}" if rounds else f"Round {each.number}"


def _live_boards(shown: Shown, each: Round) -> str:
    live = [board for board in each.boards if board.game_id and not board.result][:LIVE_BOARDS]
    if not live:
        return ""
    figures = "".join(_figure(shown, board) for board in live)
    return f'<div class="boards live">\n{figures}</div>\n'


def _figure(shown: Shown, board: Board) -> str:
    root, game = shown.where.root, escape(board.game_id)
    players = f"{shown.player(board.white)} against {shown.player(board.black)}"
    return (
        f'<figure><a href="{root}g/{game}"><img src="{root}games/{game}/board.svg" alt="The board" '
        f'width="600" height="600" loading="lazy"></a><figcaption>{players}</figcaption></figure>\n'
    )


def _folded(shown: Shown, each: Round) -> str:
    title = escape(_round_title(shown.event, each))
    return f"<details><summary>{title}</summary>\n{pairings_table(shown, each)}</details>\n"


def _poster(shown: Shown) -> str:
    event = shown.event
    head = f"<p>{escape(_summary(event))}</p>\n<p>{_state_text(event)}</p>\n"
    parts = [card(event.terms.title, head, 1)]
    if event.rounds and event.phase is not Phase.FINISHED:
        each = event.rounds[-1]
        pairings = f'<div class="pairings">{pairings_table(shown, each)}</div>\n'
        parts.append(card(_round_title(event, each), pairings))
    return "".join([*parts, card("Standings", standings_table(shown, shown.rows))])


def _embed(shown: Shown) -> str:
    event = shown.event
    more = f'<p class="links"><a href="{shown.path}">The whole event</a></p>\n'
    title = event.terms.title
    state = f"<p>{_state_text(event)}</p>\n"
    return card(title, state + standings_table(shown, shown.rows[:RANKS_EMBEDDED]) + more, 1)
