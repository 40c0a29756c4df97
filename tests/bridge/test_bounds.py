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
    assert kept == {"games": 5001, "changes": 20, "isHeard": True, "isNewcomerWanted": True}
