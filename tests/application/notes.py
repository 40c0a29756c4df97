"""A tournament as anybody reads it from what was published: the latest 30327 to 30329, and the
notes (kind 64) of its games. Standings are counted anew here, by code of its own.
"""

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import chess.pgn

from arbiter.nostr.event import VerifiedEvent

PLAYED = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
FORFEITS = {"+/-": (1.0, 0.0), "-/+": (0.0, 1.0), "-/-": (0.0, 0.0), "*": (0.0, 0.0)}
BYES = {"U": 1.0, "H": 0.5, "Z": 0.0}


@dataclass(frozen=True)
class Board:
    """A ``b`` tag. A result that is neither corrected nor a forfeit is its note's."""

    white: str
    black: str
    game: str
    result: str
    is_corrected: bool

    @property
    def points(self) -> dict[str, float]:
        both = (PLAYED | FORFEITS)[self.result]
        return dict(zip((self.white, self.black), both, strict=True))


@dataclass
class Published:
    """The events of one tournament, by its id, among all that the arbiter published."""

    format: str = ""
    status: str = ""
    boards: dict[tuple[int, int], Board] = field(default_factory=dict)
    byes: list[tuple[int, str, str]] = field(default_factory=list)
    rows: dict[str, tuple[float, str]] = field(default_factory=dict)
    notes: dict[str, VerifiedEvent] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[VerifiedEvent], id_: str) -> "Published":
        """As relays and clients keep them. Two notes of a game are a fault."""
        latest: dict[tuple[int, str], VerifiedEvent] = {}
        made = cls()
        for event in events:
            name = tag_of(event, "d")
            if event.kind in (30327, 30328, 30329) and name.partition(":")[0] == id_:
                known = latest.get((event.kind, name))
                if known is None or _order(known) <= _order(event):
                    latest[event.kind, name] = event
            elif event.kind == 64 and tag_of(event, "a").endswith(f":{id_}"):
                known = made.notes.setdefault(name, event)
                assert known.id == event.id, f"two notes of {name}"
        for event in latest.values():
            made._read(event)
        return made

    def _read(self, event: VerifiedEvent) -> None:
        if event.kind == 30327:
            self.format, self.status = tag_of(event, "format"), tag_of(event, "status")
        number = int(tag_of(event, "round") or 0)
        for name, *said in event.tags:
            if name == "b":
                place, white, black, game, result = said[:5]
                self.boards[number, int(place)] = Board(
                    white, black, game, result, "corrected" in said
                )
            elif name == "bye":
                self.byes.append((number, *said))  # type: ignore[arg-type]
            elif name == "s":
                self.rows[said[1]] = float(said[2]), said[3]

    def check(self) -> None:
        """No game twice, none missing, no result but a note's or the organiser's, and standings as
        counted from these.
        """
        games = [board.game for board in self.boards.values() if board.game]
        assert len({*games}) == len(games), "a game twice"
        assert {*self.notes} <= {*games}, "a note of no board"
        for (number, place), board in self.boards.items():
            where = (number, place, board)
            note = self.notes.get(board.game)
            if note is not None:
                players = [tag[1] for tag in note.tags if tag[0] == "p"]
                assert players == [board.white, board.black], where
                assert tag_of(note, "round") == f"{number}.{place}", where
            if board.result in PLAYED and not board.is_corrected:
                assert note is not None, f"no note: {where}"
                assert tag_of(note, "result") == board.result, where
                assert tag_of(note, "termination") != "no-show", where
            assert board.result, f"no result: {where}"
        if self.status != "finished":
            return
        least, most = self._points()
        for player, (points, _) in self.rows.items():
            assert least[player] <= points <= most[player], (self.format, player, points, least)

    def _points(self) -> tuple[dict[str, float], dict[str, float]]:
        """The least and the most points of each: they differ in a knockout alone, where a bye
        behind a match that both have lost is in no round.
        """
        points: dict[str, float] = defaultdict(float)
        if self.format == "arena":
            for player in self.rows:
                points[player] = self._sheet(player)
            return points, points
        if self.format == "knockout":
            return self._matches()
        struck = self._struck() if self.format == "round-robin" else set()
        for board in self.boards.values():
            if not struck & {board.white, board.black}:
                for player, won in board.points.items():
                    points[player] += won
        for _, player, letter in self.byes:
            points[player] += BYES[letter]
        return points, points

    def _struck(self) -> set[str]:
        """Who left a single round robin before half of their games."""
        field = {
            player
            for (number, _), one in self.boards.items()
            if number == 1
            for player in one.points
        }
        field |= {player for number, player, _ in self.byes if number == 1}
        played: dict[str, int] = defaultdict(int)
        for board in self.boards.values():
            for player in board.points:
                played[player] += board.result in PLAYED
        gone = {player for player, (_, state) in self.rows.items() if state in ("left", "removed")}
        return {player for player in gone if 2 * played[player] < len(field) - 1}

    def _sheet(self, player: str) -> float:
        """An arena: the page's own words, a game after the other."""
        total, in_a_row, drew = 0.0, 0, False
        for board in self._of(player):
            won = board.points[player]
            if board.result in FORFEITS:
                total += 2 * won
                continue
            twice = 2 if in_a_row >= 2 else 1
            if won == 0.5:
                plies = self._plies(board)
                total += twice if plies >= 60 or (plies >= 20 and not drew) else 0
            else:
                total += 2 * twice * won
            in_a_row = in_a_row + 1 if won == 1 else 0
            drew = won == 0.5 or (drew and won == 0)
        return total

    def _of(self, player: str) -> Iterator[Board]:
        return (
            board
            for _, board in sorted(self.boards.items(), key=lambda it: it[0])
            if player in board.points
        )

    def _plies(self, board: Board) -> int:
        note = self.notes.get(board.game)
        game = chess.pgn.read_game(io.StringIO(note.content)) if note else None
        return game.end().ply() if game else 0

    def _matches(self) -> tuple[dict[str, float], dict[str, float]]:
        least: dict[str, float] = defaultdict(float)
        matches: dict[frozenset[str], list[Board]] = defaultdict(list)
        for _, board in sorted(self.boards.items(), key=lambda it: it[0]):
            matches[frozenset(board.points)].append(board)
        for _, player, letter in self.byes:
            least[player] += BYES[letter]
        lost_by_both = 0
        for boards in matches.values():
            last = boards[-1]
            is_forfeit = last.result in FORFEITS and last.result != "*"
            sums = {player: sum(one.points[player] for one in boards) for player in last.points}
            least_won, most_won = sorted((last.points if is_forfeit else sums).items(), key=_won)
            if (is_forfeit or len(boards) % 2) and least_won[1] < most_won[1]:
                least[most_won[0]] += 1
            lost_by_both += last.result == "-/-"
        return least, {player: least[player] + lost_by_both for player in self.rows}


def tag_of(event: VerifiedEvent, name: str) -> str:
    return next((tag[1] for tag in event.tags if tag[0] == name), "")


def _order(event: VerifiedEvent) -> tuple[int, int]:
    """The higher version counts, and of one version the later."""
    return int(tag_of(event, "version")), event.created_at


def _won(sum_: tuple[str, float]) -> float:
    return sum_[1]
