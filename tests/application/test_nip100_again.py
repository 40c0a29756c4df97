"""Over sockets, what comes twice, what is stolen, and what fails on the way."""

import json
from dataclasses import replace

import pytest

from arbiter.application.play.duplicates import TOLD_AGAIN, TOLD_AGAIN_SECONDS
from arbiter.core.early_ends import APART_MS
from tests.application.script import run
from tests.builders import ALICE, EVE, an_event
from tests.fakes.faults import quiet

MET = "~alice connect; ~bob connect\n"


@pytest.mark.parametrize("line", ["x: ~alice e2e4", "x: ~alice e2e5"])
def test_each_copy_of_a_move_is_answered_and_the_opponent_hears_a_few_in_ten_seconds(
    line: str,
) -> None:
    talk = run(f"{MET} {line}")
    is_legal = talk.fact("ply") == "1"
    for told in (TOLD_AGAIN, TOLD_AGAIN):
        heard = [talk.step("again x", "x")[0] for _ in range(20)]
        own = {"~alice ok"} if is_legal else {"~alice no: this was refused before"}
        assert {word for words in heard for word in words if word.startswith("~alice")} == own
        assert [len([word for word in words if "~alice" in word]) for words in heard] == [1] * 20
        assert sum("~bob 5002 e2e4" in words for words in heard) == told * is_legal
        talk.line(f"wait {TOLD_AGAIN_SECONDS}s")


def test_each_copy_of_a_connect_is_answered_and_the_opponent_hears_a_few_in_ten_seconds() -> None:
    talk = run("~alice connect; x: ~bob connect")
    heard = [talk.step("again x", "x")[0] for _ in range(20)]
    assert [any(word.startswith("~bob ok") for word in words) for words in heard] == [True] * 20
    assert sum(any("~alice" in word for word in words) for words in heard) == TOLD_AGAIN


def test_each_copy_of_a_connect_sets_the_timer_though_the_opponent_hears_no_more() -> None:
    """Such a game has none unless the player asked for a clock in another dialect since."""
    talk = run("~alice cancelsearch; x: ~bob connect")
    bob, world = talk.players.key("bob"), talk.world
    world.start(bob, talk.players.key("alice"), ("time", "60+0"))
    for _ in range(TOLD_AGAIN + 1):
        world.timers.near.clear()
        talk.line("again x")
        assert world.timers.near


def test_a_connect_that_another_sends_again_binds_nothing() -> None:
    talk = run("x: ~alice connect; ~eve cancelsearch")
    event, _ = talk.sent["x"]
    talk.world.hear(event, "eve")
    assert talk.players.sockets["eve"].heard() == [("OK", True, "")]
    assert talk.world.connections.sockets_of(ALICE.pubkey) == ("alice",)


def test_a_connect_dated_ahead_is_refused_again_when_its_hour_has_come() -> None:
    talk = run("~alice cancelsearch")
    talk.players.sockets["alice"].fast_seconds = 240
    for line in ("x: ~alice connect > ~alice no...", "wait 4m", "again x > ~alice no..."):
        talk.line(line)
    assert (talk.fact("bound"), talk.fact("waiting")) == ("-", "-")


def test_who_dated_their_request_a_second_ahead_may_move_at_once() -> None:
    talk = run("~alice cancelsearch; ~bob cancelsearch")
    for key in (talk.players.key("alice"), talk.players.key("bob")):
        connect = an_event(key, 5000, "connect", (), talk.world.clock.ms // 1000 + 1)
        talk.world.hear(connect, "alice" if key is talk.players.key("alice") else "bob")
    key = talk.players.key(talk.fact("white"))
    talk.world.hear(an_event(key, 5001, "e2e4", (), talk.world.clock.ms // 1000), "alice")
    assert talk.fact("ply") == "1"


def test_an_end_whose_telling_died_is_published_though_both_play_again_by_now() -> None:
    """The note is for all, and no wire of theirs sends it again."""
    talk = run(MET + "~alice f2f3; ~bob e7e5; ~alice g2g4")
    well, published = talk.world.publisher.publish, talk.world.publisher

    def die(*_: object) -> None:
        raise ConnectionError

    published.publish = die  # type: ignore[assignment]
    talk.line("x: ~bob d8h4 > failed...")
    published.publish = well  # type: ignore[method-assign]
    for line in ("~alice connect", "~bob connect", "again x"):
        talk.line(line)
    (note,) = (event for event in published.taken_events if event.kind == 64)
    assert ("d", talk.games[0]) in note.tags
    assert (talk.fact("games"), talk.fact("ply")) == ("2", "0")


@pytest.mark.parametrize("word", ["resign", "e2e4", "offer"])
def test_what_was_signed_for_the_last_game_does_nothing_in_the_next(word: str) -> None:
    """Clients send again what was not answered, once they are connected again."""
    talk = run(f"{MET} hold x: ~alice {word}; hold y: ~bob {word}; ~bob resign")
    talk.world.clock.ms += APART_MS
    for line in (
        *("~alice connect", "~bob connect"),
        "send x > ~alice no: sent before this game began",
        "send y > ~bob no: sent before this game began",
    ):
        talk.line(line)
    assert (talk.fact("games"), talk.fact("ply"), talk.fact("end")) == ("2", "0", "-")


def test_what_a_slow_clock_of_ours_refused_is_not_played_when_it_is_sent_again() -> None:
    """A gateway whose clock is behind stamps a move before the game that it is a move of."""
    talk = run(f"{MET} hold x: ~alice e2e4")
    event, via = talk.sent["x"]
    stamp = {"received_at_ms": talk.game().created_at_ms - 1}
    talk.deliver(json.dumps(json.loads(talk.world.body(event, via)) | stamp))
    assert ("OK", False, "invalid: sent before this game began") in talk.players.sockets[
        "alice"
    ].heard()
    talk.line("send x > same state | ~alice no: this was refused before")
    talk.line("~alice d2d4 > state | ~alice ok | ~bob 5002 d2d4")


def test_without_a_gateway_nothing_is_posted() -> None:
    talk = run(MET)
    talk.world.deps = replace(talk.world.deps, connections=None, sockets=None)
    talk.line("~alice resign > state 0-1 resignation | note")


def test_what_another_key_would_sign_is_not_posted() -> None:
    talk = run(MET)
    talk.world.deps = replace(talk.world.deps, signer=EVE)
    talk.line("~alice resign > failed")


def test_what_could_not_be_posted_is_posted_before_what_came_after_it_in_the_batch() -> None:
    """White moves and offers a draw at once; Black's socket cannot be reached for a moment."""
    talk = run(f"{MET} hold x: ~alice e2e4; hold y: ~alice offer")
    world = talk.world
    bodies = [world.body(*talk.sent[name]) for name in "xy"]
    batch = [world.record(body, group="game") for body in bodies]

    def unreachable_once(point: str) -> None:
        if point == "sockets.send bob":
            world.sockets.hook = quiet
            raise ConnectionError

    world.sockets.hook = unreachable_once
    assert world.deliver(*batch) == tuple(record.id for record in batch)
    assert talk.players.sockets["bob"].heard() == []
    assert world.deliver(*batch) == ()
    assert [frame[2] for frame in talk.players.sockets["bob"].heard()] == ["e2e4", "offersent"]
    assert talk.fact("ply") == "1"
