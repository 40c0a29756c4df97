"""Simulated relays: each with its own limits and lies, none of them the arbiter's code.

An honest relay passes on what it is sent to its subscribers, keeps what is to be kept, and says OK.
These do so most of the time.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from tests.simulation.history import Published
from tests.simulation.links import PING, PONG, Frame, Link, read_once
from tests.simulation.virtual_time import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

Event = dict[str, Any]

EPHEMERAL_SECONDS = 300

_SHAPE = {"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}

_REFUSALS = {
    "F03": ("rate-limited: slow down",),
    "F04": ("blocked: not here", "restricted: not you"),
    "F06": ("invalid: the event is too old",),
    "F07": ("pow: 28 bits needed",),
}
_TAKEN = ("pow: difficulty 25>=24", "duplicate: have it", "thanks", "saved: ok")
_ODD = ("error: could not connect to the database", "mute: no subscribers", "unheard-of: word", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What is this relay's own. ``most_stored`` bounds an answer to REQ; who ``checks`` verifies
    signatures; ``keeps_ephemeral`` means for five minutes, as strfry does.
    """

    latency: float
    most_stored: int
    keeps_ephemeral: bool
    wants_auth: bool


class Relay:
    """One relay."""

    def __init__(self, world: "World", name: str, habits: Habits) -> None:
        self.name = name
        self.url = f"ws://{name}.example"
        self.is_up = True
        self.is_dead = False
        self.is_shut = False
        self.habits = habits
        self._world = world
        self._links: list[Link] = []
        self._stored: dict[str, Event] = {}
        self._seen_at: dict[str, float] = {}
        self._heard: deque[Event] = deque(maxlen=200)
        self._texts: dict[tuple[Any, Any], str] = {}

    def open(self, who: str) -> Link | None:
        """A new connection; None if the relay cannot be reached."""
        if not self.is_up or self._world.is_parted(who, self.name):
            return None
        link = Link(self._world.scheduler, who, self, self._latency)
        self._links.append(link)
        if self.habits.wants_auth:
            self._tell(link, ["AUTH", f"{self.name}-{self._world.chance.getrandbits(32):08x}"])
        return link

    def forget(self, link: Link) -> None:
        if link in self._links:
            self._links.remove(link)

    def go_down(self, *, forgets: bool) -> None:
        """Stop, and lose all connections; perhaps what was kept for a short time, too."""
        self.is_up = False
        for link in [*self._links]:
            link.cut()
        if forgets:
            self._stored = {id_: one for id_, one in self._stored.items() if not _passes(one)}

    def come_back(self) -> None:
        self.is_up = not self.is_dead

    def drop(self, process: Process) -> None:
        """A process of ours is gone."""
        for link in [*self._links]:
            if link.process is process:
                link.cut()

    def part_from(self, who: str) -> None:
        for link in self._links:
            if link.who == who:
                link.is_half_open = True
                self._world.scheduler.after(60.0, link.cut)

    def repeat(self, most: int) -> int:
        """Pass on again some of what was heard; how many."""
        old = self._world.chance.sample([*self._heard], min(most, len(self._heard)))
        for event in old:
            self._pass_on(event)
        return len(old)

    def hear(self, link: Link, text: Frame) -> None:
        if text.startswith(PING):
            link.down(PONG + text.removeprefix(PING))
            return
        try:
            message = read_once(text)
            verb = message[0]
        except (ValueError, IndexError, KeyError, TypeError, RecursionError):
            self._tell(link, ["NOTICE", "not a message"])
            return
        match verb, message:
            case "EVENT", [_, dict(event), *_] if event.keys() >= _SHAPE:
                self._take(link, event)
            case "REQ", [_, str(name), *filters] if all(map(_is_filter, filters)):
                self._answer(link, name, filters)
            case "CLOSE", [_, str(name), *_]:
                link.subscriptions.pop(name, None)
            case "AUTH", [_, {"id": str(id_), "pubkey": str(pubkey)}]:
                link.pubkeys.add(pubkey)
                self._tell(link, ["OK", id_, True, ""])
            case _:
                self._tell(link, ["NOTICE", "what is that?"])

    def _take(self, link: Link, event: Event) -> None:
        faults = self._world.faults
        if link.is_ours and self.habits.wants_auth and not link.pubkeys:
            faults.note("F05", self.name)
            self._judge(link, event, taken=False, text="auth-required: who are you?")
            return
        if link.is_ours and self.is_shut:
            faults.note("F04 while", self.name)
            self._judge(link, event, taken=False, text="restricted: not you")
            return
        for kind, texts in _REFUSALS.items():
            if faults.strikes(kind, self.name):
                text = self._world.chance.choice(texts)
                self._judge(link, event, taken=False, text=text)
                return
        if faults.strikes("F08", self.name):
            self._answer_oddly(link, event)
            return
        is_kept = not faults.strikes("F09", self.name)
        if is_kept:
            self._keep(event)
        if faults.strikes("F01", self.name):
            self._published(link, event, taken=is_kept, told="")
            link.cut()
            return
        text = self._world.chance.choice(_TAKEN) if faults.strikes("F02", self.name) else ""
        self._judge(link, event, taken=is_kept, text=text, said=True)

    def _answer_oddly(self, link: Link, event: Event) -> None:
        chance = self._world.chance
        match chance.randrange(5):
            case 0:
                self._judge(link, event, taken=False, text=chance.choice(_ODD))
            case 1:
                self._tell(link, ["OK", event["id"], False])
                self._published(link, event, taken=False, told="no")
            case 2:
                self._tell(link, ["OK", f"{chance.getrandbits(256):064x}", True, ""])
                self._published(link, event, taken=False, told="")
            case 3:
                self._tell(link, ["OK", "", False, "error: bad"])
                self._published(link, event, taken=False, told="no")
            case _:
                link.down('["OK", ')
                self._published(link, event, taken=False, told="")

    def _judge(
        self, link: Link, event: Event, *, taken: bool, text: str, said: bool | None = None
    ) -> None:
        said = taken if said is None else said
        self._tell(link, ["OK", event["id"], said, text])
        is_mute = text.startswith("mute:") and _passes(event)
        told = "ok" if said else "mute" if is_mute else "no"
        self._published(link, event, taken=taken, told=told)

    def _published(self, link: Link, event: Event, *, taken: bool, told: str) -> None:
        if link.is_ours:
            self._world.write(
                Published(
                    at_ms=self._world.now_ms(),
                    who=link.who,
                    way=self.name,
                    event=self._text_of(event),
                    taken=taken,
                    told=told,
                )
            )

    def _keep(self, event: Event) -> None:
        is_new = event["id"] not in self._stored or not self._has(event)
        if is_new:
            self._seen_at[event["id"]] = self._world.scheduler.now
        if not _passes(event) or self.habits.keeps_ephemeral:
            self._stored[event["id"]] = event
        if is_new:
            self._heard.append(event)
            self._pass_on(event)
            is_heard = any(link.is_ours and link.subscriptions for link in self._links)
            if event["kind"] in (20300, 20303) and not is_heard:
                self._world.faults.note("F34", self.name)

    def _pass_on(self, event: Event) -> None:
        text = self._text_of(event)
        forged = None
        faults, is_theirs = self._world.faults, event["kind"] in (20300, 20303)
        if is_theirs and faults.allows("F16") and self._world.chance.random() < 0.05:
            faults.note("F16", self.name)
            forged = {**event, "sig": event["sig"][64:] + event["sig"][:64]}
        for link in [one for one in self._links if not one.is_mute]:
            for subscription in [*link.subscriptions.values()]:
                if not subscription.wants(event):
                    continue
                if forged is not None:
                    self._send(link, f"{subscription.head}{_json(forged)}]")
                if not faults.strikes("F11", f"{self.name} to {link.who}"):
                    self._send(link, f"{subscription.head}{text}]")

    def _answer(self, link: Link, name: str, filters: list[Any]) -> None:
        world = self._world
        if world.faults.strikes("F12", f"{self.name} to {link.who}"):
            if world.chance.random() < 0.5:
                link.subscriptions.pop(name, None)
                self._tell(link, ["CLOSED", name, world.chance.choice(("error: restart", ""))])
                return
            self._tell(link, ["NOTICE", "we are overloaded"])
        link.subscriptions[name] = subscription = Subscription(name, filters)
        # "newest first", says NIP-01, and then a relay cuts.
        found = self._found(subscription)
        most = min([wanted.get("limit", self.habits.most_stored) for wanted in filters])
        most = min(most, self.habits.most_stored)
        if len(found) > most:
            world.faults.note("F33", self.name)
        for event in found[:most]:
            self._send(link, f"{subscription.head}{self._text_of(event)}]")
        self._tell(link, ["EOSE", name])

    def _found(self, subscription: "Subscription") -> list[Event]:
        self._stored = {id_: event for id_, event in self._stored.items() if self._has(event)}
        found = [event for event in self._stored.values() if subscription.wants(event)]
        found.sort(key=lambda event: (-event["created_at"], event["id"]))
        return found

    def _text_of(self, event: Event) -> str:
        key = (event["id"], event.get("sig"))
        if key not in self._texts:
            self._texts[key] = _json(event)
        return self._texts[key]

    def _has(self, event: Event) -> bool:
        kept_since: float = self._world.scheduler.now - EPHEMERAL_SECONDS
        return not _passes(event) or self._seen_at[event["id"]] >= kept_since

    def _tell(self, link: Link, message: list[Any]) -> None:
        self._send(link, _json(message))

    def _send(self, link: Link, text: Frame) -> None:
        faults, where = self._world.faults, f"{self.name} to {link.who}"
        if faults.strikes("F10", where):
            is_listened_on = link.is_ours and bool(link.subscriptions)
            link.is_mute = is_listened_on and self._world.chance.random() < 0.5
            link.is_half_open = not link.is_mute
            if link.is_half_open and link.is_ours:
                # A ping that is not answered ends the connection.
                self._world.scheduler.after(60.0, link.cut)
        overtakes = faults.strikes("reorder", where)
        extra = self._world.chance.expovariate(0.5) if faults.strikes("slow", where) else 0.0
        link.down(text, overtakes=overtakes, extra=extra)
        if faults.strikes("duplicate", where):
            link.down(text)

    def _latency(self) -> float:
        return self.habits.latency * (0.5 + self._world.chance.random())


def _passes(event: Event) -> bool:
    """NIP-01: ephemeral kinds are not expected to be stored."""
    kind: int = event["kind"]
    return 20_000 <= kind < 30_000


def _is_filter(wanted: Any) -> bool:
    numbers = ("since", "until", "limit")
    return isinstance(wanted, dict) and all(
        isinstance(value, int if name in numbers else list) for name, value in wanted.items()
    )


class Subscription:
    """One REQ of NIP-01; ``head`` is how its frames begin."""

    def __init__(self, name: str, filters: Sequence[dict[str, Any]]) -> None:
        self.head = f'["EVENT",{_json(name)},'
        self._filters = [*map(_matcher, filters)]

    def wants(self, event: Event) -> bool:
        return any(matches(event) for matches in self._filters)


def _matcher(wanted: dict[str, Any]) -> Callable[[Event], bool]:
    fields = (("kinds", "kind"), ("ids", "id"), ("authors", "pubkey"))
    sets = [(field, frozenset(wanted[name])) for name, field in fields if name in wanted]
    tags = [(name[1:], frozenset(it)) for name, it in wanted.items() if name.startswith("#")]
    since, until = wanted.get("since", 0), wanted.get("until", float("inf"))

    def matches(event: Event) -> bool:
        for field, values in sets:
            if event[field] not in values:
                return False
        if not since <= event["created_at"] <= until:
            return False
        for name, values in tags:
            if not any(tag[0] == name and tag[1] in values for tag in event["tags"] if tag[1:]):
                return False
        return True

    return matches


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
