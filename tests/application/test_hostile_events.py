"""The hostile inputs and faults of events, each from records to what is published."""

from arbiter.application.intake.routing import timer_entry
from arbiter.core.game import Game
from arbiter.core.tournaments.tournament import Board, BoardResult, Phase
from tests.application.notes import Published, tag_of
from tests.application.test_tournaments import shown
from tests.application.tournament_evening import Evening, stored
from tests.builders import BOB, a_key, an_event
from tests.core.tournaments.play import engine

ANNA, DAN = a_key("anna"), a_key("dan")
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
