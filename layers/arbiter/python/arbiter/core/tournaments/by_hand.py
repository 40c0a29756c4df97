"""Pairings by the organiser's hand: boards of a round, exchanges, and pairs kept apart."""

from dataclasses import replace
from typing import assert_never

from arbiter.core.replies import Reason
from arbiter.core.tournaments import planning
from arbiter.core.tournaments.commands import Forbid, Pairings, SetBoards, Swap
from arbiter.core.tournaments.replies import Verdict
from arbiter.core.tournaments.rounds import board_at, changed, unchanged
from arbiter.core.tournaments.tournament import Board, Bye, ByeKind, Format, Phase, Tournament
from arbiter.core.tournaments.validate import flaw_of_places

MAX_FORBIDDEN = 100

BY_HAND = "hand"
"""The engine of a round that the organiser paired."""


def pair_by_hand(
    tournament: Tournament, command: SetBoards | Swap | Forbid, now_ms: int
) -> Verdict:
    match command:
        case SetBoards():
            return _set_boards(tournament, command, now_ms)
        case Swap():
            return _swap(tournament, command)
        case Forbid():
            return _forbid(tournament, command)
        case _:
            assert_never(command)


def _set_boards(tournament: Tournament, command: SetBoards, now_ms: int) -> Verdict:
    """Pair by hand what has not started; the rules of pairing are the organiser's matter."""
    is_open = tournament.phase in (Phase.PAIRING, Phase.PLANNED)
    if not is_open or command.round != tournament.round or _has_table(tournament):
        return Reason.WRONG_PHASE, "pair first: only a round that has not started"
    numbers = []
    for player in (player for pair in command.boards for player in pair):
        entry = tournament.entry_of(player)
        if entry is None:
            return Reason.NOT_ENTERED, f"{player[:8]} has not joined"
        numbers.append(entry.number)
    boards = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    rest = [number for number in tournament.field if number not in numbers]
    kind = ByeKind.PAIRING if len(rest) == 1 else ByeKind.ZERO
    byes = tuple(Bye(number, kind) for number in rest)
    answer = Pairings(command.round, boards, byes, BY_HAND, "")
    if flaw := flaw_of_places(tournament, answer):
        return Reason.BAD_TERMS, flaw
    return planning.planned(tournament, answer, now_ms)


def _swap(tournament: Tournament, command: Swap) -> Verdict:
    each, one = board_at(tournament, command.round, command.one)
    _, other = board_at(tournament, command.round, command.other)
    is_open = tournament.phase is Phase.PLANNED and command.round == tournament.round
    if not is_open or _has_table(tournament):
        return Reason.WRONG_PHASE, "only boards that are planned and have not started"
    if each is None or one is None or other is None or one is other:
        return Reason.BAD_TERMS, "no such boards"
    swapped = each.with_board(command.one - 1, Board(white=one.white, black=other.black))
    swapped = swapped.with_board(command.other - 1, Board(white=other.white, black=one.black))
    return changed(tournament.with_round(replace(swapped, engine=BY_HAND, digest="")))


def _has_table(tournament: Tournament) -> bool:
    return tournament.terms.format is not Format.SWISS


def _forbid(tournament: Tournament, command: Forbid) -> Verdict:
    one, other = tournament.entry_of(command.one), tournament.entry_of(command.other)
    if one is None or other is None or one is other:
        return Reason.NOT_ENTERED, "both must have joined"
    if _has_table(tournament) and tournament.terms.format is not Format.ARENA:
        return Reason.WRONG_PHASE, "here everybody may meet"
    pair = min(one.number, other.number), max(one.number, other.number)
    if (pair in tournament.forbidden) is not command.is_undone:
        return unchanged(tournament)
    if command.is_undone:
        kept = tuple(each for each in tournament.forbidden if each != pair)
        return changed(replace(tournament, forbidden=kept))
    if len(tournament.forbidden) >= MAX_FORBIDDEN:
        return Reason.FULL, f"no more than {MAX_FORBIDDEN} pairs"
    return changed(replace(tournament, forbidden=(*tournament.forbidden, pair)))
