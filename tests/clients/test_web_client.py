"""The web client's own tests, which Node runs."""

import re
import subprocess
import sys

from arbiter.core.game import Termination
from tests.template.source import ROOT


def test_the_web_client_passes_its_own_tests() -> None:
    command = [sys.executable, "-m", "clients.web.scripts", "test"]

    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "fail 0" in done.stdout


def test_every_termination_has_its_words() -> None:
    # What a language lacks beside English does not compile.
    english = (ROOT / "clients/web/src/texts/en.ts").read_text(encoding="utf-8")

    assert {*Termination} - {*re.findall(r'"end\.(?:draw\.)?([a-z-]+)"', english)} == set()
