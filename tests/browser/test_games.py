"""Whole games by two browsers."""

import re
import struct

import chess
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import StartedFrom
from tests.browser.players import PATIENCE_MS, Match, Newcomer, Way, paired, seated

SCHOLARS_MATE = "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#"


def test_two_strangers_play_to_mate(match: Match) -> None:
    match.plays(SCHOLARS_MATE, "dragged", "clicked")
    match.ends("1-0")
    match.white.sees("You won")
    match.black.sees("You lost")
    match.black.hears("Checkmate. White wins.")


@pytest.mark.parametrize(
    ("way", "castled"),
    [("dragged", ("e1g1", "e8c8")), ("clicked", ("e1h1", "e8a8")), ("typed", ("O-O", "0-0-0"))],
    ids=str,
)
def test_each_castles_to_another_side(
    started_from: StartedFrom, way: Way, castled: tuple[str, str]
) -> None:
    match = started_from("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1")
    for move, san in zip(castled, ("O-O", "O-O-O"), strict=True):
        match.to_move.moves(move, way)
        match.board.push_san(san)
        match.shown()
    assert "white king" in match.black.piece_at("g1")
    assert "black rook" in match.white.piece_at("d8")


def test_a_pawn_is_taken_in_passing(match: Match) -> None:
    match.plays("e4 a6 e5 d5 exd6", "dragged")
    assert "empty" in match.black.piece_at("d5")
    match.plays("h5 a3 h4 g4 hxg3", "clicked")
    assert "empty" in match.white.piece_at("g4")


def test_a_pawn_becomes_each_of_the_four(started_from: StartedFrom) -> None:
    match = started_from("1r1r1r1r/P1P1P1P1/8/8/8/7k/8/K7 w - - 0 1")
    ways: tuple[Way, ...] = ("dragged", "clicked", "dragged", "typed")
    takes = ("axb8=Q", "cxd8=R", "exf8=B", "gxh8=N")
    for way, san, answer in zip(ways, takes, ("Kg4", "Kh3", "Kg4", "Kh3"), strict=True):
        match.plays(san, way)
        match.plays(answer)
    for square, piece in {"b8": "queen", "d8": "rook", "f8": "bishop", "h8": "knight"}.items():
        assert f"white {piece}" in match.black.piece_at(square)


def test_a_promotion_that_was_begun_can_be_left(started_from: StartedFrom) -> None:
    match = started_from("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1")
    match.white.drags("a7", "a8")
    match.white.page.get_by_role("dialog", name="Promote to").wait_for()
    match.white.page.keyboard.press("Escape")
    match.white.page.get_by_role("dialog").wait_for(state="detached")
    assert "white pawn" in match.white.piece_at("a7")
    match.white.drags("a7", "a8")
    match.white.page.get_by_role("dialog").wait_for()
    match.white.page.keyboard.press("n")
    match.board.push_uci("a7a8n")
    match.shown()
    match.black.moves("h2h1r", "clicked")  # the board is turned
    match.board.push_uci("h2h1r")
    match.shown()


def test_chess960_castles_by_the_king_onto_its_rook(started_from: StartedFrom) -> None:
    match = started_from("rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1", chess960=True)
    match.white.drags("b1", "a1")
    match.board.push_uci("b1a1")
    match.shown()
    assert "white king" in match.black.piece_at("c1")
    match.black.taps("b8")
    match.black.taps("e8")
    match.board.push_uci("b8e8")
    match.shown()
    assert "black king" in match.white.piece_at("g8")


def test_strangers_who_both_want_chess960_play_it(newcomer: Newcomer) -> None:
    players = newcomer(), newcomer()
    for player in players:
        player.page.get_by_label("Chess960").check()
        player.presses("play-custom")
        player.page.get_by_role("slider").first.fill("1")
        player.page.get_by_role("slider").nth(1).fill("0")
    match = paired(*players, button="play-custom-start")
    match.white.sees(re.compile("Chess960"))
    assert match.white.milliseconds("white") == 15_000  # the shortest that the page offers
    match.board = chess.Board(match.white.fen, chess960=True)
    match.plays("e4 e5")


def test_premoves_are_played_in_turn_and_the_impossible_one_is_dropped(match: Match) -> None:
    match.plays("e4")
    white, black = match.white, match.black
    white.drags("d2", "d4")
    white.sees("Premoves: 1")
    white.taps("d4")
    white.taps("d5")
    white.sees("Premoves: 2")
    black.moves("e5")
    for uci in ("e7e5", "d2d4"):
        match.board.push_uci(uci)
    match.shown()
    black.moves("d5")  # and the premove d4-d5 is impossible now
    match.board.push_uci("d7d5")
    match.shown()
    expect(white.page.get_by_text(re.compile("Premoves"))).to_have_count(0, timeout=PATIENCE_MS)
    match.plays("exd5")


def test_premoves_can_be_taken_back(match: Match) -> None:
    match.plays("e4")
    match.white.moves("d2d4")
    match.white.sees("Premoves: 1")
    match.white.moves("")  # Enter alone
    match.plays("e5 Nf3")


def test_a_player_resigns_and_both_play_again_with_the_other_colours(match: Match) -> None:
    match.plays("e4 e5")
    first = match.white.game
    match.black.presses("resign")
    match.black.presses("confirm")
    match.ends("1-0")
    match.white.hears("Resignation. White wins.")
    match.white.presses("rematch")
    match.black.hears("wants a rematch")
    match.black.presses("rematch")
    for player in match.everybody:
        player.page.wait_for_url(lambda url: "#/game/" in url and first not in url)
        player.shows(chess.STARTING_FEN)
    again = seated(match.black, match.white)
    assert again.white is match.black
    again.plays("d4 d5")


def test_a_draw_is_offered_declined_and_agreed(match: Match) -> None:
    match.plays("e4 e5")
    match.white.presses("draw")
    match.white.sees("Offer a draw?")
    match.white.presses_named("Play on")
    match.white.offers_a_draw()
    match.black.hears("offers a draw")
    match.black.presses_named("Decline")
    match.white.hears("Draw declined.")
    seen = match.white.page.locator(".word").get_by_text("Draw declined.")
    expect(seen).to_be_visible()
    match.plays("Nf3")
    expect(seen).to_have_count(0)
    match.black.offers_a_draw()
    match.white.hears("offers a draw")
    match.white.presses("draw")
    match.ends("1/2-1/2")
    match.black.hears("Draw by agreement.")


def test_a_move_is_taken_back(match: Match) -> None:
    match.plays("e4 e5 Qh5")
    match.white.presses("takeback")
    match.black.hears("asks for a takeback")
    match.black.presses("takeback")
    match.board.pop()
    match.shown()
    for player in (match.white, match.black):
        player.hears("Taken back.")
    match.plays("Nf3")


def test_a_flag_falls(started_from: StartedFrom) -> None:
    match = started_from(chess.STARTING_FEN, time="7+0")
    match.plays("f3 e5 g4")
    match.ends("1-0")
    match.black.hears("Time ran out. White wins.")
    assert match.black.milliseconds("black") == 0


def test_an_illegal_move_is_not_sent(match: Match) -> None:
    match.white.drags("e2", "e5")
    match.white.moves("Ke2")
    match.white.sees("Ke2 is neither a move here nor a command")
    match.white.shows(chess.STARTING_FEN)
    match.plays("e4 e5")


def test_a_friend_opens_the_link(newcomer: Newcomer) -> None:
    host = newcomer()
    host.presses("challenge-link")
    link = host.page.locator("a[data-testid=challenge-link]").get_attribute("href")
    assert link is not None
    guest = newcomer(link)
    guest.sees("You are challenged")
    guest.sees("5+3")
    guest.presses("accept")
    match = seated(host, guest)
    match.plays("e4 c5")


def test_a_challenge_by_npub_is_declined_and_accepted(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    for answer in ("Decline", "Accept"):
        host.element("friend").fill(guest.npub)
        host.presses_named("Challenge")
        guest.element("incoming").get_by_role("button", name=answer).click()
        if answer == "Decline":
            host.sees("Challenge declined")
    seated(host, guest).plays("e4 e5")


def test_a_stranger_watches_by_the_game_s_address(match: Match, newcomer: Newcomer) -> None:
    match.plays("e4 e5")
    watcher = newcomer(f"#/game/{match.white.game}")
    watcher.sees("You are watching")
    watcher.sees("Spectators: 1")
    match.watching.append(watcher)
    match.plays("Nf3 Nc6")
    watcher.drags("f1", "c4")
    assert watcher.element("move").count() == 0
    match.black.presses("resign")
    match.black.presses("confirm")
    match.ends("1-0")


def test_a_player_reloads_in_mid_game(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer(), button="play-3+2")
    match.plays("e4 e5")
    match.white.reloads()
    match.shown()
    match.plays("Nf3")
    match.black.page.close()
    match.black.page = match.black.new_tab()
    match.black.opens()  # the lobby brings them back to a live game
    match.shown()
    match.plays("Nc6")


def test_two_tabs_of_one_player_show_the_same(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer())
    match.plays("e4")
    first = match.black.page
    match.black.page = match.black.new_tab()
    match.black.opens(f"#/game/{match.white.game}")
    match.plays("e5 Nf3")
    match.black.page = first
    match.shown()
    match.plays("Nc6")


def test_a_typed_command_is_answered(match: Match) -> None:
    match.plays("e4")
    for command, answer in {
        "l": "e 4",
        "p N": "white knight: b1, g1",
        "s e4": "e4 white pawn",
        "c": "No clocks in this game",
        "nonsense": "nonsense is neither a move here nor a command",
    }.items():
        match.black.moves(command)
        match.black.sees(re.compile(re.escape(answer)))
    match.plays("e5")


def test_a_game_is_taken_along_as_a_picture(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer())
    match.plays("e4")
    page = match.white.page
    page.evaluate("() => void (window.kept = new Promise((is) => (URL.createObjectURL = is)))")
    page.locator("summary[title=More]").click()
    match.white.presses_named("Download a picture")
    picture = bytes(
        page.evaluate("kept.then(async (it) => [...new Uint8Array(await it.arrayBuffer())])")
    )
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (720, 832)
    assert len(picture) > 20_000  # of an empty board it would be 3,000


def test_a_menu_gives_way_to_what_is_pressed_beside_it(match: Match) -> None:
    match.plays("e4 e5")
    page = match.white.page
    page.locator("summary[title=More]").click()
    page.locator(".menu-list").wait_for()
    match.white.presses("resign")
    expect(page.locator(".menu-list")).to_have_count(0)
    page.locator("summary[title=More]").click()
    page.locator(".menu-list").wait_for()
    match.white.presses("confirm")  # it is not covered
    match.ends("0-1")


def test_the_large_button_is_five_and_three_and_no_clock_is_one_tile_among_others(
    newcomer: Newcomer,
) -> None:
    player = newcomer()
    tiles = player.page.locator(".tiles button")
    expect(tiles.filter(has_text="No clock")).to_have_attribute("data-testid", "play")
    large, plain = player.element("play-5+3").bounding_box(), player.element("play").bounding_box()
    assert large is not None
    assert plain is not None
    assert large["y"] < plain["y"]
    assert large["width"] > 2 * plain["width"]
    match = paired(player, newcomer(), "play-5+3")
    match.plays("e4 e5")
    assert 290_000 < match.white.milliseconds("white") <= 300_000 + 3_000
    match.white.presses("resign")
    match.white.presses("confirm")
    match.ends("0-1")


def test_the_tab_says_whose_turn_it_is_on_every_page(match: Match) -> None:
    for move in ("e4", "e5", "Nf3"):
        for player, other in ((match.to_move, match.waiting), (match.waiting, match.to_move)):
            name = other.page.locator(".player-bar.own bdi").text_content()
            title = f"Your turn — {name}" if player is match.to_move else f"{name} is to move"
            expect(player.page).to_have_title(f"{title} · Arbiter", timeout=PATIENCE_MS)
        match.plays(move)
    black = match.black.page
    black.get_by_role("link", name="Watch", exact=True).click()
    expect(black).to_have_title(re.compile("^Your turn — [A-Z]"), timeout=PATIENCE_MS)
    match.black.page.go_back()
    match.shown()
