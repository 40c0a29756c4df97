"""Conditional moves: as if their player had sent each by hand, and no other knows of them."""

import random
from dataclasses import replace

import chess
import pytest

from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.application.play.event_memory import apply_decision
from arbiter.core.clocks import DAY_MS, read_time, start_clocks
from arbiter.core.commands import AnsweredState, Command, PlayMove, SetLines
from arbiter.core.decide import decide
from arbiter.core.game import Game
from arbiter.core.lines import MAX_LINE_PLIES, MAX_LINES
from arbiter.core.rules import USUAL_RULES
from arbiter.core.timers import with_timer
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip44 import KeyEncrypter
from arbiter.proof.transcript import unpack
from tests.application.script import Conversation, run
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, an_event

MET = "alice challenge bob time=3d color=white; bob accept c1"
KEY = bytes(range(32))


def moves_of(seed: int, plies: int = 24) -> list[str]:
    board, chance = chess.Board(), random.Random(seed)
    while len(board.move_stack) < plies and (legal := sorted(board.legal_moves, key=str)):
        board.push(chance.choice(legal))
    return [it.uci() for it in board.move_stack]


def said(game: Game, command: Command, now_ms: int) -> Game:
    decision = decide(game, command, now_ms)
    key = command.event_key if isinstance(command, SetLines) else now_ms.to_bytes(32)
    after, _ = apply_decision(game, decision, command, key, USUAL_RULES, now_ms)
    return after


def lines_from(game: Game, moves: list[str], color: bool, chance: random.Random) -> SetLines:  # noqa: FBT001 - a colour of python-chess
    """What will be played for some plies, and other lines beside it."""
    mine = 0 if game.turn == color else 1
    ahead = moves[game.ply : game.ply + chance.randint(2, 9)]
    right = ahead[: len(ahead) - (len(ahead) % 2 == mine)]
    others = [
        (move.uci(), answer.uci())
        for move in game.board().legal_moves
        if mine and move.uci() != moves[game.ply]
        for answer in [next(iter(played(game, move).legal_moves), None)]
        if answer
    ]
    lines = [tuple(right), *others[:5]] if len(right) > 1 else others[:5]
    key = chance.randbytes(32)
    return SetLines(
        player=game.seat(color).player,
        made_at_ms=game.changed_at_ms,
        event_key=key,
        lines=tuple(lines),
        answers=AnsweredState.LATEST,
    )


def played(game: Game, move: chess.Move) -> chess.Board:
    board = game.board().copy(stack=False)
    board.push(move)
    return board


@pytest.mark.parametrize("seed", range(12))
def test_a_game_with_lines_is_the_game_in_which_the_same_moves_are_sent(seed: int) -> None:
    control = read_time("3d")
    assert control
    clocks = start_clocks(control, NOW_MS) if seed % 3 else None
    with_lines = by_hand = with_timer(replace(a_game(), clocks=clocks, chain=KEY))
    moves, chance, now_ms, by_lines = moves_of(seed), random.Random(seed), NOW_MS, 0
    while with_lines.ply < len(moves) and not with_lines.outcome:
        for color in chess.COLORS:
            if chance.random() < 0.4 and with_lines.ply + 1 < len(moves):
                told = lines_from(with_lines, moves, color, chance)
                with_lines = said(with_lines, told, now_ms)
                kept = with_lines.lines[color]
                assert (kept and kept.event_key) == told.event_key, told.lines
        now_ms += chance.randrange(DAY_MS)
        # What is stored goes on as it was.
        with_lines = game_of_item(item_of_game(with_lines))
        ply = with_lines.ply
        with_lines = said(with_lines, move(with_lines, moves), now_ms)
        by_lines += with_lines.ply - ply - 1
        while by_hand.ply < with_lines.ply:
            by_hand = said(by_hand, move(by_hand, moves), now_ms)
        assert with_lines.chain != by_hand.chain or by_lines == 0

        ours, theirs = (
            (it.moves, it.clocks, it.outcome, it.state_version, it.deadline_ms(), it.timer_at_ms)
            for it in (with_lines, by_hand)
        )
        assert ours == theirs
    assert by_lines > 2, "no line was played"


def move(game: Game, moves: list[str]) -> PlayMove:
    return PlayMove(
        player=game.seat(game.turn).player,
        uci=moves[game.ply],
        made_at_ms=game.changed_at_ms,
        received_at_ms=game.changed_at_ms,
        answers=AnsweredState.LATEST,
    )


def sealed(talk: Conversation, text: str) -> str:
    """What comes back for these lines of Bob's, sealed as they are."""
    secret = KeyEncrypter(lambda: BOB).encrypt(SERVER.pubkey, text, "00" * 32)
    heard, _ = talk.step(f"bob lines:{secret}", "last")
    return heard[-1]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("\n".join(["e2e4 e7e5"] * MAX_LINES), "bob lines e2e4 e7e5"),
        ("\n".join(["e2e4 e7e5"] * (MAX_LINES + 1)), "bob !malformed"),
        (" ".join(["g1f3 g8f6 f3g1 f6g8"] * 8), "bob !malformed"),
        ("[" * 20_000, "bob !malformed"),
        ("e2e4 e7e5\n" * 4_000, "bob !malformed"),
        ("e2e4 e7e5\x00", "bob !malformed"),
        ("e2e4\u2028e7e5", "bob lines e2e4 e7e5"),
        ("0000 e7e5", "bob !malformed"),
        ("\n\n E2E4  e7e5 \r\n", "bob lines e2e4 e7e5"),
        (" ", "bob lines none"),
    ],
)
def test_a_text_of_lines_is_read_or_refused_and_never_raises(text: str, answer: str) -> None:
    assert sealed(run(MET), text) == answer


def test_as_many_as_there_may_be_are_kept_told_and_played() -> None:
    talk = run(MET)
    knights = {"abdefgh": "g8f6 b1c3 f6g8 c3b1", "abcdefg": "g8f6 g1h3 f6g8 h3g1"}
    pawns = [
        (f"{it}2{it}{rank}", by) for files, by in knights.items() for it in files for rank in "34"
    ]
    pawns += [("c2c4", "g8f6 g1f3 f6g8 f3g1"), ("b2b4", "g8f6 g1f3 f6g8 f3g1")]
    lines = [" ".join([pawn, *[moves] * 7, "g8f6"]) for pawn, moves in pawns]
    assert sealed(talk, "\n".join(lines[:MAX_LINES])) == f"bob lines {', '.join(lines[:MAX_LINES])}"
    talk.line("alice h2h4; alice b1c3; alice c3b1 > state | state")
    assert talk.game().uci_moves() == lines[13].split()[:6]
    assert {len(line.split()) for line in lines} == {MAX_LINE_PLIES}


def test_what_is_sealed_for_another_or_by_another_is_read_by_nobody() -> None:
    talk = run(MET)
    for who, key, to in (("bob", BOB, EVE), ("alice", BOB, SERVER), ("bob", EVE, SERVER)):
        secret = KeyEncrypter(lambda key=key: key).encrypt(to.pubkey, "e2e4 e7e5", "00" * 32)  # type: ignore[misc]
        heard, _ = talk.step(f"{who} lines:{secret}", "last")
        assert heard == [f"{who} !malformed"]
    object.__setattr__(talk.world.deps, "encrypter", None)
    assert sealed(talk, "e2e4 e7e5") == "bob !malformed"


def test_nothing_shows_a_line_to_another_than_its_player(caplog: pytest.LogCaptureFixture) -> None:
    talk = run(MET)
    before = len(talk.world.publisher.taken_events)
    talk.line("bob lines e2e4 e7e5 h2h4 h7h6, h2h4 h7h6; bob lines e2e4 e7e4; alice lines")
    talk.line("alice e2e4; carol state; alice resign /none")
    game = talk.world.game(talk.games[0])
    told = "".join(f"{it.content}{it.tags}" for it in talk.world.publisher.taken_events[before:])
    transcript = talk.world.transcripts.load(game)
    assert transcript
    lines = unpack(transcript)
    for hidden in ("h7h6", "h2h4", "e7e4"):
        assert hidden not in told + repr(talk.world.log) + caplog.text + repr(lines)
    assert "e7e5" in told


def test_a_transcript_has_the_event_that_set_the_line() -> None:
    talk = run(MET)
    talk.line("x: bob lines e2e4 e7e5 g1f3 b8c6; alice e2e4; alice g1f3; alice resign")
    event, _ = talk.sent["x"]
    octets = talk.world.transcripts.load(talk.world.game(talk.games[0]))
    transcript = unpack(octets or b"")
    assert not isinstance(transcript, str)
    by_lines = [it for it in transcript.lines if it.id == event.id]
    assert [it.shown.split()[1] for it in by_lines] == ["e7e5", "b8c6"]
    assert [it.event and it.event.sig for it in by_lines] == [event.sig] * 2


def test_lines_set_often_take_no_place_in_the_game() -> None:
    talk = run(MET)
    before = talk.game()
    talk.line("9 x bob lines e2e4 e7e5; 9 x bob lines none; 9 x bob lines e2e4 e7e4")
    after = talk.game()
    assert (after.applied_ids, after.black_refused_ids) == (before.applied_ids, ())
    assert after.item_version == before.item_version + 18


def test_an_attribute_that_a_former_release_left_behind_plays_nothing() -> None:
    command = lines_from(a_game(), ["e2e4", "e7e5"] * 5, chess.BLACK, random.Random(1))
    game = said(a_game(), replace(command, lines=(("e2e4", "e7e5"),)), NOW_MS)
    old = item_of_game(game)
    now = item_of_game(said(replace(game, lines=(None, None)), move(game, ["d2d4"]), NOW_MS))
    kept = game_of_item({**now, "bi": old["bi"]}).lines[chess.BLACK]
    assert (kept and kept.lines) == ()


def test_a_long_chain_goes_on_though_a_timer_comes_twice_or_its_process_died() -> None:
    text = (
        "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8 a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6"
        " e2e3 e7e6 f2f3 f7f6 g2g3"
    )
    moves = text.split()
    talk = run(MET)
    talk.line(f"alice lines {text}; bob lines {' '.join(moves[:-1])}")
    talk.line("crash games.committed")
    event: VerifiedEvent = an_event(
        ALICE,
        20303,
        "g1f3",
        (("d", talk.games[0]), ("p", SERVER.pubkey)),
        talk.world.clock.ms // 1000,
    )
    body = talk.world.body(event)
    assert talk.deliver(body)
    assert talk.game().ply == 9
    talk.deliver(body)
    for _ in range(4):
        # Each timer twice, as a queue may deliver it.
        near = [*talk.world.timers.near]
        talk.world.hand_on()
        talk.world.timers.near += near
        talk.world.hand_on()
    assert talk.game().uci_moves() == moves
    assert len(moves) <= MAX_LINE_PLIES
    states = [it for it in talk.world.publisher.taken_events if it.kind == 20302]
    assert ("ply", "21") in states[-1].tags
