"""The hostile inputs and faults of events, each from records to what is published."""

import pytest

from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import TournamentGameOver, TournamentPaired
from arbiter.application.tournaments.messages import entry, tournament_group
from arbiter.core.game import Game
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Board, BoardResult, Phase, Tournament
from tests.application.notes import Published, tag_of
from tests.application.test_tournaments import shown
from tests.application.tournament_evening import Evening, stored
from tests.builders import BOB, SERVER, a_key, an_event
from tests.core.tournaments.play import engine

ANNA, BEN, CLEO, DAN = (a_key(name) for name in ("anna", "ben", "cleo", "dan"))
DEPUTY = a_key("deputy")
SWISS = ("swiss", ("rounds", "3"), ("late", "2"), ("noshow", "10"))


def nobody(game: Game) -> str:
    del game
    return ""


def begun(*terms: str | tuple[str, ...], names: str = "anna ben cleo dan") -> Evening:
    """An event whose first games have begun, and no player has moved."""
    form, *tags = terms or SWISS
    evening = Evening(engine, nobody)
    evening.create(str(form), *tags)  # type: ignore[arg-type]
    evening.join(*names.split())
    evening.run(until=lambda: evening.tournament.phase is Phase.PLAYING and bool(game_ids(evening)))
    return evening


def game_ids(evening: Evening) -> list[str]:
    return [board.game_id for _, _, board in evening.boards() if board.game_id]


def board(evening: Evening, number: int = 1, place: int = 1) -> Board:
    return evening.tournament.rounds[number - 1].boards[place - 1]


def told(evening: Evening, answers: list[str], start: str) -> None:
    assert [one[: len(start)] for one in answers] == [start], answers


def order(evening: Evening, word: str, *tags: tuple[str, ...]) -> list[str]:
    evening.clock.advance(1)
    return evening.say(evening.organiser, word, *tags)


def resign_all(evening: Evening, number: int) -> None:
    """End the games of this round: White resigns."""
    for each in evening.tournament.rounds[number - 1].boards:
        if each.result is None:
            evening.end(evening.game(each.game_id), "white")
    evening.run(0)


def test_who_joins_twice_over_two_relays_has_one_entry() -> None:
    evening = Evening(engine, nobody)
    evening.create("round-robin")
    tags = (("p", SERVER.pubkey), ("a", f"30327:{SERVER.pubkey}:{evening.id}"))
    event = an_event(ANNA, 20307, "join", tags, evening.clock.ms // 1000)
    for _ in "two relays":
        evening.bring(evening.body(event))
    evening.clock.advance(1)
    told(evening, evening.say(ANNA, "join"), "joined")
    assert [one.seat.player for one in evening.tournament.entries] == [ANNA.pubkey]


def test_fresh_keys_that_join_without_end_find_it_full() -> None:
    evening = Evening(engine, nobody)
    evening.create("arena", ("minutes", "5"), ("limit", "8"))
    answers = [evening.say(a_key(f"fresh {number}"), "join")[0] for number in range(100)]
    assert answers[:8] == ["joined"] * 8
    assert {one.partition(" ")[0] for one in answers[8:]} == {"error:full:"}
    assert len(evening.tournament.entries) == 8
    over = entry(TournamentGameOver(evening.id, 1, 1, "ab" * 16))
    assert over.group_id == tournament_group(evening.id), "results wait behind no command"


def test_who_joins_after_the_plan_plays_the_next_round_or_has_the_bye_they_asked_for() -> None:
    evening = begun()
    told(evening, evening.say(a_key("eva"), "join"), "joined")
    told(evening, evening.say(a_key("fred"), "join"), "joined")
    told(evening, evening.say(a_key("fred"), "bye:2"), "noted")
    resign_all(evening, 1)
    evening.run(until=lambda: len(evening.tournament.rounds) == 2)
    published = Published.of(evening.publisher.taken_events, evening.id)
    eva, fred = (a_key(name).pubkey for name in ("eva", "fred"))
    assert (2, fred, "H") in published.byes
    assert published.rows[fred][0] == 0.5
    players = {
        key
        for (number, _), it in published.boards.items()
        if number == 2
        for key in (it.white, it.black)
    }
    assert eva in players | {key for number, key, _ in published.byes if number == 2}


def test_who_leaves_and_comes_back_gains_no_bye() -> None:
    evening = begun()
    points = Published.of(evening.publisher.taken_events, evening.id).rows
    for _ in range(5):
        for word in ("leave", "join", "pause", "back"):
            evening.say(CLEO, word)
    # So many changes are published a few at a time, and then once.
    for body, _ in [*evening.republish.waiting]:
        evening.bring(body)
    assert Published.of(evening.publisher.taken_events, evening.id).rows == points
    assert not any(each.byes for each in evening.tournament.rounds)


def test_a_bye_and_an_edit_that_come_too_late_are_refused() -> None:
    evening = begun()
    told(evening, evening.say(ANNA, "bye:1"), "error:wrong-phase:")
    terms = (("title", "x"), ("format", "swiss"), ("time", "60+0"), ("rounds", "9"))
    starts = ("starts", str(evening.clock.ms // 1000 + 600))
    told(evening, order(evening, "edit", *terms, starts), "error:wrong-phase:")
    assert evening.tournament.terms.rounds == 3


def test_a_stranger_commands_nothing() -> None:
    evening = begun()
    before = stored(evening)
    for word in ("finish", "cancel", "result:1:1:1-0", f"remove:{ANNA.pubkey}", "pair"):
        for key in (ANNA, a_key("stranger")):
            told(evening, evening.say(key, word), "error:not-organiser:")
    assert stored(evening) == before


def test_an_old_command_that_is_replayed_changes_no_later_result() -> None:
    evening = begun()
    order(evening, "result:1:1:1-0")
    old = evening.bodies[-1]
    order(evening, "result:1:1:0-1")
    tags = (("p", SERVER.pubkey), ("a", f"30327:{SERVER.pubkey}:{evening.id}"))
    dated = evening.clock.ms // 1000 - 1
    another = an_event(evening.organiser, 20307, "result:1:1:1/2-1/2", tags, dated)
    for body in (old, evening.body(another)):
        for seconds in (1, 20, 200):
            evening.clock.advance(seconds)
            evening.bring(body)
            assert board(evening).result is BoardResult.BLACK_WINS
    answers = [one.content for one in evening.publisher.taken_events if one.kind == 20301]
    assert answers[-1].startswith("error:stale:")


def test_two_deputies_who_have_it_paired_make_one_round() -> None:
    evening = Evening(engine, nobody)
    evening.create("round-robin", ("p", DEPUTY.pubkey))
    evening.join("anna", "ben", "cleo", "dan")
    told(evening, evening.say(evening.organiser, "pair"), "noted")
    told(evening, evening.say(DEPUTY, "pair"), "noted")
    evening.run(5)
    assert (len(evening.tournament.rounds), evening.tournament.asked) == (1, 1)
    told(evening, evening.say(DEPUTY, "start"), "noted")
    evening.run(0)
    assert len({*game_ids(evening)}) == 2
    assert evening.tournament.stale_before_ms <= evening.clock.ms


def test_the_first_answer_of_engines_of_two_versions_counts() -> None:
    evening = Evening(engine, nobody)
    evening.create("swiss", ("rounds", "2"))
    evening.join("anna", "ben", "cleo", "dan")
    evening.run(until=lambda: evening.tournament.phase is Phase.PLANNED)
    planned = evening.tournament.rounds
    other = Pairings(1, ((4, 1), (3, 2)), (), "gacrux 99", "")
    evening.bring(entry(TournamentPaired(evening.id, other, 1)).body)
    assert evening.tournament.rounds == planned


def test_an_engine_that_fails_is_asked_thrice_and_then_the_organiser_pairs() -> None:
    answers: list[Pairings | NoPairings] = [
        NoPairings(1, is_impossible=False, text="it broke"),
        Pairings(1, ((1, 2), (2, 1)), (), "wrong", ""),
    ]
    asked: list[int] = []

    def broken(_: Tournament) -> Pairings | NoPairings:
        """The next failure, after those of before came again."""
        for body in [one for one in evening.bodies if "tournament_paired" in one] * 20:
            evening.deliver(evening.record(body, group="one"))
        asked.append(evening.tournament.asked)
        return answers[len(asked) % 2]

    evening = Evening(broken, nobody)
    evening.create("swiss", ("rounds", "2"))
    evening.join("anna", "ben", "cleo", "dan")
    evening.run(until=lambda: bool(evening.tournament.trouble))
    assert asked == [1, 2, 3]
    tags = shown(evening)[30327, evening.id]
    assert any(tag[0] == "trouble" for tag in tags)
    pairs = ("boards", *(key.pubkey for key in (ANNA, BEN, CLEO, DAN)))
    told(evening, order(evening, "boards:1", pairs), "noted")
    evening.run(60)
    assert len(game_ids(evening)) == 2


@pytest.mark.parametrize("forbidden", [False, True], ids=["met", "kept apart"])
def test_an_event_without_a_legal_pairing_ends_after_ten_minutes(*, forbidden: bool) -> None:
    evening = Evening(lambda it: NoPairings(it.round, is_impossible=True, text="none"), nobody)
    evening.create("swiss", ("rounds", "2"))
    evening.join("anna", "ben")
    if forbidden:
        told(evening, order(evening, f"forbid:{ANNA.pubkey}:{BEN.pubkey}"), "noted")
    evening.run(until=lambda: bool(evening.tournament.trouble))
    assert evening.tournament.trouble.startswith("no legal pairing is left")
    assert ("kept apart" in evening.tournament.trouble) is forbidden
    evening.run(599)
    assert evening.tournament.is_under_way
    evening.run(2)
    assert not evening.tournament.is_under_way


def test_a_result_that_comes_twenty_times_and_weeks_late_changes_nothing() -> None:
    evening = begun("round-robin")
    resign_all(evening, 1)
    overs = [body for body in evening.bodies if "tournament_game" in body]
    order(evening, "result:1:1:1-0")
    for body in overs * 20:
        evening.bring(body)
    assert board(evening).result is BoardResult.WHITE_WINS
    evening.run()
    before = stored(evening)
    evening.clock.advance(21 * 24 * 3600)
    for body in overs * 20:
        evening.bring(body)
    assert stored(evening) == before


def test_an_organisers_result_counts_and_the_note_stays_that_of_the_game() -> None:
    evening = begun()
    evening.end(evening.game(board(evening).game_id), "white")
    evening.run(0)
    told(evening, order(evening, "result:1:1:1-0"), "noted")
    published = Published.of(evening.publisher.taken_events, evening.id)
    assert published.boards[1, 1].is_corrected
    assert published.boards[1, 1].result == "1-0"
    assert tag_of(published.notes[board(evening).game_id], "result") == "0-1"
    evening.end(evening.game(board(evening, place=2).game_id), "white")
    evening.run(until=lambda: len(game_ids(evening)) == 4)
    told(evening, order(evening, "result:1:1:0-1"), "error:wrong-phase:")


def test_a_forfeit_ends_the_round_of_a_game_that_never_ends() -> None:
    evening = begun()
    evening.end(evening.game(board(evening, place=2).game_id), "white")
    evening.run(0)
    white = evening.tournament.entry(board(evening).white).seat.player
    told(evening, order(evening, f"forfeit:1:{white}"), "noted")
    assert board(evening).result is BoardResult.BLACK_BY_FORFEIT
    assert evening.tournament.phase is Phase.WAITING


def test_a_board_at_which_both_are_absent_gives_no_point() -> None:
    evening = begun()
    evening.run(30)
    results = {one.result for one in evening.tournament.rounds[0].boards}
    assert results == {BoardResult.BOTH_FORFEIT}
    published = Published.of(evening.publisher.taken_events, evening.id)
    assert {points for points, _ in published.rows.values()} == {0.0}


def test_nobody_loses_by_absence_while_no_relay_is_heard() -> None:
    evening = begun(*SWISS[:-1], ("noshow", "60"))
    evening.outages.report_connected(evening.clock.ms)
    evening.run(300)
    assert {one.result for _, _, one in evening.boards()} == {None}
    for _ in range(30):
        evening.outages.report_connected(evening.clock.ms)
        evening.run(5)
    assert {one.result for _, _, one in evening.boards()} == {BoardResult.BOTH_FORFEIT}


def test_who_is_busy_elsewhere_has_both_games() -> None:
    evening = Evening(engine, nobody)
    evening.create("round-robin", ("noshow", "30"))
    evening.join("anna", "ben")
    evening.run(until=lambda: evening.tournament.phase is Phase.PLANNED)
    table = evening.start(ANNA, DAN, ("time", "180+0"))
    table.say("e2e4")
    table.say("e7e5")
    evening.run(until=lambda: bool(game_ids(evening)))
    (game_id,) = game_ids(evening)
    assert evening.game(game_id).deadline_ms() == evening.clock.ms + 30_000
    assert evening.game(table.game_id).deadline_ms() is not None
    player = evening.lobby.player(ANNA.pubkey)
    assert (player.game_id, player.event_games) == (table.game_id, (game_id,))


def test_no_game_of_an_event_is_aborted_taken_back_or_played_again_and_who_quits_loses() -> None:
    evening = begun()
    game = evening.game(board(evening).game_id)
    white = evening.keys[game.white.player]
    for word in ("abort", "takeback", "rematch"):
        evening.say_in(game.id, white, word)
        assert "not-offered-here" in answer_of(evening), word
    evening.say_in(game.id, white, "quit")
    evening.run(0)
    assert board(evening).result is BoardResult.BLACK_WINS


def answer_of(evening: Evening) -> str:
    """The last answer to a player."""
    return [one.content for one in evening.publisher.taken_events if one.kind == 20304][-1]


def test_no_draw_is_agreed_before_the_move_that_the_organiser_chose() -> None:
    evening = begun(*SWISS, ("draws", "40"))
    game = evening.game(board(evening).game_id)
    evening.end(game, "draw")
    evening.run(0)
    assert board(evening).result is None
    assert "not-offered-here" in answer_of(evening)


def test_who_is_removed_from_an_arena_loses_and_enters_no_more() -> None:
    evening = begun("arena", ("minutes", "5"), ("noshow", "10"))
    players = evening.tournament.entry(board(evening).white).seat.player
    told(evening, order(evening, f"remove:{players}"), "noted")
    assert board(evening).result is BoardResult.BLACK_BY_FORFEIT
    told(evening, evening.say(evening.keys[players], "join"), "error:not-entered:")


def test_who_stalls_until_an_arena_ends_wins_nothing() -> None:
    for tags, result in (((("lategames", "count"),), None), ((), BoardResult.VOID)):
        evening = begun("arena", ("minutes", "5"), ("time", "600+0"), *tags, names="anna ben")
        game = evening.game(board(evening).game_id)
        evening.say_in(game.id, evening.keys[game.white.player], "e2e4")
        evening.say_in(game.id, evening.keys[game.black.player], "e7e5")
        evening.run(301)
        assert board(evening).result is result
        assert evening.tournament.is_under_way is (result is None)


def test_an_early_or_doubled_timer_begins_no_round() -> None:
    evening = begun()
    resign_all(evening, 1)
    due_ms, before = evening.tournament.next_ms, stored(evening)
    (timer,) = (one for one in evening._timers() if one.at_ms == due_ms)
    evening.bring(timer_entry(timer, evening.clock.ms).body)
    assert stored(evening) == before
    # The clock of the process may be behind that of the queue.
    evening.clock.ms = timer.at_ms - 50
    for _ in range(2):
        evening.bring(timer_entry(timer, timer.at_ms).body)
        evening.run(0)
        assert [one.number for one in evening.tournament.rounds] == [1, 2]
        assert not game_ids(evening)[2:]


def test_the_games_of_a_cancelled_event_are_played_and_count_nothing() -> None:
    evening = begun()
    told(evening, order(evening, "cancel"), "noted")
    game = evening.game(board(evening).game_id)
    evening.end(game, "white")
    evening.run()
    published = Published.of(evening.publisher.taken_events, evening.id)
    assert published.status == "cancelled"
    assert game.id in published.notes
    assert ("final",) not in shown(evening)[30329, evening.id]
    assert board(evening).result is BoardResult.VOID


def test_a_title_is_shown_without_newlines_and_marks_of_direction() -> None:
    evening = begun(*SWISS, ("title", "A\nB\u202eC\t001 \x1b[2J" + "x" * 80))
    (title,) = (tag[1] for tag in shown(evening)[30327, evening.id] if tag[0] == "title")
    assert title.isprintable()
    assert "\u202e" not in title
    assert 0 < len(title) <= 80


def test_what_another_key_signs_changes_nothing() -> None:
    evening = begun()
    before = stored(evening)
    for event in [
        one for one in evening.publisher.taken_events if one.kind in (30327, 30328, 30329)
    ]:
        forged = an_event(BOB, event.kind, event.content, event.tags, event.created_at + 1)
        evening.bring(evening.body(forged))
    assert stored(evening) == before


def test_of_one_address_no_two_events_have_one_date_and_a_later_one_no_lower_version() -> None:
    evening = begun("arena", ("minutes", "5"), ("noshow", "10"))
    for result in ("1-0", "0-1", "1/2-1/2", "*"):
        evening.say(evening.organiser, f"result:1:1:{result}")
    evening.run()
    kept: dict[tuple[int, str], dict[int, tuple[str, int]]] = {}
    for event in evening.publisher.taken_events:
        if event.kind in (30327, 30328, 30329):
            version = int(next(tag[1] for tag in event.tags if tag[0] == "version"))
            dates = kept.setdefault((event.kind, event.tags[0][1]), {})
            assert dates.setdefault(event.created_at, (event.id, version))[0] == event.id
    for dates in kept.values():
        versions = [dates[at][1] for at in sorted(dates)]
        assert versions == sorted({*versions})


def test_who_is_removed_loses_what_is_to_come_and_keeps_what_was_played() -> None:
    evening = begun("round-robin", ("noshow", "10"), ("interval", "10"))
    resign_all(evening, 1)
    told(evening, order(evening, f"remove:{ANNA.pubkey}"), "noted")
    first = evening.tournament.rounds[0]
    evening.run(until=lambda: len(evening.tournament.rounds) == 3)
    anna = evening.tournament.entry_of(ANNA.pubkey)
    assert anna is not None
    assert evening.tournament.rounds[0] == first
    (second,) = [
        it for it in evening.tournament.rounds[1].boards if anna.number in (it.white, it.black)
    ]
    assert second.points_of(anna.number) == 0
    assert not second.game_id
