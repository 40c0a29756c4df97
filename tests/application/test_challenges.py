"""Challenges: to one opponent, or to any player who has the link."""

from dataclasses import replace
from hashlib import sha256
from itertools import count

import chess
import pytest

from arbiter.application.lobby.challenged import STRANGERS_A_MINUTE, WORK_IN_A_FLOOD
from arbiter.core import helpmate
from arbiter.core.helpmate import SearchResult
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip13 import difficulty
from tests.application.script import Conversation, run
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, a_key


@pytest.mark.parametrize("wish", ["white", "black"])
def test_the_challenger_has_the_colour_they_wish_for_whatever_the_hash(wish: str) -> None:
    for seconds in range(8):
        talk = run(f"wait {seconds}s; alice challenge bob color={wish}; bob accept c1")
        assert (talk.fact("white") == "alice") == (wish == "white")


LINK = a_key("the secret in the link")


def proof(talk: Conversation, player: str, link: SecretKey = LINK) -> str:
    """The tag by which a player shows that they have the link of the first challenge."""
    accepted = f"accept:{talk.players.challenges[0]}:{talk.players.key(player).pubkey}".encode()
    return f"proof={link.sign_bytes(sha256(accepted).digest()).hex()}"


def test_an_open_challenge_with_a_key_is_for_those_who_have_its_link() -> None:
    talk = Conversation(in_order=False)
    talk.line(f"alice seek challenge=open,{LINK.pubkey} > alice queued c1")
    stolen, guessed = proof(talk, "bob"), proof(talk, "eve", talk.players.key("eve"))
    for tag in ("", "proof", "proof=x", f"proof={'0' * 128}", stolen, guessed):
        talk.line(f"eve accept c1 {tag} > eve !unknown-challenge")
    talk.line(f"bob accept c1 {stolen}")
    assert talk.fact("games") == "1"


@pytest.mark.parametrize("key", ["f" * 64, LINK.pubkey.upper()])
def test_a_link_key_that_is_none_opens_nothing_and_raises_nothing(key: str) -> None:
    talk = run(f"alice seek challenge=open,{key}")
    if key.islower():
        talk.line(f"bob accept c1 {proof(talk, 'bob')} > bob !unknown-challenge")
    assert talk.fact("challenges") == ("c1" if key.islower() else "-")


def challenge(world: World, key: SecretKey, opponent: SecretKey, *tags: tuple[str, str]) -> str:
    """The first answer to a challenge of this second."""
    return world.ask(key, "", ("challenge", opponent.pubkey), *tags)[0].content


def test_beyond_sixty_strangers_a_minute_each_needs_work_whomever_they_challenge() -> None:
    world, house = World(), a_key("house")
    world.deps = replace(world.deps, house_levels={house.pubkey: 1})
    for number in range(STRANGERS_A_MINUTE):
        assert challenge(world, a_key(f"stranger {number}"), a_key(f"{number}")) == "queued"
    assert challenge(world, ALICE, BOB) == f"error:pow: {WORK_IN_A_FLOOD}"
    assert challenge(world, ALICE, house) == "queued"
    world.clock.ms += 60_000
    assert challenge(world, ALICE, BOB) == "queued"


def test_house_players_are_challenged_by_as_many_as_like_and_keep_each() -> None:
    world, house = World(), a_key("house")
    world.deps = replace(world.deps, house_levels={house.pubkey: 1})
    told = {challenge(world, a_key(f"player {number}"), house) for number in range(20)}
    assert told == {"queued"}
    assert len(world.lobby.challenges) == 20


def test_a_challenge_that_shows_its_work_comes_through_a_flood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arbiter.application.lobby.requests.WORK_IN_A_FLOOD", 4)
    world = World()
    told = [challenge(world, a_key(f"stranger {number}"), BOB) for number in range(9)]
    assert told == ["queued"] * 8 + ["error:pow: 4"]
    named = (("p", SERVER.pubkey), ("challenge", BOB.pubkey))
    templates = (
        EventTemplate(20300, (*named, ("nonce", str(nonce), "4")), "", world.clock.ms // 1000)
        for nonce in count()
    )
    worked = next(one for one in map(ALICE.sign, templates) if difficulty(one.id) >= 4)
    queued, *others = [event.content for event in world.hear(worked)]
    assert queued == "queued"
    assert others[0].startswith("challenged:")
    assert "error:rate-limited" in others[1]


def tagged(world: World, key: SecretKey, content: str) -> list[tuple[str, ...]]:
    """The `challenge` tags of what says that a game goes on, and to whom."""
    return [
        (event.tags[0][1], *(tag[1] for tag in event.tags if tag[0] == "challenge"))
        for event in world.ask(key, content)
        if event.content.startswith("started:")
    ]


def test_a_game_names_the_challenge_that_it_came_of_to_both_and_to_who_asks_later() -> None:
    world = World()
    world.ask(ALICE, "", ("challenge", BOB.pubkey))
    (made,) = world.lobby.challenges
    both = {(ALICE.pubkey, made), (BOB.pubkey, made)}
    assert set(tagged(world, BOB, f"accept:{made}")) == both
    for key in (ALICE, BOB):
        assert tagged(world, key, "state") == [(key.pubkey, made)]


def test_a_game_of_a_pool_names_no_challenge() -> None:
    world = World()
    world.ask(ALICE, "")
    assert {len(it) for it in tagged(world, BOB, "")} == {1}


def test_where_counting_challenges_fails_none_is_refused() -> None:
    world = World()

    def fails(point: str) -> None:
        raise OSError(point)

    world.rate_limits.hook = fails
    assert {challenge(world, a_key(f"{number}"), BOB) for number in range(9)} == {"queued"}


def test_a_game_lost_on_purpose_in_a_walled_position_costs_one_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On AWS no other bound is needed: the search costs a sixth of the five events around it."""
    searched: list[str] = []

    def search(start: chess.Board, *_: object) -> SearchResult:
        searched.append(start.board_fen())
        return SearchResult.NO_MATE

    monkeypatch.setattr(helpmate, "_search", search)
    helpmate.search_position.cache_clear()
    walled = "1bk5/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/1B5K/8_w_-_-_0_1"
    talk = run(f"alice challenge bob color=white start={walled}; bob accept c1")
    for number in range(3):
        talk.line(f"{'x: ' * (number == 2)}alice a1a{8 - number}")
    for _ in range(20):
        talk.line("again x")
    assert talk.fact("end") == "1/2-1/2 illegal-moves"
    assert len(searched) == 1
    helpmate.search_position.cache_clear()
