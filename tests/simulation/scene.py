"""What a driver of the world acts upon: the world, the players who are led, and what lies in wait.

The law: nothing strikes by chance, and a step may be left out without changing those that stay.
"""

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass

from tests.simulation import led_players as led
from tests.simulation import plans
from tests.simulation.ambushes import Ambushes
from tests.simulation.careless import Careless
from tests.simulation.checker import changes, fairness, queueing, speech, stored_games
from tests.simulation.checker.evidence import Evidence
from tests.simulation.faults import ASKED, CRASH
from tests.simulation.history import Queued, Signed, Wrote, of_kind
from tests.simulation.lines import GATEWAY
from tests.simulation.meddlers import Meddler
from tests.simulation.natives import NativePlayer
from tests.simulation.relays import Event, Relay
from tests.simulation.run import bring_to_rest, history_of, outcome_of
from tests.simulation.stage import staged
from tests.simulation.story import about, lines_of
from tests.simulation.world import World

NOT_TO_BE_MENDED = (
    stored_games.nothing_is_lost,
    changes.changes_are_lawful,
    changes.events_are_applied_once,
    changes.refused_stays_refused,
    changes.old_words_make_no_new_game,
    speech.words_are_signed,
    speech.words_stand,
    speech.one_version_one_word,
    fairness.no_good_move_is_refused,
    queueing.a_player_has_a_line_of_their_own,
    queueing.nothing_overtakes_a_failure,
    queueing.an_event_waits_once,
)

AWAKE_SECONDS = 60.0
"""Whoever waits for longer goes away meanwhile, or would ask each few seconds of a week."""
HELD_SECONDS = 3660.0
LAST_LINES = 60


@dataclass(frozen=True, kw_only=True)
class Cast:
    """Who plays: how many ``players`` over how many ``relays``; ``way`` is how the second of them
    comes, ``relays``, ``gateway`` or ``both``; with a ``start`` (FEN) the first challenges him.
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
        """What is drawn from here on hangs on this word and the seed alone."""
        self.world.chance.seed(f"{self.world.settings.seed} {word}")

    def play(self, numbers: list[int]) -> None:
        """So many moves, by whoever may move; of the legal ones by number."""
        for number in numbers:
            for player in [*filter(led.can_move, self.players)][:1]:
                led.move(player, number)
                self.run(1.0)

    def lay(self, kind: str, whom: str, passes: int) -> None:
        """Let a fault wait for its occasion: see `ambushes`."""
        self._ambushes.lay(kind, whom, passes)

    def run(self, seconds: float) -> None:
        """Let so many seconds pass, all awake."""
        self.world.scheduler.run(self.world.scheduler.now + seconds)
        for player in self.players:
            # Some answers make him act for himself.
            player.acts_at = led.NEVER

    def let_pass(self, seconds: float) -> None:
        """Let so many seconds pass, in which players go away if they are many."""
        if seconds > HELD_SECONDS:
            # What nobody takes for days a queue forgets, as it says.
            self.let_queues_go()
        if seconds > AWAKE_SECONDS:
            self.world.go_away(seconds)
            self.run(seconds)
            self.run(5.0)
        else:
            self.run(seconds)

    def let_queues_go(self) -> None:
        """All records are taken again."""
        for queue in filter(self.is_held, self.world.lambdas.sources):
            self.world.lambdas.sources[queue].paused_until = 0.0
            self.world.lambdas.stir(queue)

    def with_game(self) -> list[NativePlayer]:
        """The players who know of a game, under way or over."""
        return [player for player in self.players if player.game in player.games]

    def signed(self) -> list[Event]:
        """All events that anybody signed, in order."""
        return [json.loads(one.event) for one in of_kind(self.world.happenings, Signed)]

    def signed_ago(self, ago: int) -> Event:
        """The one signed so many before the last."""
        signed = self.signed()
        return signed[-1 - ago % len(signed)]

    def relay(self, which: int) -> Relay:
        """A relay by its number, as often round as it takes."""
        return [*self.world.relays.values()][which % len(self.world.relays)]

    def is_held(self, queue: str) -> bool:
        """Whether nobody takes records from this queue."""
        return self.world.lambdas.sources[queue].paused_until == led.NEVER

    def has_old_records(self) -> bool:
        """Whether a queue took a record so long ago that it would take it again."""
        before_ms = self.world.now_ms() - plans.FORGOTTEN_MS
        return any(one.at_ms < before_ms for one in of_kind(self.world.happenings, Queued))

    def broken_for_good(self) -> list[str]:
        """What went wrong since we last looked that nothing later can mend."""
        fresh = self.world.happenings[self._looked_at :]
        self._looked_at = len(self.world.happenings)
        found = [f"a part of the arbiter failed: {one!r}" for one in self.world.scheduler.failures]
        if any(isinstance(one, Wrote) for one in fresh):
            evidence = Evidence(history_of(self.world))
            found += [str(one) for law in NOT_TO_BE_MENDED for one in law(evidence)]
        return found

    def broken_in_the_end(self) -> tuple[list[str], list[str]]:
        """Heal all and let everybody finish: the promises broken, and the ids they name."""
        self.draw_anew("rest")
        led.let_go(self.world, self.players)
        bring_to_rest(self.world)
        broken = outcome_of(self.world).violations
        return [text for text, _ in broken], [one for _, named in broken for one in named]

    def story(self, ids: list[str]) -> list[str]:
        """The last lines of what happened, of what has one of these ids, if there are any."""
        lines = [*lines_of(self.world)]
        return [*about(lines, ids)][-LAST_LINES:] if ids else lines[-LAST_LINES:]

    def close(self) -> None:
        """Put back what the world took the place of."""
        self._stage.close()
