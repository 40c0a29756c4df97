"""A player's wish to be told that it is their turn, and how."""

from collections.abc import Callable
from dataclasses import replace

from arbiter.application.deps import ArbiterDeps, Contended
from arbiter.application.ports import Recipients
from arbiter.application.records import NoticeAsked
from arbiter.application.results import Result
from arbiter.core.notices import (
    MAX_DEVICES,
    Device,
    Occasion,
    Recipient,
    with_device,
    without_devices,
)
from arbiter.core.replies import NoticesChanged, Reason, RequestRefused
from arbiter.dialects.base import ChangeNotices
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip13 import committed_work

CHANGES_AN_HOUR = 30

_ATTEMPTS = 5


def change_notices(deps: ArbiterDeps, asked: ChangeNotices, event: VerifiedEvent) -> Result:
    store = deps.recipients
    refused = _refusal(deps, asked, event)
    if refused or store is None:
        return _answer(
            asked, event, refused or _refused(asked, Reason.NOT_OFFERED_HERE, "no notices")
        )
    if asked.channel == "push" and asked.is_wanted and not store.push_key:
        text = "no pushes are sent here"
        return _answer(asked, event, _refused(asked, Reason.NOT_OFFERED_HERE, text))
    if asked.channel is None:
        return _answer(asked, event, _shown(asked, store.load(event.pubkey), store))
    # One that is dated ahead must not outlast what they ask for later.
    at = min(event.created_at, deps.clock.now_ms() // 1000)
    after = change(store, event.pubkey, lambda before: _changed(before, asked, at))
    if after is None:
        text = f"{MAX_DEVICES} devices are told already: take one out first"
        return _answer(asked, event, _refused(asked, Reason.FULL, text))
    answer = _answer(asked, event, _shown(asked, after, store))
    if not asked.is_wanted:
        return answer
    return replace(answer, notices=(NoticeAsked(event.pubkey, Occasion("hello", event.id[:32])),))


def change(
    store: Recipients, player: str, changed: Callable[[Recipient], Recipient | None]
) -> Recipient | None:
    """Write what becomes of this player, or None. Raises ``Contended``, and for infrastructure."""
    for _ in range(_ATTEMPTS):
        before = store.load(player)
        after = changed(before)
        if after is None or after == before or store.commit(before, after):
            return after
    raise Contended


def _changed(before: Recipient, asked: ChangeNotices, at: int) -> Recipient | None:
    """The player after this request, signed then (unix s); None for one device too many."""
    if at < before.asked_at:
        return before
    if asked.channel == "dm":
        return replace(before, dm=asked.is_wanted, asked_at=at)
    if asked.is_wanted:
        after = with_device(before, Device(asked.device, asked.sealed))
        return after and replace(after, asked_at=at)
    return replace(without_devices(before, {asked.device}), asked_at=at)


def _refusal(
    deps: ArbiterDeps, asked: ChangeNotices, event: VerifiedEvent
) -> RequestRefused | None:
    now_ms = deps.clock.now_ms()
    if deps.notices is None or not deps.policy.now().notices:
        return _refused(asked, Reason.NOT_OFFERED_HERE, "this arbiter sends no notices")
    if asked.flaw:
        return _refused(asked, Reason.BAD_TERMS, asked.flaw)
    is_new = not deps.lobby.player(event.pubkey).item_version
    if is_new and committed_work(event) < deps.rules.work_of_strangers:
        return _refused(asked, Reason.POW, str(deps.rules.work_of_strangers))
    if deps.rate_limits is not None and not deps.rate_limits.take(
        f"notify:{event.pubkey}", CHANGES_AN_HOUR, 3600, now_ms
    ):
        return _refused(
            asked, Reason.RATE_LIMITED, f"{CHANGES_AN_HOUR} changes an hour are the most"
        )
    return None


def _refused(asked: ChangeNotices, reason: Reason, text: str) -> RequestRefused:
    return RequestRefused(asked.seat, reason, text)


def _shown(asked: ChangeNotices, one: Recipient, store: Recipients) -> NoticesChanged:
    devices = tuple(device.id for device in one.devices)
    return NoticesChanged(asked.seat, one.dm, devices, store.push_key)


def _answer(
    asked: ChangeNotices, event: VerifiedEvent, reply: NoticesChanged | RequestRefused
) -> Result:
    status = f"request-{reply.reason}" if isinstance(reply, RequestRefused) else "notices-changed"
    return Result(status=status, replies=(reply,), event_key=event.id, dialect=asked.seat.dialect)
