"""Challenges: a seek that waits for one opponent, or for any player who has its id."""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from arbiter.application.deps import ArbiterDeps
from arbiter.application.door import are_apart
from arbiter.application.lobby.challenged import (
    DISPLACED,
    keep_for_opponent,
    may_answer,
    waiting_for,
    with_challenges,
)
from arbiter.application.play.closing import with_closing_timer
from arbiter.application.play.places import has_room, leaves_pool, placed, too_many_games
from arbiter.application.play.seating import leave_pools, named_slots
from arbiter.application.ports import LobbyChange
from arbiter.application.results import LobbyResult
from arbiter.core.game import Game, Seat
from arbiter.core.new_games import new_game
from arbiter.core.pairing import CHALLENGES_AT_ONCE, Player, refuse_early_leaver, seated
from arbiter.core.replies import (
    Cancelled,
    Challenged,
    GameStarted,
    Queued,
    Reason,
    Reply,
    RequestRefused,
)
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import OPEN, UNRATED, ColorPreference, Terms, in_range, suit
from arbiter.dialects import native
from arbiter.dialects.base import AnswerChallenge
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import has_signed, is_hex_64_bytes


def told_of(challenge: Challenge) -> tuple[Reply, ...]:
    """The replies when a challenge is made, and when they are published again."""
    queued, told = Queued(challenge.seek.seat, challenge.id), told_seat(challenge)
    return (queued, Challenged(told, challenge)) if told else (queued,)


def told_seat(challenge: Challenge) -> Seat | None:
    """The seat of the player who is told of it; None for one that is open to all."""
    seat, terms = challenge.seek.seat, challenge.seek.terms
    opponent = terms.opponent
    if opponent is None or opponent == OPEN or terms.dialect:
        # Where a log forgets nothing, the challenged player is told nothing before they ask.
        return None
    # Nothing is known of how the opponent likes to be spoken to: in the challenger's dialect, if
    # that reaches a pubkey and has a word for it.
    reaches = DIALECTS[seat.dialect].wire.is_on_relays
    return Seat(opponent, seat.dialect if reaches else native.NAME)


def told_gone(challenges: Iterable[Challenge]) -> tuple[Cancelled, ...]:
    told = ((told_seat(challenge), challenge.id) for challenge in challenges)
    return tuple(Cancelled(seat, id_) for seat, id_ in told if seat)


def waiting_replies(deps: ArbiterDeps, player: Player) -> tuple[Reply, ...]:
    """The replies to publish again for a player who waits, unless for too long."""
    lobby, now_ms = deps.lobby, deps.clock.now_ms()
    waiting = lobby.pool(player.waits_in).waiting if player.waits_in else ()
    seats = [
        Queued(seek.seat) for seek in waiting if seek.slot == player.id and not seek.is_over(now_ms)
    ]
    found = map(lobby.challenge, player.challenges)
    open_challenges = [one for one in found if one and now_ms <= one.expires_at_ms()]
    return (*seats, *(reply for challenge in open_challenges for reply in told_of(challenge)))


def make_challenge(
    deps: ArbiterDeps, player: Player, remembered: Player, seek: Seek
) -> LobbyResult:
    seat, opponent = seek.seat, seek.terms.opponent
    if opponent == seat.player:
        return _refused(seat, Reason.BAD_TERMS, "you cannot challenge yourself")
    if seek.terms.dialect and not _is_played_by_asking(seek.terms.dialect):
        return _refused(seat, Reason.BAD_TERMS, "dialect: no player asks there for a game")
    if opponent and opponent != OPEN and are_apart(deps.lobby, seat.player, opponent):
        return _refused(seat, Reason.DECLINED, "generic")
    # Where a player has many slots, their challenges are counted in the one of their own pubkey.
    keeper = deps.lobby.player(seat.player) if seek.slot_id else player
    open_challenges = with_challenges(deps, keeper, seek.asked_at_ms).challenges
    if len(open_challenges) >= CHALLENGES_AT_ONCE:
        found = map(deps.lobby.challenge, open_challenges)
        open_challenges = tuple(c.id for c in found if c and seek.asked_at_ms <= c.expires_at_ms())
    if len(open_challenges) >= CHALLENGES_AT_ONCE:
        text = f"you have {CHALLENGES_AT_ONCE} open challenges: take them back, or wait"
        return _refused(seat, Reason.RATE_LIMITED, text)
    challenge = Challenge(seek)
    kept = keep_for_opponent(deps, challenge)
    if kept is None:
        text = f"{CHALLENGES_AT_ONCE} challenges wait for this player: ask again later"
        return _refused(seat, Reason.RATE_LIMITED, text)
    counted = (*open_challenges, challenge.id)
    players: tuple[tuple[Player, Player], ...] = (
        (player, replace(remembered, challenges=counted)),
    )
    if seek.slot_id:
        own = replace(remembered, challenges=(challenge.id,))
        players = ((player, own), (keeper, replace(keeper, challenges=counted, set_aside=())))
    displaced = tuple((one, None) for one in kept.displaced)
    change = LobbyChange(
        players=(*players, *kept.players), challenges=((None, challenge), *displaced)
    )
    told = (RequestRefused(one.seek.seat, *DISPLACED, one.id) for one in kept.displaced)
    replies = (*told_of(challenge), *told, *told_gone(kept.displaced))
    return LobbyResult("challenged", replies, change)


def _refused(seat: Seat, reason: Reason, text: str) -> LobbyResult:
    return LobbyResult(f"request-{reason}", (RequestRefused(seat, reason, text),))


def _is_played_by_asking(dialect: str) -> bool:
    return dialect in DIALECTS and DIALECTS[dialect].chain is not None


def answer_challenge(
    deps: ArbiterDeps,
    asked: AnswerChallenge,
    player: Player,
    remembered: Player,
    seek: Seek,
    last: Game | None,
) -> LobbyResult:
    """Begin a challenge's game, or decline it; another's or an expired one is unknown."""
    challenge = deps.lobby.challenge(asked.challenge_id)
    if (
        challenge is None
        or not may_answer(deps, challenge, player.id)
        or seek.asked_at_ms > challenge.expires_at_ms()
    ):
        return _unknown(asked)
    stored = deps.lobby.player(challenge.seek.slot)
    challenger = with_challenges(deps, stored, seek.asked_at_ms)
    if challenge.id not in challenger.challenges:
        return _unknown(asked)
    if not asked.accepts:
        if challenge.seek.terms.opponent == OPEN:
            # Its id is public: a player who does not want it leaves it to the others.
            return _unknown(asked, "an open challenge cannot be declined: leave it to others")
        if asked.place is not None:
            return _put_off(deps, asked, player, remembered, challenge)
        return _decline(asked, player, remembered, (stored, challenger), challenge)
    refused = _refused_to_begin(deps, asked, remembered, challenger, challenge, seek)
    if refused is not None:
        return refused
    seek = replace(seek, terms=replace(challenge.seek.terms, color=ColorPreference.RANDOM))
    return _begin(deps, challenge, (player, remembered), (stored, challenger), seek, last)


def _refused_to_begin(
    deps: ArbiterDeps,
    asked: AnswerChallenge,
    accepting: Player,
    challenger: Player,
    challenge: Challenge,
    seek: Seek,
) -> LobbyResult | None:
    terms, is_slow = challenge.seek.terms, challenge.seek.is_slow
    author = challenge.seek.seat.player
    is_kept_out = deps.policy.why_not(author, seek.asked_at_ms)
    if is_kept_out or are_apart(deps.lobby, asked.seat.player, author):
        return _unknown(asked)
    if terms.opponent == OPEN and refuse_early_leaver(challenger, challenge.seek, seek.asked_at_ms):
        return _unknown(asked)
    refusal = refuse_early_leaver(accepting, seek, seek.asked_at_ms)
    if terms.opponent == OPEN and refusal:
        return LobbyResult("request-rate-limited", (refusal,))
    if terms.link_key and not _has_link(terms.link_key, challenge.id, asked):
        return _unknown(
            asked, "this challenge is for players with its link, and the proof is no proof"
        )
    if terms.rating_range and not in_range(
        terms.rating_range, rating_of(deps, accepting.id, terms)
    ):
        text = "this challenge is for other ratings"
        return _refused(asked.seat, Reason.BAD_TERMS, text)
    if not has_room(deps, accepting, asked.seat, is_slow=is_slow):
        return LobbyResult("request-rate-limited", (too_many_games(asked.seat),))
    if not has_room(deps, challenger, challenge.seek.seat, is_slow=is_slow):
        return _unknown(asked, "your opponent plays too many games now")
    return None


def accept_by_asking(
    deps: ArbiterDeps, player: Player, remembered: Player, seek: Seek
) -> LobbyResult | None:
    """Begin the first challenge's game that waits for this player to ask; or None."""
    if not seek.slot_id:
        return None
    for challenge, challenger in waiting_for(deps, seek.seat.player, seek.asked_at_ms):
        terms = challenge.seek.terms
        is_asked = terms.dialect == seek.seat.dialect and not deps.policy.why_not(
            challenge.seek.seat.player, seek.asked_at_ms
        )
        if is_asked and suit(terms, challenge.seek.rating, seek.terms, seek.rating):
            return _begin(deps, challenge, (player, remembered), challenger, seek)
    return None


def _begin(
    deps: ArbiterDeps,
    challenge: Challenge,
    accepting: tuple[Player, Player],
    challenger: tuple[Player, Player],
    seek: Seek,
    last: Game | None = None,
) -> LobbyResult:
    """The game of a challenge and this seek; both players as stored and as by now."""
    game = new_game(challenge.seek, seek, seek.asked_at_ms, deps.pairing_key)
    game = with_closing_timer(replace(game, challenge=challenge.id), deps.rules)
    one, place = placed(deps, accepting[1], seek.seat, is_slow=game.is_slow, last=last)
    other, its_place = placed(deps, challenger[1], challenge.seek.seat, is_slow=game.is_slow)
    leaving = [it for it, at in ((one, place), (other, its_place)) if leaves_pool(at, game)]
    change = LobbyChange(
        pools=leave_pools(deps.lobby, *leaving),
        players=(
            (accepting[0], seated(one, game, place=place)),
            (challenger[0], seated(other, game, taken=challenge.id, place=its_place)),
            *named_slots(deps.lobby, game),
        ),
        challenges=((challenge, None),),
        game=game,
    )
    return LobbyResult("paired", (GameStarted(game),), change, game)


def _has_link(link_key: str, challenge_id: str, asked: AnswerChallenge) -> bool:
    """Whether the player signed, with their pubkey, by the secret in the link."""
    if not is_hex_64_bytes(asked.proof):
        return False
    accepted = f"accept:{challenge_id}:{asked.seat.player}"
    return bool(has_signed(link_key, asked.proof, sha256(accepted.encode()).digest()))


def rating_of(deps: ArbiterDeps, player_id: str, terms: Terms) -> int:
    """A player's rating at the speed of these terms; the default one where games have no clock."""
    if terms.time is None:
        return UNRATED
    return round(deps.ratings.standing(player_id, terms.time.speed).rating.value)


def _put_off(
    deps: ArbiterDeps,
    asked: AnswerChallenge,
    player: Player,
    remembered: Player,
    challenge: Challenge,
) -> LobbyResult:
    """Tell the challenger their place in the line for the house. Only the house has one."""
    if player.id not in deps.house_levels:
        return _unknown(asked)
    queued = Queued(challenge.seek.seat, challenge.id, asked.place)
    return LobbyResult("put-off", (queued,), LobbyChange(players=((player, remembered),)))


def _decline(
    asked: AnswerChallenge,
    player: Player,
    remembered: Player,
    challenger: tuple[Player, Player],
    challenge: Challenge,
) -> LobbyResult:
    stored, restored = challenger
    kept = tuple(id_ for id_ in restored.challenges if id_ != challenge.id)
    change = LobbyChange(
        players=((player, remembered), (stored, replace(restored, challenges=kept))),
        challenges=((challenge, None),),
    )
    reason = asked.declined or "generic"
    declined = RequestRefused(challenge.seek.seat, Reason.DECLINED, reason, challenge.id)
    return LobbyResult("declined", (declined, Cancelled(asked.seat)), change)


def _unknown(
    asked: AnswerChallenge, text: str = "no challenge of this id waits for you"
) -> LobbyResult:
    refusal = RequestRefused(asked.seat, Reason.UNKNOWN_CHALLENGE, text)
    return LobbyResult("request-unknown-challenge", (refusal,))
