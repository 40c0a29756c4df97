"""A game and a challenge, told as lichess tells them."""

from dataclasses import replace

import chess
import pytest

from clients.lichess_api import bodies, lines
from clients.lichess_api.bodies import Player
from clients.lichess_api.words import our_reason, status_of, time_control
from clients.player.messages import State
from clients.player.terms import Terms, TimeControl
from tests.clients.bot.scene import ME, NOW, OTHER, state
from tests.clients.lichess_api.shapes import faults

WHITE: Player = {"id": "ann-1", "name": "ann-1", "rating": 1500, "provisional": True}
BLACK: Player = {"id": "bob-2", "name": "bob-2", "rating": 1640, "title": "BOT"}
OPENED = ["e2e4", "e7e5", "g1f3"]
NINE_SIXTY = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"


def a_table(shown: State) -> lines.Table:
    return lines.Table(shown, "AbCd1234", WHITE, BLACK, NOW - 5_000)


def test_the_first_line_of_a_game_has_all_that_clients_read() -> None:
    line = lines.game_full(a_table(state(OPENED, ("mode", "rated"))), NOW + 3_000)

    assert line == {
        "type": "gameFull",
        "id": "AbCd1234",
        "rated": True,
        "variant": {"key": "standard", "name": "Standard", "short": "Std"},
        "speed": "blitz",
        "perf": {"name": "Blitz"},
        "createdAt": NOW - 5_000,
        "white": WHITE,
        "black": BLACK,
        "initialFen": "startpos",
        "clock": {"initial": 180_000, "increment": 2_000},
        "state": {
            "type": "gameState",
            "moves": "e2e4 e7e5 g1f3",
            "wtime": 180_000,
            "btime": 177_000,
            "winc": 2_000,
            "binc": 2_000,
            "status": "started",
        },
    }
    assert faults(line, bodies.GameFull) == []


@pytest.mark.parametrize(
    ("shown", "later", "expected"),
    [
        (state(["e2e4"]), 9_000, (180_000, 180_000)),
        (state(["e2e4", "e7e5"]), 9_000, (171_000, 180_000)),
        (state(["e2e4", "e7e5"]), 500_000, (0, 180_000)),
        (state(OPENED, clock=(150_000, 120_000)), -2_000, (150_000, 120_000)),
        (state(OPENED, ("result", "1-0"), ("termination", "timeout")), 0, (180_000, 0)),
        (state(OPENED, ("result", "1/2-1/2"), ("termination", "timeout")), 0, (180_000, 0)),
        (state(OPENED, ("result", "0-1"), ("termination", "resignation")), 9, (180_000, 180_000)),
        (state(OPENED, time=""), 9_000, (lines.FOREVER_MS, lines.FOREVER_MS)),
        (state(["e2e4"], time="3d"), 9_000, (180_000, 21_000)),
    ],
)
def test_the_clock_of_who_is_to_move_runs_down_to_the_deadline(
    shown: State, later: int, expected: tuple[int, int]
) -> None:
    assert lines.clocks(shown, NOW + later) == expected


def test_a_first_move_has_a_time_of_its_own_which_no_clock_shows() -> None:
    line = lines.game_state(state(["e2e4"]), NOW + 12_000)

    assert (line["wtime"], line["btime"]) == (180_000, 180_000)
    assert line["expiration"] == {"idleMillis": 12_000, "millisToMove": 30_000}
    assert "expiration" not in lines.game_state(state(["e2e4", "e7e5"]), NOW)


@pytest.mark.parametrize(
    ("offer", "field"),
    [
        (("offer", "draw", "w"), "wdraw"),
        (("offer", "draw", "b"), "bdraw"),
        (("offer", "takeback", "w"), "wtakeback"),
        (("offer", "takeback", "b"), "btakeback"),
    ],
)
def test_an_offer_is_true_on_its_side_and_absent_on_the_other(
    offer: tuple[str, ...], field: str
) -> None:
    plain, line = lines.game_state(state(OPENED), NOW), lines.game_state(state(OPENED, offer), NOW)
    assert {**plain, field: True} == line
    assert faults(line, bodies.GameState) == []


@pytest.mark.parametrize(
    ("termination", "result", "status", "winner"),
    [
        ("checkmate", "1-0", "mate", "white"),
        ("resignation", "0-1", "resign", "black"),
        ("stalemate", "1/2-1/2", "stalemate", None),
        ("timeout", "0-1", "outoftime", "black"),
        ("timeout", "1/2-1/2", "outoftime", None),
        ("agreement", "1/2-1/2", "draw", None),
        ("threefold-repetition", "1/2-1/2", "draw", None),
        ("fifty-moves", "1/2-1/2", "draw", None),
        ("insufficient-material", "1/2-1/2", "draw", None),
        ("aborted", "*", "aborted", None),
        ("illegal-moves", "1-0", "unknownFinish", "white"),
        ("left", "1-0", "unknownFinish", "white"),
        ("a-word-to-come", "0-1", "unknownFinish", "black"),
    ],
)
def test_each_end_has_lichesss_word(
    termination: str, result: str, status: str, winner: str | None
) -> None:
    over = state(OPENED, ("result", result), ("termination", termination))
    line, event = lines.game_state(over, NOW), lines.game(a_table(over), ME, NOW)

    assert (line["status"], line.get("winner")) == (status, winner)
    assert (event["status"]["name"], event.get("winner")) == (status, winner)
    assert faults(line, bodies.GameState) == []
    assert faults(event, bodies.Game) == []


def test_without_a_result_a_game_has_begun_whatever_else_is_said() -> None:
    assert status_of(None, None) == "started"
    assert status_of("checkmate", None) == "started"


def test_chess960_always_has_a_position_and_a_set_one_is_named_so() -> None:
    usual = state()
    shuffled = replace(usual, chess960=True, start=NINE_SIXTY, fen=NINE_SIXTY)
    fen = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").fen()
    given = replace(usual, start=fen, fen=fen)
    named = [lines.game_full(a_table(each), NOW) for each in (usual, shuffled, given)]

    assert [(line["variant"]["key"], line["initialFen"]) for line in named] == [
        ("standard", "startpos"),
        ("chess960", NINE_SIXTY),
        ("fromPosition", fen),
    ]
    assert lines.game_full(a_table(replace(usual, chess960=True)), NOW)["initialFen"] != "startpos"


@pytest.mark.parametrize(("time", "days"), [("3d", 3), ("", None)])
def test_a_slow_game_has_days_or_nothing_in_place_of_a_clock(time: str, days: int | None) -> None:
    line = lines.game_full(a_table(state(["e2e4"], time=time)), NOW)

    assert (line.get("daysPerTurn"), "clock" in line) == (days, False)
    assert line["speed"] == "correspondence"
    assert faults(line, bodies.GameFull) == []


def test_a_game_is_told_from_the_side_of_each_player() -> None:
    table = a_table(state(OPENED))
    white, black = (lines.game(table, player, NOW) for player in (ME, OTHER))

    assert (white["color"], white["isMyTurn"], white["opponent"]["username"]) == (
        "white", False, "bob-2",
    )  # fmt: skip
    assert (black["color"], black["isMyTurn"], black["opponent"]["rating"]) == ("black", True, 1500)
    assert (white["fullId"], white["lastMove"], white["secondsLeft"]) == (
        "AbCd12340000", "g1f3", 180,
    )  # fmt: skip
    assert faults({"type": "gameStart", "game": white}, bodies.GameEvent) == []


@pytest.mark.parametrize(
    ("moves", "moved"), [(0, (False, False)), (1, (True, False)), (2, (True, True))]
)
def test_a_player_has_moved_once_their_own_move_is_there(
    moves: int, moved: tuple[bool, bool]
) -> None:
    table = a_table(state(OPENED[:moves]))
    assert tuple(lines.game(table, player, NOW)["hasMoved"] for player in (ME, OTHER)) == moved


def test_an_exported_game_has_its_moves_in_algebraic_notation() -> None:
    over = state(OPENED, ("result", "1-0"), ("termination", "resignation"))
    found = lines.export(a_table(over), "[Result]")

    assert found["moves"] == "e4 e5 Nf3"
    assert (found["winner"], found["pgn"]) == ("white", "[Result]")
    assert faults(found, bodies.Export) == []


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (TimeControl(180, 2), {"type": "clock", "limit": 180, "increment": 2, "show": "3+2"}),
        (TimeControl(15, 0), {"type": "clock", "limit": 15, "increment": 0, "show": "0.25+0"}),
        (TimeControl(days=3), {"type": "correspondence", "daysPerTurn": 3}),
        (None, {"type": "unlimited"}),
    ],
)
def test_a_time_control_is_one_of_three_kinds(
    time: TimeControl | None, shown: dict[str, object]
) -> None:
    assert time_control(time) == shown


@pytest.mark.parametrize(
    ("color", "shown"),
    [("white", ("white", "white")), ("black", ("black", "black")), (None, ("random", "white"))],
)
def test_a_challenge_names_a_colour_even_where_none_is_drawn(
    color: str | None, shown: tuple[str, str]
) -> None:
    terms = Terms(time=TimeControl(300, 3), color=color, rated=True)
    line = lines.challenge("AbCd1234", terms, WHITE, BLACK, is_in=True, url="http://127.0.0.1:8464")

    assert (line["color"], line["finalColor"]) == shown
    assert (line["speed"], line["perf"]["name"], line["rated"]) == ("blitz", "Blitz", True)
    for told in (
        line,
        lines.canceled(line),
        lines.declined(line, "tooFast"),
        lines.declined(line, "\x1b"),
    ):
        assert faults(told, bodies.Challenge) == []
    assert lines.declined(line, "tooFast")["declineReasonKey"] == "toofast"
    assert lines.declined(line, "of no kind")["declineReasonKey"] == "generic"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("tooFast", "tooFast"), ("toofast", "tooFast"), ("standard", "variant"),
        ("onlyBot", "generic"), ("", "generic"), ("whatever", "generic"),
    ],
)  # fmt: skip
def test_a_reason_to_decline_becomes_one_that_the_arbiter_knows(theirs: str, ours: str) -> None:
    assert our_reason(theirs) == ours


def test_a_rematch_has_the_same_terms_and_the_other_colours() -> None:
    given = replace(state(OPENED), start=chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").fen())
    assert lines.rematch_terms(given, chess.WHITE).color == "black"
    assert lines.rematch_terms(given, chess.BLACK).color == "white"
    assert lines.rematch_terms(given, chess.WHITE).start == given.start
    # Another position is drawn.
    shuffled = replace(state(), chess960=True, start=NINE_SIXTY, fen=NINE_SIXTY)
    assert lines.rematch_terms(shuffled, chess.WHITE) == Terms(
        time=TimeControl(180, 2), color="black", variant="chess960"
    )
