"""All laws over one history."""

from collections.abc import Callable, Iterator

from tests.simulation.checker import (
    accounts,
    changes,
    clock_sums,
    fair_play,
    flags,
    pairings,
    queueing,
    ratings,
    shares,
    speech,
    telling,
    timers,
)
from tests.simulation.checker.evidence import Evidence
from tests.simulation.checker.verdict import Violation
from tests.simulation.history import History

LAWS: tuple[Callable[[Evidence], Iterator[Violation]], ...] = (
    changes.nothing_is_lost,
    changes.changes_are_lawful,
    changes.events_are_applied_once,
    changes.refused_stays_refused,
    changes.old_words_make_no_new_game,
    speech.words_are_signed,
    speech.words_are_true,
    speech.one_version_one_word,
    shares.no_good_move_is_refused,
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
    shares.questions_are_few,
    shares.a_share_is_ones_own,
    shares.errors_are_their_authors,
    accounts.what_was_brought_was_looked_at,
    accounts.what_a_relay_has_is_asked_for,
    accounts.drops_are_true,
    accounts.what_was_passed_on_was_queued,
    accounts.what_was_queued_was_answered,
    accounts.answers_are_true,
    accounts.failures_have_a_cause,
    queueing.a_player_has_a_line_of_their_own,
    queueing.nothing_overtakes_a_failure,
    queueing.what_is_answered_is_done_with,
    queueing.an_event_waits_once,
    queueing.stamps_are_true,
    queueing.ok_means_queued,
    telling.players_know_their_games,
    telling.the_last_word_got_out,
    telling.every_relay_is_spoken_over,
    telling.every_refusal_is_said,
)


def check(history: History) -> tuple[Violation, ...]:
    evidence = Evidence(history)
    return tuple(violation for law in LAWS for violation in law(evidence))
