"""Words of the organiser and the deputies."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from arbiter.core.replies import Reason
from arbiter.core.tournaments.by_hand import MAX_FORBIDDEN
from arbiter.core.tournaments.commands import (
    Add,
    Create,
    Delay,
    Edit,
    Forbid,
    Forfeit,
    OrganisersCommand,
    OrganisersWord,
    PlayersWord,
    Remove,
    SetBoards,
    SetResult,
    Swap,
)
from arbiter.core.tournaments.corrections import CORRECT_MS
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.organisers import MAX_AHEAD_S
from arbiter.core.tournaments.replies import CommandRefused, PairingWanted, Told, TournamentReply
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.terms import MAX_DEPUTIES, MAX_TITLE_CHARS
from arbiter.core.tournaments.tournament import BoardResult, EntryState, Format, Phase
from tests.builders import NOW_MS
from tests.core.tournaments.play import ORGANISER, TERMS, Evening, player, seat
from tests.core.tournaments.test_players import reason

SWISS = replace(TERMS, format=Format.SWISS, rounds=5, join_until_round=3)
BY_HAND = replace(SWISS, interval_s=None)
DEPUTY = "d" * 64
NOTED = Told(ORGANISER, "noted")

COMMANDS: dict[str, Callable[[str, int], OrganisersCommand]] = {
    "edit": lambda author, at_ms: Edit(author, at_ms, TERMS),
    "close": lambda author, at_ms: OrganisersWord(author, at_ms, "close"),
    "pair": lambda author, at_ms: OrganisersWord(author, at_ms, "pair"),
    "start": lambda author, at_ms: OrganisersWord(author, at_ms, "start"),
    "finish": lambda author, at_ms: OrganisersWord(author, at_ms, "finish"),
    "cancel": lambda author, at_ms: OrganisersWord(author, at_ms, "cancel"),
    "boards": lambda author, at_ms: SetBoards(author, at_ms, 1, ((player(1), player(2)),)),
    "swap": lambda author, at_ms: Swap(author, at_ms, 1, 1, 2),
    "forbid": lambda author, at_ms: Forbid(author, at_ms, player(1), player(2)),
    "add": lambda author, at_ms: Add(author, at_ms, seat(9), 1500),
    "remove": lambda author, at_ms: Remove(author, at_ms, player(1)),
    "forfeit": lambda author, at_ms: Forfeit(author, at_ms, 1, player(1)),
    "result": lambda author, at_ms: SetResult(author, at_ms, 1, 1, BoardResult.DRAW),
    "delay": lambda author, at_ms: Delay(author, at_ms, 60),
}


@pytest.mark.parametrize("word", COMMANDS)
@pytest.mark.parametrize("author", [player(1), player(9), "", DEPUTY])
def test_nobody_else_can_say_it(author: str, word: str) -> None:
    evening = Evening(SWISS, 4)
    before = evening.tournament
    assert reason(evening.say(COMMANDS[word](author, evening.now_ms))) is Reason.NOT_ORGANISER
    assert evening.tournament is before


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_dated_before_the_last_one_that_counted_is_stale(word: str) -> None:
    evening = Evening(SWISS, 4)
    evening.order("close")
    old = COMMANDS[word](ORGANISER, evening.now_ms - 1)
    assert reason(evening.say(old)) is Reason.STALE


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_that_is_delivered_twenty_times_counts_once(word: str) -> None:
    evening = Evening(SWISS, 4)
    if word in ("boards", "swap", "forfeit", "result"):
        evening.order("pair")
        evening.pair()
    if word in ("forfeit", "result"):
        evening.begin_round()
    command = COMMANDS[word](ORGANISER, evening.now_ms)
    evening.say(command)
    once = evening.tournament
    for _ in range(20):
        evening.now_ms += 1_000
        evening.say(command)
    assert evening.tournament is once


def test_a_deputy_whose_clock_is_ahead_does_not_make_other_commands_stale() -> None:
    evening = Evening(SWISS)
    evening.say(Edit(ORGANISER, evening.now_ms, SWISS, (DEPUTY,)))
    for number in range(1, 5):
        evening.join(number)
    evening.say(Forbid(DEPUTY, evening.now_ms + 100_000, player(1), player(2)))
    assert evening.order("close") == (NOTED,)


def test_two_deputies_who_both_have_it_paired_make_one_plan() -> None:
    evening = Evening(SWISS)
    evening.say(Edit(ORGANISER, evening.now_ms, SWISS, (DEPUTY,)))
    for number in range(1, 5):
        evening.join(number)
    assert evening.order("pair") == (NOTED, PairingWanted(1))
    asked = evening.tournament
    assert evening.say(OrganisersWord(DEPUTY, evening.now_ms, "pair")) == (Told(DEPUTY, "noted"),)
    assert evening.tournament is asked
    evening.pair()
    planned = evening.tournament
    evening.say(OrganisersWord(DEPUTY, evening.now_ms, "pair"))
    assert evening.tournament is planned


def test_it_is_made_once() -> None:
    evening = Evening(TERMS, 2)
    before = evening.tournament
    assert evening.say(Create(ORGANISER, TERMS, id="e" * 32)) == (Told(ORGANISER, "created"),)
    assert evening.tournament is before


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (replace(TERMS, title=""), "title: from 1 to 80"),
        (replace(TERMS, title="x" * (MAX_TITLE_CHARS + 1)), "title: from 1 to 80"),
        (replace(TERMS, cycles=3), "cycles: from 1 to 2"),
        (replace(TERMS, limit=1), "limit: from 2 to 1000"),
        (replace(TERMS, no_show_s=9), "noshow: from 10 to 86400"),
        (replace(SWISS, rounds=0), "rounds: from 1 to 30"),
        (replace(SWISS, rounds=31), "rounds: from 1 to 30"),
        (replace(TERMS, format=Format.ARENA), "minutes: from 1 to 720"),
        (replace(TERMS, starts_ms=NOW_MS - 2 * 3_600_000), "starts: lies in the past"),
        (replace(TERMS, starts_ms=-1), None),
    ],
)
def test_terms_out_of_bounds_are_refused(wrong: object, text: str | None) -> None:
    decision = decide_tournament(None, Create(ORGANISER, wrong, id="e" * 32), NOW_MS)  # type: ignore[arg-type]
    assert decision.tournament is None
    (refused,) = decision.replies
    assert isinstance(refused, CommandRefused)
    assert refused.reason is Reason.BAD_TERMS
    assert text is None or refused.text == text


def test_too_many_deputies_are_refused() -> None:
    deputies = tuple(player(number) for number in range(MAX_DEPUTIES + 1))
    decision = decide_tournament(None, Create(ORGANISER, TERMS, deputies, "e" * 32), NOW_MS)
    assert decision.tournament is None


def test_edited_terms_count_until_the_first_pairing() -> None:
    evening = Evening(SWISS, 4)
    later = replace(SWISS, title="Friday", starts_ms=SWISS.starts_ms + 3_600_000)
    evening.say(Edit(ORGANISER, evening.now_ms, later))
    assert evening.tournament.terms == later
    assert evening.tournament.next_ms == later.starts_ms - 10_000
    evening.order("pair")
    assert reason(evening.say(Edit(ORGANISER, evening.now_ms, SWISS))) is Reason.WRONG_PHASE


def test_after_close_nobody_enters_but_whom_the_organiser_adds() -> None:
    evening = Evening(SWISS, 4)
    evening.order("close")
    assert evening.is_in(Phase.WAITING)
    assert reason(evening.join(5)) is Reason.WRONG_PHASE
    evening.say(Add(ORGANISER, evening.now_ms, seat(6), 1500))
    evening.say(Edit(ORGANISER, evening.now_ms, replace(SWISS, title="Friday")))
    assert reason(evening.join(5)) is Reason.WRONG_PHASE, "an edit does not open it again"
    evening.begin_round()
    assert evening.tournament.field == (1, 2, 3, 4, 5)


def test_by_hand_nothing_begins_without_the_organiser() -> None:
    evening = Evening(BY_HAND, 4)
    for _ in range(2):
        assert evening.tournament.round_ms is None
        evening.order("pair")
        evening.pair()
        assert evening.is_in(Phase.PLANNED)
        assert evening.tournament.round_ms is None
        evening.now_ms += 3_600_000
        evening.order("start")
        evening.make_games()
        number = evening.tournament.round
        for board in (1, 2):
            evening.end(number, board, "1-0")
        assert evening.is_in(Phase.WAITING)


@pytest.mark.parametrize(("rounds", "phase"), [(0, Phase.CANCELLED), (1, Phase.FINISHED)])
def test_an_organiser_who_never_comes_back_ends_it(rounds: int, phase: Phase) -> None:
    evening = Evening(BY_HAND, 4)
    for _ in range(rounds):
        evening.order("start")
        evening.play_round()
    evening.pass_time()
    assert evening.is_in(phase)


def test_the_start_comes_at_once_on_the_organisers_word() -> None:
    evening = Evening(SWISS, 4)
    evening.order("start")
    evening.pair()
    assert evening.is_in(Phase.STARTING)
    assert evening.now_ms < SWISS.starts_ms


@pytest.mark.parametrize("word", ["pair", "start"])
def test_one_player_cannot_be_paired(word: str) -> None:
    evening = Evening(SWISS, 1)
    assert reason(evening.order(word)) is Reason.WRONG_PHASE


def planned() -> Evening:
    evening = Evening(BY_HAND, 6)
    evening.order("pair")
    evening.pair()
    return evening


def test_boards_exchange_their_black_players() -> None:
    evening = planned()
    (one, _, other) = evening.pairs[0]
    evening.say(Swap(ORGANISER, evening.now_ms, 1, 1, 3))
    assert evening.pairs[0][0] == (one[0], other[1])
    assert evening.pairs[0][2] == (other[0], one[1])
    assert evening.tournament.rounds[0].engine == "hand"


@pytest.mark.parametrize(("one", "other"), [(1, 1), (0, 1), (1, 4), (-1, 2)])
def test_boards_that_are_not_there_are_not_exchanged(one: int, other: int) -> None:
    evening = planned()
    before = evening.tournament
    evening.say(Swap(ORGANISER, evening.now_ms, 1, one, other))
    assert evening.tournament is before


def test_a_planned_round_is_paired_by_hand_anew() -> None:
    evening = planned()
    evening.say(SetBoards(ORGANISER, evening.now_ms, 1, ((player(6), player(1)),)))
    (each,) = evening.tournament.rounds
    assert evening.pairs == [[(6, 1)]]
    assert {bye.number: bye.kind.points for bye in each.byes} == {2: 0, 3: 0, 4: 0, 5: 0}


@pytest.mark.parametrize(
    ("boards", "expected"),
    [
        (((1, 2), (1, 3)), Reason.BAD_TERMS),
        (((1, 1),), Reason.BAD_TERMS),
        (((1, 9),), Reason.NOT_ENTERED),
        ((), Reason.BAD_TERMS),
    ],
)
def test_by_hand_too_a_player_is_there_once(
    boards: tuple[tuple[int, int], ...], expected: Reason
) -> None:
    evening = planned()
    before = evening.tournament
    named = tuple((player(white), player(black)) for white, black in boards)
    assert reason(evening.say(SetBoards(ORGANISER, evening.now_ms, 1, named))) is expected
    assert evening.tournament is before


def test_once_games_begin_nothing_is_exchanged_or_paired_anew() -> None:
    evening = planned()
    evening.order("start")
    boards = ((player(6), player(1)),)
    assert reason(evening.say(Swap(ORGANISER, evening.now_ms, 1, 1, 2))) is Reason.WRONG_PHASE
    assert (
        reason(evening.say(SetBoards(ORGANISER, evening.now_ms, 1, boards))) is Reason.WRONG_PHASE
    )


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.KNOCKOUT])
def test_a_table_is_not_paired_by_hand(form: Format) -> None:
    evening = Evening(replace(BY_HAND, format=form), 4)
    evening.order("pair")
    evening.pair()
    boards = ((player(1), player(2)), (player(3), player(4)))
    for command in (
        Swap(ORGANISER, evening.now_ms, 1, 1, 2),
        SetBoards(ORGANISER, evening.now_ms, 1, boards),
        Forbid(ORGANISER, evening.now_ms, player(1), player(2)),
    ):
        assert reason(evening.say(command)) is Reason.WRONG_PHASE


def test_pairs_who_are_kept_apart_are_at_most_a_hundred() -> None:
    evening = Evening(SWISS, 20)
    for each in range(2, 2 + MAX_FORBIDDEN):
        one, other = (1 + each // 20, 1 + each % 20) if each % 20 != each // 20 else (20, 19)
        evening.say(Forbid(ORGANISER, evening.now_ms, player(one), player(other)))
    evening.tournament = replace(
        evening.tournament, forbidden=tuple((1, 2) for _ in range(MAX_FORBIDDEN))
    )
    full = Forbid(ORGANISER, evening.now_ms, player(11), player(13))
    assert reason(evening.say(full)) is Reason.FULL
    assert reason(evening.say(Forbid(ORGANISER, evening.now_ms, player(2), player(1)))) is None
    again = Forbid(ORGANISER, evening.now_ms, player(2), player(1), is_undone=True)
    for _ in range(2):
        assert reason(evening.say(again)) is None
        assert (1, 2) not in evening.tournament.forbidden
    assert reason(evening.say(full)) is None, "there is room again"


def test_an_organisers_result_stands_against_that_of_the_game() -> None:
    evening = Evening(SWISS, 4)
    evening.begin_round()
    evening.say(SetResult(ORGANISER, evening.now_ms, 1, 1, BoardResult.DRAW))
    evening.end(1, 1, "1-0")
    board = evening.tournament.rounds[0].boards[0]
    assert (board.result, board.is_corrected) == (BoardResult.DRAW, True)


def test_a_result_is_corrected_until_the_next_pairing() -> None:
    evening = Evening(SWISS, 4)
    evening.play_round("1-0")
    white, black = evening.pairs[0][0]
    assert evening.say(SetResult(ORGANISER, evening.now_ms, 1, 1, BoardResult.BLACK_WINS)) == (
        NOTED,
    )
    points = {row.number: row.points for row in standings(evening.tournament)}
    assert (points[white], points[black]) == (0, 1)
    evening.begin_round()
    late = SetResult(ORGANISER, evening.now_ms, 1, 1, BoardResult.DRAW)
    assert reason(evening.say(late)) is Reason.WRONG_PHASE


@pytest.mark.parametrize(
    ("later_ms", "expected"), [(CORRECT_MS, None), (CORRECT_MS + 1, Reason.WRONG_PHASE)]
)
def test_the_last_results_are_corrected_within_a_day(
    later_ms: int, expected: Reason | None
) -> None:
    evening = Evening(replace(SWISS, rounds=1), 4)
    evening.play("1-0")
    evening.now_ms += later_ms
    late = SetResult(ORGANISER, evening.now_ms, 1, 1, BoardResult.DRAW)
    assert reason(evening.say(late)) is expected
    assert evening.is_in(Phase.FINISHED)


def test_a_result_ends_the_round_of_a_game_that_never_ends() -> None:
    evening = Evening(SWISS, 4)
    evening.begin_round()
    evening.end(1, 1, "1-0")
    evening.say(SetResult(ORGANISER, evening.now_ms, 1, 2, BoardResult.DRAW))
    assert evening.is_in(Phase.WAITING)


@pytest.mark.parametrize(("both", "expected"), [(False, "1"), (True, "12")])
def test_a_forfeited_board_is_lost_by_those_who_forfeit(*, both: bool, expected: str) -> None:
    evening = Evening(SWISS, 4)
    evening.begin_round()
    white, black = evening.pairs[0][0]
    evening.say(Forfeit(ORGANISER, evening.now_ms, 1, player(white)))
    if both:
        evening.say(Forfeit(ORGANISER, evening.now_ms, 1, player(black)))
    board = evening.tournament.rounds[0].boards[0]
    assert board.points_of(white) == 0
    assert board.points_of(black) == (0 if len(expected) == 2 else 1)


def test_who_is_removed_loses_what_is_open_and_what_comes_and_cannot_enter_again() -> None:
    evening = Evening(TERMS, 4)
    evening.begin_round()
    evening.say(Remove(ORGANISER, evening.now_ms, player(1)))
    own = next(one for one in evening.tournament.rounds[0].boards if 1 in (one.white, one.black))
    assert own.result is not None
    assert own.result.is_forfeit
    place = evening.pairs[0].index((own.white, own.black)) + 1
    evening.end(1, place, "1-0" if own.white == 1 else "0-1")
    assert evening.tournament.rounds[0].boards[place - 1].points_of(1) == 0
    assert reason(evening.join(1)) is Reason.NOT_ENTERED
    evening.end(1, 3 - place, "1-0")
    evening.play()
    boards = [one for each in evening.tournament.rounds for one in each.boards]
    assert sum(one.points_of(1) for one in boards) == 0
    assert evening.tournament.entry(1).state is EntryState.REMOVED


def test_who_was_removed_is_removed_once_and_a_stranger_is_no_player() -> None:
    evening = Evening(TERMS, 4)
    evening.say(Remove(ORGANISER, evening.now_ms, player(1)))
    entries = evening.tournament.entries
    evening.say(Remove(ORGANISER, evening.now_ms, player(1)))
    assert evening.tournament.entries == entries
    refused = evening.say(Remove(ORGANISER, evening.now_ms, player(9)))
    assert reason(refused) is Reason.NOT_ENTERED


def test_results_before_a_removal_stay_until_they_are_corrected() -> None:
    evening = Evening(SWISS, 4)
    evening.play_round("1-0")
    white = evening.pairs[0][0][0]
    evening.say(Remove(ORGANISER, evening.now_ms, player(white)))
    points = {row.number: row.points for row in standings(evening.tournament)}
    assert points[white] == 1


@pytest.mark.parametrize("seconds", [0, -5, 700_000])
def test_a_delay_has_bounds(seconds: int) -> None:
    evening = Evening(SWISS, 4)
    assert reason(evening.say(Delay(ORGANISER, evening.now_ms, seconds))) is Reason.BAD_TERMS


def test_what_is_next_comes_later_by_the_delay() -> None:
    evening = Evening(SWISS, 4)
    evening.say(Delay(ORGANISER, evening.now_ms, 60))
    assert evening.tournament.terms.starts_ms == SWISS.starts_ms + 60_000
    evening.play_round()
    round_ms = evening.tournament.round_ms
    assert round_ms is not None
    evening.now_ms += 1_000
    evening.say(Delay(ORGANISER, evening.now_ms, 60))
    assert evening.tournament.round_ms == round_ms + 60_000
    assert evening.tournament.next_ms == round_ms + 50_000


@pytest.mark.parametrize("form", Format)
def test_a_cancelled_event_lets_its_games_end_and_counts_none(form: Format) -> None:
    evening = Evening(replace(SWISS, format=form, minutes=20), 4)
    evening.now_ms = SWISS.starts_ms
    for number in range(1, 5):
        evening.say(PlayersWord(player(number), "here"))
    evening.order("start")
    evening.pair()
    evening.make_games()
    evening.order("cancel")
    over = evening.tournament
    assert (over.phase, over.next_ms) == (Phase.CANCELLED, None)
    evening.end(1, 1, "1-0")
    assert evening.tournament is over


def test_a_finished_event_has_the_standings_of_what_was_played() -> None:
    evening = Evening(SWISS, 4)
    evening.play_round("1-0")
    evening.begin_round()
    evening.order("finish")
    assert evening.is_in(Phase.FINISHED)
    assert sum(row.points for row in standings(evening.tournament)) == 2
    assert reason(Evening(SWISS, 4).order("finish")) is Reason.WRONG_PHASE


@pytest.mark.parametrize(
    "command",
    [PlayersWord(player(1), "here"), *[make(ORGANISER, NOW_MS) for make in COMMANDS.values()]],
)
def test_a_command_for_no_event_is_told_so(command: OrganisersCommand | PlayersWord) -> None:
    decision = decide_tournament(None, command, NOW_MS)
    assert decision.tournament is None
    assert reason(decision.replies) is Reason.UNKNOWN_GAME


def test_an_organiser_who_changes_an_event_too_fast_has_to_wait() -> None:
    evening = Evening(SWISS, 2)
    told: tuple[TournamentReply, ...] = ()
    before = evening.tournament
    while not any(isinstance(one, CommandRefused) for one in told):
        before = evening.tournament
        told = evening.say(Delay(ORGANISER, evening.now_ms, 1 + before.version % 60))
        assert evening.tournament.version - evening.now_ms // 1000 <= MAX_AHEAD_S
    assert told == (CommandRefused(ORGANISER, Reason.RATE_LIMITED, "too many changes: wait 1 s"),)
    assert evening.tournament is before
    evening.now_ms += 1000
    assert evening.say(Delay(ORGANISER, evening.now_ms, 1)) == (NOTED,)
