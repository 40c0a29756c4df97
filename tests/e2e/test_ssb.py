"""Scuttlebutt players on a whole arbiter: real peers, their own program, SSB=1."""

import io
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest

from tests.bridge.peers import eventually, needs_peer
from tests.e2e.arbiter_run import ArbiterRun, running
from tests.e2e.ssb_players import (
    SETTINGS,
    SsbChess,
    SsbPlayer,
    archived,
    native_player,
    refereed_id,
    ssb_chess,
    ssb_player,
)

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow, needs_peer]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    with running(tmp_path_factory.mktemp("bridged"), settings=SETTINGS) as started:
        yield started


@pytest.fixture(scope="module")
def program() -> Iterator[SsbChess]:
    with ssb_chess() as started:
        yield started


def uci_of(pgn: str) -> list[str]:
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None
    assert not game.errors
    return [move.uci() for move in game.mainline_moves()]


def check_alike(run: ArbiterRun, player: SsbPlayer, game_id: str, winner: str | None) -> None:
    """ssb-chess shows of its log what the arbiter shows of its table."""
    ours, theirs = archived(run, game_id), player.situation()

    moves = [move["uci"] for move in ours["moves"]]
    assert uci_of(player.pgn()) == moves
    assert [move["orig"] + move["dest"] for move in theirs["origDests"]] == [m[:4] for m in moves]
    assert theirs["status"]["winner"] == winner
    assert theirs["fen"].split()[:3] == ours["fen"].split()[:3]


def befriend(*players: SsbPlayer) -> None:
    """Let them follow each other, so that their peers replicate each other's logs."""
    for one in players:
        for other in players:
            if other is not one:
                one.peer.follow(other.id)


def test_scuttlebutt_meets_a_native_player_again_and_again(
    run: ArbiterRun, program: SsbChess, tmp_path: Path
) -> None:
    """Mate, a rematch with an under-promotion and a resignation, a rematch drawn by agreement."""
    with ssb_player(tmp_path / "sue", run, program) as sue, native_player(run) as bob:
        bob.until("queued")
        first = sue.invite(white=True)
        game_id = bob.until("started", color="black")["game"]
        sue.await_said(type="chess_invite_accept")

        sue.say("good luck")
        assert bob.until("chat", public=False)["text"] == "good luck"
        bob.enter("say and to you")
        assert sue.await_said(msg="Opponent: and to you")["private"] is True

        sue.move("f2f3")
        bob.until("state", ply=1)
        bob.enter("e5")
        assert sue.await_ply(2)["pgnMoves"] == ["f3", "e5"]
        sue.move("g2g4")
        bob.until("state", ply=3)
        bob.enter("Qh4#")
        situation = sue.await_ply(4)
        assert situation["status"] == {"status": "mate", "winner": sue.arbiter}
        assert bob.until("ended")["outcome"] == "won"
        check_alike(run, sue, game_id, sue.arbiter)

        sue.invite(white=False, rematch=first)
        bob.until("offer", offer="rematch", mine=False)
        bob.enter("rematch")
        second = bob.until("started", color="white")["game"]
        for ply, (native, theirs) in enumerate(
            (("a4", "h7h5"), ("a5", "h5h4"), ("a6", "h4h3"), ("axb7", "h3g2"))
        ):
            bob.until("state", ply=2 * ply, my_turn=True)
            bob.enter(native)
            sue.await_ply(2 * ply + 1)
            sue.move(theirs)
        bob.until("state", ply=8, my_turn=True)
        bob.enter("bxa8=N")
        assert sue.await_ply(9)["pgnMoves"][-1] == "bxa8=N"
        sue.move("g2h1b")
        assert bob.until("state", ply=10)["last"] == "g2h1b"
        bob.enter("resign")
        sue.await_said(type="chess_game_end", status="resigned")
        bob.until("ended")
        check_alike(run, sue, second, sue.id)

        bob.enter("rematch")
        offered = sue.peer.await_message(
            lambda it: (
                it["author"] == sue.arbiter
                and it["content"]["type"] == "chess_invite"
                and it["content"].get("root") == sue.game
            )
        )
        sue.accept(offered["key"])
        third = bob.until("started", color="black")["game"]
        sue.move("e2e4")
        bob.until("state", ply=1)
        bob.enter("draw")
        sue.peer.await_message(
            lambda it: it["private"] and "draw" in str(it["content"].get("msg")).lower()
        )
        sue.say("/draw")
        sue.await_said(type="chess_game_end", status="draw")
        assert bob.until("ended")["termination"] == "agreement"
        check_alike(run, sue, third, None)


def test_a_game_of_two_feeds_is_judged_and_archived_and_nothing_false_counts(
    run: ArbiterRun, program: SsbChess, tmp_path: Path
) -> None:
    with (
        ssb_player(tmp_path / "sue", run, program) as sue,
        ssb_player(tmp_path / "tom", run, program) as tom,
        ssb_player(tmp_path / "eve", run, program) as eve,
    ):
        befriend(sue, tom, eve)
        root = sue.invite(white=True, whom=tom.id)
        tom.accept(root)
        sue.await_said(type="chess_invite_accept")
        sue.move("f2f3")
        tom.await_ply(1)
        opening = tom.thread()

        lie = program.writes("move", tom.id, opening, game=root, orig="e7", dest="e5")
        tom.peer.publish({**lie, "orig": "d8", "dest": "h4", "pgnMove": "Qh4#"})
        sue.game = root
        sue.await_verdict("illegal-move")
        tom.peer.publish({**lie, "type": "chess_game_end", "status": "mate"})
        sue.await_verdict("wrong-result")
        eve.peer.await_key(root)
        eve.peer.publish({"type": "chess_game_end", "root": root, "status": "resigned"})
        sue.await_verdict("not-a-player")

        shown = archived(run, refereed_id(root))
        assert [move["uci"] for move in shown["moves"]] == ["f2f3"]
        assert shown["result"] == "*"

        honest = tom.invite(white=False, whom=sue.id)
        sue.accept(honest)
        tom.await_said(type="chess_invite_accept")
        turns = ((sue, tom, "f2f3"), (tom, sue, "e7e5"), (sue, tom, "g2g4"), (tom, sue, "d8h4"))
        for ply, (mover, other, uci) in enumerate(turns, 1):
            mover.move(uci)
            other.await_ply(ply)
        eventually(lambda: archived(run, refereed_id(honest))["result"] == "0-1")
        check_alike(run, sue, refereed_id(honest), tom.id)
        assert archived(run, refereed_id(honest))["termination"] == "checkmate"


def test_nothing_is_lost_or_published_twice_when_the_bridge_is_killed(
    run: ArbiterRun, program: SsbChess, tmp_path: Path
) -> None:
    with native_player(run) as carol:
        carol.until("queued")
        with ssb_player(tmp_path / "sue", run, program) as sue:
            game = sue.invite(white=True)
            game_id = carol.until("started", color="black")["game"]
            sue.await_said(type="chess_invite_accept")
            sue.move("f2f3")
            carol.until("state", ply=1)
            run.kill_process(run.parts()["bridge"])
            carol.enter("e5")
        # Her peer was away too, while the bridge came back.
        with ssb_player(tmp_path / "sue", run, program) as sue:
            sue.game = game
            sue.await_ply(2)
            run.kill_process(run.parts()["bridge"])
            sue.move("g2g4")
            carol.until("state", ply=3)
            carol.enter("Qh4#")
            sue.await_ply(4)
            assert carol.until("ended")["outcome"] == "won"
            check_alike(run, sue, game_id, sue.arbiter)

            said = [
                (it["content"]["type"], it["content"].get("ply"))
                for it in sue.thread()
                if it["author"] == sue.arbiter and it["content"]["type"] != "chess_chat"
            ]
            assert said == [("chess_invite_accept", None), ("chess_move", 2), ("chess_game_end", 4)]
            ids = [it["content"].get("utterance") for it in sue.thread() if it["author"] != sue.id]
            assert len(ids) == len(set(ids))
