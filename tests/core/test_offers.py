"""Whatever players say to each other: what must hold of all of it."""

import random
from dataclasses import replace
from typing import Any

import pytest

from arbiter.core.clocks import Clocks, TimeControl
from arbiter.core.commands import Command, OfferKind
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, Game, Offer
from arbiter.core.replies import GameChanged, GameEnded, MovePlayed
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, move
from tests.core.words import command, summary, told


def test_an_offer_is_the_same_whatever_address_its_author_has_for_the_next_game() -> None:
    elsewhere = Offer(OfferKind.REMATCH, BLACK, "another address")
    over = told("f3 e5 g4 Qh4#").game

    assert elsewhere == Offer(OfferKind.REMATCH, BLACK)
    assert summary(told("W:rematch", replace(over, offer=elsewhere))) == "rematch"
    asked = told("W:rematch", over).game.offer
    assert asked is not None
    assert asked.address == ""


def any_command(dice: random.Random, game: Game) -> Command:
    key = dice.choice((ALICE, BOB, BOB, ALICE, EVE))
    who = {ALICE: "W", BOB: "B", EVE: "E"}[key]
    kind = dice.choice(("draw", "takeback", "rematch", "abort-offer"))
    words = [f"{who}:{it}" for it in (kind, f"no-{kind}", "claim", "flag", "state", "what?")]
    words += ["tick", f"{who}:{dice.choice(('abort', 'quit', 'resign'))}"]
    commands = [command(word, game, NOW_MS) for word in words]
    if game.outcome is None:
        chosen = dice.choice([*game.board().legal_moves])
        commands += [replace(move(game, chosen.uci()), player=key.pubkey)] * 12
    return dice.choice(commands[:7] if dice.random() < 0.9 and game.outcome is None else commands)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_said_in_whatever_order_the_laws_hold(seed: int) -> None:
    """No stranger changes a game, an end is final, versions only rise, no offer outlives its
    ply but a draw that was offered before a move of one's own.
    """
    dice = random.Random(seed)
    game = replace(a_game(), rated=dice.random() < 0.3)
    if dice.random() < 0.5:
        clocks = Clocks(TimeControl(base_ms=180_000), 180_000, 180_000, NOW_MS)
        game = replace(game, clocks=clocks)
    for _ in range(200):
        said = any_command(dice, game)
        decision = decide(game, said, NOW_MS)
        now = decision.game
        if said.player == EVE.pubkey:
            assert now is game
        if game.outcome is not None:
            assert (now.outcome, now.moves) == (game.outcome, game.moves)
            assert now.offer is None or now.offer.kind is OfferKind.REMATCH
        if now is game:
            news = (GameChanged, MovePlayed, GameEnded)
            assert [it for it in decision.replies if isinstance(it, news)] == []
        elif now.state_version == game.state_version:
            strikes: Any = {"white_strikes": now.white_strikes, "black_strikes": now.black_strikes}
            assert now == replace(game, **strikes)
        else:
            assert now.state_version > game.state_version
        if now.ply != game.ply and now.offer is not None:
            assert now.offer == Offer(OfferKind.DRAW, not now.turn)
        if now.outcome is not None and game.outcome is None:
            assert now.offer is None
        game = now
