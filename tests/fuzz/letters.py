"""What feeds of Scuttlebutt write, by way of the bridge's gate and letters into the arbiter.

The peer has checked who wrote a message, and that its type and its root are texts of the right
shape. All else in it is a stranger's.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import chess

from arbiter.adapters.relays.counters import MemoryCounters
from arbiter.application.queue_messages import QueueEntry
from bridge.incoming import Incoming
from bridge.letters import Scribe
from tests.bridge.logs import ANNA, BERT, CARL, US, ArrivedLog, Author
from tests.builders import BRIDGE
from tests.fuzz.choices import Choices
from tests.fuzz.oracle import check
from tests.fuzz.texts import nearly, usually
from tests.fuzz.values import a_value
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import PLAYER, SERVER

_FEEDS = (ANNA, BERT, CARL)
_UCI = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7", "f2f3", "g2g4", "d8h4", "e7e8")
_STATUSES = ("mate", "draw", "stalemate", "resigned")
_SANS = ("e4", "Nf3", "Qxf7#", "Qh4#", "e8=Q", "O-O", "--")
_FENS = (
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
)
_LINES = ("/draw", " /DRAW ", "hello", "")
_SSB_BYTES = 8_192
"""What a message on Scuttlebutt has at most."""

Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """One message: by which feed, and whether in private. ``about`` is whom it invites (of us and
    the feeds), or how many invitations ago its game began.
    """

    by: int
    about: int
    content: Content
    private: bool = False


def _field(choices: Choices, words: Sequence[str]) -> object:
    return a_value(choices) if choices.chance(12) else usually(choices, words)


def _move(choices: Choices, uci: str, ply: int) -> Content:
    content: Content = {"type": "chess_move", "orig": uci[:2], "dest": uci[2:4], "ply": ply}
    if uci[4:] or choices.chance(12):
        content["promotion"] = uci[4:] or _field(choices, ("q", "n", "Q"))
    if choices.chance(4):
        content |= {"pgnMove": _field(choices, _SANS), "fen": _field(choices, _FENS)}
    return content


def _end(choices: Choices) -> Content:
    content = {"status": _field(choices, _STATUSES)}
    if choices.chance(2):
        content |= _move(choices, choices.pick(_UCI), choices.below(12))
    if choices.chance(6):
        content["winner"] = _field(choices, _FEEDS)
    return {**content, "type": "chess_game_end"}


_CONTENTS: tuple[Callable[[Choices], Content], ...] = (
    lambda choices: _move(choices, choices.pick(_UCI), choices.below(12)),
    _end,
    _end,
    lambda choices: {"type": "chess_chat", "msg": _field(choices, _LINES)},
    lambda choices: {"type": "chess_chat", "msg": "/draw"},
    lambda _: {"type": "chess_invite_accept"},
    lambda choices: {
        "type": "chess_invite",
        "myColor": _field(choices, ("white", "black")),
        "text": _field(choices, ("hello", PLAYER.pubkey, "npub1x")),
    },
    lambda choices: {"type": "contact", "contact": US, "following": not choices.chance(2)},
)


def _spoilt(choices: Choices, content: Content) -> Content:
    """The same with a field or two written over."""
    for _ in range(choices.pick((0, 0, 0, 0, 0, 1, 2))):
        content[nearly(choices, (*content, "x"))] = a_value(choices)
    kind = content["type"]
    is_ours = isinstance(kind, str) and kind.startswith("chess")
    return {**content, "type": f"ssb_{kind}"} if is_ours and choices.chance(8) else content


def _begun(choices: Choices) -> list[Said]:
    """How a game begins: two whom we bring together, or two who ask us to judge; or not at all."""
    white, black = ({"type": "chess_invite", "myColor": color} for color in ("white", "black"))
    follow: Content = {"type": "contact", "contact": US, "following": True}
    accept: Content = {"type": "chess_invite_accept"}
    of_ours = [Said(0, 0, white), Said(1, 0, black)]
    judged = [Said(0, 2, white), Said(1, 0, accept), Said(0, 0, follow), Said(1, 0, follow)]
    return choices.pick((of_ours, judged, judged, []))


def talks(choices: Choices) -> tuple[Said, ...]:
    """What three feeds say to us and to each other, in the order in which it reaches us: most often
    the next move of a game that goes on.
    """
    return tuple(_typed(one) for one in stories(choices))


def _typed(said: Said) -> Said:
    """The peer tells of nothing whose type is no text."""
    if isinstance(said.content["type"], str):
        return said
    return replace(said, content={**said.content, "type": "chess_move"})


def stories(choices: Choices) -> tuple[Said, ...]:
    """The same as it is in their logs, types and all."""
    said = _begun(choices)
    games_apart = len(said) == 2
    board = chess.Board()
    for _ in range(choices.below(16)):
        moves = sorted(move.uci() for move in board.legal_moves)
        if moves and not choices.chance(3):
            by, uci = board.ply() % 2, choices.pick(moves)
            board.push_uci(uci)
            about = 1 - by if games_apart else 0
            said.append(Said(by, about, _spoilt(choices, _move(choices, uci, board.ply()))))
        else:
            content = _spoilt(choices, choices.pick(_CONTENTS)(choices))
            by, about = choices.below(len(_FEEDS)), choices.below(3)
            said.append(Said(by, about, content, private=choices.chance(2)))
    return tuple(said)


class _Queue:
    """Hands every letter to the arbiter at once."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.words: list[str] = []

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        self.words += [self.stage.from_queue([entry.body]) for entry in batch]
        return ()


class _Cursor:
    def starts_after(self, now: int) -> int:
        del now
        return -1

    def advance(self, place: int, now: int) -> None:
        del place, now


def addressed(said: Said, feeds: Sequence[str], roots: Sequence[str]) -> Content:
    """The content with whom or which game it is about; ``roots`` are the invitations so far."""
    kind = said.content["type"]
    if isinstance(kind, str) and kind.endswith("chess_invite"):
        return {"inviting": feeds[said.about % len(feeds)], **said.content}
    if kind == "contact":
        return said.content
    root = roots[-1 - said.about % len(roots)] if roots else f"%{'A' * 43}=.sha256"
    return {"root": root, **said.content}


def talk(said: tuple[Said, ...]) -> str:
    """Have it arrive, message by message; the arbiter's words for what the gate let in."""
    log, authors = ArrivedLog(), [Author(feed) for feed in _FEEDS]
    roots: list[str] = []
    with Stage() as stage:
        queue, tally = _Queue(stage), MemoryCounters()
        incoming = Incoming(
            log=log,
            us=US,
            scribe=Scribe(BRIDGE, SERVER.pubkey, US),
            queue=queue,
            cursor=_Cursor(),  # type: ignore[arg-type]
            clock=stage.world.clock,
            tally=tally,
        )
        for one in said:
            content = addressed(one, (US, *_FEEDS), roots)
            written = authors[one.by].writes(content, private=one.private)
            if written.is_invite:
                roots.append(written.key)
            log.arrive(written)
            stage.world.clock.ms += 1_000
            incoming.step()
        check(stage)
        check_uttered(stage)
    counted = [f"gate-{word}" for word in tally.counts()]
    return " ".join((*queue.words, *counted))


def check_uttered(stage: Stage) -> None:
    """What we say on Scuttlebutt is short enough, and quotes players only in a chat passed on."""
    for said in stage.world.outbox.said:
        text = json.dumps(dict(said.content))
        assert len(text) < _SSB_BYTES
        verdict = dict(said.content).get("verdict")
        assert verdict is None or CANARY not in text
