"""Notices told: asked by a committed move, decided by the recipient's state, and sent.

Invariant: what is told is written down before (a claim) and after, so a process that ends in
between leads to one more notice, never two. A failing one is tried a few times, and holds up
nothing.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from arbiter.application.connections import Connections
from arbiter.application.notices.asked import is_awaited
from arbiter.application.notices.change import change
from arbiter.application.policy import KnownPolicy
from arbiter.application.ports import (
    Clock,
    Games,
    Lobby,
    Messenger,
    PushService,
    Recipients,
    Timers,
)
from arbiter.application.records import NOTICE, MessageReceived, Notice, NoticeAsked, Timer
from arbiter.core.game import Game
from arbiter.core.notices import (
    OF_GAMES,
    Occasion,
    Recipient,
    Send,
    Wait,
    decide,
    path_of,
    text_of,
    with_failure,
    with_told,
    without,
    without_devices,
)
from arbiter.nostr.event import VerifiedEvent, verify
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip17 import unwrap_message
from arbiter.nostr.strict_json import write_json

_log = logging.getLogger("arbiter")

_ATTEMPTS = 5

STOP = "stop"

HOW_TO_STOP = " (Answer stop to hear no more.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeDeps:
    """All that notices need; no ``messenger`` without relays, ``connections`` with a gateway."""

    recipients: Recipients
    games: Games
    lobby: Lobby
    timers: Timers
    clock: Clock
    key: SecretKey = field(repr=False)
    policy: KnownPolicy
    public_url: str = ""
    connections: Connections | None = None
    messenger: Messenger | None = None
    push: PushService | None = None


def see_to(deps: NoticeDeps, notice: Notice) -> str:
    """See to this; one word for the log. Raises for infrastructure."""
    if not deps.policy.now().notices:
        return "notices-off"
    match notice:
        case NoticeAsked(player, occasion):
            return _tell(deps, player, occasion)
        case MessageReceived(event):
            return _answer(deps, event if isinstance(event, VerifiedEvent) else verify(event))


def _tell(deps: NoticeDeps, player: str, occasion: Occasion | None) -> str:
    for _ in range(_ATTEMPTS):
        now_ms = deps.clock.now_ms()
        before = deps.recipients.load(player)
        match decide(before, occasion, now_ms):
            case None:
                return "notice-unwanted"
            case Wait(after, at_ms):
                # Set first: one too many finds nothing to do.
                deps.timers.set((Timer(player[:32], 0, at_ms, NOTICE + player),), now_ms)
                if deps.recipients.commit(before, after):
                    return "notice-waits"
            case Send(after, occasions):
                held = _holding(deps, player, occasions, now_ms)
                claimed = without(after, [one for one in occasions if one not in held])
                if deps.recipients.commit(before, claimed):
                    return _send(deps, claimed, held) if held else "notice-superseded"
    return "notice-contended"


def _holding(
    deps: NoticeDeps, player: str, occasions: Sequence[Occasion], now_ms: int
) -> tuple[Occasion, ...]:
    """Those that still hold: the player is away, and it is their turn, or the challenge waits."""
    if _is_here(deps, player):
        return tuple(one for one in occasions if one.kind == "hello")
    games = deps.games.load_all({one.id for one in occasions if one.kind in OF_GAMES})
    return tuple(one for one in occasions if _holds(deps, player, one, games, now_ms))


def _holds(
    deps: NoticeDeps, player: str, occasion: Occasion, games: Mapping[str, Game | None], now_ms: int
) -> bool:
    if occasion.kind == "challenge":
        is_over = occasion.by_ms is not None and occasion.by_ms <= now_ms
        return not is_over and deps.lobby.challenge(occasion.id) is not None
    game = games.get(occasion.id)
    if occasion.kind == "hello" or game is None:
        return occasion.kind == "hello"
    if occasion.kind == "round":
        return game.outcome is None
    # Offers and vacations make versions of the position, and put its deadline off.
    is_present = game.position_version <= occasion.version <= game.state_version
    return is_present and is_awaited(game) and game.seat(game.turn).player == player


def _is_here(deps: NoticeDeps, player: str) -> bool:
    if deps.connections is None:
        return False
    return bool(deps.connections.here_since(player) or deps.connections.sockets_of(player))


def _send(deps: NoticeDeps, claimed: Recipient, occasions: tuple[Occasion, ...]) -> str:
    """Send over all channels of the player, and write down what came of it."""
    text = text_of(occasions, deps.public_url)
    is_taken = False
    if claimed.dm and deps.messenger is not None:
        is_taken = deps.messenger.send(claimed.player, text + HOW_TO_STOP)
    gone: set[str] = set()
    pushed = _pushed(occasions)
    for device in claimed.devices if deps.push else ():
        answer = deps.push.send(claimed.player, device, pushed) if deps.push else "failed"
        is_taken = is_taken or answer == "taken"
        gone |= {device.id} if answer == "gone" else set()
    now_ms = deps.clock.now_ms()

    def settled(one: Recipient) -> Recipient:
        if one.sending != claimed.sending:  # another process took it over
            return without_devices(one, gone)
        after = with_told if is_taken else with_failure
        return without_devices(after(one, occasions, now_ms), gone)

    after = change(deps.recipients, claimed.player, settled)
    if not is_taken and after and after.wakes_ms and after.tries:
        player = claimed.player
        deps.timers.set((Timer(player[:32], 0, after.wakes_ms, NOTICE + player),), now_ms)
    if is_taken:
        return "notice-sent"
    return "notice-failed" if after and after.tries else "notice-given-up"


def _pushed(occasions: tuple[Occasion, ...]) -> str:
    """What a browser is pushed: the text, what it replaces, and where a click leads."""
    path = path_of(occasions)
    tag = f"turn:{occasions[0].id}" if path else "turns"
    return write_json({"text": text_of(occasions, ""), "tag": tag, "url": path})


def _answer(deps: NoticeDeps, event: object) -> str:
    """Take a player's answer to a notice; only `stop` says anything."""
    message = unwrap_message(deps.key, event) if isinstance(event, VerifiedEvent) else None
    if message is None:
        return "no-message"
    if message.text.strip().rstrip(".!").lower() != STOP:
        return "message-unread"
    # One that is dated ahead must not outlast what they ask for later.
    at = min(message.at, deps.clock.now_ms() // 1000)

    def stopped(one: Recipient) -> Recipient:
        if not one.is_reachable or at < one.asked_at:
            return one
        return replace(one, dm=False, devices=(), waiting=(), wakes_ms=None, asked_at=at)

    change(deps.recipients, message.author, stopped)
    return "notices-stopped"
