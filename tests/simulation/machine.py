"""The same world, driven by rules: Hypothesis chooses what is said and what fails, and when a
promise breaks it leaves out whatever that did not need.

The law: nothing strikes by chance. Each fault is a step, and so is each word; what the seed still
draws are keys, latencies and the order of what is due at once. After each step the promises are
looked at that nothing can mend later; in the end all is healed, everybody finishes, and all are.
"""

import json
from collections import Counter
from contextlib import ExitStack
from typing import ClassVar

from hypothesis import event, note
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.simulation import led_players as led
from tests.simulation import plans
from tests.simulation.ambushes import Ambushes
from tests.simulation.careless import Careless
from tests.simulation.checker import changes, fairness, queueing, speech, stored_games
from tests.simulation.checker.evidence import Evidence
from tests.simulation.faults import ASKED, CRASH
from tests.simulation.history import Queued, Signed, Wrote, of_kind
from tests.simulation.lines import GATEWAY
from tests.simulation.meddlers import FORGERIES, Meddler, with_another_signature
from tests.simulation.natives import NativePlayer
from tests.simulation.relays import Event, Relay
from tests.simulation.run import bring_to_rest, history_of, outcome_of
from tests.simulation.seating import NEAR_THE_END
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
    queueing.a_game_has_one_line,
    queueing.nothing_overtakes_a_failure,
    queueing.an_event_waits_once,
)

AT_RELAYS = ("F01", "F02", "F03", "F04", "F06", "F07", "F08", "F09", "F12")
ON_THE_WAY = ("F11", "duplicate", "reorder", "slow", "F10")
IN_THE_CLOUD = ("F26", "ambiguous write", "F30", "F31", "F26 conflict", "F23", "slow")
AT_DELIVERY = ("F29", "F24")
PLANS = {
    "F36 one": plans.lose_one_relay,
    "F36": plans.lose_all_relays,
    "F37": plans.part,
    "F40 step": plans.step_clock,
    "F43": plans.exchange_key,
    "F44 deploy": plans.deploy,
    "redrive": plans.redrive,
}
SLIPS = ("F19", "F49", "H15", "H44", "H46", "H48", "H49", "H50", "H53", "expired", "takeback")
WORDS = ("draw", "resign", "draw-decline", "takeback", "claim", "abort", "quit", "rematch")

PAUSES = st.sampled_from((2.0, 0.3, 0.06, 0.0))
"""Seconds until the next step. In two all is done, mostly; with none, two things meet."""

LONGER = st.sampled_from((0.5, 8.0, 60.0, 301.0, 3660.0, 86_400.0, 14 * 86_400.0))
AWAKE_SECONDS = 60.0
"""Whoever waits for longer goes away meanwhile, or would ask each few seconds of a week."""
HELD_SECONDS = 3660.0

NUMBERS = st.integers(0, 40)
PASSES = st.integers(0, 15)
LAST_LINES = 60


class WorldMachine(RuleBasedStateMachine):
    """``steps`` are those of the run that came last: after a failure, of the shortest one."""

    steps: ClassVar[list[str]] = []
    world: World

    def __init__(self) -> None:
        super().__init__()
        WorldMachine.steps = []
        self._stage = ExitStack()
        self._ambushes = Ambushes()
        self._is_begun = self._is_broken = False
        self._looked_at = 0
        self._counts: Counter[str] = Counter()

    @initialize(
        seed=st.integers(0, 1000),
        relays=st.integers(1, 2),
        way=st.sampled_from(("relays", "gateway", "both")),
        time=st.sampled_from((None, "60+1", "1d")),
        start=st.sampled_from((None, *NEAR_THE_END)),
        players=st.integers(2, 3),
        is_paired=st.sampled_from((True, False)),
        opening=st.lists(NUMBERS, max_size=6),
    )
    def begin(
        self,
        seed: int,
        relays: int,
        way: str,
        time: str | None,
        start: str | None,
        players: int,
        is_paired: bool,  # noqa: FBT001 - Hypothesis names it
        opening: list[int],
    ) -> None:
        """Two listeners, the players, and a stranger who reads all relays."""
        names = [f"relay-{number + 1}" for number in range(relays)]
        world = World(led.led_settings(seed, frozenset({*ASKED, CRASH}), names))
        self.world = world
        self._stage.enter_context(staged(world))
        world.faults.decide = self._ambushes.decide
        ways = {"relays": names, "gateway": [GATEWAY], "both": [GATEWAY, *names]}[way]
        self.players = [
            led.led_player(world, f"native {number + 1}", ways if number == 1 else names, time)
            for number in range(players)
        ]
        if start is not None:
            led.challenge(self.players[0], self.players[1], start)
        self.careless = [Careless(world, player) for player in self.players]
        self.stranger = Meddler(world, "stranger")
        world.actors += [*self.players, self.stranger]
        for _ in range(2):
            world.listeners.start()
        for actor in world.actors:
            actor.start()
        self._is_begun = True
        self._run(3.0)
        for player in self.players[: 2 if is_paired else 0]:
            if led.is_free(player):
                led.ask_for_game(player)
                self._run(3.0)
        self._play(opening)

    # --------------------------------------------------------------------- what is said

    @precondition(lambda self: any(map(led.is_free, self.players)))
    @rule(who=NUMBERS, pause=PAUSES)
    def a_player_asks_for_a_game(self, who: int, pause: float) -> None:
        free = [*filter(led.is_free, self.players)]
        led.ask_for_game(free[who % len(free)])
        self._did("a player asks for a game", pause)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=6))
    def they_play(self, numbers: list[int]) -> None:
        self._play(numbers)
        self._did("they play", 0.0)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(number=NUMBERS, pause=PAUSES)
    def a_player_moves(self, number: int, pause: float) -> None:
        led.move(next(filter(led.can_move, self.players)), number)
        self._did("a player moves", pause)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(number=NUMBERS, pause=PAUSES)
    def a_player_moves_twice(self, number: int, pause: float) -> None:
        led.move_twice(next(filter(led.can_move, self.players)), number)
        self.world.faults.note("F18")
        self._did("a player moves twice", pause)

    @precondition(lambda self: self._with_game())
    @rule(who=NUMBERS, word=st.sampled_from(WORDS), pause=PAUSES)
    def a_player_says_a_word(self, who: int, word: str, pause: float) -> None:
        led.say_word(self._with_game()[who % len(self._with_game())], word)
        self._did(f"a player says {word}", pause)

    @precondition(lambda self: self._with_game())
    @rule(who=NUMBERS, pause=PAUSES)
    def a_player_asks_where_it_stands(self, who: int, pause: float) -> None:
        led.ask_state(self._with_game()[who % len(self._with_game())])
        self._did("a player asks where it stands", pause)

    @precondition(lambda self: any(map(led.words_of, self.players)))
    @rule(who=NUMBERS, pause=PAUSES)
    def a_player_says_it_again(self, who: int, pause: float) -> None:
        asking = [player for player in self.players if led.words_of(player)]
        player = asking[who % len(asking)]
        player.say_again(led.words_of(player)[-1])
        self._did("a player says it again", pause)

    @precondition(lambda self: any(map(led.game_of, self.players)))
    @rule(who=NUMBERS, kind=st.sampled_from(SLIPS), pause=PAUSES)
    def a_player_slips(self, who: int, kind: str, pause: float) -> None:
        self.careless[who % len(self.careless)].give_in(kind)
        self._did(f"a player slips: {kind}", pause)

    # ------------------------------------------------------------------- what is hostile

    @precondition(lambda self: self._signed())
    @rule(ago=NUMBERS, kind=st.sampled_from(FORGERIES), pause=PAUSES)
    def a_stranger_forges(self, ago: int, kind: str, pause: float) -> None:
        self.stranger.forge(kind, self._signed_ago(ago))
        self._did("a stranger forges", pause)

    @precondition(lambda self: self._signed())
    @rule(ago=NUMBERS, pause=PAUSES)
    def a_stranger_repeats(self, ago: int, pause: float) -> None:
        self.stranger.say(json.dumps(self._signed_ago(ago)))
        self.world.faults.note("F13", "stranger")
        self._did("a stranger repeats", pause)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(word=st.sampled_from(("move", "resign", "draw", "quit", "abort", "state")), pause=PAUSES)
    def a_stranger_plays_along(self, word: str, pause: float) -> None:
        seen = next(filter(None, map(led.game_of, filter(led.can_move, self.players))))
        led.move_for(self.stranger, seen, self.world.server.pubkey, word)
        self.world.faults.note("H02", "stranger")
        self._did("a stranger plays along", pause)

    @rule(which=NUMBERS)
    def a_relay_puts_a_forgery_first(self, which: int) -> None:
        relay = self._relay(which)

        def once(event: Event) -> Event | None:
            relay.forger = None
            self.world.faults.note("F16", relay.name)
            return with_another_signature(event)

        relay.forger = once
        self._did("a relay puts a forgery first", 0.0)

    # ---------------------------------------------------------------------- what fails

    @rule(kind=st.sampled_from(AT_RELAYS), passes=PASSES)
    def a_relay_will_refuse(self, kind: str, passes: int) -> None:
        self._lay(kind, "", passes)

    @rule(
        kind=st.sampled_from(ON_THE_WAY),
        whom=st.sampled_from(("to listener", "to native", "to process", "")),
        passes=PASSES,
    )
    def a_frame_will_be_lost_late_or_doubled(self, kind: str, whom: str, passes: int) -> None:
        self._lay(kind, whom, passes)

    @rule(
        kind=st.sampled_from(IN_THE_CLOUD),
        whom=st.sampled_from(("process", "listener", "gateway", "clock")),
        passes=PASSES,
    )
    def a_call_will_fail(self, kind: str, whom: str, passes: int) -> None:
        self._lay(kind, whom, passes)

    @rule(kind=st.sampled_from(AT_DELIVERY), passes=PASSES)
    def a_delivery_will_go_wrong(self, kind: str, passes: int) -> None:
        self._lay(kind, "", passes)

    @rule(whom=st.sampled_from(("process", "listener", "gateway", "clock")), passes=PASSES)
    def a_process_will_die(self, whom: str, passes: int) -> None:
        self._lay(CRASH, whom, passes)

    @rule(which=NUMBERS, count=st.integers(1, 5))
    def a_relay_replays(self, which: int, count: int) -> None:
        self._relay(which).replay(count)
        self._did("a relay replays", 0.5)

    @precondition(lambda self: any(one.is_up for one in self.world.relays.values()))
    @rule(which=NUMBERS, forgets=st.booleans(), pause=PAUSES)
    def a_relay_goes_down(self, which: int, forgets: bool, pause: float) -> None:  # noqa: FBT001
        self._relay(which).go_down(forgets=forgets)
        self._did("a relay goes down", pause)

    @precondition(lambda self: not all(one.is_up for one in self.world.relays.values()))
    @rule(pause=PAUSES)
    def the_relays_come_back(self, pause: float) -> None:
        for relay in self.world.relays.values():
            relay.come_back()
        self._did("the relays come back", pause)

    @precondition(lambda self: self.world.listeners.alive())
    @rule(pause=PAUSES)
    def a_listener_dies(self, pause: float) -> None:
        process = self.world.listeners.alive()[0]
        self.world.faults.note("F32", process.name)
        self.world.kill(process)
        self._did("a listener dies", pause)

    @precondition(lambda self: len(self.world.listeners.alive()) < 4)
    @rule(pause=PAUSES)
    def a_listener_starts(self, pause: float) -> None:
        self.world.listeners.start()
        self._did("a listener starts", pause)

    @precondition(lambda self: not self._is_held("moves.fifo"))
    @rule(queue=st.sampled_from(("moves.fifo", "seeks.fifo", "republish", "clock")))
    def nobody_takes_records(self, queue: str) -> None:
        self.world.faults.note("F39", queue)
        self.world.lambdas.sources[queue].paused_until = led.NEVER
        self._did("nobody takes records", 0.0)

    @precondition(lambda self: any(map(self._is_held, self.world.lambdas.sources)))
    @rule(pause=PAUSES)
    def a_worker_takes_one_batch(self, pause: float) -> None:
        queue = next(filter(self._is_held, self.world.lambdas.sources))
        source = self.world.lambdas.sources[queue]
        most, source.at_once, source.paused_until = source.at_once, source.busy + 1, 0.0
        self.world.lambdas.stir(queue)
        self._run(0.011)
        source.at_once, source.paused_until, source.next_poll = most, led.NEVER, led.NEVER
        self._did("a worker takes one batch", pause)

    @precondition(lambda self: any(map(self._is_held, self.world.lambdas.sources)))
    @rule(pause=PAUSES)
    def records_are_taken_again(self, pause: float) -> None:
        self._let_queues_go()
        self._did("records are taken again", pause)

    @precondition(lambda self: self._has_old_records())
    @rule(pause=PAUSES)
    def the_queue_delivers_again(self, pause: float) -> None:
        plans.deliver_again(self.world)
        self._did("the queue delivers again", pause)

    @rule(kind=st.sampled_from([*PLANS]), pause=PAUSES)
    def something_greater_fails(self, kind: str, pause: float) -> None:
        PLANS[kind](self.world)
        self._did(f"something greater fails: {kind}", pause)

    # ------------------------------------------------------------------------- the time

    @rule(seconds=LONGER)
    def time_passes(self, seconds: float) -> None:
        self._let_pass(seconds)
        self._did(f"time passes: {seconds:.0f} s", 0.0)

    @precondition(lambda self: not self.world.has_no_timers())
    @rule()
    def a_timer_fires(self) -> None:
        due_ms = self.world.cloud.sqs.due_ms(self.world.cloud.urls["clock"])
        seconds = 86_400.0 if due_ms is None else self.world.seconds_of(due_ms)
        self._let_pass(max(seconds - (self.world.scheduler.now if due_ms else 0.0), 0.0) + 1.0)
        self._did("a timer fires", 0.0)

    # --------------------------------------------------------------------- what must hold

    @invariant()
    def nothing_is_broken_for_good(self) -> None:
        if not self._is_begun:
            return
        fresh = self.world.happenings[self._looked_at :]
        self._looked_at = len(self.world.happenings)
        found = [f"a part of the arbiter failed: {one!r}" for one in self.world.scheduler.failures]
        if any(isinstance(one, Wrote) for one in fresh):
            evidence = Evidence(history_of(self.world))
            found += [str(one) for law in NOT_TO_BE_MENDED for one in law(evidence)]
        if found:
            self._is_broken = True
            self._tell(found, [])

    def teardown(self) -> None:
        """Heal all, let everybody finish, and look at every promise."""
        try:
            if not self._is_begun:
                return
            if self._is_broken:
                self.world.stop()
                return
            self._draw_anew("rest")
            led.let_go(self.world, self.players)
            bring_to_rest(self.world)
            outcome = outcome_of(self.world)
            if outcome.violations:
                ids = [one for _, named in outcome.violations for one in named]
                self._tell([text for text, _ in outcome.violations], ids)
        finally:
            self._stage.close()

    def _tell(self, violations: list[str], ids: list[str]) -> None:
        lines = [*lines_of(self.world)]
        told = [*about(lines, ids)] if ids else lines
        note("the end of its story:\n" + "\n".join(told[-LAST_LINES:]))
        raise AssertionError("\n".join(violations[:5]))

    # ---------------------------------------------------------------------------- the rest

    def _did(self, step: str, pause: float) -> None:
        WorldMachine.steps.append(step)
        event(step)
        self.world.memo(f"step: {step}")
        # What is drawn from here on is not to depend on how much was drawn before: then a step can
        # be left out, and the rest is as it was.
        self._counts[step] += 1
        self._draw_anew(f"{step} {self._counts[step]}")
        self._run(pause)

    def _draw_anew(self, word: str) -> None:
        self.world.chance.seed(f"{self.world.settings.seed} {word}")

    def _play(self, numbers: list[int]) -> None:
        for number in numbers:
            for player in [*filter(led.can_move, self.players)][:1]:
                led.move(player, number)
                self._run(1.0)

    def _lay(self, kind: str, whom: str, passes: int) -> None:
        self._ambushes.lay(kind, whom, passes)
        self._did(f"in wait: {kind}", 0.0)

    def _run(self, seconds: float) -> None:
        self.world.scheduler.run(self.world.scheduler.now + seconds)
        for player in self.players:
            # Some answers make him act for himself.
            player.acts_at = led.NEVER

    def _let_pass(self, seconds: float) -> None:
        if seconds > HELD_SECONDS:
            # What nobody takes for days a queue forgets, as it says.
            self._let_queues_go()
        if seconds > AWAKE_SECONDS:
            self.world.go_away(seconds)
            self._run(seconds)
            self._run(5.0)
        else:
            self._run(seconds)

    def _let_queues_go(self) -> None:
        for queue in filter(self._is_held, self.world.lambdas.sources):
            self.world.lambdas.sources[queue].paused_until = 0.0
            self.world.lambdas.stir(queue)

    def _with_game(self) -> list[NativePlayer]:
        return [player for player in self.players if player.game in player.games]

    def _signed(self) -> list[Event]:
        return [json.loads(one.event) for one in of_kind(self.world.happenings, Signed)]

    def _signed_ago(self, ago: int) -> Event:
        signed = self._signed()
        return signed[-1 - ago % len(signed)]

    def _relay(self, which: int) -> Relay:
        return [*self.world.relays.values()][which % len(self.world.relays)]

    def _is_held(self, queue: str) -> bool:
        return self.world.lambdas.sources[queue].paused_until == led.NEVER

    def _has_old_records(self) -> bool:
        before_ms = self.world.now_ms() - plans.FORGOTTEN_MS
        return any(one.at_ms < before_ms for one in of_kind(self.world.happenings, Queued))
