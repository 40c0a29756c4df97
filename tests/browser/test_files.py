"""Games out of files at `#/analysis`: read whole, or the reader sees where reading ended."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player

GAMES = """[Event "a"]
[Result "*"]

*

[Event "b"]
[White "Müller"]
[Black "Å"]

1. f3 e5 2. g4 Dh4# 0-1

[Event "c"]
[White "Ada"]

1. e4 $1 -- 2. d4 {center} Ke4 *
"""


def _opens(player: Player, path: Path) -> None:
    player.page.get_by_label("Or open a file").set_input_files(path)


def test_a_file_of_several_games_is_a_list_to_choose_from(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(GAMES, encoding="utf-16")
    player = newcomer("#/analysis")
    expect(player.page.get_by_role("alert")).to_have_count(0)

    _opens(player, file)

    games = player.page.get_by_role("combobox", name="3 games")
    # The first that has moves.
    expect(games.locator("option:checked")).to_have_text(
        re.compile("2. Müller . Å 0-1"), timeout=PATIENCE_MS
    )
    expect(player.page.get_by_role("alert")).to_have_count(0)
    player.page.get_by_role("button", name="Last move").click()
    expect(player.square("h4")).to_have_attribute("aria-label", re.compile("black queen"))

    games.select_option(index=2)

    alert = player.page.get_by_role("alert")
    expect(alert).to_have_text("Line 15: “Ke4” is no legal move here, or one of several.")
    expect(player.page.get_by_role("list", name="Moves")).to_contain_text("null move")
    player.sees("center")
    player.sees("Signs such as !? are left out.")

    games.select_option(index=0)
    expect(alert).to_have_text("This game has no moves.")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "There are no games in it."),
        (b"\x1f\x8b\x08\x00\x00", "Line 1: this is no text."),
        (b'[Variant "Atomic"]\n\n1. e4 *', "Line 1: “Atomic” is not played here"),
        (b"1. e4 e5\r\n2. Zf3", "Line 2: “Zf3” is no move."),
    ],
)
def test_the_reader_of_a_file_sees_what_is_not_read(
    newcomer: Newcomer, tmp_path: Path, content: bytes, told: str
) -> None:
    file = tmp_path / "games.pgn"
    player = newcomer("#/analysis")
    for _ in range(2):  # the second time it has changed
        file.write_bytes(content)
        _opens(player, file)
        expect(player.page.get_by_role("alert")).to_contain_text(told, timeout=PATIENCE_MS)
        file.write_bytes(b"1. e4 e5 *")
        _opens(player, file)
        expect(player.page.get_by_role("alert")).to_have_count(0)
        expect(player.page.get_by_label("Paste games")).to_have_value(re.compile("e5"))
