"""A bot that joins events which welcome programs."""

from dataclasses import replace

import pytest

from clients.bot.config import read_config
from clients.bot.model import Input, Session
from clients.bot.session import begin, is_at_rest, reduce
from clients.player import tournaments
from clients.player.events import Draft, Send
from clients.player.heard import CaughtUp, LinkUp, Tick
from clients.player.messages import Refused, Started
from clients.player.model import Mine
from clients.player.tournaments import Told, Tournament
from tests.clients.bot.scene import ARBITER, ME, NOW, OTHER, event

EVENT = "0123456789abcdef" * 2
OPEN = {"d": EVENT, "status": "open", "bots": "welcome", "entry": "open", "format": "swiss"}


def announced(**changes: str) -> Tournament:
    read = tournaments.read(event(30327, "", *((OPEN | changes).items())))
    assert isinstance(read, Tournament)
    return read


def bot(*settings: str) -> Session:
    session = begin(read_config("\n".join(settings)), ME, ARBITER)
    for given in (LinkUp("ws://one"), CaughtUp("ws://one")):
        session, _ = reduce(session, given, NOW)
    return session


def joined(session: Session, **changes: str) -> tuple[Session, list[Draft]]:
    return given(session, announced(**changes))


def given(session: Session, what: Input, now: int = NOW) -> tuple[Session, list[Draft]]:
    """The commands that follow."""
    session, effects = reduce(session, what, now)
    drafts = [effect.draft for effect in effects if isinstance(effect, Send)]
    return session, [draft for draft in drafts if draft.kind == 20307]


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
def test_no_other_event_is_joined(changed: dict[str, str], why: str) -> None:
    assert joined(bot("events = true"), **changed)[1] == [], why


def test_a_bot_says_that_it_is_here_in_an_arena_while_it_waits_and_when_its_game_begins() -> None:
    arena = {"format": "arena", "status": "playing"}
    session, (draft,) = joined(bot("events = true"), **arena)
    assert draft.content == "join", "an arena takes players to its end"
    session, _ = given(session, Told(EVENT, "joined", answers=draft.id))
    session, (draft,) = given(session, Tick())
    assert draft.content == "here"
    assert given(session, Tick(), NOW + 29_000)[1] == []
    session, (draft,) = given(session, Tick(), NOW + 30_000)
    assert draft.content == "here"
    assert not is_at_rest(session)
    session, (draft,) = given(session, Started("a" * 32, OTHER, tournament=EVENT), NOW + 31_000)
    assert (draft.content, draft.tags[1][1]) == ("here", f"30327:{ARBITER}:{EVENT}")
    session, _ = joined(session, format="arena", status="finished")
    assert given(session, Tick(), NOW + 90_000)[1] == []


def test_a_game_that_the_bot_asked_about_is_no_sign_of_a_round() -> None:
    assert given(bot(), Started("a" * 32, OTHER, "b" * 64, tournament=EVENT))[1] == []
    assert given(bot(), Started("a" * 32, OTHER))[1] == []


def test_a_refused_entry_leaves_its_games_alone_and_work_is_done() -> None:
    session, (draft,) = joined(bot("events = true"))
    refused = Refused("full", "", draft.id, NOW // 1000)
    after, effects = reduce(session, refused, NOW)
    assert after.ask_at == session.ask_at
    assert not any(isinstance(effect, Send) for effect in effects)
    _, effects = reduce(session, replace(refused, reason="pow", text="8"), NOW)
    assert any(isinstance(effect, Mine) for effect in effects)


def test_an_entry_is_asked_for_until_it_is_answered() -> None:
    session, (first,) = joined(bot("events = true"))
    assert not is_at_rest(session)
    assert given(session, Tick(), NOW + 9_000)[1] == []
    session, (second,) = given(session, Tick(), NOW + 10_000)
    assert (second.content, second.tags) == ("join", first.tags)
    assert second.id != first.id
    too_fast = Refused("rate-limited", "slow down", second.id, NOW // 1000)
    session, _ = given(session, too_fast, NOW + 10_000)
    session, (third,) = given(session, Tick(), NOW + 20_000)
    answers: dict[str, Input] = {
        "joined": Told(EVENT, "joined", answers=third.id),
        "refused": Refused("full", "", third.id, NOW // 1000),
    }
    for why, answer in answers.items():
        after, _ = given(session, answer, NOW + 20_000)
        assert given(after, Tick(), NOW + 40_000)[1] == [], why
    assert given(given(session, Told(EVENT, "joined"))[0], Tick(), NOW + 40_000)[1]


def test_a_game_that_begins_goes_on_where_its_sign_of_being_there_is_refused() -> None:
    session, (draft,) = given(bot("events = true"), Started("a" * 32, OTHER, tournament=EVENT))
    after, effects = reduce(session, Refused("wrong-phase", "", draft.id, NOW // 1000), NOW)
    assert "a" * 32 in after.wire.started
    assert not any(isinstance(effect, Send) for effect in effects)
