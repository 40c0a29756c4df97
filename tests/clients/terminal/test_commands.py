"""Lines as people type them."""

import chess
import pytest

from clients.terminal.execute import _ALONE, _WITH_REST
from clients.terminal.typed_moves import COMMANDS, NotAMove, read_move
from tests.clients.terminal.alice import challenged, enter, playing, queued, waiting

START = chess.STARTING_FEN
PROMOTING = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
TWO_KNIGHTS = "k7/8/8/8/8/2N3N1/8/K7 w - - 0 1"
PAWN_AND_BISHOP = "k7/8/8/3p4/2p5/1P1B4/8/K7 w - - 0 1"
CASTLING = "k7/8/8/8/8/8/8/R3K2R w KQ - 0 1"
EN_PASSANT = "k7/8/8/3pP3/8/8/8/K7 w - d6 0 1"
IN_CHECK = "k7/8/8/8/8/8/1q6/K7 w - - 0 1"


def test_each_word_is_a_command_alone_and_is_proposed_for_a_mistyped_one() -> None:
    assert {*_ALONE, *_WITH_REST} - {"?"} == {*COMMANDS}


@pytest.mark.parametrize(
    ("line", "did"),
    [
        *((line, "-") for line in ("", "   ")),
        *((line, "leave ended") for line in ("quit", " QUIT ", "exit")),
        *((line, "help") for line in ("?", "help", "help Offers")),
        ("pgn  My Game.pgn ", "save My Game.pgn: [Event"),
        *((line, "(chat)") for line in ("chat off", "chat on players", "chat spectators off")),
        *(
            (line, "!unknown-command")
            for line in ("resign now", "chat loud", "notify me", "say", "quit it")
        ),
    ],
)
def test_a_line_is_a_command_or_perhaps_a_move(line: str, did: str) -> None:
    assert playing("e4 e5")(enter(line)).startswith(did)


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("decline", "?decline:c:generic"),
        ("decline later", "?decline:c:later"),
        ("decline toofast", "?decline:c:tooFast"),
        (f"decline {'c' * 32} noBot", "?decline:c:noBot"),
        (f"decline {'c' * 32} because", "?decline:c:generic"),
        ("notify", "?notify"),
        ("notify ON", "?notify:dm"),
        ("notify off", "?notify:dm:off"),
        ("accept", "?accept:c"),
        (f"accept {'c' * 32}", "?accept:c"),
    ],
)
def test_a_request_is_a_word_with_a_name_and_a_reason_or_either(line: str, sent: str) -> None:
    alice = waiting()
    assert alice(queued(), challenged("bob", "c"), enter(line)) == sent


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        *((START, text, "e2e4") for text in ("e4", "e2e4", "E2-E4")),
        *((START, text, "g1f3") for text in ("Nf3", "nf3!?")),
        *((PROMOTING, text, "a7a8q") for text in ("a8=Q", "a8q", "a7a8Q")),
        (PROMOTING, "a8=n", "a7a8n"),
        (PROMOTING, "a7a8=r", "a7a8r"),
        *((CASTLING, text, "e1g1") for text in ("O-O", "o-o", "e1h1")),
        (CASTLING, "0-0-0", "e1c1"),
        *((EN_PASSANT, text, "e5d6") for text in ("exd6", "exd6 e.p.")),
        (PAWN_AND_BISHOP, "bxc4", "b3c4"),
        (PAWN_AND_BISHOP, "Bxc4", "d3c4"),
    ],
)
def test_a_move_is_read_in_san_and_in_uci(fen: str, text: str, uci: str) -> None:
    assert read_move(chess.Board(fen), text) == chess.Move.from_uci(uci)


@pytest.mark.parametrize(
    ("fen", "text", "code", "says"),
    [
        (START, "e5", "illegal-move", "e5 is not legal here"),
        (START, "e2e5", "illegal-move", "e2e5 is not legal here"),
        (START, "e2e2", "illegal-move", "e2e2 starts and ends on one square"),
        (IN_CHECK, "a2", "illegal-move", "a2 is not legal here: your king is in check"),
        (PROMOTING, "a8", "promotion-missing", "Promote to what? For example a8=Q"),
        (PROMOTING, "a7a8", "promotion-missing", "Promote to what? For example a7a8q"),
        (TWO_KNIGHTS, "Ne4", "ambiguous-move", "Ne4 could be Nce4 or Nge4"),
        *(
            (START, text, "unknown-command", f"“{text}” is neither a move nor a command: {hint}")
            for text, hint in (
                *((text, "try help") for text in ("0000", "--", "Q@e4", "stop", "e" * 10_000)),
                ("take back", "did you mean takeback?"),
                ("resing", "did you mean resign?"),
                ("Re-match", "did you mean rematch?"),
                ("draw?!", "did you mean draw?"),
                ("draw a line here", "did you mean draw?"),
            )
        ),
    ],
)
def test_what_is_no_move_has_a_reason(fen: str, text: str, code: str, says: str) -> None:
    assert read_move(chess.Board(fen), text) == NotAMove(code, says)
