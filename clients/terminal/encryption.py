"""Our own key put to use for chat: sealing a line for one player, and unsealing his.

The law: the secret is asked for only here and in signing, and what is derived from it for an
opponent is kept for the run, since multiplying points for every line would cost more than all else.
"""

import secrets

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import NONCE_BYTES, conversation_key, decrypt, encrypt

OPPONENTS_REMEMBERED = 50


class Sealing:
    """What NIP-44 makes of our key and others'."""

    def __init__(self, key: SecretKey) -> None:
        """``key`` is the player's own."""
        self._key = key
        self._shared: dict[str, bytes] = {}

    def seal(self, text: str, pubkey: str) -> str | None:
        """The line for this key alone; None if it is no key."""
        shared = self._with(pubkey)
        return None if shared is None else encrypt(text, shared, secrets.token_bytes(NONCE_BYTES))

    def unseal(self, payload: str, pubkey: str) -> str | None:
        """What this key sealed for us; None if it did not."""
        shared = self._with(pubkey)
        return None if shared is None else decrypt(payload, shared)

    def _with(self, pubkey: str) -> bytes | None:
        if pubkey not in self._shared:
            if len(self._shared) >= OPPONENTS_REMEMBERED:
                self._shared.clear()
            try:
                secret = bytes.fromhex(self._key.to_hex())
                self._shared[pubkey] = conversation_key(secret, pubkey)
            except ValueError:
                return None
        return self._shared[pubkey]
