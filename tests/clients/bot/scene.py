"""A bot's session and what the arbiter tells it; keys that anybody can make."""

from collections.abc import Sequence

import chess

from clients.bot.config import Config, read_config
from clients.bot.events import Draft, Event, public_key
from clients.bot.messages import Message, State, read_message
from clients.bot.model import (
    Effect,
    EngineMoved,
    Input,
    Ready,
    Send,
    Tick,
)
from clients.bot.session import begin, reduce

NOW = 1_800_000_000_000
ARBITER, ME, OTHER = (public_key(bytes([number]) * 32) for number in (1, 2, 3))
GAME = "a" * 32
SECOND_GAME = "b" * 32


def event(kind: int, content: str, *tags: tuple[str, ...], at: int = NOW) -> Event:
    """An event of the arbiter whose signature was found right."""
    draft = Draft(ARBITER, at // 1000, kind, tags, content)
    return Event(draft.id, ARBITER, draft.created_at, kind, tags, content)


def told(kind: int, content: str, *tags: tuple[str, ...], at: int = NOW) -> Message:
    """What the bot reads of it."""
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
) -> Event:
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


class Scene:
    """A session that is given inputs, and the effects of the last."""

    def __init__(self, config: str | Config = "") -> None:
        """A bot that has asked for its game, at ``NOW``."""
        read = read_config(config) if isinstance(config, str) else config
        self.now = NOW
        self.effects: tuple[Effect, ...] = ()
        self.session = begin(read, ME, ARBITER)
        self.give(Ready())

    def give(self, given: Input) -> tuple[Effect, ...]:
        """One input; its effects."""
        self.session, self.effects = reduce(self.session, given, self.now)
        return self.effects

    def later(self, seconds: float) -> tuple[Effect, ...]:
        """A tick, so much later."""
        self.now += int(seconds * 1000)
        return self.give(Tick())

    def answer(self, content: str, *tags: tuple[str, ...]) -> tuple[Effect, ...]:
        """A 20301 that answers the last request."""
        draft, _ = self.session.requests[-1]
        return self.give(told(20301, content, ("e", draft.id), *tags, at=self.now))

    def error(self, content: str, draft: Draft) -> tuple[Effect, ...]:
        """A 20304 about an event of ours."""
        return self.give(told(20304, content, ("e", draft.id), ("d", GAME), at=self.now))

    def start(self, first: State | None = None, game: str = GAME) -> tuple[Effect, ...]:
        """The arbiter starts a game, White ours unless the state says otherwise."""
        self.give(told(20301, f"started:{game}:{OTHER}:w", at=self.now))
        return self.give(first or state(game=game))

    def think(self, move: str, score: int | None = 0) -> tuple[Effect, ...]:
        """The engine answers what it was asked."""
        game = self.session.game
        assert game is not None
        assert game.thinking is not None
        return self.give(EngineMoved(game.state.game, game.thinking.position, move, score))

    def sees(
        self, moves: Sequence[str], *extra: tuple[str, ...], **other: object
    ) -> tuple[Effect, ...]:
        """A state of the game, signed now."""
        return self.give(state(moves, *extra, at=self.now, **other))

    @property
    def sent(self) -> list[Draft]:
        """What the last input made the bot sign."""
        return [effect.draft for effect in self.effects if isinstance(effect, Send)]

    @property
    def said(self) -> list[str]:
        """Its contents."""
        return [draft.content for draft in self.sent]


def tag(draft: Draft, name: str) -> tuple[str, ...] | None:
    """The values of a draft's first tag of this name."""
    return next((values[1:] for values in draft.tags if values[0] == name), None)
