"""The arbiter's messages, read: anything else is nothing."""

from dataclasses import replace

import chess
import pytest

from arbiter.nostr.event import NostrEvent as Event
from clients.player.messages import (
    Cancelled,
    Challenged,
    Listed,
    Offer,
    Record,
    Refused,
    Rejected,
    Started,
    State,
    read_message,
)
from clients.player.terms import Speed, TimeControl, read_time
from tests.clients.bot.scene import ARBITER, GAME, ME, NOW, OTHER, event, state, state_event, told


def test_a_state_is_read_with_its_clocks_and_its_offer() -> None:
    read = state(["e2e4", "e7e5"], ("offer", "draw", "b"), ("mode", "rated"))

    assert (read.white, read.black) == (ME, OTHER)
    assert read.time == TimeControl(180, 2)
    assert read.clock == (180_000, 180_000)
    assert read.offer == Offer("draw", chess.BLACK)
    assert read.rated
    assert read.turn is chess.WHITE


def test_every_further_tag_of_a_state_is_read() -> None:
    read = state(
        [], ("stand-in", OTHER), ("away", "b", "1800000000"), ("names", "Ann", "Bob"),
        ("rematch", "f" * 32), ("result", "1-0"), ("termination", "resignation"),
        ("vacation", "w", "1800000001"),
    )  # fmt: skip

    assert (read.stand_ins, read.away, read.names) == ((OTHER,), (chess.BLACK,), ("Ann", "Bob"))
    assert read.vacations == ((chess.WHITE, 1_800_000_001),)
    assert (read.rematch, read.result, read.termination) == ("f" * 32, "1-0", "resignation")


def test_what_is_malformed_and_optional_counts_as_absent() -> None:
    read = state(
        [], ("offer", "castle", "w"), ("away", "x"), ("rematch", "\x1b[2J"), ("result", "2-0"),
        ("vacation", "w"), ("vacation", "x", "1"), ("vacation", "b", "-1"),
        ("termination", "\x1b[2J"), time="",
    )  # fmt: skip

    assert read == replace(state(time=""), event=read.event, termination="[2J")


def test_a_spectator_is_told_the_players_by_a_tag_of_their_own() -> None:
    plain = tuple(tag for tag in state_event().tags if tag[0] != "p")
    for players in ((ME, OTHER), (OTHER, ME)):
        read = told(20302, chess.STARTING_FEN, *plain, ("players", *players))
        assert isinstance(read, State)
        assert (read.white, read.black) == players


def test_castling_in_chess960_is_the_king_taking_its_rook() -> None:
    start = "1k6/8/8/8/8/8/8/1K2R3 w E - 0 1"
    board = chess.Board(start, chess960=True)
    board.push_uci("b1e1")
    tags = (("d", GAME), ("p", ME), ("p", OTHER), ("version", "2"), ("ply", "1"))
    read = told(
        20302, board.fen(), *tags, ("moves", "b1e1"), ("variant", "chess960"), ("start", start)
    )

    assert isinstance(read, State)
    assert read.board().piece_at(chess.G1) == chess.Piece.from_symbol("K")


def test_beyond_the_listed_moves_the_position_is_enough() -> None:
    tags = (("d", GAME), ("p", ME), ("p", OTHER), ("version", "9"), ("ply", "2001"))
    read = told(20302, "8/8/4k3/8/8/4K3/8/4R3 b - - 3 1001", *tags)

    assert isinstance(read, State)
    assert read.board().turn is chess.BLACK


def _with(name: str, *values: str) -> Event:
    """A state whose tag of this name has other values."""
    good = state_event(["e2e4"])
    tags = tuple(tag for tag in good.tags if tag[0] != name)
    return event(20302, good.content, *tags, (name, *values))


@pytest.mark.parametrize(
    "forged",
    [
        _with("moves", "e2e5"),
        _with("moves", "e2e4", "e2e4"),
        _with("moves", "d2d4"),
        _with("moves", "e2e4 "),
        _with("moves", "0000"),
        _with("moves", "e2e4x" * 1000),
        _with("ply", "2"),
        _with("ply", "²"),
        _with("ply"),
        _with("version", "-1"),
        _with("version", "9" * 400),
        _with("d", "x"),
        _with("p", ME),
        _with("start", "nonsense"),
        _with("start", "8/8/8/8/8/8/8/8 w - - 0 1"),
        event(20302, "", *state_event().tags),
        event(20302, "8/8/8/8/8/8/8/8 w - - 0 1", *state_event().tags),
        event(20302, chess.STARTING_FEN.replace(" w ", " b "), *state_event().tags),
    ],
)
def test_a_state_that_cannot_be_is_nothing(forged: Event) -> None:
    assert read_message(forged, ARBITER) is None


def test_another_keys_state_is_nothing() -> None:
    assert read_message(state_event(), OTHER) is None


@pytest.mark.parametrize(
    "content",
    ["", "started", f"started:{GAME}", f"started:{GAME}:{OTHER}:x", "started:a:b:w",
     "cancelled:", "cancelled:x", "end", "challenged:x:y",
     f"challenged:{GAME}:{OTHER}:more", "hello"],
)  # fmt: skip
def test_an_unknown_response_is_nothing(content: str) -> None:
    assert read_message(event(20301, content), ARBITER) is None


def test_responses_are_read() -> None:
    assert told(20301, f"started:{GAME}:{OTHER}:w", ("e", "x")) == Started(GAME, OTHER, "x")
    refused = told(20301, "error:rate-limited: two: ask again in 60 seconds")
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.text) == ("rate-limited", "two: ask again in 60 seconds")
    challenged = told(20301, f"challenged:{GAME}:{OTHER}", ("time", "3d"), ("bot", "true"))
    assert isinstance(challenged, Challenged)
    assert challenged.terms.by_bot
    assert challenged.terms.time == TimeControl(days=3)


def test_what_came_of_a_challenge_names_it() -> None:
    named = ("challenge", GAME)
    assert told(20301, f"started:{GAME}:{OTHER}:b", named) == Started(
        GAME, OTHER, None, GAME, chess.BLACK
    )
    assert told(20301, f"cancelled:{GAME}") == Cancelled(None, GAME)
    refused = told(20301, "error:declined: later", named)
    assert isinstance(refused, Refused)
    assert refused.challenge == GAME
    assert told(20301, "end", ("end", "3"), ("e", "x")) == Listed(3, "x")


def test_texts_are_clean() -> None:
    assert told(20301, "error:\x1b[2Jgone") == Refused("refused", "[2Jgone", None, NOW // 1000)
    error = told(20304, "stale: \x1b[2Jlook", ("e", "b" * 64), ("d", GAME))
    assert error == Rejected("stale", "[2Jlook", "b" * 64, GAME)
    assert told(64, "1. e4 \x1b[31m*\n", ("d", GAME)) == Record(GAME, "1. e4 [31m*")


@pytest.mark.parametrize(
    ("tags", "ratings"),
    [
        (
            (("rating", "w", "1500", "1662"), ("rating", "b", "1500", "1338")),
            ((1500, 1662), (1500, 1338)),
        ),
        ((("rating", "w", "1500", "1662"),), None),
        ((("rating", "w", "1500"), ("rating", "b", "1500", "1338")), None),
        ((("rating", "w", "-1", "\x1b"), ("rating", "b", "1500", "1338")), None),
    ],
)
def test_a_record_has_both_ratings_before_and_after_or_none(
    tags: tuple[tuple[str, ...], ...], ratings: object
) -> None:
    assert told(64, "1. e4 *", ("d", GAME), *tags) == Record(GAME, "1. e4 *", ratings=ratings)  # type: ignore[arg-type]


def test_a_challenge_with_an_unknown_time_is_nothing() -> None:
    assert read_message(event(20301, f"challenged:{GAME}:{OTHER}", ("time", "3m")), ARBITER) is None


@pytest.mark.parametrize(
    ("text", "speed"),
    [("60+0", Speed.BULLET), ("179+0", Speed.BULLET), ("60+3", Speed.BLITZ),
     ("480+0", Speed.RAPID), ("1500+0", Speed.CLASSICAL), ("1d", Speed.CORRESPONDENCE)],
)  # fmt: skip
def test_the_speed_is_of_base_and_forty_increments(text: str, speed: Speed) -> None:
    time = read_time(text)

    assert time is not None
    assert time.speed == speed


@pytest.mark.parametrize("text", ["", "0+0", "0d", "180", "+2", "-1+2", "٣+٢", "1e9+1"])
def test_what_is_no_time_control_is_none(text: str) -> None:
    assert read_time(text) is None
