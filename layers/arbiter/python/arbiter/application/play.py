"""One command applied to one game: load, decide, commit, then timers and ratings."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.duplicates import answer_too_late, handle_duplicate
from arbiter.application.event_memory import apply_decision, rules_for, with_refused
from arbiter.application.ports import Conflict
from arbiter.application.ratings import rating_of_end
from arbiter.application.referee import begun
from arbiter.application.rematch import seat_again
from arbiter.application.results import Result, answer_about, status_of
from arbiter.application.state_tags import came_before, meant_for_another, resolve_state_tag
from arbiter.application.strangers import named
from arbiter.application.timers import (
    hand_to_mover,
    paused_ms,
    schedule_changed_timer,
    schedule_overdue_timer,
)
from arbiter.core.commands import Abort, CallFlag, Command, PlayMove, Quit
from arbiter.core.decide import decide, is_time_up
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import EVENT_KEY_BYTES, Game
from arbiter.core.replies import Decision, Reason, Rejected, RematchAgreed, Reply
from arbiter.dialects.base import Dialect, GameCommand, Transport
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import VerifiedEvent

ERRORS_ANSWERED, ERRORS_SECONDS = 20, 60 * 60
"""So many errors that do not count are answered to one player in one position, in so long."""

ERRORS_IN_PASSING = 5
"""So many of them cannot have kept a move of that player's waiting for long."""


def play(
    deps: ArbiterDeps,
    dialect: Dialect,
    asked: GameCommand,
    event_id: str,
    received_at_ms: int | None = None,
    event: VerifiedEvent | None = None,
) -> Result:
    """Apply what the event with this id asks, received at that time (unix ms; now if not given).
    The ``event`` is given where its meaning may depend on the game.

    An event that the game remembers changes nothing, and the state is published again. Raises
    ``Contended`` when all attempts met a newer game each.
    """

    def attempt(conflict: Conflict | None) -> Result | Conflict:
        game = (conflict.game if conflict else None) or _named(deps, asked)
        if game is not None:
            return _play_once(deps, dialect, asked, event_id, received_at_ms, event, game)
        if asked.begins:
            # Another transaction was in the way, and made no game.
            return Conflict(None)
        refusal = Rejected(asked.command.player, Reason.UNKNOWN_GAME, "no game has this id")
        return Result(
            status=Reason.UNKNOWN_GAME,
            replies=(refusal,),
            event_key=event_id,
            asked_in=dialect.name,
        )

    return retry_on_conflict(attempt)


def _play_once(
    deps: ArbiterDeps,
    dialect: Dialect,
    asked: GameCommand,
    event_id: str,
    received_at_ms: int | None,
    event: VerifiedEvent | None,
    game: Game,
) -> Result | Conflict:
    if answer := _answer_unjudged(deps, game, asked, event_id, dialect, received_at_ms):
        return answer
    now_ms = deps.clock.now_ms()
    command = resolve_state_tag(asked, game, dialect, deps.server, now_ms)
    if event is not None:
        command = dialect.in_game(command, game, event, received_at_ms or now_ms, deps.server)
    decision = _judged(deps, dialect, game, command, now_ms, received_at_ms)
    if _has(decision, RematchAgreed):
        agreed = seat_again(deps, game, decision, command, event_id, now_ms)
        if agreed is None:
            return Conflict(deps.games.load(asked.game_id))
        if agreed.game is not game:
            status = status_of(agreed.replies)
            return answer_about(status, agreed.game, agreed.replies, event_id, dialect)
        decision = agreed
    if _is_flood(deps, dialect, game, decision, command, now_ms):
        return Result(status="error-flood", event_key=event_id, game_id=game.id)
    event_key = bytes.fromhex(event_id)
    decided, replies = apply_decision(game, decision, command, event_key, deps.rules, now_ms)
    if decided is game:
        replies = named(deps, dialect, game, replies, now_ms)
        return _unchanged(deps, game, command, replies, event_id, dialect)
    after = replace(decided, item_version=game.item_version + 1)
    written = deps.games.commit(game, after)
    if isinstance(written, Conflict):
        return written
    schedule_changed_timer(deps, game, after)
    rated = rating_of_end(deps, after)
    return replace(answer_about(status_of(replies), after, replies, event_id, dialect), rated=rated)


def _answer_unjudged(
    deps: ArbiterDeps,
    game: Game,
    asked: GameCommand,
    event_id: str,
    dialect: Dialect,
    received_at_ms: int | None,
) -> Result | None:
    """The result for an event that the game remembers or that is not meant for it; else None."""
    if game.remembers(bytes.fromhex(event_id)):
        return handle_duplicate(deps, game, asked, event_id, dialect)
    if text := meant_for_another(asked, game, dialect, received_at_ms):
        refused = answer_too_late(deps, game, asked, event_id, dialect, text)
        return _written_down(deps, game, refused, asked.command, received_at_ms)
    return None


def _has(decision: Decision, kind: type[Rejected | RematchAgreed]) -> bool:
    return any(isinstance(reply, kind) for reply in decision.replies)


def _is_flood(
    deps: ArbiterDeps,
    dialect: Dialect,
    game: Game,
    decision: Decision,
    command: Command,
    now_ms: int,
) -> bool:
    """Whether this is one refusal too many for one player in this position: it is neither answered
    nor written down. Every event over a socket is answered; the gateway limits those.
    """
    is_refused = decision.game is game and _has(decision, Rejected)
    if not is_refused or game.color_of(command.player) is None:
        return False
    if dialect.transport is not Transport.RELAY:
        return False
    return _has_erred(deps, game, command, now_ms, ERRORS_ANSWERED, more=1)


def _is_own_doing(deps: ArbiterDeps, game: Game, command: Command, now_ms: int) -> bool:
    """Whether a move was decided late because of its author's own events before it: only those wait
    in front of it. Asked where the opponent's clock would be charged for that.
    """
    if not isinstance(command, PlayMove) or game.clocks is None:
        return False
    late_ms = game.clocks.late_ms(game.ply, command.received_at_ms, now_ms, white=game.turn)
    return late_ms > 0 and _has_erred(deps, game, command, now_ms, ERRORS_IN_PASSING, more=0)


def _has_erred(
    deps: ArbiterDeps, game: Game, command: Command, now_ms: int, most: int, *, more: int
) -> bool:
    """Whether this player was refused more often than ``most`` in this position, ``more`` times
    now.
    """
    if deps.rate_limits is None:
        return False
    key = f"errors:{game.id}:{game.ply}:{command.player}"
    try:
        return not deps.rate_limits.take(key, most, ERRORS_SECONDS, now_ms, more)
    except Exception:  # noqa: BLE001 - for a count that fails no game waits
        return False


def _named(deps: ArbiterDeps, asked: GameCommand) -> Game | None:
    """The game, made if it begins with this command; None if there is none."""
    game = deps.games.load(asked.game_id)
    return begun(deps, asked.begins) if game is None and asked.begins else game


def _unchanged(
    deps: ArbiterDeps,
    game: Game,
    command: Command,
    replies: tuple[Reply, ...],
    event_id: str,
    dialect: Dialect,
) -> Result:
    """The result where nothing was written. For a stranger nothing is published again; a player's
    game has its timer, if only by another event (no ``replies``).
    """
    own = None if game.color_of(command.player) is None else game
    if replies:
        schedule_overdue_timer(deps, own)
    return answer_about(status_of(replies), own, replies, event_id, dialect)


def _judged(
    deps: ArbiterDeps,
    dialect: Dialect,
    game: Game,
    command: Command,
    now_ms: int,
    received_at_ms: int | None,
) -> Decision:
    """The decision on the command: none yet where a flag is called that falls behind the opponent's
    events.
    """
    at_ms = now_ms if received_at_ms is None else received_at_ms
    pause_ms = paused_ms(deps, game, at_ms)
    rules = rules_for(deps.rules, game, command)
    is_behind = _is_behind_another(game, command)
    if is_behind and is_time_up(game, command, at_ms, pause_ms):
        hand_to_mover(deps, game, at_ms)
        # A player who leaves a game without moves shall not be the one who aborted it.
        is_begun = game.ply >= OPENING_PLIES
        if isinstance(command, CallFlag) or (isinstance(command, Abort | Quit) and not is_begun):
            return Decision(game, ())
        # What else they say is judged as if the flag stood, until it falls there.
        at_ms = game.created_at_ms
    is_public = _is_read(dialect, game, command) and not _is_own_doing(deps, game, command, now_ms)
    return decide(game, command, now_ms, rules, at_ms, pause_ms, is_public=is_public)


def _is_read(dialect: Dialect, game: Game, command: Command) -> bool:
    """Whether the opponent could read this on a relay before we decide."""
    opponents = game.black if command.player == game.white.player else game.white
    dialects = (dialect, DIALECTS[opponents.dialect])
    return all(one.transport is Transport.RELAY for one in dialects)


def _is_behind_another(game: Game, command: Command) -> bool:
    """Whether the side to move has another group in the queue than this command's."""
    color = game.color_of(command.player)
    return game.outcome is None and color is not None and color != game.turn


def _written_down(
    deps: ArbiterDeps, game: Game, refused: Result, command: Command, received_at_ms: int | None
) -> Result:
    """This result; the game remembers the event if it came before the game began: sent again it
    comes later, by our clocks, and what was refused must not come true. Raises ``Contended`` like
    `play`.
    """
    color = game.color_of(command.player)
    if color is None or refused.previous is not None or not came_before(game, received_at_ms):
        return refused
    key = bytes.fromhex(refused.event_key)[:EVENT_KEY_BYTES]

    def attempt(conflict: Conflict | None) -> Result | Conflict:
        present = conflict.game if conflict else game
        if present is None or present.outcome is not None:
            return refused
        after = replace(with_refused(present, color, key), item_version=present.item_version + 1)
        written = deps.games.commit(present, after)
        return written if isinstance(written, Conflict) else refused

    return retry_on_conflict(attempt)
