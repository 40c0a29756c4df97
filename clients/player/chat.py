"""Chat between players (NIP-44) and among spectators, which does not pass the arbiter."""

import secrets
from dataclasses import dataclass

from arbiter.nostr.event import VerifiedEvent, is_hex_32_bytes
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import NONCE_BYTES, conversation_key, decrypt, encrypt
from clients.player.events import Draft, SendLine
from clients.player.messages import GAME_ID, PLAYERS_CHAT, SPECTATORS_CHAT, value
from clients.player.text import clean

MAX_CHAT_CHARS = 140
"""Characters of a line of chat that are sent and shown."""

_CONVERSATIONS_REMEMBERED = 50


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of chat, cleaned and cut; ``public`` for the spectators'."""

    author: str
    game: str
    text: str
    public: bool


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


def drafted(line: SendLine, me: str, at: int, cipher: ChatCipher) -> Draft | None:
    """The event with this line; None if it is for no key."""
    text: str | None = line.text
    if not line.public:
        text = cipher.encrypt(line.text, line.to or "")
    if text is None:
        return None
    kind = SPECTATORS_CHAT if line.public else PLAYERS_CHAT
    tags = (("d", line.game), *((("p", line.to),) if line.to else ()))
    return Draft(me, at, kind, tags, text)


def read_line(event: VerifiedEvent, arbiter: str, cipher: ChatCipher) -> ChatLine | None:
    """The line of chat in an event; None if it is empty, malformed or not for us to read."""
    public = event.kind == SPECTATORS_CHAT
    text = event.content if public else cipher.decrypt(event.content, event.pubkey)
    # The arbiter carries lines of players on another wire, and names the author in a tag.
    author = value(event, "said-by") if event.pubkey == arbiter else event.pubkey
    game, line = value(event, "d"), clean(text or "", MAX_CHAT_CHARS).strip()
    if game is None or not GAME_ID.fullmatch(game) or not is_hex_32_bytes(author) or not line:
        return None
    return ChatLine(author, game, line, public)
