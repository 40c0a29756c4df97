"""One feed has our peer keep only so much, and stands in nobody's way."""

import json
import os
import subprocess

import pytest

from bridge.peer_process import TOOL
from tests.bridge.peers import needs_peer
from tests.template.source import ROOT

pytestmark = [needs_peer, pytest.mark.slow]


def test_whoever_says_much_is_kept_in_bounds_and_others_are_heard() -> None:
    script = ROOT / "tests" / "bridge" / "bounds.js"
    told = subprocess.check_output(
        (TOOL / "bin" / "node", script),
        env={**os.environ, "NODE_PATH": str(TOOL / "node_modules")},
    )

    kept = json.loads(told)
    assert kept == {
        "games": 5002,
        "changes": 20,
        "isHeard": True,
        "strangers": 5001,
        "isLatestWanted": True,
        "isSpeakerWanted": True,
        "isNewcomerWanted": True,
    }


@pytest.fixture(scope="module")
def crowded() -> dict[str, dict[str, bool | int]]:
    """What crowd.js tells."""
    script = ROOT / "tests" / "bridge" / "crowd.js"
    told = subprocess.check_output(
        (TOOL / "bin" / "node", script),
        env={**os.environ, "NODE_PATH": str(TOOL / "node_modules")},
        timeout=60,
    )
    return json.loads(told)  # type: ignore[no-any-return]


@pytest.mark.parametrize("when", ["crowded", "again"])
def test_made_up_feeds_that_invite_us_once_push_out_nobody_who_plays(
    when: str, crowded: dict[str, dict[str, bool | int]]
) -> None:
    wanted = crowded[when]

    assert wanted.pop("all") in range(9_000, 10_001)
    assert {who for who, is_wanted in wanted.items() if is_wanted} == {
        "who plays us",
        "who offered a draw",
        "who said a false end and played on",
        "who plays another",
        "his opponent",
        "who was silent long in his game",
        "whom we follow",
        "who was heard again",
        "the latest",
    }
    assert {who for who, is_wanted in wanted.items() if not is_wanted} == {
        "who waits in vain",
        "who resigned",
        "whose game we ended",
        "who was judged",
        "his judged opponent",
        "who only follows us",
        "the first",
    }


def test_where_all_play_only_who_was_silent_longest_gives_way(
    crowded: dict[str, dict[str, bool | int]],
) -> None:
    assert crowded["allPlay"] == {
        "all": 10_000,
        "who plays us": True,
        "who was silent long in his game": False,
        "the latest": True,
        "one too many": False,
    }


def test_whose_game_begins_is_asked_for_again(
    crowded: dict[str, dict[str, bool | int]],
) -> None:
    assert crowded["begun"] == {"before": False, "since": True}
