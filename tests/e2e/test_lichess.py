"""Whole games by berserk as it is, two keys over a relay and an arbiter."""

import itertools
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from websockets.sync.client import connect

from arbiter.nostr.keys import SecretKey
from clients.lichess_api import bodies
from tests.clients.lichess_api.shapes import faults
from tests.clients.terminal.program import Program
from tests.e2e.foreign_relays import ForeignRelay, bundled
from tests.e2e.lichess.programs import (
    HERE,
    PYTHON,
    Berserk,
    Failed,
    Player,
    Reader,
    Sidecar,
    running,
)
from tests.server.running_server import RunningServer, free_port, running_server

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

PLAYERS, OTHERS = 21, 19  # an odd number: pairs are others each time
FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"
SHUFFLE = "g1f3 g8f6 f3g1 f6g8"
CASTLES = "e2e4 e7e5 g1f3 b8c6 f1c4 d7d6 e1g1 c8g4 a2a3 d8d7 b2b4 e8c8"


class Scene:
    """The arbiter, its relay, the sidecar, and players who have not played yet."""

    def __init__(
        self, relay: ForeignRelay, server: RunningServer, sidecar: Sidecar, berserk: Berserk
    ) -> None:
        self.relay, self.server, self.sidecar, self.berserk = relay, server, sidecar, berserk
        tokens = [*sidecar.tokens.values()]
        self._tokens, self._others = itertools.cycle(tokens[:PLAYERS]), iter(tokens[PLAYERS:])

    def player(self) -> Player:
        """One of those who play in turn."""
        return Player(self.berserk, next(self._tokens))

    def pair(self) -> "tuple[Seat, Seat]":
        return Seat(self, self.player()), Seat(self, self.player())

    def newcomers(self) -> "tuple[Seat, Seat]":
        """Two who play in one test alone: the arbiter remembers what they do there."""
        return Seat(self, self.newcomer()), Seat(self, self.newcomer())

    def newcomer(self) -> Player:
        return Player(self.berserk, next(self._others))


class Seat:
    """A player of their own, whose events are read."""

    def __init__(self, scene: Scene, player: Player) -> None:
        self.player = player
        self.name = self.player.name
        self.call = self.player.call
        self.events = self.player.begin("board.stream_incoming_events")
        self.game = ""
        self.lines: Reader | None = None

    def event(self, kind: str, id_: str | None = None) -> Any:
        """The next event of this kind, about this, which is as it is declared."""
        about = "game" if kind.startswith("game") else "challenge"
        found = self.events.until(
            lambda event: event["type"] == kind and id_ in {None, event[about]["id"]}
        )
        assert faults(found, bodies.GameEvent | bodies.ChallengeEvent) == []
        return found[about]

    def watch(self, id_: str | None = None) -> Any:
        """The first line of the game that begins."""
        self.game = self.event("gameStart", id_)["id"]
        self.lines = self.player.begin("board.stream_game_state", self.game)
        return self.lines.next()

    def until(self, moves: int) -> Any:
        """The line in which so many moves are played."""
        assert self.lines is not None
        for line in self.lines.seen:
            if len(line.get("state", line)["moves"].split()) == moves:
                return line
        return self.lines.until(lambda line: len(line.get("moves", "").split()) == moves)

    def move(self, uci: str) -> None:
        self.call("board.make_move", self.game, uci)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("lichess")
    relay = bundled(folder, free_port())
    relay.start()
    names = [f"player-{number}" for number in range(PLAYERS + OTHERS)]
    try:
        with running_server(folder, relay.url) as server:
            sidecar = Sidecar(folder, relay.url, server.pubkey, names)
            with running(sidecar):
                berserk = Berserk(sidecar.url)
                yield Scene(relay, server, sidecar, berserk)
                berserk.end()
    finally:
        relay.stop()


TERMS = {"rated": False, "clock_limit": 180, "clock_increment": 2, "color": "white"}


def begin(scene: Scene, *seats: Seat, **other: Any) -> tuple[Seat, Seat]:
    """White and Black in a game that both read."""
    white, black = seats or scene.pair()
    made = white.call("challenges.create", black.name, **{**TERMS, **other})
    assert faults(made, bodies.Challenge) == []
    black.call("challenges.accept", black.event("challenge", made["id"])["id"])
    for seat in (white, black):
        line = seat.watch(made["id"])
        assert (line["id"], line["white"]["name"], line["black"]["name"]) == (
            made["id"], white.name, black.name,
        )  # fmt: skip
    return white, black


def play(white: Seat, black: Seat, moves: str, *, played: int = 0) -> None:
    """Play these, each once the one before is seen."""
    sides = itertools.cycle((white, black)[:: -1 if played % 2 else 1])
    for number, (seat, uci) in enumerate(zip(sides, moves.split(), strict=False), played):
        seat.until(number)
        seat.move(uci)


def ends(white: Seat, black: Seat, status: str, winner: str | None) -> None:
    """Both streams end cleanly with this, the events tell it, and so does the note (kind 64)."""
    for seat in (white, black):
        assert seat.lines is not None
        rest, how = seat.lines.rest()
        last = (rest or seat.lines.seen)[-1]
        assert (last["status"], last.get("winner"), how) == (status, winner, "end")
        over = seat.event("gameFinish", seat.game)
        assert (over["status"]["name"], over.get("winner")) == (status, winner)
    if status != "aborted":
        result = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[winner]
        assert f'[Result "{result}"]' in kind_64(white)


def kind_64(seat: Seat) -> str:
    """The note of the game, as it is exported."""
    ends_at = time.monotonic() + 10
    while "Termination" not in (pgn := seat.call("games.export", seat.game, as_pgn=True)):
        assert time.monotonic() < ends_at, pgn
    assert isinstance(pgn, str)
    return pgn


def test_a_game_ends_by_mate(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, FOOLS_MATE)
    ends(white, black, "mate", "black")


def test_a_draw_is_offered_declined_offered_and_agreed(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, "e2e4 e7e5")
    black.until(2)
    white.call("board.offer_draw", white.game)
    assert black.lines is not None
    assert black.lines.until(lambda line: "wdraw" in line)["moves"] == "e2e4 e7e5"
    # Asked for again because its answer was late, it is the same offer.
    white.call("board.offer_draw", white.game)
    black.call("board.decline_draw", black.game)
    assert "wdraw" not in black.lines.next()
    black.call("board.offer_draw", black.game)
    assert white.lines is not None
    white.lines.until(lambda line: "bdraw" in line)
    white.call("board.accept_draw", white.game)
    ends(white, black, "draw", None)


def test_a_draw_is_claimed_where_a_position_came_thrice(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, f"{SHUFFLE} {SHUFFLE}")
    white.until(8)
    white.call("board.offer_draw", white.game)
    ends(white, black, "draw", None)


def test_a_draw_that_is_offered_is_accepted_before_the_move(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, "e2e4 e7e5")
    white.until(2)
    black.call("board.offer_draw", black.game)
    assert white.lines is not None
    white.lines.until(lambda line: "bdraw" in line)
    path = f"/api/board/game/{white.game}/move/g1f3?offeringDraw=true"
    assert scene.sidecar.ask("POST", path, token=white.player.token)[0] == 200
    ends(white, black, "draw", None)
    assert len(white.lines.seen[-1]["moves"].split()) == 2


def test_a_draw_is_offered_after_the_move_that_it_comes_with(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, "e2e4 e7e5")
    white.until(2)
    path = f"/api/board/game/{white.game}/move/g1f3?offeringDraw=true"
    assert scene.sidecar.ask("POST", path, token=white.player.token)[0] == 200
    assert black.lines is not None
    assert black.lines.until(lambda line: "wdraw" in line)["moves"] == "e2e4 e7e5 g1f3"
    black.call("board.resign_game", black.game)
    ends(white, black, "resign", "white")


def test_abort(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, "e2e4")
    black.until(1)
    black.call("board.abort_game", black.game)
    # Its answer was late.
    black.call("board.abort_game", black.game)
    ends(white, black, "aborted", None)


def test_time(scene: Scene) -> None:
    white, black = begin(scene, clock_limit=1, clock_increment=0)
    play(white, black, "e2e4 e7e5")
    white.until(2)
    ends(white, black, "outoftime", "black")
    assert white.lines is not None
    assert white.lines.seen[-1]["wtime"] in ("0:00:00", 0)


def fen(seat: Seat) -> str:
    """The position that the arbiter shows."""
    return next(
        str(game["fen"]) for game in seat.call("games.get_ongoing") if game["gameId"] == seat.game
    )


@pytest.mark.parametrize(
    ("start", "moves"),
    [
        ("", CASTLES),
        ("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1", "a7a8q e8e7 a8e4 e7d7 e1d2 h2h1n"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1 e8a8"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1 e8g8"),
    ],
)
def test_castling_and_promotion_from_any_position(scene: Scene, start: str, moves: str) -> None:
    given = {"variant": "fromPosition", "position": start} if start else {}
    white, black = begin(scene, **given)
    play(white, black, moves)
    count = len(moves.split())
    line = white.until(count)
    assert white.lines is not None
    first = white.lines.seen[0]
    assert first["initialFen"] == (start or "startpos")
    board = chess.Board(start or chess.STARTING_FEN)
    for uci in line["moves"].split():
        board.push_uci(uci)
    assert board.fen().split()[:3] == fen(white).split()[:3]
    white.call("board.resign_game", white.game)


def test_in_chess960_the_king_takes_its_rook_and_the_position_is_told(scene: Scene) -> None:
    white, black = begin(scene, variant="chess960")
    assert white.lines is not None
    first = white.lines.seen[0]
    assert first["variant"] == {"key": "chess960", "name": "Chess960", "short": "960"}
    board = chess.Board(first["initialFen"], chess960=True)
    moves = to_castling(board)
    play(white, black, " ".join(map(board.uci, moves)))
    for move in moves:
        board.push(move)
    shown = white.until(len(moves))["moves"].split()
    assert shown == [move.uci() for move in moves]
    assert board.fen().split()[:3] == chess.Board(fen(white), chess960=True).fen().split()[:3]
    white.call("board.resign_game", white.game)


def to_castling(start: chess.Board) -> list[chess.Move]:
    """Moves, the last of which castles."""
    chance = random.Random(1)
    while True:
        board = start.copy()
        while len(board.move_stack) < 30 and (legal := [*board.legal_moves]):
            castling = [move for move in legal if board.is_castling(move)]
            if castling:
                return [*board.move_stack, castling[0]]
            keeps = [it for it in legal if board.piece_type_at(it.from_square) != chess.KING]
            board.push(chance.choice(keeps or legal))


def test_a_takeback_leaves_fewer_moves(scene: Scene) -> None:
    white, black = begin(scene)
    play(white, black, "e2e4 e7e5 g1f3")
    black.until(3)
    white.call("board.offer_takeback", white.game)
    assert black.lines is not None
    black.lines.until(lambda line: "wtakeback" in line)
    black.call("board.accept_takeback", black.game)
    assert white.lines is not None
    assert white.lines.until(lambda line: line["moves"] == "e2e4 e7e5")["status"] == "started"
    white.move("f1c4")
    assert black.lines.until(lambda line: "f1c4" in line["moves"])
    black.call("board.resign_game", black.game)
    ends(white, black, "resign", "white")


def test_no_move_is_taken_back_in_a_rated_game(scene: Scene) -> None:
    white, black = begin(scene, rated=True)
    play(white, black, "e2e4 e7e5")
    with pytest.raises(Failed, match="400"):
        white.call("board.offer_takeback", white.game)
    white.until(2)
    white.call("board.resign_game", white.game)
    ends(white, black, "resign", "black")


def test_a_challenge_is_declined_with_its_reason(scene: Scene) -> None:
    white, black = scene.pair()
    made = white.call("challenges.create", black.name, **TERMS)
    black.event("challenge", made["id"])
    black.call("challenges.decline", made["id"], reason="tooFast")
    assert white.event("challengeDeclined", made["id"])["declineReasonKey"] == "toofast"
    # The place that it took is free.
    again = white.call("challenges.create", black.name, **{**TERMS, "clock_limit": 300})
    assert black.event("challenge", again["id"])["id"] != made["id"]
    white.call("challenges.cancel", again["id"])


def test_a_challenge_that_is_taken_back_is_told_and_cannot_be_accepted(scene: Scene) -> None:
    white, black = scene.pair()
    made = white.call("challenges.create", black.name, **TERMS)
    other = white.call("challenges.create", black.name, **{**TERMS, "clock_limit": 300})
    black.event("challenge", made["id"])
    white.call("challenges.cancel", made["id"])
    black.event("challengeCanceled", made["id"])
    with pytest.raises(Failed, match="404"):
        black.call("challenges.accept", made["id"])
    # The arbiter takes back all; the other one is there under its own id.
    assert [one["id"] for one in white.call("challenges.get_mine")["out"]] == [other["id"]]
    black.call("challenges.accept", other["id"])
    black.watch(other["id"])
    white.watch(other["id"])
    white.call("board.abort_game", white.game)


def test_a_rematch_that_is_offered_is_a_challenge(scene: Scene) -> None:
    black = Seat(scene, scene.newcomer())
    with Program(secret="7" * 64, server=scene.server.pubkey, relays=[scene.relay.url]) as person:
        person.until("queued")
        person.enter(f"challenge {_key(scene, black)} 3+2 white")
        first = black.event("challenge")
        black.call("challenges.accept", first["id"])
        black.watch(first["id"])
        for number, uci in enumerate(FOOLS_MATE.split()):
            if number % 2:
                black.until(number)
                black.move(uci)
            else:
                person.until("state", ply=number)
                person.enter(uci)
        person.until("ended")
        black.event("gameFinish", first["id"])
        offered = first
        for reply in ("decline", "accept"):
            person.enter("rematch")
            offered = black.event("challenge")
            assert (offered["rematchOf"], offered["color"]) == (first["id"], "black")
            assert offered["challenger"]["id"] == first["challenger"]["id"]
            black.call(f"challenges.{reply}", offered["id"])
        # Its game has the id of the challenge.
        line = black.watch(offered["id"])
        assert line["white"]["id"] == black.name
        black.move("e2e4")
        person.until("state", ply=1)
        black.call("board.abort_game", black.game)


def test_the_same_challenge_again_is_one(scene: Scene) -> None:
    white, black = scene.pair()
    made = [white.call("challenges.create", black.name, **TERMS)["id"] for _ in range(3)]
    assert len(set(made)) == 1
    assert [one["id"] for one in white.call("challenges.get_mine")["out"]] == made[:1]
    white.call("challenges.cancel", made[0])


def test_two_games_at_once_do_not_mix_and_a_third_waits(scene: Scene) -> None:
    white, black = begin(scene)
    third, fourth = begin(scene)
    late = Seat(scene, scene.player())
    with pytest.raises(Failed, match="400"):
        white.call("challenges.create", late.name, **TERMS)
    asked = late.call("challenges.create", black.name, **TERMS)
    play(white, black, "e2e4 e7e5")
    play(third, fourth, "d2d4 d7d5")
    assert [one["in"] for one in [black.call("challenges.get_mine")]] == [[]]
    with pytest.raises(Failed, match="400"):
        black.call("challenges.accept", asked["id"])
    assert white.until(2)["moves"] == "e2e4 e7e5"
    assert third.until(2)["moves"] == "d2d4 d7d5"
    black.call("board.resign_game", black.game)
    fourth.call("board.resign_game", fourth.game)
    ends(white, black, "resign", "white")
    # Now that the game is over the third may be accepted.
    black.event("challenge", asked["id"])
    late.call("challenges.cancel", asked["id"])


def contents(scene: Scene, seat: Seat, other: Seat) -> list[str]:
    """The contents of what a player signed in games with another, as the relay kept it."""
    keys = [_key(scene, each) for each in (seat, other)]
    with connect(scene.relay.url) as socket:
        wanted = {"kinds": [20303], "authors": keys[:1], "#p": keys[1:]}
        socket.send(json.dumps(["REQ", "all", wanted]))
        found = []
        while (message := json.loads(socket.recv(10)))[0] != "EOSE":
            if message[0] == "EVENT":
                found.append(message[2])
    return [event["content"] for event in sorted(found, key=lambda event: event["created_at"])]


def _key(scene: Scene, seat: Seat) -> str:
    name = next(name for name, it in scene.sidecar.tokens.items() if it == seat.player.token)
    text = (scene.sidecar.folder / f"{name}.key").read_text(encoding="utf-8")
    return SecretKey.from_text(text).pubkey


def test_lines_of_chat_come_to_both(scene: Scene) -> None:
    white, black = begin(scene)
    white.call("board.post_message", white.game, "good luck")
    white.call("board.post_message", white.game, " \x1b ")
    for seat in (white, black):
        assert seat.lines is not None
        assert seat.lines.until(lambda line: line["type"] == "chatLine") == {
            "type": "chatLine", "room": "player", "username": white.name, "text": "good luck",
        }  # fmt: skip
        said = seat.call("board.get_game_chat", seat.game)
        assert said == [{"user": white.name, "text": "good luck"}]
    black.call("board.abort_game", black.game)


def test_a_seek_ends_when_two_are_paired(scene: Scene) -> None:
    white, black = scene.newcomers()
    seeks = [seat.player.begin("board.seek", 10, 5) for seat in (white, black)]
    assert white.watch()["id"] == black.watch()["id"]
    # It returns how long that took.
    assert all(seek.next() >= 0 for seek in seeks)
    white.call("board.resign_game", white.game)


def test_a_program_reads_who_it_is_and_who_others_are(scene: Scene) -> None:
    white, black = scene.pair()
    token = white.player.token
    found = white.call("oauth.test_tokens", token, "arb_no_token_of_ours")
    assert faults(found[token], bodies.Token) == []
    assert found["arb_no_token_of_ours"] is None
    kept = (scene.sidecar.folder / "data").glob("book.db*")
    assert {file.stat().st_mode & 0o077 for file in kept} == {0}
    assert found[token]["scopes"].startswith("board:play")
    status = white.call("users.get_realtime_statuses", white.name, black.name)
    assert [one["online"] for one in status] == [True, False]
    assert white.call("users.get_public_data", black.name)["username"] == black.name
    with pytest.raises(Failed, match="404"):
        white.call("users.get_public_data", "of-no-key")


def test_cli_chess_plays_a_game_of_a_challenge_to_mate(scene: Scene, tmp_path: Path) -> None:
    white, black = scene.newcomer(), Seat(scene, scene.newcomer())
    command = [str(PYTHON), str(HERE / "cli_chess_driver.py"), scene.sidecar.url, white.token]
    with subprocess.Popen(
        [*command, black.name, "f2f3 g2g4"],
        env={**os.environ, "HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        black.call("challenges.accept", black.event("challenge")["id"])
        black.watch()
        for count, uci in ((1, "e7e5"), (3, "d8h4")):
            black.until(count)
            black.move(uci)
        told, _ = program.communicate(timeout=60)
    assert json.loads(told) == {
        "status": "mate", "winner": "black", "moves": ["f2f3", "e7e5", "g2g4", "d8h4"],
    }  # fmt: skip


def test_a_game_goes_on_after_the_sidecar_was_killed(scene: Scene) -> None:
    white, black = begin(scene, *scene.newcomers())
    play(white, black, "f2f3 e7e5")
    white.until(2)
    scene.sidecar.end(signal.SIGKILL)
    for seat in (white, black):
        assert seat.lines is not None
        assert seat.lines.rest()[1] == "broken"
    scene.sidecar.start()
    again = Seat(scene, white.player), Seat(scene, black.player)
    for seat in again:
        assert seat.watch(white.game)["state"]["moves"] == "f2f3 e7e5"
    play(again[0], again[1], "g2g4 d8h4", played=2)
    ends(again[0], again[1], "mate", "black")
    assert contents(scene, white, black) == ["f2f3", "g2g4"]


def test_a_game_that_ends_while_the_sidecar_is_down_is_told_to_have_ended(scene: Scene) -> None:
    black = Seat(scene, scene.newcomer())
    with Program(secret="8" * 64, server=scene.server.pubkey, relays=[scene.relay.url]) as person:
        person.until("queued")
        person.enter(f"challenge {_key(scene, black)} 3+2 white")
        black.call("challenges.accept", black.event("challenge")["id"])
        black.watch()
        person.until("state", ply=0)
        person.enter("e2e4")
        black.until(1)
        black.move("e7e5")
        person.until("state", ply=2)
        scene.sidecar.end(signal.SIGKILL)
        person.enter("resign")
        person.until("ended")
    scene.sidecar.start()
    lines, how = black.player.begin("board.stream_game_state", black.game).rest()
    assert (lines[0]["type"], lines[-1]["status"], lines[-1]["winner"], how) == (
        "gameFull", "resign", "black", "end",
    )  # fmt: skip


def test_a_game_goes_on_after_the_relay_was_gone(scene: Scene) -> None:
    white, black = begin(scene, *scene.newcomers())
    play(white, black, "f2f3 e7e5")
    white.until(2)
    scene.relay.kill()
    statuses = set()
    path = f"/api/board/game/{white.game}/move/g2g4"
    while 503 not in statuses:
        statuses.add(scene.sidecar.ask("POST", path, token=white.player.token)[0])
    assert statuses <= {200, 503}
    scene.relay.start()
    # As lichess-bot does after a 503.
    ends_at = time.monotonic() + 60
    while scene.sidecar.ask("POST", path, token=white.player.token)[0] != 200:
        assert time.monotonic() < ends_at
    play(white, black, "g2g4 d8h4", played=2)
    ends(white, black, "mate", "black")
