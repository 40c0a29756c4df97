"""A push service on this machine: on one side a WebSocket, as Firefox speaks to autopush (hello,
register, notification), on the other RFC 8030 with VAPID over TLS.
"""

import base64
import contextlib
import json
import ssl
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from websockets.sync.server import Server, ServerConnection, serve

from tests.fakes.certificate import a_certificate


class PushService:
    """The channels that browsers registered, each with the key whose pushes it takes; the statuses
    that those who pushed were answered, and the codes by which browsers said what came of them.
    """

    DELIVERED = 100
    """A browser's code for a push that it decrypted and gave to its service worker."""

    def __init__(self, folder: Path) -> None:
        certificate = a_certificate(folder, "127.0.0.1")
        self.trusted = ssl.create_default_context(cafile=str(certificate))
        self.statuses: list[int] = []
        self.codes: list[int] = []
        self._keys: dict[str, str] = {}
        self._sockets: dict[str, ServerConnection] = {}
        self.browsers: Server = serve(
            self._talk,
            "127.0.0.1",
            0,
            subprotocols=["push-notification"],  # type: ignore[list-item]
        )
        service = self

        class Pushed(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = service._taken(self.path, self.headers["Authorization"] or "", body)
                service.statuses.append(status)
                self.send_response(status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.pushers = ThreadingHTTPServer(("127.0.0.1", 0), Pushed)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.pushers.socket = context.wrap_socket(self.pushers.socket, server_side=True)

    @property
    def address(self) -> str:
        """The URL that the browser is given."""
        return f"ws://127.0.0.1:{self.browsers.socket.getsockname()[1]}/"

    @property
    def _base(self) -> str:
        return f"https://127.0.0.1:{self.pushers.server_address[1]}"

    @property
    def channels(self) -> int:
        return len(self._keys)

    def _talk(self, browser: ServerConnection) -> None:
        for text in browser:
            said = json.loads(text)
            match said.get("messageType"):
                case None:
                    answer: dict[str, object] = {}
                case "hello":
                    uaid = said.get("uaid") or uuid.uuid4().hex
                    answer = {"uaid": uaid, "status": 200, "use_webpush": True, "broadcasts": {}}
                case "register":
                    channel = said["channelID"]
                    self._keys[channel], self._sockets[channel] = said["key"], browser
                    endpoint = f"{self._base}/wpush/{channel}"
                    answer = {"channelID": channel, "status": 200, "pushEndpoint": endpoint}
                case "ack":
                    self.codes += [update["code"] for update in said["updates"]]
                    continue
                case "unregister":
                    self._keys.pop(said["channelID"], None)
                    answer = {"channelID": said["channelID"], "status": 200}
                case _:
                    continue
            kind = said.get("messageType")
            browser.send(json.dumps({"messageType": kind, **answer} if kind else {}))

    def _taken(self, path: str, authorization: str, body: bytes) -> int:
        """Pass a push on to its browser; RFC 8030's status."""
        channel = path.removeprefix("/wpush/")
        key = self._keys.get(channel)
        if key is None:
            return 410
        if not self._is_signed(authorization, key):
            return 403
        data = base64.urlsafe_b64encode(body).rstrip(b"=").decode()
        said = {"channelID": channel, "version": uuid.uuid4().hex, "data": data}
        headers = {"encoding": "aes128gcm"}
        sent = json.dumps({"messageType": "notification", "headers": headers, **said})
        self._sockets[channel].send(sent)
        return 201

    def _is_signed(self, authorization: str, key: str) -> bool:
        """Whether this header is by the key that the browser named, for this service (RFC 8292)."""
        fields = dict(it.split("=", 1) for it in authorization.removeprefix("vapid ").split(","))
        signed, _, signature = fields["t"].rpartition(".")
        claims = json.loads(_octets(signed.partition(".")[2]))
        octets = _octets(signature)
        r, s = int.from_bytes(octets[:32], "big"), int.from_bytes(octets[32:], "big")
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _octets(key))
        with contextlib.suppress(InvalidSignature):
            point.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(SHA256()))
            return fields["k"] == key.rstrip("=") and claims["aud"] == self._base
        return False


@contextlib.contextmanager
def push_service(folder: Path) -> Iterator[PushService]:
    """A push service for the block."""
    service = PushService(folder)
    for server in (service.browsers, service.pushers):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        service.browsers.shutdown()
        service.pushers.shutdown()
        service.pushers.server_close()


def _octets(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
