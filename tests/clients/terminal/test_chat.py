"""Lines between players and among spectators, and what is not let through."""

import pytest

from clients.terminal.chat import AT_ONCE_SECONDS, LINES_AT_ONCE
from clients.terminal.effects import SendChat, TuneIn
from clients.terminal.notices import Remark, Said
from clients.terminal.session import FromChat, TypedLine
from clients.terminal.update import step
from clients.terminal.wire import ChatLine
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import (
    GAME,
    START,
    Scene,
    connected,
    ended,
    playing_full,
    watching,
)


def a_line(text: str = "good game", *, author: str = BOB.pubkey, public: bool = False) -> FromChat:
    return FromChat(ChatLine(author, GAME, text, public))


SPECTATOR = a_line(author=EVE.pubkey, public=True)


@pytest.mark.parametrize(
    ("scene", "opponent", "carrier"),
    [
        (playing_full(), BOB.pubkey, None),
        (playing_full(stand_ins=(BOB.pubkey,)), BOB.pubkey, SERVER.pubkey),
        (watching(), None, None),
        (watching(stand_ins=(EVE.pubkey,)), None, SERVER.pubkey),
    ],
    ids=["a player", "to a player without a key", "a spectator", "over a player without a key"],
)
def test_a_line_goes_to_the_opponent_or_into_the_open(
    scene: Scene, opponent: str | None, carrier: str | None
) -> None:
    sent, said = scene.enter("say  good game ")
    assert sent == SendChat(GAME, "good game", opponent, int(START), carrier)
    assert said == Said(ChatLine(ALICE.pubkey, GAME, "good game", opponent is None), mine=True)


@pytest.mark.parametrize(
    ("scene", "line", "shown"),
    [
        (playing_full(), a_line(), True),
        (ended(), a_line(), True),
        (ended(), SPECTATOR, True),
        (playing_full(), SPECTATOR, False),
        (playing_full(), a_line(author=EVE.pubkey), False),
        (playing_full(), a_line(author=ALICE.pubkey), False),
        (playing_full(), FromChat(ChatLine(BOB.pubkey, "f" * 32, "wrong game", False)), False),
        (watching(), SPECTATOR, True),
        (watching(), a_line(), False),
        (connected(), a_line(), False),
    ],
)
def test_a_player_is_shown_the_opponent_and_after_the_end_spectators(
    scene: Scene, line: FromChat, *, shown: bool
) -> None:
    assert [type(effect) for effect in scene.give(line)] == [Said] * shown


def test_more_than_five_lines_in_ten_seconds_are_dropped_for_each_key_alone() -> None:
    scene = ended()
    for _ in range(LINES_AT_ONCE):
        assert len(scene.give(a_line())) == 1
    assert scene.give(a_line()) == ()
    assert len(scene.give(SPECTATOR)) == 1
    scene.now += AT_ONCE_SECONDS
    assert len(scene.give(a_line())) == 1


def test_what_a_player_cannot_say_is_refused() -> None:
    scene = playing_full()
    for _ in range(LINES_AT_ONCE):
        scene.enter("say hello")
    assert scene.refusal("say hello") == "rate-limited"
    assert playing_full().refusal("say " + "a" * 141) == "too-long"
    assert connected().refusal("say hello") == "no-game"
    assert playing_full().enter("say \u200b") == ()
    scene.lose_the_relay()
    assert scene.refusal("say hello") == "no-relay"


def test_each_chat_can_be_switched_off_and_on() -> None:
    scene = ended()
    assert [type(effect) for effect in scene.enter("chat off")] == [Remark]
    assert scene.give(a_line()) == scene.give(SPECTATOR) == ()
    scene.enter("chat players on")
    assert len(scene.give(a_line())) == 1
    assert scene.give(SPECTATOR) == ()
    scene.enter("chat on spectators")
    assert len(scene.give(SPECTATOR)) == 1


@pytest.mark.parametrize(
    ("scene", "authors"),
    [
        (ended(), [(BOB.pubkey, False), (BOB.pubkey, True)]),
        (playing_full(stand_ins=(BOB.pubkey,)), [(SERVER.pubkey, False)]),
        (watching(), [(None, True)]),
    ],
)
def test_chat_is_subscribed_to_from_who_signs_it(
    scene: Scene, authors: list[tuple[str | None, bool]]
) -> None:
    since = int(START)
    assert scene.tuned_in == [TuneIn(GAME, author, public, since) for author, public in authors]


def test_what_strangers_say_takes_no_room() -> None:
    scene = watching()
    for number in range(500):
        scene.give(a_line(author=f"{number:064x}", public=True))
    assert len(scene.session.recent_lines) <= LINES_AT_ONCE * 20
    assert step(scene.session, TypedLine("say hi"), scene.now)[1]
