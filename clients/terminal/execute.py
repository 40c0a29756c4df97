"""The player's input, carried out. A person, not a script, confirms what cannot be undone."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import chess

from clients.player.terms import Terms
from clients.terminal import lines, tournaments
from clients.terminal.blocking import block, list_blocked, report
from clients.terminal.challenges import accept, ask_anew, cancel, decline, list_challenges
from clients.terminal.chat import say, switch_chat
from clients.terminal.game_actions import plays, speak, take_vacation
from clients.terminal.game_notices import asked, board_shown, moves_listed, pgn_shown
from clients.terminal.games import go, list_games
from clients.terminal.house import challenge_house
from clients.terminal.notices import help_shown, refused_here, remark
from clients.terminal.outgoing import Leave, Save, Step, pending, request, said
from clients.terminal.outgoing import say as say_in_game
from clients.terminal.record import pgn_of
from clients.terminal.session import LEAVE_SECONDS, ExitCode, Phase, Question, Session
from clients.terminal.terms import BadTerms, read_terms
from clients.terminal.typed_moves import NotAMove, read_move

QUIT = "quit"
"""Abort before both sides have moved, resign after."""

DECLINE_REASONS = (
    *("later", "tooFast", "tooSlow", "timeControl", "rated", "casual", "variant", "noBot"),
    "generic",
)
_REASONS = {reason.lower(): reason for reason in DECLINE_REASONS}
_CHAT = re.compile(r"(?:(players|spectators) )?(on|off)(?: (players|spectators))?")
_NOTIFY = {"": "notify", "on": "notify:dm", "off": "notify:dm:off"}
_WATCHES = "You watch this game and do not play: help lists what you can do"
_FOR_SPECTATORS = frozenset(
    {*("board", "flip", "moves", "quit", "exit", "help", "?", "pgn", "say", "chat")}
)


def execute(session: Session, text: str, now: float) -> Step:
    """Carry out one line of input."""
    if session.question is not None and session.game is not None:
        return _answered(session, session.question, text.strip().lower(), now)
    line = text.strip()
    first, _, rest = line.partition(" ")
    word, rest = first.lower(), rest.strip()
    if not line:
        return session, ()
    command = None if rest else _ALONE.get(word)
    if command is None and (with_rest := _WITH_REST.get(word)) is not None:
        command = partial(with_rest, rest=rest)
    if session.watching is not None and (command is None or word not in _FOR_SPECTATORS):
        return session, (refused_here("spectator", _WATCHES),)
    return _move(session, line, now) if command is None else command(session, now)


def _help(session: Session, _: float, rest: str) -> Step:
    return session, (help_shown(rest, watched=session.watching is not None),)


def _pgn(session: Session, _: float, rest: str) -> Step:
    game = session.game
    if game is None or game.state is None:
        return session, (refused_here("no-game", "There is no game to write down yet"),)
    pgn = pgn_of(game)
    return session, (Save(rest, pgn) if rest else pgn_shown(game, pgn),)


def _ask_for(session: Session, now: float, rest: str) -> Step:
    return ask_anew(session, read_terms(rest), now)


def _challenge(session: Session, now: float, rest: str) -> Step:
    terms = read_terms(rest, whom=True)
    if isinstance(terms, Terms) and terms.challenge is None:
        terms = BadTerms("Challenge whom? For example: challenge npub… 3+2, or challenge open 3d")
    return ask_anew(session, terms, now)


def _say(session: Session, now: float, rest: str) -> Step:
    return say(session, rest, now) if rest else _move(session, "say", now)


def _chat(session: Session, now: float, rest: str) -> Step:
    switch = _CHAT.fullmatch(rest.lower())
    if switch is None:
        return _move(session, f"chat {rest}", now)
    return switch_chat(session, switch[1] or switch[3], on=switch[2] == "on")


def _notify(session: Session, now: float, rest: str) -> Step:
    """Ask how the player is told of their turn, or for direct messages, or for none."""
    content = _NOTIFY.get(rest.strip().lower())
    return (
        _move(session, f"notify {rest}", now) if content is None else request(session, content, now)
    )


def _accept(session: Session, now: float, rest: str) -> Step:
    """Agree to the open offer, or else play a challenge."""
    challenge, _, _ = rest.partition(" ")
    return _answer(session, now, challenge or None, "") or accept(session, challenge or None, now)


def _decline(session: Session, now: float, rest: str) -> Step:
    """Turn down the open offer, or else a challenge, with a reason or without."""
    challenge, _, reason = rest.partition(" ")
    if challenge.lower() in _REASONS:
        challenge, reason = "", challenge
    named, why = challenge or None, _REASONS.get(reason.strip().lower(), "generic")
    return _answer(session, now, named, "-decline") or decline(session, named, why, now)


def _answer(session: Session, now: float, challenge: str | None, suffix: str) -> Step | None:
    """The answer to an offer in the game; None if it is a challenge that is answered."""
    game = session.game
    if challenge is None and game is not None and game.offered is not None:
        return speak(session, now, game.offered + suffix)
    if session.phase is Phase.PLAYING and not (session.wire.challenges or challenge):
        return session, (refused_here("no-offer", "There is no offer to answer"),)
    return None


def _flip(session: Session, now: float) -> Step:
    return _board(replace(session, flipped=not session.flipped), now)


def _board(session: Session, _: float) -> Step:
    game = session.game
    return session, (_NO_GAME if game is None or game.state is None else board_shown(game),)


def _moves(session: Session, _: float) -> Step:
    game = session.game
    return session, (_NO_GAME if game is None or game.state is None else moves_listed(game),)


_NO_GAME = refused_here("no-game", "There is no game to show yet")


def _quit(session: Session, _: float) -> Step:
    game = session.game
    if session.asks and game is not None and session.phase is Phase.PLAYING and not game.watched:
        return replace(session, question=Question.LEAVE), (asked("leave", game),)
    return session, (Leave(ExitCode.ENDED),)


def _resign(session: Session, now: float) -> Step:
    game = session.game
    if not plays(session) or game is None:
        return session, (refused_here("no-game", "There is no game to resign"),)
    if session.asks:
        return replace(session, question=Question.RESIGN), (asked("resign", game),)
    return _give_up(session, now)


def _answered(session: Session, question: Question, answer: str, now: float) -> Step:
    closed = replace(session, question=None)
    match question, answer:
        case Question.RESIGN, "y" | "yes":
            return _give_up(closed, now)
        case Question.LEAVE, "k" | "keep":
            return closed, (Leave(ExitCode.ENDED),)
        case Question.LEAVE, "r" | "resign" | "a" | "abort":
            leaving = replace(closed, leave_at=now + LEAVE_SECONDS)
            return _give_up(leaving, now)
        case Question.LEAVE, "quit":
            return closed, (Leave(ExitCode.ENDED),)
        case _:
            return closed, (remark("playing-on", "You play on"),)


def _give_up(session: Session, now: float) -> Step:
    return say_in_game(session, QUIT, now)


def _move(session: Session, typed: str, now: float) -> Step:
    game = session.game
    board = game.state.board() if game and game.state else chess.Board()
    move = read_move(board, typed)
    if isinstance(move, NotAMove) and move.code == "unknown-command":
        return session, (refused_here(move.code, move.text),)
    if game is None or game.state is None or session.phase is not Phase.PLAYING:
        return session, (refused_here(*_not_playing(session, typed)),)
    if not game.my_turn:
        return session, (refused_here("not-your-turn", "It is your opponent's turn"),)
    if (one := pending(session)) is not None:
        text = f"Wait for the arbiter: {said(game, one)} is on its way"
        return session, (refused_here("move-pending", text),)
    if isinstance(move, NotAMove):
        return session, (refused_here(move.code, move.text),)
    return say_in_game(session, move.uci(), now)


def _not_playing(session: Session, text: str) -> tuple[str, str]:
    if session.phase is Phase.OVER:
        return "game-over", "The game is over: new asks for another, quit leaves"
    if session.phase is Phase.REFUSED:
        return "no-game", "There is no game: new asks again, quit leaves"
    return "no-game", f"No game yet, so no {text}: an opponent must come first"


_Command = Callable[[Session, float], Step]
_SPOKEN = ("draw", "claim", "claim-left", "takeback", "rematch", "abort", "flag")

_ALONE: Mapping[str, _Command] = {
    "resign": _resign,
    "quit": _quit,
    "exit": _quit,
    "flip": _flip,
    "board": _board,
    "moves": _moves,
    "blocked": list_blocked,
    "challenges": list_challenges,
    "games": list_games,
    "new": lambda session, now: ask_anew(session, None, now),
    "cancel": cancel,
    "notify": lambda session, now: _notify(session, now, ""),
    "lines": lines.show,
    "vacation": partial(take_vacation, rest=""),
    "events": tournaments.list_events,
    **{word: partial(speak, word=word) for word in _SPOKEN},
}
_WITH_REST: Mapping[str, Callable[..., Step]] = {
    "help": _help,
    "?": _help,
    "pgn": _pgn,
    "new": _ask_for,
    "challenge": _challenge,
    "house": lambda session, now, rest: challenge_house(session, rest, now),
    "go": lambda session, now, rest: go(session, rest, now),
    "accept": _accept,
    "decline": _decline,
    "if": lines.add,
    "lines": lines.clear,
    "say": _say,
    "chat": _chat,
    "notify": _notify,
    "vacation": take_vacation,
    "block": lambda session, now, rest: block(session, rest, now, blocks=True),
    "unblock": lambda session, now, rest: block(session, rest, now, blocks=False),
    "report": lambda session, now, rest: report(session, rest, now),
    "standings": tournaments.show_standings,
    **{word: partial(tournaments.speak, word=word) for word in tournaments.WORDS},
}
