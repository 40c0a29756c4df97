"""Nobody is refused what was his right.

Only refusals that the arbiter spoke are looked at, and only of moves that can be judged from
outside: legal, in turn, for this game, and naming the very state that stood before and after the
refusal was spoken. Such a move is refused for a date in the far future, and for nothing else; or
because it names a state in words of so long ago that the arbiter does not know them again.
"""

from collections.abc import Iterator

from tests.simulation.checker.evidence import Evidence, Refusal, Shown, Version
from tests.simulation.checker.judging import position_of, same_move
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.checker.wire import MOVE, Event

ALLOWED = frozenset({"bad-time", "game-over"})
"""Dated far ahead; or received when the flag had fallen, which the clocks' law looks at."""

KNOWN_AGAIN_SECONDS = 3600
"""For an hour a state is known again by whatever date it was told with; later the date of the move
decides.
"""


def no_good_move_is_refused(evidence: Evidence) -> Iterator[Violation]:
    """A good move is not refused, and an honest player is not struck for one."""
    for id_, refusals in evidence.refusals.items():
        found = evidence.signed.get(id_)
        if found is None or found[1].kind != MOVE:
            continue
        event = found[1]
        named = evidence.shown.get(event.value("e") or "")
        for refusal in refusals:
            if named and refusal.reason not in ALLOWED:
                yield from _judged(evidence, event, refusal, named)


def _judged(
    evidence: Evidence, event: Event, refusal: Refusal, named: Shown
) -> Iterator[Violation]:
    game_id, edition, created_at = named
    refused_at = evidence.history.happenings[refusal.at].at_ms // 1000
    if refusal.reason == "stale" and refused_at - created_at > KNOWN_AGAIN_SECONDS:
        return
    versions = evidence.games.get(game_id, ())
    stood = [one for one in versions if one.at < refusal.at]
    if not stood or {value[:1] for value in event.all("d")} != {(game_id,)}:
        return
    game = stood[-1].after
    if str(game.edition) != edition or game.is_over or _made_meanwhile(event, stood):
        return
    if game.color_of(event.pubkey) != game.turn:
        return
    board = position_of(game)
    if board and same_move(board, event.content.lower(), event.content.lower()):
        sentence = f"{event.content} is legal in version {edition}, and was refused as "
        yield Violation(Law.FAIR, (game_id, event.id), sentence + refusal.reason)


def _made_meanwhile(event: Event, stood: list[Version]) -> bool:
    """Whether this event was answered in an earlier position, to which it is refused for ever."""
    first = next((one for one in stood if _answered(event, one)), None)
    return first is not None and first.after.moves != stood[-1].after.moves


def _answered(event: Event, one: Version) -> bool:
    cause = event.id[:16]
    return cause in (*one.after.applied, *one.after.white.answered, *one.after.black.answered)
