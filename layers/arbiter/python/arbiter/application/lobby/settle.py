"""Requests of players settled: shown their game, put into a pool, paired, or refused."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from arbiter.application.deps import ArbiterDeps
from arbiter.application.lobby.blocks import block, is_apart_from
from arbiter.application.lobby.challenged import may_answer, of_level
from arbiter.application.lobby.challenges import (
    accept_by_asking,
    answer_challenge,
    make_challenge,
    rating_of,
    told_gone,
)
from arbiter.application.lobby.correspondence import finish_pairing
from arbiter.application.lobby.inbox import inbox, shown, waiting_challenges
from arbiter.application.play.places import has_room, placed, too_many_games
from arbiter.application.play.seating import leave_pool, named_slots
from arbiter.application.ports import LobbyChange
from arbiter.application.results import LobbyResult
from arbiter.core.early_ends import kept_apart
from arbiter.core.game import Game
from arbiter.core.pairing import (
    Place,
    Player,
    Pool,
    opponents,
    pair,
    refuse_crowded,
    refuse_early_leaver,
    remember_refusal,
)
from arbiter.core.replies import Cancelled, Challenged, Reason, Reply, RequestRefused, StateShown
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import OPEN, spelled
from arbiter.dialects.base import (
    AnswerChallenge,
    BlockPlayer,
    CancelRequests,
    LobbyRequest,
    QueryStatus,
    RequestToPlay,
)

MAX_LOOKED_FOR = 8
"""Players who have left, or block, and are looked for at one request: each is a read. Then the
others who wait are read at once, and of those who do not block as many are looked for."""

ONE_TOO_MANY = f"request-{Reason.RATE_LIMITED}"
PLAYING = f"request-{Reason.PLAYING}"


def settle_while_playing(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    live: Game,
    player: Player,
    remembered: Player,
    event_key: str,
) -> LobbyResult:
    """Show the player their game; refuse a challenge, whose answer ``started`` would seem to be."""
    if not _is_challenge(deps, asked, player):
        gone: tuple[Challenge, ...] = ()
        if isinstance(asked, CancelRequests):
            # Or they would come back, unwanted, if the game is called off.
            gone = _challenges_of(deps, remembered)
            remembered = replace(remembered, set_aside=(), sought=None)
        change = LobbyChange(
            players=((player, remembered),),
            challenges=tuple((challenge, None) for challenge in gone),
        )
        is_question = isinstance(asked, QueryStatus)
        theirs = waiting_challenges(deps, asked.seat, deps.clock.now_ms()) if is_question else ()
        told: tuple[Reply, ...] = (shown(live, asked.seat.player), *theirs, *told_gone(gone))
        return LobbyResult("shown", told, change, live)
    # Heard again after the game, it must not come true.
    change = LobbyChange(players=((player, remember_refusal(remembered, event_key)),))
    text = f"your game {live.id} goes on: finish it first"
    refusal = RequestRefused(asked.seat, Reason.PLAYING, text)
    replies: tuple[Reply, ...] = (refusal, StateShown(live, None))
    others = of_level(deps, player.id)[1:]
    if others and isinstance(asked, AnswerChallenge):
        # The challenger has waited for this program alone.
        challenge = deps.lobby.challenge(asked.challenge_id)
        seat = replace(asked.seat, player=others[0])
        replies += (Challenged(seat, challenge),) if challenge else ()
    return LobbyResult(PLAYING, replies, change, live)


def _challenges_of(deps: ArbiterDeps, player: Player) -> tuple[Challenge, ...]:
    """The challenges that a player takes back, also those that were open when their game began."""
    found = map(deps.lobby.challenge, (*player.challenges, *player.set_aside))
    return tuple(challenge for challenge in found if challenge)


def _is_challenge(deps: ArbiterDeps, asked: LobbyRequest, player: Player) -> bool:
    """Whether a challenge is made, or one that waits is accepted, not one that is gone."""
    match asked:
        case RequestToPlay(_, terms):
            return terms.opponent is not None
        case AnswerChallenge(_, challenge_id):
            challenge = deps.lobby.challenge(challenge_id)
            return challenge is not None and may_answer(deps, challenge, player.id)
        case _:
            return False


def settle(
    deps: ArbiterDeps,
    asked: LobbyRequest,
    player: Player,
    remembered: Player,
    seek: Seek,
    last: Game | None,
) -> LobbyResult:
    """Settle the request of a free player, or one who declines; ``last`` is their last game."""
    match asked:
        case CancelRequests(seat):
            free = replace(remembered, waits_in=None, challenges=(), set_aside=(), sought=None)
            gone = _challenges_of(deps, remembered)
            change = LobbyChange(
                pools=leave_pool(deps.lobby, player),
                players=((player, free),),
                challenges=tuple((challenge, None) for challenge in gone),
            )
            return LobbyResult("cancelled", (Cancelled(seat), *told_gone(gone)), change)
        case BlockPlayer():
            return block(asked, player, remembered)
        case QueryStatus():
            kept, told = inbox(deps, asked, remembered, last, seek.asked_at_ms)
            return replace(told, change=LobbyChange(players=((player, kept),)))
        case AnswerChallenge():
            settled = answer_challenge(deps, asked, player, remembered, seek, last)
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
                settled = LobbyResult(ONE_TOO_MANY, (refusal,))
            elif not has_room(deps, remembered, seat, is_slow=seek.is_slow):
                settled = LobbyResult(ONE_TOO_MANY, (too_many_games(seat),))
            elif terms.opponent is not None:
                settled = make_challenge(deps, player, remembered, seek)
            else:
                settled = accept_by_asking(deps, player, remembered, seek) or pair_or_wait(
                    deps, player, remembered, seek, seek.asked_at_ms, last
                )
            return _kept(settled, player, remembered, seek)


def _kept(settled: LobbyResult, player: Player, remembered: Player, seek: Seek) -> LobbyResult:
    return (
        kept_refused(settled, player, remembered, seek)
        if settled.status == ONE_TOO_MANY
        else settled
    )


def kept_refused(
    refused: LobbyResult, player: Player, remembered: Player, seek: Seek
) -> LobbyResult:
    """Remember a refused request: it must not come true later; a slot's own keeps its answer."""
    kept = remembered if seek.slot_id else remember_refusal(player, seek.request_id)
    return replace(refused, change=LobbyChange(players=((player, kept),)))


def pair_or_wait(
    deps: ArbiterDeps,
    player: Player,
    remembered: Player,
    seek: Seek,
    now_ms: int,
    last: Game | None = None,
) -> LobbyResult:
    """Pair this seek in its pool, or let it wait; ``last`` is the player's game, if read."""
    seek = replace(seek, avoids=kept_apart(remembered.early_ends, now_ms))
    pool = deps.lobby.pool(seek.terms.pool)
    seen, rival, opponent = _who_is_there(deps, player, pool, seek, now_ms)
    if rival is None and (refusal := refuse_crowded(pool, seek, now_ms)):
        return LobbyResult("request-" + refusal.reason, (refusal,))
    there, places = opponent, (Place.ONE, Place.ONE)
    if rival and opponent:
        is_slow = seek.is_slow
        remembered, own = placed(deps, remembered, seek.seat, is_slow=is_slow, last=last)
        there, other = placed(deps, opponent, rival.seat, is_slow=is_slow)
        places = own, other
    pairing = pair(seen, remembered, seek, rival, there, now_ms, deps.pairing_key, places)
    players: tuple[tuple[Player, Player], ...] = ((player, pairing.player),)
    if opponent and pairing.opponent:
        players = (*players, (opponent, pairing.opponent))
    elsewhere = () if player.waits_in == pool.name else leave_pool(deps.lobby, player)
    game, replies = finish_pairing(deps, pairing, now_ms)
    if game:
        players = (*players, *named_slots(deps.lobby, game))
    change = LobbyChange(pools=((pool, pairing.pool), *elsewhere), players=players, game=game)
    return LobbyResult("paired" if game else "queued", replies, change, game)


def _who_is_there(
    deps: ArbiterDeps, player: Player, pool: Pool, seek: Seek, now_ms: int
) -> tuple[Pool, Seek | None, Player | None]:
    """The pool with what was seen, and the first who is there: seek and player, unblocked."""
    looked_for: dict[str, Seek | None] = {}
    there, opponent = None, None
    apart: list[Seek] = []
    may_play = (
        other
        for other in opponents(pool, seek, now_ms)
        if not deps.policy.why_not(other.seat.player, now_ms)
    )
    near = islice(may_play, MAX_LOOKED_FOR)
    for other in chain(near, _beyond(deps, player, seek, may_play, apart)):
        is_here = _is_here(deps, other)
        looked_for[other.request_id] = found = other.seen(now_ms, is_here=is_here)
        if is_here:
            opponent = deps.lobby.player(other.slot)
            if is_apart_from(deps, player, seek, other, opponent):
                opponent = None
                apart.append(other)
                continue
            there = found
            break
    seen = (looked_for.get(one.request_id, one) for one in pool.waiting)
    return replace(pool, waiting=tuple(filter(None, seen))), there, opponent


def _beyond(
    deps: ArbiterDeps, player: Player, seek: Seek, others: Iterator[Seek], apart: list[Seek]
) -> Iterator[Seek]:
    """The ``others`` without blocks, by one read of all; none where none was ``apart``."""
    rest = [*others] if apart else []
    if not rest:
        return
    stored = deps.lobby.load_players({other.slot for other in rest})
    free = (
        other
        for other in rest
        if other.slot in stored and not is_apart_from(deps, player, seek, other, stored[other.slot])
    )
    yield from islice(free, MAX_LOOKED_FOR)


def _is_here(deps: ArbiterDeps, seek: Seek) -> bool:
    if deps.connections is None or not (seek.needs_presence and seek.seat.at_gateway):
        return True
    return deps.connections.here_since(seek.seat.player) is not None
