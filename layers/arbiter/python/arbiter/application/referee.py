"""Games that two players began by themselves and that the arbiter only judges.

No one requests them in the lobby. The game is made from its players' messages, under an id that
follows from those, so it is made once however often it is begun.
"""

from arbiter.application.correspondence import is_one_too_many, with_closing_timer
from arbiter.application.deps import ArbiterDeps, Contended
from arbiter.application.judge import rules_for
from arbiter.application.ports import LobbyChange
from arbiter.application.results import Result, republish_of
from arbiter.application.timers import schedule_timer
from arbiter.core.commands import Command, PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import EVENT_KEY_BYTES, Game
from arbiter.core.move_claims import differences
from arbiter.core.replies import ClaimRejected, GameStarted, Reply
from arbiter.dialects.base import BeginGame, Dialect


def begin(
    deps: ArbiterDeps, dialect: Dialect, asked: BeginGame, event_key: str, author: str
) -> Result:
    """The result of this author's message with this event_key (64 hex), by which a game begins."""
    if asked.white.player == asked.black.player:
        return Result(status="against-oneself", event_key=event_key)
    known = deps.games.load(asked.game_id)
    if known is None and is_one_too_many(deps, author, deps.clock.now_ms()):
        return Result(status="request-flood", event_key=event_key)
    game = known or create_game(deps, asked)
    if game is None:
        raise Contended
    return Result(
        status="duplicate" if known else "followed",
        # Only while it is new: what came of it since was not asked.
        replies=(GameStarted(game),) if game.ply == 0 and game.outcome is None else (),
        event_key=event_key,
        dialect=dialect.name,
        game_id=game.id,
        republish=(republish_of(game),),
    )


def create_game(deps: ArbiterDeps, asked: BeginGame) -> Game | None:
    """The new game, or the one that another process made meanwhile."""
    game = with_closing_timer(game_of(asked, deps.clock.now_ms()), deps.rules)
    made = deps.lobby.commit(LobbyChange(game=game))
    schedule_timer(deps, game)
    return game if made else deps.games.load(asked.game_id)


def game_of(asked: BeginGame, now_ms: int) -> Game:
    """The new game, before the first move."""
    return Game(
        id=asked.game_id,
        white=asked.white,
        black=asked.black,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
    )


def verdicts_again(
    deps: ArbiterDeps, game: Game, command: Command, event_key: bytes
) -> tuple[Reply, ...]:
    """The refusals this command got before, sent again because permanent logs have no other
    copy.
    """
    if game.refused(event_key):
        rules = rules_for(deps.rules, game, command)
        decision = decide(game, command, deps.clock.now_ms(), rules)
        # If it has become true since, the present state has nothing against it.
        return decision.replies if decision.game is game else ()
    is_last = game.applied_ids[-1:] == (event_key[:EVENT_KEY_BYTES],)
    if not is_last or not isinstance(command, PlayMove) or not command.claims or not game.moves:
        return ()
    return tuple(
        ClaimRejected(game, command.player, text) for text in differences(game, command.claims)
    )
