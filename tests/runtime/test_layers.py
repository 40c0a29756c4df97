"""The layers as `make run` gets them: built for the Python of this machine."""

import subprocess
import sys
from pathlib import Path

import pytest

_IMPORT_ALL = """
import pathlib, arbiter, aws_lambda_powertools, chess, coincurve, cryptography, resvg_py, websocket
ours = arbiter, aws_lambda_powertools, chess, coincurve, cryptography, resvg_py, websocket
for package in ours:
    print(pathlib.Path(package.__file__).parents[1])
"""


@pytest.mark.slow
def test_the_hosts_layers_can_be_imported_by_the_host(layers: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-S", "-c", _IMPORT_ALL],
        env={"PYTHONPATH": str(layers)},
        check=True,
        capture_output=True,
        text=True,
    )

    assert said.stdout.split() == [str(layers)] * 7
