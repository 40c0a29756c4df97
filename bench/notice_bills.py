"""The cost of notices at list prices: in a game by days each player is told of each turn."""

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.table import Update
from arbiter.adapters.prices import MILLION, PRICED_ON, REGION, Usage
from arbiter.core.clocks import DAY_MS
from arbiter.core.game import Game
from arbiter.core.notices import EVERY_MS
from bench.bills import LOGGED_BYTES, LOGGED_BYTES_BY_LAMBDA, PLIES
from bench.event_bills import CountedItems, units_of
from bench.long_game import long_game
from bench.measure import Figure, Target
from tests.application.world import World
from tests.builders import ALICE, BOB
from tests.fakes.notices import NoticeWorld

BILLED_SECONDS, MEMORY_GB = 1.5, 0.25
"""Of an invocation: the list of relays is asked, then the message offered, each with its TLS."""
SENT_BYTES = 8_000
"""To a relay or a push service: TLS, and two sealed layers of a message."""
READ_BESIDE = 4
"""Units of a notice beside its recipient's: the game, the policy, two queries of who is here."""

CHEAP = Target(15.0)


class _Recipients(CountedItems):
    """A table whose updates are no transactions."""

    def update(self, update: Update, timed: Game | None) -> tuple[bool, Item | None]:
        read, written = self.read, self.written
        done = super().update(update, timed)
        self.read, self.written = read, written + units_of(update)
        return done


def of_notices() -> Figure:
    """Dollars for a million turns by days that are told one by one, beside their moves."""
    used, told = _game()
    found = Usage(**{name: getattr(used, name) / told for name in Usage.__slots__})
    parts = ", ".join(f"{what} {it * MILLION:.2f}" for what, it in found.parts().items() if it)
    return Figure(
        name="a million notices, each of one turn",
        value=found.dollars() * MILLION,
        unit="$",
        target=CHEAP,
        note=f"${used.dollars():.5f} a game of {PLIES} plies; "
        f"list price {REGION} {PRICED_ON}: {parts}",
    )


def _game() -> tuple[Usage, int]:
    """The usage by notices of a game that both players are told of, and how many came."""
    items = _Recipients()
    notices = NoticeWorld(World(), items)
    for key in (ALICE, BOB):
        notices.world.ask(key, "notify:dm")
    notices.see_to_all()
    notices.world.clock.ms += EVERY_MS
    table = notices.world.start(ALICE, BOB, ("time", "2d"))
    notices.see_to_all()
    items.read = items.written = 0
    notices.messenger.taken.clear()
    invocations = 0
    for uci in long_game(PLIES):
        notices.world.clock.ms += DAY_MS // 2
        table.say(uci)
        invocations += len(notices.see_to_all())
    used = Usage(
        write_units=items.written,
        read_units=items.read + READ_BESIDE * invocations,
        invocations=invocations,
        gb_seconds=invocations * BILLED_SECONDS * MEMORY_GB,
        logged_bytes=invocations * (LOGGED_BYTES + LOGGED_BYTES_BY_LAMBDA),
        transferred_bytes=invocations * SENT_BYTES,
    )
    return used, len(notices.messenger.taken)
