"""All invariants over one history."""

from collections.abc import Callable, Iterator

from tests.simulation.checker import (
    accounted_events,
    changes,
    clock_sums,
    fair_play,
    flags,
    informed_players,
    pairings,
    published_events,
    queueing,
    quotas,
    ratings,
    timers,
)
from tests.simulation.checker.parsed_history import ParsedHistory
from tests.simulation.checker.violation import Violation
from tests.simulation.history import History

INVARIANTS: tuple[Callable[[ParsedHistory], Iterator[Violation]], ...] = (
    changes.nothing_is_lost,
    changes.changes_are_lawful,
    changes.events_are_applied_once,
    changes.refused_stays_refused,
    changes.old_words_make_no_new_game,
    published_events.words_are_signed,
    published_events.words_are_true,
    published_events.one_version_one_word,
    quotas.no_good_move_is_refused,
    clock_sums.clocks_add_up,
    flags.flags_fall_in_time,
    timers.running_clocks_have_timers,
    ratings.ratings_add_up,
    pairings.pairings_are_fair,
    fair_play.lots_are_drawn_in_secret,
    fair_play.who_ends_games_early_waits,
    fair_play.rematches_are_agreed_to_in_time,
    fair_play.opponents_hear_of_a_withdrawn_rematch,
    fair_play.challenges_come_back,
    fair_play.others_bring_nothing_that_counts,
    quotas.questions_are_few,
    quotas.a_share_is_ones_own,
    quotas.errors_are_their_authors,
    accounted_events.what_was_brought_was_looked_at,
    accounted_events.what_a_relay_has_is_asked_for,
    accounted_events.drops_are_true,
    accounted_events.what_was_passed_on_was_queued,
    accounted_events.what_was_queued_was_answered,
    accounted_events.answers_are_true,
    accounted_events.failures_have_a_cause,
    queueing.a_player_has_a_group_of_their_own,
    queueing.nothing_overtakes_a_failure,
    queueing.what_is_answered_is_done_with,
    queueing.an_event_waits_once,
    queueing.stamps_are_true,
    queueing.ok_means_queued,
    informed_players.players_know_their_games,
    informed_players.the_last_word_got_out,
    informed_players.every_relay_is_spoken_over,
    informed_players.every_refusal_is_said,
)


def check(history: History) -> tuple[Violation, ...]:
    parsed = ParsedHistory(history)
    return tuple(violation for invariant in INVARIANTS for violation in invariant(parsed))
