"""`clients.web.archive`: the files of pgn.jsonl, which clients/web/tests/pgn.test.ts gives to the
page, through the program; what it prints is read by python-chess, which shares nothing with it.
"""

import base64
import io
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("pgn.jsonl").read_text(encoding="utf-8").splitlines()
]


@dataclass(frozen=True)
class Done:
    """The program's output, and its exit code."""

    code: int
    out: str
    err: str


def archive(*files: Path | str) -> Done:
    command = [sys.executable, "-m", "clients.web.archive", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return Done(done.returncode, done.stdout, done.stderr)


def content(case: dict[str, Any]) -> bytes:
    return base64.b64decode(case["base64"]) if "base64" in case else case["text"].encode()


def games_in(text: str) -> Iterator[chess.pgn.Game]:
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


def flaws_of(case: dict[str, Any]) -> Sequence[str]:
    """The remarks on the games that are not printed, and on the file."""
    games = case["games"]
    numbered = [
        f"game {at}: {it['flaw']}" if len(games) > 1 else it["flaw"]
        for at, it in enumerate(games, 1)
        if "flaw" in it
    ]
    return [*numbered, *([case["flaw"]] if "flaw" in case else [])]


def test_files_of_the_wild_are_read_or_refused_as_the_page_does(tmp_path: Path) -> None:
    files = [tmp_path / f"{at:03}.pgn" for at in range(len(CASES))]
    for file, case in zip(files, CASES, strict=True):
        file.write_bytes(content(case))

    done = archive(*files)

    printed = games_in(done.out)
    for file, case in zip(files, CASES, strict=True):
        said = [line for line in done.err.splitlines() if line.startswith(f"{file}: ")]
        flaws = [line.removeprefix(f"{file}: ") for line in said if " games written" not in line]
        assert flaws == flaws_of(case), case["name"]
        for wanted in (it for it in case["games"] if "flaw" not in it):
            game = next(printed)
            sans = [node.san() for node in game.mainline()]
            assert (sans, game.headers["Result"], game.errors) == (
                wanted["moves"].split(), wanted["result"], [],
            ), case["name"]  # fmt: skip
    assert next(printed, None) is None
    assert done.code == 1


def test_a_file_that_is_whole_is_a_success(tmp_path: Path) -> None:
    file = tmp_path / "a game.pgn"
    file.write_text("1. e4 e5 2. Sf3 Sc6 *")

    done = archive(file)

    assert (done.code, done.err) == (0, f"{file}: 1 of 1 games written\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "There are no games in it."),
        ("1. e4 Ke4", "Line 1: “Ke4” is no legal move here, or one of several."),
    ],
)
def test_what_is_not_whole_is_no_success(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(text)

    done = archive(file)

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"{file}: {told}\n")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    done = archive(tmp_path, tmp_path / "none.pgn")

    assert (done.code, done.out) == (2, "")
    assert [line.split(": ")[1:3] for line in done.err.splitlines()] == [
        ["EISDIR", "illegal operation on a directory, read"],
        ["ENOENT", f"no such file or directory, open '{tmp_path / 'none.pgn'}'"],
    ]
