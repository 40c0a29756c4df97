"""Words in a game: greetings, offers, claims."""

from dataclasses import replace

import chess

from clients.bot import judgement
from clients.bot.model import Act, Game, Session, Speak
from clients.bot.timing import FIRST_PLIES
from clients.player.events import SendLine
from clients.player.messages import State

MAX_LINE = 140


def greet(session: Session, game: Game, effects: list[Act]) -> Game:
    """Says hello at the beginning of a game."""
    if game.greeted:
        return game
    if game.state.ply < FIRST_PLIES:
        greeting = session.config.greeting
        effects.extend(lines(session, game.state, greeting.hello, greeting.hello_spectators))
    return replace(game, greeted=True)


def lines(session: Session, state: State, private: str, public: str) -> list[Act]:
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


def answer_offer(session: Session, game: Game, board: chess.Board, effects: list[Act]) -> Game:
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
    effects.append(Speak(state.game, answer))
    return replace(
        game, answered=(state.version, answer), taken_back=game.taken_back + (answer == "takeback")
    )


def claim(game: Game, effects: list[Act]) -> Game:
    """Claims a draw, once in a position."""
    if game.claimed == game.state.position:
        return game
    effects.append(Speak(game.state.game, "claim"))
    return replace(game, claimed=game.state.position)
