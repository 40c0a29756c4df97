"""What was stored stays: the table alone, one write after the other."""

from collections.abc import Iterator

from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import KEYLESS, Stored, read_game
from tests.simulation.checker.judging import is_renewed
from tests.simulation.checker.logs import DIALECT
from tests.simulation.checker.verdict import Law, Violation

MOST_TAKEN_BACK = 2


def nothing_is_lost(evidence: Evidence) -> Iterator[Violation]:
    """Versions rise by one from what stood there, plies are dense, and the end stands."""
    for game_id, versions in evidence.games.items():
        for number, one in enumerate(versions):
            if sentence := _broken(one, is_first=number == 0):
                yield Violation(Law.NOTHING_LOST, (game_id,), sentence)
        yield from _final(evidence, versions[-1].after)
    for at, wrote in evidence.writes:
        for key, _, after in wrote.items:
            if key.startswith("g#") and after is None:
                sentence = f"the game was removed from the table (write {at})"
                yield Violation(Law.NOTHING_LOST, (key.removeprefix("g#"),), sentence)


def _final(evidence: Evidence, last: Stored) -> Iterator[Violation]:
    item = evidence.history.table.get(f"g#{last.id}")
    if item is None:
        yield Violation(Law.NOTHING_LOST, (last.id,), "the game is not in the table at the end")
    elif read_game(item) != last:
        sentence = f"the table ends with another game than version {last.version}, the last written"
        yield Violation(Law.NOTHING_LOST, (last.id,), sentence)


def _broken(one: Version, *, is_first: bool) -> str | None:
    """What is wrong with this write, if anything."""
    before, after = one.before, one.after
    if before is None:
        return None if is_first else f"version {after.version} was written over nothing"
    if after.version != before.version + 1:
        return f"version {after.version} was written over version {before.version}"
    # A game at one browser keeps the last few alone.
    is_keyless = KEYLESS in {after.white.dialect, after.black.dialect}
    if after.applied[: len(before.applied)] != before.applied and not is_keyless:
        return f"version {after.version} forgets events that were applied"
    if not _moves_stand(before, after):
        return f"version {after.version} loses moves: {before.moves} became {after.moves}"
    if before.is_over and _ending(before) != _ending(after):
        return f"version {after.version} changes a game that was over"
    has_news = _visible(before) != _visible(after) or is_renewed(before, after)
    if has_news != (after.edition > before.edition) or after.edition < before.edition:
        return f"version {after.version} has edition {after.edition} after {before.edition}"
    if after.changed_ms < before.changed_ms:
        return f"version {after.version} is dated before the one that it follows"
    return None


def _moves_stand(before: Stored, after: Stored) -> bool:
    played, now = len(before.moves), len(after.moves)
    # On Scuttlebutt a move may bring those that were there before it.
    is_bridged = DIALECT in {after.white.dialect, after.black.dialect}
    if now in {played, played + 1} or (is_bridged and now > played):
        return after.moves[:played] == before.moves
    agreed = before.offer is not None and before.offer[0] == "takeback"
    fewer = played - now
    return agreed and 0 < fewer <= MOST_TAKEN_BACK and before.moves[:now] == after.moves


def _ending(game: Stored) -> tuple[object, ...]:
    return game.moves, game.termination, game.winner


def _visible(game: Stored) -> tuple[object, ...]:
    return game.moves, game.termination, game.offer, game.next_game
