"""What a native player says: signed, over all their ways, and again until it is answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from tests.simulation.client_connections import GATEWAY, ClientConnection
from tests.simulation.clients import Hand, Seen, Tags

if TYPE_CHECKING:
    from tests.simulation.world import World

REQUEST, RESPONSE, STATE, MOVE, ERROR = range(20300, 20305)

PATIENCE_SECONDS = 8.0
DEAF_AFTER_SECONDS = 3 * PATIENCE_SECONDS
ASKS_ANEW_SECONDS = 100.0
SIGNS_ANEW_SECONDS = 60.0


@dataclass(slots=True)
class Asked:
    """Something said, and not answered yet."""

    text: str
    id: str
    what: str
    game: str | None
    version: int
    first_at: float
    last_at: float
    tries: int = 1


class NativeSender:
    """One player's. ``hears`` is told of each message with the way that it came."""

    def __init__(
        self,
        world: "World",
        name: str,
        ways: Sequence[str],
        hears: Callable[[str, list[Any]], None],
    ) -> None:
        self.hand = Hand(world, name)
        self.asked: dict[str, Asked] = {}
        self.silent_since = 0.0
        self._world = world
        self._said_at_version: set[tuple[str, int, str]] = set()
        self._connections = [
            ClientConnection(world, name, way, hears, self._opened) for way in ways
        ]

    @property
    def is_open(self) -> bool:
        return any(connection.is_open for connection in self._connections)

    def dial(self) -> None:
        for connection in self._connections:
            connection.dial()

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def subscribe_again(self) -> None:
        for connection in self._connections:
            if connection.is_open:
                self._opened(connection)

    def _opened(self, connection: ClientConnection) -> None:
        since = self._world.now_ms() // 1000 - 60
        kinds = [RESPONSE, STATE, ERROR]
        connection.say("REQ", "me", {"kinds": kinds, "#p": [self.hand.pubkey], "since": since})

    def say(self, text: str) -> None:
        for connection in self._connections:
            connection.say_event(text)

    def ask(self, content: str, tags: Tags = ()) -> None:
        self._send(REQUEST, content, (*self.server(), *tags), "request", None, 0)

    def ask_state(self, game: str) -> None:
        """Ask for a game's state, unless that is asked."""
        if not any(one.what == "state" and one.game == game for one in self.asked.values()):
            self._send(MOVE, "state", (("d", game), *self.server()), "state", game, 0)

    def word(self, seen: Seen, word: str) -> None:
        self.tell(seen, word, "word")

    def tell(self, seen: Seen, content: str, what: str) -> None:
        """Say something about the state seen: a ``move`` or a ``word``."""
        tags = (
            ("d", seen.id),
            *self.server(),
            ("p", seen.white),
            ("p", seen.black),
            ("e", seen.state_id),
            *((("here",),) if self._is_at_gateway() else ()),
        )
        self._send(MOVE, content, tags, what, seen.id, seen.version)

    def _is_at_gateway(self) -> bool:
        return any(it.is_open and it.way == GATEWAY for it in self._connections)

    def server(self) -> Tags:
        return (("p", self._world.server.pubkey),)

    def has_said(self, seen: Seen, what: str) -> bool:
        return (seen.id, seen.version, what) in self._said_at_version

    def never_said(self, seen: Seen, what: str) -> bool:
        """Whether they have not said this of this state; from now on they have."""
        is_first = not self.has_said(seen, what)
        self._said_at_version.add((seen.id, seen.version, what))
        return is_first

    def _send(
        self, kind: int, content: str, tags: Tags, what: str, game: str | None, version: int
    ) -> None:
        text = self.hand.sign(kind, content, tags)
        now = self._world.scheduler.now
        id_: str = orjson.loads(text)["id"]
        self.asked[id_] = Asked(text, id_, what, game, version, now, now)
        self.say(text)

    def insist(self, now: float) -> None:
        self._hang_up_if_deaf(now)
        for one in [*self.asked.values()]:
            self._say_again(one, now)

    def _hang_up_if_deaf(self, now: float) -> None:
        """A connection may be half-open. By the time and not by the questions: who asks about three
        games at once and hangs up at every third question is never heard.
        """
        is_asking = any(one.what == "state" for one in self.asked.values())
        if is_asking and now - self.silent_since > DEAF_AFTER_SECONDS:
            self.silent_since = now
            for connection in self._connections:
                connection.hang_up()

    def _say_again(self, one: Asked, now: float) -> None:
        if self._world.server.pubkey not in one.text:
            # The server has another key now, and answers nothing that names the old one.
            del self.asked[one.id]
            if one.game:
                self._said_at_version.discard((one.game, one.version, one.what))
                self.ask_state(one.game)
            else:
                # They may have been given a game before, and not been told.
                self.ask("state")
            return
        if one.what == "request" and now - one.first_at > ASKS_ANEW_SECONDS:
            # The answer may be what was lost, and they have a game.
            del self.asked[one.id]
            self.ask("state")
            return
        if now - one.last_at < PATIENCE_SECONDS * min(one.tries, 4):
            return
        if one.what == "state" and one.game:
            self._ask_again(one, one.game)
            return
        one.last_at = now
        one.tries += 1
        self.say(one.text)
        if one.tries % 3 == 0:
            self.subscribe_again()
            if one.game and one.what != "state":
                self.ask_state(one.game)
        if one.tries % 5 == 0:
            self._world.chance.choice(self._connections).hang_up()

    def _ask_again(self, one: Asked, game: str) -> None:
        """The queue knows the question that it had: only a new one is a question."""
        del self.asked[one.id]
        self.subscribe_again()
        self.ask_state(game)

    def is_asking(self) -> bool:
        return any(one.what != "state" for one in self.asked.values())

    def requests_answered(self) -> None:
        for one in [*self.asked.values()]:
            if one.what == "request":
                del self.asked[one.id]

    def shown(self, game: str, version: int) -> None:
        """They were shown this state: what they had said of an earlier one is answered."""
        for one in [*self.asked.values()]:
            if one.game != game:
                continue
            if version > one.version or one.what == "state":
                del self.asked[one.id]
            elif self._world.scheduler.now - one.first_at > SIGNS_ANEW_SECONDS:
                # The same state is shown again, so this was lost, or its refusal was.
                del self.asked[one.id]
                self._said_at_version.discard((game, one.version, one.what))

    def refused(self, id_: str, why: str) -> Asked | None:
        """What of theirs was refused, if they wait for it; a move may be sent again."""
        one = self.asked.pop(id_, None)
        if one is None:
            return None
        self._world.memo(f"{self.hand.who} was refused {one.what}: {why}")
        if one.what == "move" and one.game:
            self._said_at_version.discard((one.game, one.version, "move"))
        if one.game and one.what != "state":
            self.ask_state(one.game)
        return one
