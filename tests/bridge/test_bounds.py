"""Bounds on one feed, and on the number of feeds, that our peer keeps."""

import pytest

from tests.bridge.peers import needs_peer, script

pytestmark = [needs_peer, pytest.mark.slow]

Crowd = dict[str, dict[str, bool | int]]


def test_a_feed_that_publishes_much_is_bounded_and_others_are_received() -> None:
    assert script("bounds.js") == {
        "games": 5002,
        "changes": 20,
        "isHeard": True,
        "strangers": 5001,
        "isLatestWanted": True,
        "isSpeakerWanted": True,
        "isNewcomerWanted": True,
    }


@pytest.fixture(scope="module")
def crowded() -> Crowd:
    crowd: Crowd = script("crowd.js")
    return crowd


@pytest.mark.parametrize("when", ["crowded", "again"])
def test_made_up_feeds_that_invite_us_once_displace_no_player(when: str, crowded: Crowd) -> None:
    wanted = crowded[when]

    assert wanted.pop("all") in range(9_000, 10_001)
    assert {who for who, is_wanted in wanted.items() if is_wanted} == {
        "who plays us",
        "who offered a draw",
        "who said a false end and played on",
        "who plays another",
        "their opponent",
        "who was silent long in their game",
        "whom we follow",
        "who was heard again",
        "the latest",
    }
    assert {who for who, is_wanted in wanted.items() if not is_wanted} == {
        "who waits in vain",
        "who resigned",
        "whose game we ended",
        "who was judged",
        "their judged opponent",
        "who only follows us",
        "the first",
    }


def test_among_players_the_one_silent_longest_is_displaced(crowded: Crowd) -> None:
    assert crowded["allPlay"] == {
        "all": 10_000,
        "who plays us": True,
        "who was silent long in their game": False,
        "the latest": True,
        "one too many": False,
    }


def test_a_feed_whose_game_begins_is_replicated_again(crowded: Crowd) -> None:
    assert crowded["begun"] == {"before": False, "since": True}
