"""Which games are published as notes."""

from dataclasses import replace

import pytest

from arbiter.application.render_replies import PLIES_IN_A_NOTE, render_replies
from arbiter.application.results import Result
from arbiter.core.game import WHITE, Game, Outcome, Termination
from arbiter.core.replies import GameEnded
from arbiter.nostr.event import EventTemplate, serialized
from arbiter.nostr.limits import MAX_EVENT_BYTES
from tests.builders import NOW_MS, SERVER, a_game, after

# Behind a wall of pawns, queens that PGN must tell apart by file and rank: Qa1b2.
CROWD = "k4q1q/8/5q1q/pppppppp/PPPPPPPP/Q1Q5/8/Q1Q4K w - - 0 1"


def ended(plies: int) -> Game:
    shuffle = after(a_game(CROWD), "Qa1b2 Qh8g7 Qba1 Qgh8").moves
    moves = (shuffle * (plies // 4 + 1))[:plies]
    return replace(a_game(CROWD), moves=moves, outcome=Outcome(Termination.RESIGNATION, WHITE))


def said_of(game: Game) -> list[EventTemplate]:
    """The events that tell the end of this game."""
    said = render_replies(Result(status="", replies=(GameEnded(game),)), SERVER.pubkey, NOW_MS)
    return [template for template in said if isinstance(template, EventTemplate)]


@pytest.mark.parametrize("plies", [0, 40])
def test_a_game_that_ended_is_shown_and_noted(plies: int) -> None:
    assert [template.kind for template in said_of(ended(plies))] == [20302, 64]


def test_a_note_that_no_relay_would_take_is_not_made() -> None:
    """It would be refused for a day, and the end of the game be told again each time."""
    longest, too_long = ended(PLIES_IN_A_NOTE), ended(PLIES_IN_A_NOTE + 1)
    _, note = said_of(longest)
    (state,) = said_of(too_long)
    assert state.kind == 20302
    size = len(serialized(SERVER.pubkey, NOW_MS, note.kind, note.tags, note.content))
    assert size < MAX_EVENT_BYTES - 256  # room for the id and the signature
