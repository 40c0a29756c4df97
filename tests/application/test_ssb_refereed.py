"""Games that two players of Scuttlebutt play between themselves, and that the arbiter judges."""

import random
from itertools import count

import chess
import pytest

from arbiter.core.game import Game, Termination
from arbiter.dialects.ssb.decode import refereed_game_id
from arbiter.nostr.event import VerifiedEvent
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.dialects.ssb_cases import ACCEPT, MAL, ROOT, SUE, TO_TOM, TOM
from tests.letters import Content, a_feed, a_letter, a_message

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
LINE = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7")


class Match:
    """Tom, invited by Sue, has White."""

    def __init__(self) -> None:
        self.world, self.numbers = World(), count(1)
        self.id = refereed_game_id(ROOT)

    def letter(self, content: Content, author: str, **more: object) -> VerifiedEvent:
        key = a_message(f"{author} {next(self.numbers)}")
        self.world.clock.ms += 1000
        at = self.world.clock.ms // 1000
        return a_letter(author, key, content, (ROOT, SUE, TO_TOM), at=at, **more)  # type: ignore[arg-type]

    def say(self, content: Content, author: str, **more: object) -> list[VerifiedEvent]:
        return self.world.hear(self.letter(content, author, **more))

    def begin(self) -> list[VerifiedEvent]:
        return self.say(ACCEPT, TOM)

    @property
    def game(self) -> Game:
        return self.world.game(self.id)

    def verdicts(self) -> list[tuple[object, ...]]:
        """Reason, and whether it is public, of all that was said."""
        return [
            (one.content["verdict"]["reason"], one.recps == ())  # type: ignore[index]
            for one in self.world.outbox.said
        ]


def moves(line: tuple[str, ...]) -> list[tuple[str, Content]]:
    """Each half-move's author and what he writes, the end in a chess_game_end."""
    board, said = chess.Board(), list[tuple[str, Content]]()
    for uci in line:
        move = chess.Move.from_uci(uci)
        author, san = (TOM if board.turn else SUE), board.san(move)
        board.push(move)
        content: Content = {"type": "chess_move", "root": ROOT, "ply": board.ply(), "pgnMove": san}
        content |= {"orig": uci[:2], "dest": uci[2:4], "fen": board.fen()}
        if board.is_checkmate():
            content |= {"type": "chess_game_end", "status": "mate", "winner": author}
        said.append((author, content))
    return said


def test_a_game_is_judged_published_and_its_end_confirmed() -> None:
    match = Match()
    match.begin()

    for author, content in moves(MATE):
        match.say(content, author)

    assert match.game.outcome is not None
    assert match.game.outcome.termination is Termination.CHECKMATE
    told = match.world.publisher.taken_events
    assert len({event.content for event in told if event.kind == 20302}) == 5
    assert len([event for event in told if event.kind == 64]) == 1
    # They have told each other of their moves.
    (said,) = match.world.outbox.said
    assert said.root == ROOT
    assert said.content["msg"] == "Arbiter: 0-1, checkmate. Every move was checked."


def test_an_illegal_move_and_a_false_mate_are_named_in_public_and_change_nothing() -> None:
    match = Match()
    match.begin()
    (_, first), *_ = moves(LINE)

    match.say({**first, "dest": "e5"}, TOM)
    match.say({**first, "type": "chess_game_end", "status": "mate"}, TOM)

    assert match.game.ply == 0
    assert match.verdicts() == [("illegal-move", True), ("wrong-result", True)]
    match.say(first, TOM)
    assert match.game.ply == 1


def test_a_forged_end_of_a_bystander_is_named_and_the_game_goes_on() -> None:
    match = Match()
    match.begin()
    end = {"type": "chess_game_end", "root": ROOT, "status": "resigned"}

    match.say(end, MAL)
    match.say(end, MAL)

    assert match.game.outcome is None
    assert match.verdicts() == [("not-a-player", True)]


def test_all_who_have_no_seat_are_told_so_once_in_a_game_however_many_they_are() -> None:
    match = Match()
    match.begin()
    end = {"type": "chess_game_end", "root": ROOT, "status": "resigned"}

    for author, content in moves(LINE):
        match.say(content, author)
        for number in range(3):
            match.say(end, a_feed(f"made up {match.game.ply} {number}"))

    assert match.game.outcome is None
    (said,) = match.world.outbox.said
    assert said.recps == ()
    assert said.content["msg"] == (
        "Arbiter: you have no seat in this game; only what its two players say counts"
    )
    # The players have their own verdicts still, each in each position.
    match.say(moves(LINE)[0][1], SUE)
    match.say(moves(LINE)[1][1], TOM)
    assert len(match.verdicts()) == 3


def test_who_waits_for_a_game_is_told_in_spite_of_strangers() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite()
    move = {"type": "chess_move", "root": sue.root, "ply": 1, "orig": "e2", "dest": "e4"}
    move |= {"pgnMove": "e4", "fen": chess.STARTING_FEN}
    for number in range(3):
        world.hear(
            a_letter(
                a_feed(f"made up {number}"), a_message(f"m {number}"), move, sue.invites[sue.root]
            )
        )
    assert len(sue.read("chess_chat")) == 2

    sue.say(move)

    assert sue.read("chess_chat")[-1]["msg"] == "Arbiter: no game has begun here"


def test_the_one_who_resigns_loses() -> None:
    match = Match()
    match.begin()

    match.say({"type": "chess_game_end", "root": ROOT, "status": "resigned"}, TOM)

    assert match.game.result == "0-1"


def test_a_draw_takes_two() -> None:
    match = Match()
    match.begin()
    draw = {"type": "chess_game_end", "root": ROOT, "status": "draw"}

    match.say(draw, TOM)
    assert match.game.result == "*"
    match.say(draw, SUE)

    assert match.game.outcome is not None
    assert match.game.outcome.termination is Termination.AGREEMENT


def test_a_move_brings_the_game_with_it_where_the_acceptance_was_lost() -> None:
    match = Match()
    ((author, content), *_) = moves(LINE)

    match.say(content, author)

    assert match.game.ply == 1


@pytest.mark.parametrize("seed", range(8))
def test_logs_that_come_late_twice_and_in_any_order_make_the_same_game(seed: int) -> None:
    match, dice = Match(), random.Random(seed)
    letters = [match.letter(content, author) for author, content in moves((*LINE,))]
    letters = [*letters, *dice.sample(letters, 4)]
    dice.shuffle(letters)
    match.begin()

    for letter in letters:
        match.world.hear(letter)

    assert [move.uci() for move in match.game.moves] == [*LINE]
    assert match.world.outbox.said == []


def test_a_fork_is_named_once_and_the_first_branch_counts() -> None:
    match = Match()
    match.begin()
    (author, content), *_ = moves(LINE)
    match.say(content, author)
    other = {**content, "orig": "d2", "dest": "d4"}

    for _ in range(2):
        match.say(other, author, fork={"sequence": 7, "known": ROOT})

    assert [move.uci() for move in match.game.moves] == ["e2e4"]
    assert match.verdicts() == [("disputed", True)]


def test_nobody_of_them_is_held_to_one_game() -> None:
    """They have no place in the lobby: it is theirs to play as many as they like."""
    match = Match()
    match.begin()

    assert not match.world.lobby.players


def test_a_result_that_the_queue_lost_is_said_when_a_player_goes_on_and_once_in_all() -> None:
    match = Match()
    match.begin()
    resigns: Content = {"type": "chess_game_end", "root": ROOT, "status": "resigned"}
    match.say(resigns, TOM)
    told = match.world.outbox.said
    assert match.verdicts() == [("result", True)]
    match.world.outbox.sent.clear()

    match.say(resigns, MAL)
    assert ("result", True) not in match.verdicts()
    match.say(resigns, TOM)
    match.say(resigns, SUE)

    assert [one for one in match.world.outbox.said if one.id == told[0].id] == told


def test_two_whose_invitation_cannot_be_read_are_told_that_it_is_none() -> None:
    match = Match()
    invite = {**TO_TOM, "myColor": "grey"}
    move = moves(LINE)[0][1]
    for author, content in ((SUE, invite), (TOM, ACCEPT), (TOM, move), (SUE, move), (MAL, move)):
        key = ROOT if content is invite else a_message(f"{author} {next(match.numbers)}")
        match.world.hear(a_letter(author, key, content, (ROOT, SUE, invite)))

    said = [str(one.content["msg"]) for one in match.world.outbox.said]
    flaw = "not a valid invitation: myColor is white or black"
    assert [line.removeprefix(f"Arbiter: {flaw}") for line in said] == [
        "",
        "",
        "; only what its two players say counts",
    ]
    assert match.verdicts() == [("unknown-game", True)] * 3
    assert not match.world.games.standing
