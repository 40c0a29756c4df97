"""The way of a tournament through its rounds: asked of the engine, planned, started, played.

Invariant: a plan is committed before any of its games is made, and never half of one. Each step is
conditional on the phase, so that a timer, an answer or a result that comes late or again changes
nothing.
"""

from dataclasses import replace

from arbiter.core.game import WHITE, Game, Outcome, Termination
from arbiter.core.tournaments import arena, knockout
from arbiter.core.tournaments.commands import GameOver, GamesMade, NoPairings, Pairings
from arbiter.core.tournaments.replies import (
    GamesWanted,
    PairingWanted,
    ResultsWanted,
    Told,
    TournamentDecision,
    TournamentReply,
)
from arbiter.core.tournaments.terms import rounds_of
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Bye,
    ByeKind,
    Entry,
    EntryState,
    Format,
    Phase,
    Round,
    Tournament,
)
from arbiter.core.tournaments.validate import flaw_of_pairings

PAIR_BEFORE_MS = 10_000
"""Time before the games of a round begin in which players can see whom they meet."""

PAIRED_MS = 6 * 60_000
"""Time for the engine's answer, longer than it may take: its process may have died."""

ANSWER_MS = 60_000
"""Time for the making of games, and for the engine's answer in an arena."""

MIN_PLAYERS = 2
MAX_TRIES = 3
SETTLE_MS = 10 * 60_000
"""Time for the organiser to settle what keeps a round from being paired; then it is finished."""

TOO_FEW_MS = 60_000
"""Time after which the start is tried again with fewer than two players, for an hour."""

IDLE_MS = 7 * 24 * 60 * 60_000
"""Time for the organiser's word, where each round waits for it."""

GIVE_UP_MS = 60 * 60_000

LOOK_MS = 5 * 60_000
"""Time between looks at games that take longer than their clocks allow."""


_AWAY = (Termination.TIMEOUT, Termination.LEFT)


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


def due(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """Do what is due at ``next_ms``; never early."""
    if tournament.next_ms is None or now_ms < tournament.next_ms or not tournament.is_under_way:
        return unchanged(tournament)
    match tournament.phase:
        case Phase.OPEN | Phase.WAITING | Phase.PLANNED if tournament.round_ms is None:
            return give_up(tournament, now_ms)
        case Phase.OPEN | Phase.WAITING:
            return ask(tournament, now_ms)
        case Phase.PAIRING if tournament.trouble:
            return give_up(tournament, now_ms)
        case Phase.PAIRING:
            return _failed(tournament, "the engine gave no answer", now_ms)
        case Phase.PLANNED:
            return start(tournament, now_ms)
        case Phase.STARTING:
            waits = replace(tournament, next_ms=now_ms + ANSWER_MS)
            return changed(waits, GamesWanted(tournament.round, _last(tournament).started))
        case _ if tournament.terms.format is Format.ARENA:
            return _tick(tournament, now_ms)
        case _:
            waits = replace(tournament, next_ms=now_ms + LOOK_MS)
            return changed(waits, ResultsWanted(tournament.round))


# ------------------------------------------------------------------------------------ pairing
def ask(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """Have the coming round paired, if there are two players for it."""
    number, field = len(tournament.rounds) + 1, coming_field(tournament)
    if len(field) < MIN_PLAYERS:
        return _too_few(tournament, now_ms)
    if tournament.terms.format is Format.ARENA:
        return _tick(replace(tournament, phase=Phase.PLAYING, round_ms=now_ms, trouble=""), now_ms)
    asked = replace(
        tournament,
        phase=Phase.PAIRING,
        round=number,
        field=field,
        tries=0,
        trouble="",
        next_ms=now_ms + PAIRED_MS,
    )
    return changed(asked, PairingWanted(number))


def coming_field(tournament: Tournament) -> tuple[int, ...]:
    """The numbers that are to be paired in the round that follows the last planned one."""
    number = len(tournament.rounds) + 1
    if tournament.rounds and tournament.terms.format is not Format.SWISS:
        return tournament.field
    return tuple(
        entry.number
        for entry in tournament.entries
        if entry.state is EntryState.IN and entry.from_round <= number and number not in entry.byes
    )


def _too_few(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """Wait for players, for an hour before the first round, and ten minutes before another."""
    text = "fewer than two players are there"
    if tournament.rounds:
        return _troubled(replace(tournament, round=len(tournament.rounds) + 1), text, now_ms)
    if now_ms >= tournament.terms.starts_ms + GIVE_UP_MS:
        return cancel(tournament, now_ms)
    return changed(replace(tournament, trouble=text, next_ms=now_ms + TOO_FEW_MS))


def no_pairings(tournament: Tournament, answer: NoPairings, now_ms: int) -> TournamentDecision:
    """Ask again where the engine failed, up to three times; then the organiser settles it."""
    if answer.round != tournament.round or not tournament.awaits_pairings or tournament.trouble:
        return unchanged(tournament)
    if answer.is_impossible and tournament.phase is Phase.PAIRING:
        return _troubled(tournament, "no legal pairing is left", now_ms)
    return _failed(tournament, answer.text, now_ms)


def _failed(tournament: Tournament, text: str, now_ms: int) -> TournamentDecision:
    tries = tournament.tries + 1
    if tournament.terms.format is Format.ARENA:
        # The next moment is near; the field is another then.
        late_ms = arena.TICK_MS << min(tries, MAX_TRIES)
        back = replace(tournament, tries=tries, round=len(tournament.rounds))
        return changed(replace(back, next_ms=now_ms + late_ms))
    if tries >= MAX_TRIES:
        return _troubled(replace(tournament, tries=tries), f"pairing failed: {text[:200]}", now_ms)
    again = replace(tournament, tries=tries, next_ms=now_ms + PAIRED_MS)
    return changed(again, PairingWanted(tournament.round))


def _troubled(tournament: Tournament, text: str, now_ms: int) -> TournamentDecision:
    """The organiser pairs by hand, changes what is in the way and has it paired again, or
    finishes; so does the arbiter after ten minutes.
    """
    waits = replace(tournament, phase=Phase.PAIRING, trouble=text, next_ms=now_ms + SETTLE_MS)
    to = (tournament.organiser, *tournament.deputies)
    return changed(waits, *(Told(player, f"trouble:{text}") for player in to))


def plan(tournament: Tournament, answer: Pairings, now_ms: int) -> TournamentDecision:
    """Plan the round by the engine's answer, if it is legal and the first one."""
    if answer.round != tournament.round or not tournament.awaits_pairings or tournament.trouble:
        return unchanged(tournament)
    is_arena = tournament.terms.format is Format.ARENA
    if is_arena and (not answer.boards or now_ms >= arena.closes_ms(tournament)):
        waits = replace(tournament, round=len(tournament.rounds), tries=0)
        return changed(replace(waits, next_ms=now_ms + arena.TICK_MS))
    if flaw := flaw_of_pairings(tournament, answer):
        return _failed(tournament, flaw, now_ms)
    return planned(tournament, answer, now_ms)


def planned(tournament: Tournament, answer: Pairings, now_ms: int) -> TournamentDecision:
    """The round as these pairings have it. Its games begin at once in an arena, and where their
    time has come.
    """
    number = answer.round
    boards = tuple(Board(white=white, black=black) for white, black in answer.boards)
    asked = (entry for entry in tournament.entries if _has_bye(entry, number))
    byes = (*answer.byes, *(Bye(entry.number, ByeKind.HALF) for entry in asked))
    each = Round(
        number=number,
        boards=boards,
        byes=byes,
        engine=answer.engine,
        digest=answer.digest,
        began_ms=now_ms,
    )
    told = [Told(tournament.entry(bye.number).seat.player, f"bye:{number}") for bye in byes]
    after = replace(tournament.with_round(each), tries=0, trouble="")
    if after.terms.format is Format.ARENA:
        return changed(replace(after, next_ms=now_ms + arena.TICK_MS), GamesWanted(number, 0))
    next_ms = now_ms + IDLE_MS if after.round_ms is None else after.round_ms
    after = replace(after, phase=Phase.PLANNED, next_ms=next_ms)
    if now_ms < next_ms:
        return changed(after, *told)
    begun = start(after, now_ms)
    return TournamentDecision(begun.tournament, (*told, *begun.replies))


def _has_bye(entry: Entry, number: int) -> bool:
    return entry.state is EntryState.IN and number in entry.byes and entry.from_round <= number


# ------------------------------------------------------------------------------------- playing
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
    """The round without games that are still to be made."""
    return replace(each, started=len(each.boards))


def _by_absence(tournament: Tournament, board: Board) -> BoardResult | None:
    is_there = [
        tournament.entry(number).state is EntryState.IN for number in (board.white, board.black)
    ]
    return forfeit_of(white=not is_there[0], black=not is_there[1])


def forfeit_of(*, white: bool, black: bool) -> BoardResult | None:
    """The result where these sides forfeit."""
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
    """Time after which the game of a round is looked at: that of sixty moves each."""
    time = tournament.terms.time
    if not time.is_live:
        return max(time.move_ms, LOOK_MS)
    return 1000 * tournament.terms.no_show_s + 2 * (time.start_ms + 60 * time.increment_ms)


def game_over(tournament: Tournament, over: GameOver, now_ms: int) -> TournamentDecision:
    """Set the result of a board that has none. A player who did not come is paused."""
    each, board = board_at(tournament, over.round, over.board)
    is_its_game = board is not None and board.game_id in ("", over.game.id)
    result = _result_of(tournament, each, board, over.game) if each and board else None
    if each is None or board is None or board.result or not (is_its_game and result):
        return unchanged(tournament)
    if not tournament.is_under_way:
        return unchanged(tournament)
    ended = replace(board, game_id=over.game.id, result=result, plies=over.game.ply)
    after = tournament.with_round(each.with_board(over.board - 1, ended))
    for number in (board.white, board.black):
        after = after.with_entry(_after_game(after.entry(number), ended, over.game))
    return result_set(after, over.round, now_ms)


def _after_game(entry: Entry, board: Board, game: Game) -> Entry:
    """The entry after its game: paused if it did not come, and not seen if it was away."""
    is_lost = board.points_of(entry.number) == 0
    if is_lost and board.result and board.result.is_forfeit:
        is_in = entry.state is EntryState.IN
        return replace(entry, state=EntryState.PAUSED) if is_in else entry
    if is_lost and game.outcome and game.outcome.termination in _AWAY:
        return entry
    return replace(entry, seen_ms=max(entry.seen_ms, game.end_ms))


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


def _result_of(tournament: Tournament, each: Round, board: Board, game: Game) -> BoardResult | None:
    outcome = game.outcome
    if outcome is None:
        return None
    if outcome.termination is Termination.ABORTED:
        return BoardResult.VOID
    if outcome.termination is Termination.NO_SHOW:
        return _no_show(tournament, each, board, game, outcome)
    return BoardResult(outcome.result)


def _no_show(
    tournament: Tournament, each: Round, board: Board, game: Game, outcome: Outcome
) -> BoardResult | None:
    """A forfeit: of both, where the one who waited gave no sign since the pairing either."""
    is_white = outcome.winner == WHITE
    waited = tournament.entry(board.white if is_white else board.black)
    seat = game.white if is_white else game.black
    gave_a_sign = waited.seen_ms >= each.began_ms or seat.left_ms == 0 or game.ply > 0
    return forfeit_of(white=not is_white or not gave_a_sign, black=is_white or not gave_a_sign)


def _round_over(tournament: Tournament, now_ms: int) -> TournamentDecision:
    tournament = tournament.with_round(_all_made(_last(tournament)))
    if is_last_round(tournament):
        return finish(tournament, now_ms)
    round_ms = now_ms + 1000 * (tournament.terms.interval_s or 0)
    return changed(scheduled(replace(tournament, phase=Phase.WAITING), round_ms, now_ms))


def is_last_round(tournament: Tournament) -> bool:
    """Whether no round follows the present one, once it is played."""
    if tournament.terms.format is Format.KNOCKOUT:
        return knockout.is_decided(tournament)
    rounds = rounds_of(tournament)
    return rounds is not None and tournament.round >= rounds


def finish(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """The end. Boards without a result count for neither."""
    return _ended(tournament, Phase.FINISHED, now_ms)


def give_up(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """The end of what the organiser does not go on with."""
    return finish(tournament, now_ms) if tournament.rounds else cancel(tournament, now_ms)


def cancel(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """The end without standings; games end as usual."""
    return _ended(tournament, Phase.CANCELLED, now_ms)


def _ended(tournament: Tournament, phase: Phase, now_ms: int) -> TournamentDecision:
    for each in tournament.rounds:
        if not each.is_done:
            boards = (replace(one, result=one.result or BoardResult.VOID) for one in each.boards)
            tournament = tournament.with_round(_all_made(replace(each, boards=tuple(boards))))
    over = replace(tournament, phase=phase, next_ms=None, round_ms=None, ended_ms=now_ms)
    return changed(replace(over, round=len(over.rounds), trouble="", tries=0))


# --------------------------------------------------------------------------------------- arena
def _tick(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """A moment of an arena: its end, lost results, games to be made, or players to be paired."""
    if tournament.awaits_pairings:
        return _failed(tournament, "the engine gave no answer", now_ms)
    open_rounds = [each for each in tournament.rounds if not each.is_done]
    if now_ms >= arena.ends_ms(tournament):
        if not (tournament.terms.late_games and open_rounds):
            return finish(tournament, now_ms)
        waits = replace(tournament, next_ms=now_ms + LOOK_MS)
        return changed(waits, *(ResultsWanted(each.number) for each in open_rounds))
    wanted: list[TournamentReply] = []
    if open_rounds and open_rounds[0].began_ms < now_ms - longest_ms(tournament):
        wanted = [ResultsWanted(open_rounds[0].number)]
    wanted += [
        GamesWanted(each.number, each.started)
        for each in open_rounds
        if each.started < len(each.boards) and each.began_ms <= now_ms - ANSWER_MS
    ]
    field = arena.waiting(tournament, now_ms)
    is_open = now_ms < arena.closes_ms(tournament)
    if len(field) < MIN_PLAYERS or not is_open:
        later = min(arena.ends_ms(tournament), now_ms + ANSWER_MS)
        return changed(replace(tournament, next_ms=later), *wanted)
    number = len(tournament.rounds) + 1
    asked = replace(tournament, round=number, field=field, next_ms=now_ms + ANSWER_MS)
    return changed(asked, PairingWanted(number), *wanted)


def nudged(tournament: Tournament, now_ms: int) -> Tournament:
    """An arena whose next moment comes soon, for there may be two who wait; after its time the end,
    once no game is open.
    """
    is_arena = tournament.terms.format is Format.ARENA and tournament.phase is Phase.PLAYING
    if not is_arena or tournament.awaits_pairings:
        return tournament
    soon = min(now_ms + arena.TICK_MS, tournament.next_ms or now_ms + arena.TICK_MS)
    return replace(tournament, next_ms=soon)


# --------------------------------------------------------------------------------------- boards
def _last(tournament: Tournament) -> Round:
    return tournament.rounds[-1]


def round_at(tournament: Tournament, number: int) -> Round | None:
    """The planned round of this number, from 1."""
    return tournament.rounds[number - 1] if 1 <= number <= len(tournament.rounds) else None


def board_at(tournament: Tournament, number: int, place: int) -> tuple[Round | None, Board | None]:
    """A round, from 1, and one of its boards, from 1."""
    each = round_at(tournament, number)
    has_it = each is not None and 1 <= place <= len(each.boards)
    return each, each.boards[place - 1] if each and has_it else None
