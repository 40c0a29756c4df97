"""Many games in a night: lichess-bot and BotLi as they are, with an engine, against each other and
the house. The relay is killed and comes back with its store, the sidecar is killed and starts anew.

    python -m tests.e2e.night --lichess-bot DIR --botli DIR --python VENV/bin/python

Prints what each game came to, and what the programs said went wrong.
"""

import argparse
import contextlib
import itertools
import json
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
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

BEGIN_SECONDS, GAME_SECONDS, GONE_SECONDS = 60, 900, 8
ABORTED_SECONDS = 20
"""No note tells of a game that is aborted: it is not among those that go on."""

WRONG = re.compile(r"ERROR|Traceback|\w+(?:Error|Exception)\b.*|could not be accepted.*")


class Night:
    """The tables at which games are played, and what they came to."""

    def __init__(self, options: argparse.Namespace, relay: ForeignRelay, arbiter: str) -> None:
        self.options, self.relay, self.arbiter = options, relay, arbiter
        self.came: Counter[str] = Counter()
        self.left = itertools.repeat(None, options.games)

    def table(self, sidecar: Sidecar, first: str, second: str) -> None:
        """Play one game after another, until enough are made."""
        for by, other in itertools.cycle(
            [(first, second), (first, ""), (second, first), (second, "")]
        ):
            if next(self.left, self) is self:
                return
            while (ended := self.game(sidecar, by, other)).startswith("refused"):
                self.came[ended] += 1
                time.sleep(2)
            kind = " against ".join(name.split("-")[0] for name in (by, other or "house"))
            print(time.strftime("%H:%M:%S"), kind, ended, flush=True)
            self.came[f"{kind}: {ended}"] += 1

    def game(self, sidecar: Sidecar, by: str, other: str) -> str:
        """The end of a game that one asks for."""
        key = SecretKey.from_text((sidecar.folder / f"{by}.key").read_text(encoding="utf-8"))
        token, before = sidecar.tokens[by], self.notes(key.pubkey)
        opponent = "ai"
        if other:
            opponent = ask(sidecar, "GET", "/api/account", token=sidecar.tokens[other])[1]["id"]
        limit, increment = self.options.clock.split("+")
        body = f"level=1&clock.limit={limit}&clock.increment={increment}".encode()
        status, made = ask(sidecar, "POST", f"/api/challenge/{opponent}", body, token=token)
        if status >= HTTPStatus.BAD_REQUEST:
            return f"refused: {made['error']}"
        began, has_begun, off = time.monotonic(), False, 0
        while (passed := time.monotonic() - began) < GAME_SECONDS:
            time.sleep(1)
            notes = [it for id_, it in self.notes(key.pubkey).items() if id_ not in before]
            if notes:
                why = [re.findall(r'Termination "(.*)"', pgn)[0] for pgn in notes]
                return f"{'ended' if len(notes) == 1 else 'doubled'}: {', '.join(why)}"
            status, shown = ask(sidecar, "GET", "/api/account/playing", token=token)
            is_on = any(one["gameId"] == made["id"] for one in shown.get("nowPlaying", ()))
            has_begun, off = has_begun or is_on, 0 if is_on or status >= 400 else off + 1
            if has_begun and off > ABORTED_SECONDS:
                return "aborted"
            if not has_begun and passed > BEGIN_SECONDS:
                ask(sidecar, "POST", f"/api/challenge/{made['id']}/cancel", token=token)
                return "not begun"
        return "lost"

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


def ask(sidecar: Sidecar, method: str, path: str, body: bytes | None = None, *, token: str) -> Any:
    """The status and the body, of the next sidecar if this one is killed meanwhile."""
    while True:
        with contextlib.suppress(OSError, HTTPException, AssertionError):
            return sidecar.ask(method, path, body, token=token)
        time.sleep(1)


def configured(options: argparse.Namespace, name: str, url: str, token: str) -> list[str]:
    """The command of a bot, whose settings are its own but for what follows."""
    folder = options.botli if name.startswith("botli") else options.lichess_bot
    found: Any = yaml.safe_load((folder / "config.yml.default").read_text(encoding="utf-8"))
    engine = {"dir": str(options.engine.parent), "name": options.engine.name, "ponder": False}
    uci = {"Threads": 1, "Hash": 16}
    found |= {"token": token, "url": f"{url}/"}
    if name.startswith("botli"):
        given = found["engines"]["standard"] | engine | {"uci_options": uci}
        found["engines"] = {"standard": given | {"limits": {"time": options.move_ms / 1000}}}
        found["opening_books"]["enabled"], found["books"] = False, {}
        for kind in ("human", "bot"):
            found["challenge"][kind]["modes"] = ["casual", "rated"]
        script = "user_interface.py"
    else:
        found["engine"] |= engine
        found["engine"]["uci_options"] = {**uci, "go_commands": {"movetime": options.move_ms}}
        script = "lichess-bot.py"
    path = options.folder / f"{name}.yml"
    path.write_text(yaml.safe_dump(found), encoding="utf-8")
    return [
        str(options.python),
        "-u",
        str(folder / script),
        "-c" if "user" in script else "--config",
        str(path),
    ]


@contextlib.contextmanager
def bots(options: argparse.Namespace, sidecar: Sidecar) -> Iterator[None]:
    processes = []
    for name, token in sidecar.tokens.items():
        folder = options.botli if name.startswith("botli") else options.lichess_bot
        with (options.folder / f"{name}.log").open("wb") as log:
            processes.append(
                subprocess.Popen(
                    configured(options, name, sidecar.url, token),
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def await_bots(folder: Path, names: Sequence[str]) -> None:
    """Wait until all have tried their engine: one that starts now takes a game of its for going."""
    while not all(
        re.search("awaiting|OK\n", (folder / f"{it}.log").read_text("utf-8")) for it in names
    ):
        time.sleep(1)
    time.sleep(2 * GONE_SECONDS)


def main() -> None:
    """Play, disturb, and print the count."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.night", description=__doc__)
    for name in ("--lichess-bot", "--botli", "--python"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--engine", type=Path, default=Path("/usr/games/stockfish"))
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--tables", type=int, default=3, help="games at once")
    parser.add_argument("--clock", default="300+2", help="seconds and increment")
    parser.add_argument("--move-ms", type=int, default=50)
    parser.add_argument("--trouble", type=float, default=60.0, help="seconds between disturbances")
    parser.add_argument("--folder", type=Path, help="for what the programs say; made if not given")
    options = parser.parse_args()
    options.folder = options.folder or Path(tempfile.mkdtemp(prefix="night-"))
    options.folder.mkdir(parents=True, exist_ok=True)
    play(options)


def play(options: argparse.Namespace) -> None:
    relay = bundled(options.folder, free_port())
    with contextlib.suppress(AssertionError):
        relay.start()
    names = [f"{kind}-{at}" for at in range(options.tables) for kind in ("lichessbot", "botli")]
    with running(options.folder, [relay.url], {"HOUSE": "1,2"}) as run:
        arbiter = run.endpoints.server
        sidecar = Sidecar(options.folder, relay.url, arbiter, names, bot=True)
        with serving(sidecar), bots(options, sidecar):
            night = Night(options, relay, arbiter)
            await_bots(options.folder, names)
            tables = [
                threading.Thread(target=night.table, args=(sidecar, *names[at : at + 2]))
                for at in range(0, len(names), 2)
            ]
            for table in tables:
                table.start()
            for number in itertools.count(1):
                ends_at = time.monotonic() + options.trouble
                for table in tables:
                    table.join(max(0.0, ends_at - time.monotonic()))
                if not any(table.is_alive() for table in tables):
                    break
                # A start that takes long is none that failed.
                with contextlib.suppress(AssertionError):
                    if number % 2:
                        relay.kill()
                        time.sleep(GONE_SECONDS)
                        relay.start()
                    else:
                        sidecar.end(signal.SIGKILL)
                        sidecar.start()
                night.came["the relay killed" if number % 2 else "the sidecar killed"] += 1
    relay.stop()
    for what, count in sorted(night.came.items()):
        print(f"{count:4} {what}")
    for name in names:
        text = (options.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        for what, count in Counter(found[0][:100] for found in WRONG.finditer(text)).most_common(8):
            print(f"{name}: {count} x {what}")


if __name__ == "__main__":
    main()
