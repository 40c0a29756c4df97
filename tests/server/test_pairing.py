"""Rounds are paired by a child process, which is killed when it is not to be waited for."""

import asyncio
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.adapters.pairing.engine import Engine
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Tournament
from server.pairing import ChildPairing
from tests.adapters.pairing.recorded import questions

_QUESTION = next(iter(questions(slice(1, 2))))
TOURNAMENT = replace(_QUESTION.tournament, field=_QUESTION.present, by_player={})


def _program(folder: Path, text: str) -> str:
    """A module that the child runs instead, which first says its process id."""
    says = f"import os, pathlib; pathlib.Path({str(folder / 'pid')!r}).write_text(str(os.getpid()))"
    (folder / "instead.py").write_text(f"{says}\n{text}")
    return "instead"


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_answers_as_the_engine_does() -> None:
    found = asyncio.run(ChildPairing().pair(TOURNAMENT))

    assert found == Engine().pair(TOURNAMENT)
    assert isinstance(found, Pairings)


@pytest.mark.parametrize(
    ("text", "seconds", "why"),
    [
        ("while True: pass", 1.0, "the engine took too long"),
        ("os._exit(9)", 60.0, "the engine ended: IncompleteReadError"),
        ("os.kill(os.getpid(), 9)", 60.0, "the engine ended: IncompleteReadError"),
        ("print('no pickle at all')", 60.0, "the engine ended: IncompleteReadError"),
        ("os.write(1, bytes((0, 0, 0, 2)) + b'no')", 60.0, "the engine ended: UnpicklingError"),
        ("os.close(0); os._exit(0)", 60.0, "the engine ended: IncompleteReadError"),
    ],
)
def test_a_child_that_hangs_or_dies_or_babbles_is_no_pairing_and_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, seconds: float, why: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    asked = ChildPairing(seconds, _program(tmp_path, text))

    found = asyncio.run(asked.pair(TOURNAMENT))

    assert found == NoPairings(TOURNAMENT.round, is_impossible=False, text=why)
    # One that was killed before it began has said nothing.
    said = (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else ""
    assert not said or not _is_alive(said)


def test_one_who_no_longer_waits_leaves_no_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    os.mkfifo(tmp_path / "pid")
    child = ChildPairing(60.0, _program(tmp_path, "while True: pass"))

    async def ask_and_go() -> str:
        task = asyncio.create_task(child.pair(TOURNAMENT))
        said = await asyncio.to_thread((tmp_path / "pid").read_text)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return said

    assert not _is_alive(asyncio.run(ask_and_go()))


_ECHO = """
import pickle, sys
while True:
    asked = pickle.load(sys.stdin.buffer)
    said = pickle.dumps((os.getpid(), asked.round))
    sys.stdout.buffer.write(len(said).to_bytes(4) + said)
    sys.stdout.buffer.flush()
"""


async def _pids(child: ChildPairing, questions: int) -> list[str]:
    """The processes that answer these, each the round that it was asked for."""
    found: list[str] = []
    for number in range(questions):
        pid, asked = await child.pair(replace(TOURNAMENT, round=number, by_player={}))  # type: ignore[misc]
        assert asked == number
        found.append(str(pid))
    return found


def test_one_process_answers_question_after_question_until_it_rested_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    child = ChildPairing(60.0, _program(tmp_path, _ECHO), kept_seconds=0.0)

    async def ask() -> tuple[list[str], bool]:
        first = await _pids(child, 3)
        (rests,) = asyncio.all_tasks() - {asyncio.current_task()}
        await rests
        return [*first, *await _pids(child, 1)], _is_alive(first[0])

    (one, *same, other), is_alive = asyncio.run(ask())

    assert (same, is_alive) == ([one, one], False)
    assert other != one
    assert not _is_alive(other), "it outlived the process that asks"


def test_a_process_that_died_at_rest_or_answered_enough_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("server.pairing.MAX_QUESTIONS", 2)
    child = ChildPairing(60.0, _program(tmp_path, _ECHO))

    async def ask() -> list[str]:
        (first,) = await _pids(child, 1)
        os.kill(int(first), 9)
        return [first, *await _pids(child, 3)]

    first, second, same, third = asyncio.run(ask())

    assert len({first, second, third}) == 3
    assert same == second
    assert not any(map(_is_alive, (first, second, third)))


def test_one_pairs_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    child, at_once, most = ChildPairing(), 0, 0

    async def answered(_: object, tournament: Tournament) -> NoPairings:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        return NoPairings(tournament.round, is_impossible=True, text="")

    monkeypatch.setattr(ChildPairing, "_answered", answered)

    async def ask_all() -> None:
        await asyncio.gather(*(child.pair(TOURNAMENT) for _ in range(5)))

    asyncio.run(ask_all())

    assert most == 1


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
def test_a_child_whose_parent_dies_ends_without_a_word(share: float) -> None:
    question = pickle.dumps(TOURNAMENT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "server.pairer"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        child.stdin.write(question[: int(len(question) * share)])
        child.stdin.close()
        said = child.stderr.read()

    assert (child.returncode, said) == (0, b"")
