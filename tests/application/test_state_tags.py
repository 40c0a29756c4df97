"""With which dates states are told, and which of them an ``e`` tag is compared with."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from arbiter.application.play.state_tags import (
    CHECKED_SECONDS,
    SKEW_SECONDS,
    are_all_checked,
    possible_dates,
    resolve_state_tag,
)
from arbiter.application.reply.render import date_answer, date_change
from arbiter.core.commands import AnsweredState, PlayMove, ShowState
from arbiter.core.game import EARLIER_VERSIONS_KEPT, Game
from arbiter.dialects import native
from arbiter.dialects.base import GameCommand
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.script import Conversation, run
from tests.application.world import World
from tests.builders import ALICE, BOB, NOW_MS, SERVER, an_event

NOW = NOW_MS // 1000
HOUR_MS = 3600 * 1000
WEEKS_MS = 15 * 24 * HOUR_MS
MOVED = "alice challenge open; bob accept c1; alice e2e4; mark s1\n"


def test_a_state_read_before_an_offer_and_told_after_it_can_be_answered() -> None:
    talk = run(MOVED)
    before, told_at = talk.game(), talk.world.clock.ms // 1000 + 10
    talk.line("wait 4s; alice draw")
    talk.players.marks["x"] = SERVER.sign(native.state(before, told_at, SERVER.pubkey))
    talk.line("bob e7e5 /at=x > state")


def test_an_answer_is_dated_before_its_game_is_read() -> None:
    """No later date may show an earlier version, however long the answer takes."""
    talk = run(MOVED + "wait 4s")
    games, read_at = talk.world.games, list[int]()

    class SlowGames:
        load_all, commit = staticmethod(games.load_all), staticmethod(games.commit)

        @staticmethod
        def load(game_id: str) -> Game | None:
            read_at.append(talk.world.clock.ms // 1000)
            talk.world.clock.advance(2)
            return games.load(game_id)

    talk.world.deps = replace(talk.world.deps, games=SlowGames)
    talk.line("alice state > alice started | state")
    assert talk.world.publisher.taken_events[-1].created_at == read_at[0]


@pytest.mark.parametrize(
    ("after_seconds", "change", "answer"),
    [(-5, 0, 0), (0, 0, 0), (1, 0, 1), (60, 0, 60), (61, 61, 61), (3601, 3601, 3601)],
)
def test_a_change_keeps_the_date_of_its_commit_for_a_minute_and_an_answer_has_its_own(
    after_seconds: int, change: int, answer: int
) -> None:
    now_ms = NOW_MS + after_seconds * 1000
    assert date_change(NOW_MS, now_ms) - NOW == change
    assert date_answer(NOW_MS, now_ms) - NOW == answer


def test_the_dates_of_a_version_end_where_the_next_one_begins() -> None:
    dates = [*possible_dates(NOW_MS, NOW_MS + 10_000, NOW_MS + 100_000)]
    assert dates == [NOW, *range(NOW + 10 + SKEW_SECONDS, NOW, -1)]


def asked(game: Game, state_id: str = "0" * 64) -> GameCommand:
    move = PlayMove(player=BOB.pubkey, uci="e7e5", made_at_ms=0, received_at_ms=0)
    return GameCommand(game.id, move, state_id)


def dates_tried(game: Game, now_ms: int) -> dict[int, list[int]]:
    """By state version, the dates (unix seconds) that a state which is none is compared with."""
    tried: dict[int, list[int]] = {}

    def shows(version: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
        tried[version.state_version] = [*times]
        return False

    resolve_state_tag(World().deps, asked(game), game, replace(native.DIALECT, shows=shows), now_ms)
    return tried


def lives(game: Game, now_ms: int) -> list[tuple[int, int, int]]:
    """Each version's number and the seconds from when to when it was the present one."""
    earlier = [(it.number, it.since_ms) for it in game.earlier_versions[::-1]]
    starts = [(game.state_version, game.changed_at_ms), *earlier]
    ends = [now_ms, *(since_ms for _, since_ms in starts)]
    return [
        (number, since_ms // 1000, end_ms // 1000)
        for (number, since_ms), end_ms in zip(starts, ends, strict=False)
    ]


@pytest.mark.parametrize("offers", [0, 1, EARLIER_VERSIONS_KEPT])
def test_every_date_of_an_hour_is_tried_once_for_the_version_that_it_was_told_of(
    offers: int,
) -> None:
    game = run(MOVED).game()
    since_ms = game.changed_at_ms
    for at in range(offers):
        game = game.with_offer(None, since_ms + (at + 1) * 300_000)
    tried = dates_tried(game, since_ms + HOUR_MS)
    for number, since, until in lives(game, since_ms + HOUR_MS):
        assert set(range(since, until + 1)) <= {*tried[number]}
        assert tried[number][0] == since
        assert tried[number][1:] == sorted(tried[number][1:], reverse=True)
        assert len(tried[number]) == len({*tried[number]})


def test_a_bogus_state_costs_an_hour_of_hashes_however_many_offers_there_were() -> None:
    game = run(MOVED).game()
    for at in range(1, EARLIER_VERSIONS_KEPT + 1):
        game = game.with_offer(None, game.created_at_ms + at * WEEKS_MS)
    tried = dates_tried(game, game.changed_at_ms + WEEKS_MS)
    most = CHECKED_SECONDS + SKEW_SECONDS + EARLIER_VERSIONS_KEPT + 2
    assert sum(map(len, tried.values())) <= most
    assert [dates[0] for dates in tried.values()] == [since for _, since, _ in lives(game, 0)]


@pytest.mark.parametrize(
    ("seconds", "answers"), [(3600, AnsweredState.OLDER), (3602, AnsweredState.UNPLACED)]
)
def test_a_state_is_an_older_one_only_while_every_date_of_the_present_one_was_tried(
    seconds: int, answers: AnsweredState
) -> None:
    game = run(MOVED).game()
    now_ms = game.changed_at_ms + seconds * 1000
    command = resolve_state_tag(World().deps, asked(game), game, native.DIALECT, now_ms)
    assert isinstance(command, PlayMove)
    assert command.answers is answers
    assert are_all_checked(game.changed_at_ms, now_ms) is (answers is AnsweredState.OLDER)


def test_the_present_state_is_the_latest_and_no_hash_is_spent_on_a_question() -> None:
    talk = run(MOVED)
    game, now_ms = talk.game(), talk.world.clock.ms
    command = resolve_state_tag(
        talk.world.deps, asked(game, talk.state().id), game, native.DIALECT, now_ms
    )
    assert isinstance(command, PlayMove)
    assert command.answers is AnsweredState.LATEST
    question = GameCommand(game.id, ShowState(game.black.player), "0" * 64)
    same = resolve_state_tag(talk.world.deps, question, game, native.DIALECT, NOW_MS)
    assert same is question.command


def answers_within_a_second(talk: Conversation, *players: SecretKey) -> list[VerifiedEvent]:
    """The states that these players are shown who ask at the same time."""
    tags, at = (("d", talk.game().id), ("p", SERVER.pubkey)), talk.world.clock.ms // 1000
    return [
        event
        for player in players
        for event in talk.world.hear(an_event(player, 20303, "state", tags, at))
        if event.kind == native.GAME_STATE
    ]


def test_answers_within_a_second_are_events_of_their_own_and_each_can_be_answered() -> None:
    """@nostr-relay/core drops an id that it has seen: the second who asked saw nothing."""
    talk = run("alice seek; bob seek")
    moved_at = talk.world.clock.ms
    talk.line("alice e2e4; mark moved")
    talk.world.clock.ms = moved_at + 1000
    told = answers_within_a_second(talk, ALICE, BOB)
    changed = talk.players.marks["moved"]
    assert len({changed.id, *(event.id for event in told)}) == 3
    for event in told:
        command = resolve_state_tag(
            talk.world.deps, asked(talk.game(), event.id), talk.game(), native.DIALECT, NOW_MS
        )
        assert isinstance(command, PlayMove)
        assert command.answers is AnsweredState.LATEST


def test_a_question_that_is_delivered_twice_has_one_answer() -> None:
    talk = run(MOVED)
    first, second = answers_within_a_second(talk, ALICE, ALICE)
    assert first == second


@pytest.mark.parametrize(
    ("after", "answers"),
    [
        ("", AnsweredState.LATEST),
        ("alice draw", AnsweredState.EARLIER_VERSION),
        ("bob e7e5", AnsweredState.OLDER),
        ("wait 59m", AnsweredState.LATEST),
        ("wait 59m; alice draw", AnsweredState.EARLIER_VERSION),
        ("wait 3h", AnsweredState.UNPLACED),
    ],
)
def test_an_answer_names_the_version_that_it_showed(after: str, answers: AnsweredState) -> None:
    talk = run(MOVED + "wait 30m")  # an hour of the counters ends meanwhile
    (event,) = answers_within_a_second(talk, ALICE)
    talk.line(after or "wait 1s")
    now_ms = talk.world.clock.ms
    command = resolve_state_tag(
        talk.world.deps, asked(talk.game(), event.id), talk.game(), native.DIALECT, now_ms
    )
    assert isinstance(command, PlayMove)
    assert command.answers is answers
