"""Players who are blocked, and reported."""

import pytest

from clients.player.messages import Blocked
from clients.terminal.blocking import MAX_LINES
from tests.builders import ALICE, BOB, EVE
from tests.clients.terminal.alice import LOST, Alice, Step, chat, enter, pass_, playing, waiting

BOB_HEX, EVE_HEX = BOB.pubkey, EVE.pubkey


def blocked(*keys: str) -> Step:
    """The answer to Alice's last request."""
    return lambda alice: (Blocked(keys, alice.asked),)


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("block", f"?block:{BOB_HEX}"),
        (f"block {EVE_HEX.upper()}", f"?block:{EVE_HEX}"),
        (f"unblock {EVE_HEX}", f"?unblock:{EVE_HEX}"),
        ("unblock", f"?unblock:{BOB_HEX}"),
        ("block eve", "!no-player"),
        (f"block {ALICE.pubkey}", "!no-player"),
    ],
)
def test_the_opponent_is_blocked_or_a_player_who_is_named(line: str, sent: str) -> None:
    assert playing()(enter(line)) == sent


def test_without_a_game_a_player_must_be_named_and_without_a_relay_it_is_said() -> None:
    assert waiting()(enter("block")) == "!no-player"
    assert playing(stand_in="bob")(enter("block")) == "!no-player"
    assert playing()(LOST, enter("block")) == "!no-relay"


def test_the_arbiter_tells_whom_alice_blocks_and_their_lines_are_not_shown() -> None:
    alice = playing()
    assert alice(enter("block"), blocked(BOB_HEX)) == "blocked bob"
    assert alice(chat("bob", "hi")) == "-"
    assert alice(enter("blocked")) == "blocked bob"
    assert alice(enter("unblock"), blocked()) == "blocked"
    assert alice(chat("bob", "hi")) == "said bob: hi"


def heard(*lines: str) -> Alice:
    alice = playing()
    for line in lines:
        alice(pass_(10), chat("bob", line))
    return alice


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("report  he cheats ", "report he cheats p=bob,other d={game} p=arbiter"),
        ("report spam", "report p=bob,spam d={game} p=arbiter"),
        ("report profanity 2 look", "report look p=bob,profanity d={game} chat=two p=arbiter"),
        ("report 2 1 1", "report p=bob,other d={game} chat=one chat=two p=arbiter"),
        ("report 3 look", "!no-line"),
        ("report 0", "!no-line"),
    ],
)
def test_a_report_has_the_lines_that_alice_chose_and_no_others(line: str, tags: str) -> None:
    alice = heard("one", "two")
    did = alice(enter(line))
    said = f"{tags.format(game=alice.scene.game.id)} | (reported)"
    assert did == (tags if tags.startswith("!") else said)


def test_the_last_lines_of_the_opponent_are_shown_with_their_numbers() -> None:
    alice = heard(*(f"line {number}" for number in range(MAX_LINES + 2)))
    assert alice(enter("report")) == "(report-lines)"
    assert alice.says.startswith("  1  line 2\n")
    assert f"\n {MAX_LINES}  line {MAX_LINES + 1}\n" in alice.says
    assert waiting()(enter("report rude")) == "!no-player"
