"""That a listener asks the table who plays, and does without it where it must."""

import queue
from collections.abc import Collection, Mapping

from arbiter.adapters.relays.player_lookup import MOST_GAMES, PlayerLookup
from arbiter.adapters.relays.stranger_limiter import GAME_RATE
from tests.adapters.relays.ears import listening
from tests.adapters.relays.gate import flood
from tests.adapters.relays.watching import GAME, a_move, json_of
from tests.builders import ALICE, BOB, a_game
from tests.fakes.games import FakeGames
from tests.fakes.relay import PATIENCE_SECONDS, FakeRelay

PLAYERS = frozenset({ALICE.pubkey, BOB.pubkey})
NOBODY: frozenset[str] = frozenset()


class Table:
    """Who plays, for each call that comes; a call that gets an exception raises it."""

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


def test_what_is_asked_during_one_call_is_asked_together_in_the_next() -> None:
    table = Table()
    told: queue.SimpleQueue[Mapping[str, frozenset[str] | None]] = queue.SimpleQueue()
    lookup = PlayerLookup(table)
    lookup.start(told.put)
    lookup.ask(GAME)
    assert table.calls.get(timeout=PATIENCE_SECONDS) == [GAME]
    more = [f"{number:032x}" for number in range(MOST_GAMES + 1)]
    for game_id in (*more[:2], *more):
        lookup.ask(game_id)
    table.answers.put({GAME: PLAYERS})
    table.answers.put(ConnectionError())
    table.answers.put({more[-2]: NOBODY})

    assert told.get(timeout=PATIENCE_SECONDS) == {GAME: PLAYERS}
    assert table.calls.get(timeout=PATIENCE_SECONDS) == more[: MOST_GAMES - 2]
    assert told.get(timeout=PATIENCE_SECONDS) == dict.fromkeys(more[: MOST_GAMES - 2])
    assert told.get(timeout=PATIENCE_SECONDS) == {
        **dict.fromkeys(more[MOST_GAMES - 2 :]),
        more[-2]: NOBODY,
    }
    lookup.stop()


def hears_a_flood(games: FakeGames) -> tuple[list[str], list[str]]:
    """The ids of what a listener hears, a move amid a flood and another after it, and of what it
    queued.
    """
    events = [*flood(words=5), a_move("e2e4"), *flood(words=5), a_move("d2d4")]
    with FakeRelay() as relay, listening(relay, games=games) as ears:
        relay.message("REQ")
        for event in events:
            relay.broadcast(json_of(event))
        number = 1
        while events[-1].id not in ears.queue.ids(number):
            number += 1
        return [event.id for event in events], ears.queue.ids(number)


def test_a_listener_asks_the_table_and_passes_the_players_words_on() -> None:
    said, queued = hears_a_flood(FakeGames(a_game()))
    assert [id_ for id_ in queued if id_ in {said[200], said[-1]}] == [said[200], said[-1]]
    assert len(queued) < 2 + 2 * GAME_RATE.burst


def test_a_listener_whose_table_is_down_passes_everything_on() -> None:
    def down(point: str) -> None:
        raise ConnectionError(point)

    said, queued = hears_a_flood(FakeGames(a_game(), hook=down))
    assert sorted(queued) == sorted(said)
