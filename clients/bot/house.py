"""House players: our own engine at levels 1 to 8, for anybody who challenges one by name.

One process, and a key for each player; an engine (20 MB) runs only while its player thinks.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clients.bot.desk import MAX_LINE, Desk
from clients.bot.house_config import config_of
from clients.bot.keys import HouseKey, house_keys
from clients.bot.player import Player, play_over
from clients.bot.programs import run_dir, run_until_told, sayer
from clients.player.address import RELAYS_HELP, Address, address
from clients.player.sender import now_ms

PLAYERS = 8
REST_SECONDS = 60.0
ENGINE_BYTES = 20_000_000


def main() -> int:
    """The exit code: 2 for what the operator can mend."""
    options = _options(sys.argv[1:])
    try:
        levels = read_levels(options.levels)
        keys = house_keys(options.keys or run_dir() / "house", levels, options.players)
        if options.show:
            print(",".join(map(str, keys)))
            return 0
        there = address(options.relays, options.server, run_dir())
    except (OSError, ValueError) as error:
        print(f"house: {error}", file=sys.stderr)
        return 2
    desk = Desk(options.games or games_in_memory(), now_ms)
    players = [_player(key, there, desk) for key in keys]
    on_ready = options.ready.touch if options.ready else lambda: None
    run_until_told(play_over(there, players, sayer("house"), on_ready, desk.hear))
    return 0


def read_levels(text: str) -> tuple[int, ...]:
    """The levels in `1-8` or `1,4,8`, each once and in order. Raises ValueError."""
    levels: set[int] = set()
    for part in text.split(","):
        ends = re.fullmatch(r"([1-8])(?:-([1-8]))?", part.strip(), re.ASCII)
        if ends is None:
            raise ValueError(f"{text!r} names no levels: 1-8, or some such as 1,4,8")
        levels.update(range(int(ends[1]), int(ends[2] or ends[1]) + 1))
    return tuple(sorted(levels))


def games_in_memory() -> int:
    """Engines that fit into a quarter of this machine's memory, one at least."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, memory // 4 // ENGINE_BYTES)


def _player(key: HouseKey, there: Address, desk: Desk) -> Player:
    config = config_of(key.level, key.number)
    # What comes in between is the desk's to hand out.
    config = replace(config, challenge=replace(config.challenge, queue=MAX_LINE))
    say = sayer(config.name)
    player = Player(
        config,
        key.level,
        key.secret,
        there.arbiter,
        say,
        rest_seconds=REST_SECONDS,
        gateway=there.gateway,
        after=desk.look,
    )
    desk.add(player, key.level)
    return player


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m clients.bot.house", description="Plays as the house until Ctrl-C."
    )
    parser.add_argument("--levels", default="1-8", help="1-8 (the default), or some such as 1,4,8")
    parser.add_argument("--players", type=int, default=PLAYERS, help="players of each level, 8")
    parser.add_argument("--games", type=int, help="games at once, by default as memory allows")
    parser.add_argument("--keys", type=Path, help="the folder of their keys, made on first use")
    parser.add_argument("--show", action="store_true", help="print what `arbiter --house` takes")
    parser.add_argument("--relays", help=RELAYS_HELP)
    parser.add_argument("--server", help="the arbiter's npub")
    parser.add_argument("--ready", type=Path, help="a file to make when challenges are heard")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
