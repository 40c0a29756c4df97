"""The operator's lists of keys (NIP-51, kind 30000), which any client that edits lists can change.

A list is for the arbiter that is among its ``p`` tags: the arbiter's own key is no member of it.
"""

from arbiter.application.deps import ArbiterDeps, Contended
from arbiter.application.results import Result
from arbiter.application.tournaments.people import keep_people
from arbiter.core.policy import listed
from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes, tag_value
from arbiter.nostr.nip19 import encode_npub

LISTS = {"arbiter-deny": "deny", "arbiter-allow": "allow", "arbiter-hide": "hide"}

_ATTEMPTS = 5


def take_list(deps: ArbiterDeps, event: VerifiedEvent) -> Result:
    """The result of a list: the operator's newest of its name is the policy. Raises ``Contended``,
    and for infrastructure.
    """
    store, name = deps.policy.store, LISTS.get(tag_value(event, "d"))
    if event.pubkey != deps.policy.operator or store is None or name is None:
        return keep_people(deps, event)
    named = {one[1] for one in all_tags(event, "p") if len(one) > 1 and is_hex_32_bytes(one[1])}
    if deps.server not in named:
        return Result(status="not-for-us", event_key=event.id)
    keys, by = frozenset(named - {deps.server}), encode_npub(event.pubkey)
    for _ in range(_ATTEMPTS):
        before = store.load()
        after = listed(before, name, keys, event.created_at, deps.clock.now_ms(), by)
        if after is None:
            return Result(status="older-list", event_key=event.id)
        if store.commit(before, after):
            deps.policy.forget()
            return Result(status="list-taken", event_key=event.id)
    raise Contended
