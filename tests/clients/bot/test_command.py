"""The program's words when it cannot start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ELSEWHERE = ("--relays", "ws://127.0.0.1:9", "--server", "f" * 64)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "RELAYS="),
        ((*ELSEWHERE, "--config", "bot.toml"), "bot.toml: challenge.concurency"),
        ((*ELSEWHERE, "--config", "wide.toml"), "wide.toml is not UTF-8"),
        ((*ELSEWHERE, "--engine", "no-such-engine"), "no-such-engine"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, words: tuple[str, ...], named: str) -> None:
    (tmp_path / "bot.toml").write_text("[challenge]\nconcurency = 2\n", encoding="utf-8-sig")
    (tmp_path / "wide.toml").write_text("", encoding="utf-16")
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "clients.bot", "--key", "key", *words],
        env={**os.environ, "RUN_DIR": str(tmp_path), "PYTHONPATH": str(root)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr
