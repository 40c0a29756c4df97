"""Follow sets (NIP-51) that say who may join a tournament."""

from arbiter.application.deps import ArbiterDeps
from arbiter.application.results import Result
from arbiter.core.tournaments.terms import MAX_LIMIT
from arbiter.dialects.base import PEOPLE
from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes, tag_value


def keep_people(deps: ArbiterDeps, event: VerifiedEvent) -> Result:
    """The result of a follow set: it is kept where a tournament names it, and none is newer."""
    name = tag_value(event, "d")
    named = (tag[1] for tag in all_tags(event, "p") if len(tag) > 1)
    keys = (*filter(is_hex_32_bytes, named),)[:MAX_LIMIT]
    address = f"{PEOPLE}:{event.pubkey}:{name}"
    is_kept = deps.tournaments.keep_people(address, event.created_at, keys)
    return Result(status="people-kept" if is_kept else "people-unwanted", event_key=event.id)
