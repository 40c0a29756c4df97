"""What happened, in words; what is going on, in a few; and the picture of a game.

The law: one sentence a notice, the same on a terminal and in a pipe. Nothing here moves a cursor.
"""

from typing import assert_never

import chess

from clients.terminal.board import Style, board_lines, captured
from clients.terminal.commands import HELP
from clients.terminal.happenings import (
    Asked,
    BoardWanted,
    Ended,
    GameView,
    HelpWanted,
    Kept,
    Moved,
    MoveSent,
    MovesWanted,
    NoAnswer,
    Notice,
    PgnWanted,
    Question,
    Queued,
    RecordCame,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Source,
    Started,
)
from clients.terminal.record import move_rows
from clients.terminal.session import Phase, Session
from clients.terminal.text import short_key
from clients.terminal.wire import QUIT, color_name

_MOVES_BESIDE_BOARD = 6

_RESULTS = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "a draw"}


def sentence(notice: Notice) -> str:  # noqa: PLR0912, C901 - one case a notice
    """The notice in a line, or several for lists."""
    match notice:
        case RelayFound():
            return f"{'Back: connected' if notice.back else 'Connected'} to {notice.url}"
        case RelayLost(url, why, 0):
            return f"Lost the last relay ({url}: {why}); trying to reach it again"
        case RelayLost():
            return f"Lost {notice.url} ({notice.why}); {notice.connected} still connected"
        case Queued():
            return "The arbiter looks for an opponent"
        case NoAnswer():
            return f"No answer from the arbiter in {notice.seconds} s: is it running? Asking again"
        case Started():
            return _started(notice)
        case Moved():
            return _moved(notice)
        case MoveSent():
            return _sent(notice)
        case Kept():
            return f"No relay just now: {notice.san} goes out when one is back"
        case Refused():
            return _refused(notice)
        case Ended():
            return ending(notice.game)
        case RecordCame():
            return "The arbiter published the game: pgn shows it, pgn FILE saves it"
        case Asked():
            return _question(notice)
        case BoardWanted():
            return ""
        case MovesWanted():
            rows = move_rows(notice.game)
            lines = [f"{number:>4} {white:<8}{black}".rstrip() for number, white, black in rows]
            return "\n".join(lines) or "No moves yet"
        case PgnWanted():
            return notice.pgn.rstrip("\n")
        case HelpWanted():
            return HELP
        case Remark():
            return notice.text
        case _:
            assert_never(notice)


def picture(game: GameView, style: Style, *, flipped: bool) -> list[str]:
    """The board with the players, what they took and the latest moves beside it."""
    if game.line is None:
        return []
    board = game.line.board()
    side = game.color if not flipped else not game.color
    rows = move_rows(game)[-_MOVES_BESIDE_BOARD:]
    beside = [
        _player(game, not side, board, style),
        *(f"{number:>4} {white:<8}{black}".rstrip() for number, white, black in rows),
    ]
    beside += [""] * (7 - len(beside))
    beside.append(_player(game, side, board, style))
    lines = board_lines(board, side, style)
    return [f"{line} {text}".rstrip() for line, text in zip(lines, [*beside, ""], strict=True)]


def standing(session: Session) -> tuple[str, bool]:
    """What is going on in a few words, and whether the player waits for somebody else."""
    game = session.game
    if not session.links:
        return ("reconnecting" if session.was_linked else "connecting"), True
    match session.phase:
        case Phase.CONNECTING | Phase.ASKING:
            return "asking the arbiter for a game", True
        case Phase.QUEUED:
            return "waiting for an opponent", True
        case Phase.REFUSED:
            return "new asks again, quit leaves", False
        case Phase.OVER:
            return "new for another game, quit leaves", False
        case Phase.PLAYING:
            if game is None or game.line is None:
                return "setting up the board", True
            if session.pending is not None:
                return f"{session.pending.san} is on its way", True
            if game.my_turn:
                return f"your move, {color_name(game.color)}", False
            return f"{short_key(game.opponent)} to move", True
        case never:
            assert_never(never)


def ending(game: GameView) -> str:
    """How the game ended, for the player."""
    why = f" by {game.termination.replace('-', ' ')}" if game.termination else ""
    if game.termination == "aborted":
        return "The game was aborted"
    if game.result is None or game.result == "*":
        return f"The game is over{why}"
    if game.result == "1/2-1/2":
        return f"The game is a draw{why}"
    won = (game.result == "1-0") == (game.color == chess.WHITE)
    return f"{'You won' if won else 'You lost'}{why}: {_RESULTS[game.result]}, {game.result}"


def _started(notice: Started) -> str:
    game = notice.game
    how = "The game goes on" if notice.resumed else "The game begins"
    return f"{how}: you are {color_name(game.color)} against {short_key(game.opponent)}"


def _moved(notice: Moved) -> str:
    game = notice.game
    if game.line is None:
        return ""
    turn = "your move" if game.my_turn else f"{short_key(game.opponent)} to move"
    if notice.san is None:
        return "Your move" if game.my_turn else turn
    ply = game.line.ply
    number = f"{(ply + 1) // 2}{'.' if ply % 2 else '…'}"
    over = game.line.board().is_game_over()
    return f"{number} {notice.san}" if over else f"{number} {notice.san}; {turn}"


def _sent(notice: MoveSent) -> str:
    what = "that you quit" if notice.content == QUIT else notice.san
    return f"{'Sent again' if notice.again else 'Sent'}: {what}"


def _refused(notice: Refused) -> str:
    match notice.source:
        case Source.CLIENT:
            return notice.text
        case Source.RELAY:
            return f"A relay refused: {notice.text}"
        case Source.ARBITER:
            whose = "" if notice.mine else "your opponent: "
            return f"The arbiter refused {whose}{notice.text} ({notice.code})".replace(
                "refused your", "refused something of your"
            )
        case never:
            assert_never(never)


def _question(notice: Asked) -> str:
    early = notice.game.line is None or notice.game.line.ply < 2  # noqa: PLR2004 - each side once
    give_up = "abort" if early else "resign"
    match notice.question:
        case Question.RESIGN:
            return f"Really {give_up} this game? [y/N]"
        case Question.LEAVE:
            letter = give_up[0]
            choice = f"[k]eep the game for later, [{letter}]{give_up[1:]} it, or stay?"
            return f"Leave: {choice} [k/{letter}/S]"
        case never:
            assert_never(never)


def _player(game: GameView, color: chess.Color, board: chess.Board, style: Style) -> str:
    pubkey = game.white if color == chess.WHITE else game.black
    name = short_key(pubkey) + (" (you)" if color == game.color else "")
    mark = "*" if board.turn == color and game.result is None else " "
    took = captured(board, color, style)
    label = f"{mark} {color_name(color):<6}{name}"
    bold = style.bold(label) if mark == "*" else label
    return f"{bold}  {took}".rstrip()
