"""Who may change a game, by which words, and into what: one write against the event behind it.

This is a second judgement, made from PROTOCOL.md, on another board.
"""

import re
from functools import lru_cache

import chess

from tests.simulation.checker.items import Stored
from tests.simulation.checker.parsed_history import Version
from tests.simulation.checker.wire import (
    CONNECT,
    MOVE,
    REQUEST,
    SOCKET_MOVE,
    SOCKET_OFFER,
    SOCKET_RESIGN,
    Event,
)

PLIES_TO_ABORT = 2
SILENT_MS = 3 * 24 * 3_600_000
NOTICE_MS = 24 * 3_600_000
FIFTY_MOVES = 100
LIVE_REMATCH_MS, SLOW_REMATCH_MS = 5 * 60_000, 24 * 3_600_000

MOVE_SHAPED = re.compile("[a-h][1-8][a-h][1-8][nbrq]?")

ASKS_FOR_ANOTHER_GAME = "a request to play"
"""In place of the words of a request: it ends its author's offer of a rematch."""

_OFFERS = ("draw", "takeback", "rematch", "abort")


def board_of(game: Stored) -> chess.Board:
    """The position that follows from the moves. ValueError for a move that is not legal."""
    board = chess.Board(game.start_fen, chess960=game.is_960)
    for uci in game.moves:
        push(board, uci)
    return board


def position_of(game: Stored) -> chess.Board | None:
    """The same, or None where the moves lead nowhere: the rules' own invariant tells of that."""
    try:
        return board_of(game)
    except ValueError:
        return None


def fen_of(game: Stored) -> str:
    """The FEN of the position; words that are no FEN where the moves lead nowhere."""
    try:
        return _fen(game.start_fen, game.moves, is_960=game.is_960)
    except ValueError as illegal:
        return str(illegal)


@lru_cache(maxsize=20_000)
def _fen(start_fen: str, moves: tuple[str, ...], *, is_960: bool) -> str:
    if not moves:
        return chess.Board(start_fen, chess960=is_960).fen()
    board = chess.Board(_fen(start_fen, moves[:-1], is_960=is_960), chess960=is_960)
    push(board, moves[-1])
    return board.fen()


def push(board: chess.Board, uci: str) -> None:
    """Make a legal move. ValueError for any other."""
    move = chess.Move.from_uci(uci)
    if move not in board.legal_moves:
        raise ValueError(f"{uci} is not legal in {board.fen()}")
    board.push(move)


def same_move(board: chess.Board, one: str, other: str) -> bool:
    """Whether two spellings mean one move here: castling has two of them. A move is two squares and
    perhaps a piece, and nothing else is one.
    """
    if not (MOVE_SHAPED.fullmatch(one) and MOVE_SHAPED.fullmatch(other)):
        return False
    try:
        moves = [board.parse_uci(text) for text in (one, other)]
    except ValueError:
        return False
    return moves[0] == moves[1]


def unlawful(one: Version, event: Event, board: chess.Board) -> str | None:
    """Why this event may not have made this change to the game, whose position was ``board``."""
    before, after = one.before, one.after
    if before is None:
        return None
    color = before.color_of(event.pubkey)
    if color is None:
        return "its author has no seat here"
    if event.kind == MOVE and {value[:1] for value in event.all("d")} != {(after.id,)}:
        return "it was signed for another game"
    word = _word(event)
    if word is None:
        return "it is nothing that changes a game"
    if event.id[:16] in one.newly_refused(color):
        return _unlawful_refusal(before, after, color, word, board)
    if len(after.moves) == len(before.moves) + 1:
        return _unlawful_move(before, after, color, word, board)
    if len(after.moves) < len(before.moves):
        return _unlawful_takeback(before, after, color, word)
    if after.is_over and not before.is_over:
        return _unlawful_end(before, after, color, word, board)
    return _unlawful_offer(before, after, color, word)


def _word(event: Event) -> str | None:
    if event.kind in {MOVE, SOCKET_MOVE}:
        return event.content
    if event.kind in {REQUEST, CONNECT}:
        is_question = event.content == "state" or event.content.startswith("decline:")
        return None if is_question else ASKS_FOR_ANOTHER_GAME
    if event.kind == SOCKET_OFFER:
        return "draw" if event.content == "offer" else None
    return "resign" if event.kind == SOCKET_RESIGN else None


def _unlawful_move(
    before: Stored, after: Stored, color: str, word: str, board: chess.Board
) -> str | None:
    if before.is_over:
        return "the game was over"
    if color != before.turn:
        return f"it moved for {before.turn}, and its author is {color}"
    if not same_move(board, word.lower(), after.moves[-1]):
        return f"it says {word}, and {after.moves[-1]} was played"
    offer = before.offer if before.offer == ("draw", color) else None
    if not after.is_over and after.offer != offer:
        return f"after it the offer is {after.offer}"
    return None


def _unlawful_takeback(before: Stored, after: Stored, color: str, word: str) -> str | None:
    asker = "b" if color == "w" else "w"
    if word != "takeback" or before.offer != ("takeback", asker):
        return "a takeback was not agreed to"
    if before.is_rated:
        return "a rated game has no takebacks"
    if len(before.moves) - len(after.moves) != (2 if before.turn == asker else 1):
        return f"{len(before.moves) - len(after.moves)} plies were taken back"
    return None


def _unlawful_end(
    before: Stored, after: Stored, color: str, word: str, board: chess.Board
) -> str | None:
    other = "b" if color == "w" else "w"
    played = len(before.moves)
    match after.termination:
        case "resignation":
            is_so = word == "resign" or (word == "quit" and played >= PLIES_TO_ABORT)
            is_so = is_so and after.winner == other
        case "aborted":
            is_so = played < PLIES_TO_ABORT and word in {"quit", "abort", "flag"}
            is_so = is_so or (word == "abort" and _had_notice(before, after, color))
        case "agreement":
            is_so = word == "draw" and before.offer == ("draw", other) and after.winner is None
        case "threefold-repetition":
            is_so = word == "claim" and board.is_repetition(3) and after.winner is None
        case "fifty-moves":
            is_so = word == "claim" and board.halfmove_clock >= FIFTY_MOVES
        case "timeout":
            is_so = word == "flag"
        case _:
            is_so = False
    return None if is_so else f"{word} ended it by {after.termination}, winner {after.winner}"


def _had_notice(before: Stored, after: Stored, color: str) -> bool:
    if before.offer == ("abort", color):
        return after.changed_ms - before.changed_ms >= NOTICE_MS
    return before.offer == ("abort", "b" if color == "w" else "w")


def _was_silent(before: Stored, after: Stored, color: str) -> bool:
    """Whether the opponent has thought for more than three days in a game by days; in one without a
    clock, for as long as nothing was said.
    """
    if (before.time and not before.time.endswith("d")) or before.turn == color:
        return False
    since_ms = before.changed_ms if before.since_ms is None else before.since_ms
    return after.changed_ms - since_ms > SILENT_MS


def _unlawful_refusal(
    before: Stored, after: Stored, color: str, word: str, board: chess.Board
) -> str | None:
    """A refusal that changed the game: a strike, or a flag that had fallen."""
    if after.moves != before.moves:
        return "it was refused, and made a move"
    struck = after.side(color).strikes - before.side(color).strikes
    if struck == 0:
        fell = after.termination in {"timeout", "aborted"}
        return None if fell else "it was refused, and changed the game otherwise than by a strike"
    if struck != 1 or color != before.turn:
        return (
            f"it counted {struck} strikes, out of turn" if color != before.turn else "two strikes"
        )
    if same_move(board, word.lower(), word.lower()):
        return f"{word} was legal, and counted as a strike"
    if after.is_over and after.termination != "illegal-moves":
        return f"an illegal move ended it by {after.termination}"
    return None


def _unlawful_offer(before: Stored, after: Stored, color: str, word: str) -> str | None:
    other = "b" if color == "w" else "w"
    if after.side(color).strikes != before.side(color).strikes:
        return "it counted as a strike, and was not refused"
    if after.next_game != before.next_game:
        agreed = word == "rematch" and before.offer == ("rematch", other) and before.is_over
        return None if agreed else "a rematch was not agreed to"
    declined = word.endswith("-decline") and before.offer == (word.removesuffix("-decline"), other)
    if after.offer is None and before.offer is not None:
        withdrawn = word == ASKS_FOR_ANOTHER_GAME and before.is_over
        withdrawn = withdrawn and before.offer == ("rematch", color)
        return None if declined or withdrawn else f"{word} took back {before.offer}"
    if after.offer is not None and after.offer != before.offer:
        if word not in _OFFERS or after.offer != (word, color):
            return f"{word} made the offer {after.offer}"
        if (word == "rematch") != before.is_over:
            return f"{word} was offered at the wrong time"
        if word == "abort" and not _was_silent(before, after, color):
            return "it gave notice to an opponent who was not silent"
        return None
    if is_renewed(before, after) and before.offer == (word, color):
        return None
    return f"{word} changed nothing that anybody can see"


def rematch_is_over(game: Stored, at_ms: int) -> bool:
    stands_ms = LIVE_REMATCH_MS if "+" in (game.time or "") else SLOW_REMATCH_MS
    return at_ms - game.changed_ms > stands_ms


def is_renewed(before: Stored, after: Stored) -> bool:
    is_same = before.offer == after.offer and before.next_game == after.next_game
    is_rematch = before.offer is not None and before.offer[0] == "rematch"
    return is_same and is_rematch and rematch_is_over(before, after.changed_ms)


def is_walled(board: chess.Board) -> bool:
    white, black = (board.pawns & board.occupied_co[color] for color in (chess.WHITE, chess.BLACK))
    return white != 0 and white << 8 == black
