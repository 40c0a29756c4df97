"""Before a game: connecting, requests to play, challenges and the house."""

from typing import Any

import pytest

from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.relay_messages import PublishStatus
from clients.player.heard import CaughtUp, LinkDown
from clients.player.messages import Cancelled, NoticesSet, State
from clients.player.terms import TimeControl
from tests.builders import BOB
from tests.clients.terminal.alice import (
    CANCELLED,
    CAUGHT_UP,
    LOST,
    OTHER_COMES,
    OVER,
    RELAY_COMES,
    Alice,
    called,
    cancelled,
    challenged,
    declined,
    enter,
    found,
    game_id,
    house,
    pass_,
    playing,
    queued,
    refused,
    started,
    state,
    still_waits,
    verdict,
    wait,
    waiting,
)
from tests.clients.terminal.scene import OTHER_RELAY
from tests.clients.terminal.words import KEYS, terms_words


def test_a_game_is_asked_for_after_what_the_relay_has_stored() -> None:
    alice = Alice()
    assert alice.prompt == "connecting …"
    assert alice(RELAY_COMES) == "connected 1"
    assert alice(wait(2)) == "-"
    assert alice(CAUGHT_UP) == "?seek"
    assert alice.sent_at == 2
    assert alice.prompt == "asking the arbiter for a game …"


def test_no_relay_in_time_ends_the_program() -> None:
    alice = Alice()
    assert alice(LOST) == "(relay-unreachable)"
    assert alice(LOST) == "-"
    assert alice(wait(14)) == "-"
    assert alice(wait(1)) == "leave no_relay"


def test_a_lost_one_is_waited_for() -> None:
    alice = Alice()
    assert alice(found) == "connected 1 | ?seek"
    assert alice(LOST, wait(86400)) == "-"
    assert alice.prompt == "reconnecting …"


def test_the_request_goes_to_a_relay_that_comes_later() -> None:
    alice = waiting()
    assert alice(pass_(1), OTHER_COMES, CaughtUp(OTHER_RELAY)) == "?seek"


def test_a_relay_without_a_listener_is_a_hint_and_no_error() -> None:
    alice = waiting()
    assert alice(verdict(PublishStatus.NO_SUBSCRIBERS, "?seek")) == "(unheard)"


def test_a_script_without_input_leaves_with_a_code_when_it_is_refused() -> None:
    alice = waiting()
    assert alice(OVER) == "-"
    assert alice(refused("bad-terms", "no")) == "arbiter !bad-terms no | leave refused"
    assert alice.prompt == "new asks again, quit leaves"


@pytest.mark.parametrize(
    ("black", "did", "prompt"),
    [
        (False, "started white | moved", "your move, white"),
        (True, "started black | moved", "npub1v6rfl…dawz to move …"),
    ],
)
def test_a_game_begins(did: str, prompt: str, *, black: bool) -> None:
    alice = waiting()
    assert alice(started()) == "-"
    assert alice(state(black=black)) == did
    assert alice.prompt == prompt


def test_losing_one_of_two_relays_is_shown_and_changes_nothing_else() -> None:
    alice = waiting()
    assert alice(started(), state(), OTHER_COMES, LOST) == "lost 1: gone[2J"
    assert alice(enter("e4")) == "e2e4 | sent e4"


def waiting_no_longer() -> Alice:
    alice = waiting()
    assert alice(queued(), enter("cancel")) == "?cancel"
    assert alice(CANCELLED) == "stopped"
    return alice


def test_terms_go_with_the_request_and_can_be_changed_while_waiting() -> None:
    alice = waiting_no_longer()
    assert alice(enter("new 3+2 white")) == "?seek time=180+2 color=white"
    assert alice(queued()) == "queued time=180+2 color=white"
    assert alice.prompt == "waiting for an opponent …"
    assert alice(enter("new 3d")) == "?seek time=3d"


def test_what_cannot_be_asked_is_refused() -> None:
    alice = waiting_no_longer()
    assert alice(enter("new rated")) == "!bad-terms"
    assert alice(enter("challenge 3+2")) == "!bad-terms"
    assert alice(enter("accept")) == "!no-challenge"
    assert alice(enter("cancel")) == "!not-now"
    assert alice(challenged("bob", "c", 3600)) == "challenge 1 bob"
    assert alice(enter("accept 0")) == "!no-challenge"
    assert alice(enter("accept 7")) == "!no-challenge"
    assert alice(enter("decline 7")) == "!no-challenge"
    assert alice(enter("decline 7 later")) == "!no-challenge"


def test_a_challenge_that_went_unanswered_is_sent_again_as_the_same_event() -> None:
    alice = waiting_no_longer()
    assert alice(enter("challenge open 3+2")) == "?seek time=180+2 challenge=open"
    assert alice(wait(10)) == "no answer 10 | same ?seek time=180+2 challenge=open"
    assert alice(LOST, found) == "connected 1 back | same ?seek time=180+2 challenge=open"
    assert alice(LOST, wait(100), found) == "connected 1 back | !no-answer"
    assert alice(enter("new")) == "?seek time=180+2 challenge=open"
    assert alice(queued("c")) == "queued time=180+2 challenge=open c"
    assert alice.prompt == "waiting for somebody to accept …"


@pytest.mark.parametrize("words", ["accept", "accept 1", f"accept {'c' * 32}"])
def test_a_challenge_is_accepted_and_its_game_begins(words: str) -> None:
    alice = waiting_no_longer()
    assert alice(challenged("bob", "c", 3600), enter(words)) == "?accept:c"
    assert alice(started(), state()) == "started white | moved"
    assert alice(enter("challenges")) == "challenges"


def test_challenges_are_answered_by_number_which_each_keeps() -> None:
    alice = waiting_no_longer()
    alice(challenged("eve", "a", 60), challenged("bob", "c", 3600))
    assert alice(enter("challenges")) == "challenges, 1 eve, 2 bob"
    assert alice(enter("accept 1")) == "?accept:a"
    alice(refused("unknown-challenge", "gone"))
    assert alice(enter("decline 2 tooFast")) == "?decline:c:tooFast"
    assert alice(challenged("eve", "b")) == "challenge 3 eve"
    assert alice(enter("accept")) == "?accept:b"


def test_one_that_has_expired_is_not_listed() -> None:
    alice = waiting_no_longer()
    alice(challenged("eve", "a", 60), challenged("bob", "c", 3600), wait(60))
    assert alice(enter("challenges")) == "challenges, 2 bob"
    assert alice(enter("accept 2")) == "?accept:c"
    assert alice(enter("accept 2")) == "!no-challenge"


def test_a_challenge_that_its_author_took_back_is_gone_however_late_it_is_told() -> None:
    alice = waiting_no_longer()
    alice(challenged("eve", "a", 60), challenged("bob", "c", 3600))
    assert alice(Cancelled(challenge=game_id("a"))) == "withdrawn 1"
    assert alice(Cancelled(challenge=game_id("a")), challenged("eve", "a", 60)) == "-"
    assert alice(enter("challenges")) == "challenges, 2 bob"


def test_a_challenger_is_listed_by_name_once_it_is_known() -> None:
    alice = waiting_no_longer()
    alice(challenged("bob", "c", 3600))
    assert alice.scene.looked_up[-1] == (KEYS["bob"],)
    assert alice(called("bob", "Bob"), enter("challenges")) == "challenges, 1 Bob"
    assert "  1  Bob (npub1v6rfl…dawz): 3+2, rated" in alice.says


def bob_is_challenged() -> Alice:
    alice = waiting()
    alice(queued(), enter("cancel"), CANCELLED)
    assert (
        alice(enter(f"challenge {encode_npub(BOB.pubkey)} 3+2")) == "?seek time=180+2 challenge=bob"
    )
    assert alice(queued("c")) == "queued time=180+2 challenge=bob c"
    return alice


def test_a_challenge_of_ours_until_it_is_declined() -> None:
    alice = bob_is_challenged()
    assert alice.prompt == "waiting for npub1v6rfl…dawz …"
    assert alice(enter("challenges")) == "challenges, own c"
    assert "cancel withdraws it" in alice.says
    assert alice(declined) == "arbiter !declined later"
    assert alice.phase == "refused"


def test_a_challenge_of_ours_is_asked_about_after_a_loss() -> None:
    alice = bob_is_challenged()
    assert alice(LOST, found) == "connected 1 back"
    assert alice(refused("unknown-game", answers="?state")) == "-"
    assert alice.phase == "queued"
    assert alice(started(), state()) == "started white | moved"
    assert alice(enter("challenges")) == "challenges"


def test_new_alone_asks_for_the_same_again() -> None:
    alice = playing()
    assert alice(state(version=1, end="* aborted"), enter("new 3d")) == "?seek time=3d"
    assert alice(enter("new")) == "!not-now"
    assert alice(refused("rate-limited", "wait"), enter("new")) == "?seek time=3d"


def test_in_a_game_nothing_is_cancelled_and_a_challenge_has_to_wait() -> None:
    alice = playing("e4", time=TimeControl(300), clock=(300_000, 300_000))
    assert alice(enter("cancel")) == "!not-now"
    assert alice(challenged("bob", "c", 3600)) == "challenge 1 bob"
    assert alice(enter("accept")) == "!not-now"
    assert alice(enter("decline later")) == "?decline:c:later"


def test_how_the_player_is_told_of_their_turn_is_said_by_the_arbiter() -> None:
    alice = waiting()
    assert alice(queued(), enter("notify on")) == "?notify:dm"
    assert alice(lambda it: (NoticesSet(dm=True, answers=it.sent["?notify:dm"]),)) == "(notices)"
    assert alice(enter("notify off")) == "?notify:dm:off"
    off = refused("not-offered-here", "this arbiter sends no notices", "?notify:dm:off")
    assert alice(off) == "arbiter !not-offered-here this arbiter sends no notices"


def test_declining_does_not_end_our_own_waiting() -> None:
    alice = waiting()
    assert alice(queued(), challenged("bob", "c"), enter("decline")) == "?decline:c:generic"
    assert alice(cancelled("?decline:c:generic")) == "(challenge-declined)"
    assert alice(challenged("bob", "c")) == "-"
    assert alice(challenged("eve", "a"), enter("decline")) == "?decline:a:generic"
    gone = refused("unknown-challenge", "gone", "?decline:a:generic")
    assert alice(gone) == "arbiter !unknown-challenge gone | withdrawn 2"
    assert alice(challenged("eve", "a"), CANCELLED) == "-"
    assert alice.phase == "queued"
    assert alice(challenged("eve", "b"), LOST, enter("decline")) == "!no-relay"


def waiting_beside_a_house() -> Alice:
    alice = Alice()
    alice(house(3, 3, 8), found, queued())
    return alice


def test_of_the_house_a_level_is_challenged_on_the_terms_given() -> None:
    alice = waiting_beside_a_house()
    assert alice(enter("House 3 5+3 black")) == "?seek time=300+3 color=black challenge=1"
    assert alice(queued("c"), enter("house 8")) == "?seek challenge=3"


def test_while_all_programs_play_the_place_in_line_is_told_and_silence_is_none() -> None:
    alice = waiting_beside_a_house()
    alice(enter("house 3 5+3"), queued("c"), wait(9))
    for place in (3, 2, 1):
        assert alice(queued("c", place)) == "(house-line)"
        assert f"number {place} in line" in alice.says
        assert alice(wait(11)) == "-"
    assert alice(queued("d", 1)) == "-", "another challenge"
    assert alice(declined) == "arbiter !declined later"
    assert alice.phase == "refused"
    assert alice(enter("house 3")) == "?seek challenge=1"


def test_a_silent_house_is_told_once_and_waited_for() -> None:
    alice = waiting_beside_a_house()
    assert alice(enter("house 3"), queued("c"), wait(9)) == "-"
    assert alice(wait(1)) == "(house-silent)"
    assert alice(wait(10)) == "-"
    assert alice.phase == "queued"
    assert alice(enter("challenge open"), queued("c"), wait(11)) == "-", "a person may take longer"


def test_what_waits_is_asked_at_the_start_and_whenever_a_relay_is_back() -> None:
    alice = Alice()
    asked = []
    for steps in ((found,), (OTHER_COMES,), (CAUGHT_UP,), (LOST,), (found,)):
        alice(*steps)
        asked.append(alice.scene.asked_what_waits)
    assert asked == [1, 1, 2, 2, 3]
    alice(LOST, LinkDown(OTHER_RELAY, "gone"), found)
    assert alice.scene.asked_what_waits == 4
    assert alice(refused("unknown-game", "you neither play nor wait", "?state")) == "-"
    assert alice.phase == "asking"


@pytest.mark.parametrize("times", [1, 2, 3])
def test_challenges_that_waited_are_shown_once_however_often_they_are_listed(times: int) -> None:
    alice = waiting()
    assert alice(challenged("bob", "c")) == "challenge 1 bob"
    for _ in range(times):
        alice(LOST, found)
        assert alice(challenged("bob", "c")) == "-"
    assert alice(challenged("eve", "a")) == "challenge 2 eve"


def test_a_challenge_of_ours_that_still_waits_is_told_and_is_not_the_game_we_ask_for() -> None:
    alice = waiting()
    assert alice(still_waits) == "(challenge-waits)"
    assert alice.phase == "asking"
    assert alice(queued()) == "queued"


@pytest.mark.parametrize(
    ("entered", "said"), [("accept", "rematch"), ("decline", "rematch-decline")]
)
def test_a_rematch_that_was_offered_meanwhile_is_answered_from_the_start(
    entered: str, said: str
) -> None:
    alice = waiting()
    ended: dict[str, Any] = {"end": "1-0 resignation", "version": 9}
    assert alice(state("e4 e5", offer="rematch/b", **ended)) == "(rematch-waits)"
    assert alice(queued(), state("e4 e5", offer="rematch/b", **ended)) == "-"
    assert alice(enter(entered)) == f"{said} | sent {said}"
    if said == "rematch":
        assert "started" in alice(started("n"), state(game="n"))
    else:
        assert alice(state("e4 e5", end="1-0 resignation", version=10)) == "no rematch/theirs"
        assert alice(enter("rematch")) == "rematch | sent rematch"


@pytest.mark.parametrize(
    "claim",
    [
        state("e4", end="1-0 resignation", version=9),
        state("e4", end="1-0 resignation", version=9, offer="rematch/w"),
        state("e4", end="1-0 resignation", version=9, offer="rematch/b", others=True),
    ],
    ids=["no offer", "our own", "of others"],
)
def test_no_other_state_of_a_game_that_is_over_is_shown_at_the_start(claim: State) -> None:
    alice = waiting()
    assert alice(claim) == "-"
    assert alice(enter("accept")) == "!no-challenge"


def test_a_program_is_offered_once_to_a_player_who_has_waited() -> None:
    alice = waiting_beside_a_house()
    assert alice(wait(19)) == "-"
    assert alice(wait(1)) == "(house-offered)"
    assert "house 3" in alice.says
    assert "house 8" in alice.says
    assert alice(wait(20)) == "-"
    assert alice(enter("new 3+2"), queued(), wait(20)) == "(house-offered)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        *((words, "levels 3, 8") for words in ("house", "house 4", "house 3+2")),
        ("house 3 rated 3+2", "casual"),
        ("house 3 start 8/8/8/8/8/8/8/K1k5 w - - 0 1", "casual"),
        ("house 3 soon", "soon"),
    ],
)
def test_what_the_house_does_not_play_is_said_here(words: str, said: str) -> None:
    alice = waiting_beside_a_house()
    assert alice(enter(words)) == "!bad-terms"
    assert said in alice.says
    assert terms_words(alice.scene.session.terms) == ""


def test_of_the_house_during_a_game_the_house_waits() -> None:
    alice = waiting_beside_a_house()
    assert alice(started(), state(time=TimeControl(300)), enter("house 3")) == "!not-now"


def test_without_an_announcement_there_is_no_house() -> None:
    alice = waiting()
    assert alice(queued(), enter("house 3")) == "!no-house"
