"""`arbiter lichess`: serves lichess's Board and Bot API to programs on this machine."""

import argparse
import asyncio
import ipaddress
import os
import socket
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from arbiter.nostr.nip19 import encode_npub
from clients.lichess_api.book import Book
from clients.lichess_api.sidecar import Player, Sidecar
from clients.player.address import RELAYS_HELP, RUN_DIR, Address, address
from clients.player.bunker import Bunker
from clients.player.keys import hold_key, load_key

PORT = 8464
LOOPBACK = "127.0.0.1"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 2 for what the owner can mend."""
    options = _options(sys.argv[1:] if arguments is None else arguments)
    run_dir = Path(os.environ.get("RUN_DIR") or RUN_DIR)
    try:
        there = address(options.relays, options.arbiter, run_dir)
        _check_host(options)
        folder: Path = options.data or run_dir / "lichess"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        listening = socket.create_server((options.host, options.port), family=family)
        asyncio.run(_serve(options, folder, there, listening))
    except (OSError, ValueError, sqlite3.Error) as error:
        print(f"arbiter lichess: {error}", file=sys.stderr)
        return 2
    return 0


async def _serve(
    options: argparse.Namespace, folder: Path, there: Address, listening: socket.socket
) -> None:
    kept = folder / "book.db"
    kept.touch()
    kept.chmod(0o600)  # it has the tokens
    book, own = Book(kept), load_key(folder / "bunker.key")
    bunkers = [Bunker(given, own) for given in options.bunker]
    running = [asyncio.create_task(bunker.run()) for bunker in bunkers]
    for bunker in bunkers:
        await bunker.connect()
    # Held while we run: two programs with one key would answer for each other.
    keys = [(hold_key(path)[0], path.stem, None) for path in options.key]
    players = [
        Player(key, options.name or name, options.bot, bunker)
        for key, name, bunker in (*keys, *((own, "player", bunker) for bunker in bunkers))
    ]
    sidecar = Sidecar(there, players, book, listening)
    _say(sidecar, there)
    await sidecar.serve()
    for task in running:
        task.cancel()


def _check_host(options: argparse.Namespace) -> None:
    if not ipaddress.ip_address(options.host).is_loopback and not options.open_to_the_network:
        raise ValueError(
            f"{options.host} can be reached by others, and who has a token plays with your key; "
            "say --open-to-the-network as well if that is meant"
        )


def _say(sidecar: Sidecar, there: Address) -> None:
    print(f"arbiter: {encode_npub(there.arbiter)} over {', '.join(there.relays)}")
    for token, player in sidecar.players.items():
        kind = "bot" if player.is_bot else "board"
        print(f"\n{player.name} ({encode_npub(player.pubkey)}), a {kind}:")
        print(f"  url:   {sidecar.url}/")
        print(f"  token: {token}")
        print(f'  lichess-bot\'s config.yml: {{token: "{token}", url: "{sidecar.url}/"}}')
    print(flush=True)


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="arbiter lichess", description=__doc__)
    parser.add_argument(
        "--key", type=Path, action="append", default=[],
        help="a key's file, made on first use; give several for several players",
    )  # fmt: skip
    parser.add_argument(
        "--bunker", action="append", default=[], help="bunker://…, which has the key (NIP-46)"
    )
    parser.add_argument("--bot", action="store_true", help="the players are programs, not boards")
    parser.add_argument("--name", help="what the player is called; the file's name if not given")
    parser.add_argument("--arbiter", help="the arbiter's npub")
    parser.add_argument("--relays", help=RELAYS_HELP)
    parser.add_argument("--port", type=int, default=PORT, help=f"where to listen, {PORT}")
    parser.add_argument("--host", default=LOOPBACK, help=f"the address, {LOOPBACK}")
    parser.add_argument("--open-to-the-network", action="store_true", help="listen at any address")
    parser.add_argument("--data", type=Path, help="the folder of tokens and ids")
    options = parser.parse_args(words)
    if not options.key and not options.bunker:
        parser.error("give --key FILE or --bunker ADDRESS")
    return options


if __name__ == "__main__":
    sys.exit(main())
