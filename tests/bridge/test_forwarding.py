"""The messages of a game that go to the arbiter, and when."""

from collections.abc import Sequence
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from bridge.forwarding import messages_to_forward
from bridge.peer_log import Message, message_from
from tests.bridge.logs import ANNA, BERT, CARL, US, ArrivedLog, Author


def let_in(log: ArrivedLog, messages: Sequence[Message]) -> list[list[str]]:
    arrived = (log.arrive(message) for message in messages)
    return [[it.key for _, it in messages_to_forward(log, log.us, message)] for message in arrived]


def test_our_own_messages_are_not_let_in() -> None:
    anna, us = Author(ANNA), Author(US)
    invite = anna.invites(US)

    assert let_in(ArrivedLog(), [invite, us.accepts(invite)]) == [[invite.key], []]


def test_a_bystanders_messages_that_others_might_believe_are_let_in_up_to_a_limit() -> None:
    anna, carl = Author(ANNA), Author(CARL)
    invite = anna.invites(US)
    forged = carl.resigns(invite)
    private = carl.writes({"type": "chess_chat", "root": invite.key, "msg": "!"}, private=True)
    chats = [carl.writes({"type": "chess_chat", "root": invite.key, "msg": "!"}) for _ in range(30)]
    accepted = carl.accepts(invite)

    news = let_in(ArrivedLog(), [invite, forged, private, accepted, *chats])

    assert news[:4] == [[invite.key], [forged.key], [], []]
    went_in = [key for keys in news for key in keys]
    assert len(went_in) == 1 + 20 - 2


def test_a_bystanders_message_waits_for_the_gate() -> None:
    anna, bert, carl = Author(ANNA), Author(BERT), Author(CARL)
    invite = anna.invites(BERT)
    forged = carl.resigns(invite)
    accept = bert.accepts(invite)

    news = let_in(ArrivedLog(), [invite, forged, accept, anna.follows(US), bert.follows(US)])

    assert news == [[], [], [], [], [invite.key, accept.key, forged.key]]


def test_our_invitation_lets_in_its_answer() -> None:
    us, anna = Author(US), Author(ANNA)
    rematch = us.invites(ANNA)
    accept = anna.accepts(rematch)

    assert let_in(ArrivedLog(), [rematch, accept]) == [[], [accept.key]]


def test_a_game_of_two_others_waits_until_it_is_agreed_and_both_follow_us() -> None:
    anna, bert = Author(ANNA), Author(BERT)
    invite = anna.invites(BERT)
    accept = bert.accepts(invite)
    first, second = anna.moves(invite, 1, "e2e4"), bert.moves(invite, 2, "e7e5")

    news = let_in(
        ArrivedLog(),
        [invite, anna.follows(US), first, second, accept, bert.follows(US), anna.resigns(invite)],
    )

    assert news[:5] == [[]] * 5
    assert news[5] == [invite.key, accept.key, first.key, second.key]
    assert len(news[6]) == 1


def test_a_game_without_both_follows_is_not_let_in() -> None:
    anna, bert = Author(ANNA), Author(BERT)
    invite = anna.invites(BERT)

    news = let_in(
        ArrivedLog(),
        [
            anna.follows(US),
            bert.follows(US),
            bert.follows(US, following=False),
            invite,
            bert.accepts(invite),
            anna.moves(invite, 1, "e2e4"),
        ],
    )

    assert news == [[]] * 6


def test_a_game_continues_after_a_player_unfollows() -> None:
    anna, bert = Author(ANNA), Author(BERT)
    invite = anna.invites(BERT)
    accept = bert.accepts(invite)
    move = anna.moves(invite, 1, "e2e4")

    before = [anna.follows(US), bert.follows(US), invite, accept]
    unfollows, follows = bert.follows(US, following=False), bert.follows(US)
    news = let_in(ArrivedLog(), [*before, unfollows, move, follows])

    assert news[3] == [invite.key, accept.key]
    assert news[4:] == [[], [move.key], []]


def test_an_invitation_of_oneself_is_no_game() -> None:
    anna = Author(ANNA)
    invite = anna.invites(ANNA)

    assert let_in(ArrivedLog(), [anna.follows(US), invite, anna.accepts(invite)]) == [[]] * 3


def test_a_resignation_follows_its_authors_moves_despite_a_wrong_clock() -> None:
    anna, bert = Author(ANNA), Author(BERT)
    invite = anna.invites(BERT)
    first = anna.moves(invite, 1, "e2e4")
    answer = bert.moves(invite, 2, "e7e5")
    third = anna.moves(invite, 3, "g1f3")
    resignation = anna.resigns(invite)
    accept = bert.accepts(invite)

    news = let_in(
        ArrivedLog(),
        [anna.follows(US), bert.follows(US), resignation, third, answer, first, invite, accept],
    )

    wanted = [invite, accept, first, answer, third, resignation]
    assert news[-1] == [it.key for it in wanted]


def test_a_message_without_a_time_is_let_in() -> None:
    anna = Author(ANNA)
    invite = anna.invites(BERT)
    accept = Author(BERT).accepts(invite)
    one, other = (anna.writes({"type": "chess_chat", "root": invite.key}) for _ in range(2))
    timeless = message_from({**asdict(one), "timestamp": None})

    news = let_in(
        ArrivedLog(), [anna.follows(US), Author(BERT).follows(US), timeless, other, invite, accept]
    )

    assert news[-1] == [it.key for it in (invite, accept, one, other)]


@st.composite
def arrivals(draw: st.DrawFn) -> list[Message]:
    """A game of two others, its players' logs and a bystander's mixed in some order; each log by
    itself in its own.
    """
    anna, bert, carl = Author(ANNA), Author(BERT), Author(CARL)
    moves = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")[: draw(st.integers(0, 6))]
    of_anna, of_bert = [anna.invites(BERT)], []
    invite = of_anna[0]
    of_bert.append(bert.accepts(invite))
    for number, uci in enumerate(moves):
        mover, log = (anna, of_anna) if number % 2 == 0 else (bert, of_bert)
        log.append(mover.moves(invite, number + 1, uci))
    of_bert.append(bert.resigns(invite))
    for author, log in ((anna, of_anna), (bert, of_bert)):
        log.insert(draw(st.integers(0, len(log))), author.follows(US))
    logs = [of_anna, of_bert, [carl.moves(invite, 1, "d2d4")]]
    turns = draw(st.permutations([at for at, log in enumerate(logs) for _ in log]))
    ways = [iter(log) for log in logs]
    return [next(ways[at]) for at in turns]


@given(arrivals())
def test_any_order_of_arrival_lets_in_the_same_messages_in_the_end(order: list[Message]) -> None:
    log = ArrivedLog()
    news = let_in(log, order)

    went_in = [key for keys in news for key in keys]
    wanted = {it.key for it in order if "contact" not in it.content}
    assert set(went_in) == wanted
    assert len(went_in) == len(wanted)


@given(arrivals())
def test_a_bridge_without_memory_sends_the_same_envelopes(order: list[Message]) -> None:
    log = ArrivedLog()
    news = let_in(log, order)

    again = [
        [it.key for _, it in messages_to_forward(log, US, message)] for message in log.messages
    ]

    assert again == news


@given(arrivals())
def test_waiting_messages_are_let_in_in_the_order_of_the_game(order: list[Message]) -> None:
    plies = {it.key: it.content.get("ply", 0) for it in order}
    ends = {it.key for it in order if it.content["type"] == "chess_game_end"}

    for keys in let_in(ArrivedLog(), order):
        claimed = [plies[key] for key in keys if key not in ends]
        assert claimed == sorted(claimed)
