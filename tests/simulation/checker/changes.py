"""Each change of a game: nothing stored is lost, and its author signed it and may make it by the
rules. A game's writes are followed on another board.
"""

from collections.abc import Iterator

import chess

from tests.simulation.checker.items import Stored, read_game
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.policy import may_be_ended
from tests.simulation.checker.positions import (
    board_of,
    is_renewed,
    is_walled,
    push,
    same_move,
)
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import (
    MOVE,
)

MAX_TAKEN_BACK = 2


def nothing_is_lost(parsed: ParsedHistory) -> Iterator[Violation]:
    for game_id, versions in parsed.games.items():
        for number, one in enumerate(versions):
            if sentence := _broken(one, is_first=number == 0):
                yield Violation(Invariant.NOTHING_LOST, (game_id,), sentence)
        yield from _final(parsed, versions[-1].after)
    for at, wrote in parsed.writes:
        for key, _, after in wrote.items:
            if key.startswith("g#") and after is None:
                sentence = f"the game was removed from the table (write {at})"
                yield Violation(Invariant.NOTHING_LOST, (key.removeprefix("g#"),), sentence)


def _final(parsed: ParsedHistory, last: Stored) -> Iterator[Violation]:
    item = parsed.history.table.get(f"g#{last.id}")
    if item is None:
        yield Violation(
            Invariant.NOTHING_LOST, (last.id,), "the game is not in the table at the end"
        )
    elif read_game(item) != last:
        sentence = f"the table ends with another game than version {last.version}, the last written"
        yield Violation(Invariant.NOTHING_LOST, (last.id,), sentence)


def _broken(one: Version, *, is_first: bool) -> str | None:
    before, after = one.before, one.after
    if before is None:
        return None if is_first else f"version {after.version} was written over nothing"
    if after.version != before.version + 1:
        return f"version {after.version} was written over version {before.version}"
    if after.applied[: len(before.applied)] != before.applied:
        return f"version {after.version} forgets events that were applied"
    if not _moves_stand(before, after):
        return f"version {after.version} loses moves: {before.moves} became {after.moves}"
    if before.is_over and _ending(before) != _ending(after):
        return f"version {after.version} changes a game that was over"
    has_news = _visible(before) != _visible(after) or is_renewed(before, after)
    if (
        has_news != (after.state_version > before.state_version)
        or after.state_version < before.state_version
    ):
        return f"its state version is {after.state_version} after {before.state_version}"
    if after.changed_ms < before.changed_ms:
        return f"version {after.version} is dated before the one that it follows"
    return None


def _moves_stand(before: Stored, after: Stored) -> bool:
    played, now = len(before.moves), len(after.moves)
    if now in {played, played + 1}:
        return after.moves[:played] == before.moves
    agreed = before.offer is not None and before.offer[0] == "takeback"
    fewer = played - now
    return agreed and 0 < fewer <= MAX_TAKEN_BACK and before.moves[:now] == after.moves


def _ending(game: Stored) -> tuple[object, ...]:
    return game.moves, game.termination, game.winner


def _visible(game: Stored) -> tuple[object, ...]:
    return game.moves, game.termination, game.offer, game.next_game


_ENDS_ON_THE_BOARD = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "insufficient-material",
    chess.Termination.FIVEFOLD_REPETITION: "fivefold-repetition",
    chess.Termination.SEVENTYFIVE_MOVES: "seventyfive-moves",
}
_BY_CLOCK = {"timeout", "aborted", "no-show"}

REMEMBERED_REFUSALS = 7
"""Of each player in a game, docs/decisions/0002."""

LEAST_AWAY_MS = 60_000
"""PROTOCOL.md, Who is away."""

NEVER = 1 << 62


def changes_are_lawful(parsed: ParsedHistory) -> Iterator[Violation]:
    for versions in parsed.games.values():
        board: chess.Board | None = None
        for one in versions:
            try:
                if board is None or one.before is None:
                    board = board_of(one.before or one.after)
                yield from _judged(parsed, one, board)
                board = _followed(one, board)
                yield from _true_end(one, board)
            except ValueError as illegal:
                yield Violation(Invariant.RULES, (one.after.id,), str(illegal))
                break


def _followed(one: Version, board: chess.Board) -> chess.Board:
    before, after = one.before, one.after
    if before is None or after.moves == before.moves:
        return board
    if after.moves[:-1] == before.moves:
        push(board, after.moves[-1])
        return board
    return board_of(after)


def _judged(parsed: ParsedHistory, one: Version, board: chess.Board) -> Iterator[Violation]:
    before, after = one.before, one.after
    if before is None:
        return
    event_keys = one.new_event_keys
    if len(event_keys) > 1:
        yield _violation(one, f"one write applied {len(event_keys)} events")
    for event_key in event_keys[-1:]:
        if sentence := _unlawful_event(parsed, one, event_key, board):
            yield _violation(one, sentence, event_key)
    is_ended = after.termination == "left" and not before.is_over and may_be_ended(parsed, one)
    if not event_keys and not is_ended and (sentence := _unasked(before, after)):
        yield _violation(one, sentence)
    for color in ("w", "b"):
        for event_key in one.newly_refused(color):
            found = parsed.by_event_key.get(event_key)
            if found is None or found[1].pubkey != after.side(color).player:
                yield _violation(one, f"{color} was refused what they never signed", event_key)


def _unlawful_event(
    parsed: ParsedHistory, one: Version, event_key: str, board: chess.Board
) -> str | None:
    """Why this event may not have changed the game."""
    found = parsed.by_event_key.get(event_key)
    if found is None:
        return "the event behind it was never signed by any player"
    at, event = found
    before, after, word = one.before, one.after, event.content.lower()
    color = before.color_of(event.pubkey) if before else None
    if at > one.at:
        return "the event behind it was signed later"
    if before is None or color is None:
        return "its author has no seat here"
    if event.kind == MOVE and {value[:1] for value in event.all("d")} != {(after.id,)}:
        return "it was signed for another game"
    is_move = len(after.moves) == len(before.moves) + 1
    if is_move and (color != before.turn or before.is_over):
        return f"it moved for {before.turn}, and its author is {color}"
    if after.termination == "left" and not before.is_over:
        if word != "claim-left" or before.turn in {color, after.winner}:
            return f"it says {word} for {color}, and {after.winner} won because a player left"
        left_ms = before.side(before.turn).left_ms
        if not left_ms or after.changed_ms - left_ms < LEAST_AWAY_MS:
            return f"{before.turn} was away since {left_ms}, and lost at {after.changed_ms}"
    if is_move and not same_move(board, word, after.moves[-1]):
        return f"it says {word}, and {after.moves[-1]} was played"
    return None


def _unasked(before: Stored, after: Stored) -> str | None:
    """What a write may not do that no event is behind: all but an end by the clock."""
    if after.moves != before.moves:
        return "the moves changed unasked"
    # The clock ends an offer with the game, and no offer later.
    is_ended_with_it = after.is_over and not before.is_over and after.offer is None
    is_changed = after.offer != before.offer and not is_ended_with_it
    if is_changed or after.next_game != before.next_game:
        return "an offer or a rematch changed unasked"
    if after.is_over and not before.is_over and after.termination not in _BY_CLOCK:
        return f"it ended by {after.termination} unasked"
    strikes = [(side.white.strikes, side.black.strikes) for side in (before, after)]
    return "a strike was counted for nothing" if strikes[0] != strikes[1] else None


def _violation(one: Version, sentence: str, *event_keys: str) -> Violation:
    text = f"version {one.after.version}: {sentence}"
    return Violation(Invariant.OWN_HAND, (one.after.id, *event_keys), text)


def _true_end(one: Version, board: chess.Board) -> Iterator[Violation]:
    after = one.after
    outcome = board.outcome()
    if outcome is None:
        if after.termination == "insufficient-material" and is_walled(board):
            return
        if after.termination in _ENDS_ON_THE_BOARD.values():
            sentence = f"the position is no {after.termination}: {board.fen()}"
            yield Violation(Invariant.RULES, (after.id,), sentence)
        return
    winner = {True: "w", False: "b", None: None}[outcome.winner]
    due = (_ENDS_ON_THE_BOARD[outcome.termination], winner)
    if (after.termination, after.winner) != due:
        sentence = f"the position is {due}, and the game says {after.termination}"
        yield Violation(Invariant.RULES, (after.id,), sentence)


def events_are_applied_once(parsed: ParsedHistory) -> Iterator[Violation]:
    effects: dict[str, Version] = {}
    for one in sorted(parsed.changes, key=lambda version: version.at):
        for event_key in one.new_event_keys:
            if (former := effects.get(event_key)) and (former.after.id, former.at) != (
                one.after.id,
                one.at,
            ):
                sentence = (
                    f"applied as version {former.after.version} of {former.after.id}, and again "
                    f"as version {one.after.version}"
                )
                yield Violation(Invariant.ONCE, (one.after.id, event_key), sentence)
            effects.setdefault(event_key, one)


def refused_stays_refused(parsed: ParsedHistory) -> Iterator[Violation]:
    """What was refused, in the table or in words, makes no move later, nor anything else; but of
    one player's a game remembers so many and no more.
    """
    refused = {id_[:16]: at for id_, at in parsed.refused_at.items()}
    forgotten: dict[str, int] = {}
    for versions in parsed.games.values():
        for color in ("w", "b"):
            noted = [
                (one.at, event_key) for one in versions for event_key in one.newly_refused(color)
            ]
            for number, (at, event_key) in enumerate(noted):
                refused[event_key] = min(refused.get(event_key, at), at)
                pushed_out = noted[number + REMEMBERED_REFUSALS :][:1]
                forgotten[event_key] = pushed_out[0][0] if pushed_out else NEVER
    for one in parsed.changes:
        for event_key in one.new_event_keys:
            if event_key in refused and refused[event_key] < one.at < forgotten.get(
                event_key, NEVER
            ):
                sentence = f"it was refused, and then made version {one.after.version}"
                yield Violation(Invariant.REFUSED_FOR_GOOD, (one.after.id, event_key), sentence)
