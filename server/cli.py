"""The command `arbiter`: serve, play, back up, transfer, show the key, or check the health."""

import argparse
import asyncio
import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter import VERSION
from arbiter.adapters.sqlite.errors import StoreError
from arbiter.adapters.sqlite.files import copy
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from server.export_file import TransferFailed
from server.key import KeyRefused, load_key
from server.policy import PolicyRefused, add_policy
from server.settings import InvalidSetting, Settings, read_settings

if TYPE_CHECKING:
    from server.transfer_file import FileItems
    from server.transfer_table import TableItems

_FLAGS = {
    "data": ("PATH", "the folder of the games' file and of the key"),
    "listen": ("HOST:PORT", "where to listen (127.0.0.1:8080)"),
    "relays": ("URLS", "relays to play over besides our own, with commas between them"),
    "name": ("NAME", "the arbiter's name in its profile"),
    "public-url": ("URL", "where players find this server, if a proxy is in front of it"),
    "bridge": ("NPUB", "the public key of the bridge to Scuttlebutt"),
    "operator": ("NPUB", "the key that may change the policy by signed events, and at /operator"),
    "log-level": ("LEVEL", "DEBUG, INFO, WARNING or ERROR"),
    "house": ("KEY:LEVEL,…", "programs to announce as opponents, levels 1 to 8"),
    "config": ("FILE", "a TOML file with settings"),
}


_TABLE_FLAGS = {
    "table": ("NAME", "a DynamoDB table in place of the games' file"),
    "region": ("NAME", "the table's region, if the shell names another"),
    "endpoint-url": ("URL", "an emulator in place of AWS"),
}

_Options = Mapping[str, Any]


class Refused(Exception):
    """The reason why a command does nothing; the text is for the operator."""


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] in (["play"], ["bot"], ["lichess"]):
        return _play(arguments[0], [*arguments[1:]])
    options = vars(_parser().parse_args(arguments))
    command: Callable[[Settings, _Options], int] = options.pop("command")
    try:
        return command(read_settings(options), options)
    except (
        Refused,
        InvalidSetting,
        KeyRefused,
        TransferFailed,
        PolicyRefused,
        StoreError,
        OSError,
    ) as error:
        print(f"arbiter: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="arbiter", description="A chess arbiter for Nostr.")
    parser.add_argument("--version", action="version", version=f"arbiter {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    commands.add_parser("play", help="play in the terminal, on the server of this folder")
    commands.add_parser("bot", help="have an engine play there (--engine stockfish, or plain)")
    commands.add_parser("lichess", help="serve lichess's API to programs here (--key alice.key)")
    for name, command, text in (
        ("serve", _serve, "serve games until SIGTERM or Ctrl-C"),
        ("backup", _backup, "copy the games' file as it is now, also while the server runs"),
        ("key", _key, "show the server's public key, made on first use"),
        ("doctor", _doctor, "show all settings, and whether file and relays are well"),
    ):
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(command=command)
        _add_flags(one, _FLAGS)
        if command is _backup:
            one.add_argument("to", metavar="TO", help="the copy; an older one is replaced")
    for name, mover, text in (
        ("export", _export, "write everything that is kept to a new file"),
        ("import", _import, "take over what an export holds"),
    ):
        one = commands.add_parser(name, help=text, description=f"{text}; never keys")
        one.set_defaults(command=mover)
        one.add_argument("file", metavar="FILE", type=Path)
        _add_flags(one, {flag: _FLAGS[flag] for flag in ("data", "config")} | _TABLE_FLAGS)
        if name == "import":
            queue = "with --table: the queue in which the timers of games are set"
            one.add_argument("--clock-queue", metavar="URL", help=queue)
            replace = "write the file's item where one is there that differs"
            one.add_argument("--replace", action="store_true", help=replace)
    text = "check what a game's players signed, or pair the Swiss rounds of an event again"
    verify = _add_event(commands, "verify", text, _verify)
    verify.add_argument("--relay", metavar="URL", default="", help="the relay that has the note")
    verify.add_argument("--pgn", metavar="FILE", type=Path, help="write the game with its chain")
    add_policy(commands, _policy, {flag: _FLAGS[flag] for flag in ("data", "listen", "config")})
    text = "show an event's TRF with what a file of yours says of its players"
    report = _add_event(commands, "report", text, _report)
    report.add_argument(
        "people", metavar="PEOPLE", type=Path, help="a TRF with ### NUMBER KEY lines"
    )
    return parser


def _add_event(
    commands: Any,  # noqa: ANN401 - argparse has no public type for it
    name: str,
    text: str,
    command: Callable[[Settings, _Options], int],
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(command=command)
    page = "the event's page" + (", a game's page or transcript, or note1…" * (name == "verify"))
    parser.add_argument("url", metavar="URL", help=page)
    return parser


def _add_flags(parser: argparse.ArgumentParser, flags: Mapping[str, tuple[str, str]]) -> None:
    for flag, (value, help_text) in flags.items():
        parser.add_argument(f"--{flag}", metavar=value, help=help_text)


def _serve(settings: Settings, _: _Options) -> int:
    # Imported here: `arbiter key` needs none of it.
    import uvloop  # noqa: PLC0415

    from server.run import serve  # noqa: PLC0415

    key = _load(settings)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(settings, key))
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES):
            raise
        why = os.strerror(error.errno)
        text = f"cannot listen at {settings.listen} ({why}): name another by --listen"
        raise Refused(text) from None
    return 0


def _play(client: str, arguments: list[str]) -> int:
    """A client: on the server whose data folder is here, unless the environment names another."""
    if client == "play":
        from clients.terminal.__main__ import main  # noqa: PLC0415 - as above
    elif client == "bot":
        from clients.bot.__main__ import main  # noqa: PLC0415
    else:
        from clients.lichess_api.__main__ import main  # noqa: PLC0415
    os.environ.setdefault("RUN_DIR", os.environ.get("ARBITER_DATA", "arbiter-data"))
    return main(arguments)


def _backup(settings: Settings, options: _Options) -> int:
    _must_exist(settings)
    copy(settings.database, Path(options["to"]))
    return 0


def _key(settings: Settings, _: _Options) -> int:
    print(encode_npub(_load(settings).pubkey))
    return 0


def _doctor(settings: Settings, _: _Options) -> int:
    from server.doctor import examine  # noqa: PLC0415 - as above

    return examine(settings)


def _policy(settings: Settings, options: _Options) -> int:
    from server.policy import on_this_machine  # noqa: PLC0415 - as above

    _must_exist(settings)
    return on_this_machine(settings, _load(settings), options)


def _verify(_: Settings, options: _Options) -> int:
    from server.event_report import verify  # noqa: PLC0415 - as above
    from server.game_proof import verify_game  # noqa: PLC0415 - as above

    if "/events/" in options["url"]:
        return verify(options["url"])
    return verify_game(options["url"], options["relay"], options["pgn"])


def _report(_: Settings, options: _Options) -> int:
    from server.event_report import with_names  # noqa: PLC0415 - as above

    try:
        people = options["people"].read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{options['people']} cannot be read: {error}") from None
    print(with_names(options["url"], people), end="")
    return 0


def _export(settings: Settings, options: _Options) -> int:
    from server import transfer  # noqa: PLC0415 - as above

    if not options["table"]:
        _must_exist(settings)
    with _items(settings, options) as items:
        total = transfer.export_to(options["file"], items)
    print(f"{total.items} items, sum {total}")
    return 0


def _import(settings: Settings, options: _Options) -> int:
    from server import transfer  # noqa: PLC0415 - as above

    if options["clock_queue"] and not options["table"]:
        raise Refused("--clock-queue: for a table alone, a file has its own timers")
    total = transfer.check(options["file"])
    if not options["table"]:
        _make_folder(settings)
    with _items(settings, options) as items:
        written = transfer.import_from(options["file"], items, is_replacing=options["replace"])
    print(f"{total.items} items, sum {total}: {written} written, the others were there")
    if options["table"] and not options["clock_queue"]:
        print(
            "No timers were set: in a game that runs by the clock no flag falls until the first "
            "event after its time. Import again with --clock-queue URL to set them."
        )
    return 0


@contextlib.contextmanager
def _items(settings: Settings, options: _Options) -> "Iterator[FileItems | TableItems]":
    """The items of the table that the options name, or of the games' file."""
    if not options["table"]:
        from arbiter.adapters.sqlite.store import Store  # noqa: PLC0415 - as above
        from server.transfer_file import FileItems  # noqa: PLC0415

        with Store.open(settings.database) as store:
            yield FileItems(store)
        return
    from arbiter.adapters.timers import QueueTimers, SystemClock  # noqa: PLC0415 - as above
    from server.transfer_table import CloudClients, TableItems  # noqa: PLC0415

    clients = CloudClients(options["region"], options["endpoint_url"])
    queue = options.get("clock_queue")
    timers = QueueTimers(cache(partial(clients.client, "sqs")), queue) if queue else None
    yield TableItems(clients.client("dynamodb"), options["table"], timers, SystemClock())


def _must_exist(settings: Settings) -> None:
    """Raise Refused where the settings name no server's folder; SQLite would make a file."""
    if not settings.database.exists():
        raise Refused(f"there is no {settings.database}: name the server's --data or --config")


def _make_folder(settings: Settings) -> None:
    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        text = f"{settings.data} is no folder to write in ({error.strerror}): name one by --data"
        raise Refused(text) from None


def _load(settings: Settings) -> SecretKey:
    _make_folder(settings)
    return load_key(settings.key_file).key
