"""The ladder's reading and counting."""

import pytest

from clients.bot.config import read_config
from clients.bot.ladder import Entrant, Record, config_of, read_entrant
from clients.bot.terms import TimeControl
from tests.clients.bot.scene import ARBITER, ME, OTHER, event, state_event


def test_an_entrant_is_read_with_level_and_options() -> None:
    assert read_entrant("a b=/usr/games/stockfish@3,UCI_Elo=1350,UCI_LimitStrength=true") == (
        Entrant("a b", "/usr/games/stockfish", 3, {"UCI_Elo": 1350, "UCI_LimitStrength": True})
    )
    assert read_entrant("x=plain") == Entrant("x", "plain", None, {})


@pytest.mark.parametrize("text", ["", "x", "x=", "=plain", "x=plain@strong"])
def test_what_is_no_entrant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"NAME=ENGINE|invalid literal"):
        read_entrant(text)


def test_an_entrants_file_is_one_that_a_bot_reads() -> None:
    entrant = Entrant('q"uote', "plain", None, {"Move Overhead": 5, "UCI_LimitStrength": True})
    config = read_config(config_of(entrant, TimeControl(10, 1), 3))

    assert (config.name, config.pause) == ('q"uote', 3)
    assert config.engine.uci_options == entrant.options
    assert config.matchmaking.times() == (TimeControl(10, 1),)


def test_results_losses_on_time_and_errors_are_counted_once() -> None:
    record = Record({ME: "ann", OTHER: "bob"})
    ends = (("result", "0-1"), ("termination", "timeout"))
    record.take(state_event(["e2e4"]), ARBITER)
    for _ in range(2):
        record.take(state_event(["e2e4"], *ends, version=3), ARBITER)
    record.take(state_event(["e2e4"]), ARBITER)
    record.take(event(20302, "nonsense"), ARBITER)
    record.take(event(20304, "illegal-move: e2e5 (1 of 3)", ("e", "x")), ARBITER)
    record.take(event(30300, "", ("p", ME), ("rating", "1400", "300")), ARBITER)
    lines = record.summary().splitlines()

    assert "1 games, 0 not over" in lines
    assert "ends: timeout 1" in lines
    assert "lost on time: ann 1" in lines
    assert "ann - bob: +0 =0 -1" in lines
    assert "errors: unreadable state 1, illegal-move 1" in lines
    assert "rating ann: 1400 ± 300" in lines


def test_those_whose_games_go_on_are_known_until_they_end() -> None:
    record = Record({ME: "ann", OTHER: "bob"})
    record.take(state_event(["e2e4"]), ARBITER)
    assert record.playing() == {"ann", "bob"}
    record.take(state_event(["e2e4"], ("result", "1-0"), version=3), ARBITER)
    assert record.playing() == set()
