"""The tournaments that a listener follows, newest first: who answers their calendar event (NIP-52)
need not name the arbiter, and the list of those who may join (NIP-51) names people alone. They are
learned from relays, which keep what the arbiter publishes.
"""

from collections import OrderedDict
from collections.abc import Iterator

from arbiter.dialects.base import CALENDAR_EVENT, PEOPLE, RSVP, TOURNAMENT
from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, tag_value, verify
from arbiter.nostr.filters import Filter

MAX_TOURNAMENTS = 50
"""The values of a tag in one filter that relays take."""

_MAX_KNOWN = 500


class FollowedTournaments:
    """``server`` is the arbiter's pubkey (64 hex digits). Not thread-safe."""

    def __init__(self, server: str) -> None:
        self._server = server
        # Of each tournament the date of its latest event, for relays may show an older one, the
        # address that it waits to hear of, empty for none, and the version since which it does.
        self._known: OrderedDict[str, tuple[int, str, int]] = OrderedDict()

    def shown(self, since: int | None) -> Filter:
        """The filter of the arbiter's own events about tournaments since then (unix seconds)."""
        return Filter(kinds=(TOURNAMENT,), authors=(self._server,), since=since, limit=_MAX_KNOWN)

    def filters(self, asked: int, recent: int) -> Iterator[Filter]:
        """Filters of what tournaments need: of those after ``asked`` all, else the ``recent``."""
        followed = self._followed()
        for since, are_new in ((recent, False), (None, True)):
            named = [
                address.split(":", 2)
                for address, version in followed.items()
                if (version > asked) is are_new
            ]
            if events := tuple(":".join(one) for one in named if one[0] == str(CALENDAR_EVENT)):
                yield Filter(kinds=(RSVP,), tags={"a": events}, since=since, limit=_MAX_KNOWN)
            if sets := [one for one in named if one[0] == str(PEOPLE)]:
                authors, names = ({one[at] for one in sets} for at in (1, 2))
                yield Filter(
                    kinds=(PEOPLE,), authors=(*authors,), tags={"d": (*names,)}, since=since
                )

    def learn(self, event: NostrEvent, version: int) -> bool:
        """Follow the tournament that this event shows, or leave it; whether to ask for more."""
        if event.kind != TOURNAMENT or event.pubkey != self._server:
            return False
        tournament_id = tag_value(event, "d")
        known_at, known, followed_since = self._known.get(tournament_id, (-1, "", 0))
        if event.created_at <= known_at or not isinstance(verify(event), VerifiedEvent):
            return False
        awaited = self._awaited(event, tournament_id)
        is_new = awaited not in ("", known)
        since = version if is_new else followed_since
        self._known[tournament_id] = (event.created_at, awaited, since)
        if len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
        return is_new

    def wants(self, event: NostrEvent) -> bool:
        """Whether the event answers a tournament that is followed, or says who may join one."""
        if event.kind not in (RSVP, PEOPLE):
            return False
        own = f"{PEOPLE}:{event.pubkey}:{tag_value(event, 'd')}"
        named = {tag[1] for tag in all_tags(event, "a") if len(tag) > 1}
        return not (named if event.kind == RSVP else {own}).isdisjoint(self._followed())

    def _awaited(self, event: NostrEvent, tournament_id: str) -> str:
        if tag_value(event, "status") not in ("open", "playing"):
            return ""
        if tag_value(event, "entry") == "rsvp":
            return f"{CALENDAR_EVENT}:{self._server}:{tournament_id}"
        address = tag_value(event, "allowed")
        return address if address.startswith(f"{PEOPLE}:") and address.count(":") > 1 else ""

    def _followed(self) -> dict[str, int]:
        """The addresses that are waited for, and the version since which each is."""
        awaited = {address: since for _, address, since in self._known.values() if address}
        return dict([*awaited.items()][-MAX_TOURNAMENTS:])
