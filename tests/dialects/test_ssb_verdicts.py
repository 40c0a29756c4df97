"""When the arbiter contradicts a player of Scuttlebutt, and for whom."""

from dataclasses import replace
from typing import Any

import chess
import pytest

from arbiter.core.game import BLACK, WHITE, Game, Termination
from arbiter.core.replies import Reason, Rejected
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.outgoing import SsbMessage
from arbiter.dialects.ssb.encode import encode
from tests.dialects import ssb_cases as ssb
from tests.letters import Content, a_letter

DRAWN = ssb.over(ssb.MOVED, Termination.AGREEMENT, None)
GAVE_UP = ssb.over(ssb.MOVED, Termination.RESIGNATION, BLACK)
WAS_GIVEN = ssb.over(ssb.MOVED, Termination.RESIGNATION, WHITE)
LATE_BLACK = replace(GAVE_UP, white=ssb.AS_BLACK.white, black=ssb.AS_BLACK.black)
STALEMATE: Content = {**ssb.MATE, "status": "stalemate"}


def answer(game: Game, color: chess.Color, content: Content) -> tuple[SsbMessage, ...]:
    """What is said of this word about a game that is over, written by the player of this colour."""
    refused = Rejected(game.seat(color).player, Reason.GAME_OVER, "the game is over", game)
    return encode(refused, ssb.told(game, ssb.hosted(content)))


FIFTY_MOVES, TIMEOUT = (
    ssb.over(ssb.MOVED, Termination.FIFTY_MOVES, None),
    ssb.over(ssb.MOVED, Termination.TIMEOUT, BLACK),
)
TRUE = [
    *((ssb.MATES, BLACK, ssb.MATE), (DRAWN, WHITE, ssb.DRAW), (DRAWN, WHITE, STALEMATE)),
    *((FIFTY_MOVES, WHITE, ssb.DRAW), (GAVE_UP, WHITE, ssb.RESIGNED)),
]
FALSE = [
    # The mate, or the resignation, is the opponent's.
    *(
        (ssb.MATED, WHITE, ssb.MATE),
        (WAS_GIVEN, WHITE, ssb.RESIGNED),
        (LATE_BLACK, BLACK, ssb.RESIGNED),
    ),
    *((DRAWN, WHITE, ssb.MATE), (ssb.MATES, BLACK, ssb.DRAW), (GAVE_UP, WHITE, ssb.DRAW)),
    *((ssb.MATED, WHITE, ssb.RESIGNED), (TIMEOUT, WHITE, ssb.RESIGNED)),
    *((DRAWN, WHITE, ssb.MOVE), (DRAWN, WHITE, ssb.CHAT)),
]


@pytest.mark.parametrize(("game", "color", "content"), TRUE)
def test_who_says_too_late_how_the_game_has_ended_is_not_contradicted(
    game: Game, color: chess.Color, content: Content
) -> None:
    assert answer(game, color, content) == ()


@pytest.mark.parametrize(("game", "color", "content"), FALSE)
def test_who_says_of_a_game_that_is_over_what_is_not_so_is_contradicted(
    game: Game, color: chess.Color, content: Content
) -> None:
    (said,) = answer(game, color, content)

    verdict: Any = said.content["verdict"]
    is_so = {"reason": "game-over", "text": "the game is over", "ply": game.ply}
    assert verdict == {**is_so, "about": verdict["about"]}
    assert (said.root, said.recps) == (ssb.ROOT, ())


PRIVATE_MOVE, PRIVATE_LINE = (ssb.hosted(it, is_private=True) for it in (ssb.MOVE, ssb.CHAT))
WAITED = Rejected(
    ssb.AS_BLACK.black.player, Reason.ILLEGAL_MOVE, "not legal", ssb.AS_BLACK, about="cd" * 32
)


@pytest.mark.parametrize(
    ("refused", "heard", "text", "recipients"),
    [
        (
            Rejected(ssb.GAME.white.player, Reason.WRONG_RESULT, "that is no mate", ssb.MOVED),
            ssb.told(ssb.GAME, ssb.hosted(ssb.MATE)),
            "that is no mate",
            (),
        ),
        (
            Rejected(ssb.GAME.white.player, Reason.MALFORMED, "what is that?", ssb.GAME),
            ssb.told(ssb.GAME, PRIVATE_MOVE),
            "moves and ends of games must be public",
            (ssb.SUE,),
        ),
        # The move that waited was said to all who follow the game, and so is what is wrong with it.
        (WAITED, ssb.told(ssb.AS_BLACK, PRIVATE_LINE), "not legal", ()),
    ],
)
def test_a_refusal_is_said_where_its_message_was(
    refused: Rejected, heard: ReplyContext, text: str, recipients: tuple[str, ...]
) -> None:
    (said,) = encode(refused, heard)

    assert said.content["msg"] == f"Arbiter: {text}"
    assert said.recps == recipients


def test_a_feed_that_invites_itself_is_not_answered() -> None:
    alone = a_letter(ssb.SUE, ssb.ROOT, {**ssb.TO_TOM, "inviting": ssb.SUE})
    refused = Rejected(ssb.GAME.white.player, Reason.UNKNOWN_GAME, "you cannot play yourself")

    assert encode(refused, ssb.told(ssb.GAME, alone)) == ()


@pytest.mark.parametrize(
    ("feed", "more"),
    [(ssb.SUE, ""), (ssb.TOM, ""), (ssb.MAL, "; only what its two players say counts")],
)
def test_only_who_is_neither_of_the_two_is_told_that_others_do_not_count(
    feed: str, more: str
) -> None:
    """Their game has not begun, so neither has a seat yet."""
    refused = Rejected("ab" * 32, Reason.UNKNOWN_GAME, "no such game")

    (said,) = encode(refused, ssb.told(ssb.GAME, ssb.judged(ssb.MOVE, feed)))

    assert said.content["msg"] == f"Arbiter: no such game{more}"


def test_a_player_who_goes_on_with_a_judged_game_that_is_over_is_told_how_it_ended() -> None:
    """Its end may not have been told. A stranger is told that they do not play."""
    ended = ssb.over(ssb.JUDGED, Termination.RESIGNATION, BLACK)

    def words(author: str, feed: str, reason: Reason = Reason.GAME_OVER) -> list[object]:
        refused = Rejected(author, reason, "no", ended)
        said = encode(refused, ssb.told(ended, ssb.judged(ssb.MOVE, feed)))
        verdicts = [one.content["verdict"] for one in said]
        return [it["reason"] for it in verdicts if isinstance(it, dict)]

    assert words(ssb.JUDGED.white.player, ssb.SUE) == ["game-over", "result"]
    assert words(ssb.JUDGED.white.player, ssb.SUE, Reason.STALE) == ["stale"]
    assert words("ab" * 32, ssb.MAL) == ["game-over"]
