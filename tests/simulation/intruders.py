"""Strangers with time on their hands, and seated players who cannot let a thing rest.

What they say is true to the letter of NIP-01, mostly, and good for nothing. Who wants a game here
says that he is a program, and welcomes none, so that no person is seated with him.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import chess

from tests.simulation.clients import Stranger
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


class Intruder:
    """One of them with several keys, on every relay and at the gateway."""

    def __init__(self, world: "World", name: str) -> None:
        self._world = world
        reads = {"kinds": [RESPONSE], "limit": 50}
        self.stranger = Stranger(world, name, 4, (*world.relays, GATEWAY), reads, self._hear)
        self.stranger.begins = self._later
        self.stranger.ends = self._take_back
        self._hands, self._lines = self.stranger.hands, self.stranger.lines
        self._challenges: list[str] = []
        self._acts: dict[str, Callable[[], None]] = {
            "H20": self._talk_nonsense,
            "H42": self._play_nowhere,
            "H54": self._meet_himself,
            "H55": self._take_a_challenge,
            "H60": self._be_many,
            "H62": self._insist,
            "F15": self._sign_twice,
            "F17": self._be_late,
        }

    def _take_back(self) -> None:
        for hand in self._hands:
            self._say(hand.sign(REQUEST, "cancel", self._server()))

    def _later(self) -> None:
        self._world.soon(2.0 + self._world.chance.random() * 10.0, self._act)

    def _act(self) -> None:
        if self.stranger.is_away or self._world.faults.is_healed:
            return
        self._later()
        kind = self._world.chance.choice([*self._acts])
        if kind.startswith("F") or self._world.faults.allows(kind):
            self._acts[kind]()

    def _hear(self, event: Event) -> None:
        if event["content"].startswith("challenged:"):
            self._challenges.append(event["content"].split(":")[1])

    def _talk_nonsense(self) -> None:
        self._note("H20")
        self._world.chance.choice(self._lines).say_text(self._world.chance.choice(_JUNK))

    def _play_nowhere(self) -> None:
        self._note("H42")
        game = self._world.chance.choice(("f" * 32, "", "x" * 200, "/../%00", "F" * 32))
        self._say(self._hands[0].sign(MOVE, "e2e4", (("d", game), *self._server())))

    def _meet_himself(self) -> None:
        self._note("H54")
        for text in ("", " "):
            self._say(self._hands[0].sign(REQUEST, text, (*self._server(), _BOT)))

    def _take_a_challenge(self) -> None:
        if self._challenges:
            self._note("H55")
            challenge = self._world.chance.choice(self._challenges)
            self._say(self._hands[1].sign(REQUEST, f"accept:{challenge}", self._server()))

    def _be_many(self) -> None:
        self._note("H60")
        for hand in self._hands[2:]:
            self._say(hand.sign(REQUEST, "", (*self._server(), _BOT)))

    def _insist(self) -> None:
        self._note("H62")
        text = self._hands[0].sign(MOVE, "state", (("d", "0" * 32), *self._server()))
        for _ in range(20):
            self._say(text)

    def _sign_twice(self) -> None:
        self._note("F15")
        text = self._hands[0].sign(MOVE, "state", (("d", "1" * 32), *self._server()))
        self._say(text)
        self._say(self._hands[0].sign_again(text))

    def _be_late(self) -> None:
        self._note("F17")
        off = self._world.chance.choice((-(10**6), -600, 600, 10**6))
        at = self._world.now_ms() // 1000 + off
        self._say(self._hands[1].sign(REQUEST, "", (*self._server(), _BOT), at))

    def _server(self) -> tuple[tuple[str, str], ...]:
        return (("p", self._world.server.pubkey),)

    def _say(self, text: str) -> None:
        self._world.chance.choice(self._lines).say_event(text)

    def _note(self, kind: str) -> None:
        self._world.faults.note(kind, self.stranger.name)


class Nagger:
    """What a seated player says beside his honest play: twice, of the wrong game, after the end."""

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
