"""When the arbiter contradicts a player of Scuttlebutt, and for whom."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.game import BLACK, WHITE, Game, Termination
from arbiter.core.replies import Reason, Rejected
from arbiter.dialects.base import SsbMessage
from arbiter.dialects.ssb.encode import encode
from tests.builders import after
from tests.dialects.ssb_cases import (
    AS_BLACK,
    CHAT,
    DRAW,
    GAME,
    JUDGED,
    MAL,
    MATE,
    MATED,
    MATES,
    MOVE,
    MOVED,
    RESIGNED,
    ROOT,
    SUE,
    TO_TOM,
    TOM,
    hosted,
    judged,
    over,
    told,
)
from tests.letters import Content, a_letter

DRAWN = over(MOVED, Termination.AGREEMENT, None)
GAVE_UP = over(MOVED, Termination.RESIGNATION, BLACK)
WAS_GIVEN = over(MOVED, Termination.RESIGNATION, WHITE)
LATE_BLACK = replace(GAVE_UP, white=AS_BLACK.white, black=AS_BLACK.black)
STALEMATE: Content = {**MATE, "status": "stalemate"}


def answer(game: Game, color: chess.Color, content: Content) -> tuple[SsbMessage, ...]:
    """What is said of this word about a game that is over, written by the player of this colour."""
    refused = Rejected(game.seat(color).player, Reason.GAME_OVER, "the game is over", game)
    return encode(refused, told(game, hosted(content)))


@pytest.mark.parametrize(
    ("game", "color", "content"),
    [
        (MATES, BLACK, MATE),
        (DRAWN, WHITE, DRAW),
        (DRAWN, WHITE, STALEMATE),
        (over(MOVED, Termination.FIFTY_MOVES, None), WHITE, DRAW),
        (GAVE_UP, WHITE, RESIGNED),
    ],
)
def test_nobody_is_contradicted_who_says_too_late_how_the_game_has_ended(
    game: Game, color: chess.Color, content: Content
) -> None:
    assert answer(game, color, content) == ()


@pytest.mark.parametrize(
    ("game", "color", "content"),
    [
        (MATED, WHITE, MATE),  # the mate is her opponent's
        (DRAWN, WHITE, MATE),
        (MATES, BLACK, DRAW),
        (GAVE_UP, WHITE, DRAW),
        (WAS_GIVEN, WHITE, RESIGNED),  # her opponent has given up
        (LATE_BLACK, BLACK, RESIGNED),
        (MATED, WHITE, RESIGNED),
        (over(MOVED, Termination.TIMEOUT, BLACK), WHITE, RESIGNED),
        (DRAWN, WHITE, MOVE),
        (DRAWN, WHITE, CHAT),
    ],
)
def test_whoever_says_of_a_game_that_is_over_what_is_not_so_is_contradicted(
    game: Game, color: chess.Color, content: Content
) -> None:
    (said,) = answer(game, color, content)

    assert said.content["verdict"] == {
        "reason": "game-over",
        "about": said.content["verdict"]["about"],  # type: ignore[index]
        "text": "the game is over",
        "ply": game.ply,
    }
    assert (said.root, said.recps) == (ROOT, ())


def test_an_end_of_a_game_that_goes_on_is_refused_in_other_words_and_said() -> None:
    refused = Rejected(GAME.white.player, Reason.WRONG_RESULT, "that is no mate", after(GAME, "e4"))

    (said,) = encode(refused, told(GAME, hosted(MATE)))

    assert said.content["msg"] == "Arbiter: that is no mate"


def test_a_move_in_private_is_told_in_private_that_moves_are_said_in_public() -> None:
    refused = Rejected(GAME.white.player, Reason.MALFORMED, "what is that?", GAME)

    (said,) = encode(refused, told(GAME, hosted(MOVE, is_private=True)))

    assert said.content["msg"] == "Arbiter: moves and ends of games must be public"
    assert said.recps == (SUE,)


def test_whoever_invites_himself_is_not_answered() -> None:
    alone = a_letter(SUE, ROOT, {**TO_TOM, "inviting": SUE})
    refused = Rejected(GAME.white.player, Reason.UNKNOWN_GAME, "you cannot play yourself")

    assert encode(refused, told(GAME, alone)) == ()


@pytest.mark.parametrize(
    ("feed", "text"),
    [
        (SUE, "no such game"),
        (TOM, "no such game"),
        (MAL, "no such game; only what its two players say counts"),
    ],
)
def test_only_who_is_neither_of_the_two_is_told_that_others_do_not_count(
    feed: str, text: str
) -> None:
    """Their game has not begun, so nobody has a seat yet."""
    refused = Rejected("ab" * 32, Reason.UNKNOWN_GAME, "no such game")

    (said,) = encode(refused, told(GAME, judged(MOVE, feed)))

    assert said.content["msg"] == f"Arbiter: {text}"


def test_a_player_who_goes_on_with_a_judged_game_that_is_over_is_told_how_it_ended() -> None:
    """Its end may have been told to nobody. A stranger is told that he has no say."""
    ended = over(JUDGED, Termination.RESIGNATION, BLACK)

    def words(author: str, feed: str, reason: Reason = Reason.GAME_OVER) -> list[object]:
        refused = Rejected(author, reason, "no", ended)
        said = encode(refused, told(ended, judged(MOVE, feed)))
        verdicts = [one.content["verdict"] for one in said]
        return [it["reason"] for it in verdicts if isinstance(it, dict)]

    assert words(JUDGED.white.player, SUE) == ["game-over", "result"]
    assert words(JUDGED.white.player, SUE, Reason.STALE) == ["stale"]
    assert words("ab" * 32, MAL) == ["game-over"]


def test_a_move_that_waited_is_refused_in_public_though_it_is_a_private_line_that_was_heard() -> (
    None
):
    """The move was said to all who follow the game, and so is what is wrong with it."""
    waited = Rejected(
        AS_BLACK.black.player, Reason.ILLEGAL_MOVE, "not legal", AS_BLACK, about="cd" * 32
    )

    (said,) = encode(waited, told(AS_BLACK, hosted(CHAT, is_private=True)))

    assert said.recps == ()
    assert said.content["msg"] == "Arbiter: not legal"
