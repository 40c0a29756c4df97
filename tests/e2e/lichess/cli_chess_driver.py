"""cli-chess without its terminal: `cli_chess_driver.py URL TOKEN KIND ARGUMENT MOVES` starts a game
by a `seek`, a challenge (`player` NAME) or against the house (`ai` LEVEL), plays these moves as
their turns come, and writes how the game ended, as it sees it.
"""

import json
import sys
import time
from typing import Any

from cli_chess.core.game.game_options import GameOption
from cli_chess.modules.token_manager.token_manager_model import g_token_manager_model

url, token, kind, argument, moves = sys.argv[1:]
g_token_manager_model.set_base_url(url)
assert g_token_manager_model.update_linked_account(token)
# It looks for the client of the account as it is imported.
from cli_chess.core.game.online_game.online_game_model import OnlineGameModel  # noqa: E402

options: dict[Any, Any] = {
    GameOption.VARIANT: "standard",
    GameOption.TIME_CONTROL: (10, 5),
    GameOption.RATED: False,
    GameOption.COLOR: "white" if kind == "player" else "random",
}
if kind == "player":
    options[GameOption.OPPONENT] = argument
if kind == "ai":
    options |= {GameOption.COMPUTER_SKILL_LEVEL: int(argument), GameOption.COLOR: "white"}
model = OnlineGameModel(options, kind == "ai")
model.create_game()
ends_at = time.monotonic() + 60
left = moves.split()
while not model.game_in_progress and time.monotonic() < ends_at:
    time.sleep(0.02)
while model.game_in_progress and time.monotonic() < ends_at:
    # Until the first line of the game is read its board is empty, which counts as a draw.
    if left and model.board_model.board.occupied and model.is_my_turn():
        uci = left.pop(0)
        if uci == "resign":
            model.resign()
        else:
            model.make_move(uci)
            while model.is_my_turn() and model.game_in_progress and time.monotonic() < ends_at:
                time.sleep(0.02)
    time.sleep(0.02)
# The end may be told by the other stream, before the last move is read.
model.game_state_dispatcher.join(10)
status = model.game_metadata.game_status
played = [move.uci() for move in model.board_model.get_move_stack()]
json.dump({"status": status.status, "winner": status.winner, "moves": played}, sys.stdout)
