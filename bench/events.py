"""A whole event (a tournament) by the bots of `make bot` on `arbiter serve`, and an ordinary pair
beside it: each minute what the pair saw and what it cost; at the end whether any game is lost.

    python -m bench.events swiss|arena|moment [PLAYERS [ROUNDS or MINUTES]]

A ``moment`` is the first two minutes of an arena, by windows of ten seconds; it ends with the games
on.
"""

import asyncio
import json
import os
import random
import re
import secrets
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chess
from websockets.sync.client import connect

from arbiter.adapters.items.games import game_of_item
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.sqlite.items import item_of_text
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.core.game import Game
from arbiter.core.tournaments.tournament import BoardResult, Tournament
from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from bench.playing import PROCESSES, await_ready, go, line, started
from bench.served import Served, serving
from clients.bot.config import read_config
from clients.bot.engine_host import EngineHost
from clients.bot.model import Think
from clients.bot.player import Player, play_over
from clients.player.address import Address

_EVENTS = {
    "swiss": (64, 7, "rounds", 0.3, {"time": "60+0", "interval": "5"}),
    "arena": (500, 20, "minutes", 10.0, {"time": "300+0"}),
    "moment": (500, 20, "minutes", 10.0, {"time": "300+0", "format": "arena"}),
}
"""Players, length, the tag of it, seconds to think, further tags."""
_PLIES = range(20, 41)
_STARTS_SECONDS, _WINDOW_SECONDS, _PATIENCE_SECONDS = 40, 60.0, 300.0
_MOMENT_SECONDS, _MOMENTS_WINDOW_SECONDS = 80.0, 10.0
_LOST = -20_000
_CONFIG = """events = true
[engine.draw_or_resign]
resign_enabled = true
resign_moves = 1
"""


class Chance(EngineHost):
    """An engine without a process: it waits, and plays any move."""

    seconds = 0.0

    async def start(self) -> None:  # type: ignore[override]
        ...

    def restart(self) -> None:
        self.stop()

    async def _choose(self, effect: Think, board: chess.Board) -> tuple[str, int | None]:
        seconds = self._random.uniform(0, 2 * self.seconds)
        await asyncio.sleep(min(seconds, effect.limits.hurry_ms / 2_000))
        is_over = board.ply() >= random.Random(effect.state.game).choice(_PLIES)  # noqa: S311
        return board.uci(self._random.choice([*board.legal_moves])), _LOST if is_over else 0


async def bots(url: str, server: str, count: int, seconds: float) -> None:
    """Run this many bots on one socket until a line comes; then print what troubled them."""
    os.nice(10)
    Chance.seconds = seconds
    trouble: Counter[str] = Counter()

    def say(text: str) -> None:
        if not text.startswith(("game ", "joins ", "is npub")):
            trouble[text[:60]] += 1

    config = read_config(_CONFIG)
    keys = [SecretKey.generate(secrets.token_bytes(32)) for _ in range(count)]
    named = [replace(config, name=f"Bot {at}") for at in range(count)]
    players = [
        Player(each, None, key, server, say, host=Chance)
        for each, key in zip(named, keys, strict=True)
    ]
    playing = asyncio.create_task(play_over(Address(server, (url,)), players, say))
    while any(each.session is None or not each.session.wire.listed for each in players):  # noqa: ASYNC110
        await asyncio.sleep(1)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    print(json.dumps(trouble), flush=True)
    playing.cancel()
    await asyncio.wait([playing])


def created(served: Served, tags: dict[str, str]) -> str:
    key = SecretKey.generate(secrets.token_bytes(32))
    now = int(time.time())
    said = {"p": served.pubkey, "title": "Bench", "bots": "welcome", **tags}
    said["starts"] = str(now + _STARTS_SECONDS)
    event = key.sign(EventTemplate(20307, (*said.items(),), "create", now))
    with connect(served.websocket) as socket:
        socket.send(json.dumps(["REQ", "mine", {"kinds": [20301], "#p": [key.pubkey]}]))
        socket.send(json.dumps(["EVENT", event_to_json(event)]))
        while True:
            match json.loads(socket.recv(_PATIENCE_SECONDS)):
                case ["EVENT", _, {"content": "created", "tags": list(answered)}]:
                    address: str = next(tag[1] for tag in answered if tag[0] == "a")
                    return address.rsplit(":", 1)[1]
                case ["EVENT", _, {"content": str(why)}]:
                    raise RuntimeError(why)
                case _:
                    pass


def pair_beside(served: Served, number: int, seconds: float) -> tuple[float, str]:
    """The median (ms) and all columns of what an ordinary pair of players saw in this time."""
    pair = started(
        "bench.serve_players", served.websocket, served.pubkey, "timed", 2, seconds, number
    )
    await_ready(pair)
    cpu_seconds = served.cpu_seconds
    go(pair)
    told = json.loads(line(pair))
    cpu = (served.cpu_seconds - cpu_seconds) / seconds
    pair.wait(_PATIENCE_SECONDS)
    took_ms = sorted(told["took_ms"]) or [float("inf")]
    of = [took_ms[int(len(took_ms) * share)] for share in (0.5, 0.9, 0.99)] + took_ms[-1:]
    seen = "".join(f"{ms:>7.0f}" for ms in of)
    return of[
        0
    ], f"{len(took_ms):>6}{seen}{told['charged_ms']:>9}{cpu:>6.0%}{served.memory_mb:>6.0f}"


def flaws(event: Tournament, games: Sequence[Game]) -> Counter[str]:
    """All that must not be: of boards, and of the games that are stored of this event."""
    found: Counter[str] = Counter()
    by_id = {game.id: game for game in games}
    of_boards: Counter[str] = Counter()
    free_at: dict[str, int] = {}
    for _, board in event.boards():
        of_boards[board.game_id] += 1
        game = by_id.get(board.game_id)
        found["boards without a result"] += board.result is None
        found["boards without a stored game"] += game is None
        if game is None:
            continue
        outcome = game.outcome.result if game.outcome else ""
        is_same = board.result and (not board.result.is_played or board.result.value == outcome)
        found["results that are not the game's"] += not is_same
        found["games that are not over"] += not outcome and board.result is not BoardResult.VOID
    found["boards that share a game"] = sum(number - 1 for number in of_boards.values())
    found["games of no board"] = len(by_id.keys() - of_boards.keys())
    for game in sorted(games, key=lambda game: game.created_at_ms):
        for seat in (game.white, game.black):
            found["games at once of one player"] += game.created_at_ms < free_at.get(seat.player, 0)
            free_at[seat.player] = game.ended_at_ms or sys.maxsize
    return +found


def main(name: str, *given: int) -> bool:
    players, length, measure, seconds, tags = _EVENTS[name]
    players, length = (*given, *(players, length)[len(given) :])
    files: list[Path] = []
    with serving(prepare=files.append) as served:
        shares = [players // PROCESSES + (at < players % PROCESSES) for at in range(PROCESSES)]
        told = (served.websocket, served.pubkey)
        hosts = [started("bench.events", "bots", *told, share, seconds) for share in shares]
        for host in hosts:
            await_ready(host)
        print(
            f"{'':<22}{'moves':>6}{'p50 ms':>7}{'p90':>7}{'p99':>7}{'most':>7}  charged   CPU    MB"
        )
        is_moment = name == "moment"
        window = _MOMENTS_WINDOW_SECONDS if is_moment else _WINDOW_SECONDS
        quiet_ms, row = pair_beside(served, 1, window if is_moment else window / 2)
        print(f"{'quiet':<22}{row}", flush=True)
        began = served.cpu_seconds
        event_id = created(served, {"format": name, measure: str(length), **tags})
        with Store.open_to_read(files[0]) as store:
            until = time.monotonic() + _MOMENT_SECONDS if is_moment else float("inf")
            slowest_ms, event = _played(served, store, event_id, window, until)
            print(f"median of a move: {slowest_ms / quiet_ms:.2f} of quiet in the slowest window")
            if is_moment:
                for host in hosts:
                    host.kill()
                return event.is_under_way
            games = _games_of(store, event_id)
        trouble: Counter[str] = Counter()
        for host in hosts:
            go(host)
            trouble += Counter(json.loads(line(host)))
            host.wait(_PATIENCE_SECONDS)
        ends = Counter(str(game.outcome.termination) if game.outcome else "-" for game in games)
        wrong, log = flaws(event, games), served.log.read_text("utf-8") if served.log else ""
        errors, said = log.count('"ERROR"'), Counter(re.findall(r'"status":"(event-[^"]*)"', log))
        print(f"{event.phase}: {len(event.rounds)} rounds, {len(games)} games, {dict(ends)}")
        print(f"{served.cpu_seconds - began:.0f} s of CPU; bots: {dict(trouble) or 'no trouble'}")
        print(f"records: {dict(said)}; errors logged: {errors}; wrong: {dict(wrong) or 'nothing'}")
    return not wrong and not errors


def _played(
    served: Served, store: Store, event_id: str, window: float, until: float
) -> tuple[float, Tournament]:
    """The slowest median (ms), and the event once over, or then; prints a row for each window."""
    events, began = StoredTournaments(SqliteTable(store)), time.monotonic()
    slowest_ms = 0.0
    for number in range(2, 250):
        median_ms, row = pair_beside(served, number, window)
        slowest_ms = max(slowest_ms, median_ms)
        event = events.load(event_id)
        if event is None:
            break
        boards = [board for _, board in event.boards()]
        playing = sum(board.result is None for board in boards)
        print(f"{f'{len(event.entries)}, {len(boards)} games, {playing} on':<22}{row}", flush=True)
        if not event.is_under_way or time.monotonic() > until:
            print(f"{time.monotonic() - began:.0f} s")
            return slowest_ms, event
    raise RuntimeError("the event is lost, or does not end")


def _games_of(store: Store, event_id: str) -> list[Game]:
    rows = store.read(
        lambda db: db.execute("SELECT item FROM items WHERE pk LIKE 'g#%'").fetchall()
    )
    games = [game_of_item(item_of_text(text)) for (text,) in rows]
    return [g for g in games if g.tournament and g.tournament.tournament_id == event_id]


if __name__ == "__main__":
    what, *more = sys.argv[1:]
    if what == "bots":
        there, who, how_many, thinks = more
        asyncio.run(bots(there, who, int(how_many), float(thinks)))
    else:
        sys.exit(not main(what, *map(int, more)))
