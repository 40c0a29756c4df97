"""A game's PGN with the chain in its comments is read by programs that know no chain."""

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import chess.pgn
import pytest

from arbiter.proof.chained_pgn import chained_pgn
from arbiter.proof.transcript import Transcript, unpack
from clients.web.scripts import HOME, installed
from tests.proof.games import file_of
from tests.proof.tampered import Kept, own_games

CHESSOPS = """
import { parsePgn, startingPosition } from "chessops/pgn";
import { parseSan } from "chessops/san";
const [game] = parsePgn(process.argv[1]);
const position = startingPosition(game.headers).unwrap();
const sans = [...game.moves.mainline()].map(({ san }) => san);
for (const san of sans) position.play(parseSan(position, san));
console.log(JSON.stringify([sans, [...game.moves.mainline()].at(-1).comments.join(" ")]));
"""


def pgn_of(game: Kept) -> str:
    transcript = unpack(file_of(game.values))
    assert isinstance(transcript, Transcript)
    return chained_pgn(transcript)


def last_link(comment: str) -> str:
    return str(re.findall(r"\[%chain ([0-9a-f]{64})\]", comment)[-1])


@pytest.fixture(scope="module")
def games() -> list[Kept]:
    return [it for it in own_games() if not it.values[-1]["shown"].startswith("0 ")]


def test_python_chess_reads_it(games: list[Kept]) -> None:
    for game in games:
        read = chess.pgn.read_game(io.StringIO(pgn_of(game)))
        assert read is not None
        *_, last = read.mainline()
        ply, uci, *_, result, _ = game.values[-1]["shown"].split(" ")

        assert read.errors == []
        assert (last.ply(), last.move.uci()) == (int(ply), uci)
        assert (read.headers["Result"], last_link(last.comment)) == (
            result,
            game.values[0]["chain"],
        )


def test_chessops_reads_it(games: list[Kept]) -> None:
    for game in games:
        command = [str(installed().node), "--input-type=module", "--eval", CHESSOPS, pgn_of(game)]
        sans, comment = json.loads(subprocess.check_output(command, cwd=HOME, text=True))

        assert len(sans) == int(game.values[-1]["shown"].split(" ")[0])
        assert last_link(comment) == game.values[0]["chain"]


@pytest.mark.skipif(not shutil.which("pgn-extract"), reason="there is no pgn-extract")
def test_pgn_extract_reads_it(games: list[Kept], tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text("\n".join(map(pgn_of, games)), encoding="utf-8")
    read = subprocess.run(
        ["pgn-extract", "games.pgn"], cwd=tmp_path, text=True, capture_output=True, check=True
    )

    assert f"{len(games)} games matched out of {len(games)}" in read.stderr
    assert all(game.values[0]["chain"] in read.stdout for game in games)
