"""What feeds of Scuttlebutt write of games that go on, most often the next move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import chess

from tests.bridge.logs import ANNA, BERT, CARL, US
from tests.fuzz.choices import Choices
from tests.fuzz.texts import nearly, usually
from tests.fuzz.values import a_value
from tests.nostr.hostile.case import PLAYER

_FEEDS = (ANNA, BERT, CARL)
_UCI = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7", "f2f3", "g2g4", "d8h4", "e7e8")
_STATUSES = ("mate", "draw", "stalemate", "resigned")
_SANS = ("e4", "Nf3", "Qxf7#", "Qh4#", "e8=Q", "O-O", "--")
_FENS = (
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
)
_LINES = ("/draw", " /DRAW ", "hello", "")
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


def stories(choices: Choices) -> tuple[Said, ...]:
    """What three feeds say to us and to each other, in the order of their logs."""
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


def addressed(said: Said, feeds: Sequence[str], roots: Sequence[str]) -> Content:
    """The content with whom or which game it is about; ``roots`` are the invitations so far."""
    kind = said.content["type"]
    if isinstance(kind, str) and kind.endswith("chess_invite"):
        return {"inviting": feeds[said.about % len(feeds)], **said.content}
    if kind == "contact":
        return said.content
    root = roots[-1 - said.about % len(roots)] if roots else f"%{'A' * 43}=.sha256"
    return {"root": root, **said.content}
