"""Changes of the policy by the operator: from a command line, a page or a signed list."""

import re
from typing import get_args

from arbiter.application.intake.queue_messages import end_games_body
from arbiter.application.ports import PolicyStore, RepublishQueue
from arbiter.application.records import LATEST_MS
from arbiter.core.policy import PolicyCommand, Word, changed
from arbiter.nostr.nip19 import pubkey_in

WORDS = get_args(Word)

_ATTEMPTS = 5

_GROUP = re.compile(r"(39002:[0-9a-f]{64}:[ -~]{1,64})?")
"""NIP-29: "identified by a random string of any length", which is bounded here."""


def change_policy(
    store: PolicyStore, queue: RepublishQueue, command: PolicyCommand, now_ms: int, by: str
) -> str | None:
    """Change the stored policy, and end games that are to end; the reason why not, if so."""
    for _ in range(_ATTEMPTS):
        before = store.load()
        after = changed(before, command, now_ms, by)
        if isinstance(after, str):
            return after
        try:
            is_written = store.commit(before, after)
        except ValueError as error:
            return str(error)
        if is_written:
            for key in command.keys if command.ends_games else ():
                queue.send(end_games_body(key), 0)
            return None
    return "others change the policy at the same time: try again"


def read_command(said: object) -> PolicyCommand | str:
    """The command in this JSON object, or what is wrong with it: ``word``, ``keys`` (npub or 64
    hex), ``reason``, ``from`` and ``until`` (unix seconds), ``ends_games``, ``group``,
    ``days``.
    """
    if not isinstance(said, dict) or said.get("word") not in WORDS:
        return f"word: one of {', '.join(WORDS)}"
    named = said.get("keys", [])
    texts = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    keys = [key for key in map(pubkey_in, texts) if key]
    if not isinstance(named, list) or len(keys) != len(named):
        return "keys: a list of npub1… or 64 hexadecimal digits"
    times = {name: said.get(name) for name in ("from", "until")}
    if any(at is not None and not _is_time(at) for at in times.values()):
        return "from and until: unix seconds"
    reason = said.get("reason", "")
    if not isinstance(reason, str):
        return "reason: a text"
    group = said.get("group", "")
    if not isinstance(group, str) or not _GROUP.fullmatch(group):
        return "group: 39002:, the key of its relay in 64 hexadecimal digits, : and its id"
    days = said.get("days")
    if days is not None and type(days) is not int:
        return "days: a number"
    from_ms, until_ms = (None if at is None else 1000 * at for at in times.values())
    return PolicyCommand(
        word=said["word"],
        keys=tuple(dict.fromkeys(keys)),
        reason=reason,
        from_ms=from_ms,
        until_ms=until_ms,
        ends_games=said.get("ends_games") is True,
        group=group,
        days=days,
    )


def _is_time(value: object) -> bool:
    return type(value) is int and 0 < value < LATEST_MS // 1000
