"""The configuration: what is wrong in it is named."""

import pytest

from clients.bot.config import Config, ConfigError, read_config
from clients.bot.strength import Range, at_level
from clients.player.terms import TimeControl
from tests.clients.bot.scene import OTHER

WHOLE = f"""
name = "Fish"
abort_time = 20
[engine]
name = "stockfish"
[engine.uci_options]
"Move Overhead" = 50
UCI_LimitStrength = true
[engine.polyglot]
enabled = true
book = ["book.bin"]
[challenge]
concurrency = 2
block_list = ["{OTHER}"]
[matchmaking]
challenge_initial_time = [60, 180]
challenge_increment = [0, 2]
challenge_days = [3]
"""


def test_a_file_is_read_with_lichess_bots_names() -> None:
    config = read_config(WHOLE)

    assert config.engine.uci_options == {"Move Overhead": 50, "UCI_LimitStrength": True}
    assert config.engine.polyglot.book == ("book.bin",)
    assert config.challenge.block_list == (OTHER,)
    assert config.abort_time == 20
    assert [str(time) for time in config.matchmaking.times()] == [
        "60+0", "60+2", "180+0", "180+2", "3d",
    ]  # fmt: skip
    assert TimeControl(days=3) in config.matchmaking.times()


def test_an_empty_file_has_the_defaults() -> None:
    assert read_config("") == Config()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nme = 'x'", "nme: there is no such setting"),
        ("[challenge]\nconcurency = 1", "challenge.concurency"),
        ("[challenge]\nconcurrency = 0", "challenge.concurrency"),
        ("[challenge]\nconcurrency = '1'", "challenge.concurrency: a whole number"),
        ("[challenge]\nconcurrency = true", "challenge.concurrency: a whole number"),
        ("[challenge]\naccept_bot = 1", "challenge.accept_bot: true or false"),
        ("[challenge]\nvariants = ['atomic']", "challenge.variants: of standard, chess960"),
        ("[challenge]\nvariants = 'standard'", "challenge.variants: a list"),
        ("[challenge]\nblock_list = ['bob']", "challenge.block_list: public keys"),
        ("challenge = 1", "challenge: a table"),
        ("[engine]\nuci_options = {a = []}", "engine.uci_options"),
        ("[engine.polyglot]\nselection = 'any'", "engine.polyglot.selection: one of"),
        ("[matchmaking]\nchallenge_initial_time = ['3']", "a list of numbers"),
        ("[matchmaking]\nallow_matchmaking = true\nchallenge_initial_time = []", "matchmaking"),
        ("[matchmaking]\nchallenge_mode='rated'\nchallenge_variant='chess960'", "standard chess"),
        ("name = ", "this is no TOML"),
    ],
)
def test_a_wrong_setting_is_named(text: str, named: str) -> None:
    with pytest.raises(ConfigError, match=named.replace("[", r"\[")):
        read_config(text)


def test_a_level_is_set_by_what_the_engine_declares() -> None:
    engine = Config().engine
    skilled = {"Skill Level": Range(0, 20), "UCI_Elo": Range(1350, 2850)}

    assert at_level(engine, 3, {"Level": Range(1, 8)}).uci_options == {"Level": 3}
    assert at_level(engine, 1, skilled).uci_options == {"Skill Level": 0}
    assert at_level(engine, 1, skilled).go_commands.depth == 1
    assert at_level(engine, 8, {"UCI_Elo": Range(1350, 2850)}).uci_options == {
        "UCI_LimitStrength": True,
        "UCI_Elo": 2850,
    }
    assert at_level(engine, 2, {}).go_commands.depth == 2


def test_what_the_operator_set_stays_at_any_level() -> None:
    engine = read_config("[engine.uci_options]\n'Skill Level' = 7\n").engine

    assert at_level(engine, 1, {"Skill Level": Range(0, 20)}).uci_options == {"Skill Level": 7}
