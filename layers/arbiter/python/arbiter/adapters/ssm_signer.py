"""The server's key, from SSM.

The law: the key is read when first needed, kept in memory alone, and named in no error and no log.
It is read again every five minutes, so that a new one is taken up without a deployment; if that
fails, the old one goes on signing, since a game must not stop because SSM did.
"""

import logging
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.application.ports import Clock
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey

if TYPE_CHECKING:
    from types_boto3_ssm.client import SSMClient

_log = logging.getLogger(__name__)

KEPT_MS = 300_000


class KeyUnavailable(Exception):
    """The key cannot be had. Says which parameter was read and what went wrong, never what stood
    there.
    """


class SsmSigner:
    """Signs with the key in one SecureString parameter: 64 hex digits, or an nsec of NIP-19."""

    def __init__(self, client: "Callable[[], SSMClient]", parameter: str, clock: Clock) -> None:
        """``client`` makes or returns the client when it is first needed; ``parameter`` is the
        parameter's name.
        """
        self._client = client
        self._parameter = parameter
        self._clock = clock
        self._lock = Lock()
        self._held: SecretKey | None = None
        self._tried_at_ms = 0

    @property
    def pubkey(self) -> str:
        """The server's public key, 64 lower-case hex digits. Raises ``KeyUnavailable``."""
        return self.key().pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        """The signed event: the same bytes for the same template and key. Raises
        ``KeyUnavailable``.
        """
        return self.key().sign(template)

    def key(self) -> SecretKey:
        """The key, at most five minutes old unless SSM fails. Raises ``KeyUnavailable`` if there
        never was one.
        """
        with self._lock:
            due = self._clock.now_ms() - self._tried_at_ms >= KEPT_MS
            if self._held is None or due:
                self._held = self._renewed()
            return self._held

    def reread(self) -> SecretKey:
        """The key as it stands in SSM now, and from now on. Raises ``KeyUnavailable``, and then
        keeps the old one.
        """
        with self._lock:
            self._tried_at_ms = self._clock.now_ms()
            self._held = self._read()
            return self._held

    def _renewed(self) -> SecretKey:
        self._tried_at_ms = self._clock.now_ms()
        try:
            return self._read()
        except KeyUnavailable as failure:
            if self._held is None:
                raise
            _log.warning("signing on with the key of before: %s", failure)
            return self._held

    def _read(self) -> SecretKey:
        try:
            answer = self._client().get_parameter(Name=self._parameter, WithDecryption=True)
        except ClientError as error:
            raise self._unavailable(error.response["Error"]["Code"]) from None
        except BotoCoreError as error:
            raise self._unavailable(type(error).__name__) from None
        text = answer["Parameter"]["Value"].strip()
        try:
            return (
                SecretKey.from_nsec(text) if text.startswith("nsec1") else SecretKey.from_hex(text)
            )
        except ValueError:
            # Not even chained: what is no key may be a key with a typing mistake.
            raise self._unavailable("neither 64 hex digits nor an nsec") from None

    def _unavailable(self, why: str) -> KeyUnavailable:
        return KeyUnavailable(f"no key in {self._parameter}: {why}")
