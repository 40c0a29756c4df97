"""Ids and names for programs: once given, they stay."""

import re
from pathlib import Path

import pytest

from arbiter.nostr.house import HousePlayer
from clients.lichess_api.book import Book
from clients.lichess_api.people import People
from clients.lichess_api.words import name_of
from clients.player.people import House, Profile, Rating
from tests.builders import ALICE, BOB, EVE, NOW_MS

CHALLENGE, GAME = "c" * 32, "d" * 32


@pytest.fixture
def book() -> Book:
    return Book(":memory:")


def test_a_game_has_the_id_of_its_challenge(book: Book) -> None:
    alias = book.alias(CHALLENGE, NOW_MS)
    book.link(GAME, alias, NOW_MS + 1)

    assert re.fullmatch(r"[A-Za-z0-9]{8}", alias)
    assert book.alias(GAME, NOW_MS + 2) == alias == book.alias(CHALLENGE, NOW_MS + 2)
    assert book.ours(alias) == book.ours(alias + "0000") == (GAME, CHALLENGE)
    assert book.ours(GAME) == (GAME,)
    assert book.seen_at(GAME) == NOW_MS + 1


def test_an_id_that_was_given_is_not_given_again_nor_changed(book: Book) -> None:
    alias, other = book.alias(GAME, NOW_MS), book.alias(CHALLENGE, NOW_MS)
    assert book.link(GAME, other, NOW_MS) == alias
    assert book.ours(alias) == (GAME,)
    assert book.ours("") == book.ours("12345678") == ()


def test_ids_names_and_tokens_outlive_the_program(tmp_path: Path) -> None:
    first = Book(tmp_path / "book.db")
    alias, name = first.alias(GAME, NOW_MS), first.name(ALICE.pubkey, "Alice")
    tokens = [first.token(ALICE.pubkey, is_bot=is_bot) for is_bot in (True, False)]
    first.close()
    second = Book(tmp_path / "book.db")

    assert second.alias(GAME, NOW_MS + 9) == alias
    assert [second.token(ALICE.pubkey, is_bot=is_bot) for is_bot in (True, False)] == tokens
    assert len({*tokens, second.token(BOB.pubkey, is_bot=True)}) == 3
    assert second.name(ALICE.pubkey, "Now Another") == name
    assert second.pubkey(name.upper()) == ALICE.pubkey
    assert second.seen_at(GAME) == NOW_MS


@pytest.mark.parametrize(
    ("called", "begins"),
    [
        ("Alice", "alice-"),
        ("Ælîcé  of  Börk!", "lice-of-bork-"),
        ("a name that is much too long", "a-name-that-is-mu-"),
        ("", "player-"),
        ("王", "player-"),
        ("-_-", "player-"),
        ("\x1b[2J\u202e", "2j-"),
    ],
)
def test_a_name_is_what_lichess_calls_one(called: str, begins: str) -> None:
    name = name_of(ALICE.pubkey, called)
    assert name.startswith(begins)
    assert re.fullmatch(r"[a-z0-9_-]{1,30}", name)
    assert len(name) == len(begins) + 12


def test_two_keys_never_share_a_name(book: Book) -> None:
    name = book.name(ALICE.pubkey, "Ann")
    book._file.execute("UPDATE names SET pubkey = ?", (BOB.pubkey,))
    assert book.name(ALICE.pubkey, "Ann") == name_of(ALICE.pubkey, "Ann", is_taken=True) != name


def test_players_are_found_by_name_and_by_key(book: Book) -> None:
    people = People(book)
    name = people.name(ALICE.pubkey, "Ann")
    assert people.pubkey(name) == people.pubkey(ALICE.pubkey) == ALICE.pubkey
    assert people.pubkey("nobody-of-that-name") is None


def test_of_profiles_and_ratings_the_newest_counts(book: Book) -> None:
    people = People(book)
    for known in (
        Rating(ALICE.pubkey, "blitz", 1712, False, 20, 61, 40),
        Rating(ALICE.pubkey, "blitz", 1500, True, 10, 350, 1),
        Profile(BOB.pubkey, "Bobby", 20, {"bot": True}),
        Profile(BOB.pubkey, "Robert", 10),
    ):
        people.learn(known)

    assert people.user(ALICE.pubkey, url="", since=0)["perfs"] == {
        "blitz": {"games": 40, "rating": 1712, "rd": 61, "prog": 0}
    }
    assert people.player(ALICE.pubkey, "blitz")["rating"] == 1712
    assert "provisional" not in people.player(ALICE.pubkey, "blitz")
    assert people.player(ALICE.pubkey, "rapid")["provisional"] is True
    assert people.player(BOB.pubkey, "blitz").get("title") == "BOT"
    assert people.name(BOB.pubkey).startswith("bobby-")
    assert people.player(EVE.pubkey, "blitz")["rating"] == 1500


def test_the_players_of_the_house_are_programs(book: Book) -> None:
    people = People(book)
    people.learn(House((HousePlayer(ALICE.pubkey, 3),), 10))
    assert people.house == {ALICE.pubkey: 3}
    assert people.user(ALICE.pubkey, url="", since=0).get("title") == "BOT"
    assert people.name(ALICE.pubkey).startswith("house-level-3-")
