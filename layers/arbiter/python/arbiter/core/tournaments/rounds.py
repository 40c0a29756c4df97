"""Rounds of a tournament from their start to their end, and the end of it all."""

from dataclasses import replace

from arbiter.core.tournaments import arena, knockout
from arbiter.core.tournaments.commands import GamesMade
from arbiter.core.tournaments.replies import GamesWanted, TournamentDecision, TournamentReply
from arbiter.core.tournaments.terms import rounds_of
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    EntryState,
    Format,
    Phase,
    Round,
    Tournament,
)

PAIR_BEFORE_MS = 10_000
"""Time before the games of a round begin in which players can see whom they meet."""


ANSWER_MS = 60_000
"""Time for the making of games, and for the engine's answer in an arena."""


IDLE_MS = 7 * 24 * 60 * 60_000
"""Time for the organiser's word, where each round waits for it."""


LOOK_MS, SLOW_LOOK_MS = 5 * 60_000, 6 * 60 * 60_000
"""Time between looks at games that take longer than their clocks allow; in games by days."""


def unchanged(tournament: Tournament | None, *replies: TournamentReply) -> TournamentDecision:
    return TournamentDecision(tournament, replies)


def changed(tournament: Tournament, *replies: TournamentReply) -> TournamentDecision:
    return TournamentDecision(tournament, replies)


def scheduled(tournament: Tournament, round_ms: int, now_ms: int) -> Tournament:
    """The tournament whose coming round begins then, or on the organiser's word alone."""
    if tournament.terms.interval_s is None:
        return replace(tournament, round_ms=None, next_ms=max(now_ms, round_ms) + IDLE_MS)
    before = 0 if tournament.terms.format is Format.ARENA else PAIR_BEFORE_MS
    return replace(tournament, round_ms=round_ms, next_ms=max(now_ms, round_ms - before))


def start(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """Have the games of a planned round made. Boards of players who are absent are forfeit."""
    each = _last(tournament)
    boards = tuple(
        replace(board, result=board.result or _by_absence(tournament, board))
        for board in each.boards
    )
    after = tournament.with_round(replace(each, boards=boards))
    after = replace(after, phase=Phase.STARTING, next_ms=now_ms + ANSWER_MS)
    if _last(after).is_done:
        return _round_over(after, now_ms)
    return changed(after, GamesWanted(each.number, 0))


def _all_made(each: Round) -> Round:
    return replace(each, started=len(each.boards))


def _by_absence(tournament: Tournament, board: Board) -> BoardResult | None:
    is_there = [
        tournament.entry(number).state is EntryState.IN for number in (board.white, board.black)
    ]
    return forfeit_of(white=not is_there[0], black=not is_there[1])


def forfeit_of(*, white: bool, black: bool) -> BoardResult | None:
    if white and black:
        return BoardResult.BOTH_FORFEIT
    if white:
        return BoardResult.BLACK_BY_FORFEIT
    return BoardResult.WHITE_BY_FORFEIT if black else None


def games_made(tournament: Tournament, made: GamesMade, now_ms: int) -> TournamentDecision:
    """Note how many boards have their games; have the others made."""
    each = round_at(tournament, made.round)
    if each is None or not tournament.is_under_way or not each.started < made.started:
        return unchanged(tournament)
    ids = (*made.game_ids, *[""] * len(each.boards))
    boards = tuple(
        replace(board, game_id=board.game_id or game_id)
        for board, game_id in zip(each.boards, ids, strict=False)
    )
    started = min(made.started, len(boards))
    after = tournament.with_round(replace(each, boards=boards, started=started))
    if started < len(boards):
        return changed(after, GamesWanted(made.round, started))
    if after.phase is not Phase.STARTING or made.round != after.round:
        return changed(after)
    return changed(replace(after, phase=Phase.PLAYING, next_ms=now_ms + longest_ms(after)))


def longest_ms(tournament: Tournament) -> int:
    """Time after which the games of a round are looked at: that of sixty moves each."""
    time = tournament.terms.time
    if not time.is_live:
        return SLOW_LOOK_MS
    return 1000 * tournament.terms.no_show_s + 2 * (time.start_ms + 60 * time.increment_ms)


def look_ms(tournament: Tournament) -> int:
    return LOOK_MS if tournament.terms.time.is_live else SLOW_LOOK_MS


def result_set(
    tournament: Tournament, number: int, now_ms: int, *replies: TournamentReply
) -> TournamentDecision:
    """Go on once a result of this round is set: the last one ends the round."""
    if tournament.terms.format is Format.ARENA:
        return changed(nudged(tournament, now_ms), *replies)
    is_begun = tournament.phase in (Phase.STARTING, Phase.PLAYING)
    if not is_begun or number != tournament.round or not _last(tournament).is_done:
        return changed(tournament, *replies)
    over = _round_over(tournament, now_ms)
    return TournamentDecision(over.tournament, (*replies, *over.replies))


def _round_over(tournament: Tournament, now_ms: int) -> TournamentDecision:
    tournament = tournament.with_round(_all_made(_last(tournament)))
    if is_last_round(tournament):
        return finish(tournament, now_ms)
    round_ms = now_ms + 1000 * (tournament.terms.interval_s or 0)
    return changed(scheduled(replace(tournament, phase=Phase.WAITING), round_ms, now_ms))


def is_last_round(tournament: Tournament) -> bool:
    if tournament.terms.format is Format.KNOCKOUT:
        return knockout.is_decided(tournament)
    rounds = rounds_of(tournament)
    return rounds is not None and tournament.round >= rounds


def finish(tournament: Tournament, now_ms: int) -> TournamentDecision:
    return _ended(tournament, Phase.FINISHED, now_ms)


def give_up(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """The end of what the organiser does not go on with."""
    return finish(tournament, now_ms) if tournament.rounds else cancel(tournament, now_ms)


def cancel(tournament: Tournament, now_ms: int) -> TournamentDecision:
    return _ended(tournament, Phase.CANCELLED, now_ms)


def _ended(tournament: Tournament, phase: Phase, now_ms: int) -> TournamentDecision:
    for each in tournament.rounds:
        if not each.is_done:
            boards = (replace(one, result=one.result or BoardResult.VOID) for one in each.boards)
            tournament = tournament.with_round(_all_made(replace(each, boards=tuple(boards))))
    over = replace(tournament, phase=phase, next_ms=None, round_ms=None, ended_ms=now_ms)
    return changed(replace(over, round=len(over.rounds), trouble="", tries=0))


def nudged(tournament: Tournament, now_ms: int) -> Tournament:
    """An arena whose next moment comes soon, or its end, once no game is open."""
    is_arena = tournament.terms.format is Format.ARENA and tournament.phase is Phase.PLAYING
    if not is_arena or tournament.awaits_pairings:
        return tournament
    soon_ms = now_ms + arena.tick_ms(tournament)
    return replace(tournament, next_ms=min(soon_ms, tournament.next_ms or soon_ms))


def _last(tournament: Tournament) -> Round:
    return tournament.rounds[-1]


def round_at(tournament: Tournament, number: int) -> Round | None:
    return tournament.rounds[number - 1] if 1 <= number <= len(tournament.rounds) else None


def board_at(tournament: Tournament, number: int, place: int) -> tuple[Round | None, Board | None]:
    each = round_at(tournament, number)
    has_it = each is not None and 1 <= place <= len(each.boards)
    return each, each.boards[place - 1] if each and has_it else None
