"""Places for a hostile input, other than the game of ``Scenario`` as it begins."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import chess

from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Outcome, Termination
from arbiter.core.rules import Rules
from tests.hostile import scuttlebutt
from tests.hostile.case import bring, signed
from tests.hostile.scenario import BEGUN_MS, RIVAL, Scenario, a_game
from tests.nostr.hostile.case import PLAYER, SERVER, bytes_of

CHALLENGE = signed(PLAYER, 20300, "", ("p", SERVER.pubkey), ("challenge", RIVAL.pubkey))


def from_position(fen: str) -> Callable[[], Scenario]:
    return partial(_game, start_fen=fen)


def _game(**fields: Any) -> Scenario:
    return Scenario(game=a_game(**fields))


def _old_game() -> Scenario:
    """The two have played before; that game is over."""
    scenario = Scenario()
    over = Outcome(Termination.RESIGNATION, winner=chess.WHITE)
    old = replace(a_game(id="ff" * 16), outcome=over, ended_at_ms=BEGUN_MS)
    scenario.world.games.by_id[old.id] = old
    return scenario


def _no_game(rules: Rules | None = None) -> Scenario:
    scenario = Scenario(rules)
    scenario.world.games.by_id.clear()
    return scenario


def _challenged() -> Scenario:
    """A challenge to RIVAL is open, by PLAYER."""
    scenario = _no_game()
    with scenario:
        bring("relay", bytes_of(CHALLENGE), is_event=True)(scenario)
    assert scenario.world.lobby.challenges
    return scenario


def _feeds() -> Scenario:
    """Anna and Bert have begun a game on Scuttlebutt."""
    scenario = Scenario()
    with scenario:
        for envelope in scuttlebutt.BEGUN:
            scuttlebutt.brought(scenario, envelope)
    assert len(scenario.world.games.by_id) == 2
    return scenario


def _browser() -> Scenario:
    """A game has begun at the browser ``mine``."""
    scenario = Scenario()
    with scenario:
        assert scenario.asked("POST", "/new-game", body=json.dumps({"browser_id": "mine"})) == "200"
    return scenario


_OVER = Outcome(Termination.RESIGNATION, chess.BLACK)
_CLOCKS = start_clocks(TimeControl(base_ms=180_000, increment_ms=2_000), BEGUN_MS)

SCENARIOS: Mapping[str, Callable[[], Scenario]] = {
    "a game": Scenario,
    "a game with clocks": partial(_game, clocks=_CLOCKS),
    "a game that is over": partial(_game, outcome=_OVER, ended_at_ms=BEGUN_MS),
    "a game with a feed": partial(_game, black=scuttlebutt.BRIDGED),
    "an old game": _old_game,
    "no game": _no_game,
    "newcomers must work": partial(_no_game, Rules(work_of_strangers=8)),
    "a challenge": _challenged,
    "feeds": _feeds,
    "a browser": _browser,
}
