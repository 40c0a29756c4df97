"""Random values of the Nostr package, for properties that must hold whatever is sent."""

from hypothesis import strategies as st

from arbiter.nostr.event import EventTemplate, Tag, VerifiedEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.limits import MAX_CREATED_AT, MAX_KIND

# Where writers of JSON have been known to differ, far oftener than chance would bring it up.
_AWKWARD = st.sampled_from(
    [
        *map(chr, range(0x20)),
        *'"\\/\x7f\x80\x85\u2028\u2029\ufeff\ufffd\ufffe\uffff\u0301\u200d\u202e',
        *"\u00e9\ud7ff\ue000\U0001f600\U0010ffff",
    ]
)
_CHARACTERS = st.one_of(_AWKWARD, st.characters(exclude_categories=["Cs"]))

texts = st.text(_CHARACTERS, max_size=40)
tags = st.lists(st.lists(texts, min_size=1, max_size=4).map(tuple[str, ...]), max_size=5).map(
    tuple[Tag, ...]
)
seckeys = st.binary(min_size=32, max_size=32).map(
    # The first byte keeps the number below the order of the curve, the last above zero.
    lambda entropy: SecretKey.generate(b"\x7f" + entropy[1:-1] + b"\x01")
)
templates = st.builds(
    EventTemplate,
    kind=st.integers(0, MAX_KIND),
    tags=tags,
    content=texts,
    created_at=st.integers(0, MAX_CREATED_AT),
)
signed_events = st.builds(SecretKey.sign, seckeys, templates)

# A world small enough that filters and events meet: three authors, three kinds, five seconds.
_AUTHORS = [SecretKey.generate(bytes([number]) * 32) for number in (1, 2, 3)]
_KINDS = (1, 64, 20303)
_LETTERS = ("d", "p", "t")
_VALUES = ("00" * 32, "11" * 32, "22" * 32)
_SECONDS = st.integers(100, 104)


def _signed(author: SecretKey, kind: int, its_tags: tuple[Tag, ...], second: int) -> VerifiedEvent:
    return author.sign(EventTemplate(kind, its_tags, "", second))


_few_tags = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(_LETTERS), st.sampled_from(_VALUES)),
        # Only the first value counts; this one comes after it.
        st.tuples(st.sampled_from(_LETTERS), st.just("x"), st.sampled_from(_VALUES)),
        st.tuples(st.sampled_from(_LETTERS)),
    ),
    max_size=3,
).map(tuple[Tag, ...])
events_of_a_small_world = st.builds(
    _signed, st.sampled_from(_AUTHORS), st.sampled_from(_KINDS), _few_tags, _SECONDS
)


def _some_of(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple[str, ...])


filters_of_a_small_world = st.builds(
    Filter,
    authors=_some_of(tuple(author.pubkey for author in _AUTHORS)),
    kinds=st.lists(st.sampled_from(_KINDS), max_size=2, unique=True).map(tuple[int, ...]),
    tags=st.dictionaries(
        st.sampled_from(_LETTERS),
        st.lists(st.sampled_from(_VALUES), min_size=1, max_size=2, unique=True).map(
            tuple[str, ...]
        ),
        max_size=2,
    ),
    since=st.none() | _SECONDS,
    until=st.none() | _SECONDS,
    limit=st.none() | st.integers(0, 500),
)
