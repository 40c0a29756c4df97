"""Amethyst's way of kind 30: the longest history is the game, by any author; where it does not
replay or the FEN differs, the FEN that is claimed is the position.
"""

import re
from collections.abc import Sequence

import chess

from tests.e2e.jester_spelling import (
    JESTER,
    RESIGNATION,
    START,
    Draft,
    Event,
    Filter,
    View,
    content_of,
    fen_of,
    history_of,
    played,
    result_on,
    seats,
    values,
)

DESYNCED = "desynced: the claimed position was loaded"


class Amethyst:
    """The spelling of Amethyst 1.14."""

    def start(self, nonce: str, color: str, opponent: str | None) -> Draft:
        """Always the open reference; `p` names the opponent."""
        content = {
            "version": "0",
            "kind": 0,
            "fen": chess.STARTING_FEN,
            "history": [],
            "nonce": nonce,
            "playerColor": color,
        }
        return Draft([["e", START], *_named(opponent)], content)

    def view(self, start: Event, events: Sequence[Event], viewer: str) -> View:
        """The longest history; of several, the lowest id."""
        assert content_of(start).get("kind") == 0, start
        moves = sorted(
            (
                e
                for e in events
                if content_of(e).get("kind") == 1 and values(e, "e")[:1] == [start["id"]]
            ),
            key=lambda e: str(e["id"]),
        )
        others = (e["pubkey"] for e in moves if e["pubkey"] != start["pubkey"])
        opponent = next(iter(values(start, "p")), None) or next(others, None)
        if opponent is None and viewer != start["pubkey"]:
            opponent = viewer
        white, black = seats(start["pubkey"], content_of(start).get("playerColor"), opponent)
        latest = max(moves, key=lambda e: len(history_of(content_of(e))), default=None)
        if latest is None:
            return View(start["id"], start["id"], white, black)
        content = content_of(latest)
        board, sans, complaint = _position(content)
        return View(
            game=start["id"],
            head=latest["id"],
            white=white,
            black=black,
            sans=tuple(sans),
            fen=fen_of(board),
            result=content.get("result") or result_on(board),
            termination=content.get("termination"),
            complaint=complaint,
        )

    def move(self, view: View, uci: str, me: str) -> Draft:
        """Two `e`, and `p` for the opponent if it is known."""
        assert view.result is None, view
        assert me == (view.white if chess.Board(view.fen).turn else view.black)
        san, after = view.after(uci)
        content = {
            "version": "0",
            "kind": 1,
            "fen": after.fen,
            "move": san,
            "history": list(after.sans),
        }
        return Draft(self._tags(view, me), content)

    def resign(self, view: View, me: str) -> Draft:
        """A move without `move`, and a result."""
        content = {
            "version": "0",
            "kind": 1,
            "fen": view.fen,
            "history": list(view.sans),
            "result": "0-1" if me == view.white else "1-0",
            "termination": RESIGNATION,
        }
        return Draft(self._tags(view, me), content)

    def _tags(self, view: View, me: str) -> list[list[str]]:
        return [["e", view.game], ["e", view.head], *_named(view.opponent_of(me))]

    def start_filters(self, me: str) -> list[Filter]:
        """All starts, and what names this key."""
        return [{"kinds": [JESTER], "#e": [START]}, {"kinds": [JESTER], "#p": [me]}]


def _named(pubkey: str | None) -> list[list[str]]:
    return [["p", pubkey]] if pubkey else []


def _position(content: dict[str, object]) -> tuple[chess.Board, list[str], str]:
    board = chess.Board()
    sans: list[str] = []
    claimed = content.get("fen")
    for text in history_of(content):
        san = re.sub(r"[!?]+$", "", text.strip()).replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        if not played(board, san):
            break
        sans.append(san)
    else:
        if not isinstance(claimed, str) or claimed.split()[:4] == fen_of(board).split()[:4]:
            return board, sans, ""
    if not isinstance(claimed, str):
        return board, sans, DESYNCED
    # Its engine forgets the moves when it loads a position.
    return chess.Board(claimed), [], DESYNCED
