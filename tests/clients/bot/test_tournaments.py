"""A bot that joins events which welcome programs."""

from dataclasses import replace

import pytest

from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.bot import tournaments
from clients.bot.config import read_config
from clients.bot.model import Announced, Input, Mine, Ready, Session
from clients.bot.player import Player, _Heard
from clients.bot.session import begin, reduce
from clients.player.events import Draft, Send
from clients.player.heard import Delivered
from clients.player.messages import Refused
from tests.builders import ALICE, BOB, SERVER
from tests.clients.bot.scene import ARBITER, ME, NOW, event

EVENT = "0123456789abcdef" * 2
OPEN = {"d": EVENT, "status": "open", "bots": "welcome", "entry": "open"}


def announcement(**changes: str) -> NostrEvent:
    return event(30327, "", *((OPEN | changes).items()))


def bot(*settings: str) -> Session:
    session, _ = reduce(begin(read_config("\n".join(settings)), ME, ARBITER), Ready(), NOW)
    return session


def joined(session: Session) -> tuple[Session, list[Draft]]:
    session, effects = reduce(session, Announced(EVENT), NOW)
    return session, [effect.draft for effect in effects if isinstance(effect, Send)]


def test_an_event_that_welcomes_programs_is_joined_once_with_the_bots_name() -> None:
    session, drafts = joined(bot("events = true", 'name = "Fish"'))
    (draft,) = drafts
    assert (draft.kind, draft.content) == (20307, "join")
    assert draft.tags == (
        ("p", ARBITER),
        ("a", f"30327:{ARBITER}:{EVENT}"),
        ("name", "Fish"),
        ("bot", "true"),
    )
    assert joined(session)[1] == []


def test_a_bot_joins_no_event_unless_it_is_set_to() -> None:
    assert joined(bot())[1] == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"bots": ""}, "persons only"),
        ({"status": "playing"}, "under way"),
        ({"entry": "secret"}, "not open to anybody"),
    ],
)
def test_no_other_event_is_announced_to_it(changed: dict[str, str], why: str) -> None:
    assert tournaments.read(announcement()) == Announced(EVENT)
    assert tournaments.read(announcement(**changed)) is None, why


def test_a_refused_entry_leaves_its_games_alone_and_work_is_done() -> None:
    session, (draft,) = joined(bot("events = true"))
    refused = Refused("full", "", draft.id, NOW // 1000)
    after, effects = reduce(session, refused, NOW)
    assert (after.phase, after.ask_at) == (session.phase, session.ask_at)
    assert not any(isinstance(effect, Send) for effect in effects)
    _, effects = reduce(session, replace(refused, reason="pow", text="8"), NOW)
    assert any(isinstance(effect, Mine) for effect in effects)


def test_each_player_of_a_program_hears_of_it_once_and_of_the_arbiters_alone() -> None:
    told: list[tuple[str, Input]] = []

    class Ear(Player):
        def tell(self, given: Input) -> None:
            told.append((self.me, given))

    players = [Ear(read_config(""), 1, key, SERVER.pubkey, print) for key in (ALICE, BOB)]
    heard = _Heard(SERVER.pubkey, players, print, Player.tell)

    def signed(key: SecretKey) -> Delivered:
        template = EventTemplate(30327, tuple(OPEN.items()), "", NOW // 1000)
        given = event_from_json(event_to_json(key.sign(template)))
        assert isinstance(given, NostrEvent)
        return Delivered(given, stored=True)

    for key in (BOB, SERVER, SERVER):
        heard.take(signed(key))
    assert told == [(player.me, Announced(EVENT)) for player in players]
