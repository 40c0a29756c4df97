"""An arbiter's messages to a bot, and keys that anyone can make."""

from collections.abc import Sequence

import chess

from arbiter.nostr.event import NostrEvent
from arbiter.nostr.keys import SecretKey
from clients.player.events import Draft
from clients.player.messages import Message, State, read_message

NOW = 1_800_000_000_000
ARBITER, ME, OTHER = (SecretKey(bytes([number]) * 32).pubkey for number in (1, 2, 3))
GAME = "a" * 32


def event(kind: int, content: str, *tags: tuple[str, ...], at: int = NOW) -> NostrEvent:
    """An event of the arbiter whose signature was found right."""
    draft = Draft(ARBITER, at // 1000, kind, tags, content)
    return NostrEvent(draft.id, ARBITER, draft.created_at, kind, tags, content, "")


def told(kind: int, content: str, *tags: tuple[str, ...], at: int = NOW) -> Message:
    """The message as the bot reads it."""
    message = read_message(event(kind, content, *tags, at=at), ARBITER)
    assert message is not None
    return message


def state_event(
    moves: Sequence[str] = (),
    *extra: tuple[str, ...],
    version: int | None = None,
    game: str = GAME,
    white: str = ME,
    black: str = OTHER,
    time: str = "180+2",
    clock: tuple[int, int] = (180_000, 180_000),
    at: int = NOW,
) -> NostrEvent:
    """A 20302 as the arbiter signs it."""
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    shown = version if version is not None else len(moves) + 1
    tags: list[tuple[str, ...]] = [("d", game), ("p", white), ("p", black), ("version", str(shown))]
    tags += [("ply", str(len(moves)))]
    if moves:
        tags.append(("moves", *moves))
    if time:
        tags.append(("time", time))
        tags.append(("clock", *map(str, clock)))
        if not any(tag[0] == "result" for tag in extra):
            left = clock[len(moves) % 2] if len(moves) > 1 else 30_000
            tags.append(("deadline", str(at + left + 1_000)))
    return event(20302, board.fen(), *tags, *extra, at=at)


def state(
    moves: Sequence[str] = (), *extra: tuple[str, ...], at: int = NOW, **other: object
) -> State:
    """The same, read."""
    message = read_message(state_event(moves, *extra, at=at, **other), ARBITER)  # type: ignore[arg-type]
    assert isinstance(message, State)
    return message
