"""Bugs by which a cheat gains: each undoes what keeps one attack of `cheats` from paying."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

from arbiter.adapters.relays.ingest import Ingester
from arbiter.application import challenges, lobby, play
from arbiter.application.gateway import events
from arbiter.core import decide, offers, pairing
from arbiter.core.commands import AnsweredState, Quit, Resign
from arbiter.core.seeks import Seek
from arbiter.dialects import dilger
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, always


def _whenever_they_leave(real: Any) -> Any:
    def untimely(game: Any, command: Any, now_ms: int) -> Any:
        if isinstance(command, Quit | Resign):
            command = replace(command, answers=AnsweredState.LATEST)
        return real(game, command, now_ms)

    return untimely


def _for_the_side_to_move(real: Any) -> Any:
    def resolve(asked: Any, game: Any, *rest: Any) -> Any:
        command = real(asked, game, *rest)
        if isinstance(command, Resign) and game.color_of(command.player) is None:
            command = replace(command, player=game.seat(game.turn).player)
        return command

    return resolve


def _by_lots_that_all_can_draw(_: Any) -> Any:
    return lambda _key, *parts: sha256(":".join(parts).encode()).digest()


def _from_nowhere(real: Any) -> Any:
    """Every socket is taken to have the same address."""

    def within_share(desk: Any, connection: Any, *rest: Any) -> Any:
        return real(desk, replace(connection, address=""), *rest)

    return within_share


def _to_both(real: Any) -> Any:
    return lambda rejected, telling: real(replace(rejected, is_strike=True), telling)


def _to_no_request(real: Any) -> Any:
    return lambda reply, telling: real(reply, replace(telling, event=None))


def _of_everybody(real: Any) -> Any:
    def shares_of(one: Ingester, event: Any, at: Any) -> Any:
        return real(one, event, at)[:2]

    return shares_of


BUGS = (
    Bug(
        "quit-in-any-position",
        "Who quits or resigns has done so in whatever position it is heard, whichever they name.",
        ((decide, "_untimely", _whenever_they_leave),),
        scene=scenes.tricks("held back"),
    ),
    Bug(
        "old-words-come-true",
        "A word that names no position counts, however long ago it was signed.",
        ((decide, "signed_long_before", always(None)),),
        scene=scenes.tricks("held back", plies=60, thinks_seconds=8.0),
    ),
    Bug(
        "strangers-resign",
        "A stranger who names a game resigns it for the player whose turn it is.",
        ((play, "resolve_state_tag", _for_the_side_to_move),),
        scene=scenes.tricks("flood", time="60+1", games=2),
    ),
    Bug(
        "lots-without-a-secret",
        "Ids and colours are drawn by what everybody can compute.",
        ((pairing, "_drawn", _by_lots_that_all_can_draw),),
        scene=scenes.tricks("ground"),
    ),
    Bug(
        "rematch-offered-for-ever",
        "An offer of a rematch never ends.",
        ((offers, "standing_offer", lambda _: lambda game, _now_ms: game.offer),),
        scene=scenes.tricks("late agreement", time="60+1", plies=4, seconds=600.0),
    ),
    Bug(
        "rematch-outlives-a-request",
        "Who asks for another game still offers the rematch.",
        ((lobby, "_rematch_withdrawn", lambda _: lambda settled, *_: settled),),
        scene=scenes.tricks("late agreement", natives=3, games=6, plies=4),
    ),
    Bug(
        "challenges-gone-for-good",
        "A stranger who takes one challenge and calls the game off takes all.",
        ((pairing, "restored", lambda _: lambda player, _last: player),),
        scene=scenes.tricks("front-run", challenges=True),
    ),
    Bug(
        "copies-cost-their-author",
        "Copies that somebody else brings to our relay count against their author.",
        ((events, "_within_share", _from_nowhere),),
        scene=scenes.tricks("copies", faults=("F39",), at_gateway=(0, 1, 2, 3)),
    ),
    Bug(
        "errors-told-to-both",
        "The opponent is told of every error.",
        ((dilger, "_error", _to_both),),
        scene=scenes.tricks("backdated"),
    ),
    Bug(
        "errors-without-end",
        "Every error is answered, however many there are.",
        ((play, "_is_flood", always(value=False)),),
        scene=scenes.tricks("backdated"),
    ),
    Bug(
        "walking-out-is-free",
        "Who calls off one game after the other is paired at once.",
        ((lobby, "must_wait", always(None)), (challenges, "must_wait", always(None))),
        scene=scenes.tricks("walk-out", natives=8, games=3, seconds=300.0),
    ),
    Bug(
        "paired-again-at-once",
        "The two of a game that was called off are paired again at once.",
        ((Seek, "may_meet", lambda _: lambda one, other, _: one.seat.player != other.seat.player),),
        scene=scenes.tricks("walk-out"),
    ),
    Bug(
        "answers-name-no-request",
        "Two requests of one second have one answer.",
        ((dilger, "_answer_to_request", _to_no_request),),
        scene=scenes.tricks("two in a second"),
    ),
    Bug(
        "signed-for-anybody",
        "What was signed for another arbiter, and names none, seats its author here.",
        ((events, "_why_authenticate", always(None)),),
        scene=scenes.tricks("signed elsewhere", sockets=2),
    ),
    Bug(
        "questions-without-bound",
        "As many questions are asked about a game as there are keys to ask them.",
        ((Ingester, "_rates_of", _of_everybody),),
        scene=scenes.tricks("flood"),
    ),
)
