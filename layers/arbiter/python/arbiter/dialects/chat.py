"""Chat that the arbiter carries between wires. Pure.

Between two players on Nostr it takes no part: they seal their lines for each other, and everybody
hears the spectators. Only where one of them has no Nostr key does a client name the arbiter in a
``p`` tag instead, and seals what is private for him (PROTOCOL.md, Chat). He says it on the other
wire; and what was said there he says here, under his own name and with ``said-by``.
"""

import unicodedata

from arbiter.core.game import is_game_id
from arbiter.core.replies import ChatMessage, Reply
from arbiter.dialects.base import (
    Chat,
    Decoded,
    Dialect,
    EncryptedEvent,
    NoSuchGame,
    Outgoing,
    ReplyContext,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent, all_tags

NAME = "chat"
PLAYERS_CHAT = 20305
SPECTATORS_CHAT = 20306
CHAT_KINDS = frozenset({PLAYERS_CHAT, SPECTATORS_CHAT})

LINE_CHARS = 140
"""How much of a line is carried: as much as a client shows."""

_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})
"""Unicode's categories of control, formatting, private and surrogate characters."""


def clean(text: str) -> str:
    """A line as it is carried: nothing in it that turns, hides or breaks what stands around it."""
    seen = (" " if unicodedata.category(char) in _UNSEEN else char for char in text[:1000])
    return " ".join("".join(seen).split())[:LINE_CHARS]


def decode(event: VerifiedEvent, received_at_ms: int) -> Decoded:
    """What a player or a spectator says, sealed if it is private."""
    del received_at_ms
    named = [tag[1] for tag in all_tags(event, "d") if len(tag) > 1]
    if len(named) != 1 or not is_game_id(named[0]):
        return NoSuchGame(event.pubkey, "name one game in a d tag")
    return Chat(named[0], event.pubkey, event.content, event.kind == PLAYERS_CHAT)


def encode(reply: Reply, telling: ReplyContext) -> tuple[Outgoing, ...]:
    """A line that was said on another wire, for the players named or for everybody."""
    match reply:
        case ChatMessage(game=game, author=author, text=text, is_private=is_private):
            tags = (("d", game.id), ("said-by", author))
            if not is_private:
                return (EventTemplate(SPECTATORS_CHAT, tags, text, telling.at),)
            players = [game.seat(color).player for color in telling.colors]
            return tuple(
                EncryptedEvent(
                    player,
                    EventTemplate(PLAYERS_CHAT, (*tags, ("p", player)), text, telling.at),
                )
                for player in players
            )
        case _:
            return ()


DIALECT = Dialect(
    name=NAME,
    kinds=CHAT_KINDS,
    seeks=frozenset(),
    decode=decode,
    encode=encode,
)
