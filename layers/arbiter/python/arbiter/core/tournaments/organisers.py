"""Commands of the organiser and the deputies."""

from dataclasses import replace
from hashlib import sha256
from typing import assert_never

from arbiter.core.replies import Reason
from arbiter.core.tournaments import planning, players, rounds
from arbiter.core.tournaments.by_hand import pair_by_hand
from arbiter.core.tournaments.commands import (
    Add,
    Delay,
    Edit,
    Forbid,
    Forfeit,
    Join,
    OrganisersCommand,
    OrganisersWord,
    Remove,
    SetBoards,
    SetResult,
    Swap,
)
from arbiter.core.tournaments.corrections import correct
from arbiter.core.tournaments.replies import CommandRefused, Told, TournamentDecision, Verdict
from arbiter.core.tournaments.rounds import changed, unchanged
from arbiter.core.tournaments.terms import flaw_of_terms, limit_of
from arbiter.core.tournaments.tournament import EntryState, Format, Phase, Tournament

MAX_DELAY_S = 7 * 24 * 60 * 60
MAX_AHEAD_S = 600
"""Seconds by which changes may date the tournament ahead: relays refuse what is 900 ahead."""
KEY_DIGITS = 8
HEARD_KEPT = 16
"""Commands that are known when they come again."""


def organise(tournament: Tournament, command: OrganisersCommand, now_ms: int) -> TournamentDecision:
    """Decide a command, if it is the organiser's; a replay is answered as before."""
    key = sha256(repr(command).encode()).hexdigest()[:KEY_DIGITS]
    is_unheard = isinstance(command, Add) and not command.is_heard
    noted = Told(command.author, "noted:unheard" if is_unheard else "noted")
    if key in tournament.heard:
        return unchanged(tournament, noted)
    decided = _untimely(tournament, command, now_ms) or _decide(tournament, command, now_ms)
    if isinstance(decided, tuple):
        return unchanged(tournament, CommandRefused(command.author, *decided))
    after = decided.tournament
    if after is tournament or after is None:
        return unchanged(tournament, noted)
    # Clocks differ: a command of one deputy from the future is not to make those of another old.
    since_ms = max(after.stale_before_ms, min(command.made_at_ms, now_ms))
    heard = (*after.heard, key)[-HEARD_KEPT:]
    after = replace(after, stale_before_ms=since_ms, heard=heard)
    return TournamentDecision(after, (noted, *decided.replies))


def _untimely(
    tournament: Tournament, command: OrganisersCommand, now_ms: int
) -> tuple[Reason, str] | None:
    if not tournament.is_organised_by(command.author):
        return Reason.NOT_ORGANISER, "only the organiser can do that"
    if command.made_at_ms < tournament.stale_before_ms:
        return Reason.STALE, "that is older than what was decided since: look at the event again"
    if (too_far_s := tournament.version - now_ms // 1000 - MAX_AHEAD_S) >= 0:
        return Reason.RATE_LIMITED, f"too many changes: wait {too_far_s + 1} s"
    corrects = isinstance(command, SetResult | Forfeit) and tournament.phase is Phase.FINISHED
    if not tournament.is_under_way and not corrects:
        return Reason.WRONG_PHASE, "the event is over"
    return None


def _decide(tournament: Tournament, command: OrganisersCommand, now_ms: int) -> Verdict:
    match command:
        case OrganisersWord():
            return _word(tournament, command.word, now_ms)
        case SetBoards() | Swap() | Forbid():
            return pair_by_hand(tournament, command, now_ms)
        case Remove() | Forfeit() | SetResult():
            return correct(tournament, command, now_ms)
        case Edit():
            return _edit(tournament, command, now_ms)
        case Add():
            return _add(tournament, command, now_ms)
        case Delay():
            return _delay(tournament, command)
        case _:
            assert_never(command)


def _word(tournament: Tournament, word: str, now_ms: int) -> Verdict:
    match word:
        case "close":
            return _close(tournament)
        case "pair" | "start" if tournament.phase in (Phase.OPEN, Phase.WAITING, Phase.PAIRING):
            return _pair(tournament, word, now_ms)
        case "start" if tournament.phase is Phase.PLANNED:
            return rounds.start(tournament, now_ms)
        case "pair" | "start":
            # It was another's word already.
            return unchanged(tournament)
        case "finish" if tournament.rounds:
            return rounds.finish(tournament, now_ms)
        case "finish":
            return Reason.WRONG_PHASE, "nothing was played: cancel it"
        case "cancel":
            return rounds.cancel(tournament, now_ms)
        case _:
            return Reason.BAD_TERMS, "no such word"


def _close(tournament: Tournament) -> TournamentDecision:
    closed = replace(tournament, terms=replace(tournament.terms, join_until_round=0))
    is_open = tournament.phase is Phase.OPEN
    return changed(replace(closed, phase=Phase.WAITING) if is_open else closed)


def _pair(tournament: Tournament, word: str, now_ms: int) -> Verdict:
    """Have the coming round paired; ``start``: and its games begin at once."""
    round_ms = None if tournament.terms.interval_s is None else tournament.round_ms
    timed = replace(tournament, round_ms=now_ms if word == "start" else round_ms)
    if tournament.phase is Phase.PAIRING and not tournament.trouble:
        return changed(timed) if word == "start" else unchanged(tournament)
    if len(planning.coming_field(tournament)) < planning.MIN_PLAYERS:
        return Reason.WRONG_PHASE, "fewer than two players are there"
    return planning.ask(timed, now_ms)


def _edit(tournament: Tournament, command: Edit, now_ms: int) -> Verdict:
    if tournament.phase not in (Phase.OPEN, Phase.WAITING) or tournament.rounds:
        return Reason.WRONG_PHASE, "the first round is paired"
    if flaw := flaw_of_terms(command.terms, command.deputies, now_ms):
        return Reason.BAD_TERMS, flaw
    terms = command.terms
    if tournament.phase is Phase.WAITING:
        terms = replace(terms, join_until_round=0)
    edited = replace(tournament, terms=terms, deputies=command.deputies)
    return changed(rounds.scheduled(edited, terms.starts_ms, now_ms))


def _add(tournament: Tournament, command: Add, now_ms: int) -> Verdict:
    """Enter a player whatever the rule of entry, as late as the format allows."""
    entry = tournament.entry_of(command.seat.player)
    is_set = tournament.phase is not Phase.OPEN and bool(tournament.field)
    is_known = entry is not None and entry.number in tournament.field
    if is_set and not is_known and tournament.terms.format in (Format.ROUND_ROBIN, Format.KNOCKOUT):
        return Reason.WRONG_PHASE, "the first round is paired"
    if entry and entry.state is EntryState.IN:
        return unchanged(tournament)
    if entry is None and len(tournament.entries) >= players.MAX_LEFT * limit_of(tournament.terms):
        return Reason.FULL, "too many have come and gone"
    return players.enter(tournament, Join(command.seat, command.rating), EntryState.IN, now_ms)


def _delay(tournament: Tournament, command: Delay) -> Verdict:
    waits = (Phase.OPEN, Phase.WAITING, Phase.PLANNED)
    if tournament.phase not in waits or tournament.next_ms is None:
        return Reason.WRONG_PHASE, "nothing is due that could wait"
    if not 0 < command.seconds <= MAX_DELAY_S:
        return Reason.BAD_TERMS, f"from 1 to {MAX_DELAY_S} seconds"
    later_ms = 1000 * command.seconds
    terms = tournament.terms
    if not tournament.rounds:
        terms = replace(terms, starts_ms=terms.starts_ms + later_ms)
    round_ms = None if tournament.round_ms is None else tournament.round_ms + later_ms
    next_ms = tournament.next_ms + later_ms
    return changed(replace(tournament, terms=terms, round_ms=round_ms, next_ms=next_ms))
