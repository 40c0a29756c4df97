"""``decide_tournament``: one command to one tournament gives one decision, a refusal is a value, no
input of a player raises, and what comes late, twice or out of order changes nothing.
"""

from dataclasses import replace
from itertools import zip_longest
from typing import assert_never

from arbiter.core.replies import Reason
from arbiter.core.tournaments import organisers, planning, players, results, rounds
from arbiter.core.tournaments.commands import (
    AskBye,
    Create,
    Due,
    GameOver,
    GamesMade,
    Join,
    MachinesCommand,
    NoPairings,
    Pairings,
    PlayersWord,
    TournamentCommand,
)
from arbiter.core.tournaments.replies import CommandRefused, Told, TournamentDecision
from arbiter.core.tournaments.terms import flaw_of_terms
from arbiter.core.tournaments.tournament import Format, Tournament

MAX_AHEAD_S = 60
"""Events are dated by the version, and relays refuse 900 s: so far, entries wait."""


def decide_tournament(
    tournament: Tournament | None, command: TournamentCommand, now_ms: int
) -> TournamentDecision:
    """The decision on one command at ``now_ms`` (unix). ``version`` rises where players see a
    change, to the second of it at least, which dates events; not in a rush of entries.
    """
    if isinstance(command, Create):
        return _create(tournament, command, now_ms)
    if tournament is None:
        author = _author_of(command)
        text = "no such event"
        refused = (CommandRefused(author, Reason.UNKNOWN_GAME, text),) if author else ()
        return TournamentDecision(None, refused)
    decision = _decide(tournament, command, now_ms)
    after = decision.tournament
    if after is None or after is tournament or after == tournament:
        return TournamentDecision(tournament, decision.replies)
    ahead_s = tournament.version - now_ms // 1000
    if not _is_seen_by_none(tournament, after, command, ahead_s):
        version = max(tournament.version + 1, now_ms // 1000)
        after = replace(after, version=version, by_player={})
    return replace(decision, tournament=_with_dated_rounds(tournament, after, now_ms))


def _with_dated_rounds(before: Tournament, after: Tournament, now_ms: int) -> Tournament:
    for was, each in zip_longest(before.rounds, after.rounds):
        if was is not each and was != each:
            last = was.version if was else 0
            version = max(last + 1, after.version, now_ms // 1000)
            after = after.with_round(replace(each, version=version))
    return after


def _is_seen_by_none(
    before: Tournament, after: Tournament, command: TournamentCommand, ahead_s: int
) -> bool:
    """Whether a change need not be shown: a sign of life, an entry of a rush, an arena's result."""
    match command:
        case Join() | PlayersWord() | AskBye() if ahead_s >= MAX_AHEAD_S:
            return before.phase is after.phase
        case PlayersWord(word="here"):
            one, other = before.entry_of(command.author), after.entry_of(command.author)
            return one is not None and other is not None and one.state is other.state
        case Due() | GameOver() | GamesMade():
            is_arena = before.terms.format is Format.ARENA
            return is_arena and before.phase is after.phase
        case _:
            return False


def _decide(tournament: Tournament, command: TournamentCommand, now_ms: int) -> TournamentDecision:
    match command:
        case Create():
            return _create(tournament, command, now_ms)
        case Join():
            return players.join(tournament, command, now_ms)
        case PlayersWord():
            return players.word(tournament, command, now_ms)
        case AskBye():
            return players.ask_bye(tournament, command)
        case Due() | Pairings() | NoPairings() | GamesMade() | GameOver():
            return _go_on(tournament, command, now_ms)
        case _:
            return organisers.organise(tournament, command, now_ms)


def _go_on(tournament: Tournament, command: MachinesCommand, now_ms: int) -> TournamentDecision:
    match command:
        case Due():
            return planning.due(tournament, now_ms)
        case Pairings():
            return planning.plan(tournament, command, now_ms)
        case NoPairings():
            return planning.no_pairings(tournament, command, now_ms)
        case GamesMade():
            return rounds.games_made(tournament, command, now_ms)
        case GameOver():
            return results.game_over(tournament, command, now_ms)
        case _:
            assert_never(command)


def _create(tournament: Tournament | None, command: Create, now_ms: int) -> TournamentDecision:
    """Make it; one that is there already was made by the same command."""
    created = Told(command.author, "created")
    if tournament is not None:
        return TournamentDecision(tournament, (created,))
    flaw = flaw_of_terms(command.terms, command.deputies, now_ms)
    if flaw is None and command.terms.starts_ms < now_ms - planning.GIVE_UP_MS:
        flaw = "starts: lies in the past"
    if flaw:
        return TournamentDecision(None, (CommandRefused(command.author, Reason.BAD_TERMS, flaw),))
    made = Tournament(
        id=command.id,
        organiser=command.author,
        terms=command.terms,
        deputies=command.deputies,
        created_ms=now_ms,
        version=now_ms // 1000,
    )
    return TournamentDecision(rounds.scheduled(made, command.terms.starts_ms, now_ms), (created,))


def _author_of(command: TournamentCommand) -> str | None:
    match command:
        case Join():
            return command.seat.player
        case Due() | Pairings() | NoPairings() | GamesMade() | GameOver():
            return None
        case _:
            return command.author
