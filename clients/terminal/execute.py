"""The player's input, carried out on the session.

A person confirms what cannot be undone (resigning, leaving a game); a script is not asked.
"""

from dataclasses import replace
from typing import assert_never

import chess

from clients.player.terms import Terms
from clients.terminal import commands
from clients.terminal.challenges import accept, ask_anew, cancel, decline, list_challenges
from clients.terminal.chat import say, switch_chat
from clients.terminal.commands import Word
from clients.terminal.effects import Effect, Leave, Save
from clients.terminal.game_actions import plays, speak
from clients.terminal.game_notices import asked, board_shown, moves_listed, pgn_shown
from clients.terminal.game_view import GameView
from clients.terminal.games import go, list_games
from clients.terminal.house import challenge_house
from clients.terminal.notices import help_shown, refused_here, remark
from clients.terminal.outgoing import Step, send_pending
from clients.terminal.record import pgn_of
from clients.terminal.session import LEAVE_SECONDS, ExitCode, Pending, Phase, Question, Session
from clients.terminal.terms import BadTerms, read_terms

QUIT = "quit"
"""Abort before both sides have moved, resign after."""

_WATCHES = "You watch this game and do not play: help lists what you can do"


def execute(session: Session, text: str, now: float) -> Step:
    """Carry out one line of input."""
    if session.question is not None and session.game is not None:
        return _answered(session, session.question, session.game, text.strip().lower(), now)
    typed = commands.read_line(text)
    if session.watching is not None and not _for_spectators(typed):
        return session, (refused_here("spectator", _WATCHES),)
    return (session, ()) if typed is None else _obeyed(session, typed, now)


def _obeyed(session: Session, typed: commands.Typed, now: float) -> Step:
    match typed:
        case commands.WantHelp(topic):
            return session, (help_shown(topic, watched=session.watching is not None),)
        case commands.TryMove():
            return _move(session, typed.text, now)
        case commands.WantPgn():
            return session, _pgn(session, typed.path)
        case commands.AskFor() | commands.AskHouse() | commands.GoTo():
            return _which_game(session, typed, now)
        case commands.Answer():
            return _answer(session, typed, now)
        case commands.Say():
            return say(session, typed.text, now)
        case commands.SwitchChat():
            return switch_chat(session, typed.whose, on=typed.on)
        case Word():
            return _word(session, typed, now)
        case _:
            assert_never(typed)


def _which_game(
    session: Session, typed: commands.AskFor | commands.AskHouse | commands.GoTo, now: float
) -> Step:
    match typed:
        case commands.AskFor():
            return ask_anew(session, _terms(typed), now)
        case commands.AskHouse(words):
            return challenge_house(session, words, now)
        case commands.GoTo(number):
            return go(session, number, now)


def _for_spectators(typed: commands.Typed | None) -> bool:
    looks = (Word.BOARD, Word.FLIP, Word.MOVES, Word.QUIT)
    return typed in (None, *looks) or isinstance(
        typed, commands.WantHelp | commands.WantPgn | commands.Say | commands.SwitchChat
    )


def _word(session: Session, word: Word, now: float) -> Step:
    match word:
        case Word.CHALLENGES:
            return list_challenges(session, now)
        case Word.GAMES:
            return list_games(session)
        case Word.NEW:
            return ask_anew(session, None, now)
        case Word.CANCEL:
            return cancel(session, now)
        case Word.QUIT:
            return _quit(session)
        case Word.RESIGN:
            return _resign(session, now)
        case Word.FLIP | Word.BOARD | Word.MOVES:
            return _shown_again(session, word)
        case Word.DRAW | Word.CLAIM | Word.CLAIM_LEFT | Word.TAKEBACK | Word.REMATCH:
            return speak(session, word.value, now)
        case Word.ABORT | Word.FLAG:
            return speak(session, word.value, now)
        case _:
            assert_never(word)


def _terms(wanted: commands.AskFor) -> Terms | BadTerms:
    terms = read_terms(wanted.words, whom=wanted.challenge)
    if isinstance(terms, Terms) and wanted.challenge and terms.challenge is None:
        return BadTerms("Challenge whom? For example: challenge npub… 3+2, or challenge open 3d")
    return terms


def _answer(session: Session, answer: commands.Answer, now: float) -> Step:
    """The answer to an offer in the game, or else to a challenge."""
    game = session.game
    if answer.challenge is None and game is not None and game.offered is not None:
        return speak(session, game.offered + ("" if answer.yes else "-decline"), now)
    if session.phase is Phase.PLAYING and not (session.challenges or answer.challenge):
        return session, (refused_here("no-offer", "There is no offer to answer"),)
    if answer.yes:
        return accept(session, answer.challenge, now)
    return decline(session, answer.challenge, answer.reason, now)


def _shown_again(session: Session, word: Word) -> Step:
    game = session.game
    if game is None or game.state is None:
        return session, (refused_here("no-game", "There is no game to show yet"),)
    if word is Word.MOVES:
        return session, (moves_listed(game),)
    flipped = session.flipped != (word is Word.FLIP)
    return replace(session, flipped=flipped), (board_shown(game),)


def _quit(session: Session) -> Step:
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
    return _give_up(session, game, now)


def _answered(
    session: Session, question: Question, game: GameView, answer: str, now: float
) -> Step:
    closed = replace(session, question=None)
    match question, answer:
        case Question.RESIGN, "y" | "yes":
            return _give_up(closed, game, now)
        case Question.LEAVE, "k" | "keep":
            return closed, (Leave(ExitCode.ENDED),)
        case Question.LEAVE, "r" | "resign" | "a" | "abort":
            leaving = replace(closed, leave_at=now + LEAVE_SECONDS)
            return _give_up(leaving, game, now)
        case Question.LEAVE, "quit":
            return closed, (Leave(ExitCode.ENDED),)
        case _:
            return closed, (remark("playing-on", "You play on"),)


def _give_up(session: Session, game: GameView, now: float) -> Step:
    return send_pending(session, Pending(content=QUIT, san=QUIT, ply=game.ply), now)


def _move(session: Session, typed: str, now: float) -> Step:
    game = session.game
    board = game.state.board() if game and game.state else chess.Board()
    move = commands.read_move(board, typed)
    if isinstance(move, commands.NotAMove) and move.code == "unknown-command":
        return session, (refused_here(move.code, move.text),)
    if game is None or game.state is None or session.phase is not Phase.PLAYING:
        return session, (refused_here(*_not_playing(session, typed)),)
    if not game.my_turn:
        return session, (refused_here("not-your-turn", "It is your opponent's turn"),)
    if session.pending is not None:
        text = f"Wait for the arbiter: {session.pending.san} is on its way"
        return session, (refused_here("move-pending", text),)
    if isinstance(move, commands.NotAMove):
        return session, (refused_here(move.code, move.text),)
    pending = Pending(content=move.uci(), san=board.san(move), ply=game.ply)
    return send_pending(session, pending, now)


def _not_playing(session: Session, text: str) -> tuple[str, str]:
    if session.phase is Phase.OVER:
        return "game-over", "The game is over: new asks for another, quit leaves"
    if session.phase is Phase.REFUSED:
        return "no-game", "There is no game: new asks again, quit leaves"
    return "no-game", f"No game yet, so no {text}: an opponent must come first"


def _pgn(session: Session, path: str | None) -> tuple[Effect, ...]:
    game = session.game
    if game is None or game.state is None:
        return (refused_here("no-game", "There is no game to write down yet"),)
    pgn = pgn_of(game)
    return (pgn_shown(game, pgn),) if path is None else (Save(path, pgn),)
