"""A Swiss around its engine: who is paired, answers that are late, wrong or missing, and byes."""

from dataclasses import replace

import pytest

from arbiter.core.replies import Reason
from arbiter.core.tournaments.commands import (
    AskBye,
    Due,
    Forbid,
    NoPairings,
    Pairings,
    PlayersWord,
    SetBoards,
)
from arbiter.core.tournaments.planning import MAX_TRIES, PAIRED_MS, SETTLE_MS
from arbiter.core.tournaments.replies import CommandRefused, GamesWanted, PairingWanted, Told
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Bye, ByeKind, Format, Phase
from arbiter.core.tournaments.validate import flaw_of_pairings
from tests.core.tournaments.play import ORGANISER, TERMS, Evening, engine, player

SWISS = replace(TERMS, format=Format.SWISS, rounds=5, join_until_round=3)


def asked(players: int = 6, rounds: int = 0) -> Evening:
    """The round after so many was asked for."""
    evening = Evening(SWISS, players)
    for _ in range(rounds):
        evening.play_round("1/2-1/2")
    while not evening.awaits():
        evening.pass_time()
    return evening


def answer(*boards: tuple[int, int], number: int = 1, byes: tuple[Bye, ...] = ()) -> Pairings:
    return Pairings(number, boards, byes, "test", "")


def test_it_is_played_to_its_end() -> None:
    evening = Evening(SWISS, 9)
    evening.play(lambda board: "1-0" if board.white > board.black else "0-1")
    assert evening.is_in(Phase.FINISHED)
    assert len(evening.tournament.rounds) == 5
    met = [frozenset(pair) for each in evening.pairs for pair in each]
    assert len(set(met)) == len(met) == 20
    assert standings(evening.tournament)[0].points == 5
    assert evening.tournament.next_ms is None


def test_pairings_are_shown_before_the_games_begin() -> None:
    evening = asked()
    starts_ms = evening.tournament.terms.starts_ms
    assert evening.now_ms == starts_ms - 10_000
    evening.pair()
    assert evening.is_in(Phase.PLANNED)
    assert evening.tournament.next_ms == starts_ms
    assert evening.pass_time() == (GamesWanted(1, 0),)
    assert evening.is_in(Phase.STARTING)


def test_an_answer_that_comes_late_begins_the_games_at_once() -> None:
    evening = asked()
    evening.now_ms += 60_000
    assert evening.pair() == (GamesWanted(1, 0),)
    assert evening.is_in(Phase.STARTING)


def test_the_first_answer_stands_and_a_second_changes_nothing() -> None:
    evening = asked()
    evening.say(answer((1, 2), (3, 4), (5, 6)))
    first = evening.tournament
    for other in (answer((1, 3), (2, 4), (5, 6)), NoPairings(1, is_impossible=True, text="late")):
        assert evening.say(other) == ()
        assert evening.tournament is first


@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_answer_for_another_round_changes_nothing(number: int) -> None:
    evening = asked(rounds=1)
    before = evening.tournament
    assert evening.say(answer((1, 3), (2, 5), (4, 6), number=number)) == ()
    assert evening.tournament is before


FLAWS = {
    "twice": answer((1, 2), (1, 3), (5, 6)),
    "with themselves": answer((1, 1), (3, 4), (5, 6)),
    "one is missing": answer((1, 2), (3, 4)),
    "a bye too many": answer(
        (1, 2), (3, 4), byes=(Bye(5, ByeKind.PAIRING), Bye(6, ByeKind.PAIRING))
    ),
    "a stranger": answer((1, 2), (3, 4), (5, 7)),
    "number 0": answer((1, 2), (3, 4), (5, 0)),
    "nobody": answer(),
    "a bye of half a point": answer((1, 2), (3, 4), byes=(Bye(5, ByeKind.HALF),)),
}


@pytest.mark.parametrize("wrong", FLAWS.values(), ids=FLAWS.keys())
def test_a_wrong_answer_is_no_round_and_the_engine_is_asked_again(wrong: Pairings) -> None:
    evening = asked()
    assert evening.say(wrong) == (PairingWanted(1),)
    assert evening.pairs == []
    assert evening.tournament.tries == 1
    evening.pair()
    assert evening.is_in(Phase.PLANNED)
    assert evening.tournament.tries == 0


def test_the_rules_of_a_swiss_are_kept() -> None:
    evening = Evening(SWISS, 5)
    evening.begin_round()
    first = evening.tournament.rounds[0]
    for place in (1, 2):
        evening.end(1, place, "1-0")
    evening.pass_time()
    (white, black), (third, fourth) = evening.pairs[0]
    free = first.byes[0].number
    u = ByeKind.PAIRING
    tournament = evening.tournament
    again = answer((white, black), (third, free), number=2, byes=(Bye(fourth, u),))
    assert flaw_of_pairings(tournament, again) == f"{white} and {black} have met"
    free_again = answer((white, third), (black, fourth), number=2, byes=(Bye(free, u),))
    assert flaw_of_pairings(tournament, free_again) == f"{free} has had a point without play"
    apart = replace(tournament, forbidden=((min(white, third), max(white, third)),))
    kept = answer((third, white), (fourth, free), number=2, byes=(Bye(black, u),))
    assert flaw_of_pairings(tournament, kept) is None
    assert flaw_of_pairings(apart, kept) == f"{third} and {white} are kept apart"


def test_a_win_without_play_is_a_bye_too() -> None:
    evening = Evening(SWISS, 5)
    evening.begin_round()
    white, black = evening.pairs[0][0]
    evening.say(PlayersWord(player(white), "here"))
    evening.end(1, 1, "+/-")
    evening.end(1, 2, "1-0")
    evening.say(PlayersWord(player(black), "back"))
    while not evening.awaits():
        evening.pass_time()
    (third, fourth), free = evening.pairs[0][1], evening.tournament.rounds[0].byes[0].number
    byes = (Bye(white, ByeKind.PAIRING),)
    again = answer((third, black), (fourth, free), number=2, byes=byes)
    flaw = flaw_of_pairings(evening.tournament, again)
    assert flaw == f"{white} has had a point without play"


def test_no_colour_comes_three_times_in_a_row_but_in_the_last_round() -> None:
    evening = Evening(SWISS, 6)
    for boards in (((1, 2), (3, 4), (5, 6)), ((1, 4), (3, 6), (5, 2))):
        while not evening.awaits():
            evening.pass_time()
        number = evening.tournament.round
        evening.say(answer(*boards, number=number))
        evening.begin_round()
        for place in (1, 2, 3):
            evening.end(number, place, "1-0")
    evening.pass_time()
    thrice = answer((1, 6), (4, 5), (2, 3), number=3)
    assert flaw_of_pairings(evening.tournament, thrice) == "1 would have one colour too often"
    last = replace(evening.tournament, terms=replace(SWISS, rounds=3))
    assert flaw_of_pairings(last, thrice) is None


def test_after_three_failures_the_organiser_is_told_and_pairs_by_hand() -> None:
    evening = asked()
    for _ in range(MAX_TRIES - 1):
        failed = evening.say(NoPairings(1, is_impossible=False, text="it broke"))
        assert failed == (PairingWanted(1),)
    told = evening.say(NoPairings(1, is_impossible=False, text="it broke"))
    assert told == (Told(ORGANISER, "trouble:pairing failed: it broke"),)
    assert evening.tournament.trouble == "pairing failed: it broke"
    boards = ((player(6), player(1)), (player(2), player(5)), (player(4), player(3)))
    evening.say(SetBoards(ORGANISER, evening.now_ms, 1, boards))
    assert evening.pairs == [[(6, 1), (2, 5), (4, 3)]]
    assert (evening.tournament.trouble, evening.tournament.tries) == ("", 0)
    evening.play_round()
    assert evening.is_in(Phase.WAITING)


@pytest.mark.parametrize(
    "answer",
    [
        NoPairings(1, is_impossible=False, text="it broke", asked=1),
        Pairings(1, ((1, 2), (2, 1)), (), "wrong", "", asked=1),
    ],
)
def test_a_failure_that_comes_twenty_times_is_one(answer: NoPairings | Pairings) -> None:
    evening = asked()
    for _ in range(20):
        evening.say(answer)
    assert (evening.tournament.asked, evening.tournament.tries) == (2, 1)
    evening.say(replace(answer, asked=2))
    assert (evening.tournament.asked, evening.tournament.tries) == (3, 2)


def test_an_engine_that_never_answers_counts_as_one_that_fails() -> None:
    evening = asked()
    for _ in range(MAX_TRIES - 1):
        evening.now_ms += PAIRED_MS
        assert evening.say(Due()) == (PairingWanted(1),)
    evening.now_ms += PAIRED_MS
    assert evening.say(Due()) == (
        Told(ORGANISER, "trouble:pairing failed: the engine gave no answer"),
    )


@pytest.mark.parametrize(("rounds", "phase"), [(0, Phase.CANCELLED), (2, Phase.FINISHED)])
def test_what_the_organiser_does_not_settle_is_over_after_ten_minutes(
    rounds: int, phase: Phase
) -> None:
    evening = asked(rounds=rounds)
    number = rounds + 1
    evening.say(NoPairings(number, is_impossible=True, text="none"))
    assert evening.tournament.trouble == "no legal pairing is left"
    evening.now_ms += SETTLE_MS - 1
    evening.say(Due())
    assert evening.is_in(Phase.PAIRING)
    evening.now_ms += 1
    evening.say(Due())
    assert evening.is_in(phase)
    assert len(evening.tournament.rounds) == rounds


def test_pairs_that_are_kept_apart_are_named_where_no_pairing_is_left() -> None:
    evening = Evening(SWISS, 2)
    evening.say(Forbid(ORGANISER, evening.now_ms, player(1), player(2)))
    while not evening.awaits():
        evening.pass_time()
    assert isinstance(engine(evening.tournament), NoPairings)
    evening.pair()
    assert (
        evening.tournament.trouble == "no legal pairing is left; kept apart: 00000000 and 00000000"
    )


def test_the_organiser_can_have_it_paired_again_or_allow_what_the_engine_may_not() -> None:
    evening = asked(4, rounds=3)
    evening.say(NoPairings(4, is_impossible=True, text="none"))
    assert evening.order("pair") == (Told(ORGANISER, "noted"), PairingWanted(4))
    evening.say(NoPairings(4, is_impossible=True, text="none"))
    rematch = ((player(1), player(2)), (player(3), player(4)))
    evening.say(SetBoards(ORGANISER, evening.now_ms, 4, rematch))
    assert evening.pairs[-1] == [(1, 2), (3, 4)]


def test_a_bye_asked_for_is_half_a_point_and_no_board() -> None:
    evening = Evening(SWISS, 6)
    assert evening.say(AskBye(player(3), 2)) == (Told(player(3), "noted"),)
    evening.play_round("1/2-1/2")
    while not evening.awaits():
        evening.pass_time()
    assert evening.tournament.field == (1, 2, 4, 5, 6)
    evening.begin_round()
    byes = {bye.number: bye.kind for bye in evening.tournament.rounds[1].byes}
    assert byes.pop(3) is ByeKind.HALF
    assert list(byes.values()) == [ByeKind.PAIRING]
    assert Told(player(3), "bye:2") in evening.told
    points = {row.number: row.points for row in standings(evening.tournament)}
    assert points[3] == 1.0


def test_who_left_has_no_bye() -> None:
    evening = Evening(SWISS, 6)
    evening.say(AskBye(player(3), 2))
    evening.play_round("1/2-1/2")
    evening.say(PlayersWord(player(3), "leave"))
    evening.begin_round()
    assert 3 not in [bye.number for bye in evening.tournament.rounds[1].byes]


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (1, Reason.WRONG_PHASE),
        (2, None),
        (4, None),
        (5, Reason.WRONG_PHASE),
        (9, Reason.WRONG_PHASE),
        (-1, Reason.WRONG_PHASE),
    ],
)
def test_a_bye_is_for_a_round_that_is_not_planned_and_not_the_last(
    number: int, reason: Reason | None
) -> None:
    evening = asked()
    (reply,) = evening.say(AskBye(player(1), number))
    assert getattr(reply, "reason", None) is reason


def test_a_second_bye_is_refused_and_the_first_asked_for_again_is_one() -> None:
    evening = Evening(SWISS, 6)
    evening.say(AskBye(player(1), 2))
    evening.say(AskBye(player(1), 2))
    assert evening.tournament.entry(1).byes == (2,)
    (reply,) = evening.say(AskBye(player(1), 3))
    assert isinstance(reply, CommandRefused)
    assert reply.reason is Reason.RATE_LIMITED


def test_who_comes_late_is_paired_from_the_next_round_on_and_has_nothing_for_the_others() -> None:
    evening = Evening(SWISS, 6)
    evening.begin_round()
    evening.join(7)
    assert evening.tournament.entry(7).from_round == 2
    for place in (1, 2, 3):
        evening.end(1, place, "1-0")
    points = {row.number: row.points for row in standings(evening.tournament)}
    assert points[7] == 0
    evening.begin_round()
    seated = {number for pair in evening.pairs[1] for number in pair}
    seated |= {bye.number for bye in evening.tournament.rounds[1].byes}
    assert 7 in seated


def test_who_joins_while_the_engine_pairs_waits_for_the_round_after() -> None:
    evening = asked()
    evening.join(7)
    assert evening.tournament.entry(7).from_round == 2
    assert evening.tournament.field == (1, 2, 3, 4, 5, 6)
    evening.say(NoPairings(1, is_impossible=True, text="none"))
    evening.order("pair")
    assert evening.tournament.field == (1, 2, 3, 4, 5, 6), "they were told the round after"


def test_after_the_last_round_for_late_entries_there_are_none() -> None:
    evening = Evening(SWISS, 6)
    for _ in range(3):
        evening.play_round()
    (reply,) = evening.join(7)
    assert isinstance(reply, CommandRefused)
    assert reply.reason is Reason.WRONG_PHASE


def test_who_leaves_after_the_pairing_forfeits_and_is_not_paired_again() -> None:
    evening = asked()
    evening.say(PlayersWord(player(1), "leave"))
    evening.pair()
    evening.begin_round()
    own = next(one for one in evening.tournament.rounds[0].boards if 1 in (one.white, one.black))
    assert own.result is not None
    assert own.result.is_forfeit
    assert own.points_of(1) == 0
    for place, board in enumerate(evening.tournament.rounds[0].boards, 1):
        if board.result is None:
            evening.end(1, place, "1-0")
    evening.begin_round()
    assert 1 not in evening.tournament.field


def test_who_pauses_and_comes_back_before_the_games_begin_plays() -> None:
    evening = asked()
    evening.pair()
    evening.say(PlayersWord(player(1), "pause"))
    evening.say(PlayersWord(player(1), "back"))
    evening.begin_round()
    assert not [board for board in evening.tournament.rounds[0].boards if board.result]


def test_with_fewer_than_two_left_the_organiser_is_told() -> None:
    evening = Evening(SWISS, 3)
    evening.play_round()
    for number in (1, 2):
        evening.say(PlayersWord(player(number), "leave"))
    evening.pass_time()
    assert evening.tournament.trouble == "fewer than two players are there"
    assert evening.is_in(Phase.PAIRING)
    evening.pass_time()
    assert evening.is_in(Phase.FINISHED)
