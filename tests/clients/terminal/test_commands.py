"""Lines as people type them."""

import chess
import pytest

from clients.terminal.commands import (
    Answer,
    AskFor,
    NotAMove,
    Say,
    SwitchChat,
    TryMove,
    WantHelp,
    WantPgn,
    Word,
    read_line,
    read_move,
)

PROMOTING = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
TWO_KNIGHTS = "k7/8/8/8/8/2N3N1/8/K7 w - - 0 1"
PAWN_AND_BISHOP = "k7/8/8/3p4/2p5/1P1B4/8/K7 w - - 0 1"
CASTLING = "k7/8/8/8/8/8/8/R3K2R w KQ - 0 1"
EN_PASSANT = "k7/8/8/3pP3/8/8/8/K7 w - d6 0 1"


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("", None),
        ("   ", None),
        ("quit", Word.QUIT),
        (" QUIT ", Word.QUIT),
        ("exit", Word.QUIT),
        ("?", WantHelp()),
        ("help", WantHelp()),
        ("help Offers", WantHelp("Offers")),
        ("challenges", Word.CHALLENGES),
        ("pgn", WantPgn(None)),
        ("pgn  My Game.pgn ", WantPgn("My Game.pgn")),
        ("resign now", TryMove("resign now")),
        ("e4", TryMove("e4")),
        ("b4", TryMove("b4")),
    ],
)
def test_a_line_is_a_command_or_perhaps_a_move(line: str, typed: object) -> None:
    assert read_line(line) == typed


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        (chess.STARTING_FEN, "e4", "e2e4"),
        (chess.STARTING_FEN, "e2e4", "e2e4"),
        (chess.STARTING_FEN, "E2-E4", "e2e4"),
        (chess.STARTING_FEN, "Nf3", "g1f3"),
        (chess.STARTING_FEN, "nf3!?", "g1f3"),
        (PROMOTING, "a8=Q", "a7a8q"),
        (PROMOTING, "a8q", "a7a8q"),
        (PROMOTING, "a8=n", "a7a8n"),
        (PROMOTING, "a7a8Q", "a7a8q"),
        (PROMOTING, "a7a8=r", "a7a8r"),
        (CASTLING, "O-O", "e1g1"),
        (CASTLING, "0-0-0", "e1c1"),
        (CASTLING, "o-o", "e1g1"),
        (CASTLING, "e1h1", "e1g1"),
        (EN_PASSANT, "exd6", "e5d6"),
        (EN_PASSANT, "exd6 e.p.", "e5d6"),
        (PAWN_AND_BISHOP, "bxc4", "b3c4"),
        (PAWN_AND_BISHOP, "Bxc4", "d3c4"),
    ],
)
def test_a_move_is_read_in_san_and_in_uci(fen: str, text: str, uci: str) -> None:
    move = read_move(chess.Board(fen), text)
    assert isinstance(move, chess.Move)
    assert move.uci() == uci


@pytest.mark.parametrize(
    ("fen", "text", "code", "says"),
    [
        (chess.STARTING_FEN, "e5", "illegal-move", "not legal"),
        (chess.STARTING_FEN, "e2e5", "illegal-move", "not legal"),
        (chess.STARTING_FEN, "e2e2", "illegal-move", "nowhere"),
        (PROMOTING, "a8", "promotion-missing", "a8=Q"),
        (PROMOTING, "a7a8", "promotion-missing", "a7a8q"),
        (TWO_KNIGHTS, "Ne4", "ambiguous-move", "Nce4 or Nge4"),
        ("k7/8/8/8/8/8/1q6/K7 w - - 0 1", "a2", "illegal-move", "check"),
        (chess.STARTING_FEN, "0000", "unknown-command", "help"),
        (chess.STARTING_FEN, "--", "unknown-command", "help"),
        (chess.STARTING_FEN, "Q@e4", "unknown-command", "help"),
        (chess.STARTING_FEN, "stop", "unknown-command", "help"),
        (chess.STARTING_FEN, "e" * 10_000, "unknown-command", "help"),
    ],
)
def test_what_is_no_move_is_told_why(fen: str, text: str, code: str, says: str) -> None:
    problem = read_move(chess.Board(fen), text)
    assert isinstance(problem, NotAMove)
    assert problem.code == code
    assert says in problem.text


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("draw", Word.DRAW),
        ("Takeback", Word.TAKEBACK),
        ("rematch", Word.REMATCH),
        ("claim", Word.CLAIM),
        ("abort", Word.ABORT),
        ("flag", Word.FLAG),
        ("cancel", Word.CANCEL),
        ("new", Word.NEW),
        ("new 3+2 rated", AskFor("3+2 rated", challenge=False)),
        ("challenge open 3d", AskFor("open 3d", challenge=True)),
        ("accept", Answer(yes=True)),
        ("accept abc", Answer(yes=True, challenge="abc")),
        ("decline", Answer(yes=False)),
        ("decline later", Answer(yes=False, reason="later")),
        ("decline toofast", Answer(yes=False, reason="tooFast")),
        ("decline abc noBot", Answer(yes=False, challenge="abc", reason="noBot")),
        ("decline abc because", Answer(yes=False, challenge="abc")),
        ("say good game", Say("good game")),
        ("chat off", SwitchChat(None, on=False)),
        ("chat on players", SwitchChat("players", on=True)),
        ("chat spectators off", SwitchChat("spectators", on=False)),
        ("chat loud", TryMove("chat loud")),
        ("say", TryMove("say")),
    ],
)
def test_words_about_games_are_read(line: str, typed: object) -> None:
    assert read_line(line) == typed


def test_chess960_castles_by_name_and_by_taking_the_rook() -> None:
    board = chess.Board("bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w KQkq - 0 1", chess960=True)
    for san in ("Nf3", "Nf6", "g3", "g6"):
        board.push_san(san)
    for typed in ("O-O", "0-0", "e1f1"):
        assert read_move(board, typed) == chess.Move.from_uci("e1f1")


@pytest.mark.parametrize(
    ("text", "meant"),
    [("take back", "takeback"), ("resing", "resign"), ("Re-match", "rematch"), ("draw?!", "draw")],
)
def test_a_mistyped_command_is_told_which_was_meant(text: str, meant: str) -> None:
    problem = read_move(chess.Board(), text)
    assert isinstance(problem, NotAMove)
    assert problem.text.endswith(f"did you mean {meant}?")
