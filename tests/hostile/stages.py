"""Where a hostile input may be sent, if not into the game of ``Stage`` as it begins."""

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
from tests.hostile.stage import BEGUN_MS, RIVAL, Stage, a_game
from tests.nostr.hostile.case import PLAYER, SERVER, bytes_of

CHALLENGE = signed(PLAYER, 20300, "", ("p", SERVER.pubkey), ("challenge", RIVAL.pubkey))


def from_position(fen: str) -> Callable[[], Stage]:
    return partial(_game, start_fen=fen)


def _game(**fields: Any) -> Stage:
    return Stage(game=a_game(**fields))


def _old_game() -> Stage:
    """The two have played before; that game is over."""
    stage = Stage()
    over = Outcome(Termination.RESIGNATION, winner=chess.WHITE)
    old = replace(a_game(id="ff" * 16), outcome=over, ended_at_ms=BEGUN_MS)
    stage.world.games.standing[old.id] = old
    return stage


def _no_game(rules: Rules | None = None) -> Stage:
    stage = Stage(rules)
    stage.world.games.standing.clear()
    return stage


def _challenged() -> Stage:
    """A challenge to RIVAL is open, by PLAYER."""
    stage = _no_game()
    with stage:
        bring("relay", bytes_of(CHALLENGE), is_event=True)(stage)
    assert stage.world.lobby.challenges
    return stage


def _feeds() -> Stage:
    """Anna and Bert have begun a game on Scuttlebutt."""
    stage = Stage()
    with stage:
        for envelope in scuttlebutt.BEGUN:
            scuttlebutt.brought(stage, envelope)
    assert len(stage.world.games.standing) == 2
    return stage


def _browser() -> Stage:
    """A game has begun at the browser ``mine``."""
    stage = Stage()
    with stage:
        assert stage.asked("POST", "/new-game", body=json.dumps({"browser_id": "mine"})) == "200"
    return stage


_OVER = Outcome(Termination.RESIGNATION, chess.BLACK)
_CLOCKS = start_clocks(TimeControl(base_ms=180_000, increment_ms=2_000), BEGUN_MS)

STAGES: Mapping[str, Callable[[], Stage]] = {
    "a game": Stage,
    "a game with clocks": partial(_game, clocks=_CLOCKS),
    "a game that is over": partial(_game, outcome=_OVER, ended_at_ms=BEGUN_MS),
    "a game with a feed": partial(_game, black=scuttlebutt.BRIDGED),
    "an old game": _old_game,
    "no game": _no_game,
    "newcomers must work": partial(_no_game, Rules(newcomer_difficulty=8)),
    "a challenge": _challenged,
    "feeds": _feeds,
    "a browser": _browser,
}
