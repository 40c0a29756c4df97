"""Requests about a game to come: answered, put into a pool, or paired.

Everything that one request changes is written in one transaction, with the request's id: delivered
again it is answered again and changes nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.lobby.challenges import (
    answer_challenge,
    make_challenge,
    rating_of,
    waiting_replies,
)
from arbiter.application.lobby.correspondence import (
    finish_pairing,
    invite,
    is_request_flood,
    one_too_many,
)
from arbiter.application.lobby.rematch_offers import withdrawn_by, without_rematch
from arbiter.application.play.duplicates import may_be_told_again
from arbiter.application.play.seating import leave_pool, named_slots, with_last_game
from arbiter.application.play.timers import schedule_overdue_timer, schedule_timer
from arbiter.application.ports import Conflict, LobbyChange
from arbiter.application.records import Republish
from arbiter.application.results import LobbyResult, Result, republish_of, slot_of
from arbiter.core.early_ends import OPENING_PLIES, kept_apart
from arbiter.core.game import WHITE, Game
from arbiter.core.pairing import (
    Player,
    next_opponent,
    pair,
    refuse_crowded,
    refuse_early_leaver,
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
    StateShown,
)
from arbiter.core.seeks import Seek
from arbiter.core.terms import OPEN, flaw, spelled
from arbiter.dialects.base import (
    AnswerChallenge,
    CancelRequests,
    Invitation,
    LobbyRequest,
    PreviousResult,
    QueryStatus,
    RequestToPlay,
)
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip13 import committed_work

_ONE_TOO_MANY = f"request-{Reason.RATE_LIMITED}"
_PLAYING = f"request-{Reason.PLAYING}"


def request_game(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    event: VerifiedEvent,
    event_key: str,
    bind: Callable[[], None] | None = None,
) -> Result:
    """The result of a request; ``event_key`` (64 hex) is the id that it is remembered by.

    ``bind`` makes the socket it came over speak for its author. It is called for a new request to
    play alone, or a copy of one would bind another's socket; and before the commit, after which
    the request is no longer new.

    A player whose game goes on is shown it (the native protocol's only way to catch up), and their
    challenges and acceptances are refused; a waiting player goes on waiting; any other is paired,
    or waits. Raises ``Contended`` when a dozen commits met a newer lobby.
    """
    once = partial(_request_once, deps, asked, event, event_key, bind)
    return retry_on_conflict(lambda conflict: once(is_first=conflict is None))


def _request_once(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    event: VerifiedEvent,
    event_key: str,
    bind: Callable[[], None] | None,
    *,
    is_first: bool,
) -> Result | Conflict:
    made_at_ms, now_ms = event.created_at * 1000, deps.clock.now_ms()
    slot = slot_of(asked.seat)
    own_slot = slot if slot != asked.seat.player else ""
    player = deps.lobby.player(slot)
    game = deps.games.load(player.game_id) if player.game_id else None
    live = game if game and game.outcome is None else None
    if player.remembers(event_key):
        return _again(deps, event_key, asked, player, game)
    if own_slot and player.item_version and isinstance(asked, RequestToPlay):
        # A slot of its own is for one request: what came before this one was its withdrawal.
        return _answer("cancelled", event_key, asked, (Cancelled(asked.seat),))
    if own_slot and is_first and is_request_flood(deps, asked, player, now_ms):
        return one_too_many(deps, asked.seat, event_key, now_ms)
    has_played = player.former_game_id is not None or (game and game.ply >= OPENING_PLIES)
    seek = Seek(event_key, asked.seat, now_ms, slot_id=own_slot, has_played=bool(has_played))
    unworthy = _unworthy(deps, player, asked, event)
    if refusal := refuse_stale_or_flood(player, seek, made_at_ms, now_ms) or unworthy:
        # Dated ahead it is fresh in some minutes, and a relay may keep it until then. For a player
        # without proof of work nothing is written.
        could_come_true = refusal.reason is Reason.STALE and made_at_ms > now_ms
        if could_come_true and unworthy is None:
            refused = remember_refusal(player, event_key)
            if not deps.lobby.commit(LobbyChange(players=((player, refused),))):
                return Conflict(None)
        return _answer("request-" + refusal.reason, event_key, asked, (refusal,))
    remembered = remember_request(player, event_key, made_at_ms, now_ms, at_any_age=bool(own_slot))
    remembered = with_last_game(deps, remembered, game, now_ms)
    if live and not (isinstance(asked, AnswerChallenge) and asked.declined is not None):
        settled = _settle_while_playing(deps, asked, live, player, remembered, event_key)
    else:
        settled = _settle(deps, asked, player, remembered, seek)
        settled = without_rematch(settled, asked, event_key, game, now_ms)
    is_accepted = settled.change is not None and settled.status not in {_ONE_TOO_MANY, _PLAYING}
    if bind and is_accepted and isinstance(asked, RequestToPlay):
        bind()
    if settled.change is not None and not deps.lobby.commit(settled.change):
        return Conflict(None)
    schedule_timer(deps, settled.change.game if settled.change else None)
    schedule_overdue_timer(deps, live)
    return _answer(settled.status, event_key, asked, settled.replies, settled.game)


def _settle_while_playing(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    live: Game,
    player: Player,
    remembered: Player,
    event_key: str,
) -> LobbyResult:
    """Show the player their game; refuse a challenge, whose answer ``started`` would seem to be."""
    if not _is_challenge(deps, asked, player):
        if isinstance(asked, CancelRequests):
            # Or they would come back, unwanted, if the game is called off.
            remembered = replace(remembered, set_aside=())
        change = LobbyChange(players=((player, remembered),))
        return LobbyResult("shown", (_shown(live, asked.seat.player),), change, live)
    # Heard again after the game, it must not come true.
    change = LobbyChange(players=((player, remember_refusal(remembered, event_key)),))
    text = f"your game {live.id} goes on: finish it first"
    refusal = RequestRefused(asked.seat, Reason.PLAYING, text)
    return LobbyResult(_PLAYING, (refusal, StateShown(live, None)), change, live)


def _is_challenge(deps: ArbiterDeps, asked: LobbyRequest, player: Player) -> bool:
    """Whether a challenge is made, or one that waits is accepted. One that is gone may be the very
    one that the player's game began with, accepted again because ``started`` was lost.
    """
    match asked:
        case RequestToPlay(_, terms):
            return terms.opponent is not None
        case AnswerChallenge(_, challenge_id):
            challenge = deps.lobby.challenge(challenge_id)
            return challenge is not None and challenge.is_for(player.id)
        case Invitation():
            return True
        case _:
            return False


def _settle(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    player: Player,
    remembered: Player,
    seek: Seek,
) -> LobbyResult:
    """Settle the request of a player who is free, or who only declines."""
    match asked:
        case CancelRequests(seat):
            free = replace(remembered, waits_in=None, challenges=(), set_aside=())
            change = LobbyChange(
                pools=leave_pool(deps.lobby, player),
                players=((player, free),),
                challenges=tuple(
                    (challenge, None)
                    for challenge in map(deps.lobby.challenge, remembered.challenges)
                    if challenge
                ),
            )
            return LobbyResult("cancelled", (Cancelled(seat),), change)
        case QueryStatus(seat):
            nowhere = RequestRefused(seat, Reason.UNKNOWN_GAME, "you neither play nor wait")
            # The challenged players did not ask, and this one may ask often.
            own = (
                reply for reply in waiting_replies(deps, remembered) if isinstance(reply, Queued)
            )
            waiting = tuple(own) or (nowhere,)
            change = LobbyChange(players=((player, remembered),))
            return LobbyResult("shown", waiting, change)
        case Invitation():
            return invite(deps, asked, player, remembered, seek)
        case AnswerChallenge():
            settled = answer_challenge(deps, asked, player, remembered, seek)
            if settled.change is None and asked.declined is None and not seek.slot_id:
                # The challenge may come back, and a relay may then say the acceptance again.
                refused = remember_refusal(remembered, seek.request_id)
                settled = replace(settled, change=LobbyChange(players=((player, refused),)))
            return _kept(settled, player, remembered, seek)
        case RequestToPlay(seat, terms):
            terms = spelled(terms)
            seek = replace(seek, terms=terms, rating=rating_of(deps, player.id, terms))
            refusal = refuse_early_leaver(remembered, seek, seek.asked_at_ms)
            if refusal and terms.opponent in (None, OPEN):
                settled = LobbyResult(_ONE_TOO_MANY, (refusal,))
            elif terms.opponent is not None:
                settled = make_challenge(deps, player, remembered, seek)
            else:
                settled = _pair(deps, player, remembered, seek)
            return _kept(settled, player, remembered, seek)


def _kept(settled: LobbyResult, player: Player, remembered: Player, seek: Seek) -> LobbyResult:
    """Remember a request that was one too many as refused: it must not come true when it is
    delivered again. In a slot of its own it comes again by itself, however late, and keeps its
    answer.
    """
    if settled.status != _ONE_TOO_MANY:
        return settled
    kept = remembered if seek.slot_id else remember_refusal(player, seek.request_id)
    return replace(settled, change=LobbyChange(players=((player, kept),)))


def _was_refused(asked: LobbyRequest, player: Player) -> bool:
    """Whether this remembered request was refused: anything else would have left a trace."""
    traces = player.game_id or player.waits_in or player.challenges
    return isinstance(asked, RequestToPlay) and player.item_version == 1 and not traces


def _pair(deps: ArbiterDeps, player: Player, remembered: Player, seek: Seek) -> LobbyResult:
    seek = replace(seek, avoids=kept_apart(remembered.early_ends, seek.asked_at_ms))
    pool = deps.lobby.pool(seek.terms.pool)
    rival = next_opponent(pool, seek, seek.asked_at_ms)
    if rival is None and (refusal := refuse_crowded(pool, seek, seek.asked_at_ms)):
        return LobbyResult("request-" + refusal.reason, (refusal,))
    opponent = deps.lobby.player(rival.slot) if rival else None
    pairing = pair(pool, remembered, seek, opponent, seek.asked_at_ms, deps.pairing_key)
    players: tuple[tuple[Player, Player], ...] = ((player, pairing.player),)
    if opponent and pairing.opponent:
        players = (*players, (opponent, pairing.opponent))
    elsewhere = () if player.waits_in == pool.name else leave_pool(deps.lobby, player)
    game, replies = finish_pairing(deps, pairing, seek.asked_at_ms)
    if game:
        players = (*players, *named_slots(deps.lobby, game))
    change = LobbyChange(pools=((pool, pairing.pool), *elsewhere), players=players, game=game)
    return LobbyResult("paired" if game else "queued", replies, change, game)


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
        replies = (_shown(live, asked.seat.player),) if live else ()
    elif live is None:
        replies = (*waiting_replies(deps, player), *withdrawn)
    else:
        current = GameStarted(live) if live.ply == 0 else _shown(live, asked.seat.player)
        replies = (current, *withdrawn)
    answer = _answer("duplicate", event_key, asked, replies, live)
    return replace(answer, previous=PreviousResult.ACCEPTED)


def _shown(game: Game, player_id: str) -> StateShown:
    color = game.color_of(player_id)
    return StateShown(game, WHITE if color is None else color)


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
