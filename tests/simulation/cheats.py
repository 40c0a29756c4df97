"""A player who cheats, with a drawer full of keys, and the table of what they try.

They play a game like others, read all relays, and hear of each event once. Nothing of what
they try may cost an honest player time, a rating, a game, or a chance of one.
"""

from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING

from arbiter.nostr.strict_json import write_json
from tests.simulation.client_connections import GATEWAY, ClientConnection
from tests.simulation.clients import Hand, Stranger, Tags
from tests.simulation.native_player import NativePlayer, Plan
from tests.simulation.native_sender import MOVE, PATIENCE_SECONDS, REQUEST, RESPONSE, STATE
from tests.simulation.nip100_player import CONNECT, RESIGN, Nip100Player
from tests.simulation.relays import Event

if TYPE_CHECKING:
    from tests.simulation.world import World

LIKELIHOOD, SELDOM = 0.4, {"late agreement", "front-run"}
"""How likely each attack is at each event at which it can be tried, but for those that seldom can
be.
"""

MOST, LOUD = 15, {"flood": 4, "copies": 3, "backdated": 3}
"""So often each is tried in one run, and those that say much."""

ROUNDS = 3
FLOOD = ("state", "state", "state", "e2e4", "flag", "resign")
HELD_BACK = ("draw", "draw-decline", "takeback", "quit", "resign", "abort")
NEVER_LEGAL = ("a1a1", "h8a1", "a1h8", "e1e8")
ILLEGAL_MOVES = COPIES = 24
"""More than are answered, and more than are counted freely."""

UNPLACED_SECONDS = 65
"""A word that names no state is stale when the position is a minute younger than it."""

LAPSED_SECONDS = 306
"""An offer of a rematch is over by then, where the game had a live clock."""

_BOT = ("bot", "true")
"""A player who says so, and welcomes no other, is paired with no other player here."""


class Cheat:
    """``player`` is the one who plays, and ``stranger`` who has the other keys."""

    def __init__(self, world: "World", name: str) -> None:
        settings = world.settings
        self._world = world
        plan = Plan(settings.games + 1, settings.plies, settings.time, agrees=False)
        self.player = NativePlayer(world, name, [*world.relays], plan, is_honest=False)
        reads = {"kinds": [REQUEST, RESPONSE, STATE, MOVE]}
        self.stranger = Stranger(world, f"{name}'s keys", 9, world.relays, reads, self._hear)
        self.stranger.ends = self._take_back
        *self._flooders, self._walker, self._absent, self._rival, self._gambler, self._twin = (
            self.stranger.hands
        )
        hands = (self.player.hand, *self.stranger.hands)
        self._own = {hand.pubkey: hand for hand in hands}
        self._socket = ClientConnection(world, self.stranger.name, GATEWAY, _ignore, _opened)
        self.stranger.begins = self._socket.dial
        self._tried: Counter[str] = Counter()
        self._held: list[tuple[str, str, int, int]] = []
        self._agreed: dict[str, str] = {}
        self._attacks: dict[str, tuple[int, Callable[[Event], bool]]] = {
            "flood": (STATE, self._flood),
            "ground": (REQUEST, self._grind),
            "walk-out": (REQUEST, self._walk_out),
            "no-show": (REQUEST, self._stay_away),
            "front-run": (REQUEST, self._front_run),
            "two in a second": (REQUEST, self._ask_twice),
            "copies": (MOVE, self._copy),
            "held back": (STATE, self._hold_back),
            "backdated": (STATE, self._date_back),
            "late agreement": (STATE, self._keep_agreement),
            "signed elsewhere": (STATE, self._bring),
        }

    def _take_back(self) -> None:
        for hand in (self._walker, self._absent, self._gambler, self._twin):
            self.stranger.say(hand.sign(REQUEST, "cancel", self._server()))

    def _hear(self, event: Event) -> None:
        world = self._world
        if event["kind"] == RESPONSE:
            self._leave(event)
        if world.faults.is_healed or event["pubkey"] in self._own:
            return
        if event["kind"] == REQUEST and (agreed := self._agreed.pop(event["pubkey"], None)):
            # When they wait in a pool.
            world.scheduler.after(1.0, lambda: self._agree(agreed))
        for name, (kind, attack) in self._attacks.items():
            if kind != event["kind"] or name not in world.settings.tricks:
                continue
            is_enough = self._tried[name] >= LOUD.get(name, MOST)
            is_idle = name not in SELDOM and world.chance.random() > LIKELIHOOD
            if not (is_enough or is_idle) and attack(event):
                self._note(name)

    def _note(self, name: str) -> None:
        self._tried[name] += 1
        self._world.faults.note(f"cheat {name}", self.player.name)

    def _server(self) -> Tags:
        return (("p", self._world.server.pubkey),)

    def _flood(self, state: Event) -> bool:
        tags = (("d", _value(state, "d")), *self._server())
        for number in range(ROUNDS):
            for hand in self._flooders:
                for at, word in enumerate(FLOOD):
                    nonce = ("n", f"{self._tried['flood']} {number} {at}")
                    self.stranger.say(hand.sign(MOVE, word, (*tags, nonce)))
        return True

    def _grind(self, request: Event) -> bool:
        known = str(request["id"])

        def is_white(id_: str) -> bool:
            first, second = sorted((known, id_))
            return (first == id_) == (_drawn("game", first, second)[-1] % 2 == 0)

        return self._ask_like(request, self._gambler, is_white)

    def _walk_out(self, request: Event) -> bool:
        """A game that will be called off as soon as it begins: see `_leave`."""
        return self._ask_like(request, self._walker, _any)

    def _stay_away(self, request: Event) -> bool:
        """A game that will see no first move; a live clock ends it."""
        is_live = "+" in _value(request, "time")
        return is_live and self._ask_like(request, self._absent, _any)

    def _front_run(self, request: Event) -> bool:
        if _value(request, "challenge") != "open":
            return False
        accepted = f"accept:{request['id'][:32]}"
        self.stranger.say(self._rival.sign(REQUEST, accepted, self._server()))
        return True

    def _ask_twice(self, request: Event) -> bool:
        del request
        for number in ("1", "2"):
            tags = (*self._server(), _BOT, ("n", number))
            self.stranger.say(self._twin.sign(REQUEST, "", tags))
        return True

    def _copy(self, move: Event) -> bool:
        def bring() -> None:
            for _ in range(COPIES):
                self._socket.say_event(write_json(move))

        self._world.soon(PATIENCE_SECONDS - 0.5, bring)
        return True

    def _hold_back(self, state: Event) -> bool:
        player, game, ply = self.player, _value(state, "d"), int(_value(state, "ply"))
        if player.hand.pubkey not in _players(state):
            return False
        now_s = self._world.now_ms() // 1000
        due = [one for one in self._held if one[0] == game and one[2] < ply and one[3] <= now_s]
        for one in due:
            self._held.remove(one)
            player.say_again(one[1])
        if not _value(state, "result"):
            word, is_placed = (
                self._world.chance.choice(HELD_BACK),
                self._world.chance.random() < 0.7,
            )
            named: Tags = (("e", state["id"]),) if is_placed else ()
            text = player.hand.sign(MOVE, word, (("d", game), *self._server(), *named))
            self._held.append((game, text, ply, 0 if is_placed else now_s + UNPLACED_SECONDS))
        return bool(due)

    def _date_back(self, state: Event) -> bool:
        player = self.player
        seen = player.games.get(_value(state, "d"))
        if seen is None or seen.is_over or not seen.is_turn_of(player.hand.pubkey):
            return False
        for number in range(ILLEGAL_MOVES):
            tags = (("d", seen.id), *self._server(), ("n", str(number)))
            word = NEVER_LEGAL[number % len(NEVER_LEGAL)]
            player.say_again(player.hand.sign(MOVE, word, tags, state["created_at"] - 1))
        return True

    def _keep_agreement(self, state: Event) -> bool:
        """A rematch that an opponent offers is agreed to when they have asked for another game, or
        when the offer is over.
        """
        own = [self._own[key] for key in _players(state) if key in self._own]
        others = {*_players(state)} - {*self._own}
        if _value(state, "offer") != "rematch" or len(own) != 1:
            return False
        game, tags = _value(state, "d"), (("e", state["id"]), *self._server())

        def is_white(id_: str) -> bool:
            return _drawn("rematch", game, id_)[-1] % 2 == 0

        agreed = own[0].grind(MOVE, "rematch", (("d", game), *tags), is_white)
        if self._world.chance.random() < 0.7:
            self._agreed[others.pop()] = agreed
        else:
            self._world.soon(LAPSED_SECONDS, lambda: self._agree(agreed))
        return False

    def _bring(self, state: Event) -> bool:
        """What a player of NIP-100 signed for another arbiter, and names none."""
        players = [one for one in self._world.actors if isinstance(one, Nip100Player)]
        seated = [one for one in players if one.hand.pubkey in _players(state)]
        for one in seated:
            self._socket.say_event(one.hand.sign(CONNECT, "connect"))
            resigned = one.hand.sign(RESIGN, "resign")
            self._world.scheduler.after(1.0, lambda text=resigned: self._socket.say_event(text))  # type: ignore[misc]
        return bool(seated)

    def _ask_like(self, request: Event, hand: Hand, is_wanted: Callable[[str], bool]) -> bool:
        if request["content"] or _value(request, "challenge"):
            return False
        terms = tuple((tag[0], tag[1]) for tag in request["tags"] if tag[0] in {"time", "mode"})
        self.stranger.say(hand.grind(REQUEST, "", (*self._server(), *terms), is_wanted))
        return True

    def _leave(self, response: Event) -> None:
        """Call a game off that one of the keys has got, unless it was to be left alone."""
        word, _, rest = response["content"].partition(":")
        hand = self._own.get(_value(response, "p"))
        if word == "started" and hand in {self._walker, self._rival, self._gambler}:
            called = self._world.chance.choice(("abort", "quit", "resign"))
            tags = (("d", rest.partition(":")[0]), *self._server())
            self.stranger.say(hand.sign(MOVE, called, tags))

    def _agree(self, text: str) -> None:
        if not self._world.faults.is_healed:
            self._note("late agreement")
            self.stranger.say(text)


def _drawn(*parts: str) -> bytes:
    return sha256(":".join(parts).encode()).digest()


def _value(event: Event, name: str) -> str:
    """The value of the first tag of this name; empty if there is none."""
    return next((str(tag[1]) for tag in event["tags"] if tag[0] == name and len(tag) > 1), "")


def _players(state: Event) -> tuple[str, ...]:
    return tuple(tag[1] for tag in state["tags"] if tag[0] == "p")


def _any(id_: str) -> bool:
    return bool(id_)


def _ignore(way: str, message: object) -> None:
    del way, message


def _opened(connection: ClientConnection) -> None:
    del connection
