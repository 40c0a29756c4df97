"""The board on which a game is replayed."""

import chess


class Replayed(chess.Board):
    """The board of a game, with what is told of it at every move. Moves are only added to it."""

    known_fen: tuple[tuple[chess.Move, ...], str] | None = None
    known_uci: list[str]

    def push(self, move: chess.Move) -> None:
        """As `chess.Board` does. Most moves of a long game take a piece other than pawn and king to
        an empty square: python-chess asks of each whether it captures, castles or promotes, and
        these are made in a third of its time.
        """
        origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        pieces = (self.knights | self.bishops | self.rooks | self.queens) & ~self.promoted
        # The first push brings the castling rights in order.
        if not self._stack or not pieces & origin or self.occupied & target or move.drop:
            super().push(move)
            return
        self._stack.append(chess._BoardState(self))  # noqa: SLF001 - what `pop` takes back
        self.move_stack.append(move)
        both = origin | target
        if self.knights & origin:
            self.knights ^= both
        elif self.bishops & origin:
            self.bishops ^= both
        elif self.rooks & origin:
            self.rooks ^= both
            self.castling_rights &= ~origin
        else:
            self.queens ^= both
        self.occupied ^= both
        self.occupied_co[self.turn] ^= both
        self.ep_square = None
        self.halfmove_clock += 1
        if self.turn == chess.BLACK:
            self.fullmove_number += 1
        self.turn = not self.turn
