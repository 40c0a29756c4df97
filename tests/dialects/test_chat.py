"""Lines of chat, whatever tags they come with."""

from arbiter.core.model import WHITE
from arbiter.core.replies import MovePlayed
from arbiter.dialects.chat import DIALECT, PLAYERS_CHAT, clean, encode
from arbiter.dialects.dialect import Chat, Telling, Unaddressed
from tests.builders import ALICE, NOW_MS, a_game, an_event

GAME = a_game()


def test_a_line_names_one_game() -> None:
    named = ("d", GAME.id)

    said = DIALECT.decode(an_event(ALICE, PLAYERS_CHAT, "hello", (named,)), NOW_MS)
    assert said == Chat(GAME.id, ALICE.pubkey, "hello", is_private=True)
    for tags in ((), (("d",),), (("d", "elsewhere"),), (named, ("d", "1" * 32))):
        heard = DIALECT.decode(an_event(ALICE, PLAYERS_CHAT, "hello", tags), NOW_MS)
        assert isinstance(heard, Unaddressed)


def test_a_tag_without_a_value_beside_the_game_is_passed_over() -> None:
    event = an_event(ALICE, PLAYERS_CHAT, "hello", (("d",), ("d", GAME.id)))

    assert isinstance(DIALECT.decode(event, NOW_MS), Chat)


def test_nothing_but_lines_is_said_in_chat() -> None:
    telling = Telling(colors=frozenset({WHITE}), cause="", at=1, answered_at=1)

    assert encode(MovePlayed(GAME), telling) == ()
    assert not DIALECT.shows(GAME, "ab" * 32, "cd" * 32, [1])


def test_no_more_than_a_thousand_characters_are_looked_at() -> None:
    assert clean(" " * 999 + "x") == "x"
    assert clean(" " * 1000 + "x") == ""
