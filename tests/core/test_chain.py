"""The chain of a game's history, against the vectors of PROTOCOL.md."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.core.chain import begun, by_deadline, linked, shown
from arbiter.core.clocks import read_time, start_clocks
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Termination
from arbiter.core.replies import Decision, GameChanged, MovePlayed
from tests.builders import NOW_MS, a_game, after

TEXT = (Path(__file__).parents[2] / "PROTOCOL.md").read_text(encoding="utf-8")
GAME_ID = "ccef53494271dfb36f4352d37b932950"
REQUESTS = "9c" * 32, "2b947991626cb231d241af30172a0e6918bcab4284f1d194a3f2695988a8899b"
KEY = bytes(32)


def blitz(moves: str = "") -> Game:
    control = read_time("180+2")
    assert control
    clocks = start_clocks(control, NOW_MS)
    game = begun(replace(a_game(), id=GAME_ID, clocks=clocks), *REQUESTS)
    return after(game, moves) if moves else game


def link(before: Game, decided: Game, key: bytes = KEY) -> bytes:
    return linked(before, Decision(decided, ()), key).game.chain


def test_the_vectors_of_the_protocol_are_what_the_arbiter_computes() -> None:
    link_of_event = r"^\|(?: (`\w+`|deadline \d+) \| (`.+`) \|| \| \|) `([0-9a-f]{64})` \|$"
    rows = re.findall(link_of_event, TEXT, re.MULTILINE)
    assert len(rows) == 4
    games = [blitz(), moved := blitz("f3"), offering(moved), over(offering(moved))]
    chained = games[0]

    for (event, text, wanted), game in zip(rows, games, strict=True):
        if event:
            word, _, time = event.partition(" ")
            key = by_deadline(int(time)) if time else bytes.fromhex(word.strip("`"))
            assert shown(game) == text.strip("`")
            chained = linked(chained, Decision(game, ()), key).game
        assert chained.chain.hex() == wanted, event


def offering(game: Game) -> Game:
    return game.with_offer(Offer(OfferKind.DRAW, WHITE), game.changed_at_ms)


def over(game: Game) -> Game:
    outcome = Outcome(Termination.ABORTED, None)
    return replace(game, offer=None, outcome=outcome, state_version=game.state_version + 1)


@pytest.mark.parametrize(
    "other",
    [
        {"chain": b"x" * 32},
        {"offer": Offer(OfferKind.DRAW, BLACK)},
        {"outcome": Outcome(Termination.RESIGNATION, WHITE)},
        {"outcome": Outcome(Termination.TIMEOUT, WHITE)},
        {"outcome": Outcome(Termination.RESIGNATION, BLACK)},
        {"moves": blitz("e4 e5 Nf3").moves},
        {"moves": blitz("e4 e6").moves},
        *({"clocks": replace(c, white_ms=1)} for c in [blitz().clocks] if c),
        *({"clocks": replace(c, black_ms=1)} for c in [blitz().clocks] if c),
    ],
)
def test_whatever_differs_makes_another_link(other: dict[str, object]) -> None:
    before, played = blitz("e4"), blitz("e4 e5")
    changed = {name: value for name, value in other.items() if name != "chain"}
    former = replace(before, chain=other.get("chain", before.chain))  # type: ignore[arg-type]

    assert link(former, replace(played, **changed)) != link(before, played)  # type: ignore[arg-type]
    assert link(before, played, b"k" * 32) != link(before, played)


def test_a_move_shown_before_its_offer_has_two_links_that_both_are_remembered() -> None:
    before, played = blitz(), blitz("e4")
    offered = offering(played)
    replies = MovePlayed(played), GameChanged(offered)

    decided = linked(before, Decision(offered, replies), KEY)
    first = linked(before, Decision(played, ()), KEY).game

    shown_first, shown_then = decided.replies
    assert isinstance(shown_first, MovePlayed)
    assert isinstance(shown_then, GameChanged)
    assert shown_first.game.chain == first.chain
    assert shown_then.game == decided.game
    assert decided.game.chain == link(first, offered)
    assert decided.game.earlier_versions[-1].chain == first.chain


def test_nothing_is_added_by_a_refusal_after_the_end_or_to_a_game_without_a_chain() -> None:
    game = blitz("e4")
    ended = over(game)
    former = replace(game, chain=b"")

    assert link(game, replace(game, white_strikes=1)) == game.chain
    assert link(ended, offering(ended)) == ended.chain
    assert link(former, offering(former)) == b""


def test_the_first_link_knows_the_requests_in_either_order_and_no_other() -> None:
    game = a_game()

    assert begun(game, *REQUESTS) == begun(game, *reversed(REQUESTS))
    assert len({begun(game, *ids).chain for ids in ((), REQUESTS[:1], REQUESTS)}) == 3
