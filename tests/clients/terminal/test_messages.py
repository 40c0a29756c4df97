"""What happened, in words and as JSON."""

import io
import json
from dataclasses import replace
from typing import Any

import chess
import chess.pgn
import pytest

from arbiter.core.game import Termination
from clients.terminal.board import Style
from clients.terminal.game_view import GameView
from clients.terminal.json_lines import as_json, json_line
from clients.terminal.messages import HOW_IT_ENDED, ending, sentence
from clients.terminal.notices import (
    Asked,
    BoardWanted,
    ChallengeCame,
    ChallengesWanted,
    Ended,
    HelpWanted,
    Introduced,
    Kept,
    Moved,
    MoveSent,
    MovesWanted,
    NoAnswer,
    Notice,
    OfferGone,
    OfferMade,
    OpenChallenge,
    PgnWanted,
    Question,
    Queued,
    RecordCame,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Said,
    Source,
    Started,
    StoppedWaiting,
    TakenBack,
)
from clients.terminal.picture import picture
from clients.terminal.position import Line
from clients.terminal.profiles import Person, Rating
from clients.terminal.prompt import clocks_now, status
from clients.terminal.record import move_rows, pgn_of
from clients.terminal.terms import Terms
from clients.terminal.text import cells
from clients.terminal.wire import Challenged, ChatLine, Offer
from tests.builders import ALICE, BOB
from tests.clients.terminal.scene import GAME, START, Scene, connected, playing, playing_full, state

PLAIN = Style(color=False, unicode=False)


def a_game(
    moves: str = "", *, result: str | None = None, why: str | None = None, alice: bool = True
) -> GameView:
    line = Line(chess.STARTING_FEN, 0, state(moves).moves or (), 0)
    white, black = (ALICE.pubkey, BOB.pubkey) if alice else (BOB.pubkey, ALICE.pubkey)
    return GameView(
        id=GAME,
        white=white,
        black=black,
        color=alice,
        line=line,
        state_id="a" * 64,
        result=result,
        termination=why,
    )


FROM_BOB = OpenChallenge(
    1, Challenged(GAME, BOB.pubkey, Terms(time="180+2", rated=True, color="white"))
)
EVERY_NOTICE: list[Notice] = [
    RelayFound("ws://one", 1, back=False),
    RelayFound("ws://one", 1, back=True),
    RelayLost("ws://one", "gone", 0),
    RelayLost("ws://one", "gone", 1),
    Queued(),
    NoAnswer(10),
    Started(a_game(), resumed=False),
    Moved(a_game("e4"), "e4"),
    Moved(a_game(), None),
    MoveSent("e2e4", "e4", "a" * 64, again=False),
    MoveSent("quit", "quit", "a" * 64, again=True),
    Kept("e4"),
    Refused(Source.CLIENT, "illegal-move", "e5 is not legal here"),
    Refused(Source.ARBITER, "stale", "look", mine=False),
    Refused(Source.RELAY, "relay-refused", "blocked"),
    Ended(a_game("e4", result="1-0", why="resignation")),
    RecordCame(a_game("e4", result="1-0")),
    Asked(Question.RESIGN, a_game("e4 e5")),
    Asked(Question.LEAVE, a_game()),
    MovesWanted(a_game("e4 e5 Nf3")),
    PgnWanted(a_game("e4"), "1. e4 *\n"),
    HelpWanted(),
    BoardWanted(a_game("e4")),
    Remark("unheard", "nobody listens"),
    ChallengeCame(FROM_BOB),
    ChallengesWanted((FROM_BOB, replace(FROM_BOB, name="Bob")), GAME),
    ChallengesWanted(()),
    Introduced(a_game(), BOB.pubkey),
    StoppedWaiting(),
    OfferMade(replace(a_game("e4"), offer=Offer("draw", chess.BLACK))),
    OfferGone(a_game("e4"), Offer("draw", chess.BLACK)),
    TakenBack(a_game("e4")),
    Said(ChatLine(BOB.pubkey, GAME, "good game", public=False), mine=False),
]


@pytest.mark.parametrize("notice", EVERY_NOTICE)
def test_everything_that_happens_has_its_words_and_its_object(notice: Notice) -> None:
    text = sentence(notice)
    assert "\x1b" not in text
    assert text or isinstance(notice, BoardWanted)
    line = json_line(as_json(notice))
    assert "\n" not in line
    assert line.isascii()
    assert isinstance(json.loads(line)["type"], str)


def test_every_kind_of_notice_is_tried() -> None:
    assert {type(notice) for notice in EVERY_NOTICE} == set(Notice.__args__)


@pytest.mark.parametrize(
    ("notice", "text"),
    [
        (RelayLost("ws://one", "gone", 0), "Lost the last relay (ws://one: gone); trying to"),
        (RelayFound("ws://one", 1, back=True), "Back: connected to ws://one"),
        (Moved(a_game("e4"), "e4"), "1. e4; npub1"),
        (Moved(a_game("e4 e5"), "e5"), "1… e5; your move"),
        (Moved(a_game("e4 f5 Qh5"), "Qh5+"), "2. Qh5+; npub1"),
        (Asked(Question.RESIGN, a_game("e4")), "Really abort this game? [y/N]"),
        (Asked(Question.RESIGN, a_game("e4 e5")), "Really resign this game? [y/N]"),
        (
            Refused(Source.ARBITER, "stale", "look", mine=False),
            "The arbiter refused something of your opponent: look (stale)",
        ),
    ],
)
def test_every_notice_has_its_words(notice: Notice, text: str) -> None:
    assert sentence(notice).startswith(text)


def test_after_mate_it_is_nobody_s_turn() -> None:
    assert sentence(Moved(a_game("f3 e5 g4 Qh4"), "Qh4#")) == "2… Qh4#"


@pytest.mark.parametrize(
    ("result", "why", "alice", "text"),
    [
        ("1-0", "checkmate", True, "You won by checkmate: White wins, 1-0"),
        ("1-0", "resignation", False, "You lost by resignation: White wins, 1-0"),
        ("0-1", None, False, "You won: Black wins, 0-1"),
        ("1/2-1/2", "fivefold-repetition", True, "The game is a draw by fivefold repetition"),
        ("1/2-1/2", "fifty-moves", True, "The game is a draw by the fifty-move rule"),
        ("1-0", "timeout", False, "You lost on time: White wins, 1-0"),
        ("1-0", "a-new-word", True, "You won by a new word: White wins, 1-0"),
        ("*", "aborted", True, "The game was aborted"),
        ("*", None, True, "The game is over"),
    ],
)
def test_an_ending_is_told_to_the_player(
    result: str, why: str | None, *, alice: bool, text: str
) -> None:
    assert ending(a_game(result=result, why=why, alice=alice)) == text


def test_every_termination_has_its_words() -> None:
    assert {*HOW_IT_ENDED, Termination.ABORTED} == {*Termination}


def test_the_picture_of_a_game() -> None:
    assert picture(a_game("e4 d5 exd5 Nf6 Nc3"), PLAIN, flipped=False) == [
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


def test_the_picture_can_be_turned() -> None:
    turned = picture(a_game("e4"), PLAIN, flipped=True)
    assert turned[-1].split() == list("hgfedcba")
    assert "(you)" in turned[0]


def test_moves_are_numbered_from_where_they_are_known() -> None:
    rows = move_rows(a_game("e4 e5 Nf3"))
    assert rows == [("1.", "e4", "e5"), ("2.", "Nf3", "")]
    late = Line(state("e4 e5 Nf3").fen, 3, ("b8c6", "f1b5"), 0)
    assert move_rows(GameView(id=GAME, line=late)) == [("2.", "…", "Nc6"), ("3.", "Bb5", "")]


def test_a_record_of_our_own_is_whole_or_says_where_it_begins() -> None:
    pgn = pgn_of(a_game("e4 e5", result="1-0"))
    assert pgn.endswith("\n\n1. e4 e5 1-0\n")
    late = Line(state("e4 e5 Nf3").fen, 3, ("b8c6",), 0)
    cut = pgn_of(GameView(id=GAME, white=ALICE.pubkey, black=BOB.pubkey, line=late))
    assert f'[FEN "{state("e4 e5 Nf3").fen}"]' in cut
    assert cut.endswith("2... Nc6 *\n")


def test_a_state_for_programs_says_all_there_is() -> None:
    value = as_json(Moved(a_game("f3 e5 g4 Qh4"), "Qh4#"))
    assert value == {
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
        "version": None,
        "clock": None,
        "offer": None,
    }


@pytest.mark.parametrize(
    ("result", "alice", "outcome"),
    [
        ("1-0", True, "won"),
        ("1-0", False, "lost"),
        ("0-1", False, "won"),
        ("1/2-1/2", True, "drawn"),
        ("*", True, "none"),
    ],
)
def test_an_ending_for_programs(result: str, outcome: str, *, alice: bool) -> None:
    assert as_json(Ended(a_game(result=result, alice=alice)))["outcome"] == outcome


def a_lost_relay() -> Scene:
    scene = playing()
    scene.lose_the_relay()
    return scene


@pytest.mark.parametrize(
    ("scene", "text", "waits"),
    [
        (Scene(), "connecting", True),
        (connected(), "asking the arbiter for a game", True),
        (playing(), "your move, white", False),
        (playing("e4"), "npub1", True),
        (a_lost_relay(), "reconnecting", True),
    ],
)
def test_what_is_going_on_is_told_in_a_few_words(scene: Scene, text: str, *, waits: bool) -> None:
    doing, waiting = status(scene.session)
    assert doing.startswith(text)
    assert waiting is waits


START_MS = int(START) * 1000


def a_clocked_game(moves: str, *, alice: chess.Color = chess.WHITE, days: bool = False) -> Scene:
    day_ms = 86_400_000
    tags: dict[str, Any] = {"time": "180+2", "clock_ms": (175_300, 9_400), "rated": True}
    if days:
        tags = {"time": "3d", "clock_ms": (3 * day_ms, 2 * day_ms + 3_600_000)}
    left = tags["clock_ms"][0 if len(moves.split()) % 2 == 0 else 1]
    return playing_full(moves, alice=alice, deadline_ms=START_MS + left + 1000, **tags)


def test_the_clocks_stand_beside_the_players() -> None:
    lines = picture(a_clocked_game("e4 e5").game, PLAIN, flipped=False)
    assert lines[0].endswith("black npub1v6rfl...dawz  9.4")
    assert lines[7].endswith("* white npub15z5sr...j7kl (you)  2:55")
    ticking = picture(a_clocked_game("e4 e5").game, PLAIN, flipped=False, clocks=False)
    assert ticking[7].endswith("(you)")


@pytest.mark.parametrize(
    ("scene", "seconds", "words"),
    [
        (a_clocked_game("e4 e5"), 0.0, "you 2:55, opponent 9.4"),
        (a_clocked_game("e4 e5"), 20.0, "you 2:35, opponent 9.4"),
        (a_clocked_game("e4 e5 Nf3"), 3.1, "you 2:55, opponent 6.3"),
        (a_clocked_game("e4 e5 Nf3"), 60.0, "you 2:55, opponent 0.0"),
        (a_clocked_game("e4"), 0.0, "0:10 for the first move"),
        (a_clocked_game("e4 e5", days=True), 3600.0, "you 2 d 23 h, opponent 2 d 1 h"),
        (playing("e4 e5"), 0.0, ""),
    ],
)
def test_the_clock_of_the_side_to_move_ticks(scene: Scene, seconds: float, words: str) -> None:
    assert clocks_now(scene.session.game, START + seconds) == words


def test_a_game_begins_with_its_terms() -> None:
    told = sentence(Started(a_clocked_game("").game, resumed=False))
    assert told == "The game begins: you are white against npub1v6rfl…dawz (3+2, rated)"


@pytest.mark.parametrize(
    ("kind", "mine", "words"),
    [
        ("draw", False, "Your opponent offers a draw: accept or decline"),
        ("takeback", False, "Your opponent asks to take a move back: accept or decline"),
        ("rematch", False, "Your opponent offers a rematch: accept or decline"),
        ("draw", True, "You offer a draw"),
        ("takeback", True, "You ask to take a move back"),
        (
            "abort",
            False,
            "Your opponent offers to call the game off: accept, decline or move within a day",
        ),
        ("abort", True, "You offer to call the game off: abort again after a day without a move"),
    ],
)
def test_an_offer_in_words(kind: str, words: str, *, mine: bool) -> None:
    game = replace(a_game("e4 e5"), offer=Offer(kind, mine))
    assert sentence(OfferMade(game)) == words


@pytest.mark.parametrize(
    ("kind", "mine", "words"),
    [
        ("draw", True, "Your opponent declines the draw"),
        ("takeback", True, "Your opponent declines to take a move back"),
        ("rematch", True, "Your opponent declines the rematch"),
        ("draw", False, "You decline the draw"),
        ("abort", True, "Your opponent declines to call the game off"),
        ("abort", False, "You decline to call the game off"),
        ("rematch", False, "The offer of a rematch no longer stands"),
    ],
)
def test_a_declined_offer_in_words(kind: str, words: str, *, mine: bool) -> None:
    assert sentence(OfferGone(a_game("e4 e5"), Offer(kind, mine))) == words


def test_a_spectator_is_told_who_declines() -> None:
    watched = replace(a_game("e4 e5"), watched=True)
    assert sentence(OfferGone(watched, Offer("draw", chess.WHITE))) == "Black declines the draw"
    rematch = OfferGone(watched, Offer("rematch", chess.WHITE))
    assert sentence(rematch) == "The offer of a rematch no longer stands"


def test_a_standing_offer_is_told_beside_the_prompt() -> None:
    scene = playing_full("e4 e5", offer=Offer("draw", chess.BLACK))
    assert status(scene.session) == (
        "draw offered, accept or decline? your move",
        False,
    )


def test_a_challenge_in_words_says_how_to_answer() -> None:
    assert sentence(ChallengeCame(FROM_BOB)).split("\n") == [
        "npub1v6rfl…dawz challenges you: 3+2, rated (you have black)",
        "accept 1 plays it, decline 1 later (or another reason) does not",
    ]


def test_an_open_challenge_in_words_gives_its_id() -> None:
    told = sentence(Queued(Terms(time="3d", challenge="open"), GAME))
    assert told == (
        "Your challenge stands for whoever answers first (3 days a move, casual); "
        f"anybody may accept {GAME}"
    )


@pytest.mark.parametrize(
    ("code", "text", "words"),
    [
        ("declined", "later", "Your challenge was declined: not now, perhaps later"),
        ("declined", "because", "Your challenge was declined: for no reason given"),
        ("pow", "20", "The arbiter asks 20 bits of proof of work of players it has never met"),
        ("no-claim", "no-claim", "The arbiter refused: neither threefold repetition nor fifty"),
        ("stale", "look", "The arbiter refused: look (stale)"),
    ],
)
def test_every_reason_has_its_words(code: str, text: str, words: str) -> None:
    assert sentence(Refused(Source.ARBITER, code, text)).startswith(words)


def test_a_chess960_game_of_our_own_record_can_be_read_again() -> None:
    start = "bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w KQkq - 0 1"
    line = Line(start, 0, ("g1f3", "g8f6", "g2g3", "g7g6", "e1f1"), 0, start, chess960=True)
    pgn = pgn_of(replace(a_game(), line=line))
    read = chess.pgn.read_game(io.StringIO(pgn))
    assert read is not None
    assert not read.errors
    assert read.headers["Variant"] == "Chess960"
    assert [move.uci() for move in read.mainline_moves()][-1] == "e1f1"
    assert move_rows(replace(a_game(), line=line))[-1] == ("3.", "O-O", "")


def test_a_rated_game_is_told_with_the_player_s_rating() -> None:
    game = replace(a_game("e4", result="0-1"), ratings=((1500, 1338), (1500, 1662)))
    assert sentence(RecordCame(game)).startswith("Your rating: 1500 to 1338\n")
    watched = sentence(RecordCame(replace(game, watched=True)))
    assert watched.startswith("Ratings: White 1500 to 1338, Black 1500 to 1662\n")


BOB_IS_KNOWN = (Person(BOB.pubkey, "Bob", 1, (Rating(BOB.pubkey, "blitz", 1523, True, 1),)),)


def test_names_and_ratings_stand_beside_the_board() -> None:
    game = replace(a_clocked_game("e4 e5").game, people=BOB_IS_KNOWN)
    lines = picture(game, PLAIN, flipped=False)
    assert lines[0].endswith("black Bob 1523?  9.4")
    assert "npub15z5sr...j7kl (you)  2:55" in lines[7]
    assert sentence(Started(game, resumed=False)).startswith(
        "The game begins: you are white against Bob 1523? (npub1v6rfl…dawz) (3+2, rated)"
    )
    assert sentence(Introduced(game, BOB.pubkey)) == (
        "Your opponent is Bob 1523? (npub1v6rfl…dawz)"
    )
    assert sentence(Said(ChatLine(BOB.pubkey, GAME, "hi", public=False), mine=False, name="Bob"))
    assert as_json(Introduced(game, BOB.pubkey)) == {
        "type": "player",
        "game": GAME,
        "color": "black",
        "pubkey": BOB.pubkey,
        "name": "Bob",
        "rating": "1523?",
    }


def test_a_rating_is_shown_at_the_speed_of_the_game_alone() -> None:
    assert replace(playing("e4").game, people=BOB_IS_KNOWN).rating(BOB.pubkey) == ""
    slow = replace(a_clocked_game("e4", days=True).game, people=BOB_IS_KNOWN)
    assert slow.rating(BOB.pubkey) == ""


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 80])
@pytest.mark.parametrize("unicode", [True, False])
def test_the_picture_is_no_wider_than_the_terminal(columns: int, *, unicode: bool) -> None:
    long = (Person(ALICE.pubkey, "漢字漢字漢字漢字漢字", 1), Person(BOB.pubkey, "W" * 20, 1))
    game = replace(a_game("e4 d5 exd5 Qxd5 Nc3 Qxd2 Bxd2 Nc6"), people=long)
    style = Style(color=False, unicode=unicode)
    lines = picture(game, style, flipped=False, columns=columns)
    assert max(map(cells, lines)) <= max(columns, 27)
    assert unicode or "".join(lines).isascii()
