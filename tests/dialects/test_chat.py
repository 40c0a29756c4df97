"""Lines of chat, whatever tags they come with."""

import pytest

from arbiter.core.game import WHITE
from arbiter.core.replies import ChatMessage, MovePlayed
from arbiter.dialects.base import Chat, NoSuchGame, ReplyContext
from arbiter.dialects.chat import DIALECT, PLAYERS_CHAT, SPECTATORS_CHAT, clean, encode
from arbiter.dialects.outgoing import EncryptedEvent
from arbiter.nostr.event import EventTemplate
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, an_event

GAME = a_game()
TOLD = ReplyContext(
    colors=frozenset({WHITE}), event_key="", at=1, answered_at=1, server=SERVER.pubkey
)


def test_a_line_names_one_game() -> None:
    def heard(*tags: tuple[str, ...]) -> object:
        return DIALECT.decode(an_event(ALICE, PLAYERS_CHAT, "hello", tags), NOW_MS, SERVER.pubkey)

    named = ("d", GAME.id)
    said = Chat(GAME.id, ALICE.pubkey, "hello", is_private=True)
    assert heard(named) == heard(("d",), named) == said
    for tags in ((), (("d",),), (("d", "elsewhere"),), (named, ("d", "1" * 32))):
        assert isinstance(heard(*tags), NoSuchGame)


def test_nothing_but_lines_is_said_in_chat() -> None:
    assert encode(MovePlayed(GAME), TOLD) == ()
    assert not DIALECT.shows(GAME, "ab" * 32, "cd" * 32, [1])


def test_a_line_for_all_is_said_in_its_game_under_its_authors_name() -> None:
    said = ChatMessage(GAME, EVE.pubkey, "what a game", is_private=False, colors=frozenset({WHITE}))

    (line,) = encode(said, TOLD)

    tags = (("d", GAME.id), ("said-by", EVE.pubkey))
    assert line == EventTemplate(SPECTATORS_CHAT, tags, "what a game", 1)


def test_a_private_line_is_sealed_for_the_one_it_is_said_to() -> None:
    said = ChatMessage(GAME, BOB.pubkey, "good luck", is_private=True, colors=frozenset({WHITE}))

    (sealed,) = encode(said, TOLD)

    tags = (("d", GAME.id), ("said-by", BOB.pubkey), ("p", ALICE.pubkey))
    line = EventTemplate(PLAYERS_CHAT, tags, "good luck", 1)
    assert sealed == EncryptedEvent(ALICE.pubkey, line)


@pytest.mark.parametrize(
    "unseen", ["\n", "\x1b", "\u202e", "\u200b", "\ue000", "\ud800", "\u2028", "\u2029", "\u00a0"]
)
def test_nothing_is_carried_that_turns_hides_or_breaks_what_is_around_it(unseen: str) -> None:
    assert clean(f"{unseen}good{unseen}{unseen} luck{unseen}") == "good luck"


def test_no_more_than_a_thousand_characters_are_looked_at() -> None:
    assert clean(" " * 999 + "x") == "x"
    assert clean(" " * 1000 + "x") == ""
