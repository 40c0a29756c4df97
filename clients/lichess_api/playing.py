"""Games: streams, moves, words, chat and export. Invariant: a move is signed only where it is
legal, so that no program's mistake is a strike; one that is asked for twice is one move.
"""

from http import HTTPStatus

import chess
import chess.pgn

from clients.lichess_api.asgi import OK, Answer, Refused, Request
from clients.lichess_api.lines import export, game
from clients.lichess_api.routes import Found, Routes, Streamed
from clients.lichess_api.seat import Seat
from clients.player.chat import MAX_CHAT_CHARS
from clients.player.messages import MOVE_TEXT, State
from clients.player.text import clean

_WORDS = {"resign": "quit", "claim-draw": "claim"}
"""The protocol's words where they are others than lichess's. Before a game began it aborts, too."""

_PASSING = frozenset({"rate-limited", "stale"})
"""Reasons for which a move is worth another try: programs repeat one after a 503 and no other."""


async def stream(seat: Seat, _: Request, given: str) -> Found:
    """The lines of a game; after a restart once it is known, for BotLi takes no 404 there."""
    await seat.ready.wait()
    await seat.account.recall(given)
    state = seat.account.state(given)
    if not state.complete:
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "The moves of this game are not listed")
    found = seat.open_game(state)
    return Streamed(found, lambda: seat.closed(state.game, found))


async def now_playing(seat: Seat, request: Request) -> Found:
    """The games that go on, once they are known: lichess-bot leaves a game that is not here."""
    account = seat.account
    if not seat.ready.is_set():
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "The arbiter has not said which games")
    states = [state for state in account.states() if state.result is None]
    states.sort(key=lambda state: (state.is_slow, state.deadline or 0))
    games = [game(account.table(state), account.me, account.now) for state in states]
    mine = sum(one["isMyTurn"] for one in games)
    return Answer({"nowPlaying": games[: request.number("nb")], "nbMyTurn": mine})


async def move(seat: Seat, request: Request, given: str, text: str) -> Found:
    """Play a move; with `offeringDraw` accept a draw before it, or offer one after it."""
    state = seat.account.state(given)
    if _was_played(state, seat, text):
        return OK
    uci = _legal(state, seat, text)
    for one in seat.account.client.session.open.values():
        is_here = (one.game, one.ply) == (state.game, state.ply)
        if is_here and MOVE_TEXT.fullmatch(one.content) and one.content != uci:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{one.content} is on its way")
    offers = request.is_true("offeringDraw")
    if offers and (_is_offered(state, seat, "draw") or _claimable(state)):
        word = "claim" if _claimable(state) else "draw"
        answered = await seat.account.say(state.game, word)
        if answered is None or answered.refusal is None:
            return OK
    answered = await seat.account.say(state.game, uci)
    if answered is not None and answered.refusal is not None:
        after = seat.account.state(given)
        if after.moves[state.ply : state.ply + 1] != (uci,):
            is_passing = after.position == state.position and answered.refusal.reason in _PASSING
            status = HTTPStatus.SERVICE_UNAVAILABLE if is_passing else HTTPStatus.BAD_REQUEST
            raise Refused(status, answered.refusal.text)
    if offers and answered is not None:
        seat.account.later(_offer_after(seat, state.game))
    return OK


def _was_played(state: State, seat: Seat, text: str) -> bool:
    """Whether the player's last move, to which there is no reply yet, is this one."""
    if not state.moves or state.turn == state.color_of(seat.account.me):
        return False
    before = state.board()
    before.pop()
    return _read(before, text) == state.moves[-1]


def _legal(state: State, seat: Seat, text: str) -> str:
    if state.result is not None or state.turn != state.color_of(seat.account.me):
        raise Refused(HTTPStatus.BAD_REQUEST, "Not your turn, or game already over")
    if (found := _read(state.board(), text)) is None:
        raise Refused(HTTPStatus.BAD_REQUEST, f"Piece on {text[:2]} cannot move to {text[2:4]}")
    return found


def _read(board: chess.Board, text: str) -> str | None:
    """The move as the arbiter lists it; None if it is not legal here."""
    try:
        move = board.parse_uci(text.lower())
    except ValueError:
        return None
    # python-chess takes "0000", which passes, for legal.
    return board.uci(move) if move else None


def _claimable(state: State) -> bool:
    board = state.board()
    return board.is_repetition(3) or board.is_fifty_moves()


def _is_offered(state: State, seat: Seat, kind: str, *, by_me: bool = False) -> bool:
    """Whether the opponent offers this, or the player."""
    is_mine = state.offer is not None and state.offer.color == state.color_of(seat.account.me)
    return state.offer is not None and state.offer.kind == kind and is_mine == by_me


async def _offer_after(seat: Seat, game_id: str) -> None:
    """Claim a draw or offer one, now that the move is on the board; a refusal changes nothing."""
    state = seat.account.state(game_id)
    if state.result is None:
        await seat.account.say(game_id, "claim" if _claimable(state) else "draw")


async def word(seat: Seat, _: Request, given: str, name: str, answer: str = "yes") -> Found:
    """Say a word of the protocol, unless it has had its effect: its answer may be late."""
    state = seat.account.state(given)
    is_yes = answer.lower() in {"yes", "true", "1"}
    content = _WORDS.get(name, name) if is_yes else f"{name}-decline"
    if content == "takeback" and state.rated:
        raise Refused(HTTPStatus.BAD_REQUEST, "No move is taken back in a rated game")
    is_over = state.result is not None and content == "quit"
    is_aborted = state.termination == "aborted" and content == "abort"
    if is_over or is_aborted or _is_offered(state, seat, content, by_me=True):
        return OK
    if content == "draw" and _claimable(state):
        content = "claim"
    answered = await seat.account.say(state.game, content)
    if answered is not None and answered.refusal is not None:
        raise Refused(HTTPStatus.BAD_REQUEST, answered.refusal.text)
    return OK


async def claim_victory(seat: Seat, _: Request, given: str) -> Found:
    """Refuse: no opponent is gone before the arbiter says so."""
    seat.account.state(given)
    raise Refused(HTTPStatus.BAD_REQUEST, "The clock decides who wins here")


async def write(seat: Seat, request: Request, given: str) -> Found:
    """Write a line, to the opponent or to all."""
    state = seat.account.state(given)
    text = clean(request.get("text"), MAX_CHAT_CHARS).strip()
    is_public = request.get("room") == "spectator"
    if text and seat.account.write(state, text, is_public=is_public):
        seat.said(state.game, seat.account.name, text, is_public=is_public)
    return OK


async def written(seat: Seat, _: Request, given: str) -> Found:
    return Answer(seat.account.said.get(seat.account.state(given).game, []))


async def export_game(seat: Seat, request: Request, given: str) -> Found:
    """The game as PGN, or as JSON for who asks for that."""
    state = seat.account.state(given)
    table, record = seat.account.table(state), seat.account.records.get(state.game)
    pgn = record.pgn if record else _pgn(state, table.white["name"], table.black["name"])
    if "json" in request.headers.get("accept", ""):
        return Answer(export(table, pgn if request.is_true("pgnInJson") else None))
    return Answer(pgn)


def _pgn(state: State, white: str, black: str) -> str:
    """The PGN of a game that has no note yet, or never has one."""
    found = chess.pgn.Game.from_board(state.board())
    found.headers.update(White=white, Black=black, Result=state.result or "*")
    return f"{found}\n\n"


_GAME = "/api/(?:bot|board)/game"
ROUTES: Routes = {
    ("GET", "/api/account/playing"): now_playing,
    ("GET", "/game/export/{}"): export_game,
    ("GET", _GAME + "/stream/{}"): stream,
    ("POST", _GAME + "/{}/move/{}"): move,
    ("POST", _GAME + "/{}/(resign|abort|claim-draw)"): word,
    ("POST", _GAME + "/{}/(draw|takeback)/{}"): word,
    ("POST", _GAME + "/{}/claim-victory"): claim_victory,
    ("POST", _GAME + "/{}/chat"): write,
    ("GET", _GAME + "/{}/chat"): written,
}
