"""A change of a tournament: load, decide, commit, and what the new state asks for, which follows
from what is stored: a record that comes again goes on from there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.ports import Conflict, QueueRejected
from arbiter.application.records import GamesAsked, PairingAsked
from arbiter.application.tournaments.messages import entry, timer_of_tournament
from arbiter.core.tournaments.commands import (
    Due,
    OrganisersWord,
    Pairings,
    PlayersWord,
    SetBoards,
    TournamentCommand,
)
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.replies import (
    CommandRefused,
    GamesWanted,
    PairingWanted,
    TournamentReply,
)
from arbiter.core.tournaments.tournament import EntryState, Phase, Tournament


@dataclass(frozen=True, slots=True)
class Changed:
    """A tournament before and after a decision, the same if unchanged, None if there is none."""

    before: Tournament | None
    after: Tournament | None
    replies: tuple[TournamentReply, ...] = ()

    @property
    def is_new(self) -> bool:
        return self.after is not self.before

    @property
    def is_refused(self) -> bool:
        return any(isinstance(reply, CommandRefused) for reply in self.replies)


def change(
    deps: ArbiterDeps, tournament_id: str, *commands: TournamentCommand, at_ms: int = 0
) -> Changed:
    """Decide these commands in turn, not before ``at_ms`` (unix), and commit; then set its timer
    and queue what it asks for. Raises ``Contended``, and for infrastructure.
    """

    def attempt(_: Conflict | None) -> Changed | Conflict:
        before = after = deps.tournaments.load(tournament_id)
        replies: tuple[TournamentReply, ...] = ()
        for command in (*_withdrawals(deps, before, commands), *commands):
            decision = decide_tournament(after, command, max(deps.clock.now_ms(), at_ms))
            after, replies = decision.tournament, (*replies, *decision.replies)
        if after is None or after is before:
            return Changed(before, before, replies)
        version = before.item_version + 1 if before else 1
        after = replace(after, item_version=version, by_player={})
        if not deps.tournaments.commit(before, after):
            return Conflict(None)
        return Changed(before, after, replies)

    done = retry_on_conflict(attempt)
    if done.after is not None and not (done.is_refused and not done.is_new):
        _follow(deps, done, done.after)
    return done


def _withdrawals(
    deps: ArbiterDeps, tournament: Tournament | None, commands: tuple[TournamentCommand, ...]
) -> tuple[TournamentCommand, ...]:
    """Before a round begins: ``leave`` of each whom the operator's policy has kept out since."""
    if tournament is None or not tournament.is_under_way:
        return ()
    if not any(isinstance(one, Due | Pairings | OrganisersWord | SetBoards) for one in commands):
        return ()
    now_ms = deps.clock.now_ms()
    return tuple(
        PlayersWord(entry.seat.player, "leave")
        for entry in tournament.entries
        if entry.state not in (EntryState.LEFT, EntryState.REMOVED)
        and deps.policy.why_not(entry.seat.player, now_ms)
    )


def _follow(deps: ArbiterDeps, done: Changed, after: Tournament) -> None:
    """Set the timer and queue the messages that the first delivery of this record would have."""
    entries = [*map(entry, _messages(done, after))]
    if entries and deps.queue.send(entries):
        raise QueueRejected("what a tournament asks for")
    now_ms = deps.clock.now_ms()
    timer = timer_of_tournament(after, now_ms)
    is_set = done.is_new and done.before and timer_of_tournament(done.before, now_ms) == timer
    if timer and not is_set:
        deps.timers.set((timer,), now_ms)


def _messages(done: Changed, after: Tournament) -> Iterator[PairingAsked | GamesAsked]:
    asked = {reply for reply in done.replies if isinstance(reply, PairingWanted | GamesWanted)}
    if not done.is_new:
        # The replies of a decision that was committed before are not known.
        asked |= {*_open_questions(after)}
    for reply in asked:
        if isinstance(reply, PairingWanted):
            yield PairingAsked(after.id, reply.round, after.asked)
        else:
            yield GamesAsked(after.id, reply.round, reply.first)


def _open_questions(after: Tournament) -> Iterator[PairingWanted | GamesWanted]:
    if after.awaits_pairings and not after.trouble:
        yield PairingWanted(after.round)
    for each in after.rounds:
        if each.started < len(each.boards) and begins(after, each.number):
            yield GamesWanted(each.number, each.started)


def begins(tournament: Tournament, number: int) -> bool:
    """Whether this round's games are to be made, or were: of the last one in its time."""
    is_early = tournament.phase is Phase.PLANNED and number == tournament.round
    return tournament.is_under_way and not is_early
