"""All invariants over one history."""

from collections.abc import Callable, Iterator

from tests.simulation.checker import answers, changes, informed_players, policy
from tests.simulation.checker.parsed_history import ParsedHistory
from tests.simulation.checker.violation import Violation
from tests.simulation.history import History

INVARIANTS: tuple[Callable[[ParsedHistory], Iterator[Violation]], ...] = (
    changes.nothing_is_lost,
    changes.changes_are_lawful,
    changes.events_are_applied_once,
    changes.refused_stays_refused,
    informed_players.told_states_are_stored,
    informed_players.applied_is_not_refused,
    answers.flags_fall,
    answers.ok_means_kept,
    answers.changes_are_told,
    answers.rated_once,
    answers.failures_have_a_cause,
    answers.every_stamp_is_true,
    informed_players.players_know_their_games,
    informed_players.the_last_word_got_out,
    policy.who_is_kept_out_is_not_seated,
    policy.who_blocks_is_not_paired,
    policy.games_of_the_denied_end,
    policy.hidden_players_are_not_listed,
)


def check(history: History) -> tuple[Violation, ...]:
    parsed = ParsedHistory(history)
    return tuple(violation for invariant in INVARIANTS for violation in invariant(parsed))
