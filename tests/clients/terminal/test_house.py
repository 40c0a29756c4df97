"""Programs that the arbiter names: offered to who waits, and challenged by the player's word."""

import pytest

from arbiter.dialects.arbiter_events import announcement_events
from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.house import HousePlayer as Announced
from arbiter.nostr.keys import SecretKey
from clients.terminal.effects import Effect, Send
from clients.terminal.house import OFFER_SECONDS, SILENT_SECONDS, read_house
from clients.terminal.inbox import ChatCipher, Inbox
from clients.terminal.notices import Refused, Remark
from clients.terminal.session import FromPeople, House, HousePlayer, Phase
from clients.terminal.wire import Paired, RequestRefused, Waiting
from tests.builders import ALICE, EVE, SERVER
from tests.clients.terminal.scene import GAME, START, Scene, connected

FIRST, SECOND, STRONG = "1" * 64, "2" * 64, "8" * 64
HOUSE = House((HousePlayer(FIRST, 3), HousePlayer(SECOND, 3), HousePlayer(STRONG, 8)), int(START))
BUSY = RequestRefused("declined: later")
CHALLENGE, ANOTHER = "c" * 32, "d" * 32


def waiting(house: House = HOUSE) -> Scene:
    """Alice waits in a pool."""
    scene = connected()
    scene.give(FromPeople(house))
    scene.hear(Waiting())
    return scene


def challenged(effects: tuple[Effect, ...]) -> list[tuple[tuple[str, ...], ...]]:
    """The tags of each challenge that was sent, but for the arbiter's."""
    return [effect.template.tags[1:] for effect in effects if isinstance(effect, Send)]


def codes(effects: tuple[Effect, ...]) -> list[str]:
    return [effect.code for effect in effects if isinstance(effect, Remark | Refused)]


def test_a_level_is_challenged_by_name_on_the_terms_given() -> None:
    scene = waiting()

    assert challenged(scene.enter("house 8")) == [(("challenge", STRONG),)]
    scene = waiting()
    assert challenged(scene.enter("House 3 5+3 black")) == [
        (("time", "300+3"), ("color", "black"), ("challenge", FIRST))
    ]


def test_who_is_busy_is_followed_by_the_next_of_the_level_until_all_are() -> None:
    scene = waiting()
    scene.enter("house 3 5+3")
    scene.hear(Waiting(CHALLENGE))
    assert challenged(scene.hear(BUSY)) == [(("time", "300+3"), ("challenge", SECOND))]
    scene.hear(Waiting(ANOTHER))
    assert codes(scene.hear(BUSY)) == ["house-busy"]
    assert scene.session.phase is Phase.REFUSED

    scene.enter("house 3")
    scene.wait(5)
    assert scene.session.terms.challenge == FIRST, "who was busy may be free by now"


def test_who_does_not_answer_is_followed_by_the_next_and_then_the_player_is_told() -> None:
    scene = waiting()
    scene.enter("house 3")
    scene.hear(Waiting(CHALLENGE))
    assert scene.wait(SILENT_SECONDS - 1) == ()
    assert challenged(scene.wait(1)) == [(("challenge", SECOND),)]
    scene.hear(Waiting(ANOTHER))
    assert codes(scene.wait(SILENT_SECONDS)) == ["house-silent"]
    assert scene.wait(SILENT_SECONDS) == ()
    assert scene.session.phase is Phase.QUEUED


def test_a_program_is_offered_once_to_who_has_waited_and_given_to_nobody_unasked() -> None:
    scene = waiting()
    assert scene.wait(OFFER_SECONDS - 1) == ()
    (offered,) = scene.wait(1)
    assert isinstance(offered, Remark)
    assert "house 3" in offered.text
    assert "house 8" in offered.text
    assert scene.wait(OFFER_SECONDS) == ()

    scene.enter("new 3+2")
    scene.hear(Waiting())
    assert codes(scene.wait(OFFER_SECONDS)) == ["house-offered"], "another wait"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("house", "levels 3, 8"),
        ("house 4", "levels 3, 8"),
        ("house 3+2", "levels 3, 8"),
        ("house 3 rated 3+2", "casual"),
        ("house 3 start 8/8/8/8/8/8/8/K1k5 w - - 0 1", "casual"),
        ("house 3 soon", "soon"),
    ],
)
def test_what_the_house_does_not_play_is_said_here(words: str, said: str) -> None:
    scene = waiting()
    (refused,) = scene.enter(words)

    assert isinstance(refused, Refused)
    assert said in refused.text
    assert scene.session.terms.challenge is None


def test_without_an_announcement_there_is_no_house() -> None:
    assert codes(waiting(House()).enter("house 3")) == ["no-house"]


def test_during_a_game_the_house_waits() -> None:
    scene = waiting()
    scene.hear(Paired(GAME, int(START)))

    assert codes(scene.enter("house 3")) == ["not-now"]


def sent(template: EventTemplate, author: SecretKey = SERVER) -> NostrEvent:
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def test_the_arbiters_own_announcement_is_read_and_no_other() -> None:
    inbox = Inbox(SERVER.pubkey, ALICE.pubkey, cipher=ChatCipher(ALICE))
    handler = announcement_events("A", [], [], int(START), (Announced(FIRST, 3),))[-1]

    assert inbox.open(sent(handler), stored=True) == House((HousePlayer(FIRST, 3),), int(START))
    assert inbox.open(sent(handler, EVE), stored=True) is None


def test_what_cannot_be_read_in_an_announcement_is_left_out() -> None:
    wrong = (
        ("house",),
        ("house", FIRST),
        ("house", FIRST, "9"),
        ("house", FIRST, ""),
        ("house", "npub1", "3"),
        ("home", FIRST, "3"),
    )
    template = EventTemplate(31990, (*wrong, ("house", SECOND, "3", "more")), "", int(START))

    assert read_house(SERVER.sign(template)).players == (HousePlayer(SECOND, 3),)
    many = tuple(("house", f"{number:064x}", "1") for number in range(200))
    assert len(read_house(SERVER.sign(EventTemplate(31990, many, "", 1))).players) == 64
