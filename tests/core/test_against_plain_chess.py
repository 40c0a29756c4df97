"""The same games through ``decide`` and through a plain ``chess.Board``, which is the oracle."""

import random

import chess
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from arbiter.core.commands import PlayMove, Quit, Resign
from arbiter.core.decide import decide
from arbiter.core.replies import GameEnded, MovePlayed, Rejected
from arbiter.core.rules import Rules
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, move

NEVER = Rules(illegal_moves_to_lose=0)


class PlayersAndNonsense(RuleBasedStateMachine):
    """Random legal moves, nonsense, strangers and resignations, one at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.game = a_game()
        self.board = chess.Board()
        self.over = False

    @rule(choice=st.randoms(use_true_random=False))
    @precondition(lambda self: not self.over)
    def a_legal_move(self, choice: random.Random) -> None:
        chosen = choice.choice(list(self.board.legal_moves))
        decision = decide(self.game, move(self.game, chosen.uci()), NOW_MS, NEVER)
        self.board.push(chosen)
        self.over = self.board.outcome() is not None
        (reply,) = decision.replies
        assert isinstance(reply, GameEnded if self.over else MovePlayed)
        self.game = decision.game

    @rule(
        text=st.one_of(
            st.text(max_size=8), st.from_regex(r"[a-h][1-8][a-h][1-8][qrbn]?", fullmatch=True)
        )
    )
    def any_text(self, text: str) -> None:
        try:
            legal = bool(chess.Move.from_uci(text)) and self.board.is_legal(
                chess.Move.from_uci(text)
            )
        except ValueError:
            legal = False
        if legal and not self.over:
            return
        decision = decide(self.game, move(self.game, text), NOW_MS, NEVER)
        assert decision.game is self.game
        assert isinstance(decision.replies[0], Rejected)

    @rule()
    def the_wrong_player(self) -> None:
        waiting = self.game.seat(not self.game.turn).player
        command = PlayMove(player=waiting, uci="e2e4", made_at_ms=NOW_MS, received_at_ms=NOW_MS)
        assert decide(self.game, command, NOW_MS, NEVER).game is self.game

    @rule()
    def a_stranger(self) -> None:
        assert decide(self.game, Resign(EVE.pubkey), NOW_MS, NEVER).game is self.game

    @rule(white=st.booleans())
    @precondition(lambda self: not self.over and self.game.ply > 20)
    def a_player_leaves(self, *, white: bool) -> None:
        decision = decide(self.game, Quit((ALICE if white else BOB).pubkey), NOW_MS, NEVER)
        self.game, self.over = decision.game, True

    @invariant()
    def the_position_is_the_oracles(self) -> None:
        assert self.game.board().fen() == self.board.fen()
        assert self.game.turn == self.board.turn
        assert (self.game.outcome is not None) == self.over


TestPlayersAndNonsense = PlayersAndNonsense.TestCase
