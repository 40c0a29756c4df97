"""The expected effect of each sample invocation: its answer, and table, queues and relay.

A check returns what is wrong in a few words, or "".
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arbiter.core.game import Termination
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import EventTemplate
from events.door_samples import BROWSER, SOCKET
from events.samples import ALICE, BOB, SERVER, game
from local.sam_local.cloud import Surroundings


@dataclass(frozen=True, slots=True)
class Check:
    """How to check one sample: what to do ``before`` it, given the time (unix seconds), and what is
    ``wrong`` after it, given the answer. The sample is as of ``age_seconds`` ago.
    """

    function: str
    wrong: Callable[[Any, Surroundings], str]
    before: Callable[[int, Surroundings], None] | None = None
    age_seconds: int = 0


_OK = 200
_ALL_WELL: dict[str, list[object]] = {"batchItemFailures": []}


def _moves(answer: Any, around: Surroundings) -> str:  # noqa: ANN401 - a handler's answer, as below
    game = around.standing()
    if answer != _ALL_WELL:
        return f"answered {answer}"
    if [move.uci() for move in game.moves] != ["e2e4"]:
        return f"the table holds {[move.uci() for move in game.moves]}"
    if game.black_strikes != 1:
        return "the illegal move was not counted once"
    return _published(around, 20302) or _published(around, 20304)


def _seek(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if answer != _ALL_WELL:
        return f"answered {answer}"
    if around.lobby.player(ALICE.pubkey).waits_in is None:
        return "the player does not wait"
    return _published(around, 20301)


def _draft(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if answer != _ALL_WELL:
        return f"answered {answer}"
    waits_in = around.lobby.player(ALICE.pubkey).waits_in
    if waits_in != PLAIN.pool:
        return f"the player waits in {waits_in}"
    return _sent(around, "OK")


def _nudge(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    outcome = around.standing().outcome
    if answer != _ALL_WELL:
        return f"answered {answer}"
    if outcome is None or outcome.termination is not Termination.ABORTED:
        return "a game that never began was not called off"
    return ""


def _republish(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    return f"answered {answer}" if answer != _ALL_WELL else _published(around, 20302)


def _announce(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if answer != _ALL_WELL:
        return f"answered {answer}"
    return next(filter(None, (_published(around, kind) for kind in (0, 10002, 31990))), "")


def _clock(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    bodies = around.take_from("MOVES_QUEUE_URL")
    if answer != _ALL_WELL:
        return f"answered {answer}"
    return "" if bodies and all("nudge" in body for body in bodies) else "no nudge was passed on"


def _listen(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if isinstance(answer, dict) and "errorMessage" in answer:
        return f"answered {answer}"
    heard = [json.loads(body) for body in around.take_from("SEEKS_QUEUE_URL")]
    return "" if heard else "a request to play on the relay was not passed on"


def _connected(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if answer.get("statusCode") != _OK:
        return f"answered {answer}"
    return "" if around.socket(SOCKET) else "the socket is not remembered"


def _subscribed(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if answer.get("statusCode") != _OK:
        return f"answered {answer}"
    socket = around.socket(SOCKET)
    if not (socket and socket.subscriptions):
        return "the subscription is not remembered"
    return _sent(around, "EVENT", "EOSE")


def _moved(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    bodies = around.take_from("MOVES_QUEUE_URL")
    if answer.get("statusCode") != _OK:
        return f"answered {answer}"
    if not any("e2e4" in body for body in bodies):
        return "the move is not in the queue"
    return _sent(around, "OK")


def _nonsense(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    return _sent(around, "NOTICE") if answer.get("statusCode") == _OK else f"answered {answer}"


def _disconnected(answer: Any, around: Surroundings) -> str:  # noqa: ANN401
    if answer.get("statusCode") != _OK:
        return f"answered {answer}"
    return "the socket is still remembered" if around.socket(SOCKET) else ""


def _status(status: int, text: str = "") -> Callable[[Any, Surroundings], str]:
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
    """Whether the sample socket was sent frames of these verbs, in this order."""
    found = tuple(json.loads(frame)[0] for frame in around.sent.taken(SOCKET))
    return "" if found == verbs else f"the socket was sent {found}, not {verbs}"


def _published(around: Surroundings, kind: int) -> str:
    return "" if around.published(kind) else f"the relay has no {kind}"


CHECKS: dict[str, Check] = {
    "process_events/moves.json": Check("ProcessEventsFunction", _moves),
    "process_events/seek.json": Check("ProcessEventsFunction", _seek),
    "process_events/nudge.json": Check("ProcessEventsFunction", _nudge),
    "process_events/republish.json": Check("ProcessEventsFunction", _republish),
    "process_events/announce.json": Check("ProcessEventsFunction", _announce),
    "process_events/draft.json": Check("ProcessEventsFunction", _draft),
    # A nudge that is not due waits on; this one was, half a minute ago.
    "clock/nudge.json": Check("ClockFunction", _clock, age_seconds=60),
    "relay_listener/schedule.json": Check("RelayListenerFunction", _listen, _ask_to_play),
    "gateway/connect.json": Check("GatewayFunction", _connected),
    "gateway/subscribe.json": Check("GatewayFunction", _subscribed),
    "gateway/move.json": Check("GatewayFunction", _moved),
    "gateway/nonsense.json": Check("GatewayFunction", _nonsense),
    "gateway/disconnect.json": Check("GatewayFunction", _disconnected),
    "http_api/new_game.json": Check("HttpApiFunction", _status(_OK, BROWSER)),
    "http_api/game.json": Check("HttpApiFunction", _status(_OK, game().id)),
    "http_api/relay_information.json": Check("HttpApiFunction", _status(_OK, "supported_nips")),
    "http_api/preflight.json": Check("HttpApiFunction", _status(204)),
    "http_api/nothing.json": Check("HttpApiFunction", _status(404, "Not Found")),
}
"""By the path of the sample, in an order in which each finds what it needs."""
