"""In a game: moves, its end, offers and words that are refused."""

from collections.abc import Callable
from typing import Any

import chess
import pytest

from arbiter.nostr.relay_messages import PublishStatus
from clients.player.events import Send
from clients.player.heard import CaughtUp, LinkDown
from clients.player.terms import TimeControl
from tests.clients.terminal.alice import (
    CAUGHT_UP,
    LOST,
    OTHER_COMES,
    OVER,
    Alice,
    Step,
    enter,
    error,
    found,
    listed,
    pass_,
    playing,
    record,
    started,
    state,
    verdict,
    wait,
    waiting,
)
from tests.clients.terminal.scene import OTHER_RELAY, START, with_wire

LIVE: Any = {"time": TimeControl(300), "clock": (300_000, 300_000)}
DAYS: Any = {"time": TimeControl(days=14), "clock": (1_209_600_000, 1_209_600_000)}


def test_what_can_only_be_refused_is_not_sent() -> None:
    alice = playing(**LIVE)
    assert alice(enter("e5")) == "!illegal-move"
    assert alice(enter("Ke2")) == "!illegal-move"
    assert alice(enter("hello")) == "!unknown-command"
    assert alice(enter("e4"), enter("d4")) == "!move-pending"
    assert alice.pending == "e2e4"
    assert alice.prompt == "e4 is on its way …"
    assert alice(state("e4", **LIVE), enter("e5")) == "!not-your-turn"
    assert alice(state("e4 e5", **LIVE), enter("new")) == "!not-now"


def a_move() -> Alice:
    alice = playing()
    assert alice(enter("e4")) == "e2e4 | sent e4"
    return alice


def test_a_move_is_shown_once_when_the_arbiter_shows_it() -> None:
    alice = a_move()
    assert alice(state("e4")) == "moved e4"
    assert alice.pending is None
    assert alice(state("e4")) == "-"
    assert alice(state()) == "-"
    assert alice.scene.game.ply == 1


def test_a_move_that_is_refused_is_shown_and_another_can_be_entered() -> None:
    alice = a_move()
    assert (
        alice(error("illegal-move", "e2e4", "no (1 of 3)")) == "arbiter !illegal-move no (1 of 3)"
    )
    assert alice(enter("d4")) == "d2d4 | sent d4"


def test_a_move_that_is_stale_makes_the_client_ask_for_the_state() -> None:
    alice = a_move()
    assert alice(error("stale", "e2e4", "look")) == "state"


def test_a_move_that_a_relay_refuses_is_told_of_where_no_other_may_have_taken_it() -> None:
    alice = a_move()
    refused = verdict(PublishStatus.GIVE_UP, "e2e4")
    assert alice(refused) == "relay !relay-refused blocked: ]0;you"
    assert alice(verdict(PublishStatus.ACCEPTED, "e2e4")) == "-"
    assert alice(OTHER_COMES, refused) == "-"


def test_a_move_that_comes_after_the_end_ends_the_game_here() -> None:
    alice = a_move()
    assert alice(error("game-over", "e2e4", "1-0")) == "arbiter !game-over 1-0 | state"
    assert alice(state(version=1, end="1-0 resignation")) == "ended 1-0 resignation"
    assert alice(CAUGHT_UP) == "-"


def test_the_last_state_ends_the_game() -> None:
    alice = playing("f3 e5 g4")
    shown = state("f3 e5 g4 Qh4#", end="0-1 checkmate")
    assert alice(shown) == "moved Qh4# | ended 0-1 checkmate"
    assert alice.phase == "over"


def test_the_record_is_kept_for_the_pgn_command() -> None:
    alice = playing("e4 e5")
    assert alice(record("f")) == "-"
    assert alice(state("e4 e5", end="1-0 resignation")) == "ended 1-0 resignation"
    assert alice(record()) == "record"
    assert alice(record()) == "-"
    assert alice(enter("pgn")) == "pgn: 1. e4 e5 1-0"
    assert alice(enter("pgn a b.pgn")) == "save a b.pgn: 1. e4 e5 1-0"


RESIGNED = state("e4 e5", end="1-0 resignation")


@pytest.mark.parametrize("steps", [(OVER, RESIGNED), (RESIGNED, OVER)])
def test_a_script_whose_input_is_over_waits_for_the_end_and_a_while_for_the_record(
    steps: tuple[Step, ...],
) -> None:
    alice, other = playing("e4 e5"), playing("e4 e5")
    assert alice(*steps, wait(4)) == "-"
    assert alice(wait(1)) == "leave ended"
    assert other(*steps, wait(4)) == "-"
    assert other(record()) == "record | leave ended"


def test_a_person_confirms_a_resignation() -> None:
    alice = playing("e4 e5", asks=True)
    assert alice(enter("resign")) == "resign?"
    assert alice(enter("")) == "(playing-on)"
    assert alice(enter("resign"), enter("y")) == "quit | sent quit"


@pytest.mark.parametrize(
    ("steps", "did"),
    [
        ([enter("quit")], "leave?"),
        ([enter("quit"), enter("k")], "leave ended"),
        ([enter("quit"), enter("quit")], "leave ended"),
        ([enter("quit"), enter("e4")], "(playing-on)"),
        ([enter("quit"), enter("r")], "quit | sent quit"),
        ([enter("quit"), enter("r"), wait(4)], "-"),
        ([enter("quit"), enter("r"), wait(4), wait(1)], "leave ended"),
        (
            [enter("quit"), enter("r"), state("e4 e5", end="0-1 resignation")],
            "ended 0-1 resignation | leave ended",
        ),
        ([OVER], "leave ended"),
    ],
)
def test_a_person_who_leaves_keeps_the_game_or_gives_it_up(steps: list[Step], did: str) -> None:
    assert playing("e4 e5", asks=True)(*steps) == did


def test_a_script_confirms_nothing_and_resigns_whatever_was_played_meanwhile() -> None:
    alice = playing("e4")
    assert alice(enter("resign")) == "quit | sent quit"
    assert alice(state("e4 e5")) == "moved e5"
    assert alice(error("stale", "quit", "look")) == "quit | sent quit again"


def over() -> Alice:
    alice = playing("e4 e5")
    alice(state("e4 e5", version=3, end="1-0 resignation"))
    return alice


@pytest.mark.parametrize(
    ("game", "words", "code"),
    [
        (waiting, "e4 board moves pgn resign", "no-game"),
        (Alice, "draw", "no-game"),
        (lambda: playing("e4 e5"), "rematch", "not-now"),
        (lambda: playing("e4 e5"), "abort", "too-late"),
        (lambda: playing("e4 e5"), "decline accept", "no-offer"),
        (lambda: playing("e4 e5", offer="draw/w"), "accept", "no-offer"),
        (lambda: playing("e4 e5", offer="draw/w"), "draw", "rate-limited"),
        (lambda: playing("e4 e5", rated=True), "takeback", "not-offered-here"),
        (lambda: playing("e4 e5", **DAYS), "abort", "too-late"),
        (over, "draw", "game-over"),
    ],
)
def test_a_word_out_of_season_is_refused(game: Callable[[], Alice], words: str, code: str) -> None:
    alice = game()
    for word in words.split():
        assert alice(enter(word)) == f"!{code}", word


def test_a_word_is_refused_without_a_relay() -> None:
    assert playing("e4 e5")(LOST, enter("draw")) == "!no-relay"


def test_abort_cannot_become_a_resignation_where_the_arbiter_knows_the_word() -> None:
    assert playing()(enter("abort")) == "abort | sent abort"


@pytest.mark.parametrize("time", [DAYS, {}])
def test_abort_calls_a_game_off_by_two_words_that_are_not_repeated(time: Any) -> None:
    alice = playing("e4 e5 Nf3", **time)
    assert alice(enter("abort")) == "abort | sent abort"
    assert alice(state("e4 e5 Nf3", version=4, offer="abort/w", **time)) == "abort/mine"
    assert alice(wait(18)) == "-"
    assert alice(enter("abort")) == "abort | sent abort"


@pytest.mark.parametrize("word", ["draw", "takeback", "abort"])
def test_an_offer_is_answered(word: str) -> None:
    alice = playing("e4 e5")
    assert alice(state("e4 e5", version=3, offer=f"{word}/b")) == f"{word}/theirs"
    assert alice.prompt.endswith("offered, accept or decline? your move")
    assert alice(enter("decline")) == f"{word}-decline | sent {word}-decline"
    assert alice(enter("accept")) == f"{word} | sent {word}"
    assert alice(state("e4 e5", version=4)) == f"no {word}/theirs"


def test_an_offer_does_not_send_a_move_on_its_way_again_and_a_takeback_overtakes_it() -> None:
    alice = playing("e4 e5")
    assert alice(enter("Nf3"), state("e4 e5", version=3, offer="draw/b")) == "draw/theirs"
    assert alice.pending == "g1f3"
    assert alice(state("e4", version=4)) == "taken back"
    assert alice.pending is None


def test_an_offer_our_refused_word_is_shown_and_the_opponents_is_not() -> None:
    alice = playing("e4 e5")
    assert alice(enter("claim")) == "claim | sent claim"
    assert alice(error("no-claim", "claim", "not yet")) == "arbiter !no-claim not yet"
    assert alice(error("no-claim", "theirs", "not yet")) == "-"


def test_a_flag_is_called_when_the_opponents_time_has_been_up_for_three_seconds() -> None:
    alice = playing("e4 e5", black=True, time=TimeControl(60), clock=(1000, 60000), deadline=2000)
    assert alice(wait(4.9)) == "-"
    assert alice(wait(0.1)) == "flag"
    assert alice(error("time-left", "flag", "no")) == "-"
    assert alice(wait(14)) == "-"
    assert alice(wait(1)) == "flag"


def test_a_flag_is_not_called_against_ourselves() -> None:
    alice = playing("e4 e5", time=TimeControl(60), clock=(1000, 60000), deadline=2000)
    assert alice(wait(30)) == "-"


def a_known_game() -> Alice:
    alice = playing("e4")
    assert alice(LOST, pass_(1), found) == "connected 1 back"
    assert alice(listed) == "state"
    return alice


def test_a_known_game_is_asked_about_by_its_id_and_never_by_asking_for_another() -> None:
    alice = a_known_game()
    assert alice(started()) == "-"
    assert alice(state("e4 e5")) == "moved e5"


@pytest.mark.parametrize(
    ("answer", "did"),
    [
        (error("unknown-game", "state", "none"), "ended *"),
        (state("e4", version=2, end="* aborted"), "ended * aborted"),
    ],
)
def test_a_known_game_that_is_gone_or_was_aborted_is_over(answer: Step, did: str) -> None:
    alice = a_known_game()
    assert alice(answer) == did
    assert alice.phase == "over"
    assert alice(wait(3600)) == "-"


def test_a_known_game_of_which_it_cannot_tell_now_goes_on() -> None:
    alice = a_known_game()
    assert alice(error("rate-limited", "state", "none")) == "-"
    assert alice.phase == "playing"
    assert alice(wait(3600)) == "state"


def test_a_rematch_is_offered_and_followed_as_soon_as_it_begins() -> None:
    alice = over()
    assert alice.prompt == "rematch or new for another game, quit leaves"
    assert alice(enter("rematch")) == "rematch | sent rematch"
    assert alice(state("e4 e5", version=4, end="1-0", offer="rematch/w")) == "rematch/mine"
    assert alice(state("e4 e5", version=4, end="1-0", offer="rematch/w")) == "-"
    assert alice(state("e4 e5", version=3, end="1-0")) == "-"
    assert alice(started("f")) == "-"
    assert alice(state(black=True, game="f", version=1)) == "started black | moved"


def test_a_rematch_of_the_opponent_is_accepted_or_declined() -> None:
    alice = over()
    assert alice(state("e4 e5", version=4, end="1-0", offer="rematch/b")) == "rematch/theirs"
    assert alice.prompt == "accept plays the rematch, decline does not"
    assert alice(enter("decline")) == "rematch-decline | sent rematch-decline"
    assert alice(enter("accept")) == "rematch | sent rematch"
    assert alice(state("e4 e5", version=5, end="1-0")) == "no rematch/theirs"


def test_a_rematch_whose_start_was_missed_is_found_in_the_old_game() -> None:
    alice = over()
    alice(state("e4 e5", version=4, end="1-0", offer="rematch/w"), LOST)
    assert alice(found) == "connected 1 back"
    asked = alice.scene.asked_what_waits
    alice(state("e4 e5", version=5, end="1-0", rematch="f"))
    assert alice.scene.asked_what_waits == asked + 1
    assert alice(state(black=True, game="f", version=1), wait(1)) == "started black | moved"


def test_a_rematch_is_not_begun_by_an_old_start() -> None:
    alice = over()
    assert alice(started()) == "-"
    assert alice.phase == "over"


def test_an_opponent_who_leaves_and_comes_back_is_told_of_each_time_and_once() -> None:
    alice = playing("e4 e5")
    for at in (10, 30, 50):
        gone = state("e4 e5", away=(chess.BLACK,), dated=int(START) + at)
        assert alice(gone) == "black left"
        assert alice(gone) == "-"
        # A copy of the state before comes late.
        assert alice(state("e4 e5", dated=int(START) + at - 5)) == "-"
        assert alice(state("e4 e5", dated=int(START) + at + 9)) == "black back"
        assert alice(gone) == "-"
    assert alice(state("e4 e5", away=(chess.WHITE,), dated=int(START) + 90)) == "-"


def rests(color: chess.Color, days: int) -> dict[str, Any]:
    return {**DAYS, "vacations": ((color, int(START) + days * 86_400),)}


def test_a_player_takes_days_off_and_the_word_is_answered_by_the_state_that_has_them() -> None:
    alice = playing("e4 e5", **DAYS)
    assert alice(enter("vacation 7")) == "vacation:7 | sent vacation:7"
    assert alice.says == "Sent: that you take days off"
    assert alice(wait(11)) == "no answer 11 | vacation:7 | sent vacation:7 again"
    # The opponent's days are no answer, nor fewer of her own.
    assert alice(state("e4 e5", version=5, **rests(chess.BLACK, 9))).startswith("black rests")
    assert alice(state("e4 e5", version=6, **rests(chess.WHITE, 3))).startswith("white rests")
    assert "vacation:7" in alice(wait(20))
    assert alice(state("e4 e5", version=7, **rests(chess.WHITE, 7))).startswith("white rests")
    assert alice.says.startswith("You are on vacation until ")
    assert alice(wait(60)) == "-"


def test_days_off_are_told_once_and_again_when_there_are_more() -> None:
    alice = playing("e4 e5", **DAYS)
    assert alice(state("e4 e5", version=5, **rests(chess.BLACK, 3))).startswith("black rests")
    assert alice.says.startswith("Your opponent is on vacation until ")
    assert alice(state("e4 e5 Nf3", version=6, **rests(chess.BLACK, 3))) == "moved Nf3"
    assert alice(state("e4 e5 Nf3", version=7, **rests(chess.BLACK, 5))).startswith("black rests")


@pytest.mark.parametrize(
    ("game", "text", "code"),
    [
        (LIVE, "vacation 3", "not-offered-here"),
        ({}, "vacation 3", "not-offered-here"),
        (DAYS, "vacation", "unknown-command"),
        (DAYS, "vacation 0", "unknown-command"),
        (DAYS, "vacation 100", "unknown-command"),
        (DAYS, "vacation soon", "unknown-command"),
    ],
)
def test_days_off_that_cannot_be_are_not_sent(game: dict[str, Any], text: str, code: str) -> None:
    assert playing("e4 e5", **game)(enter(text)) == f"!{code}"


def test_a_move_in_a_state_that_says_who_left_is_told_of_and_the_end_alone_at_the_end() -> None:
    alice = playing("e4 e5 Nf3")
    gone = state("e4 e5 Nf3 Nc6", version=9, away=(chess.BLACK,), dated=int(START) + 10)
    assert alice(gone) == "moved Nc6 | black left"
    assert alice(enter("claim-left")) == "claim-left | sent claim-left"
    over = state("e4 e5 Nf3 Nc6", version=10, end="1-0 left", dated=int(START) + 20)
    assert alice(over) == "ended 1-0 left"
    assert alice.says == "You won because a player left: White wins, 1-0"


@pytest.mark.parametrize("own", [True, False])
def test_a_word_says_that_we_are_at_the_arbiters_own_relay_where_we_are(*, own: bool) -> None:
    alice = playing()
    (relay,) = alice.scene.session.links
    gateway = relay if own else OTHER_RELAY
    alice.scene.session = with_wire(alice.scene.session, gateway=gateway)
    alice(enter("e4"))
    (sent,) = [it for it in alice.scene.effects if isinstance(it, Send)]
    assert (("here",) in sent.draft.tags) is own


def test_at_each_new_socket_to_the_arbiters_own_relay_it_is_asked_for_the_state() -> None:
    alice = playing()
    alice.scene.session = with_wire(alice.scene.session, gateway=OTHER_RELAY)
    for number in range(2, 5):
        alice(OTHER_COMES, CaughtUp(OTHER_RELAY))
        assert alice.scene.asked_what_waits == number
        alice(LinkDown(OTHER_RELAY, "gone"))
