"""The picture of a game: the board, and beside it the players and the latest moves."""

from dataclasses import replace

import chess

from clients.terminal.board import Style, board_lines, captured
from clients.terminal.clocks import Clock, clock_words
from clients.terminal.game_view import GameView
from clients.terminal.record import move_rows
from clients.terminal.text import cells, color_name

_MOVES_BESIDE_BOARD = 6
_BOARD_COLUMNS = 29
_LEAST_NAME = 6
_LEAST_BESIDE = 8


def picture(
    game: GameView, style: Style, *, flipped: bool, clocks: bool = True, columns: int = 80
) -> list[str]:
    """The board, players, captures and latest moves, cut to ``columns``; ``clocks`` as in the
    state.
    """
    if game.state is None:
        return []
    board = game.state.board()
    side = game.color if not flipped else not game.color
    rows = move_rows(game)[-_MOVES_BESIDE_BOARD:]
    room = columns - _BOARD_COLUMNS
    moves = [f"{number:>4} {white:<8}{black}".rstrip() for number, white, black in rows]
    beside = [_player(game, not side, board, style, clocks=clocks, room=room)]
    beside += [style.fit(move, room) for move in moves]
    beside += [""] * (7 - len(beside))
    beside.append(_player(game, side, board, style, clocks=clocks, room=room))
    if room < _LEAST_BESIDE:
        beside = [""] * len(beside)
    lines = board_lines(board, side, style)
    return [f"{line} {text}".rstrip() for line, text in zip(lines, [*beside, ""], strict=True)]


def _player(
    game: GameView, color: chess.Color, board: chess.Board, style: Style, *, clocks: bool, room: int
) -> str:
    """A player's line beside the board; the name is cut first."""
    pubkey = game.white if color == chess.WHITE else game.black
    turn = board.turn == color and game.result is None
    label = f"{'*' if turn else ' '} {color_name(color):<6}"
    rating = f" {game.rating(pubkey)}".rstrip()
    you = " (you)" if color == game.color and not game.watched else ""
    left = f"  {_left(game.clock, color)}" if clocks and game.clock else ""
    took = captured(board, color, style)
    rest = f"{rating}{you}", f"{left}  {took}".rstrip()
    taken = cells(label) + sum(map(cells, rest))
    name = style.fit(game.called(pubkey), max(_LEAST_NAME, room - taken))
    named = style.fit(f"{label}{name}{rest[0]}", room)
    after = style.fit(rest[1], room - cells(named))
    return f"{style.bold(named) if turn else named}{after}".rstrip()


def _left(clock: Clock, color: chess.Color) -> str:
    return clock_words(replace(clock, deadline_ms=None), color, 0.0)
