"""Lines between players and among spectators, and what is not let through."""

from dataclasses import replace

import pytest

from clients.terminal.chat import AT_ONCE_SECONDS, LINES_AT_ONCE
from clients.terminal.effects import Refused, Remark, Said, SendChat, TuneIn
from clients.terminal.session import FromChat, TypedLine
from clients.terminal.update import step
from clients.terminal.wire import ChatLine
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME, START, Scene, connected, full, playing_full


def a_line(text: str = "good game", *, author: str = BOB.pubkey, public: bool = False) -> FromChat:
    return FromChat(ChatLine(author, GAME, text, public))


def an_ended_game() -> Scene:
    scene = playing_full("e4 e5")
    scene.hear(full("e4 e5", version=3, result="1-0", termination="resignation"))
    return scene


def watching() -> Scene:
    """Alice watches Bob against Eve."""
    scene = Scene()
    scene.session = replace(scene.session, watching=GAME)
    scene.find_the_relay()
    scene.hear(full(white=BOB.pubkey, black=EVE.pubkey))
    return scene


def test_a_line_goes_to_the_opponent_and_is_shown() -> None:
    scene = playing_full()
    sent, said = scene.enter("say  good game ")
    assert sent == SendChat(GAME, "good game", BOB.pubkey, int(START))
    assert said == Said(ChatLine(ALICE.pubkey, GAME, "good game", public=False), mine=True)


def test_the_opponent_is_heard_in_the_game_and_after_it() -> None:
    for scene in (playing_full(), an_ended_game()):
        (said,) = scene.give(a_line())
        assert isinstance(said, Said)
        assert not said.mine


@pytest.mark.parametrize(
    "line",
    [
        a_line(author=EVE.pubkey),
        a_line(author=ALICE.pubkey),
        a_line(author=EVE.pubkey, public=True),
        FromChat(ChatLine(BOB.pubkey, "f" * 32, "wrong game", public=False)),
    ],
)
def test_nobody_else_is_heard_by_who_plays(line: FromChat) -> None:
    assert playing_full().give(line) == ()


def test_the_spectators_are_heard_after_the_end() -> None:
    assert len(an_ended_game().give(a_line(author=EVE.pubkey, public=True))) == 1


def test_more_than_five_lines_in_ten_seconds_are_dropped_for_each_key_alone() -> None:
    scene = an_ended_game()
    for _ in range(LINES_AT_ONCE):
        assert len(scene.give(a_line())) == 1
    assert scene.give(a_line()) == ()
    assert len(scene.give(a_line(author=EVE.pubkey, public=True))) == 1
    scene.now += AT_ONCE_SECONDS
    assert len(scene.give(a_line())) == 1


def test_we_keep_to_the_same_limits_ourselves() -> None:
    scene = playing_full()
    for _ in range(LINES_AT_ONCE):
        scene.enter("say hello")
    (refused,) = scene.enter("say hello")
    assert isinstance(refused, Refused)
    assert refused.code == "rate-limited"
    (refused,) = playing_full().enter("say " + "a" * 141)
    assert isinstance(refused, Refused)
    assert refused.code == "too-long"


def test_each_chat_can_be_switched_off_and_on() -> None:
    scene = an_ended_game()
    spectator = a_line(author=EVE.pubkey, public=True)
    assert [type(effect) for effect in scene.enter("chat off")] == [Remark]
    assert scene.give(a_line()) == scene.give(spectator) == ()
    scene.enter("chat players on")
    assert len(scene.give(a_line())) == 1
    assert scene.give(spectator) == ()
    scene.enter("chat on spectators")
    assert len(scene.give(spectator)) == 1


def test_there_is_nobody_to_talk_to_before_a_game() -> None:
    (refused,) = connected().enter("say hello")
    assert isinstance(refused, Refused)


def test_a_player_hears_his_opponent_and_after_the_end_the_spectators_too() -> None:
    scene = an_ended_game()
    assert scene.tuned_in == [
        TuneIn(GAME, BOB.pubkey, public=False, since=int(START)),
        TuneIn(GAME, BOB.pubkey, public=True, since=int(START)),
    ]


def test_spectators_talk_in_the_open_and_hear_no_player() -> None:
    scene = watching()
    sent, said = scene.enter("say who will win?")
    assert sent == SendChat(GAME, "who will win?", None, int(START))
    assert isinstance(said, Said)
    assert said.line.public
    assert len(scene.give(a_line(author=EVE.pubkey, public=True))) == 1
    assert scene.give(a_line()) == ()
    assert scene.tuned_in == [TuneIn(GAME, None, public=True, since=int(START))]


def test_what_strangers_say_takes_no_room() -> None:
    scene = watching()
    for number in range(500):
        scene.give(a_line(author=f"{number:064x}", public=True))
    assert len(scene.session.lines_heard) <= LINES_AT_ONCE * 20
    assert step(scene.session, TypedLine("say hi"), scene.now)[1]


def test_a_line_to_an_opponent_without_a_key_goes_through_the_arbiter() -> None:
    scene = playing_full(stand_ins=(BOB.pubkey,))

    sent, said = scene.enter("say good game")

    assert sent == SendChat(GAME, "good game", BOB.pubkey, int(START), carrier=SERVER.pubkey)
    assert isinstance(said, Said)


def test_an_opponent_without_a_key_is_heard_in_the_arbiters_voice() -> None:
    scene = playing_full(stand_ins=(BOB.pubkey,))

    assert scene.tuned_in == [TuneIn(GAME, SERVER.pubkey, public=False, since=int(START))]


def test_a_spectator_names_the_arbiter_where_a_player_could_not_hear_him() -> None:
    scene = Scene()
    scene.session = replace(scene.session, watching=GAME)
    scene.find_the_relay()
    scene.hear(full(white=BOB.pubkey, black=EVE.pubkey, stand_ins=(EVE.pubkey,)))

    sent, _ = scene.enter("say bravo")

    assert sent == SendChat(GAME, "bravo", None, int(START), carrier=SERVER.pubkey)
