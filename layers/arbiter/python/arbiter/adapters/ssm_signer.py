"""The server's key, from SSM Parameter Store. Invariant: it is in memory only, in no error and no
log; read once, on first use, and signs for the public key that players know or for none.
"""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey

if TYPE_CHECKING:
    from types_boto3_ssm.client import SSMClient


class KeyUnavailable(Exception):
    """The key cannot be read: the parameter's name and the cause, never its value."""


class SsmSigner:
    """Signs with the key in one SecureString parameter: 64 hex digits or a NIP-19 nsec."""

    def __init__(self, client: "Callable[[], SSMClient]", parameter: str, pubkey: str) -> None:
        """``client`` returns the client, on first use; players know ``pubkey`` (hex)."""
        self._client = client
        self._parameter = parameter
        self._lock = Lock()
        self._key: SecretKey | None = None
        self.pubkey = pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        """The signed event, the same bytes each time. Raises ``KeyUnavailable``."""
        return self.key().sign(template)

    def key(self) -> SecretKey:
        """The key, kept once read. Raises ``KeyUnavailable``; then it is read again next time."""
        with self._lock:
            if self._key is None:
                self._key = self._read()
            return self._key

    def _read(self) -> SecretKey:
        try:
            answer = self._client().get_parameter(Name=self._parameter, WithDecryption=True)
        except ClientError as error:
            raise self._unavailable(error.response["Error"]["Code"]) from None
        except BotoCoreError as error:
            raise self._unavailable(type(error).__name__) from None
        try:
            key = SecretKey.from_text(answer["Parameter"]["Value"])
        except ValueError:
            # Not chained: an invalid key may be a real one with a typing mistake.
            raise self._unavailable("neither 64 hex digits nor an nsec") from None
        if key.pubkey != self.pubkey:
            raise self._unavailable(
                f"it holds the key of {key.pubkey}, but SERVER_PUBKEY says {self.pubkey}: "
                "store the other key, or deploy with the other ServerPubkey"
            )
        return key

    def _unavailable(self, why: str) -> KeyUnavailable:
        return KeyUnavailable(f"no key in {self._parameter}: {why}")
