"""Notices of a game: its states, moves, offers, chat and end."""

import chess

from clients.player.chat import ChatLine
from clients.player.messages import Offer
from clients.terminal.clocks import due_words, time_words
from clients.terminal.game_view import GameView
from clients.terminal.notices import Fields, Notice
from clients.terminal.record import move_rows
from clients.terminal.terms import time_in_words
from clients.terminal.text import color_name, short_key

HOW_IT_ENDED = {
    "checkmate": "by checkmate",
    "stalemate": "by stalemate",
    "insufficient-material": "since neither side can mate",
    "fivefold-repetition": "by fivefold repetition",
    "seventyfive-moves": "by the seventy-five-move rule",
    "threefold-repetition": "by threefold repetition",
    "fifty-moves": "by the fifty-move rule",
    "agreement": "by agreement",
    "resignation": "by resignation",
    "timeout": "on time",
    "illegal-moves": "by illegal moves",
    "left": "because a player left",
    "no-show": "because a player did not come",
}
"""Each termination of PROTOCOL.md but ``aborted``, by which a game is not won, lost or drawn."""

_SENT = {
    "draw": "the offer of a draw, or your consent to one",
    "draw-decline": "that you decline the draw",
    "takeback": "the request for a takeback, or your consent to one",
    "takeback-decline": "that you decline the takeback",
    "rematch": "that you want a rematch",
    "rematch-decline": "that you decline the rematch",
    "abort": "that you want to abort the game",
    "abort-decline": "that you decline to abort the game",
    "claim": "the claim of a draw",
    "claim-left": "the claim that your opponent has left",
    "flag": "that your opponent's time is up",
    "quit": "that you quit",
    "lines": "your lines, or the question for them",
    "vacation": "that you take days off",
}

_RESULTS = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "a draw"}
_OFFERED = {
    "draw": "a draw",
    "takeback": "for a takeback",
    "rematch": "a rematch",
    "abort": "to abort the game",
}
_OFFERS = _OFFERED | {"draw": "the draw", "takeback": "the takeback", "rematch": "the rematch"}


def started(game: GameView, *, resumed: bool) -> Notice:
    """A game begins, or goes on."""
    state, control = game.state, game.clock and game.clock.control
    how = "Game in progress" if resumed else "The game begins"
    text = f"{how}: you are {color_name(game.color)} against {game.described(game.opponent)}"
    if game.watched:
        text = f"You watch {game.called(game.white)} against {game.called(game.black)}"
    fields = {
        "game": game.id,
        "color": color_name(game.color),
        "opponent": game.opponent,
        "resumed": resumed,
        "watched": game.watched,
        "time": control and str(control),
        "rated": bool(state and state.rated),
        "chess960": bool(state and state.chess960),
        "start": state and (state.start or chess.STARTING_FEN),
        "event": state and state.tournament,
        "round": state and (state.board_of_round or None),
    }
    return Notice("started", text + _agreed(game), fields, stays=True)


def _agreed(game: GameView) -> str:
    """The terms in parentheses, where they are more than those of the plain game."""
    words = [time_in_words(game.clock.control)] if game.clock else []
    if game.state is not None:
        number, _, board = game.state.board_of_round.partition(".")
        words += [f"{game.title}, round {number}, board {board}"] if game.title and board else []
        words += ["rated"] if game.state.rated else []
        words += ["Chess960"] if game.state.chess960 else []
        given = game.state.start is not None and not game.state.chess960
        words += ["from a given position"] if given else []
    return f" ({', '.join(words)})" if words else ""


def introduced(game: GameView, pubkey: str) -> Notice:
    """A player's name or rating became known."""
    color = color_name(pubkey == game.white)
    who = "Your opponent is" if pubkey == game.opponent else "You play as"
    text = f"{f'{color.capitalize()} is' if game.watched else who} {game.described(pubkey)}"
    known = {"name": game.name(pubkey) or None, "rating": game.rating(pubkey) or None}
    fields = {"game": game.id, "color": color, "pubkey": pubkey} | known
    return Notice("player", text, fields, board=game)


def moved(game: GameView) -> Notice:
    """A new state with its last move."""
    san, turn = game.last_san, game.whose_turn
    text = "Your move" if game.my_turn else turn
    if san is not None and game.state is not None:
        board = game.state.board()
        number = f"{(board.ply() + 1) // 2}{'.' if board.ply() % 2 else '…'}"
        text = f"{number} {san}" + ("" if board.is_game_over() else f"; {turn}")
    return Notice("state", text, _state(game) | {"san": san}, board=game, stays=True)


def taken_back(game: GameView) -> Notice:
    """One or more moves were taken back."""
    fields = _state(game) | {"san": None, "taken_back": True}
    return Notice("state", f"Taken back; {game.whose_turn}", fields, board=game, stays=True)


def board_shown(game: GameView) -> Notice:
    """The board again, perhaps flipped."""
    return Notice("state", "", _state(game), board=game)


def sent(content: str, san: str, event: str, *, again: bool) -> Notice:
    """A move or a word was sent; ``again`` when an earlier copy had no effect."""
    said = content.partition(":")[0]
    word = said in _SENT and said != "quit"
    text = f"{'Sent again' if again and not word else 'Sent'}: {_SENT.get(said, san)}"
    fields = {"content": content, "san": san, "event": event, "again": again}
    return Notice("sent", text, fields)


def kept(san: str) -> Notice:
    """There is no relay just now; the move is sent when one is back."""
    text = f"No relay just now: {san} goes out when one is back"
    return Notice("kept", text, {"san": san})


def offer_made(game: GameView) -> Notice:
    """``game.offer`` is open."""
    offer = game.offer or Offer("draw", game.color)
    kind = offer.kind
    verb = "ask" if kind == "takeback" else "offer"
    if game.watched:
        text = f"{color_name(offer.color).capitalize()} {verb}s {_OFFERED[kind]}"
    elif game.offered is None:
        hint = ": abort again after a day without a move" if kind == "abort" else ""
        text = f"You {verb} {_OFFERED[kind]}{hint}"
    else:
        hint = "accept, decline or move within a day" if kind == "abort" else "accept or decline"
        text = f"Your opponent {verb}s {_OFFERED[kind]}: {hint}"
    return Notice("offer", text, {"game": game.id} | _offer(offer, game), stays=True)


def offer_gone(game: GameView, offer: Offer, *, withdrawn: bool = False) -> Notice:
    """An offer ended without effect: declined, or ``withdrawn`` by its player's move."""
    mine = offer.color == game.color and not game.watched
    text = f"{'Your opponent declines' if mine else 'You decline'} {_OFFERS[offer.kind]}"
    if withdrawn:
        text = f"The offer of a {offer.kind} ended with the next move"
    elif offer.kind == "rematch" and not mine:
        # Its author can withdraw it too, and the state does not say which it was.
        text = "The offer of a rematch is no longer open"
    elif game.watched:
        text = f"{color_name(not offer.color).capitalize()} declines {_OFFERS[offer.kind]}"
    return Notice("offer-gone", text, {"game": game.id} | _offer(offer, game), stays=True)


def other_game(number: int, game: GameView) -> Notice:
    """In a game that is not on the board it is the player's move, or it is over."""
    what = f"your move: go {number}" if game.result is None else ending(game)
    text = f"Game {number} against {game.called(game.opponent)}: {what}"
    over = {"result": game.result, "termination": game.termination}
    return Notice("other-game", text, {"number": number, "state": _state(game)} | over)


def games_listed(
    games: tuple[tuple[int, GameView], ...], current: str | None, now: float
) -> Notice:
    """The player's games with their numbers; ``current`` is the id of the one on the board."""
    lines = []
    for number, game in games:
        mark = "*" if game.id == current else " "
        time = time_in_words(game.clock.control) if game.clock else "no clock"
        due = due_words(game.clock, now) if game.clock else ""
        until = f", until {due}" if due else ""
        turn = "your move" if game.my_turn else "their move"
        who = game.described(game.opponent)
        move = game.ply // 2 + 1
        lines.append(f"{mark}{number:>3}  {turn}, move {move}, {time}{until}: {who}")
    text = "\n".join(lines) or "You play no game: new asks for one"
    listed = [{"number": number, "opponent": it.opponent} | _state(it) for number, it in games]
    return Notice("games", text, {"games": listed, "current": current})


def came_or_left(game: GameView, color: chess.Color) -> Notice:
    """A player left the arbiter's own relay, or is back."""
    away = game.state is not None and color in game.state.away
    who = color_name(color).capitalize() if game.watched else "Your opponent"
    hint = "" if game.watched else ": claim-left wins on their turn, after a minute or more"
    text = f"{who} has left{hint}" if away else f"{who} is back"
    fields = {"game": game.id, "color": color_name(color), "away": away}
    return Notice("presence", text, fields, stays=True)


def on_vacation(game: GameView, color: chess.Color, until: int, now: float) -> Notice:
    """A player's clock rests until then (unix seconds by the arbiter's clock)."""
    who = "You are" if color == game.color else "Your opponent is"
    who = f"{color_name(color).capitalize()} is" if game.watched else who
    words = time_words(until + game.ahead_ms / 1000, now)
    fields = {"game": game.id, "color": color_name(color), "until": until}
    return Notice("vacation", f"{who} on vacation until {words}", fields, stays=True)


def said(line: ChatLine, *, mine: bool, name: str = "") -> Notice:
    """A line of chat; ``mine`` was written here. ``name`` is the author's, where it is known."""
    text = f"{'you' if mine else name or short_key(line.author)}: {line.text}"
    line_fields = {"author": line.author, "text": line.text, "public": line.public, "mine": mine}
    return Notice("chat", text, {"game": line.game} | line_fields, stays=True)


def ended(game: GameView) -> Notice:
    """The game is over."""
    outcome = {"1/2-1/2": "drawn", "1-0": "lost", "0-1": "lost"}.get(game.result or "*", "none")
    if game.result == ("1-0" if game.color == chess.WHITE else "0-1"):
        outcome = "won"
    end = {"game": game.id, "result": game.result, "termination": game.termination}
    fields = end | {"outcome": "none" if game.watched else outcome}
    return Notice("ended", ending(game), fields, board=game, stays=True)


def ending(game: GameView) -> str:
    """The end of the game, in words for the player."""
    termination = game.termination or ""
    how = HOW_IT_ENDED.get(termination, f"by {termination.replace('-', ' ')}")
    why = f" {how}" if termination else ""
    if game.termination == "aborted":
        return "The game was aborted"
    if game.result is None or game.result == "*":
        return f"The game is over{why}"
    if game.result == "1/2-1/2":
        return f"The game is a draw{why}"
    if game.watched:
        return f"{_RESULTS[game.result]}{why}, {game.result}"
    won = (game.result == "1-0") == (game.color == chess.WHITE)
    return f"{'You won' if won else 'You lost'}{why}: {_RESULTS[game.result]}, {game.result}"


def record_came(game: GameView) -> Notice:
    """The arbiter published the game as PGN."""
    text = "The arbiter published the game: pgn shows it, pgn FILE saves it"
    if game.ratings is not None:
        (white, to_white), (black, to_black) = game.ratings
        mine, to_mine = game.ratings[0 if game.color == chess.WHITE else 1]
        changes = f"Your rating: {mine} to {to_mine}"
        if game.watched:
            changes = f"Ratings: White {white} to {to_white}, Black {black} to {to_black}"
        text = f"{changes}\n{text}"
    return _pgn(game, text, game.pgn, "arbiter", {"ratings": game.ratings}, stays=True)


def pgn_shown(game: GameView, pgn: str) -> Notice:
    return _pgn(game, pgn.rstrip("\n"), pgn, "client", {})


def _pgn(
    game: GameView, text: str, pgn: str | None, source: str, more: Fields, *, stays: bool = False
) -> Notice:
    fields = {"game": game.id, "pgn": pgn, "from": source, **more}
    return Notice("pgn", text, fields, stays=stays)


def asked(question: str, game: GameView) -> Notice:
    """The player has to answer: whether to ``resign`` or how to ``leave``."""
    give_up = "abort" if game.ply < 2 else "resign"  # noqa: PLR2004 - each side once
    letter = give_up[0]
    choice = f"[k]eep the game for later, [{letter}]{give_up[1:]} it, or stay?"
    text = f"Leave: {choice} [k/{letter}/S]"
    if question == "resign":
        text = f"Really {give_up} this game? [y/N]"
    return Notice("question", text, {"question": question})


def moves_listed(game: GameView) -> Notice:
    """The list of moves."""
    rows = move_rows(game)
    lines = [f"{number:>4} {white:<8}{black}".rstrip() for number, white, black in rows]
    sans = [word for _, white, black in rows for word in (white, black) if word not in ("", "…")]
    fields = {"game": game.id, "uci": _uci(game), "san": sans}
    return Notice("moves", "\n".join(lines) or "No moves yet", fields)


def _state(game: GameView) -> dict[str, object]:
    state = game.state
    if state is None:
        return {"type": "state", "game": game.id}
    board, clock = state.board(), game.clock
    return {
        "type": "state",
        "game": game.id,
        "event": state.event,
        "ply": state.ply,
        "fen": board.fen(),
        "turn": color_name(board.turn),
        "my_turn": game.my_turn,
        "check": board.is_check(),
        "last": state.moves[-1] if state.moves else None,
        "moves": _uci(game) if state.complete else None,
        "version": state.version,
        "clock": clock
        and {
            "white_ms": clock.white_ms,
            "black_ms": clock.black_ms,
            "deadline_ms": clock.deadline_ms,
        },
        "offer": game.offer and _offer(game.offer, game),
    }


def _offer(offer: Offer, game: GameView) -> dict[str, object]:
    return {"offer": offer.kind, "mine": not game.watched and offer.color == game.color}


def _uci(game: GameView) -> list[str]:
    return list(game.state.moves) if game.state else []
