"""Strangers with time on their hands, and seated players who cannot let a thing rest.

What they say is true to the letter of NIP-01, mostly, and good for nothing. Who wants a game here
says that it is a program, and welcomes none, so that no person is seated with it.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import chess

from tests.simulation.clients import Hand, Stranger
from tests.simulation.lines import GATEWAY
from tests.simulation.native_voice import MOVE, REQUEST, RESPONSE
from tests.simulation.natives import NativePlayer
from tests.simulation.relays import Event

if TYPE_CHECKING:
    from tests.simulation.world import World

_BOT = ("bot", "true")

_JUNK = (
    "",
    "[]",
    '["EVENT"]',
    '["EVENT",{"id":7}]',
    "[" * 200,
    '{"EVENT":1}',
    '["REQ","x",{"kinds":"all"}]',
    '["EVENT",{"id":"\\ud800","kind":1e999}]',
    "\u2028nonsense",
)

_NOWHERE = ("f" * 32, "", "x" * 200, "/../%00", "F" * 32)
_OFF_SECONDS = (-(10**6), -600, 600, 10**6)


class Intruder:
    """One of them with several keys, on every relay and at the gateway."""

    def __init__(self, world: "World", name: str) -> None:
        self._world = world
        reads = {"kinds": [RESPONSE], "limit": 50}
        self.stranger = Stranger(world, name, 4, (*world.relays, GATEWAY), reads, self._hear)
        self.stranger.begins = self._later
        self.stranger.ends = self._take_back
        self._challenges: list[str] = []
        self._acts: dict[str, Callable[[], Iterable[str]]] = {
            "H42": lambda: [self._word("e2e4", world.chance.choice(_NOWHERE))],
            "H54": lambda: (
                text for word in ("", " ") for text in self._asked(word, *self._hands(0, 1))
            ),
            "H55": self._accepted,
            "H60": lambda: self._asked("", *self._hands(2, 4)),
            "H62": lambda: [self._word("state", "0" * 32)] * 20,
            "F15": self._signed_twice,
            "F17": self._dated_otherwise,
        }

    def _take_back(self) -> None:
        self._say(*self._asked("cancel", *self.stranger.hands))

    def _later(self) -> None:
        self._world.soon(2.0 + self._world.chance.random() * 10.0, self._act)

    def _act(self) -> None:
        world, chance = self._world, self._world.chance
        if self.stranger.is_away or world.faults.is_healed:
            return
        self._later()
        kind = chance.choice(["H20", *self._acts])
        if not (kind.startswith("F") or world.faults.allows(kind)):
            return
        if kind == "H20":
            chance.choice(self.stranger.lines).say_text(chance.choice(_JUNK))
        elif not self._say(*self._acts[kind]()):
            return
        world.faults.note(kind, self.stranger.name)

    def _hear(self, event: Event) -> None:
        if event["content"].startswith("challenged:"):
            self._challenges.append(event["content"].split(":")[1])

    def _accepted(self) -> Iterable[str]:
        if self._challenges:
            challenge = self._world.chance.choice(self._challenges)
            yield from self._asked(f"accept:{challenge}", *self._hands(1, 2))

    def _signed_twice(self) -> Iterable[str]:
        text = self._word("state", "1" * 32)
        return text, self.stranger.hands[0].sign_again(text)

    def _dated_otherwise(self) -> Iterable[str]:
        at = self._world.now_ms() // 1000
        return self._asked("", *self._hands(1, 2), at=at + self._world.chance.choice(_OFF_SECONDS))

    def _hands(self, first: int, end: int) -> tuple[Hand, ...]:
        return self.stranger.hands[first:end]

    def _asked(self, word: str, *hands: Hand, at: int | None = None) -> list[str]:
        """Requests of a program that welcomes no other, by each of these keys."""
        tags = (("p", self._world.server.pubkey), *(() if word.strip() else (_BOT,)))
        return [hand.sign(REQUEST, word, tags, at) for hand in hands]

    def _word(self, word: str, game: str) -> str:
        tags = (("d", game), ("p", self._world.server.pubkey))
        return self.stranger.hands[0].sign(MOVE, word, tags)

    def _say(self, *texts: str) -> bool:
        for text in texts:
            self._world.chance.choice(self.stranger.lines).say_event(text)
        return bool(texts)


class Nagger:
    """What a player says beside their honest play: twice, of the wrong game, after the end."""

    def __init__(self, world: "World", player: NativePlayer) -> None:
        self._world = world
        self._player = player

    def start(self) -> None:
        self._later()

    def _later(self) -> None:
        self._world.soon(2.0 + self._world.chance.random() * 8.0, self._nag)

    def _nag(self) -> None:
        if self._world.faults.is_healed:
            return
        self._later()
        player = self._player
        if player.is_away:
            return
        for seen in player.games.values():
            if seen.is_over and self._world.faults.allows("H51"):
                self._note("H51")
                word = self._world.chance.choice(("e2e4", "resign", "draw", "takeback"))
                self._say(word, (("d", seen.id), *self._server(), ("e", seen.state_id)))
                if seen.id != player.game and self._world.faults.allows("H47"):
                    # Said in the next game, of the last one.
                    self._note("H47")
                    self._say("e7e5", (("d", seen.id), *self._server()))
                return
        present = player.games.get(player.game or "")
        if present is None:
            return
        if self._world.faults.allows("H41"):
            self._note("H41")
            self._say("e2e4", (("d", present.id), ("d", "2" * 32), *self._server()))
        board = chess.Board(present.fen)
        is_mine = (board.turn == chess.WHITE) == (present.white == player.hand.pubkey)
        moves = [*board.legal_moves]
        if is_mine and len(moves) > 1 and self._world.chance.random() < 0.3:
            self._note("F18")
            for move in self._world.chance.sample(moves, 2):
                tags = (("d", present.id), *self._server(), ("e", present.state_id))
                self._say(move.uci(), tags)

    def _server(self) -> tuple[tuple[str, str], ...]:
        return (("p", self._world.server.pubkey),)

    def _say(self, content: str, tags: tuple[tuple[str, str], ...]) -> None:
        text = self._player.hand.sign(MOVE, content, tags)
        self._player.voice.say(text)

    def _note(self, kind: str) -> None:
        self._world.faults.note(kind, self._player.name)
