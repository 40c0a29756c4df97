"""A tournament played in virtual time, one command after the other."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256

import chess

from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Seat, Termination
from arbiter.core.tournaments import berger, knockout
from arbiter.core.tournaments.commands import (
    Create,
    Due,
    GameOver,
    GamesMade,
    Join,
    NoPairings,
    OrganisersWord,
    Pairings,
    TournamentCommand,
)
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.replies import Told, TournamentReply
from arbiter.core.tournaments.tournament import (
    Board,
    Bye,
    ByeKind,
    Format,
    Phase,
    Tournament,
    TournamentTerms,
)
from arbiter.core.tournaments.validate import flaw_of_pairings
from tests.builders import NOW_MS

ORGANISER = "0" * 64
TERMS = TournamentTerms(
    title="Thursday",
    format=Format.ROUND_ROBIN,
    time=TimeControl(180_000, 2_000),
    starts_ms=NOW_MS + 600_000,
)

ENDS = {
    "1-0": Outcome(Termination.CHECKMATE, WHITE),
    "0-1": Outcome(Termination.RESIGNATION, BLACK),
    "1/2-1/2": Outcome(Termination.AGREEMENT, None),
    "+/-": Outcome(Termination.NO_SHOW, WHITE, aborted_by=BLACK),
    "-/+": Outcome(Termination.NO_SHOW, BLACK, aborted_by=WHITE),
    "flag": Outcome(Termination.TIMEOUT, WHITE),
    "*": Outcome(Termination.ABORTED, None),
}


def player(number: int) -> str:
    """The id of the player who joins as this number."""
    return f"{number:064x}"


def seat(number: int) -> Seat:
    return Seat(player(number), "native")


def engine(tournament: Tournament) -> Pairings | NoPairings:
    """Pairs that keep the rules of ``validate``, and no other: the first found."""
    match tournament.terms.format:
        case Format.ROUND_ROBIN:
            return berger.pair_round_robin(tournament)
        case Format.KNOCKOUT:
            return knockout.pair_knockout(tournament)
        case Format.ARENA:
            field = tournament.field
            boards = tuple(zip(field[::2], field[1::2], strict=False))
            return Pairings(tournament.round, boards, (), "test", "")
        case _:
            return _first_legal(tournament) or NoPairings(
                tournament.round, is_impossible=True, text="none"
            )


Boards = tuple[tuple[int, int], ...]


def _first_legal(tournament: Tournament) -> Pairings | None:
    field = tournament.field
    for free in [(number,) for number in field[::-1]] if len(field) % 2 else [()]:
        seated = tuple(number for number in field if number not in free)
        for boards in _legal_boards(tournament, seated):
            if pairings := _if_legal(tournament, boards, free):
                return pairings
    return None


def _legal_boards(tournament: Tournament, left: tuple[int, ...]) -> Iterator[Boards]:
    if not left:
        yield ()
    for other in left[1:]:
        pairs = ((left[0], other), (other, left[0]))
        pair = next((one for one in pairs if _if_legal(tournament, (one,), ())), None)
        if pair:
            rest = tuple(number for number in left[1:] if number != other)
            yield from ((pair, *boards) for boards in _legal_boards(tournament, rest))


def _if_legal(tournament: Tournament, boards: Boards, free: tuple[int, ...]) -> Pairings | None:
    """These pairings, if they keep the rules for those who are in them."""
    field = (*(number for pair in boards for number in pair), *free)
    byes = tuple(Bye(number, ByeKind.PAIRING) for number in free)
    pairings = Pairings(tournament.round, boards, byes, "test", "")
    return None if flaw_of_pairings(replace(tournament, field=field), pairings) else pairings


class Evening:
    """A tournament, its clock, and all that was told."""

    def __init__(self, terms: TournamentTerms = TERMS, players: int = 0) -> None:
        self.now_ms = NOW_MS
        self.tournament: Tournament = None  # type: ignore[assignment]
        self.told: list[TournamentReply] = []
        replies = self.say(Create(ORGANISER, terms, id="e" * 32))
        assert replies == (Told(ORGANISER, "created"),), replies
        for number in range(1, players + 1):
            self.join(number)

    def say(self, command: TournamentCommand) -> tuple[TournamentReply, ...]:
        decision = decide_tournament(self.tournament, command, self.now_ms)
        if decision.tournament is not None:
            self.tournament = decision.tournament
        self.told += decision.replies
        return decision.replies

    def join(
        self, number: int, rating: int = 1500, *, is_bot: bool = False, is_listed: bool = False
    ) -> tuple[TournamentReply, ...]:
        return self.say(Join(seat(number), rating, is_bot=is_bot, is_listed=is_listed))

    def order(self, word: str) -> tuple[TournamentReply, ...]:
        """A word of the organiser."""
        return self.say(OrganisersWord(ORGANISER, self.now_ms, word))

    def is_in(self, phase: Phase) -> bool:
        return self.tournament.phase is phase

    def awaits(self) -> bool:
        """Whether the engine was asked."""
        return self.tournament.awaits_pairings

    def pass_time(self) -> tuple[TournamentReply, ...]:
        """The time at which something is due."""
        assert self.tournament.next_ms is not None, f"nothing is due: {self.tournament.phase}"
        self.now_ms = max(self.now_ms, self.tournament.next_ms)
        return self.say(Due())

    def pair(self) -> tuple[TournamentReply, ...]:
        return self.say(engine(self.tournament))

    def make_games(self) -> None:
        for each in self.tournament.rounds:
            if each.started < len(each.boards):
                self.say(GamesMade(each.number, len(each.boards)))

    def end(self, number: int, place: int, result: str, plies: int = 40) -> GameOver:
        """The end of a game: of this round and board, both from 1."""
        over = GameOver(number, place, self.game(number, place, result, plies))
        self.say(over)
        return over

    def game(self, number: int, place: int, result: str, plies: int = 40) -> Game:
        board = self.tournament.rounds[number - 1].boards[place - 1]
        game = Game(
            id=sha256(f"{number}.{place}".encode()).hexdigest()[:32],
            white=self.tournament.entry(board.white).seat,
            black=self.tournament.entry(board.black).seat,
            created_at_ms=self.now_ms,
            changed_at_ms=self.now_ms,
            outcome=ENDS[result],
            ended_at_ms=self.now_ms,
            clocks=start_clocks(self.tournament.terms.time, self.now_ms),
        )
        return replace(game, moves=_MOVES[: 0 if result in ("+/-", "-/+") else plies])

    def begin_round(self) -> None:
        """Go on until the games of the next round are made, or all is over."""
        for _ in range(20):
            if self.tournament.awaits_pairings and not self.tournament.trouble:
                self.pair()
            elif self.tournament.phase is Phase.STARTING:
                self.make_games()
            elif self.tournament.phase is Phase.PLAYING or not self.tournament.is_under_way:
                return
            else:
                self.pass_time()
        raise AssertionError(f"no round begins: {self.tournament.phase} {self.tournament.trouble}")

    def play_round(self, result: str | Callable[[Board], str] = "1-0") -> None:
        """Begin the next round, and end every game of it."""
        self.begin_round()
        number = self.tournament.round
        for place, board in enumerate(self.tournament.rounds[-1].boards, 1):
            if board.result is None:
                self.end(number, place, result if isinstance(result, str) else result(board))

    def play(self, result: str | Callable[[Board], str] = "1-0") -> None:
        """Play to the end."""
        for _ in range(200):
            if not self.tournament.is_under_way:
                return
            self.play_round(result)
        raise AssertionError("it does not end")

    @property
    def pairs(self) -> list[list[tuple[int, int]]]:
        """White and Black of all boards, by round."""
        return [[(one.white, one.black) for one in each.boards] for each in self.tournament.rounds]


_MOVES = tuple(map(chess.Move.from_uci, ["g1f3", "g8f6", "f3g1", "f6g8"])) * 50
