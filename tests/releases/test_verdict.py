"""That the judge of mixed releases sees what he is there to see, and that a release is found."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.chaos.played import Played, positions
from tests.releases.played import Phase
from tests.releases.tree import HistoryTooShort, NoSuchRelease, exported, release_named
from tests.releases.verdict import broken, disagreements, idle, row, served_from

SCRIPT = ("e2e4", "e7e5")
A_GATEWAY = "arbiter-GatewayFunction-1"
HALF = Phase("half", 5)
OLD_ALONE = Phase("old", 0)


def a_line(phase: Phase, release: str, event: str, *, made_move: bool) -> str:
    played = [event] if event else []
    told = {"played": played, "failures": [], "made_move": made_move, "function": A_GATEWAY}
    return json.dumps({"phase": phase.name, "release": release, **told})


def test_a_release_that_made_no_move_where_it_should_have_is_named() -> None:
    both = [a_line(HALF, release, f"e{release}", made_move=True) for release in "12"]

    assert idle([HALF], served_from(both)) == []
    assert idle([HALF], served_from(both[:1])) == [
        "the new release did not serve each wire in “half”"
    ]
    assert idle([HALF], served_from([*both[1:], a_line(HALF, "1", "", made_move=True)])) == [
        "the old release did not serve each wire in “half”"
    ]


def test_a_release_that_served_where_it_should_not_is_named() -> None:
    lines = [a_line(OLD_ALONE, release, "e", made_move=True) for release in "12"]

    assert idle([OLD_ALONE], served_from(lines)) == ["the new release served in “old”"]


def test_a_move_that_was_told_again_counts_once() -> None:
    lines = [a_line(HALF, "1", "same", made_move=False) for _ in range(2)]

    assert row(HALF, served_from(lines), 7) == "| half | 5 | 2, 0 | 1, 0 | 0, 0 | 2, 0 | 7 |"


def test_two_states_of_one_ply_are_seen() -> None:
    fens = positions(SCRIPT)
    whole = Played(SCRIPT, frozenset(enumerate(fens)), SCRIPT)
    torn = Played(SCRIPT, frozenset([*enumerate(fens), (1, fens[2])]), SCRIPT)

    assert broken([("whole", whole)]) == []
    assert broken([("torn", torn)]) == ["torn: 1 lost, 0 twice, 1 told in two ways"]


def test_what_the_releases_read_differently_or_find_amiss_is_named() -> None:
    good = {"moves": ["e2e4"], "flaw": None}

    assert disagreements({"g#1": good}, {"g#1": good}) == []
    assert len(disagreements({"g#1": good}, {"g#1": {**good, "moves": []}})) == 1
    assert len(disagreements({}, {"g#1": good})) == 1
    assert len(disagreements({"g#1": {"unreadable": "KeyError"}}, {"g#1": good})) == 1
    flawed = {**good, "flaw": "has an illegal move at ply 1"}
    assert disagreements({"g#1": flawed}, {"g#1": flawed}) == [f"g#1 is amiss: {flawed}"]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A repository of two commits, without a tag."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    for text in ("first", "second"):
        (folder / "file").write_text(text)
        git(folder, "add", "file")
        git(folder, *AS_SOMEBODY, "commit", "-q", "-m", text)
    return folder


AS_SOMEBODY = (
    *("-c", "user.name=somebody", "-c", "user.email=somebody@example.com"),
    *("-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"),
)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=folder, check=True)


def test_a_short_history_without_a_tag_has_no_older_release(history: Path) -> None:
    with pytest.raises(HistoryTooShort, match="no 100 commits"):
        release_named("", history)


def test_the_last_tag_before_this_commit_is_the_older_release(history: Path) -> None:
    git(history, *AS_SOMEBODY, "tag", "v1", "HEAD^")

    assert release_named("", history).chosen == "the last tag, v1"
    assert release_named("", history).commit == release_named("HEAD^", history).commit


def test_a_name_that_is_no_commit_is_refused(history: Path) -> None:
    with pytest.raises(NoSuchRelease, match="OLD=v9"):
        release_named("v9", history)


def test_the_older_tree_is_as_it_was_committed(history: Path, tmp_path: Path) -> None:
    tree = exported(release_named("HEAD^", history), tmp_path / "old", history)

    assert (tree / "file").read_text() == "first"
    assert (history / "file").read_text() == "second"
