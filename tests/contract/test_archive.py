"""What every implementation of ``Archive`` does: games in one order, each once, page by page."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import uuid4

import pytest

from arbiter.application.ports import Committed, LobbyChange
from arbiter.application.queries import Place, place_of
from arbiter.core.game import Game, Outcome, Seat, Termination
from tests.builders import NOW_MS, a_game, after
from tests.contract.candidates import Shelf

ALICE, BOB, CAROL = "a1" * 32, "b2" * 32, "c3" * 32


def started(shelf: Shelf, white: str, black: str, at_ms: int) -> Game:
    """A new game of these two that began then, as the lobby puts it there."""
    game = replace(
        a_game(),
        id=uuid4().hex,
        white=Seat(white, "dilger"),
        black=Seat(black, "dilger"),
        created_at_ms=at_ms,
    )
    assert shelf.lobby.commit(LobbyChange(game=game))
    return game


def ended(shelf: Shelf, game: Game) -> Game:
    over = replace(
        game, outcome=Outcome(Termination.RESIGNATION, None), item_version=game.item_version + 1
    )
    assert shelf.games.commit(game, over) == Committed()
    return over


def walked(read: Callable[[Place | None], Sequence[Game]]) -> list[Game]:
    """Every game of every page, until a page is empty."""
    found: list[Game] = []
    place: Place | None = None
    while page := read(place):
        found += page
        assert len(found) < 100, "the walk goes in circles"
        place = place_of(page[-1])
    return found


def newest_first(games: Sequence[Game]) -> list[Game]:
    return sorted(games, key=place_of, reverse=True)


def test_who_never_played_has_no_games(shelf: Shelf) -> None:
    started(shelf, ALICE, BOB, NOW_MS)

    assert list(shelf.archive.games_of(CAROL, 100)) == []


def test_a_players_games_are_those_of_either_colour(shelf: Shelf) -> None:
    his_white = started(shelf, ALICE, BOB, NOW_MS)
    his_black = started(shelf, BOB, ALICE, NOW_MS + 1)
    started(shelf, BOB, CAROL, NOW_MS + 2)

    assert list(shelf.archive.games_of(ALICE, 100)) == [his_black, his_white]


def test_a_game_is_shown_as_it_stands(shelf: Shelf) -> None:
    game = started(shelf, ALICE, BOB, NOW_MS)
    played = after(game, "e4")
    assert shelf.games.commit(game, played) == Committed()

    assert list(shelf.archive.games_of(BOB, 1)) == [played]
    assert list(shelf.archive.live(1)) == [played]


def test_a_walk_meets_every_game_once_whatever_began_together(shelf: Shelf) -> None:
    """Eleven games in three milliseconds, some with both seats the same player's."""
    games = [
        started(shelf, *players, NOW_MS + number // 4)
        for number, players in enumerate(
            [(ALICE, BOB), (BOB, ALICE), (ALICE, ALICE), (CAROL, ALICE)] * 2
            + [(ALICE, CAROL), (ALICE, BOB), (ALICE, ALICE)]
        )
    ]

    for limit in (1, 2, 3, 100):

        def page_of_alice(place: Place | None, limit: int = limit) -> Sequence[Game]:
            return shelf.archive.games_of(ALICE, limit, place)

        def page_of_live(place: Place | None, limit: int = limit) -> Sequence[Game]:
            return shelf.archive.live(limit, place)

        assert walked(page_of_alice) == newest_first(games)
        assert walked(page_of_live) == newest_first(games)


def test_a_page_is_as_long_as_was_asked_for(shelf: Shelf) -> None:
    for number in range(5):
        started(shelf, *[(ALICE, BOB), (BOB, ALICE)][number % 2], NOW_MS + number)

    assert [len(shelf.archive.games_of(ALICE, limit)) for limit in (1, 3, 5, 6)] == [1, 3, 5, 5]
    assert [len(shelf.archive.live(limit)) for limit in (1, 3, 5, 6)] == [1, 3, 5, 5]


def test_an_ended_game_is_live_no_more_and_still_its_players(shelf: Shelf) -> None:
    first, second = (started(shelf, ALICE, BOB, NOW_MS + number) for number in range(2))
    over = ended(shelf, first)

    assert list(shelf.archive.live(100)) == [second]
    assert list(shelf.archive.games_of(ALICE, 100)) == [second, over]


def test_anybody_may_name_any_place(shelf: Shelf) -> None:
    """Also one at which there is no game, and one of somebody else's."""
    old = started(shelf, ALICE, BOB, NOW_MS)
    others = started(shelf, CAROL, BOB, NOW_MS + 5)
    new = started(shelf, ALICE, BOB, NOW_MS + 9)

    places = [
        Place(2**63 - 1, "f" * 32),
        Place(NOW_MS + 7, "0" * 32),
        place_of(others),
        Place(0, "0" * 32),
    ]
    found = [list(shelf.archive.games_of(ALICE, 100, place)) for place in places]
    assert found == [[new, old], [old], [old], []]


def test_games_after_a_place_are_not_disturbed_by_new_ones(shelf: Shelf) -> None:
    old, new = (started(shelf, ALICE, BOB, NOW_MS + number) for number in range(2))
    place = place_of(new)
    started(shelf, ALICE, BOB, NOW_MS + 2)

    assert list(shelf.archive.games_of(ALICE, 100, place)) == [old]
    assert list(shelf.archive.live(100, place)) == [old]


@pytest.mark.parametrize("limit", [-1, 0, 101])
def test_a_page_of_no_length_is_a_bug_and_says_so(shelf: Shelf, limit: int) -> None:
    with pytest.raises(ValueError, match="hundred"):
        shelf.archive.live(limit)
    with pytest.raises(ValueError, match="hundred"):
        shelf.archive.games_of(ALICE, limit)


@pytest.mark.parametrize("player", ["", "A1" * 32, "a1" * 31, "x" * 3000])
def test_what_is_no_key_is_a_bug_and_says_so(shelf: Shelf, player: str) -> None:
    with pytest.raises(ValueError, match="64"):
        shelf.archive.games_of(player, 10)
