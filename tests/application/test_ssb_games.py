"""Games of players on Scuttlebutt against others: each reads what their own program knows."""

from tests.application.script import run
from tests.envelopes import a_message, an_envelope

WHITE = "@sue invite white; bob seek\n"
BLACK = "@sue invite black; bob seek\n"
MATE_OF_SUE = BLACK + "bob f2f3; @sue e7e5; bob g2g4; @sue d8h4\n"


def test_after_the_end_an_end_that_says_the_same_is_let_pass() -> None:
    talk = run(MATE_OF_SUE)
    sue = talk.players.feeds["sue"]
    mate = {"type": "ssb_chess_game_end", "root": sue.root, "status": "mate", "ply": 4}
    mate |= {"orig": "d8", "dest": "h4", "pgnMove": "Qh4#", "fen": sue.game.board().fen()}
    before = len(talk.world.outbox.said)
    talk.world.hear(sue.envelope(mate))
    assert len(talk.world.outbox.said) == before
    talk.line("@sue draw > @sue* !game-over")


def test_a_move_that_is_none_is_refused_as_after_the_end() -> None:
    talk = run(WHITE + "@sue e2e4; bob resign")
    sue = talk.players.feeds["sue"]
    flawed = {"type": "chess_move", "root": sue.root, "orig": 7, "dest": None, "ply": "one"}
    sue.say(flawed)
    (verdict,) = [said["verdict"] for said in sue.read() if "verdict" in said]
    assert (verdict["reason"], verdict["ply"]) == ("game-over", 1)


def test_a_fork_is_named_once_in_a_game_however_often_it_is_told() -> None:
    talk = run(WHITE)
    sue = talk.players.feeds["sue"]
    for line in ("@sue e2e4; bob e7e5", "@sue d2d4; bob d7d5"):
        talk.line(line)
        key, content = a_message(f"sue {sue.number}"), {"type": "chess_chat", "root": sue.root}
        fork = {"sequence": 3, "known": sue.root}
        invite = sue.invites[sue.root]
        talk.world.hear(an_envelope(sue.feed, key, content | {"msg": "hello"}, invite, fork=fork))
    texts = [said["verdict"]["text"] for said in sue.read() if "verdict" in said]
    assert texts == ["your log is forked: of two messages of one number the first counts"]
