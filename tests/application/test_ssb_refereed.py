"""Games that two players of Scuttlebutt play between themselves, and that the arbiter judges."""

import random

import pytest

from tests.application.script import Conversation, run

INVITED = "hold i: @sue invite black with=tom\n"
BEGUN = INVITED + "@tom accept\n"
LINE = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7"


def verdicts(talk: Conversation) -> list[str]:
    return [str(one.content["msg"]) for one in talk.world.outbox.said]


@pytest.mark.parametrize("seed", range(8))
def test_logs_that_come_late_twice_and_in_any_order_make_the_same_game(seed: int) -> None:
    said = [f"{uci}: @{'sue' if ply % 2 else 'tom'} {uci}" for ply, uci in enumerate(LINE.split())]
    once, talk, dice = run(BEGUN + "\n".join(said)), run(BEGUN), random.Random(seed)
    envelopes = [once.sent[uci][0] for uci in LINE.split()]
    envelopes += dice.sample(envelopes, 4)
    dice.shuffle(envelopes)
    talk.world.clock.ms = once.world.clock.ms
    for envelope in envelopes:
        talk.world.hear(envelope)
    assert talk.fact("moves") == LINE
    assert verdicts(talk) == []


def test_a_move_brings_the_game_although_another_transaction_was_in_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = run(INVITED)
    lobby, refused = talk.world.lobby, iter((False, False))
    commit = lobby.commit
    monkeypatch.setattr(
        lobby, "commit", lambda change: next(refused, None) is None and commit(change)
    )
    talk.line("@tom e2e4 > state")


def test_a_result_that_the_queue_lost_is_said_when_a_player_goes_on_and_once_in_all() -> None:
    talk = run(BEGUN + "@tom resigned > state 0-1 resignation | note | @sue* !result")
    outbox = talk.world.outbox
    (told,) = outbox.said
    outbox.sent.clear()
    talk.line("@mallory resigned")
    assert told.id not in [one.id for one in outbox.said]
    for line in ("@tom resigned", "@sue resigned"):
        talk.line(line)
    assert [one for one in outbox.said if one.id == told.id] == [told]


def test_two_whose_invitation_cannot_be_read_are_told_that_it_is_none() -> None:
    talk = run("""
        @sue invite grey with=tom > @sue* !unknown-game
        @tom accept > @sue* !unknown-game
        @tom e2e4 > -
        @sue e2e4 > -
        @mallory e2e4 > @sue* !unknown-game
        = games 0
    """)
    flaw = "Arbiter: not a valid invitation: myColor is white or black"
    assert verdicts(talk) == [flaw, flaw, f"{flaw}; only what its two players say counts"]
