"""Conversations as text: in each line who says what and, behind ``>``, what comes back.

    alice seek blitz            > alice queued
    bob seek blitz              > alice started | bob started | state
    x: alice e2e4               > state
    again x                     > same
    bob e7e2                    > both !illegal-move
    = ply 1 | status illegal-move

``alice`` speaks on relays, ``~alice`` over her socket, ``@alice`` on Scuttlebutt, ``+alice`` in
kind 30, and ``white`` is who has White in the last game. What is said is said a second after what
was said before; ``;`` parts what is in one line. Of the first two who play, the first in the
alphabet has White. Behind ``>`` is everything that comes back, or ``-``; relays have ``same``
states and notes already, and ``...`` is anything more. A line without ``>`` is not looked at.

Lines that no player says: ``wait 5m``; ``hold x: alice draw`` (signed now, sent with ``send x``);
``queue x: alice draw`` (received now, handled with ``send x``); ``again x``; ``20 x eve seek`` (so
often, ``#`` being the number); ``moves e2e4 e7e5`` (of both sides); ``crash games.commit``;
``meanwhile lobby.commit: bob cancel`` (by another worker at that point); ``deaf`` and ``hearing``
(the relays); ``republish``; ``gone alice`` (a socket); ``timer`` (comes when it is due); ``no
timers`` (forgets those set so far); ``mark x`` (the present state, which ``/at=x`` names); and ``=
what is so``.
"""

import re
from collections.abc import Callable
from pathlib import Path

from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import Timer
from arbiter.core.game import Game
from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent, all_tags, first_tag
from tests.application.chains import Chains
from tests.application.speakers import Speakers
from tests.application.words import (
    clock_word,
    end_word,
    event_word,
    frame_word,
    offer_word,
    ssb_word,
)
from tests.application.world import World
from tests.cases import cases, steps
from tests.fakes.faults import Hook, crash_at, quiet

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class OtherColors(Exception):
    """The hash of the requests gives the first in the alphabet Black: begin a second later."""


def conversations() -> dict[str, str]:
    """Those in ``conversations/`` by their names."""
    files = sorted(Path(__file__).with_name("conversations").glob("*.txt"))
    return {f"{it.stem}: {name}": lines for it in files for (_, name), lines in cases(it).items()}


def run(text: str, rules: Rules | None = None) -> "Conversation":
    """Say all lines; the conversation as it is then."""
    for second in range(60):
        talk = Conversation(rules, in_order=not re.search(r"color=|(^|\s)[@+]\w", text))
        talk.world.clock.ms += 1000 * second
        try:
            for line in filter(None, map(str.strip, text.splitlines())):
                talk.line(line)
        except OtherColors:
            continue
        return talk
    raise AssertionError("sixty games, and the colours were always the others")


class Conversation:
    """A world, those who talk in it, and what each named line said and was answered."""

    def __init__(self, rules: Rules | None = None, *, in_order: bool = True) -> None:
        self.world, self.in_order = World(rules), in_order
        self.players = Speakers(self.world)
        self.sent = self.players.sent
        self.queued: dict[str, str] = {}
        self.answers: dict[str, list[str]] = {}
        self.known: set[str] = set()
        self.chains = Chains()
        self.deliveries = 1

    @property
    def games(self) -> list[str]:
        return self.players.games

    def game(self) -> Game:
        return self.players.game()

    def state(self) -> VerifiedEvent:
        return self.world.publisher.states[self.games[-1]]

    def line(self, line: str) -> None:
        """Say one line, and compare what comes back."""
        for step in steps(line):
            self._step(step)

    def _step(self, line: str) -> None:
        if line.startswith("="):
            for fact in line[1:].split("|"):
                name, _, value = fact.strip().partition(" ")
                assert (name, self.fact(name)) == (name, value.strip()), line
        else:
            said, arrow, expected = line.partition(" > ")
            self._say(said.strip(), expected.strip() if arrow else None, line)

    def _say(self, said: str, expected: str | None, line: str) -> None:
        label, said = self.labelled(said)
        heard, ids = self.step(said, label)
        if not said.startswith("again"):
            self.answers[label] = self.answers["last"] = ids
        if expected == "same":
            assert ids == self.answers[label], line
        elif expected is not None:
            wanted = [] if expected == "-" else [want.strip() for want in expected.split(" | ")]
            if wanted and wanted[-1].endswith("..."):
                heard = heard[: len(wanted)]
            pairs = zip(heard, wanted, strict=False)
            same = [
                got.startswith(want[:-3]) if want.endswith("...") else got == want
                for got, want in pairs
            ]
            assert len(heard) == len(wanted), (line, heard)
            assert all(same), (line, heard)

    @staticmethod
    def labelled(said: str) -> tuple[str, str]:
        if found := re.fullmatch(r"(hold |queue )?(\w+): (.*)", said):
            return found[2], (found[1] or "") + found[3]
        word, _, name = said.partition(" ")
        return (name or "last", said) if word in {"again", "send"} else ("last", said)

    def step(self, said: str, label: str) -> tuple[list[str], list[str]]:
        """Do it; what comes back, in words and by ids."""
        events, envelopes = len(self.world.publisher.taken_events), len(self.world.outbox.said)
        failed = self._do(said, label)
        taken = self.world.publisher.taken_events[events:]
        for event in taken:
            self._learn(event)
        words = ["same " * self._is_known(it) + event_word(self.players, it) for it in taken]
        self.known |= {event.id for event in taken}
        for name in sorted(self.players.sockets):
            words += [frame_word(name, frame) for frame in self.players.sockets[name].heard()]
        words += [ssb_word(self.players, it) for it in self.world.outbox.said[envelopes:]]
        return ["failed"] * failed + words, [event.id for event in taken]

    def _is_known(self, event: VerifiedEvent) -> bool:
        """Whether relays have this very state, note or rating already."""
        return event.id in self.known and event.kind in {20302, 64, 30300, 30, 1}

    def _learn(self, event: VerifiedEvent) -> None:
        """Number the challenges that an event tells of, know our start, and look who has White."""
        challenges = self.players.challenges
        for tag in (first_tag(event, "challenge"), ("", *event.content.split(":")[1:2])):
            is_told = event.content.startswith(("queued", "challenged:"))
            if event.kind == 20301 and is_told and tag and tag[1:]:
                challenges += [tag[1]] * (tag[1] not in challenges)
        if event.kind == 20302:
            self.chains.check(event, self.world.event_keys())
        if event.kind == 30 and '"kind":0' in event.content:
            self.players.start = event.id
            self.sent["our start"] = event, None
        players = all_tags(event, "p")
        if event.kind == 20302 and players and len(self.games) == 1 and self.in_order:
            white, black = (self.players.name(tag[1]) for tag in players)
            if white > black:
                raise OtherColors

    def _do(self, said: str, label: str) -> bool:
        """Say or do this; whether its record stays in the queue."""
        word, _, rest = said.partition(" ")
        match word:
            case "hold":
                self.sent[label] = self.players.event(rest)
            case "queue":
                self.sent[label] = self.players.event(rest)
                self.queued[label] = self.world.body(*self.sent[label])
            case "send" if label in self.queued:
                return self.deliver(self.queued[label])
            case "again" | "send":
                return self.deliver(self.world.body(*self.sent[label]))
            case "timer":
                return self._fire()
            case "republish":
                bodies, self.world.republish.waiting = self.world.republish.bodies, []
                return sum(map(self.deliver, bodies)) > 0
            case _ if word in self._means:
                self._means[word](self, rest)
            case _:
                self.sent[label] = self.sent["last"] = self.players.event(said)
                return self.deliver(self.world.body(*self.sent[label]))
        return False

    def deliver(self, body: str) -> bool:
        """Deliver this, as often as it fails and may; whether it failed at last."""
        for _ in range(self.deliveries):
            failed = bool(self.world.deliver(self.world.record(body)))
            self.world.hand_on()
            if not failed:
                return False
            self.world.clock.ms += 48_000 * (self.deliveries > 1)  # the visibility time-out
        return True

    def hook(self, hook: Hook) -> None:
        """Let this happen at the points of all stores."""
        world = self.world
        world.games.hook = world.lobby.hook = world.timers.hook = world.ratings.hook = hook
        world.connections.hook = world.sockets.hook = world.outbox.hook = hook

    def _meanwhile(self, rest: str) -> None:
        point, said = rest.split(": ")
        body = self.world.body(*self.players.event(said))

        def rival(reached: str) -> None:
            if reached == point:
                self.hook(quiet)
                self.deliver(body)

        self.hook(rival)

    def _fire(self) -> bool:
        """Let the timer of the last game come when it is due."""
        game = self.game()
        self.world.clock.ms = max(self.world.clock.ms, game.timer_at_ms or 0)
        now_ms = self.world.clock.ms
        return self.deliver(timer_entry(Timer(game.id, game.ply, now_ms), now_ms).body)

    def _wait(self, rest: str) -> None:
        self.world.clock.ms += round(float(rest[:-1]) * SECONDS[rest[-1]] * 1000)

    def _moves(self, rest: str) -> None:
        for uci in rest.split():
            self.line(f"{'white' if self.game().turn else 'black'} {uci} > state")

    def _relays(self, *, deaf: bool) -> None:
        self.world.publisher.deaf = deaf

    _means: dict[str, Callable[["Conversation", str], None]] = {  # noqa: RUF012 - never changed
        "wait": _wait,
        "moves": _moves,
        "meanwhile": _meanwhile,
        "crash": lambda talk, point: talk.hook(crash_at(point)),
        "deaf": lambda talk, _: talk._relays(deaf=True),
        "hearing": lambda talk, _: talk._relays(deaf=False),
        "gone": lambda talk, socket: talk.world.sockets.gone.add(socket),
        "no": lambda talk, _: talk.world.timers.near.clear(),
        "mark": lambda talk, name: talk.players.marks.update({name: talk.state()}),
    }

    def fact(self, name: str) -> str:
        """A fact of the last game, the last records, the lobby or the sockets."""
        world, names = self.world, self.players.name
        pools, connections = world.lobby.pools.values(), world.connections.open
        limits = world.rate_limits.counts
        numbered = enumerate(self.players.challenges, 1)
        facts: dict[str, Callable[[], object]] = {
            "games": lambda: len(self.games),
            "ply": lambda: self.game().ply,
            "moves": lambda: self.game().uci_moves(),
            "fen": lambda: self.game().board().fen(),
            "end": lambda: end_word(self.game()),
            "strikes": lambda: f"{self.game().white_strikes} {self.game().black_strikes}",
            "version": lambda: self.game().item_version,
            "offer": lambda: offer_word(self.game()),
            "white": lambda: names(self.game().white.player),
            "clock": lambda: clock_word(self.state()),
            "deadline": lambda: (self.game().deadline_ms() or 0) - world.clock.ms,
            "timer": lambda: (self.game().timer_at_ms or 0) - world.clock.ms,
            "timers": lambda: len(world.timers.near),
            "status": lambda: world.statuses()[-1],
            "statuses": lambda: " ".join(world.statuses()[-2:]),
            "rated": lambda: len(world.ratings.games),
            "republished": lambda: len(world.republish.bodies),
            "known": lambda: len(world.lobby.players),
            "strangers": lambda: len([it for it, *_ in limits if it.startswith("stranger")]),
            "bound": lambda: [it for it in sorted(connections) if connections[it].pubkeys],
            "waiting": lambda: [names(it.seat.player) for pool in pools for it in pool.waiting],
            "challenges": lambda: [f"c{at}" for at, it in numbered if it in world.lobby.challenges],
        }
        found = facts[name]()
        return (" ".join(found) or "-") if isinstance(found, list) else str(found)
