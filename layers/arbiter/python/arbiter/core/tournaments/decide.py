"""``decide_tournament``: one command to one tournament gives one decision.

Invariant: as in ``decide`` of games a refusal is a value, and no input of a player raises. What
comes late, twice or out of order changes nothing.
"""

from dataclasses import replace
from typing import assert_never

from arbiter.core.replies import Reason
from arbiter.core.tournaments import organisers, players, rounds
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
from arbiter.core.tournaments.tournament import Tournament


def decide_tournament(
    tournament: Tournament | None, command: TournamentCommand, now_ms: int
) -> TournamentDecision:
    """The decision on one command at ``now_ms`` (unix). ``version`` rises where something changed;
    ``item_version`` is the store's.
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
    return replace(decision, tournament=replace(after, version=tournament.version + 1))


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
            return rounds.due(tournament, now_ms)
        case Pairings():
            return rounds.plan(tournament, command, now_ms)
        case NoPairings():
            return rounds.no_pairings(tournament, command, now_ms)
        case GamesMade():
            return rounds.games_made(tournament, command, now_ms)
        case GameOver():
            return rounds.game_over(tournament, command, now_ms)
        case _:
            assert_never(command)


def _create(tournament: Tournament | None, command: Create, now_ms: int) -> TournamentDecision:
    """Make it; one that is there already was made by the same command."""
    created = Told(command.author, "created")
    if tournament is not None:
        return TournamentDecision(tournament, (created,))
    flaw = flaw_of_terms(command.terms, command.deputies, now_ms)
    if flaw is None and command.terms.starts_ms < now_ms - rounds.GIVE_UP_MS:
        flaw = "starts: lies in the past"
    if flaw:
        return TournamentDecision(None, (CommandRefused(command.author, Reason.BAD_TERMS, flaw),))
    made = Tournament(
        id=command.id,
        organiser=command.author,
        terms=command.terms,
        deputies=command.deputies,
        created_ms=now_ms,
        stale_before_ms=0,
    )
    return TournamentDecision(
        organisers.scheduled(made, command.terms.starts_ms, now_ms), (created,)
    )


def _author_of(command: TournamentCommand) -> str | None:
    """The player who is to hear of a command, if it is one's."""
    match command:
        case Join():
            return command.seat.player
        case Due() | Pairings() | NoPairings() | GamesMade() | GameOver():
            return None
        case _:
            return command.author
