"""The same world, driven by rules: Hypothesis chooses what is said and what fails, and when a
promise breaks it leaves out whatever that did not need.

Nothing strikes by chance. Each fault is a step, and so is each word; what the seed still
draws are keys, latencies and the order of what is due at once. After each step the promises are
looked at that nothing can mend later; in the end all is healed, everybody finishes, and all are.
"""

import json
from typing import Any, ClassVar

from hypothesis import event, note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.simulation import led_players as led
from tests.simulation import plans
from tests.simulation.adversaries import FORGERIES, with_another_signature
from tests.simulation.faults import CRASH
from tests.simulation.relays import Event
from tests.simulation.scene import Cast, Scene
from tests.simulation.seating import NEAR_THE_END

PLANS = {
    "F36 one": plans.lose_one_relay,
    "F36": plans.lose_all_relays,
    "F37": plans.part,
    "F40 step": plans.step_clock,
    "F43": plans.exchange_key,
    "F44 deploy": plans.deploy,
    "redrive": plans.redrive,
}
OURS = ("process", "listener", "gateway", "clock")
IN_WAIT = (
    *((kind, "") for kind in ("F01", "F02", "F03", "F04", "F06", "F07", "F08", "F09", "F12")),
    *((kind, "") for kind in ("F29", "F24")),
    *(
        (kind, whom)
        for kind in ("F11", "duplicate", "reorder", "slow", "F10")
        for whom in ("to listener", "to native", "to process", "")
    ),
    *(
        (kind, whom)
        for kind in ("F26", "ambiguous write", "F30", "F31", "F26 conflict", "F23", "slow", CRASH)
        for whom in OURS
    ),
)
"""Faults of relays, of deliveries, of the way, and of calls: their kind, and whom they strike."""

SLIPS = ("F19", "F49", "H15", "H44", "H46", "H48", "H49", "H50", "H53", "expired", "takeback")
WORDS = ("draw", "resign", "draw-decline", "takeback", "claim", "abort", "quit", "rematch")

PAUSES = st.sampled_from((2.0, 0.3, 0.06, 0.0))
"""Seconds until the next step. In two all is done, mostly; with none, two things meet."""

LONGER = st.sampled_from((0.5, 8.0, 60.0, 301.0, 3660.0, 86_400.0, 14 * 86_400.0))

NUMBERS = st.integers(0, 40)


class WorldMachine(RuleBasedStateMachine):
    """``steps`` are those of the run that came last: after a failure, of the shortest one."""

    steps: ClassVar[list[str]] = []
    scene: Scene

    def __init__(self) -> None:
        super().__init__()
        WorldMachine.steps = []
        self._is_begun = self._is_broken = False

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
    def begin(self, is_paired: bool, opening: list[int], **cast: Any) -> None:  # noqa: FBT001 - Hypothesis names it
        """The world and who plays in it, with a game under way or none."""
        self.scene = scene = Scene(Cast(**cast))
        self.world, self.players = scene.world, scene.players
        WorldMachine.steps = scene.steps
        self._is_begun = True
        scene.run(3.0)
        for player in scene.players[: 2 if is_paired else 0]:
            if led.is_free(player):
                led.ask_for_game(player)
                scene.run(3.0)
        scene.play(opening)

    @precondition(lambda self: any(map(led.is_free, self.players)))
    @rule(who=NUMBERS, pause=PAUSES)
    def a_player_asks_for_a_game(self, who: int, pause: float) -> None:
        free = [*filter(led.is_free, self.players)]
        led.ask_for_game(free[who % len(free)])
        self._did("a player asks for a game", pause)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=6))
    def they_play(self, numbers: list[int]) -> None:
        self.scene.play(numbers)
        self._did("they play", 0.0)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(number=NUMBERS, times=st.sampled_from((1, 2)), pause=PAUSES)
    def a_player_moves(self, number: int, times: int, pause: float) -> None:
        player = next(filter(led.can_move, self.players))
        if times == 1:
            led.move(player, number)
        else:
            led.move_twice(player, number)
            self.world.faults.note("F18")
        self._did("a player moves" if times == 1 else "a player moves twice", pause)

    @precondition(lambda self: self.scene.with_game())
    @rule(who=NUMBERS, word=st.sampled_from((*WORDS, "state")), pause=PAUSES)
    def a_player_says_a_word(self, who: int, word: str, pause: float) -> None:
        player = self.scene.with_game()[who % len(self.scene.with_game())]
        if word == "state":
            led.ask_state(player)
        else:
            led.say_word(player, word)
        self._did(f"a player says {word}", pause)

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
        self.scene.careless[who % len(self.scene.careless)].give_in(kind)
        self._did(f"a player slips: {kind}", pause)

    @precondition(lambda self: self.scene.signed())
    @rule(ago=NUMBERS, kind=st.sampled_from((*FORGERIES, "F13")), pause=PAUSES)
    def a_stranger_forges_or_repeats(self, ago: int, kind: str, pause: float) -> None:
        event = self.scene.signed_ago(ago)
        if kind == "F13":
            self.scene.stranger.say(json.dumps(event))
            self.world.faults.note("F13", "stranger")
        else:
            self.scene.stranger.forge(kind, event)
        self._did(f"a stranger forges or repeats: {kind}", pause)

    @precondition(lambda self: any(map(led.can_move, self.players)))
    @rule(word=st.sampled_from(("move", "resign", "draw", "quit", "abort", "state")), pause=PAUSES)
    def a_stranger_plays_along(self, word: str, pause: float) -> None:
        seen = next(filter(None, map(led.game_of, filter(led.can_move, self.players))))
        led.move_for(self.scene.stranger, seen, self.world.server.pubkey, word)
        self.world.faults.note("H02", "stranger")
        self._did("a stranger plays along", pause)

    @rule(which=NUMBERS)
    def a_relay_puts_a_forgery_first(self, which: int) -> None:
        relay = self.scene.relay(which)

        def once(event: Event) -> Event | None:
            relay.forger = None
            self.world.faults.note("F16", relay.name)
            return with_another_signature(event)

        relay.forger = once
        self._did("a relay puts a forgery first", 0.0)

    @rule(fault=st.sampled_from(IN_WAIT), passes=st.integers(0, 15))
    def a_fault_lies_in_wait(self, fault: tuple[str, str], passes: int) -> None:
        self.scene.lay(*fault, passes)
        self._did(f"in wait: {fault[0]}", 0.0)

    @rule(which=NUMBERS, count=st.integers(1, 5))
    def a_relay_replays(self, which: int, count: int) -> None:
        self.scene.relay(which).replay(count)
        self._did("a relay replays", 0.5)

    @rule(which=NUMBERS, how=st.sampled_from(("stays", "forgets", "comes back")), pause=PAUSES)
    def a_relay_goes_down_or_all_come_back(self, which: int, how: str, pause: float) -> None:
        if how == "comes back":
            for relay in self.world.relays.values():
                relay.come_back()
        else:
            self.scene.relay(which).go_down(forgets=how == "forgets")
        self._did("a relay goes down, or all come back", pause)

    @rule(starts=st.booleans(), pause=PAUSES)
    def a_listener_starts_or_dies(self, starts: bool, pause: float) -> None:  # noqa: FBT001
        alive = self.world.listeners.alive()
        if starts and len(alive) < 4:
            self.world.listeners.start()
        elif alive:
            self.world.faults.note("F32", alive[0].name)
            self.world.kill(alive[0])
        self._did("a listener starts or dies", pause)

    @precondition(lambda self: not self.scene.is_held("moves.fifo"))
    @rule(queue=st.sampled_from(("moves.fifo", "seeks.fifo", "republish", "clock")))
    def no_worker_takes_records(self, queue: str) -> None:
        self.world.faults.note("F39", queue)
        self.world.lambdas.sources[queue].paused_until = led.NEVER
        self._did("no worker takes records", 0.0)

    @precondition(lambda self: any(map(self.scene.is_held, self.world.lambdas.sources)))
    @rule(pause=PAUSES)
    def a_worker_takes_one_batch(self, pause: float) -> None:
        queue = next(filter(self.scene.is_held, self.world.lambdas.sources))
        source = self.world.lambdas.sources[queue]
        most, source.at_once, source.paused_until = source.at_once, source.busy + 1, 0.0
        self.world.lambdas.stir(queue)
        self.scene.run(0.011)
        source.at_once, source.paused_until, source.next_poll = most, led.NEVER, led.NEVER
        self._did("a worker takes one batch", pause)

    @precondition(lambda self: any(map(self.scene.is_held, self.world.lambdas.sources)))
    @rule(pause=PAUSES)
    def records_are_taken_again(self, pause: float) -> None:
        self.scene.let_queues_go()
        self._did("records are taken again", pause)

    @precondition(lambda self: self.scene.has_old_records())
    @rule(pause=PAUSES)
    def the_queue_delivers_again(self, pause: float) -> None:
        plans.deliver_again(self.world)
        self._did("the queue delivers again", pause)

    @rule(kind=st.sampled_from([*PLANS]), pause=PAUSES)
    def something_greater_fails(self, kind: str, pause: float) -> None:
        PLANS[kind](self.world)
        self._did(f"something greater fails: {kind}", pause)

    @rule(seconds=LONGER)
    def time_passes(self, seconds: float) -> None:
        self.scene.let_pass(seconds)
        self._did(f"time passes: {seconds:.0f} s", 0.0)

    @precondition(lambda self: not self.world.has_no_timers())
    @rule()
    def a_timer_fires(self) -> None:
        due_ms = self.world.cloud.sqs.due_ms(self.world.cloud.urls["clock"])
        seconds = 86_400.0 if due_ms is None else self.world.seconds_of(due_ms)
        self.scene.let_pass(max(seconds - (self.world.scheduler.now if due_ms else 0.0), 0.0) + 1.0)
        self._did("a timer fires", 0.0)

    @invariant()
    def nothing_is_broken_for_good(self) -> None:
        if not self._is_begun:
            return
        found = self.scene.broken_for_good()
        if found:
            self._is_broken = True
            self._tell(found, [])

    def teardown(self) -> None:
        if not self._is_begun:
            return
        try:
            if self._is_broken:
                self.world.stop()
                return
            found, ids = self.scene.broken_in_the_end()
            if found:
                self._tell(found, ids)
        finally:
            self.scene.close()

    def _tell(self, violations: list[str], ids: list[str]) -> None:
        note("the end of its story:\n" + "\n".join(self.scene.story(ids)))
        raise AssertionError("\n".join(violations[:5]))

    def _did(self, step: str, pause: float) -> None:
        event(step)
        self.scene.did(step, pause)
