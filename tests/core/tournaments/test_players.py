"""Words of players: who may enter, and what each word does when it comes twice, late or early."""

from dataclasses import replace

import pytest

from arbiter.core.replies import Reason
from arbiter.core.tournaments.commands import Due, PlayersWord
from arbiter.core.tournaments.players import CHECK_IN_MS
from arbiter.core.tournaments.replies import CommandRefused, Told, TournamentReply
from arbiter.core.tournaments.tournament import EntryRule, EntryState, Format, Phase
from tests.core.tournaments.play import TERMS, Evening, player

FORMATS = {
    each: replace(TERMS, format=each, rounds=5, minutes=20, join_until_round=1) for each in Format
}


def reason(replies: tuple[TournamentReply, ...]) -> Reason | None:
    """Why it was refused; None if it was not."""
    return next((one.reason for one in replies if isinstance(one, CommandRefused)), None)


@pytest.mark.parametrize("times", [2, 20])
def test_who_joins_again_has_one_entry(times: int) -> None:
    evening = Evening()
    for _ in range(times):
        assert evening.join(1) == (Told(player(1), "joined"),)
    assert len(evening.tournament.entries) == 1


def test_who_left_and_comes_back_has_the_number_and_seed_of_before() -> None:
    evening = Evening()
    evening.join(1, 1700)
    evening.join(2, 1600)
    evening.say(PlayersWord(player(1), "leave"))
    evening.join(1, 2900)
    entry = evening.tournament.entry_of(player(1))
    assert entry is not None
    assert (entry.number, entry.rating, entry.state) == (1, 1700, EntryState.IN)


def test_who_paused_and_joins_again_is_in() -> None:
    evening = Evening()
    evening.join(1)
    evening.say(PlayersWord(player(1), "pause"))
    assert evening.join(1) == (Told(player(1), "joined"),)
    assert evening.tournament.entry(1).state is EntryState.IN


def test_the_limit_counts_those_who_are_in() -> None:
    evening = Evening(replace(TERMS, limit=2), 2)
    assert reason(evening.join(3)) is Reason.FULL
    evening.say(PlayersWord(player(1), "leave"))
    assert reason(evening.join(3)) is None
    assert reason(evening.join(1)) is Reason.FULL


def test_fresh_keys_that_come_and_go_do_not_fill_the_event_for_ever() -> None:
    evening = Evening(replace(TERMS, limit=2))
    for number in range(1, 5):
        assert reason(evening.join(number)) is None
        evening.say(PlayersWord(player(number), "leave"))
    assert reason(evening.join(5)) is Reason.FULL
    assert reason(evening.join(1)) is None


@pytest.mark.parametrize(
    ("rule", "is_listed", "expected"),
    [
        (EntryRule.OPEN, 0, None),
        (EntryRule.LIST, 0, Reason.NOT_ENTERED),
        (EntryRule.LIST, 1, None),
        (EntryRule.SECRET, 0, Reason.NOT_ENTERED),
        (EntryRule.SECRET, 1, None),
        (EntryRule.RSVP, 0, None),
    ],
)
def test_the_rule_of_entry(rule: EntryRule, is_listed: int, expected: Reason | None) -> None:
    evening = Evening(replace(TERMS, entry=rule))
    assert reason(evening.join(1, is_listed=bool(is_listed))) is expected
    assert len(evening.tournament.entries) == (expected is None)


def test_a_key_among_those_allowed_is_on_the_list() -> None:
    evening = Evening(replace(TERMS, entry=EntryRule.LIST, allowed=(player(1),)))
    assert reason(evening.join(1)) is None
    assert reason(evening.join(2)) is Reason.NOT_ENTERED


@pytest.mark.parametrize(("bots", "expected"), [(False, Reason.NOT_ENTERED), (True, None)])
def test_programs_play_where_they_are_welcome(*, bots: bool, expected: Reason | None) -> None:
    evening = Evening(replace(TERMS, bots=bots))
    assert reason(evening.join(1, is_bot=True)) is expected


def test_who_was_asked_plays_only_after_saying_that_they_are_here() -> None:
    evening = Evening(replace(TERMS, entry=EntryRule.RSVP), 4)
    early = evening.tournament.terms.starts_ms - CHECK_IN_MS - 1
    evening.now_ms = early
    assert reason(evening.say(PlayersWord(player(1), "here"))) is Reason.WRONG_PHASE
    evening.now_ms = early + 1
    for number in (1, 2, 4):
        assert reason(evening.say(PlayersWord(player(number), "here"))) is None
    evening.begin_round()
    assert evening.tournament.field == (1, 2, 4)


@pytest.mark.parametrize("word", ["back", "pause"])
def test_no_other_word_checks_in(word: str) -> None:
    evening = Evening(replace(TERMS, entry=EntryRule.RSVP), 1)
    evening.now_ms -= CHECK_IN_MS
    evening.say(PlayersWord(player(1), word))
    assert evening.tournament.entry(1).state is EntryState.ASKED


@pytest.mark.parametrize("word", ["leave", "here", "pause", "back"])
def test_strangers_and_those_who_left_are_told_to_join(word: str) -> None:
    evening = Evening(TERMS, 2)
    assert reason(evening.say(PlayersWord(player(9), word))) is Reason.NOT_ENTERED
    evening.say(PlayersWord(player(1), "leave"))
    again = evening.say(PlayersWord(player(1), word))
    assert again == (Told(player(1), "left"),) or reason(again) is Reason.NOT_ENTERED


@pytest.mark.parametrize("word", ["leave", "pause", "back", "here"])
def test_a_word_that_comes_again_changes_nothing(word: str) -> None:
    evening = Evening(TERMS, 2)
    evening.say(PlayersWord(player(1), word))
    once = evening.tournament
    for _ in range(20):
        evening.say(PlayersWord(player(1), word))
    assert evening.tournament is once


@pytest.mark.parametrize("form", Format)
def test_who_rests_at_the_start_is_not_in_the_first_round(form: Format) -> None:
    evening = Evening(FORMATS[form], 4)
    evening.now_ms = evening.tournament.terms.starts_ms
    for number in range(1, 5):
        evening.say(PlayersWord(player(number), "here"))
    evening.say(PlayersWord(player(2), "pause"))
    evening.say(Due())
    assert evening.tournament.field == (1, 3, 4)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (Format.ROUND_ROBIN, Reason.WRONG_PHASE),
        (Format.KNOCKOUT, Reason.WRONG_PHASE),
        (Format.SWISS, Reason.WRONG_PHASE),
        (Format.ARENA, None),
    ],
)
def test_who_comes_after_the_start(form: Format, expected: Reason | None) -> None:
    evening = Evening(FORMATS[form], 4)
    evening.now_ms = evening.tournament.terms.starts_ms
    for number in range(1, 5):
        evening.say(PlayersWord(player(number), "here"))
    evening.say(Due())
    evening.pair()
    assert reason(evening.join(5)) is expected


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.KNOCKOUT])
def test_who_left_a_table_can_come_back_to_their_place(form: Format) -> None:
    evening = Evening(FORMATS[form], 4)
    evening.begin_round()
    evening.say(PlayersWord(player(1), "leave"))
    assert reason(evening.join(1)) is None
    assert evening.tournament.entry(1).state is EntryState.IN


@pytest.mark.parametrize("word", ["finish", "cancel"])
def test_nothing_is_joined_or_left_after_the_end(word: str) -> None:
    evening = Evening(TERMS, 4)
    evening.play_round()
    evening.order(word)
    over = evening.tournament
    assert reason(evening.join(5)) is Reason.WRONG_PHASE
    for each in ("leave", "here", "pause", "back"):
        assert reason(evening.say(PlayersWord(player(1), each))) is Reason.WRONG_PHASE
    assert evening.tournament is over


def test_a_sign_of_being_there_is_no_news_for_others() -> None:
    evening = Evening(TERMS, 2)
    version = evening.tournament.version
    evening.now_ms += 60_000
    assert evening.say(PlayersWord(player(1), "here")) == ()
    assert evening.tournament.entry(1).seen_ms == evening.now_ms
    assert evening.tournament.version == version
    seen = evening.tournament
    evening.now_ms += 14_000
    evening.say(PlayersWord(player(1), "here"))
    assert evening.tournament is seen, "nothing is written for each of many signs"
    evening.say(PlayersWord(player(1), "pause"))
    assert evening.tournament.version == evening.now_ms // 1000


def test_with_one_player_the_start_waits_and_is_given_up_after_an_hour() -> None:
    evening = Evening(TERMS, 1)
    evening.pass_time()
    assert evening.is_in(Phase.OPEN)
    assert evening.tournament.trouble == "fewer than two players are there"
    evening.join(2)
    evening.pass_time()
    assert evening.is_in(Phase.PAIRING)
    assert evening.tournament.trouble == ""
    alone = Evening(TERMS, 1)
    while alone.tournament.is_under_way:
        alone.pass_time()
    assert alone.is_in(Phase.CANCELLED)
    assert alone.now_ms - TERMS.starts_ms <= 61 * 60_000
