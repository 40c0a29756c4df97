"""Bugs of memory: an event that was answered is answered anew."""

from dataclasses import replace
from typing import Any

from arbiter.application import event_memory
from arbiter.application import event_memory as memory
from arbiter.core.game import Game
from arbiter.core.pairing import Player
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, always, value


def _only_the_last(_: Any) -> Any:
    return lambda game, cause: game.applied[-1:] == (cause[:8],)


def _only_the_applied(_: Any) -> Any:
    return lambda game, cause: cause[:8] in game.applied


def _only_what_changed(real: Any) -> Any:
    def remember(game: Game, decision: Any, command: Any, cause: bytes) -> Any:
        return game if decision.game is game else real(game, decision, command, cause)

    return remember


def _nothing_applied(real: Any) -> Any:
    def remember(game: Game, decision: Any, command: Any, cause: bytes) -> Any:
        found = real(game, decision, command, cause)
        return replace(found, applied=game.applied_ids) if found is not game else game

    return remember


BUGS = (
    Bug(
        "forgotten-event-ids",
        "A game knows no event again.",
        ((Game, "remembers", always(value=False)),),
        needs=frozenset({"F29", "crash"}),
    ),
    Bug(
        "only-the-last-event-id",
        "A game knows only its last event again.",
        ((Game, "remembers", _only_the_last),),
        needs=frozenset({"F29", "crash"}),
    ),
    Bug(
        "refused-never-looked-up",
        "Refused events are written down, and never looked up.",
        ((Game, "remembers", _only_the_applied),),
        scene=scenes.PREMOVES,
    ),
    Bug(
        "refused-not-remembered",
        "A refused event is not written down: it comes true when a relay says it again (F49).",
        ((event_memory, "remember", _only_what_changed),),
        scene=scenes.PREMOVES,
    ),
    Bug(
        "applied-not-remembered",
        "An event is applied, and its id is not kept.",
        ((event_memory, "remember", _nothing_applied),),
    ),
    Bug(
        "requests-not-remembered",
        "A request to play is not known again.",
        ((Player, "remembers", always(value=False)),),
        scene=scenes.TWO_ANSWERS,
    ),
    Bug(
        "ring-of-none",
        "Of each player's refused events a game forgets the oldest as soon as it has one more.",
        ((memory, "REFUSED_IDS_PER_SEAT", value(-1)),),
        needs=frozenset({"careless", "F19", "F28"}),
    ),
)
