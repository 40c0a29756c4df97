"""Events from relays, verified and read, and the encryption of chat.

Invariant: a relay may send anything; only the arbiter's signed messages get in, and chat and
profiles signed by their authors (or by the arbiter for players without a key). An error that was
stored before we subscribed is dropped.
"""

import secrets
from collections import OrderedDict

from arbiter.nostr.event import NostrEvent, ParseError, VerifiedEvent, all_tags, verify
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import NONCE_BYTES, conversation_key, decrypt, encrypt
from clients.terminal import wire
from clients.terminal.house import read_house
from clients.terminal.profiles import (
    PROFILE,
    RATING,
    Profile,
    Rating,
    read_profile,
    read_rating,
)
from clients.terminal.session import House
from clients.terminal.wire import ArbiterMessage, ChatLine

REMEMBERED = 1_000
"""Ids kept to drop copies from a second relay; a game is some hundred events."""

_ARBITER = frozenset({wire.RESPONSE_TO_REQUEST, wire.GAME_STATE, wire.GAME_ERROR, wire.PGN_NOTE})
_CHAT = frozenset({wire.PLAYERS_CHAT, wire.SPECTATORS_CHAT})
_PEOPLE = frozenset({PROFILE, RATING})
_READ_ONCE = _CHAT | {wire.GAME_ERROR, wire.PGN_NOTE}
"""A response or a state may come again under the same id in answer to a second request."""


_CONVERSATIONS_REMEMBERED = 50


class ChatCipher:
    """NIP-44 encryption between our key and others', whose conversation keys are cached."""

    def __init__(self, key: SecretKey) -> None:
        """``key`` is the player's own."""
        self._key = key
        self._conversations: dict[str, bytes] = {}

    def encrypt(self, text: str, pubkey: str) -> str | None:
        """The payload for this key; None if it is no key."""
        shared = self._with(pubkey)
        return None if shared is None else encrypt(text, shared, secrets.token_bytes(NONCE_BYTES))

    def decrypt(self, payload: str, pubkey: str) -> str | None:
        """The text that this key encrypted for us; None if it did not."""
        shared = self._with(pubkey)
        return None if shared is None else decrypt(payload, shared)

    def _with(self, pubkey: str) -> bytes | None:
        if pubkey not in self._conversations:
            if len(self._conversations) >= _CONVERSATIONS_REMEMBERED:
                self._conversations.clear()
            try:
                secret = bytes.fromhex(self._key.to_hex())
                self._conversations[pubkey] = conversation_key(secret, pubkey)
            except ValueError:
                return None
        return self._conversations[pubkey]


class Inbox:
    """Verifies events, and drops copies."""

    def __init__(
        self, server: str, me: str, *, watched: str | None = None, cipher: ChatCipher
    ) -> None:
        """``server`` and ``me`` are public keys in hex."""
        self._server = server
        self._me = me
        self._watched = watched
        self._cipher = cipher
        self._delivered: OrderedDict[str, None] = OrderedDict()

    def open(
        self, event: NostrEvent, *, stored: bool
    ) -> ArbiterMessage | ChatLine | Profile | Rating | House | None:
        """Read an event; None for forgeries, copies, and messages that are not its author's to
        send.
        """
        from_arbiter = event.pubkey == self._server and event.kind in _ARBITER
        if event.kind in _PEOPLE:
            return self._person(event)
        if event.kind == wire.ANNOUNCEMENT:
            return self._house(event)
        if not from_arbiter and event.kind not in _CHAT:
            return None
        if stored and event.kind == wire.GAME_ERROR:
            return None
        if event.kind in _READ_ONCE and event.id in self._delivered:
            return None
        verified = verify(event)
        if isinstance(verified, ParseError):
            return None
        self._delivered[verified.id] = None
        if len(self._delivered) > REMEMBERED:
            self._delivered.popitem(last=False)
        return (
            wire.read(verified, self._me, self._watched) if from_arbiter else self._line(verified)
        )

    def _person(self, event: NostrEvent) -> Profile | Rating | None:
        if event.kind == RATING and event.pubkey != self._server:
            return None
        verified = verify(event)
        if isinstance(verified, ParseError):
            return None
        return read_profile(verified) if event.kind == PROFILE else read_rating(verified)

    def _house(self, event: NostrEvent) -> House | None:
        if event.pubkey != self._server:
            return None
        verified = verify(event)
        return None if isinstance(verified, ParseError) else read_house(verified)

    def _line(self, event: VerifiedEvent) -> ChatLine | None:
        carried = event.pubkey == self._server
        if event.kind == wire.SPECTATORS_CHAT:
            return wire.chat_line(event, event.content, carried=carried)
        if not any(tag[1:2] == (self._me,) for tag in all_tags(event, "p")):
            return None
        text = self._cipher.decrypt(event.content, event.pubkey)
        return None if text is None else wire.chat_line(event, text, carried=carried)
