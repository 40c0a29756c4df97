"""Requests that the OpenAPI document allows, by schemathesis to `make run`.

A 400 for what the document allows is no fault: an npub has a checksum, and a browser may have no
game. One worker: a cache of Hypothesis is not thread-safe.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / ".venv/tools/schemathesis/bin/schemathesis"


def main() -> int:
    """The exit code of schemathesis."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.http", description=__doc__)
    parser.add_argument("--examples", default="1300", help="of each operation (some 20,000 in all)")
    options, more = parser.parse_known_args()
    install = (sys.executable, "-m", "requirements.install", "schemathesis")
    subprocess.run(install, cwd=ROOT, check=True)
    endpoints = Path(os.environ.get("RUN_DIR") or ".run") / "endpoints.json"
    url = json.loads(endpoints.read_text(encoding="utf-8"))["http"]
    command = [TOOL, "run", f"{url}/openapi.json", "--url", url, "--workers", "1", "--no-color"]
    command += ["--max-examples", options.examples, "--continue-on-failure"]
    command += ["--generation-database", "none", "--request-timeout", "60"]
    command += ["--checks", "all", "--exclude-checks", "positive_data_acceptance", *more]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
