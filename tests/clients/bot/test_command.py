"""The program's words when it cannot start."""

import os
import subprocess
import sys
from pathlib import Path


def test_a_bot_without_an_arbiter_says_what_to_give(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clients.bot"],
        env={**os.environ, "RUN_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 2
    assert "RELAYS=" in done.stderr


def test_a_wrong_setting_and_an_unknown_engine_are_named(tmp_path: Path) -> None:
    config = tmp_path / "bot.toml"
    config.write_text("[challenge]\nconcurency = 2\n", encoding="utf-8-sig")
    wide = tmp_path / "wide.toml"
    wide.write_text("", encoding="utf-16")
    base = [sys.executable, "-m", "clients.bot", "--key", str(tmp_path / "key")]
    base += ["--relays", "ws://127.0.0.1:9", "--server", "f" * 64]
    for words, named in (
        (["--config", str(config)], f"{config}: challenge.concurency"),
        (["--config", str(wide)], f"{wide} is not UTF-8"),
        (["--engine", "no-such-engine"], "no-such-engine"),
    ):
        done = subprocess.run(
            [*base, *words], capture_output=True, text=True, timeout=30, check=False
        )
        assert done.returncode == 2
        assert named in done.stderr
        assert "Traceback" not in done.stderr
