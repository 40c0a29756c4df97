"""What a driver of the world acts upon: the world, the players who are led, and what lies in wait.

Nothing strikes by chance, and a step may be left out without changing those that stay.
"""

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field

from tests.simulation import led_players as led
from tests.simulation import plans
from tests.simulation.adversaries import Meddler
from tests.simulation.checker import changes, queueing, shares, speech
from tests.simulation.checker.evidence import Evidence
from tests.simulation.faults import ASKED, CRASH
from tests.simulation.habits import Careless
from tests.simulation.history import Queued, Signed, Wrote, of_kind
from tests.simulation.lines import GATEWAY
from tests.simulation.natives import NativePlayer
from tests.simulation.relays import Event, Relay
from tests.simulation.run import bring_to_rest, history_of, outcome_of
from tests.simulation.stage import staged
from tests.simulation.story import about, lines_of
from tests.simulation.world import World


@dataclass(slots=True)
class Ambush:
    """``whom`` is a part of a place's name, such as ``process`` or ``listener 2``; empty: any.
    ``passes`` is how many occasions go by unharmed.
    """

    kind: str
    whom: str
    passes: int

    def meets(self, kind: str, where: str) -> bool:
        return kind == self.kind and self.whom in where


@dataclass
class Ambushes:
    """All that lie in wait. Of one kind, the first that was laid is the first to strike."""

    waiting: list[Ambush] = field(default_factory=list)

    def lay(self, kind: str, whom: str, passes: int) -> None:
        """Let one fault wait for its occasion; it strikes once."""
        self.waiting.append(Ambush(kind, whom, passes))

    def decide(self, kind: str, where: str) -> bool:
        for one in self.waiting:
            if one.meets(kind, where):
                one.passes -= 1
                if one.passes < 0:
                    self.waiting.remove(one)
                    return True
                return False
        return False


NOT_TO_BE_MENDED = (
    changes.nothing_is_lost,
    changes.changes_are_lawful,
    changes.events_are_applied_once,
    changes.refused_stays_refused,
    changes.old_words_make_no_new_game,
    speech.words_are_signed,
    speech.words_are_true,
    speech.one_version_one_word,
    shares.no_good_move_is_refused,
    queueing.a_player_has_a_line_of_their_own,
    queueing.nothing_overtakes_a_failure,
    queueing.an_event_waits_once,
)

AWAKE_SECONDS = 60.0
"""In a longer wait players go away, or would ask every few seconds for a week."""
HELD_SECONDS = 3660.0
LAST_LINES = 60


@dataclass(frozen=True, kw_only=True)
class Cast:
    """Who plays: how many ``players`` over how many ``relays``; ``way`` is how the second of them
    comes, ``relays``, ``gateway`` or ``both``; with a ``start`` (FEN) the first challenges them.
    """

    seed: int
    relays: int
    way: str
    time: str | None
    start: str | None
    players: int


class Scene:
    """Two listeners, the players, and a stranger who reads all relays."""

    def __init__(self, cast: Cast) -> None:
        names = [f"relay-{number + 1}" for number in range(cast.relays)]
        self._stage = ExitStack()
        self._ambushes = Ambushes()
        self._looked_at = 0
        self._counts: Counter[str] = Counter()
        self.steps: list[str] = []
        self.world = world = World(led.led_settings(cast.seed, frozenset({*ASKED, CRASH}), names))
        self._stage.enter_context(staged(world))
        world.faults.decide = self._ambushes.decide
        ways = {"relays": names, "gateway": [GATEWAY], "both": [GATEWAY, *names]}[cast.way]
        self.players = [
            led.led_player(world, f"native {number + 1}", ways if number == 1 else names, cast.time)
            for number in range(cast.players)
        ]
        if cast.start is not None:
            led.challenge(self.players[0], self.players[1], cast.start)
        self.careless = [Careless(world, player) for player in self.players]
        self.stranger = Meddler(world, "stranger")
        world.actors += [*self.players, self.stranger.stranger]
        for _ in range(2):
            world.listeners.start()
        for actor in world.actors:
            actor.start()

    def did(self, step: str, pause: float) -> None:
        """A step was taken, and so long nothing else is done. ``pause`` in seconds."""
        self.steps.append(step)
        self.world.memo(f"step: {step}")
        # What is drawn from here on is not to depend on how much was drawn before: then a step can
        # be left out, and the rest is as it was.
        self._counts[step] += 1
        self.draw_anew(f"{step} {self._counts[step]}")
        self.run(pause)

    def draw_anew(self, word: str) -> None:
        self.world.chance.seed(f"{self.world.settings.seed} {word}")

    def play(self, numbers: list[int]) -> None:
        """Have the players whose turn it is make these moves, each a legal one by its number."""
        for number in numbers:
            for player in [*filter(led.can_move, self.players)][:1]:
                led.move(player, number)
                self.run(1.0)

    def lay(self, kind: str, whom: str, passes: int) -> None:
        """Let a fault wait for its occasion: see `ambushes`."""
        self._ambushes.lay(kind, whom, passes)

    def run(self, seconds: float) -> None:
        self.world.scheduler.run(self.world.scheduler.now + seconds)
        for player in self.players:
            # Some answers make them act for themselves.
            player.acts_at = led.NEVER

    def let_pass(self, seconds: float) -> None:
        if seconds > HELD_SECONDS:
            # A queue forgets what is not taken for days, as it says.
            self.let_queues_go()
        if seconds > AWAKE_SECONDS:
            self.world.go_away(seconds)
            self.run(seconds)
            self.run(5.0)
        else:
            self.run(seconds)

    def let_queues_go(self) -> None:
        for queue in filter(self.is_held, self.world.lambdas.sources):
            self.world.lambdas.sources[queue].paused_until = 0.0
            self.world.lambdas.stir(queue)

    def with_game(self) -> list[NativePlayer]:
        return [player for player in self.players if player.game in player.games]

    def signed(self) -> list[Event]:
        return [json.loads(one.event) for one in of_kind(self.world.happenings, Signed)]

    def signed_ago(self, ago: int) -> Event:
        signed = self.signed()
        return signed[-1 - ago % len(signed)]

    def relay(self, which: int) -> Relay:
        return [*self.world.relays.values()][which % len(self.world.relays)]

    def is_held(self, queue: str) -> bool:
        return self.world.lambdas.sources[queue].paused_until == led.NEVER

    def has_old_records(self) -> bool:
        before_ms = self.world.now_ms() - plans.FORGOTTEN_MS
        return any(one.at_ms < before_ms for one in of_kind(self.world.happenings, Queued))

    def broken_for_good(self) -> list[str]:
        fresh = self.world.happenings[self._looked_at :]
        self._looked_at = len(self.world.happenings)
        found = [f"a part of the arbiter failed: {one!r}" for one in self.world.scheduler.failures]
        if any(isinstance(one, Wrote) for one in fresh):
            evidence = Evidence(history_of(self.world))
            found += [str(one) for law in NOT_TO_BE_MENDED for one in law(evidence)]
        return found

    def broken_in_the_end(self) -> tuple[list[str], list[str]]:
        """Heal all and let all finish: the promises broken, and the ids they name."""
        self.draw_anew("rest")
        led.let_go(self.world, self.players)
        bring_to_rest(self.world)
        broken = outcome_of(self.world).violations
        return [text for text, _ in broken], [one for _, named in broken for one in named]

    def story(self, ids: list[str]) -> list[str]:
        lines = [*lines_of(self.world)]
        return [*about(lines, ids)][-LAST_LINES:] if ids else lines[-LAST_LINES:]

    def close(self) -> None:
        self._stage.close()
