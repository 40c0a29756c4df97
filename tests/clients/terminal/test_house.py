"""The arbiter's announcement of the programs that play for it."""

from arbiter.dialects.arbiter_events import announcement_events
from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.house import HousePlayer
from arbiter.nostr.keys import SecretKey
from clients.player.chat import ChatCipher
from clients.terminal.house import read_house
from clients.terminal.inbox import Mailroom
from clients.terminal.session import House
from tests.builders import ALICE, EVE, SERVER
from tests.clients.terminal.scene import START

FIRST, SECOND = "1" * 64, "2" * 64


def sent(template: EventTemplate, author: SecretKey = SERVER) -> NostrEvent:
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def test_the_arbiters_own_announcement_is_read_and_no_other() -> None:
    inbox = Mailroom(SERVER.pubkey, ALICE.pubkey, watched=None, cipher=ChatCipher(ALICE))
    handler = announcement_events("A", [], [], int(START), (HousePlayer(FIRST, 3),))[-1]

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
