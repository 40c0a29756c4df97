"""One record of the queue: who signed what, in which dialect, and what comes of it.

Three fates: an event is answered (accepted or refused), or dropped because it is malformed or not
ours, or an infrastructure failure is raised for the queue to retry. The queue is no trust
boundary: everything is checked again.
"""

import json
import re

from arbiter.application.answer import Answer, Bench
from arbiter.application.lobby import request_game
from arbiter.application.play import play
from arbiter.core.replies import Reason, Rejected
from arbiter.dialects.dialect import (
    AnswerChallenge,
    AskWhere,
    CancelRequests,
    Dialect,
    GameCommand,
    RequestToPlay,
    Unaddressed,
)
from arbiter.dialects.registry import BY_KIND
from arbiter.nostr.event import (
    Malformed,
    VerifiedEvent,
    all_tags,
    event_from_json,
    first_tag,
    verify,
)

_SECONDS = re.compile(r"[0-9]{1,12}")


def hear(bench: Bench, body: str) -> Answer:
    """Answer one record body: ``{"event": {…}, "received_at_ms": …}``."""
    received = _read(body)
    if isinstance(received, str):
        return Answer(fate=received)
    event, received_at_ms = received
    dialect = BY_KIND.get(event.kind)
    if dialect is None:
        return Answer(fate="unknown-kind", cause=event.id)
    if event.pubkey == bench.server:
        return Answer(fate="our-own", cause=event.id)
    if not any(tag[1:2] == (bench.server,) for tag in all_tags(event, "p")):
        return Answer(fate="not-for-us", cause=event.id)
    if is_expired(event, received_at_ms):
        return Answer(fate="expired", cause=event.id)
    return _answer(bench, dialect, event, received_at_ms)


def is_expired(event: VerifiedEvent, at_ms: int) -> bool:
    """NIP-40: "Clients SHOULD ignore events that have expired." An expiration that is no number is
    none.
    """
    tag = first_tag(event, "expiration")
    if tag is None or len(tag) < 2 or not _SECONDS.fullmatch(tag[1]):  # noqa: PLR2004 - name and value
        return False
    return int(tag[1]) * 1000 < at_ms


def _read(body: str) -> tuple[VerifiedEvent, int] | str:
    """The verified event and when it was received, or the fate of a record that holds none."""
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        return "unreadable"
    if not isinstance(record, dict) or type(record.get("received_at_ms")) is not int:
        return "unreadable"
    event = event_from_json(record.get("event"))
    verified = event if isinstance(event, Malformed) else verify(event)
    if isinstance(verified, Malformed):
        return f"malformed-{verified.flaw}"
    return verified, record["received_at_ms"]


def _answer(bench: Bench, dialect: Dialect, event: VerifiedEvent, received_at_ms: int) -> Answer:
    match dialect.decode(event, received_at_ms):
        case GameCommand() as asked:
            return play(bench, dialect, asked, event.id, received_at_ms)
        case RequestToPlay() | CancelRequests() | AnswerChallenge() | AskWhere() as asked:
            return request_game(bench, asked, event)
        case Unaddressed(player, text):
            refusal = Rejected(player, Reason.UNKNOWN_GAME, text)
            return Answer(
                fate="unaddressed", replies=(refusal,), cause=event.id, asked_in=dialect.name
            )
