"""Under which names a subscription is filed, and under which an event is looked up.

The law: **if a filter matches an event, they share a topic.** So whoever wants an event is found by
a few look-ups, however many are connected, and nobody is found by going through them all. The
converse does not hold: sharing a topic is a reason to look at the filter, not to deliver.

A filter is filed under the values of one constraint, the one that fewest events meet; all of its
constraints must hold, so any one of them would do. Every look-up is paid by every event, so a
constraint that is not worth one (``#t``, ``since``) is only looked at when filters are compared.
That leaves filters that name nothing which is looked up, such as ``{}``. They have no topics and
are refused: one more look-up for every move of every game would be the price of a question that
nobody has, and who wants all of one kind can say so.
"""

from collections.abc import Callable, Sequence

from arbiter.nostr.event import NostrEvent, VerifiedEvent
from arbiter.nostr.filters import Filter

TAGS_LOOKED_UP = ("e", "d", "p")
"""The most selective first: an event is answered once or twice, a game has a few hundred, a player
thousands.
"""

_MOST_SELECTIVE_FIRST: tuple[tuple[str, Callable[[Filter], Sequence[str | int]]], ...] = (
    ("i", lambda wanted: wanted.ids),
    ("e", lambda wanted: wanted.tags.get("e", ())),
    ("d", lambda wanted: wanted.tags.get("d", ())),
    ("p", lambda wanted: wanted.tags.get("p", ())),
    ("a", lambda wanted: wanted.authors),
    ("k", lambda wanted: wanted.kinds),
)


def topics_of_filter(wanted: Filter) -> tuple[str, ...]:
    """Where to file a subscription with this filter; nothing for one that names nothing we look up.

    Each topic is a letter, a colon and a value, which may be as long as a frame allows.
    """
    for letter, values_of in _MOST_SELECTIVE_FIRST:
        if values := values_of(wanted):
            return tuple(f"{letter}:{value}" for value in dict.fromkeys(values))
    return ()


def topics_of_filters(filters: Sequence[Filter]) -> tuple[str, ...]:
    """Where to file a subscription with these filters, each topic once."""
    return tuple(dict.fromkeys(topic for one in filters for topic in topics_of_filter(one)))


def topics_by_name(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """Where those are filed who asked for this very event, its game or its players."""
    tagged = (
        f"{tag[0]}:{tag[1]}" for tag in event.tags if len(tag) > 1 and tag[0] in TAGS_LOOKED_UP
    )
    return tuple(dict.fromkeys((f"i:{event.id}", *tagged)))


def topics_at_large(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """Where those are filed who asked for all of an author's or all of a kind, whatever the game:
    one place for everybody, and it may be crowded.
    """
    return (f"a:{event.pubkey}", f"k:{event.kind}")
