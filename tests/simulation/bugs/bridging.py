"""Bugs on the way to Scuttlebutt and back: letters that are lost, and words that come twice."""

from itertools import count
from typing import Any

from arbiter.dialects.ssb import messages
from bridge.cursor import Cursor
from bridge.incoming import Incoming
from bridge.outgoing import Outgoing
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug


def _given_up(real: Any) -> Any:
    def send(incoming: Any) -> None:
        real(incoming)
        incoming._waiting = []

    return send


def _first_the_cursor(real: Any) -> Any:
    def send(incoming: Any) -> None:
        incoming._cursor.advance(incoming._reached, incoming._clock.now_ms() // 1000)
        real(incoming)

    return send


def _where_it_stopped(_: Any) -> Any:
    return lambda cursor, now_s: max((place for place, _ in cursor._marks), default=-1)


def _deleted_first(real: Any) -> Any:
    def asked(outgoing: Any, record: Any) -> Any:
        outgoing._records.delete(record)
        return real(outgoing, record)

    return asked


def _another_each_time(real: Any) -> Any:
    numbers = count()
    return lambda root, *what: real(root, *what, next(numbers))


BUGS = (
    Bug(
        "letters-not-tried-again",
        "The bridge forgets the letters that the queue did not take.",
        ((Incoming, "_send", _given_up),),
        scene=scenes.FEEDS_WITHOUT_QUEUE,
    ),
    Bug(
        "cursor-before-queue",
        "The bridge's cursor passes a message before the queue has it, and begins where it stood.",
        (
            (Incoming, "_send", _first_the_cursor),
            (Cursor, "starts_after", _where_it_stopped),
        ),
        scene=scenes.FEEDS_DYING,
    ),
    Bug(
        "deleted-before-said",
        "The bridge deletes an utterance's record before the peer has written it.",
        ((Outgoing, "_asked", _deleted_first),),
        scene=scenes.FEEDS_DYING,
    ),
    Bug(
        "utterances-of-no-name",
        "An utterance has another id each time that it is derived, so nobody knows it again.",
        ((messages, "id_of", _another_each_time),),
        scene=scenes.FEEDS_DYING,
    ),
)
