"""`arbiter verify` and `arbiter report`: an event as an arbiter shows it, checked and completed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.adapters.pairing.engine import Engine
from arbiter.core.tournaments.commands import Pairings
from arbiter.core.tournaments.tournament import Board, BoardResult, Round, Tournament
from arbiter.dialects import trf
from arbiter.web.tournament_views import tournament_view
from server import event_report
from server.cli import main
from server.event_report import verify
from tests.adapters.pairing.recorded import questions

URL = "https://arbiter.example/events/5a"


def _played(rounds: int) -> Tournament:
    """A Swiss whose rounds were paired by the engine; White won everywhere."""
    tournament = next(iter(questions(slice(4, 5)))).tournament
    everybody = tuple(entry.number for entry in tournament.entries)
    for number in range(1, rounds + 1):
        asked = replace(tournament, round=number, field=everybody, by_player={})
        found = Engine().pair(asked)
        assert isinstance(found, Pairings)
        boards = tuple(
            Board(white=white, black=black, result=BoardResult.WHITE_WINS)
            for white, black in found.boards
        )
        tournament = asked.with_round(
            Round(
                number=number,
                boards=boards,
                byes=found.byes,
                engine=found.engine,
                digest=found.digest,
            )
        )
    return tournament


class _Shown:
    """The answers of an arbiter about a tournament."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament

    def __call__(self, url: str, accept: str) -> str:
        if accept == "application/json":
            assert url == URL
            return json.dumps(tournament_view(self.tournament))
        if "?round=" in url:
            text = trf.asked_text(self.tournament, int(url.removeprefix(f"{URL}/trf?round=")))
            assert text
            return text
        assert url == f"{URL}/trf"
        return trf.report(self.tournament)


TOURNAMENT = _played(3)


def test_rounds_that_an_engine_paired_are_paired_again_and_are_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert verify(f"{URL}/?view=poster", _Shown(TOURNAMENT)) == 0

    said = capsys.readouterr().out.splitlines()
    assert len(said) == 3
    assert all(" the same " in line and "gacrux 1.11.65" in line for line in said)


def test_boards_that_were_exchanged_are_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    one, other, *rest = TOURNAMENT.rounds[2].boards
    swapped = (replace(one, black=other.black), replace(other, black=one.black), *rest)
    changed = replace(TOURNAMENT.rounds[2], boards=swapped)

    assert verify(URL, _Shown(TOURNAMENT.with_round(changed))) == 1
    assert capsys.readouterr().out.splitlines()[2].startswith("round 3: differs: gacrux")


def test_a_result_that_was_changed_after_it_was_paired_from_is_noticed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = TOURNAMENT.rounds[0]
    lost = replace(first.boards[0], result=BoardResult.BLACK_WINS)

    assert verify(URL, _Shown(TOURNAMENT.with_round(first.with_board(0, lost)))) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line.split(": ", 1)[1][:7] for line in said] == ["the sam", "differs", "differs"]


def test_rounds_without_an_engine_are_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    engines = ("", "berger", "gacrux 1.11.65")
    rounds = (
        replace(each, engine=engine)
        for each, engine in zip(TOURNAMENT.rounds, engines, strict=True)
    )

    assert verify(URL, _Shown(replace(TOURNAMENT, rounds=tuple(rounds), by_player={}))) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "round 1: not compared, paired by hand",
        "round 2: not compared, paired by berger",
    ]


def test_names_are_added_on_the_organisers_machine_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(event_report.with_names, "__defaults__", (_Shown(TOURNAMENT),))
    key = TOURNAMENT.entry(2).seat.player
    people = tmp_path / "people.txt"
    people.write_text(f"001    7 m GM Doe, John{' ' * 25}2222 NOR      123456\n### 7 {key}\n")

    assert main(["report", URL, str(people)]) == 0

    (line,) = (it for it in capsys.readouterr().out.splitlines() if "Doe" in it)
    number = 1 + [e.number for e in trf.seeded(TOURNAMENT)].index(2)
    assert line.startswith(f"001 {number:4} m GM Doe, John")
    assert line[48:68].split() == ["2222", "NOR", "123456"]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x", "x"])
def test_what_is_no_web_address_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", url]) == 1
    assert capsys.readouterr().err == f"arbiter: {url} is no address of a page\n"
