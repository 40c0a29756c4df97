"""nostr.blue's way of kind 30: each history it writes has its last SAN twice; it follows the
longest history, of several the earliest, and its live board only ever goes on.
"""

from collections.abc import Sequence
from dataclasses import replace

import chess

from tests.e2e.jester_spelling import (
    DRAW_AGREEMENT,
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
    private_reference,
    result_on,
    seats,
    values,
)

RECOVERED = "recovered from the position: its moves are forgotten"


class NostrBlue:
    """The spelling of nostr.blue, May to July 2026."""

    def start(self, nonce: str, color: str, opponent: str | None) -> Draft:
        """No position; against one opponent both references, and `p`."""
        content = {"version": "0", "kind": 0, "history": [], "nonce": nonce, "player_color": color}
        alt = ["alt", f"{'Chess' if opponent else 'Open chess'} challenge (plays {color.title()})"]
        if opponent is None:
            return Draft([["e", START], alt], content)
        references = [["e", private_reference(opponent)], ["e", START]]
        return Draft([*references, ["p", opponent], alt], content)

    def view(self, start: Event, events: Sequence[Event], viewer: str) -> View:
        """The page that was open from the start on: each event is applied as it comes."""
        view = self.reloaded(start, [], viewer)
        for event in events:
            if _is_move(event, start["id"]):
                view = _gone_on(view, event, viewer)
        white, black = self._seats(start, events)
        return replace(view, white=white, black=black)

    def reloaded(self, start: Event, events: Sequence[Event], viewer: str) -> View:
        """The page that is opened now."""
        assert content_of(start).get("kind") == 0, start
        white, black = self._seats(start, events)
        best = _best(start, events)
        view = View(start["id"], start["id"], white, black)
        if best is None:
            return view
        content = content_of(best)
        board, complaint = chess.Board(), ""
        history = tuple(history_of(content))
        for ply, san in enumerate(history):
            if not played(board, san):
                # The position is loaded, the moves are not.
                claimed = content.get("fen")
                board = chess.Board(claimed) if isinstance(claimed, str) else board
                complaint = RECOVERED
                history = () if isinstance(claimed, str) else history[:ply]
                break
        return replace(
            view,
            head=best["id"],
            sans=history,
            fen=fen_of(board),
            result=content.get("result") or result_on(board),
            termination=content.get("termination"),
            complaint=complaint,
        )

    def _seats(self, start: Event, events: Sequence[Event]) -> tuple[str | None, str | None]:
        best = _best(start, events)
        mover = best["pubkey"] if best and best["pubkey"] != start["pubkey"] else None
        opponent = mover or next(iter(values(start, "p")), None)
        return seats(start["pubkey"], content_of(start).get("player_color"), opponent)

    def move(self, view: View, uci: str, me: str) -> Draft:
        """The board moves, then the SAN is added to the board's history once more. While a draw is
        offered, a move accepts it.
        """
        san, after = view.after(uci)
        draft = self._draft(after, me, san)
        ended = result_on(chess.Board(after.fen))
        if view.draw_offered:
            draft.content.update(result="1/2-1/2", termination=DRAW_AGREEMENT)
        elif ended:
            mate = chess.Board(after.fen).is_checkmate()
            draft.content.update(result=ended, termination="checkmate" if mate else "stalemate")
        return draft

    def resign(self, view: View, me: str) -> Draft:
        """The last SAN once more, a result and its reason."""
        draft = self._draft(view, me)
        result = "0-1" if me == view.white else "1-0"
        draft.content.update(result=result, termination=RESIGNATION)
        return draft

    def _draft(self, view: View, me: str, san: str | None = None) -> Draft:
        opponent = view.opponent_of(me)
        assert opponent is not None, "it cannot publish before it knows its opponent"
        last = san if san is not None else (view.sans[-1] if view.sans else "")
        content = {
            "version": "0",
            "kind": 1,
            "fen": view.fen,
            "move": last,
            "history": [*view.sans, last],
        }
        return Draft([["e", view.game], ["e", view.head], ["p", opponent]], content)

    def start_filters(self, me: str) -> list[Filter]:
        """All starts, what names this key, and what hides it."""
        tagged: list[Filter] = [{"kinds": [JESTER], "#p": [me]}]
        references = (START, private_reference(me))
        return tagged + [{"kinds": [JESTER], "#e": [reference]} for reference in references]


def _is_move(event: Event, game: str) -> bool:
    content = content_of(event)
    # Its reader needs these two, as a text and a number.
    is_read = content.get("kind") == 1 and isinstance(content.get("version"), str)
    return is_read and game in values(event, "e")


def _best(start: Event, events: Sequence[Event]) -> Event | None:
    moves = [event for event in events if _is_move(event, start["id"])]
    return min(
        (event for event in moves if history_of(content_of(event))),
        key=lambda e: (-len(history_of(content_of(e))), e["created_at"]),
        default=None,
    )


def _gone_on(view: View, event: Event, viewer: str) -> View:
    content = content_of(event)
    is_offer = content.get("draw_offered") is True
    if is_offer or event["pubkey"] == viewer:
        # Its own offer comes back from the relay, and counts as well.
        view = replace(view, draw_offered=is_offer)
    history = history_of(content)
    if len(history) <= len(view.sans):
        return view
    board, sans = chess.Board(view.fen), list(view.sans)
    for san in history[len(sans) :]:
        if not played(board, san):
            break
        sans.append(san)
    return replace(
        view,
        head=event["id"],
        sans=tuple(sans),
        fen=fen_of(board),
        result=content.get("result") or result_on(board),
        termination=content.get("termination"),
    )
