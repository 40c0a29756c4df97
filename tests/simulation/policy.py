"""The operator: changes the policy while games go on, by requests that their key signs, each again
until it is answered; and looks at the list of running games. Players who block each other.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip98 import http_auth_header, http_auth_template
from tests.simulation.history import Actor, Belief, Listed

if TYPE_CHECKING:
    from tests.simulation.native_player import NativePlayer
    from tests.simulation.world import World

URL = "http://127.0.0.1:8080"

_PATIENCE_SECONDS = 10.0
_ANSWERED = 200

_BACK = {
    "deny": "admit",
    "hide": "show",
    "void": "count",
    "allow": "disallow",
    "close": "open",
}
"""The word that takes each back."""

Said = dict[str, Any]


class Operator:
    """One of them, at the server's own address."""

    def __init__(self, world: "World", key: SecretKey, players: list["NativePlayer"]) -> None:
        self.name = "operator"
        self._world = world
        self._key = key
        self._players = [player.hand.pubkey for player in players]
        self._ahead: list[Said] = []
        self._has_finished = False

    def actor(self) -> Actor:
        return Actor(name=self.name, pubkeys=(self._key.pubkey,), dialect="native", is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        return ()

    def is_content(self) -> bool:
        return not self._ahead

    def start(self) -> None:
        chance, seconds = self._world.chance, self._world.settings.seconds
        for _ in range(chance.choice((1, 3, 6))):
            said, at = self._drawn(), 3.0 + chance.random() * seconds * 0.8
            self._world.scheduler.at(at, partial(self._say, said))
            if chance.random() < 0.7:
                back = {"word": _BACK[said["word"]], "keys": said.get("keys", [])}
                later = at + chance.random() * min(seconds, 60.0)
                self._world.scheduler.at(later, partial(self._say, back))

    def finish(self) -> None:
        """Look back: have games not count that did, and perhaps one player's games end."""
        if self._has_finished:
            return
        self._has_finished = True
        if self._world.chance.random() < 0.5:
            self._say(self._drawn("deny") | {"ends_games": True})
        self._say(self._drawn("void"))

    def go_away(self) -> None:
        """They stay: only players go."""

    def come_back(self) -> None:
        """They were there all the time."""

    def _drawn(self, *words: str) -> Said:
        chance = self._world.chance
        word, some = chance.choice(words or (*_BACK,)), chance.sample(self._players, 2)
        match word:
            case "deny":
                until = self._world.now_ms() // 1000 + chance.choice((100, 400))
                limit = {"until": until} if chance.random() < 0.3 else {}
                ends = {"ends_games": chance.random() < 0.5}
                return {"word": word, "keys": some[:1], "reason": "rude", **limit, **ends}
            case "void":
                return {"word": word, "keys": some[: chance.choice((1, 2))]}
            case "allow":
                return {"word": word, "keys": self._players[: max(2, len(self._players) - 2)]}
            case "close":
                return {"word": word, "reason": "Maintenance until seven."}
            case _:
                return {"word": word, "keys": some[:1]}

    def _say(self, said: Said) -> None:
        if self._world.is_settling:
            return
        self._ahead.append(said)
        if len(self._ahead) == 1:
            self._try()

    def _try(self) -> None:
        parts = self._world.serving.parts
        if not self._ahead or self._world.is_settling:
            return
        self._world.scheduler.after(_PATIENCE_SECONDS, self._try_again(self._ahead[0]))
        if parts is not None:
            self._world.scheduler.loop.create_task(self._ask(parts, self._ahead[0]))

    def _try_again(self, said: Said) -> Any:
        def do() -> None:
            if self._ahead and self._ahead[0] is said:
                self._try()

        return do

    async def _ask(self, parts: Any, said: Said) -> None:
        body = orjson.dumps(said)
        now_seconds = self._world.read_clock() // 1000
        template = http_auth_template("POST", f"{URL}/operator/policy", body, now_seconds)
        header = http_auth_header(self._key.sign(template))
        status, text = await asked(parts, "POST", "/operator/policy", body, header)
        if not self._ahead or self._ahead[0] is not said:
            return
        if status != _ANSWERED and b"until is over" not in text:
            return
        self._world.faults.note(said["word"], " ".join(said.get("keys", [])))
        self._ahead.pop(0)
        if said["word"] == "hide":
            _, listed = await asked(parts, "GET", "/live", b"", "")
            self._world.write(Listed(at_ms=self._world.now_ms(), text=listed.decode()))
        self._world.scheduler.after(0.0, self._try)


async def asked(
    parts: Any, method: str, path: str, body: bytes, authorization: str
) -> tuple[int, bytes]:
    """The status and body of the answer to this request."""
    frames: asyncio.Queue[Any] = asyncio.Queue()
    frames.put_nowait({"type": "http.request", "body": body})
    found: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        found.append(message)

    headers = [(b"host", b"127.0.0.1:8080"), (b"accept", b"application/json")]
    if authorization:
        headers.append((b"authorization", authorization.encode()))
    scope = {
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    await parts.http.serve(scope, frames.get, send)
    return found[0]["status"], found[1]["body"]


class Blocker:
    """A player who blocks another, and perhaps takes that back."""

    def __init__(self, world: "World", player: "NativePlayer", whom: str) -> None:
        self._world, self._player, self._whom = world, player, whom

    def start(self) -> None:
        chance, after = self._world.chance, self._world.scheduler.after
        seconds = self._world.settings.seconds
        after(chance.random() * chance.choice((3.0, 60.0)), lambda: self._say("block"))
        if chance.random() < 0.3:
            after(seconds * (0.5 + 0.4 * chance.random()), lambda: self._say("unblock"))

    def _say(self, word: str) -> None:
        if not self._player.is_away:
            self._player.sender.ask(f"{word}:{self._whom}")
            self._world.faults.note(word, self._player.name)
