"""The analysis board: own moves and variations, FEN and PGN in and out, games that are over."""

import io
import re
from pathlib import Path
from urllib.parse import quote

import chess
import chess.pgn
from playwright.sync_api import Locator, expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player, paired

ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"


def _moves(player: Player) -> Locator:
    return player.page.get_by_role("list", name="Moves")


def _reads(player: Player, text: str) -> None:
    """See these moves, in the spelling of the list."""
    figures = str.maketrans("KQRBN", "♚♛♜♝♞")
    shown = re.compile(r"\s*".join(re.escape(it) for it in text.translate(figures).split()))
    expect(_moves(player)).to_be_visible(timeout=PATIENCE_MS)
    player.page.wait_for_function(
        """([pattern]) => new RegExp(pattern).test(
            [...document.querySelectorAll(".tree .number, .tree [aria-hidden]")]
                .map((it) => it.textContent.replace(/\\ufe0e/g, "")).join(" "))""",
        arg=["^" + shown.pattern.replace("\\ ", " ").replace("\\s*", " *") + "$"],
    )


def _fen_after(*sans: str) -> str:
    board = chess.Board()
    for san in sans:
        board.push_san(san)
    return board.fen()


def _pgn_of(player: Player, folder: Path) -> chess.pgn.Game:
    """The game that the page hands out, as python-chess reads it."""
    if not player.page.get_by_role("button", name="Download PGN").is_visible():
        player.page.get_by_text("PGN: open").click()
    with player.page.expect_download() as download:
        player.presses_named("Download PGN")
    file = folder / "analysis.pgn"
    download.value.save_as(file)
    game = chess.pgn.read_game(io.StringIO(file.read_text(encoding="utf-8")))
    assert game is not None
    assert not game.errors
    return game


def test_from_the_menu_both_sides_are_moved_and_what_is_tried_is_a_side_line(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    player = newcomer()
    player.page.get_by_role("link", name="Analysis").click()
    player.shows(chess.STARTING_FEN)
    player.moves("e4")
    player.moves("e7e5", "dragged")
    player.moves("g1f3", "clicked")
    _reads(player, "1. e4 e5 2. Nf3")
    player.presses_named("Previous move")
    player.page.keyboard.press("ArrowLeft")
    player.shows(_fen_after("e4"))
    player.moves("c7c5", "dragged")
    player.hears("pawn c 5")
    player.moves("c3")
    _reads(player, "1. e4 e5 1… c5 2. c3 2. Nf3")
    side = player.page.get_by_role("list", name="Instead of pawn e 5")
    expect(side.get_by_role("listitem")).to_have_count(2)

    player.presses_named("Promote this line")

    player.shows(_fen_after("e4", "c5", "c3"))
    _reads(player, "1. e4 c5 1… e5 2. Nf3 2. c3")
    game = _pgn_of(player, tmp_path)
    assert [str(it.san()) for it in game.mainline()] == ["e4", "c5", "c3"]
    assert game.variation(0).variations[1].variation(0).san() == "Nf3"
    player.page.get_by_role("list", name="Instead of pawn c 5").get_by_role("button").last.click()
    player.shows(_fen_after("e4", "e5", "Nf3"))
    player.page.keyboard.press("Home")
    player.page.keyboard.press("ArrowRight")
    player.presses_named("Delete from here on")
    player.shows(chess.STARTING_FEN)
    player.sees("No moves yet")
    player.presses_named("Undo")
    _reads(player, "1. e4 c5 1… e5 2. Nf3 2. c3")
    player.moves("e4")  # it is there already
    player.moves("?")
    player.sees("l last move")
    player.moves("l")
    player.sees("pawn e 4")
    player.moves("resign")
    player.sees("resign is not possible now")


def test_a_board_without_a_pointer(newcomer: Newcomer) -> None:
    player = newcomer("#/analysis")
    player.square("e2").focus()
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
        player.page.keyboard.press(key)
    player.shows(_fen_after("e4"))
    player.page.keyboard.press("f")
    player.hears("pawn e 4")


def test_a_fen_is_shown_set_up_and_refused_with_the_reason(newcomer: Newcomer) -> None:
    player = newcomer(f"#/analysis?fen={quote(ITALIAN)}")
    player.shows(ITALIAN)
    field = player.element("fen")
    expect(field).to_have_value(ITALIAN)
    player.moves("Bc5")
    after = chess.Board(ITALIAN)
    after.push_san("Bc5")
    expect(field).to_have_value(after.fen())
    for fen, reason in {
        "8/8/8/8/8/8/8/8 w - - 0 1": "Each side needs a king, and only one.",
        "nonsense": "This is no FEN",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1": "The side that has moved is in check.",
    }.items():
        field.fill(fen)
        field.press("Enter")
        expect(player.page.get_by_role("alert")).to_contain_text(reason)
        player.shows(after.fen())  # nothing is lost
    field.fill("4k3/8/8/8/8/8/4P3/4K3 w - -")
    field.press("Enter")
    expect(player.page.get_by_role("alert")).to_have_count(0)
    player.shows("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    player.opens("#/analysis?fen=nonsense")
    expect(player.page.get_by_role("alert")).to_contain_text("This is no FEN")


def test_a_file_with_variations_and_comments_comes_out_as_it_went_in(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    given = (
        '[White "Ada"]\n[Black "Ben"]\n\n{ London } 1. e4 e5 '
        "(1... c5 2. Nf3 { open } (2. c3) 2... d6) 2. f4 { the gambit } exf4 1-0\n"
    )
    player = newcomer(f"#/analysis?pgn={quote(given)}")
    _reads(player, "1. e4 e5 1… c5 2. Nf3 2. c3 2… d6 2. f4 exf4")
    for comment in ("London", "open", "the gambit"):
        expect(player.page.get_by_text(comment, exact=True)).to_be_visible()
    game = _pgn_of(player, tmp_path)
    expected = chess.pgn.read_game(io.StringIO(given))
    assert str(game.accept(chess.pgn.StringExporter(headers=False))) == str(
        expected and expected.accept(chess.pgn.StringExporter(headers=False))
    )
    assert (game.headers["White"], game.headers["Result"]) == ("Ada", "1-0")


def test_a_game_opens_for_analysis_when_it_is_over(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer(), button="play-10+0")
    match.plays("e4 e5 Nf3 Nc6")
    player = match.white
    game = player.game
    onlooker = newcomer(f"#/analysis?game={game}")
    onlooker.sees("This game goes on.")
    expect(onlooker.board).to_have_count(0)
    player.page.get_by_role("link", name="Analysis", exact=True).click()
    player.sees("You are playing a live game.")
    expect(player.board).to_have_count(0)
    player.page.get_by_role("link", name="To the game").click()
    match.black.presses("resign")
    match.black.presses("confirm")
    match.ends("1-0")
    player.presses_named("Analyse")
    player.page.get_by_role("link", name="Analysis board").click()
    for reader in (player, onlooker):
        _reads(reader, "1. e4 e5 2. Nf3 Nc6")
    player.page.keyboard.press("End")
    player.shows(match.board.fen())
    player.page.keyboard.press("ArrowLeft")
    player.moves("d6")
    _reads(player, "1. e4 e5 2. Nf3 Nc6 2… d6")
    player.opens(f"#/game/{game}")
    player.sees_result("1-0")
