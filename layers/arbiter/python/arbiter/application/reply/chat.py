"""Chat beside a game, carried to players on another network only.

Invariant: chat changes no game and is not kept; what cannot be carried is dropped, and no author
can make us write more than a few lines a minute, for some networks forget nothing.
"""

import chess

from arbiter.application.deps import ArbiterDeps, is_to_be_told
from arbiter.application.door import are_apart
from arbiter.application.results import Result, load_named_game
from arbiter.core.game import BLACK, WHITE, Game
from arbiter.core.replies import ChatMessage, Reason, Rejected
from arbiter.dialects import native
from arbiter.dialects.base import Chat, Dialect
from arbiter.dialects.chat import clean
from arbiter.dialects.registry import DIALECTS

BOTH = frozenset({WHITE, BLACK})
LINES_OF_AUTHOR, AUTHOR_SECONDS = 5, 10
LINES_OF_GAME, GAME_SECONDS = 30, 60

TALK_AFTER_MS = 24 * 60 * 60 * 1000
"""Time after its end for which a game's chat is carried, not for ever."""


def carry(deps: ArbiterDeps, dialect: Dialect, chat: Chat, event_key: str) -> Result:
    game = load_named_game(deps, chat.of)
    colors = _unable_to_read(game, dialect, chat) if game else frozenset()
    if game is None or not (colors or (dialect.bridge and not chat.is_private)):
        return Result(status="chat-not-carried", event_key=event_key)
    players = {game.white.player, game.black.player}
    if any(are_apart(deps.lobby, chat.author, player) for player in players - {chat.author}):
        return Result(status="chat-blocked", event_key=event_key, game_id=game.id)
    if game.outcome is not None and deps.clock.now_ms() > game.end_ms + TALK_AFTER_MS:
        return Result(status="chat-too-late", event_key=event_key, game_id=game.id)
    text = chat.text
    if chat.is_private and dialect.bridge is None:
        text = (deps.encrypter.decrypt(chat.author, text) if deps.encrypter else None) or ""
    if not (line := clean(text)):
        return Result(status="chat-unreadable", event_key=event_key, game_id=game.id)
    if not _within_share(deps, game, chat):
        return _one_too_many(deps, dialect, game, chat.author, event_key)
    message = ChatMessage(game, chat.author, line, chat.is_private, colors)
    return Result(
        status="chat-carried",
        replies=(message,),
        event_key=event_key,
        dialect=dialect.name,
        game_id=game.id,
    )


def _unable_to_read(game: Game, dialect: Dialect, chat: Chat) -> frozenset[chess.Color]:
    """The colours of who cannot read this where it was written: elsewhere, or in another talk."""
    color = game.color_of(chat.author)
    if chat.is_private and color is None:
        return frozenset()
    bridged = {color for color in BOTH if DIALECTS[game.seat(color).dialect].bridge}
    if dialect.bridge is None:
        return frozenset(bridged - {color} if chat.is_private else bridged)
    if isinstance(chat.of, str):
        # Two who talk there among themselves.
        return frozenset()
    if chat.is_private:
        return frozenset({not color})
    return frozenset(one for one in bridged if game.seat(one).address != chat.of.address)


def _one_too_many(
    deps: ArbiterDeps, dialect: Dialect, game: Game, author: str, event_key: str
) -> Result:
    """The result of a line beyond a rate. Chat has no form for a refusal but a move's."""
    text = "too many lines of chat: wait a minute"
    what = f"chat:{game.id}:{author}"
    is_told = is_to_be_told(deps, what, GAME_SECONDS, deps.clock.now_ms())
    return Result(
        status="chat-rate-limited",
        replies=(Rejected(author, Reason.RATE_LIMITED, text, game),) if is_told else (),
        event_key=event_key,
        dialect=native.NAME if dialect.wire.is_on_relays else dialect.name,
        game_id=game.id,
    )


def _within_share(deps: ArbiterDeps, game: Game, chat: Chat) -> bool:
    rates, now_ms = deps.rate_limits, deps.clock.now_ms()
    if rates is None:
        return False
    # However much its spectators say, the players of a game can talk.
    whose = "spectators" if game.color_of(chat.author) is None else "players"
    return rates.take(
        f"chat-of:{chat.author}", LINES_OF_AUTHOR, AUTHOR_SECONDS, now_ms
    ) and rates.take(f"chat-in:{game.id}:{whose}", LINES_OF_GAME, GAME_SECONDS, now_ms)
