"""The contract of ``Games``, and more for those on a table."""

from dataclasses import replace
from uuid import uuid4

import pytest

from arbiter.adapters.items.games import game_key, item_of_game
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.core.game import Game
from arbiter.core.lines import MAX_LINE_PLIES, MAX_LINES, Lines
from tests.builders import NOW_MS, a_game, after
from tests.contract.candidates import TABLES, Store, capacity_spent, item_at
from tests.contract.full_game import a_full_game, random_moves
from tests.contract.race import race

FOOLS_MATE = "f3 e5 g4 Qh4#"
PROMOTION = "h4 g5 hxg5 h6 gxh6 Nf6 h7 Rg8 hxg8=N"


def event_key(number: int) -> bytes:
    return number.to_bytes(8, "big")


def started(store: Store, game: Game | None = None) -> Game:
    """A new game, standing in the store as the lobby puts it there."""
    game = replace(game or a_game(), id=uuid4().hex)
    assert store.lobby.commit(LobbyChange(game=game))
    return game


def changed(game: Game, number: int = 1) -> Game:
    """The next version, which remembers one event key more."""
    return replace(
        game, applied_ids=(*game.applied_ids, event_key(number)), item_version=game.item_version + 1
    )


def test_many_games_and_their_players_are_read_together_none_of_no_game(store: Store) -> None:
    one, other = started(store, a_full_game(40)), started(store)
    missing = [uuid4().hex for _ in range(98)]

    assert store.games.players_of([one.id, other.id, *missing]) == {
        **{game.id: {game.white.player, game.black.player} for game in (one, other)},
        **dict.fromkeys(missing, frozenset()),
    }
    loaded = store.games.load_all([one.id, missing[0], other.id])
    assert loaded == {one.id: one, missing[0]: None, other.id: other}
    assert store.games.load_all([]) == {}


def test_no_text_of_a_stranger_is_a_game_or_a_fault(store: Store) -> None:
    for text in ("", "g#", "x" * 3000, "AB" * 16, "ab" * 16 + "\n", "\ud800", uuid4().hex):
        assert store.games.load(text) is None


def test_every_state_of_a_game_is_loaded_as_it_was_committed(store: Store) -> None:
    for moves in (FOOLS_MATE, PROMOTION):
        game = started(store)
        for number, move in enumerate(moves.split()):
            played = after(game, move)
            played = replace(played, applied_ids=(*game.applied_ids, event_key(number)))
            assert store.games.commit(game, played) == Committed()
            assert store.games.load(game.id) == played
            game = played


def test_conditional_moves_are_loaded_as_they_were_committed_and_taken_out(store: Store) -> None:
    game = started(store)
    lines = tuple(random_moves(seed, MAX_LINE_PLIES) for seed in range(MAX_LINES))
    kept = replace(changed(game), lines=(Lines(b"l" * 32, NOW_MS, 0, lines), None))
    assert store.games.commit(game, kept) == Committed()
    assert store.games.load(game.id) == kept

    gone = replace(changed(kept), lines=(None, Lines(b"m" * 32, NOW_MS, 0, ())))
    assert store.games.commit(kept, gone) == Committed()
    assert store.games.load(game.id) == gone


def test_a_commit_of_another_version_returns_the_stored_game(store: Store) -> None:
    game = started(store)
    ahead = replace(game, item_version=5)
    assert store.games.commit(ahead, changed(ahead)) == Conflict(game)
    newer = changed(game)
    store.games.commit(game, newer)

    # The same commit again meets itself, as a write does whose answer was lost.
    for late in (after(game, "e4"), newer):
        assert store.games.commit(game, late) == Conflict(newer)

    assert store.games.load(game.id) == newer


def test_a_commit_to_no_game_makes_none(store: Store) -> None:
    game = replace(a_game(), id=uuid4().hex)

    assert store.games.commit(game, changed(game)) == Conflict(None)

    assert store.games.load(game.id) is None


def test_a_commit_of_two_versions_at_once_is_a_bug_and_says_so(store: Store) -> None:
    game = started(store)

    with pytest.raises(ValueError, match="one version"):
        store.games.commit(game, replace(changed(game), item_version=game.item_version + 2))
    with pytest.raises(ValueError, match="one version"):
        store.games.commit(game, replace(changed(game), id=uuid4().hex))

    assert store.games.load(game.id) == game


def test_nothing_is_lost_when_many_write_and_try_again(store: Store) -> None:
    game = started(store)

    def write(first: int) -> None:
        for number in range(first, first + 5):
            standing = store.games.load(game.id)
            while standing is not None:
                answer = store.games.commit(standing, changed(standing, number))
                standing = answer.game if isinstance(answer, Conflict) else None

    race(*(lambda first=first: write(first) for first in (0, 10, 20)))

    end = store.games.load(game.id)
    assert end is not None
    written = {event_key(n) for first in (0, 10, 20) for n in range(first, first + 5)}
    assert (end.item_version, set(end.applied_ids), len(end.applied_ids)) == (16, written, 15)


def test_what_a_newer_schema_wrote_is_read_and_survives_a_commit(table: Store) -> None:
    game = started(table)
    newer = {"s": {"N": "2"}, "clock": {"M": {"white_ms": {"N": "1000"}}}, "tags": {"SS": ["x"]}}
    item = {**item_of_game(game), **newer}
    table.client.put_item(TableName=table.table, Item=item)
    played = after(game, "e4")

    assert table.games.load(game.id) == game
    ahead = replace(game, item_version=5)
    assert table.games.commit(ahead, changed(ahead)) == Conflict(game)
    assert table.games.commit(game, played) == Committed()

    assert item_at(table, game_key(game.id)) == {**item_of_game(played), **newer}


@pytest.mark.parametrize("table", TABLES, indirect=True)
def test_a_game_of_65_plies_costs_one_unit_to_read_and_one_to_write(table: Store) -> None:
    game = started(table, a_full_game(65))

    with capacity_spent(table.client) as spent:
        assert table.games.load(game.id) == game
        table.games.commit(game, replace(game, item_version=game.item_version + 1))

    assert spent == [1.0, 1.0]


def test_an_attribute_that_is_gone_is_gone_from_the_item(table: Store) -> None:
    game = started(table, replace(a_game(), white_strikes=1))
    forgiven = replace(game, white_strikes=0, item_version=2)

    assert table.games.commit(game, forgiven) == Committed()

    assert item_at(table, game_key(game.id)) == item_of_game(forgiven)
