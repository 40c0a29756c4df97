"""From the first relay to the first state, and what may go wrong on the way."""

from dataclasses import replace

import chess
import pytest

from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal.effects import (
    Leave,
    Moved,
    NoAnswer,
    Queued,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Send,
    Source,
    Started,
    Subscribe,
)
from clients.terminal.session import (
    ANSWER_SECONDS,
    CATCH_UP_SECONDS,
    CONNECT_SECONDS,
    QUEUE_SECONDS,
    CaughtUp,
    ExitCode,
    InputOver,
    LinkDown,
    LinkUp,
    Phase,
)
from clients.terminal.wire import Paired, RequestRefused, Waiting
from tests.builders import BOB, SERVER
from tests.clients.terminal.scene import (
    GAME,
    OTHER_RELAY,
    RELAY,
    START,
    Scene,
    connected,
    playing,
    state,
)


def test_a_game_is_asked_for_only_after_the_relay_has_sent_what_it_had_stored() -> None:
    scene = Scene()
    assert scene.give(LinkUp(RELAY)) == (RelayFound(RELAY, 1, back=False),)
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]
    assert scene.sends()[0].template.tags == (("p", SERVER.pubkey),)


def test_a_relay_that_never_says_it_is_done_holds_nothing_up() -> None:
    scene = Scene()
    scene.give(LinkUp(RELAY))
    assert scene.wait(CATCH_UP_SECONDS - 1) == ()
    scene.wait(1)
    assert scene.sent() == [(20300, "")]


def test_no_relay_in_time_ends_the_program() -> None:
    scene = Scene()
    told = scene.give(LinkDown(RELAY, "connection refused\x1b[2J"))
    assert [type(effect) for effect in told] == [Remark]
    assert "\x1b" not in str(told)
    assert scene.give(LinkDown(RELAY, "connection refused")) == ()
    assert scene.wait(CONNECT_SECONDS - 1) == ()
    assert scene.wait(1) == (Leave(ExitCode.NO_RELAY),)


def test_a_relay_that_was_there_once_is_waited_for_without_end() -> None:
    scene = connected()
    scene.lose_the_relay()
    assert scene.wait(86_400) == ()


def test_the_same_request_goes_to_a_relay_that_comes_later() -> None:
    scene = connected()
    (first,) = scene.sends()
    scene.now += 1
    scene.give(LinkUp(OTHER_RELAY))
    assert scene.sends() == [first]


def test_silence_is_told_and_the_arbiter_asked_again_ever_more_rarely() -> None:
    scene = connected()
    assert scene.wait(ANSWER_SECONDS - 1) == ()
    told = scene.wait(1)
    assert isinstance(told[0], NoAnswer)
    assert isinstance(told[1], Send)
    assert scene.wait(2 * ANSWER_SECONDS - 1) == ()
    assert scene.wait(1)[0] == NoAnswer(2 * ANSWER_SECONDS)


def test_being_queued_is_told_once_however_many_relays_say_it() -> None:
    scene = connected()
    assert scene.hear(Waiting()) == (Queued(),)
    assert scene.hear(Waiting()) == ()


def test_a_waiting_player_asks_again_from_time_to_time() -> None:
    scene = connected()
    scene.hear(Waiting())
    assert scene.wait(QUEUE_SECONDS - 1) == ()
    scene.wait(1)
    assert scene.sent() == [(20300, "")]
    assert scene.hear(Waiting()) == ()


def test_a_refused_request_says_why_and_waits_for_the_player() -> None:
    scene = connected()
    assert scene.hear(RequestRefused("rate-limited: wait")) == (
        Refused(Source.ARBITER, "rate-limited", "wait"),
    )
    assert scene.wait(3600) == ()
    assert scene.enter("new") == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]


def test_a_place_in_the_queue_that_ran_out_is_told_although_nothing_was_asked() -> None:
    scene = connected()
    scene.hear(Waiting())
    scene.hear(RequestRefused("stale: nobody came"))
    assert scene.session.phase is Phase.REFUSED


def test_a_script_without_input_leaves_with_a_code_when_it_is_refused() -> None:
    scene = connected()
    assert scene.give(InputOver()) == ()
    assert scene.hear(RequestRefused("no"))[-1] == Leave(ExitCode.REFUSED)


@pytest.mark.parametrize("alice", [chess.WHITE, chess.BLACK])
def test_the_order_of_the_players_in_the_state_says_who_is_who(alice: chess.Color) -> None:
    scene = connected()
    assert scene.hear(Paired(GAME, int(START))) == ()
    started, moved = scene.hear(state(alice=alice))
    assert isinstance(started, Started)
    assert (started.game.color, started.game.opponent) == (alice, BOB.pubkey)
    assert started.resumed is False
    assert moved == Moved(started.game, None)
    assert started.game.my_turn is (alice == chess.WHITE)


def test_a_state_that_overtakes_its_start_is_kept_for_it() -> None:
    scene = connected()
    assert scene.hear(state()) == ()
    assert scene.session.phase is Phase.ASKING
    assert [type(effect) for effect in scene.hear(Paired(GAME, int(START)))] == [Started, Moved]


def test_a_game_that_goes_on_is_resumed() -> None:
    scene = connected()
    scene.hear(Paired(GAME, int(START)))
    started = scene.hear(state("e4 e5"))[0]
    assert isinstance(started, Started)
    assert started.resumed is True


def test_a_start_without_a_state_is_asked_about() -> None:
    scene = connected()
    scene.hear(Paired(GAME, int(START)))
    scene.wait(ANSWER_SECONDS)
    assert scene.sent() == [(20300, "")]


def test_a_game_of_two_strangers_is_not_ours() -> None:
    scene = connected()
    scene.hear(Paired(GAME, int(START)))
    assert scene.hear(replace(state(), white=SERVER.pubkey)) == ()
    assert scene.game.line is None


def test_an_uncalled_for_start_does_not_replace_the_game_that_goes_on() -> None:
    scene = playing("e4")
    before = scene.session
    assert scene.hear(Paired("f" * 32, int(START))) == ()
    assert scene.session is before


def test_a_relay_that_finds_no_listener_is_a_hint_and_no_error() -> None:
    scene = connected()
    scene.verdict(scene.sends()[0].event_id, PublishStatus.NO_SUBSCRIBERS)
    assert scene.kinds() == [Remark]


def test_losing_one_of_two_relays_is_told_and_changes_nothing_else() -> None:
    scene = playing()
    scene.give(LinkUp(OTHER_RELAY))
    assert scene.lose_the_relay() == (RelayLost(RELAY, "gone", 1),)
    assert scene.enter("e4")[0] == scene.sends()[0]


def test_time_is_the_caller_s() -> None:
    scene = connected()
    assert scene.sends()[0].template.created_at == int(START)
