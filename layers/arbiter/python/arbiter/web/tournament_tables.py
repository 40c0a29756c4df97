"""Tables of a tournament's page: pairings, standings, crosstable, bracket."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from arbiter.core.tournaments.knockout import Match, bracket
from arbiter.core.tournaments.standings import Standing
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    ByeKind,
    EntryState,
    Format,
    Round,
    Tournament,
)
from arbiter.dialects.tournament_events import number_text, round_status, tie_break_names
from arbiter.web.pages import Where, card, player_link

CROSSTABLE_ENTRIES = 120

_BUCHHOLZ, _BERGER = (
    "the opponents' points together",
    "points of those beaten, half of those drawn with",
)

TIE_BREAKS = {
    "BH": ("Buchholz", _BUCHHOLZ),
    "BH/C1": ("Buchholz, cut 1", f"{_BUCHHOLZ}, without the fewest"),
    "BH/C2": ("Buchholz, cut 2", f"{_BUCHHOLZ}, without the two fewest"),
    "BH/M1": ("Buchholz, median", f"{_BUCHHOLZ}, without the fewest and the most"),
    "SB": ("Sonneborn-Berger", _BERGER),
    "SB/C1": ("Sonneborn-Berger, cut 1", f"{_BERGER}, without the fewest"),
    "WIN": ("Wins", "rounds with a whole point, also without play"),
    "WON": ("Games won", "over the board"),
    "DE": ("Direct encounter", "how many who are level did worse against each other"),
    "KS": ("Koya", "points against those who have half of all points or more"),
    "PS": ("Progressive", "the points after each round, added"),
    "BPG": ("Games with Black", "played with Black"),
    "BWG": ("Games won with Black", "won with Black"),
    "REP": ("Rounds", "those that the player came to"),
    "TPR": ("Performance", "the rating of which these results would be expected"),
}
"""For each acronym (FIDE C.07) its name, and in a line how it is counted."""

_BYES = {
    ByeKind.PAIRING: "has no opponent: one point",
    ByeKind.HALF: "asked for half a point",
    ByeKind.ZERO: "is absent",
}

_STATES = {
    EntryState.IN: "",
    EntryState.ASKED: "has yet to say: here",
    EntryState.PAUSED: "pauses",
    EntryState.LEFT: "left",
    EntryState.REMOVED: "removed",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """An event on its way to a page."""

    event: Tournament
    where: Where
    rows: tuple[Standing, ...]

    def player(self, number: int) -> str:
        return player_link(self.event.entry(number).seat, self.where)

    @property
    def path(self) -> str:
        return f"{self.where.root}events/{self.event.id}"


def pairings_table(shown: Shown, each: Round) -> str:
    head = _heads(("#", "num"), ("White", ""), ("Result", "num"), ("Black", ""))
    rows = "".join(
        f'<tr><td class="num">{number}</td><td>{shown.player(board.white)}</td>'
        f'<td class="num">{_result(shown, board)}</td><td>{shown.player(board.black)}</td></tr>\n'
        for number, board in enumerate(each.boards, start=1)
    )
    byes = "".join(f"<li>{shown.player(bye.number)} {_BYES[bye.kind]}.</li>\n" for bye in each.byes)
    words = {
        "planned": "The games have yet to begin.",
        "playing": "",
        "done": "All games are over.",
    }
    caption = words[round_status(each)]
    return _table(caption, head, rows, "pairs") + (
        f'<ul class="about">\n{byes}</ul>\n' if byes else ""
    )


def _result(shown: Shown, board: Board) -> str:
    text = _result_text(board.result) if board.result else "plays" if board.game_id else "-"
    link = f'<a href="{shown.where.root}g/{escape(board.game_id)}">{text}</a>'
    corrected = ' <abbr title="set by the organiser">*</abbr>' if board.is_corrected else ""
    return (link if board.game_id else text) + corrected


def _result_text(result: BoardResult) -> str:
    return "void" if result is BoardResult.VOID else result.replace("1/2", "½")


def standings_table(shown: Shown, rows: Iterable[Standing]) -> str:
    event = shown.event
    names = tie_break_names(event)
    heads = [("#", "num"), ("Player", ""), ("Points", "num"), *((name, "num") for name in names)]
    lines = "".join(
        f'<tr><td class="num">{row.rank}</td><td>{shown.player(row.number)}'
        f"{_state(event.entry(row.number).state)}</td>"
        + "".join(
            f'<td class="num">{number_text(value)}</td>' for value in (row.points, *row.tie_breaks)
        )
        + "</tr>\n"
        for row in rows
    )
    if not lines:
        return "<p>No entries yet.</p>\n"
    return _region("Standings", _table("", _heads(*heads), lines))


def _state(state: EntryState) -> str:
    return f" <small>({_STATES[state]})</small>" if _STATES[state] else ""


def tie_breaks_text(event: Tournament) -> str:
    known = [(name, *TIE_BREAKS[name]) for name in tie_break_names(event) if name in TIE_BREAKS]
    rows = "".join(f"<dt>{name}</dt><dd>{text}: {how}</dd>\n" for name, text, how in known)
    order = "Those with equal points are ranked by, in this order:"
    return f'<div class="about"><p>{order}</p>\n<dl>\n{rows}</dl></div>\n' if rows else ""


def has_crosstable(event: Tournament) -> bool:
    is_of_all = event.terms.format in (Format.SWISS, Format.ROUND_ROBIN)
    return is_of_all and len(event.entries) <= CROSSTABLE_ENTRIES


def crosstable_card(shown: Shown) -> str:
    """Against whom, which colour, what end: a column a player, or a round of a Swiss."""
    event = shown.event
    places = {row.number: at for at, row in enumerate(shown.rows, start=1)}
    is_of_all = event.terms.format is Format.ROUND_ROBIN
    columns = list(range(1, 1 + (len(places) if is_of_all else len(event.rounds))))
    cells = _cells_of_all(event, places) if is_of_all else _cells_of_rounds(event, places)
    lines = "".join(
        f'<tr><td>{place}</td><th scope="row" class="name">{shown.player(row.number)}</th>'
        + "".join(f"<td>{cells.get((row.number, column), '')}</td>" for column in columns)
        + f"<td><b>{number_text(row.points)}</b></td></tr>\n"
        for place, row in enumerate(shown.rows, start=1)
    )
    heads = _heads(
        ("#", ""), ("Player", "name"), *((str(it), "") for it in columns), ("Points", "")
    )
    how = (
        "Points against the player of that number, in the order of the games."
        if is_of_all
        else "In each round the opponent's number, the colour (w or b) and the result."
    )
    table = _region("Crosstable", _table("", heads, lines, "grid"))
    said = f'<p class="about">{how}</p>\n'
    return f'<div class="new-page">{card("Crosstable", said + table)}</div>\n'


def bracket_card(shown: Shown) -> str:
    """The stages of a knockout side by side: in each match two players, and their points."""
    stages = "".join(
        f"<li><ol>{''.join(_match(shown, match) for match in stage)}</ol></li>\n"
        for stage in bracket(shown.event)
    )
    tree = _region("Bracket", f'<ol class="tree">{stages}</ol>')
    return f'<div class="new-page">{card("Bracket", tree)}</div>\n'


def _match(shown: Shown, match: Match) -> str:
    sides = (number for number in (match.one, match.other) if number)
    return f"<li>{''.join(_side(shown, match, number) for number in sides)}</li>"


def _side(shown: Shown, match: Match, number: int) -> str:
    points = number_text(sum(board.points_of(number) for board in match.boards))
    said = f" <span>{points}</span>" if match.boards else ""
    kind = ' class="won"' if match.winner == number else ""
    return f"<p{kind}>{shown.player(number)}{said}</p>"


Cells = Mapping[tuple[int, int], str]
"""By the entry's number and a column."""


def _cells_of_all(event: Tournament, places: Mapping[int, int]) -> Cells:
    cells = dict.fromkeys(places.items(), "■")
    for _, board in event.boards():
        for one, other in ((board.white, board.black), (board.black, board.white)):
            key = one, places[other]
            cells[key] = cells.get(key, "") + _mark(board, one)
    return cells


def _cells_of_rounds(event: Tournament, places: Mapping[int, int]) -> Cells:
    cells: dict[tuple[int, int], str] = {}
    for each in event.rounds:
        for bye in each.byes:
            points = number_text(bye.kind.points).replace("0.5", "½")
            cells[bye.number, each.number] = f'<abbr title="{_BYES[bye.kind]}">{points}</abbr>'
        for board in each.boards:
            for one, other, color in (
                (board.white, board.black, "w"),
                (board.black, board.white, "b"),
            ):
                cells[one, each.number] = f"{places[other]}{color}{_mark(board, one)}"
    return cells


def _mark(board: Board, number: int) -> str:
    """The result of a board for one of its players, in one character."""
    if board.result is None:
        return "·"
    points = board.points_of(number)
    if board.result.is_played:
        return {1.0: "1", 0.5: "½", 0.0: "0"}[points]
    return "" if board.result is BoardResult.VOID else "+" if points else "-"


def _region(name: str, content: str) -> str:
    """A table that may be wider than a screen is scrolled by keys too."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{name}">{content}</div>\n'


def _heads(*columns: tuple[str, str]) -> str:
    """The cells of a table's head, each with its text and class. Acronyms are explained."""

    def text(name: str) -> str:
        known = TIE_BREAKS.get(name)
        return f'<abbr title="{known[0]}: {known[1]}">{name}</abbr>' if known else name

    return "".join(f'<th scope="col" class="{kind}">{text(name)}</th>' for name, kind in columns)


def _table(caption: str, head: str, rows: str, kind: str = "") -> str:
    said = f"<caption>{caption}</caption>" if caption else ""
    return (
        f'<table class="{kind}">{said}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table>\n"
    )
