"""What happened, in words, and what is going on, in a few.

The law: one sentence a notice, the same on a terminal and in a pipe. Nothing here moves a cursor.
"""

from dataclasses import replace
from typing import assert_never

import chess

from clients.terminal.clocks import clock_words, first_move_ms, live_words
from clients.terminal.effects import (
    Asked,
    BoardWanted,
    ChallengeCame,
    ChallengesWanted,
    Ended,
    GameView,
    HelpWanted,
    Introduced,
    Kept,
    Moved,
    MoveSent,
    MovesWanted,
    NoAnswer,
    Notice,
    OfferGone,
    OfferMade,
    OpenChallenge,
    PgnWanted,
    Question,
    Queued,
    RecordCame,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Said,
    Started,
    StoppedWaiting,
    TakenBack,
)
from clients.terminal.help import help_page
from clients.terminal.reasons import refusal_in_words
from clients.terminal.record import move_rows
from clients.terminal.session import Phase, Session
from clients.terminal.terms import OPEN, PLAIN, in_words, opponent_in_words, time_in_words
from clients.terminal.text import short_key
from clients.terminal.wire import QUIT, color_name

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
}
"""Each termination of PROTOCOL.md but ``aborted``, which is no way to win, lose or draw. Another
arbiter's own words are shown as they are.
"""

_WORDS_SENT = {
    "draw": "the offer of a draw, or your consent to one",
    "draw-decline": "no to the draw",
    "takeback": "the request to take a move back, or your consent to one",
    "takeback-decline": "no to taking back",
    "rematch": "that you want a rematch",
    "rematch-decline": "no to the rematch",
    "abort": "that you want to call the game off",
    "abort-decline": "no to calling the game off",
    "claim": "the claim of a draw",
    "flag": "that your opponent's time is up",
}

_RESULTS = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "a draw"}


def sentence(notice: Notice) -> str:  # noqa: PLR0912, C901 - one case a notice
    """The notice in a line, or several for lists."""
    match notice:
        case RelayFound():
            return f"{'Back: connected' if notice.back else 'Connected'} to {notice.url}"
        case RelayLost(url, why, 0):
            return f"Lost the last relay ({url}: {why}); trying to reach it again"
        case RelayLost():
            return f"Lost {notice.url} ({notice.why}); {notice.connected} still connected"
        case Queued():
            return _queued(notice)
        case ChallengeCame(came):
            return _challenge_came(came)
        case ChallengesWanted():
            return _challenges(notice)
        case StoppedWaiting():
            return "You wait no more, and no challenge of yours stands"
        case OfferMade(game):
            return _offer_made(game)
        case OfferGone():
            return _offer_gone(notice)
        case TakenBack(game):
            return f"Taken back; {_turn(game)}"
        case Said(line, mine, name):
            return f"{'you' if mine else name or short_key(line.author)}: {line.text}"
        case NoAnswer():
            return f"No answer from the arbiter in {notice.seconds} s: is it running? Asking again"
        case Started():
            return _started(notice)
        case Introduced():
            return _introduced(notice)
        case Moved():
            return _moved(notice)
        case MoveSent():
            return _sent(notice)
        case Kept():
            return f"No relay just now: {notice.san} goes out when one is back"
        case Refused():
            return refusal_in_words(notice)
        case Ended():
            return ending(notice.game)
        case RecordCame(game):
            published = "The arbiter published the game: pgn shows it, pgn FILE saves it"
            return f"{ratings_in_words(game)}{published}"
        case Asked():
            return _question(notice)
        case BoardWanted():
            return ""
        case MovesWanted():
            rows = move_rows(notice.game)
            lines = [f"{number:>4} {white:<8}{black}".rstrip() for number, white, black in rows]
            return "\n".join(lines) or "No moves yet"
        case PgnWanted():
            return notice.pgn.rstrip("\n")
        case HelpWanted(topic, watched):
            return help_page(topic, watched=watched)
        case Remark():
            return notice.text
        case _:
            assert_never(notice)


def standing(session: Session) -> tuple[str, bool]:
    """What is going on in a few words, and whether the player waits for somebody else."""
    game = session.game
    if not session.links:
        return ("reconnecting" if session.was_linked else "connecting"), True
    match session.phase:
        case Phase.CONNECTING | Phase.ASKING:
            accepting = session.answer.startswith("accept:")
            which = "that" if accepting or session.watching is not None else "a"
            return f"asking the arbiter for {which} game", True
        case Phase.QUEUED:
            challenge = session.own_challenge and session.terms.challenge
            return f"waiting for {_whom(challenge) if challenge else 'an opponent'}", True
        case Phase.REFUSED:
            return "new asks again, quit leaves" if not session.watching else "quit leaves", False
        case Phase.OVER if session.watching is not None:
            return "quit leaves", False
        case Phase.OVER:
            if game is not None and game.offered:
                return "accept plays the rematch, decline does not", False
            again = "rematch or new" if session.extended else "new"
            return (f"{again} for another game, quit leaves", False)
        case Phase.PLAYING:
            return _in_play(session, game)
        case never:
            assert_never(never)


def _in_play(session: Session, game: GameView | None) -> tuple[str, bool]:
    if game is None or game.line is None:
        return "setting up the board", True
    if session.pending is not None:
        return f"{session.pending.san} is on its way", True
    offered = f"{game.offered} offered, accept or decline? " if game.offered else ""
    if game.my_turn:
        turn = "your move" if offered else f"your move, {color_name(game.color)}"
        return f"{offered}{turn}", False
    return offered + _turn(game), not offered


def clocks_now(game: GameView | None, now: float) -> str:
    """Both clocks in a few words, the player's first; empty where there are none."""
    if game is None or game.line is None or game.clock is None or game.result is not None:
        return ""
    clock, turn = game.clock, game.line.board().turn
    first = first_move_ms(clock, now)
    if first is not None:
        return f"{live_words(first)} for the first move"
    mine = clock_words(clock, game.color, turn, now)
    theirs = clock_words(clock, not game.color, turn, now)
    one, other = ("White", "Black") if game.watched else ("you", "opponent")
    return f"{one} {mine}, {other} {theirs}"


def ending(game: GameView) -> str:
    """How the game ended, for the player."""
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


def ratings_in_words(game: GameView) -> str:
    """What a rated game made of the ratings, in a line of its own; empty where it made nothing."""
    if game.ratings is None:
        return ""
    (white, to_white), (black, to_black) = game.ratings
    if game.watched:
        return f"Ratings: White {white} to {to_white}, Black {black} to {to_black}\n"
    mine, to_mine = game.ratings[0 if game.color == chess.WHITE else 1]
    return f"Your rating: {mine} to {to_mine}\n"


def terms_of(game: GameView) -> str:
    """What the players agreed to, where it is more than the plain game."""
    words = [time_in_words(game.clock.control)] if game.clock else []
    words += ["rated"] if game.rated else []
    if game.line is not None:
        words += ["Chess960"] if game.line.chess960 else []
        given = game.line.start_fen != chess.STARTING_FEN and not game.line.chess960
        words += ["from a given position"] if given else []
    return ", ".join(words)


def _started(notice: Started) -> str:
    game = notice.game
    terms = terms_of(game)
    terms = f" ({terms})" if terms else ""
    if game.watched:
        return f"You watch {game.called(game.white)} against {game.called(game.black)}{terms}"
    how = "The game goes on" if notice.resumed else "The game begins"
    opponent = game.described(game.opponent)
    return f"{how}: you are {color_name(game.color)} against {opponent}{terms}"


def _introduced(notice: Introduced) -> str:
    game, pubkey = notice.game, notice.pubkey
    who = color_name(pubkey == game.white).capitalize()
    if not game.watched:
        who = "Your opponent" if pubkey == game.opponent else "You play as"
    verb = "" if who == "You play as" else " is"
    return f"{who}{verb} {game.described(pubkey)}"


def _queued(notice: Queued) -> str:
    terms = f" ({in_words(notice.terms)})" if notice.terms != PLAIN else ""
    if notice.challenge is None or notice.terms.challenge is None:
        return f"The arbiter looks for an opponent{terms}"
    whom = opponent_in_words(notice.terms.challenge)
    if notice.link is not None:
        return f"Your challenge stands for those who have its link{terms}: accept {notice.link}"
    link = f"; anybody may accept {notice.challenge}" if notice.terms.challenge == OPEN else ""
    return f"Your challenge stands for {whom}{terms}{link}"


def _challenge_came(came: OpenChallenge) -> str:
    number = came.number
    return (
        f"{short_key(came.challenge.challenger)} challenges you: {_challenge_terms(came)}\n"
        f"accept {number} plays it, decline {number} later (or another reason) does not"
    )


def _challenges(notice: ChallengesWanted) -> str:
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
        lines.append(f"Your own stands: {notice.own}; cancel takes it back")
    return "\n".join(lines)


def _challenge_terms(came: OpenChallenge) -> str:
    """The terms, with the colour from the side of the player who is challenged."""
    terms = came.challenge.terms
    have = {"white": " (you have black)", "black": " (you have white)"}
    return in_words(replace(terms, color=None)) + have.get(terms.color or "", "")


def _offer_made(game: GameView) -> str:
    if game.offer is None:
        return ""
    what = {
        "draw": "a draw",
        "takeback": "to take a move back",
        "rematch": "a rematch",
        "abort": "to call the game off",
    }
    if game.offered is None and not game.watched:
        asks = {
            "takeback": "You ask to take a move back",
            "abort": "You offer to call the game off: abort again after a day without a move",
        }
        return asks.get(game.offer.kind, f"You offer {what[game.offer.kind]}")
    who = color_name(game.offer.color).capitalize() if game.watched else "Your opponent"
    verb = "asks" if game.offer.kind == "takeback" else "offers"
    hint = ": accept or decline"
    if game.watched:
        hint = ""
    elif game.offer.kind == "abort":
        hint = ": accept, decline or move within a day"
    return f"{who} {verb} {what[game.offer.kind]}{hint}"


def _offer_gone(notice: OfferGone) -> str:
    game, offer = notice.game, notice.offer
    what = {
        "draw": "the draw",
        "takeback": "to take a move back",
        "rematch": "the rematch",
        "abort": "to call the game off",
    }
    if notice.withdrawn:
        return f"The offer of a {offer.kind} ended with the next move"
    mine = offer.color == game.color and not game.watched
    if offer.kind == "rematch" and not mine:
        # Its author can take it back too, and the state does not say which it was.
        return "The offer of a rematch no longer stands"
    if game.watched:
        return f"{color_name(not offer.color).capitalize()} declines {what[offer.kind]}"
    if mine:
        return f"Your opponent declines {what[offer.kind]}"
    return f"You decline {what[offer.kind]}"


def _turn(game: GameView) -> str:
    if game.line is None:
        return ""
    if game.my_turn:
        return "your move"
    to_move = game.white if game.line.board().turn == chess.WHITE else game.black
    return f"{game.called(to_move)} to move"


def _whom(challenge: str) -> str:
    return "somebody to accept" if challenge == OPEN else opponent_in_words(challenge)


def _moved(notice: Moved) -> str:
    game = notice.game
    if game.line is None:
        return ""
    turn = _turn(game)
    if notice.san is None:
        return "Your move" if game.my_turn else turn
    ply = game.line.first_ply + game.line.ply
    number = f"{(ply + 1) // 2}{'.' if ply % 2 else '…'}"
    over = game.line.board().is_game_over()
    return f"{number} {notice.san}" if over else f"{number} {notice.san}; {turn}"


def _sent(notice: MoveSent) -> str:
    what = "that you quit" if notice.content == QUIT else notice.san
    if notice.content in _WORDS_SENT:
        return f"Sent: {_WORDS_SENT[notice.content]}"
    return f"{'Sent again' if notice.again else 'Sent'}: {what}"


def _question(notice: Asked) -> str:
    early = notice.game.line is None or notice.game.line.ply < 2  # noqa: PLR2004 - each side once
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
