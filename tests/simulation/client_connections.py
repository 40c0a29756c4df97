"""A client's ways to the arbiter: connections to relays, and to the arbiter's own gateway.

Both speak NIP-01 on a `Link`.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from tests.simulation.history import Posted
from tests.simulation.links import Frame, Link, nothing, read_once

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
        self.say_text(orjson.dumps(message).decode())

    def say_event(self, event: str) -> None:
        self.say_text(f'["EVENT",{event}]')

    def say_text(self, text: Frame) -> None:
        if self._link is not None:
            self._link.up(text)

    def _dial_again(self) -> None:
        if not self._is_closed:
            self.dial()

    def _heard(self, text: Frame) -> None:
        try:
            message = read_once(text)
        except ValueError:
            return
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
    """The door to `arbiter serve`: each socket is a call of its ASGI application."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._number = 0
        self._sockets: dict[Link, asyncio.Queue[Any]] = {}

    def open(self, who: str) -> Link | None:
        """A socket; None if no process serves."""
        world = self._world
        parts = world.serving.parts
        if parts is None:
            return None
        self._number += 1
        link = Link(world.scheduler, who, self, lambda: 0.01 + 0.02 * world.chance.random())
        frames: asyncio.Queue[Any] = asyncio.Queue()
        frames.put_nowait({"type": "websocket.connect"})
        self._sockets[link] = frames
        name = f"socket-{self._number}"

        async def receive() -> dict[str, Any]:
            message: dict[str, Any] = await frames.get()
            if "text" in message:
                world.arrived(name, message["text"])
            return message

        async def send(message: dict[str, Any]) -> None:
            await self._sent(link, name, message)

        scope = {"client": (f"10.0.{self._number // 250}.{self._number % 250}", 1)}
        world.scheduler.loop.create_task(parts.gateway.serve(scope, receive, send))
        return link

    def forget(self, link: Link) -> None:
        self._sockets.pop(link).put_nowait({"type": "websocket.disconnect", "code": 1006})

    def hear(self, link: Link, text: Frame) -> None:
        if self._world.faults.strikes("socket gone", link.who):
            link.cut()
        else:
            self._sockets[link].put_nowait({"type": "websocket.receive", "text": text})

    def close_all(self) -> None:
        """The process is gone, and with it its sockets."""
        for link in [*self._sockets]:
            link.cut()

    async def _sent(self, link: Link, name: str, message: dict[str, Any]) -> None:
        world = self._world
        if not link.is_open:
            raise OSError("the client is gone")
        if message["type"] == "websocket.close":
            link.cut()
        elif message["type"] == "websocket.send":
            world.write(Posted(at_ms=world.now_ms(), who=link.who, way=name, frame=message["text"]))
            if world.faults.strikes("slow reader", link.who):
                await asyncio.sleep(5.0 * world.chance.random())
            link.down(message["text"])
