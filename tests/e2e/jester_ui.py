"""jesterui's way of kind 30: the starter is White, no word for resignation or draw; it follows the
earliest child of the head, and stops for ever at one that is wrong.
"""

from collections.abc import Sequence
from functools import cache

import chess

from tests.e2e.jester_spelling import (
    JESTER,
    START,
    WHITE,
    Draft,
    Event,
    Filter,
    View,
    content_of,
    fen_of,
    history_of,
    played,
    private_reference,
    result_on,
    values,
)

FROZEN = "frozen at a child that is no legal successor"
BROKEN = "the page cannot load the moves"


class JesterUi:
    """The spelling of jesterui, 2021 to 2023."""

    def start(self, nonce: str, color: str, opponent: str | None) -> Draft:
        """One `e`, and no `p`."""
        assert color == WHITE, "its starter is always White"
        reference = START if opponent is None else private_reference(opponent)
        content = {"version": "0", "kind": 0, "history": [], "nonce": nonce}
        return Draft([["e", reference]], content)

    def view(self, start: Event, events: Sequence[Event], viewer: str) -> View:
        """From the start, always to the earliest child of the head."""
        content = content_of(start)
        assert (content.get("kind"), content.get("history")) == (0, []), start
        moves = [event for event in events if _may_be_move(event, start["id"])]
        # The lowest id with two half-moves is the opponent, by any author.
        seconds = sorted(e["id"] for e in moves if len(history_of(content_of(e))) == 2)
        black = next((e["pubkey"] for e in moves if e["id"] in seconds[:1]), None)
        if black is None and viewer != start["pubkey"]:
            black = viewer
        head, complaint = start, ""
        while children := [e for e in moves if values(e, "e")[1] == head["id"]]:
            child = _earliest(children)
            if not _is_successor(head, child):
                complaint = FROZEN
                break
            head = child
        history = history_of(content_of(head))
        shown, sans = chess.Board(), []
        # What it shows it reads from the history, where a wrong SAN beside a right FEN breaks it.
        for text in history:
            before = shown.copy(stack=False)
            if not played(shown, text):
                complaint = BROKEN
                break
            sans.append(before.san(shown.peek()))
        return View(
            game=start["id"],
            head=head["id"],
            white=start["pubkey"],
            black=black,
            sans=tuple(sans),
            fen=fen_of(shown),
            result=_result(shown),
            complaint=complaint,
        )

    def move(self, view: View, uci: str, me: str) -> Draft:
        """Two `e`, and no `p`."""
        assert me == (view.white if chess.Board(view.fen).turn else view.black)
        san, after = view.after(uci)
        content = {
            "version": "0",
            "kind": 1,
            "fen": after.fen,
            "move": san,
            "history": list(after.sans),
        }
        return Draft([["e", view.game], ["e", view.head]], content)

    def resign(self, view: View, me: str) -> Draft:
        """It has none."""
        raise AssertionError("jesterui has no word for it")

    def start_filters(self, me: str) -> list[Filter]:
        """Open starts, and those that hide this key."""
        return [
            {"kinds": [JESTER], "#e": [reference]} for reference in (START, private_reference(me))
        ]


def _may_be_move(event: Event, game: str) -> bool:
    content, references = content_of(event), values(event, "e")
    is_move = content.get("kind") == 1 and bool(history_of(content))
    return is_move and len(references) == 2 and references[0] == game


def _earliest(children: list[Event]) -> Event:
    # Of one second: the longest history, then the highest id, by the order of its table.
    return min(
        sorted(children, key=lambda e: (len(history_of(content_of(e))), e["id"]), reverse=True),
        key=lambda e: int(e["created_at"]),
    )


def _is_successor(parent: Event, child: Event) -> bool:
    before, told = content_of(parent), content_of(child)
    history = history_of(told)
    if history[-1] != told.get("move") or history[:-1] != history_of(before):
        return False
    # The start's own position is not looked at.
    fen = chess.STARTING_FEN if before["kind"] == 0 else before["fen"]
    return told.get("fen") in _successors(fen)


@cache
def _successors(fen: str) -> frozenset[str]:
    board = chess.Board(fen)
    found = set()
    for move in list(board.legal_moves):
        board.push(move)
        found.add(fen_of(board))
        board.pop()
    return frozenset(found)


def _result(board: chess.Board) -> str | None:
    is_draw = board.is_fifty_moves() or board.is_repetition(3) or board.is_insufficient_material()
    return "1/2-1/2" if is_draw else result_on(board)
