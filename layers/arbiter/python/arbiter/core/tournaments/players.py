"""Words of players: they join and leave, say that they are here, rest, and ask for a bye."""

from dataclasses import replace

from arbiter.core.replies import Reason
from arbiter.core.tournaments.commands import AskBye, Join, PlayersWord
from arbiter.core.tournaments.replies import CommandRefused, Told, TournamentDecision
from arbiter.core.tournaments.rounds import changed, nudged, unchanged
from arbiter.core.tournaments.terms import limit_of, rounds_of
from arbiter.core.tournaments.tournament import (
    Entry,
    EntryRule,
    EntryState,
    Format,
    Phase,
    Tournament,
)

CHECK_IN_MS = 60 * 60_000
"""Time before the start from which players who were asked can say that they are here."""

SEEN_AGAIN_MS = 15_000
"""Time for which a sign of being there is not noted again."""

MAX_BYES = 1
"""Rounds in which a player can have half a point without a game."""

MAX_LEFT = 2
"""Entries of those who left, as a multiple of the limit: keys are free."""

ACTIVE = (EntryState.IN, EntryState.PAUSED, EntryState.ASKED)


def join(tournament: Tournament, command: Join, now_ms: int) -> TournamentDecision:
    player, entry = command.seat.player, tournament.entry_of(command.seat.player)
    if entry and _is_overtaken(entry, command):
        return unchanged(tournament)
    if entry and entry.state in ACTIVE and tournament.is_under_way:
        return _joined_again(tournament, entry, command, now_ms)
    refusal = _not_allowed(tournament, entry, command) or _too_late(tournament, entry)
    if refusal:
        return unchanged(tournament, CommandRefused(player, *refusal))
    is_asked = tournament.terms.entry is EntryRule.RSVP
    state = EntryState.ASKED if is_asked else EntryState.IN
    return enter(tournament, command, state, now_ms)


def enter(
    tournament: Tournament, command: Join, state: EntryState, now_ms: int
) -> TournamentDecision:
    """The tournament with this player, from the next round that is not being paired."""
    entry = tournament.entry_of(command.seat.player)
    from_round = coming_round(tournament)
    if entry:
        # Number and rating stay: the seeds and the table are made of them.
        entry = replace(entry, seat=command.seat, state=state, seen_ms=now_ms)
        entry = replace(entry, from_round=max(entry.from_round, from_round))
    else:
        entry = Entry(
            number=len(tournament.entries) + 1,
            seat=command.seat,
            rating=command.rating,
            from_round=from_round,
            state=state,
            seen_ms=now_ms,
        )
    told = [Told(command.seat.player, "joined")]
    if tournament.phase is Phase.WAITING and tournament.round_ms:
        told.append(Told(command.seat.player, f"wait:{tournament.round_ms // 1000}"))
    return changed(nudged(tournament.with_entry(entry), now_ms), *told)


def _is_overtaken(entry: Entry, command: Join | PlayersWord) -> bool:
    """Whether this answer to a calendar event is older than the player's last word."""
    return 0 < command.rsvp_ms <= entry.seen_ms


def _joined_again(
    tournament: Tournament, entry: Entry, command: Join, now_ms: int
) -> TournamentDecision:
    told = Told(command.seat.player, "joined")
    if entry.state is EntryState.PAUSED:
        back = replace(entry, state=EntryState.IN, seat=command.seat, seen_ms=now_ms)
        return changed(nudged(tournament.with_entry(back), now_ms), told)
    if entry.seat == command.seat and entry.seat.name == command.seat.name:
        return unchanged(tournament, told)
    # A player on a socket says so that they are here.
    here = replace(entry, seat=command.seat, seen_ms=now_ms)
    return changed(tournament.with_entry(here), told)


def coming_round(tournament: Tournament) -> int:
    return max(len(tournament.rounds), tournament.round) + 1


def _too_late(tournament: Tournament, entry: Entry | None) -> tuple[Reason, str] | None:
    if not tournament.is_under_way:
        return Reason.WRONG_PHASE, "the event is over"
    if tournament.phase is Phase.OPEN:
        return None
    terms, coming = tournament.terms, coming_round(tournament)
    if entry and entry.state is EntryState.LEFT and entry.number in tournament.field:
        return None
    is_closed = terms.join_until_round == 0
    if terms.format is Format.ARENA:
        return (Reason.WRONG_PHASE, "entries are closed") if is_closed else None
    if terms.format is not Format.SWISS or coming > terms.join_until_round:
        return Reason.WRONG_PHASE, "entries are closed"
    return None


def _not_allowed(
    tournament: Tournament, entry: Entry | None, command: Join
) -> tuple[Reason, str] | None:
    terms, player = tournament.terms, command.seat.player
    if entry and entry.state is EntryState.REMOVED:
        return Reason.NOT_ENTERED, "the organiser removed you"
    if command.rsvp_ms and terms.entry is not EntryRule.RSVP:
        return Reason.NOT_ENTERED, "join by a client for chess"
    if command.is_bot and not terms.bots:
        return Reason.NOT_ENTERED, "no programs in this event"
    is_listed = command.is_listed or player in terms.allowed
    if terms.entry in (EntryRule.LIST, EntryRule.SECRET) and not is_listed:
        return Reason.NOT_ENTERED, "the organiser's list does not have you"
    active = sum(one.state in ACTIVE for one in tournament.entries)
    if active >= limit_of(terms):
        return Reason.FULL, f"there are {active} players already"
    if entry is None and len(tournament.entries) >= MAX_LEFT * limit_of(terms):
        return Reason.FULL, "too many have come and gone"
    return None


def word(tournament: Tournament, command: PlayersWord, now_ms: int) -> TournamentDecision:
    entry = tournament.entry_of(command.author)
    if entry and _is_overtaken(entry, command):
        return unchanged(tournament)
    if entry is None or entry.state in (EntryState.LEFT, EntryState.REMOVED):
        if entry and command.word == "leave":
            return unchanged(tournament, Told(command.author, "left"))
        return _refused(tournament, command.author, Reason.NOT_ENTERED, "join first")
    if not tournament.is_under_way:
        return _refused(tournament, command.author, Reason.WRONG_PHASE, "the event is over")
    match command.word:
        case "leave":
            gone = replace(entry, state=EntryState.LEFT, seen_ms=now_ms)
            left = tournament.with_entry(gone)
            return changed(left, Told(command.author, "left"))
        case "pause" if entry.state is EntryState.ASKED:
            return unchanged(tournament, Told(command.author, "noted"))
        case "pause":
            return _set(tournament, entry, EntryState.PAUSED, now_ms)
        case "back" if entry.state is not EntryState.ASKED:
            return _set(tournament, entry, EntryState.IN, now_ms)
        case "here" | "back":
            return _here(tournament, entry, now_ms)
        case _:
            return _refused(tournament, command.author, Reason.BAD_TERMS, "no such word")


def _here(tournament: Tournament, entry: Entry, now_ms: int) -> TournamentDecision:
    """A sign of being there; it checks in who was asked, and a player who rests still rests."""
    if entry.state is not EntryState.ASKED:
        if now_ms - entry.seen_ms < SEEN_AGAIN_MS:
            return unchanged(tournament)
        seen = tournament.with_entry(replace(entry, seen_ms=now_ms))
        return changed(nudged(seen, now_ms))
    if tournament.phase is Phase.OPEN and now_ms < tournament.terms.starts_ms - CHECK_IN_MS:
        text = "check in from an hour before the start"
        return _refused(tournament, entry.seat.player, Reason.WRONG_PHASE, text)
    if refusal := _too_late(tournament, entry):
        return _refused(tournament, entry.seat.player, *refusal)
    late = replace(entry, from_round=max(entry.from_round, coming_round(tournament)))
    return _set(tournament, late, EntryState.IN, now_ms)


def _set(
    tournament: Tournament, entry: Entry, state: EntryState, now_ms: int
) -> TournamentDecision:
    told = Told(entry.seat.player, "noted")
    if entry.state is state:
        return unchanged(tournament, told)
    after = tournament.with_entry(replace(entry, state=state, seen_ms=now_ms))
    return changed(nudged(after, now_ms), told)


def ask_bye(tournament: Tournament, command: AskBye) -> TournamentDecision:
    """Half a point instead of a game in a later round of a Swiss, but not in the last."""
    entry = tournament.entry_of(command.author)
    if entry is None or entry.state not in ACTIVE:
        return _refused(tournament, command.author, Reason.NOT_ENTERED, "join first")
    if tournament.terms.format is not Format.SWISS or not tournament.is_under_way:
        text = "there are no byes to ask for"
        return _refused(tournament, command.author, Reason.WRONG_PHASE, text)
    last = rounds_of(tournament) or 0
    if not coming_round(tournament) <= command.round < last:
        text = "only for a round that is not paired yet, and not for the last"
        return _refused(tournament, command.author, Reason.WRONG_PHASE, text)
    told = Told(command.author, "noted")
    if command.round in entry.byes:
        return unchanged(tournament, told)
    if len(entry.byes) >= MAX_BYES:
        text = f"no more than {MAX_BYES} in an event"
        return _refused(tournament, command.author, Reason.RATE_LIMITED, text)
    return changed(tournament.with_entry(replace(entry, byes=(*entry.byes, command.round))), told)


def _refused(tournament: Tournament, player: str, reason: Reason, text: str) -> TournamentDecision:
    return unchanged(tournament, CommandRefused(player, reason, text))
