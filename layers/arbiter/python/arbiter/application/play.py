"""One command against one game: load, decide, commit. At most three times, since somebody else may
write between.
"""

from dataclasses import replace

from arbiter.application.answer import Answer, Contended, Republish
from arbiter.application.ports import Clock, Committed, Games
from arbiter.application.timestamps import possible_dates
from arbiter.core.commands import Answers, Command, PlayMove
from arbiter.core.decide import Rules, decide
from arbiter.core.model import ANSWERED_PER_SEAT, CAUSE_BYTES, WHITE, Game
from arbiter.core.replies import (
    Decision,
    GameEnded,
    GameStarted,
    MovePlayed,
    Reason,
    Rejected,
    Reply,
)
from arbiter.dialects.dialect import Dialect, GameCommand

ATTEMPTS = 3

COULD_COME_TRUE = frozenset({Reason.NOT_YOUR_TURN, Reason.ILLEGAL_MOVE, Reason.BAD_TIME})
"""Refusals that another turn, another position or another hour would reverse. Every other one
stands for ever, so it is not written down, and takes no place from one that must be.
"""


def play(
    games: Games,
    clock: Clock,
    rules: Rules,
    server: str,
    dialect: Dialect,
    asked: GameCommand,
    event_id: str,
) -> Answer:
    """Apply what the event with this id asks.

    An event that the game remembers changes nothing: the state is told again, because the first
    telling may have died with the process that committed it. Raises ``Contended`` when three
    commits met a newer game each.
    """
    cause = bytes.fromhex(event_id)[:CAUSE_BYTES]
    game = games.load(asked.game_id)
    for _ in range(ATTEMPTS):
        if game is None:
            refusal = Rejected(asked.command.player, Reason.UNKNOWN_GAME, "no game has this id")
            return Answer(
                fate=Reason.UNKNOWN_GAME, replies=(refusal,), cause=event_id, asked_in=dialect.name
            )
        if game.remembers(cause):
            return _answer("duplicate", game, standing(game), event_id, dialect)
        now_ms = clock.now_ms()
        command = _resolve(asked, game, dialect, server, now_ms)
        decision = decide(game, command, now_ms, rules)
        after = _remember(game, decision, command, cause)
        if after is game:
            own = game if game.color_of(command.player) is not None else None
            return _answer(_fate(decision.replies), own, decision.replies, event_id, dialect)
        match games.commit(game, after):
            case Committed():
                return _answer(_fate(decision.replies), after, decision.replies, event_id, dialect)
            case conflict:
                game = conflict.game
    raise Contended


def standing(game: Game) -> tuple[Reply, ...]:
    """What there is to say of a game as it stands: replies are derived from the state, so they can
    be derived again.
    """
    if game.outcome is not None:
        return (GameEnded(game),)
    return (GameStarted(game),) if game.ply == 0 else (MovePlayed(game),)


def _resolve(asked: GameCommand, game: Game, dialect: Dialect, server: str, now_ms: int) -> Command:
    if asked.state_id is None or not isinstance(asked.command, PlayMove):
        return asked.command
    if game.outcome is not None or game.color_of(asked.command.player) is None:
        # Refused whatever it answers, and a bogus state id would cost two weeks of hashes.
        return asked.command
    latest = dialect.shows(game, asked.state_id, server, possible_dates(game.changed_at_ms, now_ms))
    return replace(asked.command, answers=Answers.LATEST if latest else Answers.OLDER)


def _remember(game: Game, decision: Decision, command: Command, cause: bytes) -> Game:
    """The game to commit: the decision's, with this cause among those applied, or among those
    answered if it was refused.

    A refused event of a seated player is remembered, because a relay could replay it when its turn
    has come (reliability F49); not if it stays refused anyway. A stranger's is not, so that
    strangers cannot make us write.
    """
    color = game.color_of(command.player)
    if color is None:
        return game
    after = decision.game
    if after is not game:
        return replace(after, applied=(*after.applied, cause), version=game.version + 1)
    if _fate(decision.replies) not in COULD_COME_TRUE:
        return game
    if color == WHITE:
        ring = (*game.white_answered, cause)[-ANSWERED_PER_SEAT:]
        return replace(game, white_answered=ring, version=game.version + 1)
    ring = (*game.black_answered, cause)[-ANSWERED_PER_SEAT:]
    return replace(game, black_answered=ring, version=game.version + 1)


def _fate(replies: tuple[Reply, ...]) -> str:
    match replies[-1]:
        case Rejected() as rejected:
            return rejected.reason
        case GameEnded(game) if game.outcome is not None:
            return game.outcome.termination
        case _:
            return "played"


def _answer(
    fate: str, game: Game | None, replies: tuple[Reply, ...], event_id: str, dialect: Dialect
) -> Answer:
    return Answer(
        fate=fate,
        replies=replies,
        cause=event_id,
        asked_in=dialect.name,
        game_id=game.id if game else None,
        republish=Republish(game_id=game.id, changed_at_ms=game.changed_at_ms) if game else None,
    )
