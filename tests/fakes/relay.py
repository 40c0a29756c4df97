"""A Nostr relay on loopback that does what a test tells it to, down to the single frame.

It speaks websocket by itself, over plain sockets, because a library would refuse to send
what hostile relays send. Every wait is on a condition, and fails loudly after `PATIENCE_SECONDS`.

By default it behaves: REQ brings what it remembers and EOSE, EVENT is answered OK and passed to
whom it concerns, AUTH is answered OK. A test replaces single answers with ``on_req``, ``on_event``
and ``on_auth``, each called with the `Client` and the message.
"""

import base64
import contextlib
import hashlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from typing import Any, Self

from arbiter.nostr.event import ParseError, event_from_json
from arbiter.nostr.filters import filter_from_json, matches

PATIENCE_SECONDS = 10.0

TEXT = 0x1
CONTINUED = 0x0
CLOSE = 0x8
PING = 0x9
PONG = 0xA

Message = list[Any]
Answer = Callable[["Client", Message], None]


class Client:
    """One connection, seen from the relay."""

    def __init__(self, relay: "FakeRelay", sock: socket.socket) -> None:
        self._relay = relay
        self._sock = sock
        self._lock = threading.Lock()
        self._hears_again = threading.Event()
        self._hears_again.set()
        self.subscriptions: dict[str, list[dict[str, Any]]] = {}
        self.answers_pings = True

    def send(self, *message: Any) -> None:
        """Send one message, such as ``"NOTICE", "hello"``."""
        self.send_text(json.dumps(list(message)))

    def send_text(self, text: str) -> None:
        """Send a text frame with anything in it."""
        self.send_frame(TEXT, text.encode())

    def send_frame(self, opcode: int, payload: bytes, *, fin: bool = True) -> None:
        """Send one frame as it is said here, in one piece, for others may be sending too."""
        self.send_raw(_header(opcode, len(payload), fin=fin) + payload)

    def send_header(self, opcode: int, length: int, *, fin: bool = True) -> None:
        """Announce a frame without sending it."""
        self.send_raw(_header(opcode, length, fin=fin))

    def send_raw(self, data: bytes) -> None:
        """Put bytes on the stream; a client that is gone does not matter."""
        with self._lock, contextlib.suppress(OSError):
            self._sock.sendall(data)

    def deliver(self, event: dict[str, Any]) -> None:
        """Send an event to each subscription of this client, whatever its filters say."""
        for subscription_id in list(self.subscriptions):
            self.send("EVENT", subscription_id, event)

    def go_deaf(self) -> None:
        """Half-open: keep the socket, read nothing more and say nothing more."""
        self._hears_again.clear()

    def drop(self) -> None:
        """Cut the connection without a word."""
        self._hears_again.set()
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection as websockets do."""
        self.send_frame(CLOSE, struct.pack("!H", 1000))
        self.drop()

    def serve(self) -> None:
        """Shake hands and read until the end."""
        try:
            if self._relay.tls is not None:
                self._sock = self._relay.tls.wrap_socket(self._sock, server_side=True)
            if self._shaken_hands():
                while self._frame_was_served():
                    self._hears_again.wait()
        except (OSError, ValueError, KeyError):
            # ValueError: not HTTP, or not JSON. A relay hangs up on that.
            pass
        finally:
            self._sock.close()

    def _shaken_hands(self) -> bool:
        request = b""
        while b"\r\n\r\n" not in request:
            data = self._sock.recv(4096)
            if not data:
                return False
            request += data
        lines = request.decode().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        self._relay.note_headers(headers)
        if self._relay.handshake is not None:
            self.send_raw(self._relay.handshake)
            return False
        magic = headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(magic.encode()).digest()).decode()  # noqa: S324
        self.send_raw(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept.encode() + b"\r\n\r\n"
        )
        self._relay.welcome(self)
        return True

    def _frame_was_served(self) -> bool:
        first, second = self._exactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self._exactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._exactly(8))
        mask = self._exactly(4)
        payload = bytes(b ^ mask[i % 4] for i, b in enumerate(self._exactly(length)))
        opcode = first & 0x0F
        if opcode == CLOSE:
            return False
        if opcode == PING:
            self._relay.note(self, ["ping"])
            if self.answers_pings:
                self.send_frame(PONG, payload)
        elif opcode == PONG:
            self._relay.note(self, ["pong"])
        else:
            self._relay.serve(self, json.loads(payload))
        return True

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self._sock.recv(count - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data


class FakeRelay:
    """The relay. Use it in a ``with``; ``url`` is where it listens."""

    def __init__(
        self,
        *,
        on_connect: Callable[[Client], None] | None = None,
        on_req: Answer | None = None,
        on_event: Answer | None = None,
        on_auth: Answer | None = None,
        handshake: bytes | None = None,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        self.on_connect = on_connect
        self.on_req = on_req or self.answer_req
        self.on_event = on_event or self.answer_event
        self.on_auth = on_auth or self.answer_auth
        self.handshake = handshake
        self.tls = tls
        self.remembered: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.messages: list[tuple[Client, Message]] = []
        self.clients: list[Client] = []
        self._changed = threading.Condition()
        self._server = socket.create_server(("127.0.0.1", port))
        self.port = int(self._server.getsockname()[1])
        self._threads: list[threading.Thread] = []

    @property
    def url(self) -> str:
        scheme = "ws" if self.tls is None else "wss"
        return f"{scheme}://127.0.0.1:{self.port}/"

    def __enter__(self) -> Self:
        self._begin(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()

    def shut(self) -> None:
        """Stop listening and cut every connection."""
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for client in list(self.clients):
            client.drop()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)

    # -- what tests wait for

    def client(self, number: int = 1) -> Client:
        """The ``number``-th client ever to connect, once it has."""
        self._wait(lambda: len(self.clients) >= number, f"client {number}")
        return self.clients[number - 1]

    def message(self, verb: str, number: int = 1) -> Message:
        """The ``number``-th message of this verb, once it came; pings are the verb "ping"."""
        return self.sender_and_message(verb, number)[1]

    def sender_and_message(self, verb: str, number: int = 1) -> tuple[Client, Message]:
        self._wait(lambda: len(self._all(verb)) >= number, f"{verb} number {number}")
        return self._all(verb)[number - 1]

    def count(self, verb: str) -> int:
        """The number of messages of this verb so far."""
        with self._changed:
            return len(self._all(verb))

    # -- how a well-behaved relay answers

    def answer_req(self, client: Client, message: Message) -> None:
        """Send the remembered events that match, then EOSE."""
        _, subscription_id, *filters = message
        for event in list(self.remembered):
            if _is_wanted(event, filters):
                client.send("EVENT", subscription_id, event)
        client.send("EOSE", subscription_id)

    def answer_event(self, client: Client, message: Message) -> None:
        """OK, and the event to whom it concerns; a note is kept."""
        event = message[1]
        if event["kind"] == 64:
            self.remembered.append(event)
        client.send("OK", event["id"], True, "")
        self.broadcast(event)

    def answer_auth(self, client: Client, message: Message) -> None:
        """OK: anybody is welcome."""
        client.send("OK", message[1]["id"], True, "")

    def broadcast(self, event: dict[str, Any]) -> None:
        """Send the event to every subscription whose filters it matches."""
        for client in list(self.clients):
            for subscription_id, filters in list(client.subscriptions.items()):
                if _is_wanted(event, filters):
                    client.send("EVENT", subscription_id, event)

    # -- what clients call

    def note_headers(self, headers: dict[str, str]) -> None:
        """Remember the headers of a handshake."""
        with self._changed:
            self.headers.append(headers)
            self._changed.notify_all()

    def welcome(self, client: Client) -> None:
        """Count a client as connected."""
        with self._changed:
            self.clients.append(client)
            self._changed.notify_all()
        if self.on_connect is not None:
            self.on_connect(client)

    def note(self, client: Client, message: Message) -> None:
        """Remember that a message came."""
        with self._changed:
            self.messages.append((client, message))
            self._changed.notify_all()

    def serve(self, client: Client, message: Message) -> None:
        """Answer a message. Tests know of it before the client has its answer."""
        match message:
            case ["REQ", "messages", *filters]:
                # Beside the listener's first: tests count the REQs by which it hears of games.
                client.subscriptions["messages"] = filters
                self.answer_req(client, message)
            case ["REQ", str(subscription_id), *filters]:
                client.subscriptions[subscription_id] = filters
                self.note(client, message)
                self.on_req(client, message)
            case ["CLOSE", str(subscription_id)]:
                client.subscriptions.pop(subscription_id, None)
                self.note(client, message)
            case ["EVENT", _]:
                self.note(client, message)
                self.on_event(client, message)
            case ["AUTH", _]:
                self.note(client, message)
                self.on_auth(client, message)
            case _:
                self.note(client, message)
                client.send("NOTICE", "what?")

    def _all(self, verb: str) -> list[tuple[Client, Message]]:
        return [pair for pair in self.messages if pair[1][0] == verb]

    def _wait(self, is_so: Callable[[], bool], what: str) -> None:
        with self._changed:
            assert self._changed.wait_for(is_so, PATIENCE_SECONDS), f"waited in vain for {what}"

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._server.accept()
            except OSError:
                return
            # Frames are small; without this the kernel holds the second one back for 40 ms.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._begin(Client(self, sock).serve)

    def _begin(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()


def _header(opcode: int, length: int, *, fin: bool) -> bytes:
    first = (0x80 if fin else 0) | opcode
    if length < 126:
        return struct.pack("!BB", first, length)
    if length < 65_536:
        return struct.pack("!BBH", first, 126, length)
    return struct.pack("!BBQ", first, 127, length)


def _is_wanted(event: dict[str, Any], filters: list[dict[str, Any]]) -> bool:
    parsed = event_from_json(event)
    if isinstance(parsed, ParseError):
        return False
    wanted = [filter_from_json(each) for each in filters]
    return any(not isinstance(each, ParseError) and matches(each, parsed) for each in wanted)
