"""The expected answer and effect of each sample invocation."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arbiter.application.ports import LobbyChange
from arbiter.core.game import Termination
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import EventTemplate
from events.api_gateway_samples import BROWSER, SOCKET
from events.samples import ALICE, BOB, SERVER, game, house_challenge, tournament
from local.sam_local.cloud import Surroundings

_OK = 200


@dataclass(frozen=True, slots=True)
class Check:
    """The check of a sample: what to do ``before`` it (unix seconds); the HTTP ``status``, 0 for a
    queue's, and a ``text`` in the body; verbs ``sent`` to its socket; the ``effect`` on table,
    queues and relay. The sample is ``age_seconds`` old.
    """

    function: str
    effect: Callable[[Surroundings], bool] = lambda _: True
    status: int = 0
    text: str = ""
    sent: tuple[str, ...] = ()
    before: Callable[[int, Surroundings], None] | None = None
    age_seconds: int = 0

    def wrong(self, answer: Any, around: Surroundings) -> str:  # noqa: ANN401 - a handler's answer
        """Say in a few words what is wrong, or ""."""
        told = answer or {}
        is_well = not (told.get("batchItemFailures") or "errorMessage" in told)
        if not is_well or told.get("statusCode", 0) != self.status:
            return f"answered {answer}"
        if self.text not in (told.get("body") or ""):
            return f"there is no {self.text} in what it said"
        sent = tuple(json.loads(frame)[0] for frame in around.sent.taken(SOCKET))
        if self.sent and sent != self.sent:
            return f"the socket was sent {sent}, not {self.sent}"
        return "" if self.effect(around) else "table, queues or relay are not as they should be"


def _played(around: Surroundings) -> bool:
    game = around.standing()
    is_stored = [move.uci() for move in game.moves] == ["e2e4"] and game.black_strikes == 1
    return is_stored and around.has_published(20302, 20304)


def _is_aborted(around: Surroundings) -> bool:
    outcome = around.standing().outcome
    return outcome is not None and outcome.termination is Termination.ABORTED


def _waits(around: Surroundings) -> bool:
    return around.lobby.player(ALICE.pubkey).waits_in == PLAIN.pool


def _has_challenged(around: Surroundings) -> bool:
    """Whether the challenge is stored, and the house asked for an answer."""
    is_asked = around.waits(_SEEKS, '"house"')
    return is_asked and bool(around.lobby.player(ALICE.pubkey).challenges)


def _challenge_the_house(at: int, around: Surroundings) -> None:
    change = LobbyChange(challenges=((None, house_challenge(at)),))
    if not around.lobby.commit(change):
        raise RuntimeError("the challenge was not stored")


def _have_a_round_to_pair(at: int, around: Surroundings) -> None:
    around.tournaments.commit(None, tournament(at))


def _ask_to_play(at: int, around: Surroundings) -> None:
    tags = (("p", SERVER.pubkey),)
    around.tell(BOB.sign(EventTemplate(20300, tags, "", at)))


def _queued(queue: str, text: str) -> Callable[[Surroundings], bool]:
    return lambda around: around.waits(queue, text)


def _published(*kinds: int) -> Callable[[Surroundings], bool]:
    return lambda around: around.has_published(*kinds)


_MOVES, _SEEKS = "MOVES_QUEUE_URL", "SEEKS_QUEUE_URL"
_EVENTS, _GATEWAY, _HTTP = "ProcessEventsFunction", "GatewayFunction", "HttpApiFunction"

CHECKS: dict[str, Check] = {
    "process_events/moves.json": Check(_EVENTS, _played),
    "process_events/seek.json": Check(_EVENTS, _published(20301)),
    "process_events/timer.json": Check(_EVENTS, _is_aborted),
    "process_events/republish.json": Check(_EVENTS, _published(20302)),
    "process_events/announce.json": Check(_EVENTS, _published(0, 10002, 31990)),
    "process_events/draft.json": Check(_EVENTS, _waits, sent=("OK",)),
    "process_events/house.json": Check(_EVENTS, _has_challenged),
    "house/challenge.json": Check(
        "HouseFunction", _queued(_SEEKS, "accept:"), before=_challenge_the_house
    ),
    "pairing/round.json": Check(
        "PairingFunction", _queued(_MOVES, "gacrux"), before=_have_a_round_to_pair
    ),
    # No operator wants notices here, but what sends them is loaded.
    "notice/turn.json": Check("NoticeFunction"),
    # A timer that is not due waits on; this one was, half a minute ago.
    "clock/timer.json": Check("ClockFunction", _queued(_MOVES, "timer"), age_seconds=60),
    "relay_listener/schedule.json": Check(
        "RelayListenerFunction", _queued(_SEEKS, ""), before=_ask_to_play
    ),
    "gateway/connect.json": Check(_GATEWAY, status=_OK),
    "gateway/subscribe.json": Check(_GATEWAY, status=_OK, sent=("EVENT", "EOSE")),
    "gateway/move.json": Check(_GATEWAY, _queued(_MOVES, "e2e4"), status=_OK, sent=("OK",)),
    "gateway/nonsense.json": Check(_GATEWAY, status=_OK, sent=("NOTICE",)),
    "gateway/disconnect.json": Check(_GATEWAY, status=_OK),
    "http_api/new_game.json": Check(_HTTP, status=_OK, text=BROWSER),
    "http_api/game.json": Check(_HTTP, status=_OK, text=game().id),
    "http_api/relay_information.json": Check(_HTTP, status=_OK, text="supported_nips"),
    "http_api/preflight.json": Check(_HTTP, status=204),
    "http_api/nothing.json": Check(_HTTP, status=404, text="Not Found"),
}
"""By the path of the sample, in an order in which each finds what it needs."""
