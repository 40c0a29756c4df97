"""`arbiter policy`: who may play, who is shown and whether games begin, here or on a stack's table.

A running server obeys a request that its own key signs; a file that none has open is changed.
"""

import argparse
import json
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.table import Table
from arbiter.adapters.sqlite.errors import StoreInUse
from arbiter.application.intake.routing import MEMBERS_KIND
from arbiter.application.operator import WORDS, change_policy, read_command
from arbiter.application.ports import RepublishQueue
from arbiter.application.re_rating import rate_anew
from arbiter.nostr.event import is_hex_32_bytes
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import decode_naddr
from arbiter.nostr.nip98 import http_auth_header, http_auth_template
from arbiter.web.routes.operator import policy_view
from server.settings import Settings

_HELP = {
    "list": "the policy and its last changes",
    "deny": "a key may not play",
    "admit": "take that back",
    "allow": "only the keys that are allowed play",
    "disallow": "take that back; without a key everybody may play",
    "hide": "a key is in no list and on no leaderboard",
    "show": "take that back",
    "void": "the rated games of a key, or between two, do not count",
    "count": "take that back",
    "close": "no new games begin",
    "open": "take that back",
    "notices": "players who ask for it are told of their turn while they are away",
    "quiet": "take that back",
    "operator": "on a stack, the key that may change the policy; without one, none",
    "vacation": "the days of a year that a player may take off in each game by days: --days 30",
    "rate": "compute all ratings again by the policy",
}
_ASK_SECONDS = 60
_MAX_DOCUMENT = 65_536
_GROUP_KINDS = 39000, 39003
"""Metadata, admins, members, roles."""


class PolicyRefused(Exception):
    """The reason why the policy was not changed; the text is for the operator."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the policy."""
    words = "; ".join(f"{word}: {text}" for word, text in _HELP.items())
    parser.add_argument("word", choices=[*_HELP], metavar="WORD", help=words)
    parser.add_argument("keys", nargs="*", metavar="KEY", help="npub1… or 64 hexadecimal digits")
    parser.add_argument("--reason", default="", metavar="TEXT", help="for the player, or for all")
    for name in ("from", "until"):
        text = f"{name} when, such as 2026-12-24 or 2026-12-24T18:00 (this machine's time)"
        parser.add_argument(f"--{name}", metavar="TIME", help=text)
    text = "allow: the members of a NIP-29 group, by its naddr1… or RELAY'ID"
    parser.add_argument("--group", default="", metavar="GROUP", help=text)
    parser.add_argument("--days", type=int, metavar="DAYS", help="vacation: how many; 0 for none")
    parser.add_argument("--end-games", action="store_true", help="deny: running games end")


def add_policy(
    commands: Any,  # noqa: ANN401 - argparse has no public type for it
    command: Callable[[Settings, Mapping[str, Any]], int],
    flags: Mapping[str, tuple[str, str]],
) -> None:
    text = "show or change who may play, who is listed, which games count, and whether any begin"
    parser = commands.add_parser("policy", help=text, description=text)
    parser.set_defaults(command=command)
    add_arguments(parser)
    for flag, (value, help_text) in flags.items():
        parser.add_argument(f"--{flag}", metavar=value, help=help_text)


def on_this_machine(settings: Settings, key: SecretKey, options: Mapping[str, Any]) -> int:
    """Change the policy of this machine's server, running or not. Raises PolicyRefused."""
    from arbiter.adapters.sqlite.queues import SqliteRepublishQueue  # noqa: PLC0415 - for one way
    from arbiter.adapters.sqlite.store import Store  # noqa: PLC0415
    from arbiter.adapters.sqlite.table import SqliteTable  # noqa: PLC0415
    from arbiter.adapters.timers import SystemClock  # noqa: PLC0415

    try:
        store = Store.open(settings.database)
    except StoreInUse:
        base = f"http://{settings.listen}"
        found = _asked(base, key, options)
        _print(found["policy"], found["names"])
        return 0
    with store:
        queue = SqliteRepublishQueue(store, SystemClock())
        return on_table(SqliteTable(store), queue, options, "arbiter policy")


def on_table(table: Table, queue: RepublishQueue, options: Mapping[str, Any], by: str) -> int:
    """Change the policy in this table, with what follows from it. Raises PolicyRefused."""
    store, word = StoredPolicy(table), options["word"]
    if word in WORDS:
        command = read_command(said_by(options))
        if isinstance(command, str):
            raise PolicyRefused(command)
        if refused := change_policy(store, queue, command, int(time.time() * 1000), by):
            raise PolicyRefused(refused)
    policy = store.load()
    if word in ("void", "count", "rate"):
        changed = rate_anew(StoredGames(table), StoredRatings(table), queue, policy)
        print(f"{changed} ratings changed")
    _print(policy_view(policy), {})
    return 0


def said_by(options: Mapping[str, Any]) -> dict[str, Any]:
    """The command of these options, as the page sends it."""
    times = {name: _seconds(options[name]) for name in ("from", "until")}
    return {
        "word": options["word"],
        "keys": options["keys"],
        "reason": options["reason"],
        "ends_games": options["end_games"],
        "group": group_address(options["group"]),
        "days": options["days"],
        **{name: at for name, at in times.items() if at is not None},
    }


def group_address(text: str) -> str:
    """The address of the list of a group's members: of an naddr of any of its events, or of
    ``relay'id`` by the key that the relay names as its own. Raises PolicyRefused.
    """
    host, quote, group_id = text.rpartition("'")
    if not text:
        return ""
    if quote:
        return f"{MEMBERS_KIND}:{_key_of_relay(host)}:{group_id or '_'}"
    found = decode_naddr(text)
    if found is None or not _GROUP_KINDS[0] <= found[0] <= _GROUP_KINDS[1]:
        raise PolicyRefused("--group: the naddr1… of a group (NIP-29), or RELAY'ID")
    return f"{MEMBERS_KIND}:{found[1]}:{found[2]}"


def _key_of_relay(host: str) -> str:
    """The key of this relay, as NIP-11's "self" (NIP-29). Raises PolicyRefused."""
    address = "http" + host[2:] if host.startswith(("ws://", "wss://")) else f"https://{host}"
    asked = urllib.request.Request(address, headers={"Accept": "application/nostr+json"})  # noqa: S310
    try:
        with urllib.request.urlopen(asked, timeout=_ASK_SECONDS) as answer:  # noqa: S310
            key = json.loads(answer.read(_MAX_DOCUMENT)).get("self")
    except (OSError, ValueError, AttributeError) as error:
        raise PolicyRefused(f"--group: {host} does not say its key: {error}") from None
    if not is_hex_32_bytes(key):
        raise PolicyRefused(f"--group: {host} names no key of its own (NIP-11, self)")
    return key


def _seconds(text: str | None) -> int | None:
    try:
        return int(datetime.fromisoformat(text).timestamp()) if text else None
    except ValueError:
        raise PolicyRefused(f"{text} is no time: 2026-12-24, or 2026-12-24T18:00") from None


def _asked(base: str, key: SecretKey, options: Mapping[str, Any]) -> dict[str, Any]:
    """The running server's answer to this command. Raises PolicyRefused."""
    word = options["word"]
    if word == "rate":
        raise PolicyRefused("a running server computes ratings by itself, after void and count")
    path, method, body = "/operator/policy", "POST", json.dumps(said_by(options)).encode()
    if word == "list":
        path, method, body = "/operator/state", "GET", b""
    asked = http_auth_template(method, base + path, body, int(time.time()))
    # A signature is taken once: two within a second would be one event.
    signed = key.sign(replace(asked, tags=(*asked.tags, ("nonce", secrets.token_hex(8)))))
    request = urllib.request.Request(  # noqa: S310 - of this machine's own server
        base + path, body or None, {"Authorization": http_auth_header(signed)}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=_ASK_SECONDS) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as error:
        detail = json.loads(error.read() or b"{}").get("detail", error.reason)
        raise PolicyRefused(f"the server at {base} refused: {detail}") from None
    except OSError as error:
        raise PolicyRefused(
            f"a server has the file open, and none answers at {base}: name its address by --listen"
            f" ({error})"
        ) from None
    return found


def _print(policy: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Print the policy. ``names`` are those of players, by npub."""
    for line in _lines(policy):
        print(" ".join(f"{it} ({names[it]})" if it in names else it for it in line.split(" ")))


def _lines(policy: Mapping[str, Any]) -> Iterator[str]:
    """A line for each thing that the policy says."""
    for one in policy["denied"]:
        yield f"denied   {one['key']} {one['reason']}{_until(one)}"
    if policy["group"]:
        yield f"group    {policy['group']}"
    if policy["allowed"] is not None:
        yield f"members  {' '.join(policy['allowed']) or 'none: no key may play'}"
    yield from (f"hidden   {key}" for key in policy["hidden"])
    yield from (f"void     {' and '.join(it)}" for it in policy["void_pairs"])
    yield from (f"void     {key}" for key in policy["void_keys"])
    if closed := policy["closed"]:
        yield f"closed   from {_when(closed['from'])}{_until(closed)}: {closed['text']}"
    if policy["notices"]:
        yield "notices  players who ask for it are told of their turn"
    if policy["vacation_days"]:
        yield f"vacation {policy['vacation_days']} days a year of each game"
    if policy["operator"]:
        yield f"operator {policy['operator']}"
    yield "changes  " + ("the last:" if policy["changes"] else "none: everybody may play")
    for change in policy["changes"][:10]:
        yield f"  {_when(change['at'])} {change['by']}: {change['said']}"


def _until(one: Mapping[str, Any]) -> str:
    return f", until {_when(one['until'])}" if one["until"] else ""


def _when(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "minutes")
