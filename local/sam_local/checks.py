"""The expected effect of each sample invocation: its answer, and table, queues and relay.

A check returns what is wrong in a few words, or "".
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arbiter.application.ports import LobbyChange
from arbiter.core.game import Termination
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import EventTemplate
from events.api_gateway_samples import BROWSER, SOCKET
from events.samples import ALICE, BOB, SERVER, game, house_challenge
from local.sam_local.cloud import Surroundings

Wrong = Callable[[Any, Surroundings], str]


@dataclass(frozen=True, slots=True)
class Check:
    """How to check one sample: what to do ``before`` it, given the time (unix seconds), and what is
    ``wrong`` after it, given the answer. The sample is as of ``age_seconds`` ago.
    """

    function: str
    wrong: Wrong
    before: Callable[[int, Surroundings], None] | None = None
    age_seconds: int = 0


_OK = 200
_ALL_WELL: dict[str, list[object]] = {"batchItemFailures": []}


def _batch(wrong: Callable[[Surroundings], str]) -> Wrong:
    """A check of an invocation that must report no failed record."""
    return lambda answer, around: wrong(around) if answer == _ALL_WELL else f"answered {answer}"


def _frame(wrong: Callable[[Surroundings], str]) -> Wrong:
    """A check of an invocation of the gateway, which must answer 200."""

    def checked(answer: Any, around: Surroundings) -> str:  # noqa: ANN401 - a handler's answer
        return wrong(around) if answer.get("statusCode") == _OK else f"answered {answer}"

    return checked


def _moves(around: Surroundings) -> str:
    game = around.standing()
    if [move.uci() for move in game.moves] != ["e2e4"]:
        return f"the table holds {[move.uci() for move in game.moves]}"
    if game.black_strikes != 1:
        return "the illegal move was not counted once"
    return _published(around, 20302) or _published(around, 20304)


def _seek(around: Surroundings) -> str:
    if around.lobby.player(ALICE.pubkey).waits_in is None:
        return "the player does not wait"
    return _published(around, 20301)


def _draft(around: Surroundings) -> str:
    waits_in = around.lobby.player(ALICE.pubkey).waits_in
    if waits_in != PLAIN.pool:
        return f"the player waits in {waits_in}"
    return _sent(around, "OK")


def _challenge(around: Surroundings) -> str:
    if not around.lobby.player(ALICE.pubkey).challenges:
        return "the challenge is not stored"
    return _published(around, 20301)


def _challenge_the_house(at: int, around: Surroundings) -> None:
    change = LobbyChange(challenges=((None, house_challenge(at)),))
    if not around.lobby.commit(change):
        raise RuntimeError("the challenge was not stored")


def _accepted(around: Surroundings) -> str:
    if not any("accept:" in body for body in around.take_from("SEEKS_QUEUE_URL")):
        return "the acceptance is not in the queue"
    return ""


def _timer(around: Surroundings) -> str:
    outcome = around.standing().outcome
    is_aborted = outcome is not None and outcome.termination is Termination.ABORTED
    return "" if is_aborted else "a game without moves was not aborted"


def _republish(around: Surroundings) -> str:
    return _published(around, 20302)


def _announce(around: Surroundings) -> str:
    return next(filter(None, (_published(around, kind) for kind in (0, 10002, 31990))), "")


def _clock(around: Surroundings) -> str:
    bodies = around.take_from("MOVES_QUEUE_URL")
    return "" if bodies and all("timer" in body for body in bodies) else "no timer was passed on"


def _listen(answer: Any, around: Surroundings) -> str:  # noqa: ANN401 - a handler's answer
    if isinstance(answer, dict) and "errorMessage" in answer:
        return f"answered {answer}"
    received = around.take_from("SEEKS_QUEUE_URL")
    return "" if received else "a request to play on the relay was not passed on"


def _connected(around: Surroundings) -> str:
    return "" if around.socket(SOCKET) else "the socket is not stored"


def _subscribed(around: Surroundings) -> str:
    socket = around.socket(SOCKET)
    if not (socket and socket.subscriptions):
        return "the subscription is not stored"
    return _sent(around, "EVENT", "EOSE")


def _moved(around: Surroundings) -> str:
    if not any("e2e4" in body for body in around.take_from("MOVES_QUEUE_URL")):
        return "the move is not in the queue"
    return _sent(around, "OK")


def _nonsense(around: Surroundings) -> str:
    return _sent(around, "NOTICE")


def _disconnected(around: Surroundings) -> str:
    return "the socket is still stored" if around.socket(SOCKET) else ""


def _status(status: int, text: str = "") -> Wrong:
    """A check that an HTTP answer has this status, and this text in its body."""

    def wrong(answer: Any, _: Surroundings) -> str:  # noqa: ANN401
        if answer.get("statusCode") != status:
            return f"answered {answer.get('statusCode')}"
        return "" if text in (answer.get("body") or "") else f"there is no {text} in what it said"

    return wrong


def _ask_to_play(at: int, around: Surroundings) -> None:
    tags = (("p", SERVER.pubkey),)
    around.tell(BOB.sign(EventTemplate(20300, tags, "", at)))


def _sent(around: Surroundings, *verbs: str) -> str:
    """What is wrong unless the sample socket was sent frames of these verbs, in this order."""
    found = tuple(json.loads(frame)[0] for frame in around.sent.taken(SOCKET))
    return "" if found == verbs else f"the socket was sent {found}, not {verbs}"


def _published(around: Surroundings, kind: int) -> str:
    return "" if around.published(kind) else f"the relay has no {kind}"


CHECKS: dict[str, Check] = {
    "process_events/moves.json": Check("ProcessEventsFunction", _batch(_moves)),
    "process_events/seek.json": Check("ProcessEventsFunction", _batch(_seek)),
    "process_events/timer.json": Check("ProcessEventsFunction", _batch(_timer)),
    "process_events/republish.json": Check("ProcessEventsFunction", _batch(_republish)),
    "process_events/announce.json": Check("ProcessEventsFunction", _batch(_announce)),
    "process_events/draft.json": Check("ProcessEventsFunction", _batch(_draft)),
    # A timer that is not due waits on; this one was, half a minute ago.
    "process_events/house.json": Check("ProcessEventsFunction", _batch(_challenge)),
    "house/challenge.json": Check("HouseFunction", _batch(_accepted), _challenge_the_house),
    "clock/timer.json": Check("ClockFunction", _batch(_clock), age_seconds=60),
    "relay_listener/schedule.json": Check("RelayListenerFunction", _listen, _ask_to_play),
    "gateway/connect.json": Check("GatewayFunction", _frame(_connected)),
    "gateway/subscribe.json": Check("GatewayFunction", _frame(_subscribed)),
    "gateway/move.json": Check("GatewayFunction", _frame(_moved)),
    "gateway/nonsense.json": Check("GatewayFunction", _frame(_nonsense)),
    "gateway/disconnect.json": Check("GatewayFunction", _frame(_disconnected)),
    "http_api/new_game.json": Check("HttpApiFunction", _status(_OK, BROWSER)),
    "http_api/game.json": Check("HttpApiFunction", _status(_OK, game().id)),
    "http_api/relay_information.json": Check("HttpApiFunction", _status(_OK, "supported_nips")),
    "http_api/preflight.json": Check("HttpApiFunction", _status(204)),
    "http_api/nothing.json": Check("HttpApiFunction", _status(404, "Not Found")),
}
"""By the path of the sample, in an order in which each finds what it needs."""
