"""Cases of the laws about what players are told in the end, over relays and on Scuttlebutt."""

import base64
import json
from dataclasses import replace
from typing import Any

from arbiter.nostr.event import EventTemplate
from tests.builders import EVE, NOW_MS, SERVER
from tests.simulation import history
from tests.simulation.checker.evidence import Evidence
from tests.simulation.checker.wire import stand_in
from tests.simulation.history import History
from tests.simulation.law_cases import runs
from tests.simulation.law_cases.runs import Cases, casual, mate
from tests.simulation.made_history import Story

FEED = f"@{'f' * 43}=.ed25519"
KEY = f"%{base64.b64encode(bytes(32)).decode()}.sha256"
VERDICT = {"verdict": {"about": "%m", "reason": "no"}}
LINE = {"type": "chess_chat", "msg": "Arbiter: you play black"}
RESULT = {"type": "chess_chat", "verdict": {"reason": "result", "result": "1-0"}}
UNKNOWN = {"game": None, "version": None, "ply": None, "fen": None, "result": None}
TWO_KEYS = {"servers": ("f" * 64, SERVER.pubkey)}


def believed(run: History | None = None, /, **changes: Any) -> History:
    run = run or mate()
    first, *others = run.beliefs
    return replace(run, beliefs=(replace(first, **changes), *others))


def half_published(*, later_state_too: bool) -> History:
    """A player missed the last state but one, which one relay took and another did not."""
    run = believed(version=(mate().beliefs[0].version or 0) - 1)
    *_, before, last = runs.said(run, runs.STATE)
    at = last if later_state_too else before
    one: Any = run.happenings[at]
    return runs.put(run, at, one, replace(one, way="relay 2"))


def untaken(kind: int, told: str = "no") -> History:
    run = mate()
    at = runs.said(run, kind)[-1]
    one: Any = run.happenings[at]
    return runs.put(run, at, replace(one, taken=False, told=told))


def missing_note(*instead: history.Happening, **changes: Any) -> History:
    """No note of the game was published."""
    run = mate()
    (at,) = runs.said(run, 64)
    return replace(runs.put(run, at, *instead), **changes)


def exchanged(seconds: int) -> history.Fired:
    at_ms = history.of_kind(mate().happenings, history.Published)[-1].at_ms
    return history.Fired(at_ms=at_ms - seconds * 1000, kind="F43")


def dead_note(days: int) -> History:
    run = mate()
    body = json.dumps({"republish": {"game_id": next(iter(Evidence(run).games))}})
    dead = history.DeadLettered(
        at_ms=run.ended_at_ms, queue="republish", group="", record="r", body=body
    )
    return missing_note(dead, ended_at_ms=run.ended_at_ms + days * runs.DAY_MS)


def heard_over(way: str, before_ms: int = 0) -> History:
    """All was heard over this relay so long before it was answered, over another."""
    run = mate()
    told = [
        replace(it, way=way, at_ms=it.at_ms - before_ms) if isinstance(it, history.Heard) else it
        for it in run.happenings
    ]
    return replace(run, happenings=(*told, history.of_kind(run.happenings, history.Heard)[-1]))


def asked(status: str, *, named: bool) -> Story:
    """Eve asks for a game, which comes to this status; the answer names her request or does not."""
    story = Story()
    event = story.signs(EVE, 20300, "", (runs.TO_SERVER,))
    story.arrives(event)
    about = (("p", EVE.pubkey), *((("e", event.id),) if named else ()))
    story.says(EventTemplate(20301, about, "queued", 1))
    story.answers(status, event.id)
    return story


def outbox(content: dict[str, Any], days: int) -> History:
    run = mate()
    body = json.dumps({"id": "a" * 64, "content": content})
    same: dict[str, Any] = {"queue": "scuttlebutt.fifo", "group": "g", "dedup_id": "d"}
    one = history.Queued(at_ms=run.ended_at_ms, by="worker", body=body, status="taken", **same)
    return replace(runs.add(run, one), ended_at_ms=run.ended_at_ms + days * runs.DAY_MS)


def wrote(content: dict[str, Any], who: str = "feed", author: str = FEED) -> history.Authored:
    text = json.dumps(content)
    return history.Authored(at_ms=NOW_MS, who=who, author=author, key=KEY, sequence=1, content=text)


def on_a_feed(days: int) -> History:
    """A player's move lies dead for so long."""
    one = wrote({"type": "chess_move", "root": KEY, "orig": "e2", "dest": "e4"})
    letter = {"kind": 20310, "content": json.dumps({"key": KEY})}
    event = {"id": "", "pubkey": "", "created_at": 0, "tags": [], "sig": "", **letter}
    body = json.dumps({"event": event})
    dead = history.DeadLettered(at_ms=NOW_MS, queue="moves.fifo", group="", record="r", body=body)
    feed = history.Actor(name="feed", pubkeys=(stand_in(SERVER.pubkey, FEED),), dialect="ssb")
    told, ended_ms = (one, dead), NOW_MS + days * runs.DAY_MS
    return History(
        seed=1, servers=(SERVER.pubkey,), actors=(feed,), happenings=told, ended_at_ms=ended_ms
    )


def as_arbiter(content: dict[str, Any]) -> History:
    return runs.add(mate(), wrote(content, history.ARBITER))


BREAKS: Cases = {
    "players_know_their_games": [
        lambda: believed(version=1),
        lambda: half_published(later_state_too=True),
        lambda: believed(asked=("a" * 64,)),
        lambda: believed(casual().history, **UNKNOWN),
    ],
    "the_last_word_got_out": [
        *(lambda kind=kind: untaken(kind) for kind in (runs.STATE, 64, 30300)),
        lambda: missing_note(exchanged(90), **TWO_KEYS),
        lambda: dead_note(12),
    ],
    "every_relay_is_spoken_over": [lambda: heard_over("relay 9")],
    "every_refusal_is_said": [lambda: asked("queued", named=False)],
    "nothing_is_uttered_twice": [lambda: as_arbiter({"type": "chess_chat", "utterance": "a"})],
    "utterances_are_true": [lambda: as_arbiter({"type": "chess_invite_accept", "root": KEY})],
    "everything_is_uttered": [
        lambda: outbox(VERDICT, 13),
        lambda: outbox(LINE, 13),
        lambda: outbox(RESULT, 14),
    ],
    "every_message_is_answered": [lambda: on_a_feed(12)],
}
