"""Whoever wants an event is found by its topics."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.application.gateway.subscriptions import (
    topics_at_large,
    topics_by_name,
    topics_of_filter,
    topics_of_filters,
)
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.filters import Filter, matches
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.nostr.strategies import events_of_a_small_world, filters_of_a_small_world

GAME = "0123456789abcdef0123456789abcdef"
STATE = an_event(SERVER, 20302, tags=(("d", GAME), ("p", ALICE.pubkey), ("p", BOB.pubkey)))


def topics_of_event(event: VerifiedEvent) -> tuple[str, ...]:
    """Everywhere that a delivery looks for those who want this event."""
    return (*topics_by_name(event), *topics_at_large(event))


@given(filters_of_a_small_world, events_of_a_small_world)
@example(Filter(ids=(STATE.id,)), STATE)
@example(Filter(tags={"d": (GAME,), "p": (ALICE.pubkey,)}, kinds=(20302,)), STATE)
def test_a_filter_shares_a_topic_with_every_event_that_it_matches(
    wanted: Filter, event: VerifiedEvent
) -> None:
    topics = set(topics_of_filter(wanted))
    if matches(wanted, event) and topics:
        assert topics & set(topics_of_event(event))


@given(filters_of_a_small_world)
def test_only_a_filter_that_names_nothing_has_no_topic(wanted: Filter) -> None:
    names_something = wanted.authors or wanted.kinds or set(wanted.tags) & {"d", "p"}
    assert bool(topics_of_filter(wanted)) == bool(names_something)


@pytest.mark.parametrize(
    ("wanted", "topics"),
    [
        (Filter(kinds=(20302,), tags={"d": (GAME,), "p": (ALICE.pubkey,)}), (f"d:{GAME}",)),
        (Filter(kinds=(20302,), authors=(SERVER.pubkey,)), (f"a:{SERVER.pubkey}",)),
        (Filter(kinds=(20301, 20302, 20301)), ("k:20301", "k:20302")),
        (Filter(ids=(STATE.id,), kinds=(1,)), (f"i:{STATE.id}",)),
        (Filter(tags={"e": (STATE.id,), "d": (GAME,)}), (f"e:{STATE.id}",)),
        (Filter(tags={"t": ("chess",)}, since=1, limit=0), ()),
        (Filter(), ()),
    ],
)
def test_a_filter_is_filed_under_what_fewest_events_have(
    wanted: Filter, topics: tuple[str, ...]
) -> None:
    assert topics_of_filter(wanted) == topics


def test_a_state_is_looked_up_six_times() -> None:
    assert len(topics_of_event(STATE)) == 6


def test_several_filters_share_their_topics() -> None:
    filters = [Filter(tags={"d": (GAME,)}, kinds=(kind,)) for kind in (64, 20302)]
    assert topics_of_filters([*filters, Filter(kinds=(64,))]) == (f"d:{GAME}", "k:64")


@given(st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple), max_size=4))
def test_no_tag_however_odd_is_more_than_one_topic(tags: list[tuple[str, ...]]) -> None:
    event = an_event(ALICE, 20303, tags=tuple(tags))
    assert len(topics_of_event(event)) <= 3 + len(tags)
