"""Conditional moves as they are typed: ``if Nf3 d6 Bb5 a6``, ``lines`` and ``lines clear``.

The arbiter keeps them, and is asked before one is added: it takes all of them at once.
"""

from dataclasses import replace

import chess

from clients.player.messages import LinesTold, State
from clients.terminal.game_view import GameView
from clients.terminal.notices import Notice, refused_here, remark
from clients.terminal.outgoing import Seal, Step, say
from clients.terminal.session import Phase, Session
from clients.terminal.typed_moves import NotAMove, read_move

Line = tuple[str, ...]

_MOVED_ON = refused_here("no-line", "The game went on before your line was set: add it anew")
_EXAMPLE = "for example: if Nf3 d6, or if Nf3 d6 Bb5 a6"


def add(session: Session, now: float, rest: str) -> Step:
    """Add a line to those that the arbiter has; one that answers the same move goes."""
    game = session.game
    if (refusal := _unable(session)) or game is None or game.state is None:
        return session, (refusal,) if refusal else ()
    line = _read(game, game.state, rest)
    if isinstance(line, Notice):
        return session, (line,)
    told = session.lines.get(game.id)
    if told is None:
        waiting = (*session.lines_to_add, (game.id, game.state.ply, line))
        return say(replace(session, lines_to_add=waiting), "lines", now)
    return _set(session, game, game.state, told, (line,))


def show(session: Session, now: float) -> Step:
    """Ask the arbiter for them."""
    refusal = _unable(session)
    return (session, (refusal,)) if refusal else say(session, "lines", now)


def clear(session: Session, now: float, rest: str) -> Step:
    """Set none; only ``lines clear`` does."""
    if not rest:
        return show(session, now)
    refusal, game = _unable(session), session.game
    if rest.lower() != "clear" or game is None:
        text = "lines shows your lines, lines clear drops them, if Nf3 d6 adds one"
        refusal = refusal or refused_here("unknown-command", text)
    if refusal or game is None or game.state is None:
        return session, (refusal,) if refusal else ()
    none = LinesTold(game.id, game.state.ply, "")
    return _set(forgotten(session, game.id), game, game.state, none, ())


def told(session: Session, news: LinesTold) -> Step:
    """The arbiter has these lines: those that waited for them are added, or they are shown."""
    open_ = session.wire.open.values()
    if any(it.game == news.game and it.content.startswith("lines:") for it in open_):
        # Later ones are on their way.
        return session, ()
    waiting = [it for it in session.lines_to_add if it[0] == news.game]
    session = forgotten(session, news.game)
    session = replace(session, lines={**session.lines, news.game: news})
    game = session.game
    if game is None or game.id != news.game or game.state is None:
        return session, ()
    if not waiting:
        return session, (_shown(game.state, news),)
    going = [_rest(line, ply, game.state) for _, ply, line in waiting]
    kept = tuple(line for line in going if len(line) > 1)
    lost = () if len(kept) == len(waiting) else (_MOVED_ON,)
    session, effects = _set(session, game, game.state, news, kept) if kept else (session, ())
    return session, (*lost, *effects)


def forgotten(session: Session, game: str) -> Session:
    """The session without the lines of this game, as after a refusal: they are asked for anew."""
    rest = {id_: it for id_, it in session.lines.items() if id_ != game}
    waiting = tuple(it for it in session.lines_to_add if it[0] != game)
    return replace(session, lines=rest, lines_to_add=waiting)


def taken_back(session: Session, state: State, former: State | None) -> Session:
    """The session without the lines of a game in which moves were taken back: they hold no more."""
    if former is None or state.ply >= former.ply:
        return session
    return forgotten(session, state.game)


def _set(
    session: Session, game: GameView, state: State, told: LinesTold, added: tuple[Line, ...]
) -> Step:
    """Set all lines and these, but for those that answer otherwise, also those typed meanwhile."""
    first, lines = 0 if game.my_turn else 1, left(told, state)
    for line in added:
        lines = (*(it for it in lines if not _differ(it, line, first)), line)
    text = "\n".join(map(" ".join, lines))
    known = {**session.lines, game.id: replace(told, ply=state.ply, text=text)}
    return replace(session, lines=known), (Seal(game.id, text or "\n"),)


def _differ(one: Line, other: Line, first: int) -> bool:
    """Whether they answer the same moves with another, or one goes on from the other."""
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    return at is None or (at > 0 and at % 2 == first)


def left(told: LinesTold, state: State) -> tuple[Line, ...]:
    """What is left of these lines in this state."""
    going = (_rest(line, told.ply, state) for line in told.lines)
    return tuple(line for line in going if line)


def _rest(line: Line, ply: int, state: State) -> Line:
    """The rest of a line that began at this ply; nothing once the game went another way."""
    since = state.moves[ply:]
    return line[len(since) :] if state.ply >= ply and line[: len(since)] == since else ()


def _read(game: GameView, state: State, text: str) -> Line | Notice:
    """The line in UCI. It begins with the next move, of either player, and ends with our own."""
    board, line = state.board(), list[str]()
    for word in text.replace(",", " ").split():
        move = read_move(board, word)
        if isinstance(move, NotAMove):
            return refused_here(move.code, move.text)
        line.append(move.uci())
        board.push(move)
    if len(line) < 2 or board.turn == game.color:  # noqa: PLR2004 - a move and its answer
        text = "A line ends with your own answer to a move of your opponent"
        return refused_here("no-line", f"{text}, {_EXAMPLE}")
    return tuple(line)


def _unable(session: Session) -> Notice | None:
    game = session.game
    if game is None or game.state is None or game.watched or session.phase is not Phase.PLAYING:
        return refused_here("no-game", "There is no game of yours for lines")
    if not game.is_slow:
        text = "Lines are for games by days, or without a clock"
        return refused_here("not-offered-here", text)
    return None


def _shown(state: State, news: LinesTold) -> Notice:
    board, lines = state.board(), left(news, state)
    texts = [_in_words(board, line) for line in lines]
    text = "You have no lines in this game" if not lines else "Only you and the arbiter see:"
    told = remark("lines", "\n".join((text, *(f"  {it}" for it in texts))))
    return replace(told, fields={**told.fields, "game": news.game, "lines": [*map(list, lines)]})


def _in_words(board: chess.Board, line: Line) -> str:
    return board.variation_san([chess.Move.from_uci(it) for it in line])
