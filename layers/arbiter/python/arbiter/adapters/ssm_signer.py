"""The server's key, from SSM Parameter Store.

Invariant: the key is in memory only, and in no error and no log. It is read on first use and every
five minutes, so that a new key takes effect without a deployment; if SSM fails, the old key stays
in use.
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
    """The key cannot be read. The message has the parameter's name and the cause, never its
    value.
    """


class SsmSigner:
    """Signs with the key in one SecureString parameter: 64 hex digits or a NIP-19 nsec."""

    def __init__(self, client: "Callable[[], SSMClient]", parameter: str, clock: Clock) -> None:
        """``client`` returns the client, on first use."""
        self._client = client
        self._parameter = parameter
        self._clock = clock
        self._lock = Lock()
        self._key: SecretKey | None = None
        self._tried_at_ms = 0

    @property
    def pubkey(self) -> str:
        """The server's public key, 64 lower-case hex digits. Raises ``KeyUnavailable``."""
        return self.key().pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        """The signed event, the same bytes each time. Raises ``KeyUnavailable``."""
        return self.key().sign(template)

    def key(self) -> SecretKey:
        """The key, at most five minutes old unless SSM fails. Raises ``KeyUnavailable`` if none was
        ever read.
        """
        with self._lock:
            due = self._clock.now_ms() - self._tried_at_ms >= KEPT_MS
            if self._key is None or due:
                self._key = self._renewed()
            return self._key

    def reread(self) -> SecretKey:
        """The key as it is in SSM now, in use from now on. Raises ``KeyUnavailable``; then the old
        key stays in use.
        """
        with self._lock:
            self._tried_at_ms = self._clock.now_ms()
            self._key = self._read()
            return self._key

    def _renewed(self) -> SecretKey:
        self._tried_at_ms = self._clock.now_ms()
        try:
            return self._read()
        except KeyUnavailable as failure:
            if self._key is None:
                raise
            _log.warning("still signing with the old key: %s", failure)
            return self._key

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
            # Not chained: an invalid key may be a real one with a typing mistake.
            raise self._unavailable("neither 64 hex digits nor an nsec") from None

    def _unavailable(self, why: str) -> KeyUnavailable:
        return KeyUnavailable(f"no key in {self._parameter}: {why}")
