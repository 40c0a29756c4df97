"""`make ladder`: Stockfish at two strengths and the plain engine play rated games on an `arbiter
serve` of their own; in which order they come, and whatever went wrong.

Each engine has two keys, so three games go on at once. Times are whole seconds in the protocol:
there is no 10+0.1.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.ladder [GAMES OF EACH TIME]
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.served import serving
from clients.bot.engine_host import GAMES_FOLDER

TIMES = ("10+0", "60+0")
GAMES = 100
MINUTES = 9
ENGINES = {"sf3": "stockfish@3", "sf6": "stockfish@6", "plain5": "plain@5"}


def main() -> int:
    """The exit code: 2 where there is no Stockfish."""
    if not (shutil.which("stockfish") or shutil.which("stockfish", path=GAMES_FOLDER)):
        print("There is no stockfish: apt-get install stockfish", file=sys.stderr)
        return 2
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    folder = Path(tempfile.mkdtemp(prefix="ladder-"))
    players = [
        word
        for name, engine in ENGINES.items()
        for number in "ab"
        for word in ("--player", f"{name}{number}={engine}")
    ]
    with serving() as served:
        for control in TIMES:
            print(f"\n{games} games of {control}, {MINUTES} minutes at most", flush=True)
            began, cpu = time.monotonic(), served.cpu_seconds
            command = [sys.executable, "-m", "clients.bot.ladder", *players, "--time", control]
            command += ["--games", str(games), "--minutes", str(MINUTES), "--folder", str(folder)]
            command += ["--relays", served.websocket, "--server", served.pubkey]
            subprocess.run(command, check=True)
            print(
                f"took {time.monotonic() - began:.0f} s, "
                f"of which the arbiter computed {served.cpu_seconds - cpu:.1f} s"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
