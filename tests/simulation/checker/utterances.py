"""The arbiter's own log on Scuttlebutt, against the outbox and against what stood in the table."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.judging import board_of
from tests.simulation.checker.logs import DIALECT, Uttered, id_of, root_of
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.checker.wire import LETTER, read_record
from tests.simulation.history import Queued

OUTBOX = "scuttlebutt.fifo"
KEPT_FOR_THE_BRIDGE_MS = 1_209_600_000
"""Fourteen days: longer no queue keeps anything, for a bridge that does not come for it."""

ADDED = frozenset({"utterance", "branch", "recps"})
"""What the bridge adds to the content of an utterance."""

Content = Mapping[str, Any]


def nothing_is_uttered_twice(evidence: Evidence) -> Iterator[Violation]:
    """What has one id is written once, as the outbox had it; and what is written has an id."""
    asked: dict[str, list[Content]] = {}
    for _, record in _records(evidence):
        told = json.loads(record.body)
        asked.setdefault(told["id"], []).append(told["content"])
    known: dict[str, Uttered] = {}
    judged: dict[str, Uttered] = {}
    for one in evidence.logs.uttered:
        if one.content.get("type") == "about":
            continue
        if known.setdefault(one.id, one) is not one:
            yield Violation(Law.ONE_ANSWER, (one.id, one.key), "it was written twice")
        content = {name: value for name, value in one.content.items() if name not in ADDED}
        if content not in asked.get(one.id, []):
            yield Violation(Law.ONE_ANSWER, (one.id, one.key), "nobody asked to have it written")
        verdict = one.content.get("verdict", {})
        about = verdict.get("about") if verdict.get("reason") != "disputed" else None
        if about and judged.setdefault(about, one) is not one:
            yield Violation(Law.ONE_ANSWER, (one.id, about), "one message was judged twice")
    for id_, contents in asked.items():
        is_verdict = any("verdict" in content for content in contents)
        if not is_verdict and any(content != contents[0] for content in contents):
            yield Violation(Law.ONE_ANSWER, (id_,), "one id was given to two contents")


def utterances_stand(evidence: Evidence) -> Iterator[Violation]:
    """What is written of a game stood in the table by then; its moves follow each other."""
    games = _games(evidence)
    plies: dict[str, int] = {}
    for one in evidence.logs.uttered:
        root = str(one.content.get("root"))
        stood = [version for version in games.get(root, ()) if version.at < one.at]
        if sentence := _untrue(one.content, stood):
            yield Violation(Law.STORED_BEFORE_SAID, (root, one.key), sentence)
        ply = one.content.get("ply")
        if ply is not None:
            if ply <= plies.get(root, 0):
                sentence = f"half-move {ply} follows half-move {plies[root]}"
                yield Violation(Law.ONE_ANSWER, (root, one.key), sentence)
            plies[root] = ply


def _untrue(content: Content, stood: list[Version]) -> str | None:
    kind, ply = content.get("type"), content.get("ply")
    if kind == "chess_invite_accept":
        return None if stood else "a game was said to have begun, and was not stored"
    if kind not in {"chess_move", "chess_game_end"}:
        return _untrue_result(content.get("verdict") or {}, stood)
    if not stood:
        return "a move or an end was written of a game that was not stored"
    latest = stood[-1].after
    if kind == "chess_game_end" and not latest.is_over:
        return "an end was written of a game that was not over"
    if ply is None:
        return None
    made = [*latest.moves[:ply]]
    said = f"{content['orig']}{content['dest']}{content.get('promotion', '')}"
    if len(made) < ply or made[-1] != said:
        return f"half-move {ply} is written as {said}, and was not stored so"
    board = board_of(latest)
    while len(board.move_stack) > ply:
        board.pop()
    return None if board.fen() == content["fen"] else f"half-move {ply} leads to another position"


def _untrue_result(verdict: Content, stood: list[Version]) -> str | None:
    if verdict.get("reason") != "result":
        return None
    is_so = stood and stood[-1].after.is_over and stood[-1].after.result == verdict["result"]
    return None if is_so else "a result was written that was not stored"


def everything_is_uttered(evidence: Evidence) -> Iterator[Violation]:
    """In the end everything that was to be written is written; a message is judged once. A line, or
    a verdict on a message, is lost with its queue when the bridge is away for two weeks.
    """
    if not evidence.history.is_quiet:
        return
    written = {one.id for one in evidence.logs.uttered}
    judged = {one.content.get("verdict", {}).get("about") for one in evidence.logs.uttered}
    for _, record in _records(evidence):
        told = json.loads(record.body)
        verdict = told["content"].get("verdict", {})
        about = verdict.get("about")
        is_line = told["content"].get("type") == "chess_chat" and not verdict
        # Moves and results are said again when somebody speaks in their game, and must be.
        kept_ms = evidence.history.ended_at_ms - record.at_ms
        if (about or is_line) and kept_ms >= KEPT_FOR_THE_BRIDGE_MS:
            continue
        if told["id"] not in written and about not in judged - {None}:
            yield Violation(Law.TOLD, (told["id"],), "it was never written")


def every_message_is_answered(evidence: Evidence) -> Iterator[Violation]:
    """What an honest player writes into a game of his comes to an answer of the arbiter's, unless
    it lay among the dead letters until they were gone.
    """
    if not evidence.history.is_quiet:
        return
    answered = {one.event for _, one in evidence.answered if one.status != "failed"}
    for body in evidence.lost_among_the_dead:
        letter = read_record(body).event
        if letter is not None and letter.kind == LETTER:
            answered.add(id_of(json.loads(letter.content)["key"]))
    for _, event in evidence.logs.events:
        if event.content and event.pubkey in evidence.honest and event.id not in answered:
            yield Violation(Law.ACCOUNTED, (event.id,), f"{event.content!r} was never answered")


def _records(evidence: Evidence) -> Iterator[tuple[int, Queued]]:
    for at, one in evidence.queued:
        if one.queue == OUTBOX and one.status in {"taken", "unknown"}:
            yield at, one


def _games(evidence: Evidence) -> dict[str, list[Version]]:
    """The versions of the game that each invitation led to."""
    found: dict[str, list[Version]] = {}
    for versions in evidence.games.values():
        last = versions[-1].after
        for side in (last.white, last.black):
            if side.dialect == DIALECT:
                found.setdefault(root_of(side.address), []).extend(versions)
    return found
