"""Pairs and tie-breaks are those of second programs, which have an environment of their own."""

import json
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from arbiter.core.tournaments.tie_breaks import tie_breaks
from arbiter.core.tournaments.tournament import Format, Tournament
from arbiter.dialects import trf
from tests.adapters.pairing.recorded import Question, questions
from tests.adapters.pairing.test_tie_breaks import points_of, round_robins
from tests.template.source import ROOT

_PYTHON = ROOT / ".venv/tools/pairing_oracles/bin/python"
_PROGRAM = ROOT / "tests/adapters/pairing/second_opinions.py"

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(
        not _PYTHON.exists(), reason="no second engines here: make .venv/tools/.pairing_oracles"
    ),
]

_Line = tuple[int, float, str, str]
"""Of a player's round: opponent, points, colour, kind."""

_NAMES = {
    "BH": "buchholz",
    "BH/C1": "buchholz_cut1",
    "BH/C2": "buchholz_cut2",
    "SB": "sonneborn_berger",
    "SB/C1": "sonneborn_berger_cut1",
    "WIN": "wins",
    "WON": "won",
    "BPG": "games_black",
    "BWG": "wins_black",
    "REP": "rounds_elected",
    "PS": "progressive",
    "KS": "koya",
}
_OF_SWISS = tuple(name for name in _NAMES if name != "KS")
_OF_ROUND_ROBINS = ("SB", "WIN", "KS")


def _asked(asked: Iterable[dict[str, Any]]) -> list[Any]:
    text = "".join(f"{json.dumps(each)}\n" for each in asked)
    done = subprocess.run(
        [_PYTHON, _PROGRAM], input=text, check=True, capture_output=True, text=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _finals() -> list[Tournament]:
    """The recorded tournaments before their last rounds."""
    last = {question.tournament.id: question.tournament for question in questions()}
    return [tournament for tournament in last.values() if tournament.rounds]


def test_caissify_pairs_every_round_alike() -> None:
    """Its colours are wrong where scores differ, so they are not compared. It knows no
    forbidden pairs, and takes a minute and more for a round of many players.
    """
    asked = [
        each
        for each in questions()
        if each.boards and len(each.present) <= 24 and not each.tournament.forbidden
    ]

    found = _asked(_round(each) for each in asked)

    assert len(asked) >= 200
    for question, pairs in zip(asked, found, strict=True):
        byes = [(question.bye, 0)] if question.bye else []
        want = {frozenset(pair) for pair in (*(question.boards or ()), *byes)}
        where = f"round {question.tournament.round} of {question.tournament.id}"
        assert (where, {frozenset(pair) for pair in pairs}) == (where, want)


def test_tiebreak_core_decides_alike() -> None:
    """It keeps one value where all would be cut, and of round robins it counts byes and, in article
    7, forfeits otherwise than gacrux does.
    """
    swiss = [_with(each, *_OF_SWISS) for each in _finals() if len(each.rounds) > 2]
    named = [*swiss, *(_with(each, *_OF_ROUND_ROBINS) for each in round_robins(30))]

    found = _asked(map(_decision, named))

    compared = 0
    for tournament, theirs in zip(named, found, strict=True):
        ours = tie_breaks(tournament, points_of(tournament))
        assert {str(number): [*values] for number, values in ours.items()} == theirs
        compared += len(ours)
    assert compared >= 1000


def test_caissify_reads_what_is_reported() -> None:
    finals = _finals()
    texts = [trf.report(each, version) for each in finals for version in trf.Version]

    found = _asked({"trf": text} for text in texts)

    assert len(finals) >= 20
    for text, theirs in zip(texts, found, strict=True):
        rows = [line for line in text.splitlines() if line.startswith("001")]
        cells = [[row[at : at + 8] for at in range(91, len(row), 10)] for row in rows]
        assert theirs == [
            [
                person.name,
                person.rating,
                float(row[80:84]),
                [[int(one[:4]), one[7]] for one in own],
            ]
            for (_, person), row, own in zip(trf.players(text), rows, cells, strict=True)
        ]


def _with(tournament: Tournament, *names: str) -> Tournament:
    return replace(tournament, terms=replace(tournament.terms, tie_breaks=names))


def _decision(tournament: Tournament) -> dict[str, Any]:
    """The input of tiebreak-core. A round robin has as many rounds as each has games."""
    lines = _lines(tournament)
    is_swiss = tournament.terms.format is Format.SWISS
    games = max(sum(1 for opponent, *_ in own if opponent) for own in lines.values())
    return {
        "lines": lines,
        "rounds": len(tournament.rounds) if is_swiss else games,
        "mode": "swiss" if is_swiss else "round_robin",
        "names": [_NAMES[name] for name in tournament.terms.tie_breaks],
    }


def _round(question: Question) -> dict[str, Any]:
    """The input of caissify-pairings: score, colours and floats so far of each who is there."""
    tournament = question.tournament
    lines = _lines(tournament)
    players = []
    for place, entry in enumerate(trf.seeded(tournament, question.present), 1):
        if entry.number in question.present:
            own = lines.get(entry.number, [])
            kinds = [kind for _, _, _, kind in own]
            players.append(
                {
                    "id": entry.number,
                    "name": "",
                    "rating": entry.rating,
                    "starting_number": place,
                    "score": sum(points for _, points, _, _ in own),
                    "color_hist": [color for _, _, color, kind in own if kind == "played"],
                    "float_history": [_float(lines, own, at) for at in range(len(own))],
                    "bye_count": kinds.count("pairing_bye"),
                    "forfeit_win_count": kinds.count("forfeit_win"),
                }
            )
    met = [
        (board.white, board.black)
        for _, board in tournament.boards()
        if board.result and board.result.is_played
    ]
    return {
        "players": players,
        "met": met,
        "round": tournament.round,
        "rounds": tournament.terms.rounds,
    }


def _float(lines: dict[int, list[_Line]], own: list[_Line], at: int) -> str:
    opponent, points, _, kind = own[at]
    if kind != "played":
        return "down" if points else "none"
    mine, theirs = (sum(it[1] for it in each[:at]) for each in (own, lines[opponent]))
    return "down" if mine > theirs else "up" if mine < theirs else "none"


def _lines(tournament: Tournament) -> dict[int, list[_Line]]:
    """The rounds of each player with a number. A round robin's bye is no round."""
    none = "absent" if tournament.terms.format is Format.ROUND_ROBIN else "requested_bye"
    lines: dict[int, list[_Line]] = {n: [] for n in points_of(tournament)}
    for each in tournament.rounds:
        of_round = {
            bye.number: (
                0,
                bye.kind.points,
                "",
                "pairing_bye" if bye.kind == "U" else none,
            )
            for bye in each.byes
        }
        for board in each.boards:
            for number, opponent in ((board.white, board.black), (board.black, board.white)):
                points = board.points_of(number)
                kind = "forfeit_win" if points else "forfeit_loss"
                if board.result and board.result.is_played:
                    kind = "played"
                color = "white" if number == board.white else "black"
                of_round[number] = (opponent, points, color, kind)
        for number, own in lines.items():
            own.append(of_round.get(number, (0, 0.0, "", none)))
    return lines
