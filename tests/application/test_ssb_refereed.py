"""Games that two players of Scuttlebutt play between themselves, and that the arbiter judges."""

import random
from itertools import count

import chess
import pytest

from arbiter.core.game import Game
from arbiter.dialects.ssb.decode import refereed_game_id
from arbiter.nostr.event import VerifiedEvent
from tests.application.words import end_word
from tests.application.world import World
from tests.dialects.ssb_cases import ACCEPT, MAL, ROOT, SUE, TO_TOM, TOM
from tests.letters import Content, a_feed, a_letter, a_message

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
LINE = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7")
RESIGNS: Content = {"type": "chess_game_end", "root": ROOT, "status": "resigned"}
DRAW: Content = RESIGNS | {"status": "draw"}


class Match:
    """Tom, invited by Sue, has White, and has accepted unless it is not ``begun``."""

    def __init__(self, *, begun: bool = True, invite: Content = TO_TOM) -> None:
        self.world, self.numbers, self.invite = World(), count(1), invite
        if begun:
            self.say(ACCEPT, TOM)

    def letter(self, content: Content, author: str, **more: object) -> VerifiedEvent:
        key = ROOT if content is self.invite else a_message(f"{author} {next(self.numbers)}")
        self.world.clock.ms += 1000
        at, invite = self.world.clock.ms // 1000, (ROOT, SUE, self.invite)
        return a_letter(author, key, content, invite, at=at, **more)  # type: ignore[arg-type]

    def say(self, content: Content, author: str, **more: object) -> None:
        self.world.hear(self.letter(content, author, **more))

    @property
    def game(self) -> Game:
        return self.world.game(refereed_game_id(ROOT))

    def verdicts(self) -> list[tuple[object, ...]]:
        """Reason, and whether it is public, of all that was said."""
        said = self.world.outbox.said
        return [(one.content["verdict"]["reason"], one.recps == ()) for one in said]  # type: ignore[index]

    def texts(self) -> list[str]:
        return [str(one.content["msg"]) for one in self.world.outbox.said]


def moves(line: tuple[str, ...]) -> list[tuple[Content, str]]:
    """What is written of each half-move, the end in a chess_game_end, and by whom."""
    board, said = chess.Board(), list[tuple[Content, str]]()
    for uci in line:
        move = chess.Move.from_uci(uci)
        author, san = (TOM if board.turn else SUE), board.san(move)
        board.push(move)
        content: Content = {"type": "chess_move", "root": ROOT, "ply": board.ply(), "pgnMove": san}
        content |= {"orig": uci[:2], "dest": uci[2:4], "fen": board.fen()}
        if board.is_checkmate():
            content |= {"type": "chess_game_end", "status": "mate", "winner": author}
        said.append((content, author))
    return said


FIRST, SECOND = (content for content, _ in moves(LINE)[:2])


def test_a_game_is_judged_published_and_its_end_confirmed() -> None:
    match = Match()
    for content, author in moves(MATE):
        match.say(content, author)
    told = match.world.publisher.taken_events
    assert end_word(match.game) == "0-1 checkmate"
    assert len({event.content for event in told if event.kind == 20302}) == 5
    assert len([event for event in told if event.kind == 64]) == 1
    # They have told each other of their moves.
    assert match.texts() == ["Arbiter: 0-1, checkmate. Every move was checked."]
    assert not match.world.lobby.players, "they may play as many as they like"


def test_an_illegal_move_and_a_false_mate_are_named_in_public_and_change_nothing() -> None:
    match = Match()
    match.say({**FIRST, "dest": "e5"}, TOM)
    match.say({**FIRST, "type": "chess_game_end", "status": "mate"}, TOM)
    assert match.verdicts() == [("illegal-move", True), ("wrong-result", True)]
    assert match.game.ply == 0
    match.say(FIRST, TOM)
    assert match.game.ply == 1


def test_all_who_have_no_seat_are_told_so_once_in_a_game_however_many_they_are() -> None:
    match = Match()
    for content, author in moves(LINE):
        match.say(content, author)
        for name in (MAL, MAL, a_feed(f"made up {match.game.ply}")):
            match.say(RESIGNS, name)
    assert match.game.outcome is None
    assert match.verdicts() == [("not-a-player", True)]
    text = "Arbiter: you have no seat in this game; only what its two players say counts"
    assert match.texts() == [text]
    # The players have their own verdicts still, each in each position.
    match.say(FIRST, SUE)
    match.say(SECOND, TOM)
    assert len(match.verdicts()) == 3


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ([(RESIGNS, TOM)], "0-1 resignation"),
        ([(DRAW, TOM)], "-"),
        ([(DRAW, TOM), (DRAW, SUE)], "1/2-1/2 agreement"),
    ],
)
def test_who_resigns_loses_and_a_draw_takes_two(said: list[tuple[Content, str]], end: str) -> None:
    match = Match()
    for content, author in said:
        match.say(content, author)
    assert end_word(match.game) == end


def test_a_move_brings_the_game_with_it_where_the_acceptance_was_lost() -> None:
    match = Match(begun=False)
    match.say(FIRST, TOM)
    assert match.game.ply == 1


def test_a_move_brings_the_game_although_another_transaction_was_in_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = Match(begun=False)
    commit, refused = match.world.lobby.commit, iter((False, False))
    monkeypatch.setattr(
        match.world.lobby, "commit", lambda change: next(refused, None) is None and commit(change)
    )
    match.say(FIRST, TOM)
    assert (match.game.ply, match.verdicts()) == (1, [])


@pytest.mark.parametrize("seed", range(8))
def test_logs_that_come_late_twice_and_in_any_order_make_the_same_game(seed: int) -> None:
    match, dice = Match(begun=False), random.Random(seed)
    letters = [match.letter(content, author) for content, author in moves(LINE)]
    letters = [*letters, *dice.sample(letters, 4)]
    dice.shuffle(letters)
    match.say(ACCEPT, TOM)
    for letter in letters:
        match.world.hear(letter)
    assert [move.uci() for move in match.game.moves] == [*LINE]
    assert match.world.outbox.said == []


def test_a_fork_is_named_once_and_the_first_branch_counts() -> None:
    match = Match()
    match.say(FIRST, TOM)
    for _ in range(2):
        other = {**FIRST, "orig": "d2", "dest": "d4"}
        match.say(other, TOM, fork={"sequence": 7, "known": ROOT})
    assert [move.uci() for move in match.game.moves] == ["e2e4"]
    assert match.verdicts() == [("disputed", True)]


def test_a_result_that_the_queue_lost_is_said_when_a_player_goes_on_and_once_in_all() -> None:
    match = Match()
    match.say(RESIGNS, TOM)
    told = match.world.outbox.said
    assert match.verdicts() == [("result", True)]
    match.world.outbox.sent.clear()
    match.say(RESIGNS, MAL)
    assert ("result", True) not in match.verdicts()
    match.say(RESIGNS, TOM)
    match.say(RESIGNS, SUE)
    assert [one for one in match.world.outbox.said if one.id == told[0].id] == told


def test_two_whose_invitation_cannot_be_read_are_told_that_it_is_none() -> None:
    match = Match(begun=False, invite={**TO_TOM, "myColor": "grey"})
    said = ((match.invite, SUE), (ACCEPT, TOM), (FIRST, TOM), (FIRST, SUE), (FIRST, MAL))
    for content, author in said:
        match.say(content, author)
    flaw = "Arbiter: not a valid invitation: myColor is white or black"
    assert match.texts() == [flaw, flaw, f"{flaw}; only what its two players say counts"]
    assert match.verdicts() == [("unknown-game", True)] * 3
    assert not match.world.games.standing
