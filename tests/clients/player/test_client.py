"""A session carried out: answers that are waited for, and what relays bring."""

import asyncio
from collections.abc import Awaitable, Callable

from arbiter.nostr.event import EventTemplate, event_from_json, event_to_json
from arbiter.nostr.event import NostrEvent as Event
from clients.player.client import Client
from clients.player.heard import CaughtUp, Delivered, LinkUp
from clients.player.inbox import Aside
from clients.player.messages import Listed
from clients.player.model import Answered, News
from clients.player.people import Rating
from clients.player.relays import Relays
from clients.player.terms import Terms, TimeControl
from tests.builders import ALICE, BOB, SERVER
from tests.clients.bot import scene
from tests.clients.bot.scene import GAME, NOW

RELAY = "ws://127.0.0.1:9"
AT_ONCE, LATER = 0.0, 10.0


class Alice:
    """Her client, which no relay hears, and what it told her."""

    def __init__(self) -> None:
        self.told: list[News] = []
        self.aside: list[Aside] = []
        relays = Relays((RELAY,), (), ALICE.sign, lambda _: None)
        self.client = Client(
            ALICE, SERVER.pubkey, relays, self.told.append, name="Alice", aside=self.aside.append
        )
        self.client.inbox.take(LinkUp(RELAY))
        self.client.inbox.take(CaughtUp(RELAY))

    def hears(self, kind: int, content: str, *tags: tuple[str, ...], stored: bool = False) -> None:
        template = EventTemplate(kind, tags, content, NOW // 1000)
        read = event_from_json(event_to_json(SERVER.sign(template)))
        assert isinstance(read, Event)
        self.client.inbox.take(Delivered(read, stored=stored))

    def answers(self, content: str) -> None:
        """The arbiter answers what was asked last."""
        last = list(self.client.session.open.values())[-1]
        self.hears(20301, content, ("p", ALICE.pubkey), ("e", last.draft.id))

    def is_shown(self, *moves: str, stored: bool = False) -> None:
        shown = scene.state_event(moves, white=ALICE.pubkey, black=BOB.pubkey)
        self.hears(shown.kind, shown.content, *shown.tags, stored=stored)


def run(what: Callable[[Alice], Awaitable[None]]) -> None:
    async def runs() -> None:
        await what(Alice())

    asyncio.run(runs())


def test_an_answer_that_comes_in_time_is_returned_and_told() -> None:
    async def asks(alice: Alice) -> None:
        asking = asyncio.create_task(alice.client.ask("cancel", patience=LATER))
        await asyncio.sleep(0)
        alice.answers("cancelled")
        answered = await asking
        assert answered is not None
        assert answered.refusal is None
        assert alice.told == [answered]

    run(asks)


def test_one_that_comes_later_is_told_alone() -> None:
    async def asks(alice: Alice) -> None:
        terms = Terms(time=TimeControl(180, 2), challenge=BOB.pubkey)
        handle, answered = await alice.client.request(terms, patience=AT_ONCE)
        assert answered is None
        assert list(alice.client.session.made) == [handle[:32]]
        alice.answers("error:rate-limited: eight challenges wait: ask again in 60 seconds")
        (told,) = alice.told
        assert isinstance(told, Answered)
        assert told.open.handle == handle
        assert not alice.client.session.made

    run(asks)


def test_who_says_the_same_move_twice_waits_for_one_answer() -> None:
    async def plays(alice: Alice) -> None:
        alice.hears(20301, f"started:{GAME}:{BOB.pubkey}:w", ("p", ALICE.pubkey))
        alice.is_shown()
        both = [
            asyncio.create_task(alice.client.say(GAME, "e2e4", patience=LATER)) for _ in range(2)
        ]
        await asyncio.sleep(0)
        assert sum(one.content == "e2e4" for one in alice.client.session.open.values()) == 1
        alice.is_shown("e2e4")
        first, second = await asyncio.gather(*both)
        assert first is not None
        assert first == second

    run(plays)


def test_a_stored_state_of_a_game_that_is_not_known_begins_nothing() -> None:
    async def hears(alice: Alice) -> None:
        alice.is_shown("e2e4", stored=True)
        assert not alice.client.session.games
        alice.is_shown("e2e4", "e7e5")
        assert list(alice.client.session.games) == [GAME]

    run(hears)


def test_what_is_for_another_player_is_nothing_and_what_is_said_of_players_is_passed_on() -> None:
    async def hears(alice: Alice) -> None:
        alice.hears(20301, "end", ("p", BOB.pubkey), ("end", "0"))
        alice.hears(30300, "", ("d", f"blitz:{BOB.pubkey}"), ("rating", "1500", "90"))
        assert not any(isinstance(one, Listed) for one in alice.told)
        assert alice.aside == [Rating(BOB.pubkey, "blitz", 1500, False, NOW // 1000)]

    run(hears)
