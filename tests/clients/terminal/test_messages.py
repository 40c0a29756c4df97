"""Notices in sentences and as JSON, the prompt, and the picture beside them."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from arbiter.core.game import Termination
from clients.player.chat import ChatLine
from clients.player.messages import Challenged, Offer
from clients.player.people import Rating
from clients.player.terms import Terms, TimeControl
from clients.player.tournaments import Standing, Standings, Tournament
from clients.terminal import game_notices as told
from clients.terminal import notices, tournaments
from clients.terminal.blocking import blocked_shown
from clients.terminal.board import Style
from clients.terminal.clocks import time_words
from clients.terminal.game_notices import HOW_IT_ENDED, ending
from clients.terminal.game_view import GameView
from clients.terminal.notices import Notice
from clients.terminal.picture import picture
from clients.terminal.profiles import Person
from clients.terminal.prompt import clocks_now, farewell
from clients.terminal.record import move_rows, pgn_of
from clients.terminal.screens import JsonScreen
from clients.terminal.text import cells
from tests.builders import ALICE, BOB, EVE
from tests.clients.terminal.scene import GAME, START, Scene, playing, state

PLAIN = Style(color=False, unicode=False)
START_MS = int(START) * 1000
DAY_MS = 86_400_000


def a_game(
    moves: str = "", *, result: str | None = None, why: str | None = None, alice: bool = True
) -> GameView:
    shown = replace(state(moves, alice=alice), event="a" * 64)
    return GameView(id=GAME, color=alice, state=shown, result=result, termination=why)


def seen(game: GameView, **tags: Any) -> GameView:
    """The game with these in its state."""
    assert game.state is not None
    return replace(game, state=replace(game.state, **tags))


def gone(game: GameView) -> GameView:
    return seen(game, away=(chess.BLACK,))


def a_clocked_game(moves: str, *, left_ms: int | None = None, days: bool = False) -> Scene:
    """A rated game of 3+2, or one of 3 days a move."""
    tags: dict[str, Any] = {"time": TimeControl(180, 2), "clock": (175_300, 9_400), "rated": True}
    if days:
        tags = {"time": TimeControl(days=3), "clock": (3 * DAY_MS, 2 * DAY_MS + 3_600_000)}
    left = tags["clock"][len(moves.split()) % 2] + 1000 if left_ms is None else left_ms
    return playing(moves, deadline=START_MS + left, **tags)


def offering(kind: str, color: chess.Color, *, watched: bool = False) -> GameView:
    return replace(seen(a_game("e4"), offer=Offer(kind, color)), watched=watched)


FROM_BOB = Challenged(GAME, BOB.pubkey, Terms(time=TimeControl(180, 2), rated=True, color="white"))
WHITE_DRAW, BLACK_DRAW = Offer("draw", chess.WHITE), Offer("draw", chess.BLACK)
WHITE_REMATCH, BLACK_REMATCH = Offer("rematch", chess.WHITE), Offer("rematch", chess.BLACK)
OTHER_GAME = "Game 3 against npub1v6rfl…dawz: your move: go 3"
GAMES = "*  3  your move, move 1, no clock: npub1v6rfl…dawz"
NO_REMATCH = "The offer of a rematch is no longer open"
SAID = ChatLine(BOB.pubkey, GAME, "good game", public=False)
RATED = replace(a_game("e4", result="0-1"), ratings=((1500, 1338), (1500, 1662)))
BOB_KNOWN = (Person(BOB.pubkey, "Bob", 1, (Rating(BOB.pubkey, "blitz", 1523, True, 1),)),)
KNOWN = replace(a_clocked_game("e4 e5").game, people=BOB_KNOWN)
WATCHED = replace(a_game("e4 e5"), watched=True)
THREE_DAYS = Terms(time=TimeControl(days=3), challenge="open")
RECORD = "The arbiter published the game: pgn shows it, pgn FILE saves it"
OFFERS = [
    ("draw", chess.BLACK, "Your opponent offers a draw: accept or decline"),
    ("takeback", chess.BLACK, "Your opponent asks for a takeback: accept or decline"),
    (
        "abort",
        chess.BLACK,
        "Your opponent offers to abort the game: accept, decline or move within a day",
    ),
    ("draw", chess.WHITE, "You offer a draw"),
    ("takeback", chess.WHITE, "You ask for a takeback"),
    (
        "abort",
        chess.WHITE,
        "You offer to abort the game: abort again after a day without a move",
    ),
]
CHALLENGE_CAME = """\
npub1v6rfl…dawz challenges you: 3+2, rated (you have black)
accept 1 plays it, decline 1 later (or another reason) does not"""
CHALLENGES = f"""\
  1  npub1v6rfl…dawz: 3+2, rated (you have black)
  1  Bob (npub1v6rfl…dawz): 3+2, rated (you have black)
accept 1 plays the last of them, decline 1 does not
Your own challenge: {GAME}; cancel withdraws it"""
EVENING = Tournament(
    id=GAME,
    title="Club evening",
    format="swiss",
    time="180+2",
    status="open",
    starts=int(START) + 300,
    rounds=7,
    players=14,
)
TABLE = Standings(
    GAME,
    3,
    1,
    False,
    (
        Standing(1, EVE.pubkey, "3", "in", "A name of thirty letters it is"),
        Standing(2, BOB.pubkey, "2.5", "paused", "npub1bob"),
    ),
)
SENTENCES: list[tuple[Notice, str]] = [
    (notices.relay_found("ws://one", 1, back=False), "Connected to ws://one"),
    (notices.relay_found("ws://one", 1, back=True), "Back: connected to ws://one"),
    (
        notices.relay_lost("ws://one", "gone", 0),
        "Lost the last relay (ws://one: gone); trying to reach it again",
    ),
    (notices.relay_lost("ws://one", "gone", 1), "Lost ws://one (gone); 1 still connected"),
    (notices.no_answer(10), "No answer from the arbiter in 10 s: is it running? Asking again"),
    (notices.queued(Terms()), "Looking for an opponent"),
    (
        notices.queued(THREE_DAYS, GAME),
        (
            "Your challenge is open to every player (3 days a move, casual); to play it, "
            f"type accept {GAME}"
        ),
    ),
    (
        notices.queued(Terms(time=TimeControl(days=3), challenge=BOB.pubkey), GAME),
        "Your challenge is open to npub1v6rfl…dawz (3 days a move, casual)",
    ),
    (notices.challenge_came(1, FROM_BOB), CHALLENGE_CAME),
    (notices.challenge_gone(1, FROM_BOB), "npub1v6rfl…dawz took back challenge 1"),
    (notices.challenges_listed(()), "No challenge waits for your answer"),
    (notices.challenges_listed(((1, FROM_BOB, ""), (1, FROM_BOB, "Bob")), GAME), CHALLENGES),
    (blocked_shown((BOB.pubkey,)), "You block npub1v6rfl…dawz: unblock takes it back"),
    (blocked_shown(()), "You block no player"),
    (notices.stopped_waiting(), "You are no longer waiting, and your challenges are withdrawn"),
    (
        told.started(a_clocked_game("").game, resumed=False),
        "The game begins: you are white against npub1v6rfl…dawz (3+2, rated)",
    ),
    (
        told.started(KNOWN, resumed=True),
        "Game in progress: you are white against Bob 1523? (npub1v6rfl…dawz) (3+2, rated)",
    ),
    (told.introduced(KNOWN, BOB.pubkey), "Your opponent is Bob 1523? (npub1v6rfl…dawz)"),
    (told.introduced(KNOWN, ALICE.pubkey), "You play as npub15z5sr…j7kl"),
    (told.introduced(WATCHED, BOB.pubkey), "Black is npub1v6rfl…dawz"),
    (told.moved(a_game("e4")), "1. e4; npub1v6rfl…dawz to move"),
    (told.moved(a_game("e4 e5")), "1… e5; your move"),
    (told.moved(a_game("f3 e5 g4 Qh4")), "2… Qh4#"),
    (told.moved(a_game()), "Your move"),
    (told.taken_back(a_game("e4")), "Taken back; npub1v6rfl…dawz to move"),
    (told.sent("e2e4", "e4", "a" * 64, again=False), "Sent: e4"),
    (told.sent("quit", "quit", "a" * 64, again=True), "Sent again: that you quit"),
    (told.sent("claim", "claim", "a" * 64, again=False), "Sent: the claim of a draw"),
    (told.kept("e4"), "No relay just now: e4 goes out when one is back"),
    *((told.offer_made(offering(kind, color)), words) for kind, color, words in OFFERS),
    (told.offer_made(offering("draw", chess.BLACK, watched=True)), "Black offers a draw"),
    (told.other_game(3, a_game()), OTHER_GAME),
    (told.games_listed(((3, a_game()),), GAME, START), GAMES),
    (told.offer_gone(a_game(), WHITE_DRAW), "Your opponent declines the draw"),
    (told.offer_gone(a_game(), WHITE_REMATCH), "Your opponent declines the rematch"),
    (told.offer_gone(a_game(), Offer("takeback", chess.BLACK)), "You decline the takeback"),
    (told.offer_gone(a_game(), Offer("abort", chess.BLACK)), "You decline to abort the game"),
    (told.offer_gone(a_game(), BLACK_REMATCH), NO_REMATCH),
    (
        told.offer_gone(a_game(), WHITE_DRAW, withdrawn=True),
        "The offer of a draw ended with the next move",
    ),
    (told.offer_gone(WATCHED, WHITE_DRAW), "Black declines the draw"),
    (told.offer_gone(WATCHED, WHITE_REMATCH), NO_REMATCH),
    (
        told.came_or_left(gone(a_game()), chess.BLACK),
        "Your opponent has left: claim-left wins on their turn, after a minute or more",
    ),
    (told.came_or_left(a_game(), chess.BLACK), "Your opponent is back"),
    (told.came_or_left(gone(WATCHED), chess.BLACK), "Black has left"),
    (told.came_or_left(WATCHED, chess.WHITE), "White is back"),
    (
        told.on_vacation(a_game(), chess.BLACK, 1_800_000_000, 1_800_000_000),
        f"Your opponent is on vacation until {time_words(1_800_000_000, 1_800_000_000)}",
    ),
    (told.said(SAID, mine=False), "npub1v6rfl…dawz: good game"),
    (told.said(SAID, mine=False, name="Bob"), "Bob: good game"),
    (told.said(SAID, mine=True), "you: good game"),
    (
        told.ended(a_game("e4", result="1-0", why="resignation")),
        "You won by resignation: White wins, 1-0",
    ),
    (told.record_came(a_game("e4", result="1-0")), RECORD),
    (told.record_came(RATED), f"Your rating: 1500 to 1338\n{RECORD}"),
    (
        told.record_came(replace(RATED, watched=True)),
        f"Ratings: White 1500 to 1338, Black 1500 to 1662\n{RECORD}",
    ),
    (told.asked("resign", a_game("e4")), "Really abort this game? [y/N]"),
    (told.asked("resign", a_game("e4 e5")), "Really resign this game? [y/N]"),
    (
        told.asked("leave", a_game()),
        "Leave: [k]eep the game for later, [a]bort it, or stay? [k/a/S]",
    ),
    (told.moves_listed(a_game("e4 e5 Nf3")), "  1. e4      e5\n  2. Nf3"),
    (told.moves_listed(a_game()), "No moves yet"),
    (told.pgn_shown(a_game("e4"), "1. e4 *\n"), "1. e4 *"),
    (told.board_shown(a_game("e4")), ""),
    (notices.remark("unheard", "no subscriber"), "no subscriber"),
    (
        notices.refused_here("illegal-move", "e5 is not legal here"),
        "e5 is not legal here",
    ),
    (notices.refused_by_relay("blocked"), "A relay refused: blocked"),
    (notices.refused_by_arbiter("stale", "look"), "The arbiter refused: look (stale)"),
    (
        notices.refused_by_arbiter("stale", "look", mine=False),
        "The arbiter refused something of your opponent: look (stale)",
    ),
    (
        notices.refused_by_arbiter("declined", "later"),
        "Challenge declined: not now, perhaps later",
    ),
    (
        notices.refused_by_arbiter("declined", "because"),
        "Challenge declined",
    ),
    (
        notices.refused_by_arbiter("pow", "20"),
        ("The arbiter asks 20 bits of proof of work, which is more than this client does"),
    ),
    (
        tournaments.listing((EVENING, replace(EVENING, status="playing", round=3)), START),
        (
            "  1  Club evening: swiss, 3+2, 14 players, begins in 5 min\n"
            "  2  Club evening: swiss, 3+2, 14 players, round 3 of 7\n"
            "join 1 enters, leave 1 leaves, standings 1 shows who leads"
        ),
    ),
    (
        tournaments.table("Club evening", TABLE, BOB.pubkey),
        (
            "Club evening, after round 3\n"
            "  1     3  A name of thirty le…\n"
            "  2   2.5  npub1v6rfl…dawz (you), paused"
        ),
    ),
]


@pytest.mark.parametrize(("notice", "words"), SENTENCES)
def test_a_notice_is_a_sentence_and_an_object(notice: Notice, words: str) -> None:
    out = io.StringIO()
    JsonScreen(out).show(notice, Scene().session)
    assert notice.text == words
    assert out.getvalue().isascii()
    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["type"] == notice.type


def test_each_type_of_the_readme_is_tried_and_there_is_no_other() -> None:
    readme = Path("clients/terminal/README.md").read_text(encoding="utf-8")
    named = {
        name
        for line in re.findall(r"^- (`[^:\n]*`)", readme.partition("By `type`")[2], re.MULTILINE)
        for name in re.findall(r"`([a-z-]+)`", line)
    }
    of_the_shell = {"hello", "left", "help"}
    assert {notice.type for notice, _ in SENTENCES} | of_the_shell == named | {"question"}
    assert notices.help_shown("draw", watched=False).fields["text"]


@pytest.mark.parametrize(
    ("result", "why", "alice", "outcome", "words"),
    [
        ("1-0", "checkmate", True, "won", "You won by checkmate: White wins, 1-0"),
        ("1-0", "timeout", False, "lost", "You lost on time: White wins, 1-0"),
        ("0-1", None, False, "won", "You won: Black wins, 0-1"),
        ("1/2-1/2", "fifty-moves", True, "drawn", "The game is a draw by the fifty-move rule"),
        ("1-0", "a-new-word", True, "won", "You won by a new word: White wins, 1-0"),
        ("*", "aborted", True, "none", "The game was aborted"),
        ("*", None, True, "none", "The game is over"),
    ],
)
def test_how_a_game_ended_for_the_player(
    result: str, why: str | None, outcome: str, words: str, *, alice: bool
) -> None:
    game = a_game(result=result, why=why, alice=alice)
    assert ending(game) == words
    assert told.ended(game).fields["outcome"] == outcome


def test_every_termination_has_its_words() -> None:
    assert {*HOW_IT_ENDED, Termination.ABORTED} == {*Termination}


def test_a_state_for_programs_says_all_there_is() -> None:
    assert told.moved(a_game("f3 e5 g4 Qh4")).fields == {
        "type": "state",
        "game": GAME,
        "event": "a" * 64,
        "ply": 4,
        "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "turn": "white",
        "my_turn": True,
        "check": True,
        "last": "d8h4",
        "moves": ["f2f3", "e7e5", "g2g4", "d8h4"],
        "san": "Qh4#",
        "version": 4,
        "clock": None,
        "offer": None,
    }
    state_of_draw = told.moved(playing("e4", offer=BLACK_DRAW).game).fields
    assert state_of_draw["offer"] == {"offer": "draw", "mine": False}
    watched = told.offer_made(offering("draw", chess.WHITE, watched=True)).fields
    assert (watched["offer"], watched["mine"]) == ("draw", False)
    watched_end = replace(a_game(result="1-0"), watched=True)
    assert told.ended(watched_end).fields["outcome"] == "none"
    presence = {"game": GAME, "color": "black", "away": True}
    assert told.came_or_left(gone(a_game()), chess.BLACK).fields == presence
    assert told.came_or_left(a_game(), chess.BLACK).fields == presence | {"away": False}
    assert told.introduced(KNOWN, BOB.pubkey).fields == {
        "game": GAME,
        "color": "black",
        "pubkey": BOB.pubkey,
        "name": "Bob",
        "rating": "1523?",
    }


def test_the_picture_of_a_game_from_either_side() -> None:
    game = a_game("e4 d5 exd5 Nf6 Nc3")
    assert picture(game, PLAIN, flipped=False) == [
        " 8  r  n  b  q  k  b     r   * black npub1v6rfl...dawz",
        " 7  p  p  p     p  p  p  p     1. e4      d5",
        " 6     .     .     n     .     2. exd5    Nf6",
        " 5  .     .  P  .     .        3. Nc3",
        " 4     .     .     .     .",
        " 3  .    [N]    .     .",
        " 2  P  P  P  P     P  P  P",
        " 1  R [ ] B  Q  K  B  N  R     white npub15z5sr...j7kl (you)  p +1",
        "    a  b  c  d  e  f  g  h",
    ]
    flipped = picture(game, PLAIN, flipped=True)
    assert flipped[-1].split() == list("hgfedcba")
    assert "(you)" in flipped[0]


def test_names_ratings_and_clocks_are_beside_the_board() -> None:
    lines = picture(KNOWN, PLAIN, flipped=False)
    assert lines[0].endswith("black Bob 1523?  9.4")
    assert lines[7].endswith("* white npub15z5sr...j7kl (you)  2:55")
    assert picture(KNOWN, PLAIN, flipped=False, clocks=False)[7].endswith("(you)")
    for other_speed in (playing("e4").game, a_clocked_game("e4", days=True).game):
        assert replace(other_speed, people=BOB_KNOWN).rating(BOB.pubkey) == ""


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 80])
@pytest.mark.parametrize("unicode", [True, False])
def test_the_picture_is_no_wider_than_the_terminal(columns: int, *, unicode: bool) -> None:
    long = (Person(ALICE.pubkey, "漢字漢字漢字漢字漢字", 1), Person(BOB.pubkey, "W" * 20, 1))
    game = replace(a_game("e4 d5 exd5 Qxd5 Nc3 Qxd2 Bxd2 Nc6"), people=long)
    lines = picture(game, Style(color=False, unicode=unicode), flipped=False, columns=columns)
    assert max(map(cells, lines)) <= max(columns, 27)
    assert unicode or "".join(lines).isascii()


def test_moves_and_our_own_record_begin_where_they_are_known() -> None:
    rows = move_rows(a_game("e4 e5 Nf3"))
    assert rows == [("1.", "e4", "e5"), ("2.", "Nf3", "")]
    assert pgn_of(a_game("e4 e5", result="1-0")).endswith("\n\n1. e4 e5 1-0\n")
    fen = state("e4 e5 Nf3").fen
    late = seen(a_game(), start=fen, moves=("b8c6", "f1b5"), ply=2)
    assert move_rows(late) == [("2.", "…", "Nc6"), ("3.", "Bb5", "")]
    assert f'[FEN "{fen}"]' in pgn_of(late)
    assert pgn_of(late).endswith("2... Nc6 3. Bb5 *\n")
    unlisted = seen(a_game("e4 e5 Nf3"), moves=(), ply=2_003)
    assert move_rows(unlisted) == []
    assert f'[FEN "{fen}"]' in pgn_of(unlisted)


def test_a_chess960_game_of_our_own_record_can_be_read_again() -> None:
    start = "bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w KQkq - 0 1"
    moves = ("g1f3", "g8f6", "g2g3", "g7g6", "e1f1")
    game = seen(a_game(), start=start, moves=moves, ply=5, chess960=True, rated=True)
    read = chess.pgn.read_game(io.StringIO(pgn_of(game)))
    assert read is not None
    assert not read.errors
    assert (read.headers["Variant"], read.headers["Event"]) == ("Chess960", "Rated game")
    assert [move.uci() for move in read.mainline_moves()][-1] == "e1f1"
    assert move_rows(game)[-1] == ("3.", "O-O", "")
    assert "Chess960" in told.started(game, resumed=False).text


@pytest.mark.parametrize(
    ("scene", "seconds", "words"),
    [
        (a_clocked_game("e4 e5"), 0.0, "you 2:55, opponent 9.4"),
        (a_clocked_game("e4 e5"), 20.0, "you 2:36, opponent 9.4"),
        (a_clocked_game("e4 e5 Nf3"), 3.1, "you 2:55, opponent 7.3"),
        (a_clocked_game("e4 e5 Nf3"), 60.0, "you 2:55, opponent 0.0"),
        (a_clocked_game("e4"), 0.0, "0:10 for the first move"),
        (a_clocked_game("e4 e5", days=True), 3600.0, "you 2 d 23 h, opponent 2 d 1 h"),
        (playing("e4 e5"), 0.0, ""),
    ],
)
def test_the_clock_of_the_side_to_move_ticks(scene: Scene, seconds: float, words: str) -> None:
    assert clocks_now(scene.session.game, START + seconds) == words


@pytest.mark.parametrize(
    ("scene", "clock"),
    [
        (playing("e4 e5"), ""),
        (a_clocked_game("e4 e5", left_ms=162_000), "Your clock runs: 2:42 left."),
        (a_clocked_game("e4 e5 Nf3", left_ms=9_000), "Your opponent's clock runs: 9.0 left."),
        (a_clocked_game("", left_ms=25_000), "Without your first move in 0:25 it is aborted."),
        (a_clocked_game("e4", left_ms=25_000), "Your opponent has 0:25 for the first move."),
    ],
)
def test_a_player_who_leaves_sees_which_clock_runs(scene: Scene, clock: str) -> None:
    how = f"The game goes on without you. {clock}" if clock else "The game waits for you."
    again = "To go on with it: make play"
    assert farewell(scene.game, "make play", START) == f"{how}\n{again}\n"
