"""Names that requests carry: into states, PGN, rematches, and nowhere else."""

import io

import chess.pgn
import pytest

from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event

_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


class Names:
    """An arbiter, and two players who ask it by events with tags of their choice."""

    def __init__(self) -> None:
        self.world = World()

    def ask(self, key: SecretKey, *tags: tuple[str, ...], content: str = "") -> None:
        self.world.clock.ms += 1000
        asked = an_event(
            key, 20300, content, (("p", SERVER.pubkey), *tags), self.world.clock.ms // 1000
        )
        self.world.hear(asked)

    def say(self, key: SecretKey, content: str) -> None:
        self.world.clock.ms += 1000
        game_id = self.world.lobby.player(key.pubkey).game_id or ""
        tags = (("d", game_id), ("p", SERVER.pubkey))
        self.world.hear(an_event(key, 20303, content, tags, self.world.clock.ms // 1000))

    def play_mate(self) -> None:
        for uci in _MATE:
            game_id = self.world.lobby.player(ALICE.pubkey).game_id
            assert game_id
            game = self.world.games.load(game_id)
            assert game
            white, black = (
                key
                for seat in (game.white, game.black)
                for key in (ALICE, BOB)
                if key.pubkey == seat.player
            )
            self.say(white if game.turn else black, uci)

    def told(self, kind: int) -> VerifiedEvent:
        return next(it for it in reversed(self.world.publisher.taken_events) if it.kind == kind)

    def names(self) -> dict[str, str]:
        """The names in the last state, by player."""
        state = self.told(20302)
        players = [tag[1] for tag in all_tags(state, "p")]
        (names,) = all_tags(state, "names") or [("names", "", "")]
        return dict(zip(players, names[1:], strict=True))


def test_the_names_of_two_requests_are_in_the_state_and_in_the_note() -> None:
    names = Names()
    names.ask(ALICE, ("name", "Swift Knight 42"))
    names.ask(BOB, ("name", "Bob \u202e"))
    assert names.names() == {ALICE.pubkey: "Swift Knight 42", BOB.pubkey: "Bob"}

    names.play_mate()
    read = chess.pgn.read_game(io.StringIO(names.told(64).content))
    assert read is not None
    by_key = {read.headers["WhiteNA"]: read.headers["White"]} | {
        read.headers["BlackNA"]: read.headers["Black"]
    }
    assert sorted(by_key.values()) == ["Bob", "Swift Knight 42"]
    assert all(key.startswith("nostr:npub1") for key in by_key)


def test_a_rematch_has_the_names_of_the_game_before() -> None:
    names = Names()
    names.ask(ALICE, ("name", "Alice"))
    names.ask(BOB)
    names.play_mate()
    names.say(ALICE, "rematch")
    names.say(BOB, "rematch")

    first, second = names.world.games.by_id.values()
    assert (first.white.name, first.black.name) == (second.black.name, second.white.name)
    assert {first.white.name, first.black.name} == {"Alice", ""}


def test_a_plain_request_stays_one_with_a_name() -> None:
    names = Names()
    names.ask(ALICE, ("name", "Alice"))
    names.ask(BOB, ("name", "Bob"), ("bots", "welcome"), ("time", "180+2"))

    waiting = [names.world.lobby.player(key.pubkey).waits_in for key in (ALICE, BOB)]
    pools = [names.world.lobby.pool(pool) for pool in waiting if pool]
    assert [seek.is_plain for pool in pools for seek in pool.waiting] == [True, False]


def test_a_challenge_tells_the_name_and_who_accepts_it_tells_theirs() -> None:
    names = Names()
    names.ask(ALICE, ("name", "Alice"), ("challenge", BOB.pubkey))
    challenged = names.told(20301)
    assert all_tags(challenged, "name") == (("name", "Alice"),)

    names.ask(BOB, ("name", "Bob"), content=challenged.content.replace("challenged", "accept")[:39])
    assert names.names() == {ALICE.pubkey: "Alice", BOB.pubkey: "Bob"}


def test_a_player_without_names_is_told_as_before() -> None:
    names = Names()
    names.ask(ALICE)
    names.ask(BOB)

    assert all_tags(names.told(20302), "names") == ()


@pytest.mark.parametrize(
    "tags",
    [
        (("name", "x" * 1_000),),
        (("name", "\u202e" * 300),),
        (("name",),),
        (("name", ""),),
        (("name", "npub1" + "q" * 58),),
        (("name", "a"), ("name", "b")),
        (("name", '"]\n[Result "1-0"]\n\n1. e4 {'),),
        (("name", "Bob"),),
    ],
)
def test_no_name_keeps_a_player_from_a_game(tags: tuple[tuple[str, ...], ...]) -> None:
    names = Names()
    names.ask(ALICE, *tags)
    names.ask(BOB, ("name", "Bob"))
    assert names.names()[BOB.pubkey] == "Bob"
    assert len(names.names()[ALICE.pubkey]) <= 32

    names.play_mate()
    read = chess.pgn.read_game(io.StringIO(names.told(64).content))
    assert read is not None
    assert not read.errors
    assert read.headers["Result"] == "0-1"
    assert read.headers["White"] != read.headers["Black"]
