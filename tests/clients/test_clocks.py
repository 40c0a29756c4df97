"""One game, one reading of its clocks: the page of a game, the JSON, the terminal, and the web
client (``clients/web/tests/clocks.test.ts``), which reads the same states from
``tests/golden/clocks.jsonl``. ``GOLDEN=rewrite pytest tests/clients/test_clocks.py`` writes it.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import chess
import pytest

from arbiter.application.queries import GameWithRatings, clocks_now
from arbiter.core.clocks import DAY_MS, Clocks, TimeControl
from arbiter.core.commands import CallFlag, ClaimDraw, Command, MakeOffer, OfferKind, Quit, Resign
from arbiter.core.decide import decide
from arbiter.core.game import Game, Termination
from arbiter.dialects.native import state
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.web.game_page import game_page
from arbiter.web.pages import Where
from arbiter.web.views import game_view
from clients.player.messages import State, read_message
from clients.terminal.clocks import left_ms
from clients.terminal.game_view import GameView
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after, move
from tests.dialects.golden import FOLDER

LIVE, DAYS = TimeControl(base_ms=600_000), TimeControl(move_ms=DAY_MS)
FILE = FOLDER / "clocks.jsonl"


def a_clocked_game(moves: str, control: TimeControl, white_ms: int, black_ms: int) -> Game:
    """The side to move thinks since NOW_MS."""
    game = after(a_game(), moves)
    return replace(game, clocks=Clocks(control, white_ms, black_ms, NOW_MS))


OPENED = a_clocked_game("e4 e5", LIVE, 600_000, 590_500)
BLACKS = a_clocked_game("e4 e5 Nf3", LIVE, 600_000, 590_500)
FIRST = a_clocked_game("e4", LIVE, 600_000, 600_000)
DAILY = a_clocked_game("e4", DAYS, DAY_MS, DAY_MS)
THRICE = a_clocked_game("Nf3 Nf6 Ng1 Ng8 " * 2, LIVE, 600_000, 590_500)
MATING = a_clocked_game("f3 e5 g4", LIVE, 600_000, 590_500)


def drawn(game: Game) -> Game:
    """The opponent of the side to move has offered a draw."""
    player = game.seat(not game.turn).player
    return decide(game, MakeOffer(player, OfferKind.DRAW, NOW_MS), NOW_MS).game


STRUCK = replace(OPENED, white_strikes=2)
ENDS: dict[str, tuple[Game, Callable[[int], Command], int]] = {
    "White resigns in their own turn": (OPENED, lambda at: Resign(ALICE.pubkey, at), 10_000),
    "Black resigns while White thinks": (OPENED, lambda at: Resign(BOB.pubkey, at), 10_000),
    "Black resigns in their own turn": (BLACKS, lambda at: Resign(BOB.pubkey, at), 42_123),
    "a draw is agreed to": (
        drawn(OPENED),
        lambda at: MakeOffer(ALICE.pubkey, OfferKind.DRAW, at),
        7_000,
    ),
    "a draw is claimed": (THRICE, lambda at: ClaimDraw(ALICE.pubkey, at), 7_000),
    "a third illegal move": (STRUCK, lambda at: move(STRUCK, "e1e5", at_ms=at), 9_000),
    "a flag": (OPENED, lambda _: CallFlag(BOB.pubkey), 700_000),
    "called off before a clock runs": (FIRST, lambda at: Quit(BOB.pubkey, at), 9_000),
    "resigned in a game by days": (DAILY, lambda at: Resign(BOB.pubkey, at), 3_600_000),
}


def ended(name: str) -> tuple[Game, int]:
    game, command, after_ms = ENDS[name]
    at_ms = NOW_MS + after_ms
    over = decide(game, command(at_ms), at_ms).game
    assert over.outcome, (name, over)
    return over, at_ms


RUNNING = {
    "White thinks": (OPENED, 10_000),
    "the lag is not shown": (OPENED, 600),
    "Black thinks": (BLACKS, 42_123),
    "little is left": (BLACKS, 586_000),
    "the time is up": (BLACKS, 600_000),
    "no clock runs before the first moves": (FIRST, 9_000),
    "days": (DAILY, 3_600_000),
}
SHOWN = {name: (game, NOW_MS + at_ms) for name, (game, at_ms) in RUNNING.items()} | {
    f"{name}, and {later}": (over, at_ms + later_ms)
    for name in ENDS
    for over, at_ms in [ended(name)]
    for later, later_ms in (("now", 0), ("an hour later", 3_600_000))
}


def on_page(game: Game, now_ms: int) -> tuple[int, int]:
    """In whole seconds."""
    text = game_page(
        GameWithRatings(game, None), Where("A", "https://a.example"), clocks_now(game, now_ms)
    )
    white, black = re.findall(r'datetime="PT(\d+)S"', text)
    return int(white) * 1000, int(black) * 1000


def in_json(game: Game, now_ms: int) -> tuple[int, int]:
    """By the rule of openapi.json, that who is running has used what passed; the lag is its own."""
    clocks: Any = game_view(GameWithRatings(game, None))["clocks"]
    left = {"white": clocks["white_ms"], "black": clocks["black_ms"]}
    if running := clocks["running"]:
        left[running] = max(0, min(left[running], clocks["deadline_ms"] - now_ms))
    return left["white"], left["black"]


def in_terminal(event: VerifiedEvent, now_ms: int) -> tuple[int, int]:
    shown = read_message(event, SERVER.pubkey)
    assert isinstance(shown, State)
    clock = GameView(id=shown.game, state=shown).clock
    assert clock
    return left_ms(clock, chess.WHITE, now_ms / 1000), left_ms(clock, chess.BLACK, now_ms / 1000)


@pytest.mark.parametrize("name", SHOWN)
def test_every_reader_of_a_game_shows_the_same_clocks(name: str) -> None:
    game, now_ms = SHOWN[name]
    now = clocks_now(game, now_ms)
    assert now
    left = (now.white_ms, now.black_ms)
    event = SERVER.sign(state(game, now_ms // 1000, SERVER.pubkey))
    assert in_terminal(event, now_ms) == left
    assert in_json(game, now_ms) == left
    assert on_page(game, now_ms) == (left[0] // 1000 * 1000, left[1] // 1000 * 1000)


@pytest.mark.parametrize("name", ENDS)
def test_at_the_end_the_clocks_stop_where_they_were(name: str) -> None:
    before, _, after_ms = ENDS[name]
    over, at_ms = ended(name)
    running, stopped = clocks_now(before, NOW_MS + after_ms), clocks_now(over, at_ms)
    assert running
    assert stopped
    assert over.clocks
    assert (stopped.white_ms, stopped.black_ms) == (running.white_ms, running.black_ms)
    assert over.clocks == Clocks(over.clocks.control, running.white_ms, running.black_ms, at_ms)


def test_a_mate_costs_the_mated_player_nothing_however_late_it_was_judged() -> None:
    mate = replace(move(MATING, "d8h4", at_ms=NOW_MS + 20_000), received_at_ms=NOW_MS + 20_000)
    over = decide(MATING, mate, NOW_MS + 29_000).game
    assert over.outcome
    assert over.outcome.termination is Termination.CHECKMATE
    assert over.clocks == Clocks(LIVE, 600_000, 571_500, NOW_MS + 29_000)


def test_a_flag_leaves_nothing_although_our_clock_is_behind_the_listener_s() -> None:
    late = NOW_MS + 700_000
    over = decide(OPENED, CallFlag(BOB.pubkey), NOW_MS + 600_000, received_at_ms=late).game
    assert over.clocks == Clocks(LIVE, 0, 590_500, NOW_MS + 600_000)


def test_a_pause_is_not_charged_at_the_end() -> None:
    at_ms = NOW_MS + 60_000
    over = decide(OPENED, Resign(ALICE.pubkey, at_ms), at_ms, paused_ms=50_000).game
    assert over.clocks == Clocks(LIVE, 591_000, 590_500, at_ms)


def test_the_web_client_is_shown_these_states() -> None:
    rows = []
    for name, (game, now_ms) in SHOWN.items():
        now = clocks_now(game, now_ms)
        assert now
        told = event_to_json(SERVER.sign(state(game, NOW_MS // 1000, SERVER.pubkey)))
        del told["sig"]  # of chance, and the client's relays have checked it
        row = {"case": name, "now_ms": now_ms, "left": [now.white_ms, now.black_ms], "event": told}
        rows.append(json.dumps(row))
    text = "\n".join(rows) + "\n"
    if os.environ.get("GOLDEN") == "rewrite":
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text
