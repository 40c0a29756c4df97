"""Properties of every tournament, for any commands in any order."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arbiter.core.tournaments.commands import (
    Add,
    AskBye,
    Create,
    Delay,
    Due,
    Edit,
    Forbid,
    Forfeit,
    GameOver,
    GamesMade,
    Join,
    NoPairings,
    OrganisersWord,
    Pairings,
    PlayersWord,
    Remove,
    SetBoards,
    SetResult,
    Swap,
    TournamentCommand,
)
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.games import game_of_board
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import (
    BoardResult,
    Bye,
    ByeKind,
    EntryState,
    Format,
    Phase,
    Tournament,
)
from tests.builders import NOW_MS, a_game
from tests.core.tournaments.play import ENDS, ORGANISER, TERMS, Evening, engine, player, seat

ALL = {
    form: replace(TERMS, format=form, rounds=4, minutes=15, join_until_round=3) for form in Format
}
FORMATS = st.sampled_from(Format)
NUMBERS = st.integers(-1, 8)
PLAYERS = st.integers(1, 8).map(player)
WHO = st.sampled_from([ORGANISER, ORGANISER, ORGANISER, player(1), "x"])
AT = st.integers(-200_000, 200_000).map(lambda ms: NOW_MS + 600_000 + ms)
PAIRS = st.tuples(NUMBERS, NUMBERS)
BYES = st.builds(Bye, NUMBERS, st.sampled_from(ByeKind))
GAMES = st.sampled_from(
    [replace(a_game(), outcome=end, ended_at_ms=NOW_MS) for end in ENDS.values()]
)
ANYTHING = st.one_of(
    st.builds(Create, WHO, st.sampled_from(list(ALL.values())), st.just(()), st.just("e" * 32)),
    st.builds(Edit, WHO, AT, st.sampled_from(list(ALL.values()))),
    st.builds(Join, st.integers(1, 8).map(seat), st.integers(0, 3000)),
    st.builds(PlayersWord, PLAYERS, st.sampled_from(["leave", "here", "pause", "back", "hello"])),
    st.builds(AskBye, PLAYERS, NUMBERS),
    st.builds(
        OrganisersWord,
        WHO,
        AT,
        st.sampled_from(["close", "pair", "start", "pair", "start", "finish", "cancel", "hello"]),
    ),
    st.builds(
        SetBoards, WHO, AT, NUMBERS, st.lists(st.tuples(PLAYERS, PLAYERS), max_size=4).map(tuple)
    ),
    st.builds(Swap, WHO, AT, NUMBERS, NUMBERS, NUMBERS),
    st.builds(Forbid, WHO, AT, PLAYERS, PLAYERS),
    st.builds(Add, WHO, AT, st.integers(1, 8).map(seat), st.integers(0, 3000)),
    st.builds(Remove, WHO, AT, PLAYERS),
    st.builds(Forfeit, WHO, AT, NUMBERS, PLAYERS),
    st.builds(SetResult, WHO, AT, NUMBERS, NUMBERS, st.sampled_from(BoardResult)),
    st.builds(Delay, WHO, AT, st.integers(-10, 1_000_000)),
    st.just(Due()),
    st.builds(
        Pairings,
        NUMBERS,
        st.lists(PAIRS, max_size=4).map(tuple),
        st.lists(BYES, max_size=2).map(tuple),
        st.just("any"),
        st.just(""),
    ),
    st.builds(NoPairings, NUMBERS, st.booleans(), st.text(max_size=3)),
    st.builds(GamesMade, NUMBERS, NUMBERS, st.just(())),
    st.builds(GameOver, NUMBERS, NUMBERS, GAMES),
)
STEPS = st.lists(
    st.one_of(ANYTHING, st.sampled_from(["time", "engine", "games", "end"])), max_size=60
)


def is_sound(tournament: Tournament) -> None:
    """Everything that no command may break."""
    for each in tournament.rounds:
        seats = [number for board in each.boards for number in (board.white, board.black)]
        seats += [bye.number for bye in each.byes]
        assert max(Counter(seats).values()) == 1, f"twice in round {each.number}: {seats}"
        assert set(seats) <= set(range(1, len(tournament.entries) + 1))
        assert 0 <= each.started <= len(each.boards)
    assert [each.number for each in tournament.rounds] == [
        number + 1 for number in range(len(tournament.rounds))
    ]
    assert [entry.number for entry in tournament.entries] == [
        number + 1 for number in range(len(tournament.entries))
    ]
    assert len({entry.seat.player for entry in tournament.entries}) == len(tournament.entries)
    assert tournament.round - len(tournament.rounds) in (0, 1)
    if tournament.is_under_way:
        assert tournament.next_ms is not None, "it would wait for ever"
    else:
        assert tournament.next_ms is None
        assert all(each.is_done for each in tournament.rounds)
    if tournament.phase in (Phase.STARTING, Phase.PLAYING) and tournament.rounds:
        is_arena = tournament.terms.format is Format.ARENA
        assert is_arena or not tournament.rounds[-1].is_done
    rows = standings(tournament)
    assert sorted(row.number for row in rows) == [entry.number for entry in tournament.entries]


@settings(max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(form=FORMATS, players=st.integers(0, 6), steps=STEPS)
def test_no_command_in_any_phase_raises_or_breaks_it(
    form: Format, players: int, steps: list[TournamentCommand | str]
) -> None:
    evening = Evening(ALL[form], players)
    for step in steps:
        before = evening.tournament
        match step:
            case "time":
                if before.next_ms is not None:
                    evening.pass_time()
            case "engine":
                if before.awaits_pairings:
                    evening.say(engine(before))
            case "games":
                evening.make_games()
            case "end":
                for each, board in before.boards():
                    if board.result is None:
                        evening.end(each.number, each.boards.index(board) + 1, "0-1")
                        break
            case _:
                evening.say(step)  # type: ignore[arg-type]
        after = evening.tournament
        assert after.version >= before.version
        is_sound(after)


@settings(max_examples=30, deadline=None)
@given(form=FORMATS, players=st.integers(2, 7), seed=st.integers(0, 2**32))
def test_results_in_any_order_delivered_thrice_give_the_same_standings(
    form: Format, players: int, seed: int
) -> None:
    chance = random.Random(seed)
    evening = Evening(ALL[form])
    other = Evening(ALL[form])
    for number in range(1, players + 1):
        evening.join(number, 1500 + number)
        other.join(number, 1500 + number)
    evening.now_ms = other.now_ms = TERMS.starts_ms
    for each in (evening, other):
        for number in range(1, players + 1):
            each.say(PlayersWord(player(number), "here"))
        each.order("start")
        each.pair()
        each.make_games()
    number = evening.tournament.round
    ends = [
        GameOver(
            number, place, evening.game(number, place, chance.choice(["1-0", "0-1", "1/2-1/2"]))
        )
        for place in range(1, len(evening.tournament.rounds[-1].boards) + 1)
    ]
    for end in ends:
        evening.say(end)
    many = [*ends * 3]
    chance.shuffle(many)
    for end in many:
        other.say(end)
    assert standings(other.tournament) == standings(evening.tournament)
    assert other.tournament.rounds == evening.tournament.rounds


def ends_of(evening: Evening, chance: random.Random) -> list[TournamentCommand]:
    """Most ends of the games that can have begun, and that they have."""
    tournament, said = evening.tournament, list[TournamentCommand]()
    for each in tournament.rounds:
        phases = (Phase.STARTING, Phase.PLAYING)
        if each.number == tournament.round and tournament.phase not in phases:
            continue
        for place in range(1, len(each.boards) + 1):
            is_open = game_of_board(tournament, each.number, place, "ab" * 16, evening.now_ms)
            if is_open and chance.random() < 0.7:
                result = chance.choice(["1-0", "0-1", "1/2-1/2", "+/-"])
                game = evening.game(each.number, place, result)
                said.append(GameOver(each.number, place, game))
        if chance.random() < 0.8:
            said.append(GamesMade(each.number, len(each.boards)))
    return said


@settings(max_examples=20, deadline=None)
@given(form=FORMATS, players=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_records_in_any_order_and_again_change_no_round_that_is_planned(
    form: Format, players: int, seed: int
) -> None:
    """Every message may come twice, late and out of order; so do timers."""
    chance = random.Random(seed)
    evening = Evening(ALL[form], players)
    evening.now_ms = TERMS.starts_ms
    for number in range(1, players + 1):
        evening.say(PlayersWord(player(number), "here"))
    said: list[TournamentCommand] = [Due()]
    for _ in range(40):
        if evening.tournament.awaits_pairings and not evening.tournament.trouble:
            said.append(engine(evening.tournament))
        said += ends_of(evening, chance)
        evening.now_ms += chance.choice([0, 5_000, 30_000, 600_000])
        for command in [said[-1], *chance.choices(said, k=4), Due()]:
            pairs, results = evening.pairs, results_of(evening)
            evening.say(command)
            is_sound(evening.tournament)
            assert evening.pairs[: len(pairs)] == pairs, "a planned round is another"
            kept = {at: result for at, result in results_of(evening).items() if at in results}
            assert kept == results, "a result is another"


def results_of(evening: Evening) -> dict[tuple[int, int], BoardResult]:
    return {
        (each.number, place): board.result
        for each in evening.tournament.rounds
        for place, board in enumerate(each.boards, 1)
        if board.result
    }


@pytest.mark.parametrize("form", Format)
def test_every_format_comes_to_its_end(form: Format) -> None:
    chance = random.Random(7)
    evening = Evening(ALL[form], 8)
    for number in range(1, 9):
        evening.say(PlayersWord(player(number), "here"))
    for _ in range(4_000):
        if not evening.tournament.is_under_way:
            break
        for number in range(1, 9):
            evening.say(PlayersWord(player(number), "here"))
        if evening.tournament.awaits_pairings and not evening.tournament.trouble:
            evening.pair()
        evening.make_games()
        for each in evening.tournament.rounds:
            for place, board in enumerate(each.boards, 1):
                if board.result is None and each.started:
                    evening.end(each.number, place, chance.choice(["1-0", "1/2-1/2", "0-1"]))
        if evening.tournament.next_ms is not None:
            evening.pass_time()
    assert evening.is_in(Phase.FINISHED)
    assert all(entry.state is EntryState.IN for entry in evening.tournament.entries)
    assert decide_tournament(evening.tournament, Due(), evening.now_ms + 10**9).tournament is (
        evening.tournament
    )
