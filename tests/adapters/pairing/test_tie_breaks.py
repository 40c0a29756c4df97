"""Tie-breaks are those of other programs, and of the articles by hand."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

from arbiter.core.game import Seat
from arbiter.core.tournaments import score
from arbiter.core.tournaments.tie_breaks import DEFAULTS, tie_breaks
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Bye,
    ByeKind,
    Entry,
    EntryState,
    Format,
    Round,
    Tournament,
)
from arbiter.dialects import trf
from tests.adapters.pairing.recorded import questions

NAMES = (
    *("BH", "BH/C1", "BH/C2", "BH/M1", "SB", "SB/C1"),
    *("WIN", "WON", "BPG", "BWG", "REP", "PS", "KS", "DE"),
)
_IN_ROUND_ROBINS = ("DE", "WIN", "SB", "KS", "WON", "BPG", "BWG", "REP", "PS")
_SOME = slice(0, None, 6)
_BY_CHANCE = (BoardResult.WHITE_WINS, BoardResult.BLACK_WINS, BoardResult.DRAW)
_FORFEITS = (
    BoardResult.WHITE_BY_FORFEIT,
    BoardResult.BLACK_BY_FORFEIT,
    BoardResult.BOTH_FORFEIT,
)


def points_of(tournament: Tournament) -> dict[int, float]:
    """The points of every entry with a pairing number."""
    points = {entry.number: 0.0 for entry in trf.seeded(tournament)}
    for each in tournament.rounds:
        for bye in each.byes:
            points[bye.number] = points.get(bye.number, 0.0) + bye.kind.points
        for board in each.boards:
            for number in (board.white, board.black):
                points[number] += board.points_of(number)
    return points


def _with_names(tournament: Tournament, *names: str) -> Tournament:
    return replace(tournament, terms=replace(tournament.terms, tie_breaks=names))


def _of_gacrux(tournament: Tournament, *, is_swiss: bool) -> dict[int, tuple[float, ...]]:
    """The same by gacrux, where ``DE`` is a rank and is compared by the order alone."""
    reader = trf2json()
    reader.parse_file(trf.report(tournament), 0)
    read = reader.get_tournament(1)
    names = ["PTS", *tournament.terms.tie_breaks]
    asked = {"tiebreak": names, "check": 0, "swiss": is_swiss, "pre_determined": not is_swiss}
    found = tiebreak(read, len(tournament.rounds), asked).compute_tiebreaks(read, asked)
    present = [e.number for e in tournament.entries if e.state == "in"]
    seeds = trf.seeded(tournament, present)
    return {
        seeds[each["cid"] - 1].number: (
            *(float(it) for it in each["tiebreakScore"][1:] if it is not None),
            -float(each["rank"]),
        )
        for each in found["competitors"]
    }


def _ours(tournament: Tournament) -> dict[int, tuple[float, ...]]:
    points = points_of(tournament)
    points |= {e.number: points.get(e.number, 0.0) for e in tournament.entries}
    values = tie_breaks(tournament, points)
    order = {number: (points[number], *own) for number, own in values.items()}
    ranks = {n: 1.0 + sum(other > own for other in order.values()) for n, own in order.items()}
    return {number: (*own, -ranks[number]) for number, own in values.items()}


def _without(values: dict[int, tuple[float, ...]], at: int) -> dict[int, tuple[float, ...]]:
    return {number: (*own[:at], *own[at + 1 :]) for number, own in sorted(values.items())}


@pytest.mark.parametrize(
    "lines", [_SOME, pytest.param(slice(None), marks=pytest.mark.oracle)], ids=["some", "all"]
)
def test_a_swiss_is_decided_as_by_gacrux(lines: slice) -> None:
    for question in questions(lines):
        if question.tournament.rounds:
            tournament = _with_names(question.tournament, *NAMES)
            at = NAMES.index("DE")
            ours = _without(_ours(tournament), at)
            assert ours == _without(_of_gacrux(tournament, is_swiss=True), at)


def round_robins(count: int) -> Iterator[Tournament]:
    """Round robins with forfeits, in an order of their own: tie-breaks do not ask for a table."""
    draw = random.Random(5)
    model = next(iter(questions(slice(0, 1)))).tournament
    for _ in range(count):
        players, cycles = draw.randrange(3, 12), draw.choice((1, 2))
        circle = [*range(1, players + 1 + players % 2)]
        entries = tuple(
            Entry(number=number, seat=Seat(f"{number:064x}", "native"), rating=3000 - number)
            for number in range(1, players + 1)
        )
        terms = replace(model.terms, format=Format.ROUND_ROBIN, cycles=cycles, rounds=0)
        tournament = replace(model, entries=entries, forbidden=(), terms=terms, by_player={})
        for number in range(1, (len(circle) - 1) * cycles + 1):
            circle = [circle[0], circle[-1], *circle[1:-1]]
            pairs = zip(circle[: len(circle) // 2], circle[::-1], strict=False)
            sorted_pairs = [tuple(draw.sample(pair, 2)) for pair in pairs]
            tournament = tournament.with_round(
                Round(
                    number=number,
                    boards=tuple(
                        Board(white=white, black=black, result=_result(draw))
                        for white, black in sorted_pairs
                        if max(white, black) <= players
                    ),
                    byes=tuple(
                        Bye(min(pair), ByeKind.ZERO) for pair in sorted_pairs if max(pair) > players
                    ),
                )
            )
        yield tournament


def _result(draw: random.Random) -> BoardResult:
    return draw.choice(_FORFEITS if draw.random() < 0.06 else _BY_CHANCE)


def test_a_round_robin_is_decided_as_by_gacrux() -> None:
    for tournament in round_robins(60):
        named = _with_names(tournament, *_IN_ROUND_ROBINS)
        assert _without(_ours(named), 0) == _without(_of_gacrux(named, is_swiss=False), 0)


def _small(*rounds: str) -> Tournament:
    """A Swiss of four: each round in words, ``12=`` (white, black, result), ``3U`` (a bye)."""
    results = dict(
        zip("10=+-x*", (*_BY_CHANCE[:2], _BY_CHANCE[2], *_FORFEITS, BoardResult.VOID), strict=True)
    )
    tournament = next(iter(questions(slice(0, 1)))).tournament
    entries = tuple(replace(entry, rating=2000 - entry.number) for entry in tournament.entries[:4])
    tournament = replace(tournament, entries=entries, forbidden=(), by_player={})
    for number, words in enumerate(rounds, 1):
        boards, byes = [], []
        for word in words.split():
            if len(word) == 2:
                byes.append(Bye(int(word[0]), ByeKind(word[1])))
            else:
                result = results.get(word[2])
                boards.append(Board(white=int(word[0]), black=int(word[1]), result=result))
        tournament = tournament.with_round(
            Round(number=number, boards=tuple(boards), byes=tuple(byes))
        )
    return tournament


@pytest.mark.parametrize(
    ("article", "name", "rounds", "expected"),
    [
        ("8.1 the opponents' scores", "BH", ("121 34=", "131 24="), (1.0, 3.0, 3.0, 1.0)),
        ("7.1 a win by forfeit is a win", "WIN", ("12+ 34=",), (1, 0, 0, 0)),
        ("7.2 but not over the board", "WON", ("12+ 341",), (0, 0, 1, 0)),
        ("7.3 a game that was not played had no colours", "BPG", ("12+ 341",), (0, 0, 0, 1)),
        ("16.3.2 a leaver's rounds are draws", "BH", ("121", "3U", "3U"), (3.0, 2.0, 4.5, 0.0)),
        ("16.4.1 forfeits: the opponent's, if less", "BH", ("12+ 34=",), (0.0, 0.0, 0.5, 0.5)),
        ("6.2 the winner of the game is ahead", "DE", ("121 34=", "231 411"), (1, 0, 0, 0)),
        ("6.3 not where others were not met", "DE", ("121 3U", "2U"), (0, 0, 0, 0)),
        ("6.3 nor where they could draw level", "DE", ("121", "13= 2U", "3U 2H"), (0, 0, 0, 0)),
        ("a void board is none", "WON", ("12* 341",), (0, 0, 1, 0)),
        ("a board under way is none yet", "BH", ("12? 341",), (0.0, 0.0, 0.0, 1.0)),
    ],
)
def test_articles_by_hand(
    article: str, name: str, rounds: tuple[str, ...], expected: tuple[float, ...]
) -> None:
    tournament = _with_names(_small(*rounds), name)
    points = {number: points_of(tournament).get(number, 0.0) for number in range(1, 5)}

    found = tie_breaks(tournament, points)

    assert tuple(found[number][0] for number in range(1, 5)) == expected, article


def test_names_that_are_not_known_are_left_out_and_without_any_the_default_decides() -> None:
    tournament = _small("121 341")
    points = points_of(tournament)

    assert tie_breaks(_with_names(tournament, "TPR", "WIN", ""), points)[1] == (1.0,)
    assert len(tie_breaks(tournament, points)[1]) == len(DEFAULTS[Format.SWISS])


@pytest.mark.parametrize("format_", [Format.ARENA, Format.KNOCKOUT])
def test_formats_that_know_no_tie_breaks_have_none(format_: Format) -> None:
    tournament = _with_names(_small("121 341"), "BH")
    changed = replace(tournament, terms=replace(tournament.terms, format=format_))

    assert set(tie_breaks(changed, points_of(changed)).values()) == {()}


def test_results_against_a_leaver_of_a_round_robin_count_for_nothing() -> None:
    rounds = ("121 341", "131 241", "141 231")
    left, stays = (
        replace(each, terms=replace(each.terms, format=Format.ROUND_ROBIN), field=(1, 2, 3, 4))
        for each in (_with_names(_small(*rounds[:count]), "WIN", "SB") for count in (1, 3))
    )
    gone = replace(left.entry(4), state=EntryState.LEFT)

    before, after = left.with_entry(gone), stays.with_entry(gone)

    assert tie_breaks(before, score.points(before))[3] == (0.0, 0.0)
    assert tie_breaks(after, score.points(after))[3] == (1.0, 0.0)
