"""Rounds until they are planned: what is due, what is asked of the engine, and its answers.

Invariant: a plan is committed before any of its games is made; what comes late or again changes
nothing.
"""

from dataclasses import replace

from arbiter.core.tournaments import arena
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.replies import (
    GamesWanted,
    PairingWanted,
    ResultsWanted,
    Told,
    TournamentDecision,
    TournamentReply,
)
from arbiter.core.tournaments.rounds import (
    ANSWER_MS,
    IDLE_MS,
    cancel,
    changed,
    finish,
    give_up,
    longest_ms,
    look_ms,
    start,
    unchanged,
)
from arbiter.core.tournaments.tournament import (
    Board,
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

PAIRED_MS = 6 * 60_000
"""Time for the engine's answer, longer than it may take: its process may have died."""

MIN_PLAYERS = 2
MAX_NAMED = 10
"""Pairs that the organiser is told of at once."""


MAX_TRIES = 3

SETTLE_MS = 10 * 60_000
"""Time for the organiser to settle what keeps a round from being paired; then it is finished."""

TOO_FEW_MS = 60_000
"""Time after which the start is tried again with fewer than two players, for an hour."""

GIVE_UP_MS = 60 * 60_000


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
            return changed(waits, GamesWanted(tournament.round, tournament.rounds[-1].started))
        case _ if tournament.terms.format is Format.ARENA:
            return _tick(tournament, now_ms)
        case _:
            waits = replace(tournament, next_ms=now_ms + look_ms(tournament))
            return changed(waits, ResultsWanted(tournament.round))


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
    return _asked(asked)


def _asked(tournament: Tournament, *replies: TournamentReply) -> TournamentDecision:
    asked = replace(tournament, asked=tournament.asked + 1)
    return changed(asked, PairingWanted(tournament.round), *replies)


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
    if _is_of_earlier(tournament, answer):
        return unchanged(tournament)
    if answer.is_impossible and tournament.phase is Phase.PAIRING:
        return _troubled(tournament, f"no legal pairing is left{_apart(tournament)}", now_ms)
    return _failed(tournament, answer.text, now_ms)


def _is_of_earlier(tournament: Tournament, answer: Pairings | NoPairings) -> bool:
    """Whether this answers an earlier question: a failure counts once, however often it comes."""
    return answer.asked not in (0, tournament.asked)


def _apart(tournament: Tournament) -> str:
    """The first pairs that the organiser keeps apart, which may be in the way."""
    seats = [[tournament.entry(number).seat for number in pair] for pair in tournament.forbidden]
    named = [" and ".join(seat.name or seat.player[:8] for seat in pair) for pair in seats]
    return f"; kept apart: {', '.join(named[:MAX_NAMED])}" if named else ""


def _failed(tournament: Tournament, text: str, now_ms: int) -> TournamentDecision:
    tries = tournament.tries + 1
    if tournament.terms.format is Format.ARENA:
        # The next moment is near; the field is another then.
        late_ms = arena.tick_ms(tournament) << min(tries, MAX_TRIES)
        back = replace(tournament, tries=tries, round=len(tournament.rounds))
        return changed(replace(back, next_ms=now_ms + late_ms))
    if tries >= MAX_TRIES:
        return _troubled(replace(tournament, tries=tries), f"pairing failed: {text[:200]}", now_ms)
    return _asked(replace(tournament, tries=tries, next_ms=now_ms + PAIRED_MS))


def _troubled(tournament: Tournament, text: str, now_ms: int) -> TournamentDecision:
    """The organiser pairs by hand, changes or finishes; so does the arbiter after ten minutes."""
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
        return changed(replace(waits, next_ms=now_ms + arena.tick_ms(tournament)))
    if flaw := flaw_of_pairings(tournament, answer):
        is_known = _is_of_earlier(tournament, answer)
        return unchanged(tournament) if is_known else _failed(tournament, flaw, now_ms)
    return planned(tournament, answer, now_ms)


def planned(tournament: Tournament, answer: Pairings, now_ms: int) -> TournamentDecision:
    """The round as these pairings have it; in an arena, or in time, its games begin at once."""
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
        next_ms = now_ms + arena.tick_ms(after)
        return changed(replace(after, next_ms=next_ms), GamesWanted(number, 0))
    next_ms = now_ms + IDLE_MS if after.round_ms is None else after.round_ms
    after = replace(after, phase=Phase.PLANNED, next_ms=next_ms)
    if now_ms < next_ms:
        return changed(after, *told)
    begun = start(after, now_ms)
    return TournamentDecision(begun.tournament, (*told, *begun.replies))


def _has_bye(entry: Entry, number: int) -> bool:
    return entry.state is EntryState.IN and number in entry.byes and entry.from_round <= number


def _tick(tournament: Tournament, now_ms: int) -> TournamentDecision:
    """A moment of an arena: its end, lost results, games to be made, or players to be paired."""
    if tournament.awaits_pairings:
        return _failed(tournament, "the engine gave no answer", now_ms)
    open_rounds = [each for each in tournament.rounds if not each.is_done]
    is_over = now_ms >= arena.ends_ms(tournament)
    if is_over and not (tournament.terms.late_games and open_rounds):
        return finish(tournament, now_ms)
    wanted = _overdue(tournament, open_rounds, now_ms)
    field = arena.waiting(tournament, now_ms)
    if len(field) < MIN_PLAYERS or now_ms >= arena.closes_ms(tournament):
        later_ms = now_ms + ANSWER_MS
        later_ms = later_ms if is_over else min(arena.ends_ms(tournament), later_ms)
        return changed(replace(tournament, next_ms=later_ms), *wanted)
    number = len(tournament.rounds) + 1
    waits = replace(tournament, round=number, field=field, next_ms=now_ms + ANSWER_MS)
    return _asked(waits, *wanted)


def _overdue(
    tournament: Tournament, open_rounds: list[Round], now_ms: int
) -> list[TournamentReply]:
    """Results that the oldest round should have by now, and games that should have begun."""
    wanted: list[TournamentReply] = [
        GamesWanted(each.number, each.started)
        for each in open_rounds
        if each.started < len(each.boards) and each.began_ms <= now_ms - ANSWER_MS
    ]
    if open_rounds and open_rounds[0].began_ms < now_ms - longest_ms(tournament):
        wanted.append(ResultsWanted(open_rounds[0].number))
    return wanted
