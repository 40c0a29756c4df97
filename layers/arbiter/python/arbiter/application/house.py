"""House players of an arbiter that has them play itself: who is asked, and what they are told.
Their answers are signed events that join the queues as any player's.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from arbiter.application.intake.queue_messages import parse_house, queue_entry
from arbiter.application.intake.routing import route
from arbiter.application.lobby.challenged import slot_of_challenges
from arbiter.application.ports import Clock, EventQueue, Games, Lobby, QueueRejected
from arbiter.application.records import HouseRequest
from arbiter.application.reply.render import date_change
from arbiter.core.game import Game, Seat
from arbiter.core.pairing import Player
from arbiter.core.replies import Challenged
from arbiter.core.seeks import Challenge
from arbiter.dialects import native
from arbiter.dialects.base import ReplyContext
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.house import HousePlayer, key_of
from arbiter.nostr.keys import SecretKey


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """An event of the arbiter as it would sign it, and since when (unix ms) it is so."""

    event: EventTemplate
    since_ms: int


MAX_LINE = 16
"""Challenges that wait in line while all programs of a level play."""


@dataclass(frozen=True, slots=True)
class Question:
    """The last of ``known_events`` is to be answered. ``work``: bits of NIP-13 for requests.
    ``place``: of a challenge in line, which is told; 0: it may be accepted.
    """

    pubkey: str
    level: int
    server: str
    known_events: tuple[KnownEvent, ...]
    work: int
    place: int = 0


Answer = Callable[[Question], Iterable[EventTemplate]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseDeps:
    """``server_key`` is the arbiter's, of which those of the ``house`` are derived."""

    games: Games
    lobby: Lobby
    clock: Clock
    queue: EventQueue
    server_key: SecretKey = field(repr=False)
    house: tuple[HousePlayer, ...]
    work_of_strangers: int = 0


def answer_house_request(deps: HouseDeps, body: str, answer: Answer) -> str:
    """Put the player's answers into the queues; one word for the log. What is asked is read now, so
    a late request asks about the present. Raises ``QueueRejected``, and for infrastructure.
    """
    request = parse_house(body)
    if request is None:
        return "unreadable"
    asked = next((one for one in deps.house if one.pubkey == request.player), None)
    known = _one_who_is_free(deps, asked) if asked and request.challenge_id else asked
    key = key_of(deps.server_key, known) if known else None
    if known is None or key is None:
        return "not-ours"
    questions = _questions(deps, request, known)
    events = [key.sign(template) for question in questions for template in answer(question)]
    now_ms = deps.clock.now_ms()
    routed = ((event, route(event)) for event in events)
    entries = [
        queue_entry(event, target.queue, target.group_id, now_ms, at_gateway=True)
        for event, target in routed
        if target is not None
    ]
    if entries and deps.queue.send(entries):
        raise QueueRejected
    return "answered" if entries else "nothing-to-answer"


def _one_who_is_free(deps: HouseDeps, asked: HousePlayer) -> HousePlayer:
    """The program that is challenged, or one of its level without a game, if any."""
    same = [one for one in deps.house if one.level == asked.level and one != asked]
    return next((one for one in (asked, *same) if not _plays(deps, one)), asked)


def _plays(deps: HouseDeps, one: HousePlayer) -> bool:
    game_id = deps.lobby.player(one.pubkey).game_id
    game = deps.games.load(game_id) if game_id else None
    return game is not None and game.outcome is None


def _questions(deps: HouseDeps, request: HouseRequest, known: HousePlayer) -> list[Question]:
    """The questions for this program; after the end of its game, for those in line as well."""
    player = deps.lobby.player(known.pubkey)
    work = deps.work_of_strangers if player.item_version == 0 else 0

    def asked(place: int, *events: KnownEvent) -> list[Question]:
        server = deps.server_key.pubkey
        return [Question(known.pubkey, known.level, server, events, work, place)] if events else []

    is_playing = _plays(deps, known)
    if request.challenge_id and is_playing:
        line = _line(deps, known)
        place = next((at for at, it in enumerate(line, 1) if it.id == request.challenge_id), 0)
        if 0 < place <= MAX_LINE:
            return asked(place, _challenged(deps, player, line[place - 1]))
    questions = asked(0, *_known_events(deps, request, player))
    game = deps.games.load(request.game_id) if request.game_id else None
    # The offer of a rematch comes first.
    if not is_playing and game is not None and game.offer is None:
        for place, challenge in enumerate(_line(deps, known)[: MAX_LINE + 1]):
            questions += asked(place, _challenged(deps, player, challenge))
    return questions


def _line(deps: HouseDeps, known: HousePlayer) -> list[Challenge]:
    same = [one.pubkey for one in deps.house if one.level == known.level]
    slots = (deps.lobby.player(slot_of_challenges(pubkey)) for pubkey in same)
    found = (deps.lobby.challenge(id_) for slot in slots for id_ in slot.challenges)
    fresh = [it for it in found if it and deps.clock.now_ms() <= it.expires_at_ms()]
    # The challenges of one who has begun another game are set aside.
    waiting = [it for it in fresh if it.id in deps.lobby.player(it.seek.slot).challenges]
    return sorted(waiting, key=lambda it: it.seek.asked_at_ms)


def _known_events(deps: HouseDeps, request: HouseRequest, player: Player) -> tuple[KnownEvent, ...]:
    """Nothing if there is nothing to answer any more."""
    now_ms, server = deps.clock.now_ms(), deps.server_key.pubkey
    own = deps.games.load(player.game_id) if player.game_id else None
    if own is not None and own.outcome is not None and own.id != request.game_id:
        own = None
    known = () if own is None else (_state(own, now_ms, server),)
    if request.game_id is not None:
        if own is not None and own.id == request.game_id:
            return known
        game = deps.games.load(request.game_id)
        return () if game is None else (*known, _state(game, now_ms, server))
    challenge = deps.lobby.challenge(request.challenge_id or "")
    if challenge is None:
        return ()
    return (*known, _challenged(deps, player, challenge))


def _challenged(deps: HouseDeps, player: Player, challenge: Challenge) -> KnownEvent:
    reply, now_ms = Challenged(Seat(player.id, native.NAME), challenge), deps.clock.now_ms()
    at, server = now_ms // 1000, deps.server_key.pubkey
    context = ReplyContext(colors=frozenset(), event_key="", at=at, answered_at=at, server=server)
    return KnownEvent(native.answer_to_request(reply, context), now_ms)


def _state(game: Game, now_ms: int, server: str) -> KnownEvent:
    event = native.state(game, date_change(game.changed_at_ms, now_ms), server)
    return KnownEvent(event, game.position_since_ms)
