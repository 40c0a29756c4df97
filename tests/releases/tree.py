"""The tree of an older release, out of the repository's history.

The law: it is the tree as it was committed, in a folder of its own; the one we work in is not
touched, and nothing is fetched.
"""

import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from local.settings import ROOT

COMMITS_BACK = 100
"""How far back the other release is where there is no tag: enough for every part to have changed,
and few enough for it to have the table of today.
"""


class NoSuchRelease(Exception):
    """There is nothing of that name to run against; the text is a line for a person."""


class HistoryTooShort(Exception):
    """The history that is here does not go back so far; the text is a line for a person."""


@dataclass(frozen=True, slots=True)
class Release:
    """A commit, and how it was chosen, in few words."""

    commit: str
    chosen: str


def release_named(ref: str, root: Path = ROOT) -> Release:
    """The release of this name; where it is empty, the last tag, or else the commit so many back.

    Raises NoSuchRelease, or HistoryTooShort where nothing was named.
    """
    if ref:
        commit = _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if not commit:
            raise NoSuchRelease(f"OLD={ref} is no commit of this repository.")
        return Release(commit, ref)
    tag = _git(root, "describe", "--tags", "--abbrev=0", "HEAD^")
    if tag:
        return Release(_git(root, "rev-parse", f"{tag}^{{commit}}"), f"the last tag, {tag}")
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"HEAD~{COMMITS_BACK}^{{commit}}")
    if not commit:
        raise HistoryTooShort(
            f"There is no tag, and the history here has no {COMMITS_BACK} commits to go back. "
            "Fetch all of it, or name a release: OLD=<commit>"
        )
    return Release(commit, f"{COMMITS_BACK} commits back, for there is no tag")


def exported(release: Release, folder: Path, root: Path = ROOT) -> Path:
    """This release's files in this folder, which is made; the folder. What our own tree has
    installed is lent to it, so that it can be built.
    """
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    subprocess.run(
        ("git", "archive", "--format=tar", f"--output={archive}", release.commit),
        cwd=root,
        check=True,
    )
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    archive.unlink()
    (folder / ".venv").symlink_to(root / ".venv")
    return folder


def _git(root: Path, *arguments: str) -> str:
    """What git says to this; nothing where it refuses."""
    done = subprocess.run(
        ("git", *arguments), cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""
