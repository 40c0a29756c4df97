"""The contract of ``Archive``: games in one order, each once, page by page."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from arbiter.application.ports import Committed, LobbyChange
from arbiter.application.queries import GameCursor, cursor_of
from arbiter.core.game import Game, Outcome, Seat, Termination
from arbiter.core.pairing import Pool
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import OPEN, PLAIN, Terms
from tests.builders import NOW_MS, a_game, after
from tests.contract.candidates import Shelf

ALICE, BOB, CAROL = "a1" * 32, "b2" * 32, "c3" * 32


def started(shelf: Shelf, white: str, black: str, at_ms: int) -> Game:
    """A new game of these two that began then, as the lobby puts it there."""
    game = replace(
        a_game(),
        id=uuid4().hex,
        white=Seat(white, "native"),
        black=Seat(black, "native"),
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


def walked(read: Callable[[GameCursor | None], Sequence[Game]]) -> list[Game]:
    """Every game of every page, until a page is empty."""
    found: list[Game] = []
    cursor: GameCursor | None = None
    while page := read(cursor):
        found += page
        assert len(found) < 100, "the walk goes in circles"
        cursor = cursor_of(page[-1])
    return found


def waits(shelf: Shelf, name: str, *seeks: Seek) -> Pool:
    before = shelf.lobby.pool(name)
    assert shelf.lobby.commit(LobbyChange(pools=((before, replace(before, waiting=seeks)),)))
    return shelf.lobby.pool(name)


def a_seek(asked_at_ms: int = NOW_MS, terms: Terms = PLAIN) -> Seek:
    return Seek(uuid4().hex * 2, Seat(ALICE, "native"), asked_at_ms, terms)


def test_a_pool_is_found_while_somebody_waits_in_it(shelf: Shelf) -> None:
    old, new = a_seek(NOW_MS), a_seek(NOW_MS + 1)
    one = waits(shelf, "standard:180+2:casual", old)
    other = waits(shelf, "standard:unlimited:casual", new)

    assert list(shelf.archive.pools(100)) == [other, one]
    assert list(shelf.archive.pools(1)) == [other]
    more = waits(shelf, "standard:180+2:casual", old, new)
    assert list(shelf.archive.pools(100)) == [other, more]
    waits(shelf, "standard:180+2:casual")
    assert list(shelf.archive.pools(100)) == [other]
    assert not shelf.archive.live(100)


def test_a_challenge_is_found_while_anybody_may_accept_it(shelf: Shelf) -> None:
    for_all, for_bob, by_link = (
        Challenge(a_seek(terms=replace(PLAIN, opponent=opponent, link_key=key)))
        for opponent, key in ((OPEN, None), (BOB, None), (OPEN, CAROL))
    )
    made = tuple((None, one) for one in (for_all, for_bob, by_link))
    assert shelf.lobby.commit(LobbyChange(challenges=made))

    assert list(shelf.archive.open_challenges(100)) == [for_all]
    assert not shelf.archive.pools(100)
    assert shelf.lobby.commit(LobbyChange(challenges=((for_all, None),)))
    assert not shelf.archive.open_challenges(100)


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
        for page in (
            partial(shelf.archive.games_of, ALICE, limit),
            partial(shelf.archive.live, limit),
        ):
            assert walked(page) == sorted(games, key=cursor_of, reverse=True)
            assert len(page(None)) == min(limit, 11)
    assert list(shelf.archive.games_of("d4" * 32, 100)) == []


def test_a_game_is_shown_as_it_is_and_live_until_it_ends(shelf: Shelf) -> None:
    first, second = (started(shelf, ALICE, BOB, NOW_MS + number) for number in range(2))
    played = after(second, "e4")
    assert shelf.games.commit(second, played) == Committed()
    over = ended(shelf, first)

    assert list(shelf.archive.live(100)) == [played]
    assert list(shelf.archive.games_of(BOB, 100)) == [played, over]


def test_a_walk_may_begin_at_any_place_and_new_games_do_not_disturb_it(shelf: Shelf) -> None:
    old = started(shelf, ALICE, BOB, NOW_MS)
    others = started(shelf, CAROL, BOB, NOW_MS + 5)
    new = started(shelf, ALICE, BOB, NOW_MS + 9)
    cursor = cursor_of(new)
    newest = started(shelf, ALICE, BOB, NOW_MS + 10)

    cursors = [
        GameCursor(2**63 - 1, "f" * 32),
        cursor,
        GameCursor(NOW_MS + 7, "0" * 32),
        cursor_of(others),
        GameCursor(0, "0" * 32),
    ]
    found = [list(shelf.archive.games_of(ALICE, 100, cursor)) for cursor in cursors]
    assert found == [[newest, new, old], [old], [old], [old], []]
    assert list(shelf.archive.live(100, cursor)) == [others, old]


def test_a_page_of_no_length_and_a_key_that_is_none_are_bugs(shelf: Shelf) -> None:
    archive = shelf.archive
    for limit in (-1, 0, 101):
        for read in (archive.live, archive.pools, archive.open_challenges):
            with pytest.raises(ValueError, match="hundred"):
                read(limit)
        with pytest.raises(ValueError, match="hundred"):
            archive.games_of(ALICE, limit)
    for player in ("", "A1" * 32, "a1" * 31, "x" * 3000):
        with pytest.raises(ValueError, match="64"):
            archive.games_of(player, 10)
