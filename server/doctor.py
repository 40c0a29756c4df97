"""`arbiter doctor`: every setting and where it came from, the key, the file, port and relays."""

import socket
import sqlite3
from collections.abc import Iterator

from arbiter.adapters.relays.connection import trouble_with
from arbiter.adapters.sqlite.errors import StoreError, StoreInUse
from arbiter.adapters.sqlite.store import Store
from server.key import KeyRefused, load_key
from server.settings import Settings

_TABLES = ("items", "inbox", "timers", "republish", "outbox", "dead_letters")


def examine(settings: Settings) -> int:
    print("Settings")
    for name, value in settings.values().items():
        shown = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
        print(f"  {name:<45}{shown or '-':<30} {settings.sources[name]}")
    print("Findings")
    is_well = True
    for good, text in _findings(settings):
        is_well = is_well and good
        print(f"  {'ok  ' if good else 'BAD '} {text}")
    return 0 if is_well else 1


def _findings(settings: Settings) -> Iterator[tuple[bool, str]]:
    if settings.data.exists() and not settings.data.is_dir():
        yield False, f"{settings.data} is no folder"
        return
    yield _key(settings)
    is_running = False
    if settings.database.exists():
        try:
            Store.open(settings.database).close()
        except StoreInUse:
            is_running = True
            yield True, f"{settings.database} is open in a running server"
        except StoreError as error:
            yield False, str(error)
            return
        yield True, f"{settings.database}: {_contents(settings)}"
    else:
        yield True, f"{settings.database} will be made by the first start"
    if not is_running:
        yield _port(settings)
    for url in settings.relays:
        trouble = trouble_with(url)
        yield trouble is None, f"{url} {trouble or 'accepts connections'}"


def _key(settings: Settings) -> tuple[bool, str]:
    if not settings.key_file.exists():
        return True, f"{settings.key_file} will be made by the first start"
    try:
        key = load_key(settings.key_file).key
    except KeyRefused as refused:
        return False, str(refused)
    return True, f"{settings.key_file} is the key of {key.pubkey}"


def _contents(settings: Settings) -> str:
    try:
        with sqlite3.connect(f"{settings.database.absolute().as_uri()}?mode=ro", uri=True) as file:
            counts = {
                table: file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
                for table in _TABLES
            }
    except sqlite3.Error as error:
        return f"not readable now ({error})"
    return ", ".join(f"{count} {table}" for table, count in counts.items())


def _port(settings: Settings) -> tuple[bool, str]:
    address = settings.listen
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address.host, address.port))
    except OSError as error:
        return False, f"{address} cannot be listened at: {error.strerror}"
    return True, f"{address} is free"
