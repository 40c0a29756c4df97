"""The server's key put to use for chat: NIP-44 payloads opened and made.

The law: the same line sealed twice is the same payload, so that a relay that had it calls it a
duplicate. NIP-44 wants the nonce to be unpredictable and never used for two texts, so it is a hash
under the shared secret of what caused the line and of the line itself.
"""

import hashlib
import hmac
from collections.abc import Callable

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import MAX_PLAIN_BYTES, conversation_key, decrypt, encrypt

_DOMAIN = b"arbiter/chat-nonce/1"


class KeyEncrypter:
    """Opens and seals with the key that ``key`` gives when it is asked."""

    def __init__(self, key: Callable[[], SecretKey]) -> None:
        """``key`` may raise ``KeyUnavailable``, and then so does everything here."""
        self._key = key

    def decrypt(self, author: str, payload: str) -> str | None:
        """What the player of this pubkey (64 hex) sealed for us; None if that is not what it is."""
        shared = self._shared(author)
        return None if shared is None else decrypt(payload, shared)

    def encrypt(self, to: str, text: str, cause: str) -> str | None:
        """The payload for this pubkey (64 hex); ``cause`` (64 hex) is what is answered. None for
        what is no key, and for a text that is empty or too long.
        """
        shared, octets = self._shared(to), text.encode()
        if shared is None or not 0 < len(octets) <= MAX_PLAIN_BYTES:
            return None
        told = _DOMAIN + bytes.fromhex(cause) + octets
        return encrypt(text, shared, hmac.digest(shared, told, hashlib.sha256))

    def _shared(self, pubkey: str) -> bytes | None:
        try:
            return conversation_key(bytes.fromhex(self._key().to_hex()), pubkey)
        except ValueError:
            return None
