"""The lists of keys that are policy: the operator's (NIP-51, kind 30000), and the members of the
NIP-29 group that the policy names. A list is for the arbiter among its ``p`` tags.
"""

from arbiter.application.deps import ArbiterDeps, Contended
from arbiter.application.ports import PolicyStore
from arbiter.application.results import Result
from arbiter.application.tournaments.people import keep_people
from arbiter.core.policy import MAX_KEYS, TOO_MANY, KeyList, listed
from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes, tag_value
from arbiter.nostr.limits import MAX_AGE_SECONDS
from arbiter.nostr.nip19 import encode_npub

LISTS = {"arbiter-deny": "deny", "arbiter-allow": "allow", "arbiter-hide": "hide"}

_ATTEMPTS = 5


def is_dated_ahead(deps: ArbiterDeps, event: VerifiedEvent) -> bool:
    """Whether a list is dated further ahead than clocks are wrong by, to be newest for long."""
    return event.created_at - deps.clock.now_ms() // 1000 > MAX_AGE_SECONDS


def take_list(deps: ArbiterDeps, event: VerifiedEvent) -> Result:
    """The result of a list: the operator's newest of a name is policy. Raises ``Contended``."""
    store, name = deps.policy.store, LISTS.get(tag_value(event, "d"))
    if event.pubkey != deps.policy.operator or store is None or name is None:
        return keep_people(deps, event)
    return _taken(deps, store, event, name)


def take_members(deps: ArbiterDeps, event: VerifiedEvent) -> Result:
    """The result of a group's members (NIP-29, kind 39002), which count if the policy names the
    group: "They MUST be created by the relay master key only". Raises as `take_list`.
    """
    store, address = deps.policy.store, f"{event.kind}:{event.pubkey}:{tag_value(event, 'd')}"
    if store is None or address != deps.policy.now().group:
        return Result(status="not-for-us", event_key=event.id)
    return _taken(deps, store, event, "group")


def _taken(deps: ArbiterDeps, store: PolicyStore, event: VerifiedEvent, name: str) -> Result:
    named = {one[1] for one in all_tags(event, "p") if len(one) > 1 and is_hex_32_bytes(one[1])}
    if deps.server not in named:
        return Result(status="not-for-us", event_key=event.id)
    keys, by = frozenset(named - {deps.server}), encode_npub(event.pubkey)
    taken = KeyList(name=name, keys=keys, made_at=event.created_at, by=by)
    flaw = TOO_MANY if len(keys) > MAX_KEYS else ""
    for _ in range(_ATTEMPTS):
        before = store.load()
        after = listed(before, taken, deps.clock.now_ms(), flaw)
        if after is None:
            return Result(status="older-list", event_key=event.id)
        try:
            is_written = store.commit(before, after)
        except ValueError as error:
            if flaw:  # Not even the reason fits.
                return Result(status="list-refused", event_key=event.id)
            flaw, is_written = str(error), False
        if is_written:
            deps.policy.forget()
            return Result(status="list-refused" if flaw else "list-taken", event_key=event.id)
    raise Contended
