"""Words in a game: greetings, offers, claims."""

from dataclasses import replace

import chess

from clients.bot import judgement
from clients.bot.model import Effect, Game, Session
from clients.bot.outgoing import word
from clients.bot.timing import FIRST_PLIES
from clients.player.events import Send, SendLine
from clients.player.messages import State

MAX_LINE = 140


def greet(session: Session, game: Game, effects: list[Effect]) -> Game:
    """Says hello at the beginning of a game."""
    if game.greeted:
        return game
    if game.state.ply < FIRST_PLIES:
        greeting = session.config.greeting
        effects.extend(lines(session, game.state, greeting.hello, greeting.hello_spectators))
    return replace(game, greeted=True)


def lines(session: Session, state: State, private: str, public: str) -> list[Effect]:
    """The lines for the opponent and for those who watch."""
    opponent = state.opponent_of(session.me)
    to = session.arbiter if opponent in state.stand_ins else opponent
    return [
        SendLine(state.game, text, key, public=key is None)
        for key, line in ((to, private), (None, public))
        if (
            text := line.replace("{me}", session.config.name).replace("{opponent}", opponent[:8])[
                :MAX_LINE
            ]
        )
    ]


def say(session: Session, game: Game, content: str, now: int, effects: list[Effect]) -> Game:
    """Sends a word about the present state."""
    draft = word(session, game.state, content, now)
    effects.append(Send(draft))
    return replace(game, words=game.words.plus(draft, now))


def answer_offer(
    session: Session, game: Game, board: chess.Board, now: int, effects: list[Effect]
) -> Game:
    """Accepts or declines the opponent's offer, once."""
    state = game.state
    if state.offer is None or state.offer.color is state.color_of(session.me):
        return game
    kind = state.offer.kind
    agrees = (kind == "draw" and judgement.wants_draw(game.scores, board, session.config)) or (
        kind == "takeback"
        and judgement.grants_takeback(game.taken_back, game.scores, session.config)
    )
    answer = kind if agrees else f"{kind}-decline"
    if game.answered == (state.version, answer):
        return game
    game = say(session, game, answer, now, effects)
    return replace(
        game,
        answered=(state.version, answer),
        taken_back=game.taken_back + (answer == "takeback"),
    )


def claim(session: Session, game: Game, now: int, effects: list[Effect]) -> Game:
    """Claims a draw, once in a position."""
    if game.claimed == game.state.position:
        return game
    return replace(say(session, game, "claim", now, effects), claimed=game.state.position)
