"""The least that a move can cost: signatures and python-chess, without our code.

One signature is verified, those that were sent are made, and python-chess parses the move, checks
that it is legal, makes it and checks whether the game is over, on a board that exists already: no
JSON, hash, FEN or replay.
"""

import json
from collections.abc import Sequence
from typing import cast

import chess
from coincurve import PrivateKey, PublicKeyXOnly

from arbiter.nostr.event import VerifiedEvent
from tests.builders import SERVER

_KEY = PrivateKey(bytes.fromhex(SERVER.to_hex()))


class Floor:
    """What is done at least for one event, and a position to do it in; use it once a move."""

    def __init__(self, event: VerifiedEvent | None, digests: Sequence[bytes]) -> None:
        """``event`` is the signed move, None on wires without signatures; ``digests`` are those
        that the arbiter signed.
        """
        self._digests = digests
        self._signed: tuple[bytes, bytes, bytes] | None = None
        if event is not None:
            self._signed = (
                bytes.fromhex(event.pubkey),
                bytes.fromhex(event.sig),
                bytes.fromhex(event.id),
            )

    def move(self, board: chess.Board, uci: str) -> None:
        """Do all of it; the board moves on."""
        self.sign_and_verify()
        move = chess.Move.from_uci(uci)
        if not board.is_legal(move):
            raise AssertionError(uci)
        board.push(move)
        board.outcome()

    def sign_and_verify(self) -> None:
        """The curve's part of it."""
        if self._signed:
            pubkey, sig, digest = self._signed
            PublicKeyXOnly(pubkey).verify(sig, digest)
        for digest in self._digests:
            # None asks for no randomness, as `SecretKey.sign_bytes` explains.
            _KEY.sign_schnorr(digest, cast("bytes", None))


def answer_move(board: chess.Board, uci: str, answer: object) -> str:
    """The least that a hot-seat move can cost: the rules, what stands where on the board that is
    shown, and the JSON of the answer.
    """
    Floor(None, ()).move(board, uci)
    board.piece_map()
    return json.dumps(answer)
