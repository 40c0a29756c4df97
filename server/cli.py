"""The command `arbiter`: serve, play, back up, show the key, or look whether all is well."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from arbiter.adapters.sqlite.errors import StoreError
from arbiter.adapters.sqlite.files import copy
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from server.key import KeyRefused, load_key
from server.settings import InvalidSetting, Settings, read_settings

_FLAGS = {
    "data": ("PATH", "the folder of the games' file and of the key"),
    "listen": ("HOST:PORT", "where to listen (127.0.0.1:8080)"),
    "relays": ("URLS", "relays to play over besides our own, with commas between them"),
    "name": ("NAME", "the arbiter's name in its profile"),
    "public-url": ("URL", "where players find this server, if a proxy is in front of it"),
    "log-level": ("LEVEL", "DEBUG, INFO, WARNING or ERROR"),
    "config": ("FILE", "a TOML file with settings"),
}


class Refused(Exception):
    """Why a command does nothing; the text is for the operator."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["play"]:
        return _play([*arguments[1:]])
    options = vars(_parser().parse_args(arguments))
    command: Callable[..., int] = options.pop("command")
    operands = [options.pop(name) for name in ("to",) if name in options]
    try:
        return command(read_settings(options), *operands)
    except (Refused, InvalidSetting, StoreError, OSError) as error:
        print(f"arbiter: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="arbiter", description="A chess arbiter for Nostr.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    commands.add_parser("play", help="play in the terminal, on the server of this folder")
    for name, command, text in (
        ("serve", _serve, "serve games until SIGTERM or Ctrl-C"),
        ("backup", _backup, "copy the games' file as it is now, also while the server runs"),
        ("key", _key, "show the server's public key, made on first use"),
        ("doctor", _doctor, "show all settings, and whether file and relays are well"),
    ):
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(command=command)
        for flag, (value, help_text) in _FLAGS.items():
            one.add_argument(f"--{flag}", metavar=value, help=help_text)
        if command is _backup:
            one.add_argument("to", metavar="TO", help="the copy; an older one is replaced")
    return parser


def _serve(settings: Settings) -> int:
    # Imported here: `arbiter key` needs none of it.
    import uvloop  # noqa: PLC0415

    from server.run import serve  # noqa: PLC0415

    key = _load(settings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(settings, key))
    return 0


def _play(arguments: list[str]) -> int:
    """The terminal client: on the server whose data folder is here, unless the environment names
    another.
    """
    from clients.terminal.__main__ import main as play  # noqa: PLC0415 - as above

    os.environ.setdefault("RUN_DIR", os.environ.get("ARBITER_DATA", "arbiter-data"))
    return play(arguments)


def _backup(settings: Settings, to: str) -> int:
    if not settings.database.exists():  # SQLite would make one
        raise Refused(f"there is no {settings.database}")
    copy(settings.database, Path(to))
    return 0


def _key(settings: Settings) -> int:
    print(encode_npub(_load(settings).pubkey))
    return 0


def _doctor(settings: Settings) -> int:
    from server.doctor import examine  # noqa: PLC0415 - as above

    return examine(settings)


def _load(settings: Settings) -> SecretKey:
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = load_key(settings.key_file)
    if isinstance(found, KeyRefused):
        raise Refused(found.text)
    return found.key
