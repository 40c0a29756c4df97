"""Bugs of the way out: what is said, to whom, when, and whether anybody heard it."""

from dataclasses import replace
from typing import Any

from arbiter.adapters.relays import publisher
from arbiter.adapters.relays.publisher import PublishReport
from arbiter.application import process_batch, publish, render_replies
from arbiter.core.game import Game
from arbiter.core.ratings import RatedGame
from arbiter.core.replies import MovePlayed, Rejected
from arbiter.dialects import arbiter_events, dilger
from arbiter.dialects.registry import DIALECTS
from functions.process_events import app
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, Change, always


def _encoded(change: Any) -> Change:
    """The native dialect says something else."""
    native = DIALECTS[dilger.NAME]

    def make(real: Any) -> Any:
        del real
        return {**DIALECTS, dilger.NAME: replace(native, encode=change(native.encode))}

    return (render_replies, "DIALECTS", make)


def _says_no_refusal(real: Any) -> Any:
    return lambda reply, telling: () if isinstance(reply, Rejected) else real(reply, telling)


def _says_the_one_before(real: Any) -> Any:
    def encode(reply: Any, telling: Any) -> Any:
        if isinstance(reply, MovePlayed) and reply.game.ply > 2:
            before: Game = replace(reply.game, moves=reply.game.moves[:-1], cached_board=None)
            return real(MovePlayed(before), telling)
        return real(reply, telling)

    return encode


def _one_relay(real: Any) -> Any:
    def made(of: Any, relays: Any, **named: Any) -> None:
        real(of, relays[:1], **named)

    return made


def _in_batches(real: Any) -> Any:
    """One failure brings the whole batch back."""

    def processed(deps: Any, records: Any, log: Any) -> Any:
        failed = real(deps, records, log)
        return tuple(record.id for record in records) if failed else ()

    return processed


def _swallowed(real: Any) -> Any:
    def processed(deps: Any, records: Any, log: Any) -> Any:
        real(deps, records, log)
        return ()

    return processed


def _onwards(real: Any) -> Any:
    """A failed record takes nobody with it, not even those behind it."""

    def processed(deps: Any, records: Any, log: Any) -> Any:
        return tuple(id_ for record in records for id_ in real(deps, [record], log))

    return processed


def _without_its_last_move(real: Any) -> Any:
    return lambda game, *rest: real(replace(game, moves=game.moves[:-1], memo=None), *rest)


def _as_it_was(real: Any) -> Any:
    """What a game did to the ratings is told as if it had moved neither."""

    def encode(rated: RatedGame, at: int) -> Any:
        sides = (rated.white, rated.black)
        white, black = ((was, replace(now, rating=was.rating)) for was, now in sides)
        return real(replace(rated, white=white, black=black), at)

    return encode


def _noted_however(real: Any) -> Any:
    del real
    return lambda game: game.outcome is not None


def _given_up(real: Any) -> Any:
    del real
    return lambda _desk, one: one


BUGS = (
    Bug(
        "date-of-the-hour",
        "A change that is told again has another date, and so another id, every second.",
        ((render_replies, "date_change", lambda _: lambda *times_ms: max(times_ms) // 1000),),
    ),
    Bug(
        "refusals-unsaid",
        "A refused player hears nothing.",
        (_encoded(_says_no_refusal),),
        scene=scenes.REFUSALS,
    ),
    Bug(
        "state-before-the-move",
        "After a move the position before it is told.",
        (_encoded(_says_the_one_before),),
    ),
    Bug(
        "one-relay-is-all",
        "The arbiter speaks over the first relay alone.",
        ((publisher.Publisher, "__init__", _one_relay),),
        needs=frozenset({"one relay"}),
    ),
    Bug(
        "taken-by-nobody",
        "What no relay took is taken for said.",
        ((PublishReport, "taken", always(value=True)),),
        needs=frozenset({"F08", "F06"}),
    ),
    Bug(
        "not-said-again",
        "What no relay took is not put into the republish queue.",
        ((process_batch, "_later", _given_up),),
        scene=scenes.DEAF_RELAYS,
    ),
    Bug(
        "no-note",
        "A finished game is not published.",
        ((render_replies, "is_noted", always(value=False)),),
    ),
    Bug(
        "no-ratings-told",
        "Nobody is told the ratings.",
        ((render_replies, "_ratings", always(())),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "failure-swallowed",
        "A record that failed is taken from the queue.",
        ((app, "process_batch", _swallowed),),
        needs=frozenset({"F26"}),
    ),
    Bug(
        "whole-batch-again",
        "One record that failed brings all of its batch back.",
        ((app, "process_batch", _in_batches),),
        scene=scenes.FAILING,
    ),
    Bug(
        "failure-overtaken",
        "A record is answered though one before it, of the same game, has failed.",
        ((app, "process_batch", _onwards),),
        needs=frozenset({"F26"}),
    ),
    Bug(
        "note-of-a-game-called-off",
        "A game that was called off is published, too.",
        ((render_replies, "is_noted", _noted_however),),
        needs=frozenset({"careless", "live", "silence"}),
    ),
    Bug(
        "note-lacks-a-move",
        "The note of a game has all moves but the last.",
        ((arbiter_events, "note_event", _without_its_last_move),),
    ),
    Bug(
        "old-rating-told",
        "The ratings are told as they stood before the game.",
        ((arbiter_events, "note_event", _as_it_was),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "sockets-not-told",
        "On sockets nobody hears a worker's answer.",
        ((publish, "send_frames", always(None)),),
        needs=frozenset({"sockets"}),
    ),
)
