"""NIP-44 encryption of chat with the server's key.

Invariant: encrypting the same line again gives the same payload, so that relays drop it as a
duplicate. NIP-44 wants an unpredictable nonce that is never used for two texts: here an HMAC, under
the shared secret, of the answered event's key and the line.
"""

import hashlib
import hmac
from collections.abc import Callable

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import MAX_PLAIN_BYTES, conversation_key, decrypt, encrypt

_DOMAIN = b"arbiter/chat-nonce/1"


class KeyEncrypter:
    """Encrypts and decrypts with the key that ``key`` returns."""

    def __init__(self, key: Callable[[], SecretKey]) -> None:
        """``key`` may raise ``KeyUnavailable``, and then so do all methods."""
        self._key = key

    def decrypt(self, author: str, payload: str) -> str | None:
        """The text that the player with this pubkey (64 hex digits) encrypted for us; None for an
        invalid payload.
        """
        shared = self._shared(author)
        return None if shared is None else decrypt(payload, shared)

    def encrypt(self, to: str, text: str, cause: str) -> str | None:
        """The payload for this pubkey (64 hex digits); ``cause`` is the key (64 hex digits) of the
        answered event. None for an invalid key and for an empty or too long text.
        """
        shared, octets = self._shared(to), text.encode()
        if shared is None or not 0 < len(octets) <= MAX_PLAIN_BYTES:
            return None
        message = _DOMAIN + bytes.fromhex(cause) + octets
        return encrypt(text, shared, hmac.digest(shared, message, hashlib.sha256))

    def _shared(self, pubkey: str) -> bytes | None:
        try:
            return conversation_key(bytes.fromhex(self._key().to_hex()), pubkey)
        except ValueError:
            return None
