"""A client's ways to the arbiter: connections to relays, and to the arbiter's own gateway.

Both speak NIP-01 on a `Link`; the gateway's ends at Lambda.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.simulation.history import Heard, Opened, Sent, Told
from tests.simulation.lambdas import Done, Returned
from tests.simulation.links import Frame, Link, nothing

if TYPE_CHECKING:
    from tests.simulation.world import World

GATEWAY = "gateway"
GIVES_UP_AFTER = 20


class ClientConnection:
    """One way of one client, dialled again whenever it is lost."""

    def __init__(
        self,
        world: "World",
        who: str,
        way: str,
        hear: Callable[[str, list[Any]], None],
        opened: Callable[["ClientConnection"], None],
    ) -> None:
        """``hear`` is told of each message with this connection's way, ``opened`` of each
        connection.
        """
        self.way = way
        self._world = world
        self._who = who
        self._hear = hear
        self._opened = opened
        self._link: Link | None = None
        self._failures = 0
        self._is_dialling = False
        self._is_closed = False

    @property
    def is_open(self) -> bool:
        return self._link is not None

    def dial(self) -> None:
        self._is_closed = False
        self._is_dialling = False
        if self._link is not None or self._world.is_settling:
            return
        server = self._world.gateway if self.way == GATEWAY else self._world.relays[self.way]
        link = server.open(self._who)
        if link is None:
            self._lost()
            return
        link.hear = self._heard
        link.lost = self._lost
        self._link = link
        self._failures = 0
        self._opened(self)

    def close(self) -> None:
        self._is_closed = True
        if self._link is not None:
            self._link.lost = nothing
            self._link.cut()
            self._link = None

    def hang_up(self) -> None:
        if self._link is not None:
            self._link.lost = nothing
            self._link.cut()
            self._lost()

    def say(self, *message: Any) -> None:
        self.say_text(json.dumps(message))

    def say_event(self, event: str) -> None:
        self._write(event, is_event=True)
        if self._link is not None:
            self._link.up(f'["EVENT",{event}]')

    def say_text(self, text: Frame) -> None:
        self._write(text, is_event=False)
        if self._link is not None:
            self._link.up(text)

    def _dial_again(self) -> None:
        if not self._is_closed:
            self.dial()

    def _write(self, text: str, *, is_event: bool) -> None:
        if self._link is not None:
            self._world.write(
                Sent(
                    at_ms=self._world.now_ms(),
                    who=self._who,
                    way=self.way,
                    text=text,
                    is_event=is_event,
                )
            )

    def _heard(self, text: Frame) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return
        is_event = message[0] == "EVENT"
        # As it came, to the byte: the event is all that is in braces.
        said = text[text.index("{") : -1] if is_event else text
        self._world.write(
            Told(
                at_ms=self._world.now_ms(),
                who=self._who,
                way=self.way,
                text=said,
                is_event=is_event,
            )
        )
        self._hear(self.way, message)

    def _lost(self) -> None:
        self._link = None
        if self._is_dialling or self._is_closed:
            return
        self._is_dialling = True
        self._failures += 1
        # A relay that is never there is hardly asked after in the long run.
        longest = 30.0 if self._failures < GIVES_UP_AFTER else 900.0
        pause = min(longest, 2.0 ** min(self._failures, 10))
        pause *= 0.5 + 0.5 * self._world.chance.random()
        self._world.soon(pause, self._dial_again)


class Gateway:
    """API Gateway's WebSocket side: each frame of a socket is an invocation."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._number = 0
        self._links: dict[Link, str] = {}

    def open(self, who: str) -> Link | None:
        """A socket, unless the gateway function does not let it in; None if the gateway is down."""
        world = self._world
        if not world.is_gateway_up:
            return None
        self._number += 1
        name = f"socket-{self._number}"
        link = Link(world.scheduler, who, self, lambda who: 0.02 + 0.01 * world.chance.random())
        self._links[link] = name
        world.write(Opened(at_ms=world.now_ms(), who=who, way=name))

        def hear(text: str | None) -> bool:
            if text is None:
                link.cut()
                return True
            link.down(text)
            return link.is_open and not link.is_half_open

        world.cloud.sockets.open[name] = hear

        def let_in(result: Returned | None) -> None:
            if result is None or result.value["statusCode"] != 200:
                link.cut()

        address = f"10.0.{self._number // 250}.{self._number % 250}"
        self._call(name, "CONNECT", let_in, identity={"sourceIp": address})
        return link

    def forget(self, link: Link) -> None:
        name = self._links.pop(link)
        self._world.cloud.sockets.open.pop(name, None)
        if self._world.chance.random() < 0.8:
            self._call(name, "DISCONNECT", lambda result: None)

    def hear(self, link: Link, text: Frame) -> None:
        name = self._links[link]
        if self._world.faults.strikes("socket gone", name):
            link.cut()
            return
        at_ms = self._world.now_ms()

        def done(result: Returned | None) -> None:
            status = "died" if result is None else result.said.get("status", "failed")
            stamped_ms = process.memory["stamped_ms"] if result is None else result.stamped_ms
            # Whatever became of the function: what the queue took was passed on.
            dropped = None if stamped_ms is not None else status
            self._write_heard(process.name, name, text, at_ms, stamped_ms or at_ms, dropped)

        process = self._call(name, "MESSAGE", done, body=text)

    def _write_heard(
        self, by: str, way: str, text: Frame, at_ms: int, stamped_ms: int, dropped: str | None
    ) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return
        if isinstance(message, list) and len(message) > 1 and message[0] == "EVENT":
            self._world.write(
                Heard(
                    at_ms=at_ms,
                    by=by,
                    way=way,
                    event=json.dumps(message[1]),
                    stamped_ms=stamped_ms,
                    dropped=dropped,
                )
            )

    def _call(
        self, name: str, event_type: str, done: Done, body: str | None = None, **more: Any
    ) -> Any:
        told = {"connectionId": name, "eventType": event_type}
        context = {**told, "requestTimeEpoch": self._world.now_ms(), **more}
        invocation = {"requestContext": context, "body": body, "isBase64Encoded": False}
        return self._world.lambdas.invoke("gateway", invocation, done)
