"""cli-chess without its terminal: `cli_chess_driver.py URL TOKEN OPPONENT MOVES` challenges this
opponent as White, plays these moves as their turns come, and writes how the game ended, as it sees
it.
"""

import json
import sys
import time
from typing import Any

from cli_chess.core.game.game_options import GameOption
from cli_chess.modules.token_manager.token_manager_model import g_token_manager_model

url, token, opponent, moves = sys.argv[1:]
g_token_manager_model.set_base_url(url)
assert g_token_manager_model.update_linked_account(token)
# It looks for the client of the account as it is imported.
from cli_chess.core.game.online_game.online_game_model import OnlineGameModel  # noqa: E402

options: dict[Any, Any] = {
    GameOption.VARIANT: "standard",
    GameOption.TIME_CONTROL: (10, 5),
    GameOption.RATED: False,
    GameOption.COLOR: "white",
    GameOption.OPPONENT: opponent,
}
model = OnlineGameModel(options, is_vs_ai=False)
model.create_game()
ends_at = time.monotonic() + 60


def until_plies(plies: int) -> None:
    """Returns when its board has this many moves, or the game is over.

    At each line of the game the board is emptied and set up anew, move by move.
    """
    while time.monotonic() < ends_at and not (
        model.board_model.board.occupied and len(model.board_model.get_move_stack()) == plies
    ):
        if plies and not model.game_in_progress:
            return
        time.sleep(0.02)


for count, uci in enumerate(moves.split()):
    until_plies(2 * count)
    model.make_move(uci)
while model.game_in_progress and time.monotonic() < ends_at:
    time.sleep(0.02)
# The end may be told by the other stream, before the last move is read.
model.game_state_dispatcher.join(10)
status = model.game_metadata.game_status
played = [move.uci() for move in model.board_model.get_move_stack()]
json.dump({"status": status.status, "winner": status.winner, "moves": played}, sys.stdout)
