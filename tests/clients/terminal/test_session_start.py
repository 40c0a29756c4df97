"""From the first relay to the first state, and what may go wrong on the way."""

import chess
import pytest

from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal.effects import Leave
from clients.terminal.notices import (
    Moved,
    RelayFound,
    RelayLost,
    Remark,
    Started,
)
from clients.terminal.session import (
    CATCH_UP_SECONDS,
    CONNECT_SECONDS,
    CaughtUp,
    ExitCode,
    InputOver,
    LinkDown,
    LinkUp,
)
from clients.terminal.wire import Paired, RequestRefused
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

REQUEST = (20300, "")


@pytest.mark.parametrize("caught_up", [True, False])
def test_a_game_is_asked_for_after_what_the_relay_has_stored_or_after_a_while(
    *, caught_up: bool
) -> None:
    scene = Scene()
    assert scene.give(LinkUp(RELAY)) == (RelayFound(RELAY, 1, back=False),)
    assert scene.wait(CATCH_UP_SECONDS - 1) == ()
    if caught_up:
        scene.give(CaughtUp(RELAY))
    else:
        scene.wait(1)
    assert scene.sent() == [REQUEST]
    assert scene.sends()[0].template.tags == (("p", SERVER.pubkey),)
    assert scene.sends()[0].template.created_at == int(scene.now)


def test_no_relay_in_time_ends_the_program_and_a_lost_one_is_waited_for() -> None:
    scene = Scene()
    (remark,) = scene.give(LinkDown(RELAY, "connection refused\x1b[2J"))
    assert isinstance(remark, Remark)
    assert "\x1b" not in remark.text
    assert scene.give(LinkDown(RELAY, "connection refused")) == ()
    assert scene.wait(CONNECT_SECONDS - 1) == ()
    assert scene.wait(1) == (Leave(ExitCode.NO_RELAY),)
    scene = connected()
    scene.lose_the_relay()
    assert scene.wait(86_400) == ()


def test_the_same_request_goes_to_a_relay_that_comes_later() -> None:
    scene = connected()
    (first,) = scene.sends()
    scene.now += 1
    scene.give(LinkUp(OTHER_RELAY))
    assert scene.sends() == [first]


def test_losing_one_of_two_relays_is_shown_and_changes_nothing_else() -> None:
    scene = playing()
    scene.give(LinkUp(OTHER_RELAY))
    assert scene.lose_the_relay() == (RelayLost(RELAY, "gone", 1),)
    assert scene.enter("e4")[0] == scene.sends()[0]


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
    assert (started.resumed, started.game.my_turn) == (False, alice == chess.WHITE)
    assert moved == Moved(started.game, None)


def test_an_unexpected_start_does_not_replace_the_game_in_progress() -> None:
    scene = playing("e4")
    before = scene.session
    assert scene.hear(Paired("f" * 32, int(START))) == ()
    assert scene.session is before


def test_a_relay_without_a_listener_is_a_hint_and_no_error() -> None:
    scene = connected()
    scene.verdict(scene.sends()[0].event_id, PublishStatus.NO_SUBSCRIBERS)
    assert scene.kinds() == [Remark]
