"""Many games in a night: lichess-bot and BotLi as they are, with an engine, against each other and
the house. The relay is killed and comes back with its store, the sidecar is killed and starts anew.
Prints what each game came to, and what the programs said went wrong.
"""

import argparse
import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Any

import yaml
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from arbiter.nostr.keys import SecretKey
from tests.e2e.arbiter_run import running
from tests.e2e.foreign_relays import ForeignRelay, bundled
from tests.e2e.lichess.programs import Sidecar
from tests.e2e.lichess.programs import running as serving
from tests.server.running_server import free_port

ENGINE, MOVE_SECONDS = Path("/usr/games/stockfish"), 0.05
TERMS = b"level=1&clock.limit=300&clock.increment=2"
TROUBLE_SECONDS, GONE_SECONDS = 75, 8
BEGIN_SECONDS, GAME_SECONDS = 60, 900
ABORTED_SECONDS = 20
"""No note tells of a game that is aborted: it is not among those that go on."""

WRONG = re.compile(r"ERROR|Traceback|\w+(?:Error|Exception)\b.*|could not be accepted.*")


class Night:
    """The tables at which games are played, and what they came to."""

    def __init__(self, games: int, sidecar: Sidecar, relay: ForeignRelay, arbiter: str) -> None:
        self.sidecar, self.relay, self.arbiter = sidecar, relay, arbiter
        self.came: Counter[str] = Counter()
        self.left = itertools.repeat(None, games)

    def table(self, first: str, second: str) -> None:
        """Play one game after another, until enough are made."""
        pairs = [(first, second), (first, ""), (second, first), (second, "")]
        for by, other in itertools.cycle(pairs):
            if next(self.left, self) is self:
                return
            while (ended := self.game(by, other)).startswith("refused"):
                self.came[ended] += 1
                time.sleep(2)
            kind = " against ".join(name.split("-")[0] for name in (by, other or "house"))
            print(time.strftime("%H:%M:%S"), kind, ended, flush=True)
            self.came[f"{kind}: {ended}"] += 1

    def game(self, by: str, other: str) -> str:
        """The end of a game that one asks for."""
        key = SecretKey.from_text((self.sidecar.folder / f"{by}.key").read_text(encoding="utf-8"))
        before = self.notes(key.pubkey)
        opponent = self.ask(other, "GET", "/api/account")[1]["id"] if other else "ai"
        status, made = self.ask(by, "POST", f"/api/challenge/{opponent}", TERMS)
        if status >= HTTPStatus.BAD_REQUEST:
            return f"refused: {made['error']}"
        began, has_begun, off = time.monotonic(), False, 0
        while (passed := time.monotonic() - began) < GAME_SECONDS:
            time.sleep(1)
            notes = [it for id_, it in self.notes(key.pubkey).items() if id_ not in before]
            if notes:
                why = [re.findall(r'Termination "(.*)"', pgn)[0] for pgn in notes]
                return f"{'ended' if len(notes) == 1 else 'doubled'}: {', '.join(why)}"
            status, shown = self.ask(by, "GET", "/api/account/playing")
            is_on = any(one["gameId"] == made["id"] for one in shown.get("nowPlaying", ()))
            has_begun, off = has_begun or is_on, 0 if is_on or "error" in shown else off + 1
            if has_begun and off > ABORTED_SECONDS:
                return "aborted"
            if not has_begun and passed > BEGIN_SECONDS:
                self.ask(by, "POST", f"/api/challenge/{made['id']}/cancel")
                return "not begun"
        return "lost"

    def ask(self, name: str, method: str, path: str, body: bytes | None = None) -> Any:
        """The status and the body, of the next sidecar if this one is killed meanwhile."""
        while True:
            with contextlib.suppress(OSError, HTTPException, AssertionError):
                return self.sidecar.ask(method, path, body, token=self.sidecar.tokens[name])
            time.sleep(1)

    def notes(self, pubkey: str) -> dict[str, str]:
        """The PGN of the player's games that are over; waits while the relay is gone."""
        wanted = {"kinds": [64], "authors": [self.arbiter], "#p": [pubkey]}
        while True:
            found: dict[str, str] = {}
            with contextlib.suppress(OSError, WebSocketException), connect(self.relay.url) as relay:
                relay.send(json.dumps(["REQ", "past", wanted]))
                while (message := json.loads(relay.recv(60)))[0] != "EOSE":
                    if message[0] == "EVENT":
                        found[message[2]["id"]] = message[2]["content"]
                return found
            time.sleep(1)

    def disturb(self, number: int) -> str:
        """Kill the relay or the sidecar, and start it; which."""
        # A start that takes long is none that failed.
        with contextlib.suppress(AssertionError):
            if number % 2:
                self.relay.kill()
                time.sleep(GONE_SECONDS)
                self.relay.start()
            else:
                self.sidecar.end(signal.SIGKILL)
                self.sidecar.start()
        return "the relay killed" if number % 2 else "the sidecar killed"


def lichess_bot(found: Any) -> str:
    """Change what must be in the settings that come with it; its program."""
    found["engine"] |= {"dir": str(ENGINE.parent), "name": ENGINE.name, "ponder": False}
    limit = {"movetime": int(1000 * MOVE_SECONDS)}
    found["engine"]["uci_options"] = {"Threads": 1, "Hash": 16, "go_commands": limit}
    return "lichess-bot.py"


def botli(found: Any) -> str:
    """The same."""
    engine = found["engines"]["standard"]
    engine |= {"dir": str(ENGINE.parent), "name": ENGINE.name, "ponder": False}
    engine |= {"uci_options": {"Threads": 1, "Hash": 16}, "limits": {"time": MOVE_SECONDS}}
    found["opening_books"]["enabled"], found["books"] = False, {}
    for kind in ("human", "bot"):
        found["challenge"][kind]["modes"] = ["casual", "rated"]
    return "user_interface.py"


@contextlib.contextmanager
def bots(options: argparse.Namespace, sidecar: Sidecar) -> Iterator[None]:
    """Each name's program, once it has tried its engine: one that starts takes a game of its for
    one that goes on.
    """
    processes = []
    for name, token in sidecar.tokens.items():
        is_botli = name.startswith("botli")
        folder = options.botli if is_botli else options.lichess_bot
        found: Any = yaml.safe_load((folder / "config.yml.default").read_text(encoding="utf-8"))
        found |= {"token": token, "url": f"{sidecar.url}/"}
        script, path = botli(found) if is_botli else lichess_bot(found), sidecar.folder / name
        path.with_suffix(".yml").write_text(yaml.safe_dump(found), encoding="utf-8")
        command = [options.python, "-u", script, "-c" if is_botli else "--config", f"{path}.yml"]
        with path.with_suffix(".log").open("wb") as log:
            processes.append(
                subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
    try:
        while not all(re.search("awaiting|OK\n", said(sidecar, it)) for it in sidecar.tokens):
            time.sleep(1)
        time.sleep(2 * GONE_SECONDS)
        yield
    finally:
        for process in processes:
            # lichess-bot has a process a game.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def said(sidecar: Sidecar, name: str) -> str:
    return (sidecar.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")


def play(options: argparse.Namespace, folder: Path) -> None:
    """Play, disturb, and print the count."""
    names = [f"{kind}-{at}" for at in range(options.tables) for kind in ("lichessbot", "botli")]
    relay = bundled(folder, free_port())
    with contextlib.suppress(AssertionError):
        relay.start()
    with running(folder, [relay.url], {"HOUSE": "1,2"}) as run:
        sidecar = Sidecar(folder, relay.url, run.endpoints.server, names, bot=True)
        with serving(sidecar), bots(options, sidecar):
            night = Night(options.games, sidecar, relay, run.endpoints.server)
            pairs = zip(names[::2], names[1::2], strict=True)
            tables = [threading.Thread(target=night.table, args=pair) for pair in pairs]
            for table in tables:
                table.start()
            for number in itertools.count(1):
                ends_at = time.monotonic() + TROUBLE_SECONDS
                for table in tables:
                    table.join(max(0.0, ends_at - time.monotonic()))
                if not any(table.is_alive() for table in tables):
                    break
                night.came[night.disturb(number)] += 1
    relay.stop()
    for what, count in sorted(night.came.items()):
        print(f"{count:4} {what}")
    for name in names:
        wrong = Counter(found[0][:100] for found in WRONG.finditer(said(sidecar, name)))
        print(*(f"{name}: {count} x {what}" for what, count in wrong.most_common(8)), sep="\n")


def main() -> None:
    """Read the options, and play."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.night", description=__doc__)
    for name, about in (
        ("lichess-bot", "its folder"),
        ("botli", "its folder"),
        ("python", "for both"),
    ):
        parser.add_argument(f"--{name}", type=Path, required=True, help=about)
    parser.add_argument("--games", type=int, default=50, help="games in all")
    parser.add_argument("--tables", type=int, default=2, help="games at once")
    parser.add_argument("--folder", type=Path, help="for what the programs say; made if not given")
    options = parser.parse_args()
    folder: Path = options.folder or Path(tempfile.mkdtemp(prefix="night-"))
    folder.mkdir(parents=True, exist_ok=True)
    play(options, folder)


if __name__ == "__main__":
    main()
