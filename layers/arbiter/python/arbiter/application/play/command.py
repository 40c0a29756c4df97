"""One command applied to one game: load, decide, commit, then timers and ratings."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps, is_to_be_told, retry_on_conflict
from arbiter.application.play.duplicates import answer_too_late, handle_duplicate
from arbiter.application.play.ends import settle_end
from arbiter.application.play.event_memory import apply_decision, with_refused
from arbiter.application.play.judge import (
    ERRORS_ANSWERED,
    ERRORS_SECONDS,
    decide_in_context,
    is_refusal_flood,
)
from arbiter.application.play.lines import opened
from arbiter.application.play.referee import (
    create_game,
    few_notes,
    name_strangers,
    refused_to_begin,
)
from arbiter.application.play.rematch import seat_again
from arbiter.application.play.state_tags import came_before, meant_for_another, resolve_state_tag
from arbiter.application.play.timers import schedule_changed_timer, schedule_overdue_timer
from arbiter.application.ports import Conflict
from arbiter.application.results import Result, answer_about, status_of
from arbiter.core.commands import Command
from arbiter.core.game import EVENT_KEY_BYTES, Game
from arbiter.core.replies import Reason, Rejected, RematchAgreed, Reply, StateShown
from arbiter.dialects.base import Dialect, GameCommand
from arbiter.nostr.event import VerifiedEvent


def play(
    deps: ArbiterDeps,
    dialect: Dialect,
    asked: GameCommand,
    event_key: str,
    received_at_ms: int | None = None,
    event: VerifiedEvent | None = None,
    *,
    at_gateway: bool = False,
    says_here: bool = False,
) -> Result:
    """Apply what the event with this key asks, received then (unix ms) or now, ``at_gateway`` or
    not; it ``says_here`` that its author has a socket there. ``event``: its meaning may depend on
    the game.

    An event that the game remembers changes nothing, and the state is published again. Raises
    ``Contended``.
    """

    def attempt(conflict: Conflict | None) -> Result | Conflict:
        game = (conflict.game if conflict else None) or deps.games.load(asked.game_id)
        if game is None and asked.begins:
            begins, author = asked.begins, asked.command.player
            own = begins.white if begins.white.player == author else begins.black
            if refused := refused_to_begin(deps, dialect, begins, own, event_key):
                return refused
            game = create_game(deps, asked.begins)
        if game is not None:
            author = asked.command.player
            heard = game.heard_over(author, at_gateway=at_gateway, says_here=says_here)
            return _play_once(deps, dialect, asked, event_key, received_at_ms, event, game, heard)
        if asked.begins:
            # Another transaction was in the way, and made no game.
            return Conflict(None)
        refusal = Rejected(asked.command.player, Reason.UNKNOWN_GAME, "no game has this id")
        return Result(
            status=Reason.UNKNOWN_GAME,
            replies=(refusal,),
            event_key=event_key,
            dialect=dialect.name,
        )

    return retry_on_conflict(attempt)


def _play_once(
    deps: ArbiterDeps,
    dialect: Dialect,
    asked: GameCommand,
    event_key: str,
    received_at_ms: int | None,
    event: VerifiedEvent | None,
    game: Game,
    heard: Game,
) -> Result | Conflict:
    if answer := _answer_unjudged(deps, game, asked, event_key, dialect, received_at_ms):
        return answer
    now_ms = deps.clock.now_ms()
    command = resolve_state_tag(deps, asked, game, dialect, now_ms)
    if event is not None and dialect.chain:
        received_ms = received_at_ms or now_ms
        command = dialect.chain.in_game(command, game, event, received_ms, deps.server)
    command = opened(deps, dialect, game, command)
    decision = decide_in_context(deps, heard, command, now_ms, received_at_ms)
    if any(isinstance(reply, RematchAgreed) for reply in decision.replies):
        agreed = seat_again(deps, game, decision, command, event_key, now_ms)
        if agreed is None:
            return Conflict(deps.games.load(asked.game_id))
        if agreed.game is not game:
            status = status_of(agreed.replies)
            return answer_about(status, agreed.game, agreed.replies, event_key, dialect)
        decision = agreed
    if is_refusal_flood(deps, dialect, heard, decision, command, now_ms):
        return _refusal_flood(deps, dialect, game, command.player, event_key, now_ms)
    key = bytes.fromhex(event_key)
    decided, replies = apply_decision(heard, decision, command, key, deps.rules, now_ms)
    told = few_notes(deps, dialect, game, replies, now_ms)
    # A player who was away and says anything is back, be it refused.
    was_away = any(it.left_ms for it in (game.white, game.black) if it.player == command.player)
    if was_away and all(isinstance(it, Rejected) for it in replies):
        told = (*told, StateShown(decided, None))
    if decided is heard and not was_away:
        told = name_strangers(deps, dialect, game, told, now_ms)
        unchanged = _unchanged(deps, game, command, replies, event_key, dialect)
        return replace(unchanged, replies=told)
    after = decided.as_item(game.item_version + 1)
    written = deps.games.commit(game, after)
    if isinstance(written, Conflict):
        return written
    schedule_changed_timer(deps, game, after)
    rated = settle_end(deps, after)
    answer = answer_about(status_of(replies), after, told, event_key, dialect)
    return replace(answer, rated=rated) if rated else answer


def _refusal_flood(
    deps: ArbiterDeps, dialect: Dialect, game: Game, author: str, event_key: str, now_ms: int
) -> Result:
    """The result of a refusal too many of a player in this position, who is told of the first."""
    text = f"{ERRORS_ANSWERED} refusals in this position: no more are answered for an hour"
    what = f"errors:{game.id}:{game.ply}:{author}"
    is_told = is_to_be_told(deps, what, ERRORS_SECONDS, now_ms)
    return Result(
        status="error-flood",
        replies=(Rejected(author, Reason.RATE_LIMITED, text, game),) if is_told else (),
        event_key=event_key,
        dialect=dialect.name,
        game_id=game.id,
    )


def _answer_unjudged(
    deps: ArbiterDeps,
    game: Game,
    asked: GameCommand,
    event_key: str,
    dialect: Dialect,
    received_at_ms: int | None,
) -> Result | None:
    """The result for an event that the game remembers or that is not meant for it; else None."""
    if game.remembers(bytes.fromhex(event_key)):
        return handle_duplicate(deps, game, asked, event_key, dialect)
    if text := meant_for_another(asked, game, dialect, received_at_ms):
        refused = answer_too_late(deps, game, asked, event_key, dialect, text)
        return _written_down(deps, game, refused, asked.command, received_at_ms)
    if text := deps.policy.why_not_in(game, asked.command.player, deps.clock.now_ms()):
        refusal = Rejected(asked.command.player, Reason.RESTRICTED, text, game)
        return _unchanged(deps, game, asked.command, (refusal,), event_key, dialect)
    return None


def _unchanged(
    deps: ArbiterDeps,
    game: Game,
    command: Command,
    replies: tuple[Reply, ...],
    event_key: str,
    dialect: Dialect,
) -> Result:
    """The result where nothing was written: for a player the game has its timer; strangers get
    nothing.
    """
    own = None if game.color_of(command.player) is None else game
    if replies:
        schedule_overdue_timer(deps, own)
    return answer_about(status_of(replies), own, replies, event_key, dialect)


def _written_down(
    deps: ArbiterDeps, game: Game, refused: Result, command: Command, received_at_ms: int | None
) -> Result:
    """This result; the game remembers an event from before it: what was refused must not come true.
    Raises ``Contended``.
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
