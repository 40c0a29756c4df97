"""Bots against bots: every result, and whatever went wrong.

    make run
    python -m clients.bot.ladder --minutes 60 --time 10+1 \
        --player "sf4=stockfish@4" --player "elo=stockfish,UCI_LimitStrength=true,UCI_Elo=1350" \
        --player "plain=plain@7"

With `--games N` it ends as soon as so many games are over. With `--kill SECONDS` it kills a bot or
an engine that often, in turn, and starts the bot again.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clients.bot.address import RUN_HELP, address
from clients.bot.config import Option
from clients.bot.events import Event, public_key
from clients.bot.keys import load_key
from clients.bot.messages import ERROR, STATE, Rejected, State, read_message
from clients.bot.programs import run_until_told
from clients.bot.relays import Relays
from clients.bot.terms import TimeControl, read_time

RATING = 30300
# Each move has a second for the way, whether or not it needs it.
SLACK_SECONDS = 180


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot of the ladder."""

    name: str
    engine: str
    level: int | None
    options: Mapping[str, Option]


def read_entrant(text: str) -> Entrant:
    """`NAME=ENGINE[@LEVEL][,OPTION=VALUE…]`.

    Raises:
        ValueError: if it is written in another way.
    """
    name, _, rest = text.partition("=")
    program, *options = rest.split(",")
    engine, _, level = program.partition("@")
    if not name or not engine:
        raise ValueError(f"{text!r} is not NAME=ENGINE[@LEVEL][,OPTION=VALUE]")
    pairs = (option.partition("=") for option in options)
    values = {key: _option(value) for key, _, value in pairs}
    return Entrant(name, engine, int(level) if level else None, values)


def _option(text: str) -> Option:
    if text.isdecimal():
        return int(text)
    return text == "true" if text in {"true", "false"} else text


@dataclass
class Record:
    """The results and ratings seen."""

    names: Mapping[str, str]
    results: dict[str, State] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    ratings: dict[str, str] = field(default_factory=dict)
    running: dict[str, State] = field(default_factory=dict)

    def take(self, event: Event, arbiter: str) -> None:
        """Notes a state, an error or a rating."""
        if event.kind == RATING:
            player, value = event.first("p") or "", event.tag("rating")
            if player in self.names and value and len(value) > 1:
                self.ratings[self.names[player]] = f"{value[0]} ± {value[1]}"
            return
        message = read_message(event, arbiter)
        if isinstance(message, Rejected):
            self.errors[message.reason] += 1
        elif event.kind == STATE and message is None:
            self.errors["unreadable state"] += 1
        elif isinstance(message, State):
            self._take_state(message)

    def _take_state(self, state: State) -> None:
        if state.result is None:
            if state.game not in self.results:
                self.running[state.game] = state
            return
        self.running.pop(state.game, None)
        if state.game not in self.results:
            self.results[state.game] = state
            white, black = (self.names.get(key, "?") for key in (state.white, state.black))
            print(
                f"{white} - {black} {state.result} {state.termination}, {state.ply} plies",
                flush=True,
            )

    def playing(self) -> set[str]:
        """The names of those whose games go on."""
        keys = (key for state in self.running.values() for key in (state.white, state.black))
        return {self.names[key] for key in keys if key in self.names}

    def summary(self) -> str:
        """The table, the ends and the errors."""
        lines = [f"{len(self.results)} games, {len(self.running)} not over"]
        ends = Counter(str(state.termination) for state in self.results.values())
        lines.append("ends: " + _counted(ends))
        lines.append("errors: " + _counted(self.errors))
        flagged = Counter(
            self.names.get(state.black if state.result == "1-0" else state.white, "?")
            for state in self.results.values()
            if state.termination == "timeout"
        )
        lines.append("lost on time: " + _counted(flagged))
        lines.extend(self._pairs())
        rated = sorted(self.ratings.items())
        lines.extend(f"rating {name}: {rating}" for name, rating in rated)
        return "\n".join(lines)

    def _pairs(self) -> list[str]:
        scores: dict[tuple[str, str], list[int]] = {}
        for state in self.results.values():
            white, black = (self.names.get(key, "?") for key in (state.white, state.black))
            first, second = sorted((white, black))
            score = scores.setdefault((first, second), [0, 0, 0])
            winner = {"1-0": white, "0-1": black}.get(state.result or "")
            if winner is None:
                score[1] += state.result != "*"
            else:
                score[0 if winner == first else 2] += 1
        return [
            f"{first} - {second}: +{won} ={drawn} -{lost}"
            for (first, second), (won, drawn, lost) in sorted(scores.items())
        ]


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counter.most_common()) or "none"


def config_of(entrant: Entrant, time_control: TimeControl, pause: int) -> str:
    """The bot's file: it asks for rated games, of this time alone."""
    options = "\n".join(
        f"{json.dumps(name)} = {json.dumps(value)}" for name, value in entrant.options.items()
    )
    return f"""
name = {json.dumps(entrant.name)}
pause = {pause}
[engine]
name = {json.dumps(entrant.engine)}
[engine.uci_options]
{options}
[matchmaking]
allow_matchmaking = true
challenge_initial_time = [{time_control.base}]
challenge_increment = [{time_control.increment}]
challenge_mode = "rated"
"""


class Bots:
    """The bots' processes."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self._folder = folder
        self._arguments = arguments
        self._entrants: dict[str, Entrant] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self.killed = Counter[str]()
        self.died = 0

    async def start(self, entrant: Entrant, time_control: TimeControl) -> None:
        """Starts a bot with a key of its own."""
        config = self._folder / f"{entrant.name}.toml"
        # Pauses differ, or the two whose game has ended would play each other again.
        pause = 1 + len(self._entrants)
        config.write_text(config_of(entrant, time_control, pause))
        self._entrants[entrant.name] = entrant
        await self._run(entrant)

    async def _run(self, entrant: Entrant) -> None:
        words = ["--config", str(self._folder / f"{entrant.name}.toml")]
        words += ["--key", str(self._folder / f"{entrant.name}.key"), *self._arguments]
        if entrant.level is not None:
            words += ["--level", str(entrant.level)]
        with (self._folder / f"{entrant.name}.log").open("ab") as log:
            self._processes[entrant.name] = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "clients.bot", *words, stdout=log, stderr=log
            )

    async def revive(self) -> None:
        """Starts again what has ended."""
        for name, process in list(self._processes.items()):
            if process.returncode is not None:
                self.died += 1
                await self._run(self._entrants[name])

    async def kill(self, turn: int) -> None:
        """Kills an engine or a bot, each in its turn; the bot is started again."""
        name = list(self._processes)[turn // 2 % len(self._processes)]
        process = self._processes[name]
        engines = _children(process.pid)
        if turn % 2 and engines:
            self.killed["engine"] += 1
            killing = await asyncio.create_subprocess_exec("kill", "-9", engines[0])
            await killing.wait()
            return
        self.killed["bot"] += 1
        process.kill()
        await process.wait()
        await self._run(self._entrants[name])

    async def stop(self, but: Container[str] = ()) -> None:
        """Ends all bots but these."""
        ending = {name: it for name, it in self._processes.items() if name not in but}
        for process in ending.values():
            if process.returncode is None:
                process.terminate()
        for name, process in ending.items():
            await process.wait()
            del self._processes[name]


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


async def play(
    entrants: Sequence[Entrant],
    folder: Path,
    options: argparse.Namespace,
    arbiter: str,
    urls: tuple[str, ...],
) -> None:
    """Plays for so many minutes and prints what was seen."""
    keys = {
        public_key(load_key(folder / f"{entrant.name}.key")): entrant.name for entrant in entrants
    }
    record = Record(keys)
    wanted = {"kinds": [STATE, ERROR, RATING], "#p": list(keys)}
    relays = Relays(
        urls, arbiter, wanted, lambda: None, lambda event: record.take(event, arbiter), print
    )
    watching = asyncio.create_task(relays.run())
    bots = Bots(folder, ["--relays", ",".join(urls), "--server", arbiter])
    try:
        for entrant in entrants:
            await bots.start(entrant, options.time)
        await _let_play(bots, record, options)
        await _let_finish(bots, record, options.time)
    finally:
        await bots.stop()
        watching.cancel()
        print(record.summary())
        print(f"killed: {_counted(bots.killed)}; died by themselves: {bots.died}")
        print(f"logs and keys: {folder}")


async def _let_play(bots: Bots, record: Record, options: argparse.Namespace) -> None:
    """Until time is up, or as many games are over or under way as are wanted."""
    ends_at = time.monotonic() + options.minutes * 60
    kills_at = time.monotonic() + options.kill
    turn = 0
    while time.monotonic() < ends_at:
        await asyncio.sleep(1)
        if options.games and len(record.results) + len(record.running) >= options.games:
            break
        await bots.revive()
        if options.kill and time.monotonic() >= kills_at:
            await bots.kill(turn)
            turn += 1
            kills_at = time.monotonic() + options.kill


async def _let_finish(bots: Bots, record: Record, time_control: TimeControl) -> None:
    """Lets who plays finish, and ends the others: no game is left over for a later ladder."""
    most_seconds = 2 * (time_control.base + 80 * time_control.increment) + SLACK_SECONDS
    ends_at = time.monotonic() + most_seconds
    while record.running and time.monotonic() < ends_at:
        await bots.stop(but=record.playing())
        await asyncio.sleep(1)


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m clients.bot.ladder",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--player", action="append", default=[], type=read_entrant)
    parser.add_argument("--time", type=_time, default=TimeControl(10, 1))
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--games", type=int, default=0, help="as many, instead of all the time")
    parser.add_argument("--kill", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--folder", type=Path, help="for logs and keys")
    parser.add_argument("--relays", help=RUN_HELP)
    parser.add_argument("--server", help="the arbiter's npub")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="ladder-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        arbiter, urls = address(options.relays, options.server)
    except ValueError as error:
        print(f"ladder: {error}", file=sys.stderr)
        return 2
    run_until_told(play(options.player, folder, options, arbiter, urls))
    return 0


def _time(text: str) -> TimeControl:
    time_control = read_time(text)
    if time_control is None or time_control.days:
        raise argparse.ArgumentTypeError("like 10+1")
    return time_control


if __name__ == "__main__":
    sys.exit(main())
