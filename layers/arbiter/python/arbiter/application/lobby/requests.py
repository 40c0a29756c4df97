"""Requests about a game to come: answered, put into a pool, or paired, in one transaction with the
request's id: delivered again it is answered again and changes nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.lobby.busy import game_in_the_way
from arbiter.application.lobby.challenged import WORK_IN_A_FLOOD, is_one_of_many
from arbiter.application.lobby.challenges import waiting_replies
from arbiter.application.lobby.correspondence import is_request_flood, one_too_many
from arbiter.application.lobby.inbox import shown
from arbiter.application.lobby.rematch_offers import withdrawn_by, without_rematch
from arbiter.application.lobby.settle import kept_refused, settle, settle_while_playing
from arbiter.application.play.duplicates import may_be_shown_again, may_be_told_again
from arbiter.application.play.places import has_many_games, with_slow_game
from arbiter.application.play.referee import few_notes
from arbiter.application.play.seating import with_last_game
from arbiter.application.play.timers import schedule_overdue_timer, schedule_timer
from arbiter.application.ports import Conflict, LobbyChange
from arbiter.application.records import Republish
from arbiter.application.results import LobbyResult, Result, republish_of, slot_of
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game
from arbiter.core.pairing import (
    Player,
    Pool,
    heard_at_gateway,
    refuse_stale_or_flood,
    remember_refusal,
    remember_request,
)
from arbiter.core.replies import (
    Cancelled,
    GameChanged,
    GameStarted,
    Queued,
    Reason,
    Reply,
    RequestRefused,
)
from arbiter.core.seeks import Seek
from arbiter.core.terms import flaw
from arbiter.dialects.base import LobbyRequest, PreviousResult, RequestToPlay
from arbiter.dialects.native import says_here
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip13 import committed_work


def request_game(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    event: VerifiedEvent,
    event_key: str,
    bind: Callable[[], None] | None = None,
) -> Result:
    """The result of a request, remembered by ``event_key`` (64 hex). ``bind`` makes the socket
    speak for its author, for a new request to play alone, before the commit.

    A player with a game in the way is shown it, and their challenges and acceptances are refused; a
    waiting one goes on waiting; any other is paired, or waits. Raises ``Contended``.
    """
    once = partial(_request_once, deps, asked, event, event_key, bind)
    result = retry_on_conflict(lambda conflict: once(is_first=conflict is None))
    dialect, now_ms = DIALECTS[asked.seat.dialect], deps.clock.now_ms()
    return replace(result, replies=few_notes(deps, dialect, None, result.replies, now_ms))


def _request_once(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    event: VerifiedEvent,
    event_key: str,
    bind: Callable[[], None] | None,
    *,
    is_first: bool,
) -> Result | Conflict:
    player = deps.lobby.player(slot_of(asked.seat))
    game = deps.games.load(player.game_id) if player.game_id else None
    if player.remembers(event_key):
        if not _is_gateway_noted(deps, asked, event, event_key, player):
            return Conflict(None)
        return _again(deps, event_key, asked, player, game)
    seek = _seek_of(asked, event, event_key, player, game, deps.clock.now_ms())
    unsettled = _spent_or_flood(deps, asked, player, seek, is_first=is_first) or _refused(
        deps, asked, event, player, seek
    )
    if unsettled is not None:
        return unsettled
    settled = _settled(deps, asked, event, player, game, seek, is_first=is_first)
    is_accepted = settled.change is not None and not settled.status.startswith("request-")
    if bind and is_accepted and isinstance(asked, RequestToPlay):
        bind()
    if settled.change is not None and not deps.lobby.commit(settled.change):
        return Conflict(None)
    schedule_timer(deps, settled.change.game if settled.change else None)
    schedule_overdue_timer(deps, _live(game))
    return _answer(settled.status, event_key, asked, settled.replies, settled.game)


def _live(game: Game | None) -> Game | None:
    return game if game and game.outcome is None else None


def _seek_of(
    asked: LobbyRequest,
    event: VerifiedEvent,
    event_key: str,
    player: Player,
    game: Game | None,
    now_ms: int,
) -> Seek:
    """The seek that the request is, if it asks to play; its terms are not in it yet."""
    own_slot = player.id if player.id != asked.seat.player else ""
    has_played = player.former_game_id is not None or (game and game.ply >= OPENING_PLIES)
    return Seek(
        event_key,
        asked.seat,
        now_ms,
        slot_id=own_slot,
        has_played=bool(has_played),
        is_plain=all(tag[0] in {"p", "name"} for tag in event.tags),
    )


def _spent_or_flood(
    deps: ArbiterDeps, asked: LobbyRequest, player: Player, seek: Seek, *, is_first: bool
) -> Result | None:
    """The answer in a slot of its own that is spent, or whose author has enough of them."""
    if not seek.slot_id:
        return None
    if player.item_version and isinstance(asked, RequestToPlay):
        # A slot of its own is for one request: what came before this one was its withdrawal.
        return _answer("cancelled", seek.request_id, asked, (Cancelled(asked.seat),))
    if is_first and is_request_flood(deps, asked, player, seek.asked_at_ms):
        return one_too_many(deps, asked.seat, seek.request_id, seek.asked_at_ms)
    return None


def _refused(
    deps: ArbiterDeps, asked: LobbyRequest, event: VerifiedEvent, player: Player, seek: Seek
) -> Result | Conflict | None:
    """The refusal of a request that is stale, one of a flood, or not worth a look."""
    made_at_ms, now_ms = event.created_at * 1000, seek.asked_at_ms
    unworthy = _unworthy(deps, player, asked, event)
    refusal = refuse_stale_or_flood(player, seek, made_at_ms, now_ms) or unworthy
    if refusal is None:
        return None
    # Dated ahead it is fresh in some minutes, and a relay may keep it until then. For a player
    # without proof of work nothing is written.
    could_come_true = refusal.reason is Reason.STALE and made_at_ms > now_ms
    if could_come_true and unworthy is None:
        refused = remember_refusal(player, seek.request_id)
        if not deps.lobby.commit(LobbyChange(players=((player, refused),))):
            return Conflict(None)
    return _answer("request-" + refusal.reason, seek.request_id, asked, (refusal,))


def _settled(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    event: VerifiedEvent,
    player: Player,
    game: Game | None,
    seek: Seek,
    *,
    is_first: bool,
) -> LobbyResult:
    now_ms = seek.asked_at_ms
    remembered = remember_request(
        player, seek.request_id, event.created_at * 1000, now_ms, at_any_age=bool(seek.slot_id)
    )
    remembered = with_last_game(deps, remembered, game, now_ms)
    if has_many_games(deps, asked.seat):
        remembered = with_slow_game(deps, remembered, game)
    if in_the_way := game_in_the_way(deps, asked, remembered, seek, game):
        return settle_while_playing(deps, asked, in_the_way, player, remembered, seek.request_id)
    if refusal := _of_a_flood(deps, asked, event, seek, is_first=is_first):
        refused = LobbyResult(f"request-{refusal.reason}", (refusal,))
        is_new = player.item_version == 0 and not seek.slot_id
        return refused if is_new else kept_refused(refused, player, remembered, seek)
    settled = settle(deps, asked, player, remembered, seek, game)
    return without_rematch(settled, asked, seek.request_id, game, now_ms)


def _was_refused(asked: LobbyRequest, player: Player) -> bool:
    """Whether this remembered request was refused: anything else would have left a trace."""
    traces = player.game_id or player.waits_in or player.challenges
    return isinstance(asked, RequestToPlay) and player.item_version == 1 and not traces


def _unworthy(
    deps: ArbiterDeps, player: Player, asked: LobbyRequest, event: VerifiedEvent
) -> RequestRefused | None:
    """Refuse terms that contradict themselves, and new keys without proof of work."""
    if isinstance(asked, RequestToPlay) and (text := asked.flaw or flaw(asked.terms)):
        return RequestRefused(asked.seat, Reason.BAD_TERMS, text)
    if DIALECTS[asked.seat.dialect].bridge:
        return None
    if player.item_version == 0 and committed_work(event) < deps.rules.work_of_strangers:
        return RequestRefused(asked.seat, Reason.POW, str(deps.rules.work_of_strangers))
    return None


def _of_a_flood(
    deps: ArbiterDeps, asked: LobbyRequest, event: VerifiedEvent, seek: Seek, *, is_first: bool
) -> RequestRefused | None:
    """The refusal of a challenge that needs work and shows none; a bridge can show none."""
    if not isinstance(asked, RequestToPlay) or committed_work(event) >= WORK_IN_A_FLOOD:
        return None
    if not is_one_of_many(deps, seek, asked.terms.opponent, is_counted=is_first):
        return None
    if DIALECTS[asked.seat.dialect].bridge:
        text = "many challenges come: ask again in a minute"
        return RequestRefused(asked.seat, Reason.RATE_LIMITED, text)
    return RequestRefused(asked.seat, Reason.POW, str(WORK_IN_A_FLOOD))


def _is_gateway_noted(
    deps: ArbiterDeps, asked: LobbyRequest, event: VerifiedEvent, event_key: str, player: Player
) -> bool:
    """Note that a relay's request came over our gateway too, where its author says that they are
    here, so that it ends when they leave. False if the lobby changed.
    """
    if not (asked.seat.at_gateway and says_here(event) and (player.waits_in or player.sought)):
        return True
    before = deps.lobby.pool(player.waits_in) if player.waits_in else Pool("")
    pool, heard = heard_at_gateway(before, player, event_key)
    change = LobbyChange(
        pools=((before, pool),) if pool is not before else (),
        players=((player, heard),) if heard is not player else (),
    )
    return deps.lobby.commit(change)


def _again(
    deps: ArbiterDeps, event_key: str, asked: LobbyRequest, player: Player, latest: Game | None
) -> Result:
    """The result of a request that is delivered again; the first one may have been lost."""
    live = latest if latest and latest.outcome is None else None
    is_told_again = may_be_told_again(deps, DIALECTS[asked.seat.dialect], event_key)
    withdrawn = withdrawn_by(deps, event_key, player, latest) if is_told_again else ()
    replies: tuple[Reply, ...]
    if player.was_refused(event_key):
        refusal = RequestRefused(asked.seat, Reason.STALE, "this was refused before: ask again")
        answer = _answer("duplicate", event_key, asked, (refusal, *withdrawn))
        return replace(answer, previous=PreviousResult.REFUSED)
    schedule_timer(deps, live)
    if _was_refused(asked, player):
        text = "too many invitations wait already"
        replies = (RequestRefused(asked.seat, Reason.RATE_LIMITED, text),)
    elif not is_told_again:
        replies = (shown(live, asked.seat.player),) if live else ()
    elif live is None:
        replies = (*waiting_replies(deps, player), *withdrawn)
    elif not may_be_shown_again(deps, DIALECTS[asked.seat.dialect], live):
        replies = withdrawn
    else:
        current = GameStarted(live) if live.ply == 0 else shown(live, asked.seat.player)
        replies = (current, *withdrawn)
    answer = _answer("duplicate", event_key, asked, replies, live)
    return replace(answer, previous=PreviousResult.ACCEPTED)


def _answer(
    status: str,
    event_key: str,
    asked: LobbyRequest,
    replies: tuple[Reply, ...],
    game: Game | None = None,
) -> Result:
    again: tuple[Republish, ...] = ()
    if game:
        again = (republish_of(game),)
    elif any(isinstance(reply, Queued) for reply in replies):
        again = (Republish(player_id=slot_of(asked.seat)),)
    withdrawn = (reply.game for reply in replies if isinstance(reply, GameChanged))
    return Result(
        status=status,
        replies=replies,
        event_key=event_key,
        dialect=asked.seat.dialect,
        republish=(*again, *map(republish_of, withdrawn)),
        game_id=game.id if game else None,
    )
