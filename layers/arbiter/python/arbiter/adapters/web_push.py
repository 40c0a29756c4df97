"""Pushes to browsers, by the servers that their subscriptions name (RFC 8030).

Invariant: an endpoint is a stranger's: https at a public address, looked at each time; no redirect
is followed; only the status is read, in some seconds. A subscription is kept and logged nowhere.
"""

import re
import secrets
import ssl
import time
from collections.abc import Callable
from typing import Literal
from urllib.parse import urlsplit

from arbiter.adapters.public_address import dial_public
from arbiter.adapters.relays.connection import Dial, tls
from arbiter.core.notices import Device
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import conversation_key, decrypt
from arbiter.nostr.web_push import (
    Subscription,
    authorization,
    encrypted,
    read_subscription,
    signing_key,
)

PUSH_SECONDS = 5.0
KEPT_SECONDS = 2 * 24 * 60 * 60
"""Time for which a server keeps a push for a device that is off."""
_MAX_ANSWER_BYTES = 4_096
_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})[ \r]")
_TAKEN, _GONE = (b"200", b"201", b"202", b"204"), (b"404", b"410")


class WebPush:
    """As `ports.PushService`. ``contact`` is a URL of the operator's, or empty."""

    def __init__(
        self,
        key: Callable[[], SecretKey],
        contact: str,
        dial: Dial = dial_public,
        context: Callable[[], ssl.SSLContext] = tls,
    ) -> None:
        self._key = key
        self._contact = contact if contact.startswith("https://") else ""
        self._dial = dial
        self._context = context

    def send(self, player: str, device: Device, text: str) -> Literal["taken", "gone", "failed"]:
        key = self._key()
        try:
            shared = conversation_key(bytes.fromhex(key.to_hex()), player)
            found = read_subscription(decrypt(device.sealed, shared) or "")
        except ValueError:
            found = None
        if found is None:
            return "gone"
        body = encrypted(text, found, secrets.token_bytes)
        if body is None:
            return "gone"
        try:
            status = self._posted(key, found, body)
        except (OSError, ValueError):
            # OSError: not public, not reachable, not in time, no TLS. ValueError: no URL, or no
            # host name (UnicodeError).
            return "failed"
        return "taken" if status in _TAKEN else "gone" if status in _GONE else "failed"

    def _posted(self, key: SecretKey, to: Subscription, body: bytes) -> bytes:
        """The status of the answer; empty for what is no HTTP. Raises OSError and ValueError."""
        deadline = time.monotonic() + PUSH_SECONDS
        parts = urlsplit(to.endpoint)
        host, port = parts.hostname or "", parts.port or 443
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        origin = f"https://{parts.netloc.rpartition('@')[2]}"
        by = authorization(signing_key(key), origin, self._contact, int(time.time()))
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {parts.netloc.rpartition('@')[2]}\r\n"
            f"Authorization: {by}\r\nTTL: {KEPT_SECONDS}\r\nContent-Encoding: aes128gcm\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n"
            "Urgency: normal\r\nConnection: close\r\n\r\n"
        )
        sock = self._dial((host, port), PUSH_SECONDS)
        with sock:
            sock.settimeout(max(deadline - time.monotonic(), 0.01))
            with self._context().wrap_socket(sock, server_hostname=host) as secure:
                secure.settimeout(max(deadline - time.monotonic(), 0.01))
                secure.sendall(head.encode("ascii") + body)
                answer = b""
                while b"\r\n" not in answer and len(answer) < _MAX_ANSWER_BYTES:
                    secure.settimeout(max(deadline - time.monotonic(), 0.01))
                    more = secure.recv(_MAX_ANSWER_BYTES)
                    if not more or time.monotonic() > deadline:
                        break
                    answer += more
        found = _STATUS.match(answer)
        return found[1] if found else b""
