"""The listener's look-ups of a game's players."""

import queue
from collections.abc import Collection, Mapping

import pytest

from arbiter.adapters.relays.ingest import ALL_TOLD_RATE
from arbiter.adapters.relays.player_lookup import (
    MAX_GAMES,
    PAUSE_SECONDS,
    PlayerLookup,
    pause_seconds,
)
from arbiter.adapters.relays.rate_limits import GAME_RATE
from tests.adapters.relays.ingest_harness import flood
from tests.adapters.relays.stand_ins import GAME, a_move, json_of
from tests.adapters.relays.watched_listener import listening
from tests.builders import ALICE, BOB, a_game
from tests.fakes.relay import PATIENCE_SECONDS, FakeRelay
from tests.fakes.stores import FakeGames

PLAYERS = frozenset({ALICE.pubkey, BOB.pubkey})
NO_PLAYERS: frozenset[str] = frozenset()


class Table:
    """Players of games, for each call that comes; a call that gets an exception raises it."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[Mapping[str, frozenset[str]] | Exception] = (
            queue.SimpleQueue()
        )

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        self.calls.put([*game_ids])
        answer = self.answers.get(timeout=PATIENCE_SECONDS)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_games_asked_for_during_a_look_up_share_the_next_one() -> None:
    table = Table()
    told: queue.SimpleQueue[Mapping[str, frozenset[str] | None]] = queue.SimpleQueue()
    lookup = PlayerLookup(table)
    lookup.start(told.put)
    lookup.ask(GAME)
    assert table.calls.get(timeout=PATIENCE_SECONDS) == [GAME]
    more = [f"{number:032x}" for number in range(MAX_GAMES + 1)]
    for game_id in (*more[:2], *more):
        lookup.ask(game_id)
    table.answers.put({GAME: PLAYERS})
    table.answers.put(ConnectionError())
    table.answers.put({more[-2]: NO_PLAYERS})

    assert told.get(timeout=PATIENCE_SECONDS) == {GAME: PLAYERS}
    assert table.calls.get(timeout=PATIENCE_SECONDS) == more[: MAX_GAMES - 2]
    assert told.get(timeout=PATIENCE_SECONDS) == dict.fromkeys(more[: MAX_GAMES - 2])
    assert told.get(timeout=PATIENCE_SECONDS) == {
        **dict.fromkeys(more[MAX_GAMES - 2 :]),
        more[-2]: NO_PLAYERS,
    }
    lookup.stop()


@pytest.mark.parametrize(
    ("asked", "games", "share"),
    [(MAX_GAMES, MAX_GAMES, 0), (MAX_GAMES, 75, 0.25), (MAX_GAMES, 0, 1), (99, 99, 1)],
)
def test_after_a_full_call_only_what_is_no_game_delays_the_next(
    asked: int, games: int, share: float
) -> None:
    ids = [f"{number:032x}" for number in range(asked)]
    found = {id_: PLAYERS if at < games else NO_PLAYERS for at, id_ in enumerate(ids)}
    assert pause_seconds(ids, found) == pytest.approx(PAUSE_SECONDS * share)
    assert pause_seconds(ids, {}) == PAUSE_SECONDS


@pytest.mark.parametrize("is_down", [False, True])
def test_a_listener_asks_the_table_and_without_an_answer_passes_everything_on(
    *, is_down: bool
) -> None:
    def hook(point: str) -> None:
        if is_down:
            raise ConnectionError(point)

    move, last = a_move("e2e4"), a_move("d2d4")
    events = [*flood(words=5), move, *flood(words=5), last]
    games = FakeGames(a_game(), hook=hook)
    with FakeRelay() as relay, listening(relay, games=games) as watched:
        relay.message("REQ")
        for event in events:
            relay.broadcast(json_of(event))
        number = 1
        while last.id not in (queued := watched.queue.ids(number)):
            number += 1
    if is_down:
        assert sorted(queued) == sorted(event.id for event in events)
    else:
        assert [id_ for id_ in queued if id_ in {move.id, last.id}] == [move.id, last.id]
        # Some of those that were too many are queued for their authors to be told.
        assert len(queued) < 2 + 2 * (GAME_RATE.burst + ALL_TOLD_RATE.burst)
