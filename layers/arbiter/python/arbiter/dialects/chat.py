"""Chat between wires (PROTOCOL.md, Chat). Players on Nostr encrypt lines for each other; for an
opponent without a key they encrypt them for the arbiter, which sends them on over the other wire,
and signs lines from there with a ``said-by`` tag.
"""

import unicodedata

from arbiter.core.game import is_game_id
from arbiter.core.replies import ChatMessage, Reply
from arbiter.dialects.base import Chat, Decoded, Dialect, NoSuchGame, ReplyContext
from arbiter.dialects.outgoing import EncryptedEvent, Outgoing
from arbiter.nostr.event import EventTemplate, VerifiedEvent, all_tags

NAME = "chat"
PLAYERS_CHAT = 20305
SPECTATORS_CHAT = 20306
CHAT_KINDS = frozenset({PLAYERS_CHAT, SPECTATORS_CHAT})

LINE_CHARS = 140
"""A line is cut to what clients show."""

_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})
"""Unicode's categories of control, format, private and surrogate characters."""


def clean(text: str) -> str:
    """The line without characters that hide or reorder the text, cut to ``LINE_CHARS``."""
    seen = (" " if unicodedata.category(char) in _UNSEEN else char for char in text[:1000])
    return " ".join("".join(seen).split())[:LINE_CHARS]


def decode(event: VerifiedEvent, received_at_ms: int, _server: str = "") -> Decoded:
    """A line of a player or a spectator, decrypted already if it was private."""
    del received_at_ms
    named = [tag[1] for tag in all_tags(event, "d") if len(tag) > 1]
    if len(named) != 1 or not is_game_id(named[0]):
        return NoSuchGame(event.pubkey, "name one game in a d tag")
    return Chat(named[0], event.pubkey, event.content, event.kind == PLAYERS_CHAT)


def encode(reply: Reply, context: ReplyContext) -> tuple[Outgoing, ...]:
    """A line from another wire, for the players in ``context.colors`` or for all."""
    match reply:
        case ChatMessage(game=game, author=author, text=text, is_private=is_private):
            tags = (("d", game.id), ("said-by", author))
            if not is_private:
                return (EventTemplate(SPECTATORS_CHAT, tags, text, context.at),)
            players = [game.seat(color).player for color in context.colors]
            return tuple(
                EncryptedEvent(
                    player, EventTemplate(PLAYERS_CHAT, (*tags, ("p", player)), text, context.at)
                )
                for player in players
            )
        case _:
            return ()


DIALECT = Dialect(name=NAME, kinds=CHAT_KINDS, seeks=frozenset(), decode=decode, encode=encode)
