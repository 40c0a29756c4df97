"""Notices in sentences, the same on a terminal and in a pipe."""

from dataclasses import replace
from typing import assert_never

import chess

from clients.player.terms import OPEN
from clients.terminal import notices
from clients.terminal.game_view import GameView
from clients.terminal.help import help_page
from clients.terminal.notices import (
    LobbyNotice,
    MoveNotice,
    Notice,
    OpenChallenge,
    Question,
    ReplyNotice,
    TalkNotice,
)
from clients.terminal.prompt import whose_turn
from clients.terminal.reasons import refusal_in_words
from clients.terminal.record import move_rows
from clients.terminal.terms import PLAIN, in_words, opponent_in_words, time_in_words
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
}

_RESULTS = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "a draw"}

_OFFERED = {
    "draw": "a draw",
    "takeback": "for a takeback",
    "rematch": "a rematch",
    "abort": "to abort the game",
}
_DECLINED = _OFFERED | {"draw": "the draw", "takeback": "the takeback", "rematch": "the rematch"}


def sentence(notice: Notice) -> str:
    """The notice in a line, or several for lists; empty where the board says it."""
    if isinstance(notice, LobbyNotice):
        return _lobby(notice)
    if isinstance(notice, MoveNotice):
        return _move(notice)
    return _talk(notice) if isinstance(notice, TalkNotice) else _reply(notice)


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


def _lobby(notice: LobbyNotice) -> str:
    match notice:
        case notices.RelayFound():
            return f"{'Back: connected' if notice.back else 'Connected'} to {notice.url}"
        case notices.RelayLost(url, why, 0):
            return f"Lost the last relay ({url}: {why}); trying to reach it again"
        case notices.RelayLost(url, why, connected):
            return f"Lost {url} ({why}); {connected} still connected"
        case notices.NoAnswer(seconds):
            return f"No answer from the arbiter in {seconds} s: is it running? Asking again"
        case notices.Queued():
            return _queued(notice)
        case notices.ChallengeCame(came):
            who = short_key(came.challenge.challenger)
            number = came.number
            return (
                f"{who} challenges you: {_challenge_terms(came)}\n"
                f"accept {number} plays it, decline {number} later (or another reason) does not"
            )
        case notices.ChallengesWanted():
            return _challenges(notice)
        case notices.StoppedWaiting():
            return "You are no longer waiting, and your challenges are withdrawn"
        case _:
            assert_never(notice)


def _move(notice: MoveNotice) -> str:
    match notice:
        case notices.Started():
            return _started(notice)
        case notices.Introduced(game, pubkey):
            return _introduced(game, pubkey)
        case notices.Moved(game, san):
            return _moved(game, san)
        case notices.TakenBack(game):
            return f"Taken back; {whose_turn(game)}"
        case notices.MoveSent(content, san, _, again):
            if content in _SENT:
                return f"Sent: {_SENT[content]}"
            what = "that you quit" if content == "quit" else san
            return f"{'Sent again' if again else 'Sent'}: {what}"
        case notices.Kept(san):
            return f"No relay just now: {san} goes out when one is back"
        case _:
            assert_never(notice)


def _talk(notice: TalkNotice) -> str:
    match notice:
        case notices.OfferMade(game):
            return _offer_made(game)
        case notices.OfferGone():
            return _offer_gone(notice)
        case notices.OtherGame(number, game):
            what = f"your move: go {number}" if game.result is None else ending(game)
            return f"Game {number} against {game.called(game.opponent)}: {what}"
        case notices.CameOrLeft(game, color):
            return _came_or_left(game, color)
        case notices.Said(line, mine, name):
            return f"{'you' if mine else name or short_key(line.author)}: {line.text}"
        case notices.Ended(game):
            return ending(game)
        case notices.RecordCame(game):
            return (
                f"{_ratings(game)}The arbiter published the game: pgn shows it, pgn FILE saves it"
            )
        case _:
            assert_never(notice)


def _reply(notice: ReplyNotice) -> str:
    match notice:
        case notices.Asked():
            return _question(notice)
        case notices.BoardWanted():
            return ""
        case notices.GamesWanted():
            return _games(notice)
        case notices.MovesWanted(game):
            rows = move_rows(game)
            lines = [f"{number:>4} {white:<8}{black}".rstrip() for number, white, black in rows]
            return "\n".join(lines) or "No moves yet"
        case notices.PgnWanted(_, pgn):
            return pgn.rstrip("\n")
        case notices.HelpWanted(topic, watched):
            return help_page(topic, watched=watched)
        case notices.Refused():
            return refusal_in_words(notice)
        case notices.Remark(_, text):
            return text
        case _:
            assert_never(notice)


def _games(notice: notices.GamesWanted) -> str:
    lines = []
    for number, game in notice.games:
        mark = "*" if game.id == notice.current else " "
        time = time_in_words(game.clock.control) if game.clock else "no clock"
        moves = game.ply // 2 + 1
        turn = "your move" if game.my_turn else "their move"
        who = game.described(game.opponent)
        lines.append(f"{mark}{number:>3}  {turn}, move {moves}, {time}: {who}")
    return "\n".join(lines) or "You play no game: new asks for one"


def _queued(notice: notices.Queued) -> str:
    terms = f" ({in_words(notice.terms)})" if notice.terms != PLAIN else ""
    if notice.challenge is None or notice.terms.challenge is None:
        return f"Looking for an opponent{terms}"
    if notice.terms.challenge == OPEN:
        whom = "every player" if notice.terms.link_key is None else "players with its link"
        name = notice.link or notice.challenge
        browser = "open it in a browser, or " if "://" in name else ""
        return f"Your challenge is open to {whom}{terms}; to play it, {browser}type accept {name}"
    return f"Your challenge is open to {opponent_in_words(notice.terms.challenge)}{terms}"


def _challenges(notice: notices.ChallengesWanted) -> str:
    lines = []
    for each in notice.challenges:
        key = short_key(each.challenge.challenger)
        who = f"{each.name} ({key})" if each.name else key
        lines.append(f"{each.number:>3}  {who}: {_challenge_terms(each)}")
    if notice.challenges:
        number = notice.challenges[-1].number
        lines.append(f"accept {number} plays the last of them, decline {number} does not")
    else:
        lines.append("No challenge waits for your answer")
    if notice.own is not None:
        lines.append(f"Your own challenge: {notice.own}; cancel withdraws it")
    return "\n".join(lines)


def _challenge_terms(came: OpenChallenge) -> str:
    """The terms, with the colour from the side of the player who is challenged."""
    terms = came.challenge.terms
    have = {"white": " (you have black)", "black": " (you have white)"}
    return in_words(replace(terms, color=None)) + have.get(terms.color or "", "")


def _started(notice: notices.Started) -> str:
    game = notice.game
    terms = _agreed_terms(game)
    if game.watched:
        return f"You watch {game.called(game.white)} against {game.called(game.black)}{terms}"
    how = "Game in progress" if notice.resumed else "The game begins"
    opponent = game.described(game.opponent)
    return f"{how}: you are {color_name(game.color)} against {opponent}{terms}"


def _agreed_terms(game: GameView) -> str:
    """The terms in parentheses, where they are more than those of the plain game."""
    words = [time_in_words(game.clock.control)] if game.clock else []
    if game.state is not None:
        words += ["rated"] if game.state.rated else []
        words += ["Chess960"] if game.state.chess960 else []
        given = game.state.start is not None and not game.state.chess960
        words += ["from a given position"] if given else []
    return f" ({', '.join(words)})" if words else ""


def _introduced(game: GameView, pubkey: str) -> str:
    described = game.described(pubkey)
    if game.watched:
        return f"{color_name(pubkey == game.white).capitalize()} is {described}"
    who = "Your opponent is" if pubkey == game.opponent else "You play as"
    return f"{who} {described}"


def _moved(game: GameView, san: str | None) -> str:
    if game.state is None:
        return ""
    turn = whose_turn(game)
    if san is None:
        return "Your move" if game.my_turn else turn
    board = game.state.board()
    ply = board.ply()
    number = f"{(ply + 1) // 2}{'.' if ply % 2 else '…'}"
    return f"{number} {san}" + ("" if board.is_game_over() else f"; {turn}")


def _offer_made(game: GameView) -> str:
    if game.offer is None:
        return ""
    kind = game.offer.kind
    verb = "ask" if kind == "takeback" else "offer"
    if game.watched:
        return f"{color_name(game.offer.color).capitalize()} {verb}s {_OFFERED[kind]}"
    if game.offered is None:
        hint = ": abort again after a day without a move" if kind == "abort" else ""
        return f"You {verb} {_OFFERED[kind]}{hint}"
    hint = "accept, decline or move within a day" if kind == "abort" else "accept or decline"
    return f"Your opponent {verb}s {_OFFERED[kind]}: {hint}"


def _offer_gone(notice: notices.OfferGone) -> str:
    game, offer = notice.game, notice.offer
    if notice.withdrawn:
        return f"The offer of a {offer.kind} ended with the next move"
    mine = offer.color == game.color and not game.watched
    if offer.kind == "rematch" and not mine:
        # Its author can withdraw it too, and the state does not say which it was.
        return "The offer of a rematch is no longer open"
    if game.watched:
        return f"{color_name(not offer.color).capitalize()} declines {_DECLINED[offer.kind]}"
    return f"{'Your opponent declines' if mine else 'You decline'} {_DECLINED[offer.kind]}"


def _came_or_left(game: GameView, color: chess.Color) -> str:
    who = color_name(color).capitalize() if game.watched else "Your opponent"
    if game.state is None or color not in game.state.away:
        return f"{who} is back"
    hint = "" if game.watched else ": claim-left wins on their turn, after a minute or more"
    return f"{who} has left{hint}"


def _ratings(game: GameView) -> str:
    """The changes of ratings by a rated game, in a line of its own; empty for other games."""
    if game.ratings is None:
        return ""
    (white, to_white), (black, to_black) = game.ratings
    if game.watched:
        return f"Ratings: White {white} to {to_white}, Black {black} to {to_black}\n"
    mine, to_mine = game.ratings[0 if game.color == chess.WHITE else 1]
    return f"Your rating: {mine} to {to_mine}\n"


def _question(notice: notices.Asked) -> str:
    early = notice.game.ply < 2  # noqa: PLR2004 - each side once
    give_up = "abort" if early else "resign"
    match notice.question:
        case Question.RESIGN:
            return f"Really {give_up} this game? [y/N]"
        case Question.LEAVE:
            letter = give_up[0]
            choice = f"[k]eep the game for later, [{letter}]{give_up[1:]} it, or stay?"
            return f"Leave: {choice} [k/{letter}/S]"
        case never:
            assert_never(never)
