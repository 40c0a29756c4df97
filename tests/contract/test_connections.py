import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest

from arbiter.application.connections import Connection, Connections, Subscriber
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS
from tests.contract.candidates import Switchboard
from tests.contract.race import race

# The first moment of a window in which frames are counted.
NOON_MS = NOW_MS // 10_000 * 10_000

Filters = tuple[Filter, ...]
STATES = Filter(kinds=(20302,))
EVERY_CONSTRAINT = Filter(
    ids=("1" * 64,),
    authors=("2" * 64, "3" * 64),
    kinds=(64, 20302),
    tags={"d": ("a" * 32, "# \u2654 '\""), "p": ("4" * 64,)},
    since=0,
    until=2**53 - 1,
    limit=0,
)
AWKWARD = [
    " ", "#", "##", "-", "s#a", "a#b", "a", "A", "=", "=" + "0" * 63, "\u00e9", "e\u0301",
    "\u2654" * 64, "\U0001f600" * 64, "\U0001f600" * 63 + "a", "\x00", '"\\',
]  # fmt: skip


@dataclass
class Board:
    """The connections, all that is open there, and what a test does with them."""

    switchboard: Switchboard
    opened: list[str] = field(default_factory=list)

    @property
    def connections(self) -> Connections:
        return self.switchboard.connections

    def open(self, *ids: str) -> None:
        for id_ in ids:
            self.connections.add(a_connection(id_), NOON_MS)
            self.opened.append(id_)

    def subscribe(self, id_: str, name: str, *topics: str, by: Filters = (STATES,)) -> Subscriber:
        subscriber = Subscriber(id_, name, by)
        self.connections.subscribe(id_, subscriber, topics, NOON_MS)
        return subscriber

    def after_frame(self, id_: str, at_ms: int = NOON_MS) -> Connection:
        connection = self.connections.count_frame(id_, at_ms)
        assert connection is not None
        return connection

    def found(self, *topics: str) -> set[Subscriber]:
        filed = self.connections.subscribers(topics, (20302,), NOON_MS)
        assert set(filed) <= set(topics)
        listed = [one for each in filed.values() for one in each.subscribers]
        for topic, each in filed.items():
            if each.has_more:
                listed += self.connections.overflow_subscribers(topic)
        once = {(one.connection_id, one.subscription_id): one for one in listed}
        assert len(once) == len(set(listed))
        return set(listed)

    def here_since(self, key: SecretKey) -> int | None:
        """To the second, as a table has it."""
        since_ms = self.connections.here_since(key.pubkey)
        return None if since_ms is None else since_ms // 1000 * 1000

    def left(self) -> list[dict[str, Any]]:
        """The items, without those of topics and addresses without subscriptions, which expire, and
        the mark.
        """
        return [
            item
            for item in self.switchboard.items()
            if "m" in item or item["pk"]["S"][0] not in "ti" or item["sk"]["S"] != "-"
            if item.get("n") != {"N": "0"}
        ]


def a_connection(id_: str) -> Connection:
    return Connection(id=id_, address="192.0.2.7", challenge="c" * 64, opened_at_ms=NOON_MS - 1)


@pytest.fixture
def board(switchboard: Switchboard) -> Iterator[Board]:
    """Of whose sockets nothing is left when they are closed."""
    yield (board := Board(switchboard))
    for id_ in board.opened:
        board.connections.remove(id_)
    assert board.left() == []


def test_frames_are_counted_by_socket_and_window(board: Board) -> None:
    board.open("L0SM9cOFvHcCIhw=", "other")
    later = NOON_MS + 1_800_000
    times = [NOON_MS, NOON_MS + 9_999, NOON_MS + 10_000, later, later + 1]

    seen = [board.after_frame("L0SM9cOFvHcCIhw=", at_ms) for at_ms in times]
    assert seen == [replace(a_connection("L0SM9cOFvHcCIhw="), frames=it) for it in (1, 2, 1, 1, 2)]
    # Whatever a counter is named by, its name must not return within a socket's life.
    for ten_seconds in (0, 60, 64, 100, 256, 360, 500, 512, 720, 780):
        assert board.after_frame("other", NOON_MS + ten_seconds * 10_000).frames == 1


def test_no_frame_is_missed_though_all_come_at_once(board: Board) -> None:
    board.open("one")
    counts: list[int] = []

    race(*[lambda: counts.append(board.after_frame("one").frames) for _ in range(12)])

    assert sorted(counts) == [*range(1, 13)]


def test_a_subscription_is_found_for_each_of_its_kinds(board: Board) -> None:
    board.open("one")
    moves = board.subscribe("one", "moves", "d:game", by=(Filter(kinds=(20303, 20306)),))

    def of(*kinds: int) -> set[Subscriber]:
        filed = board.connections.subscribers(["d:game", "p:bob"], kinds, NOON_MS)
        return {one for each in filed.values() for one in each.subscribers}

    assert [of(20303), of(20306), of(20302, 20303)] == [{moves}] * 3
    every = board.subscribe("one", "every", "p:bob", by=(Filter(authors=("ab" * 32,)),))
    assert every in of(20302)


def test_a_topic_is_crowded_by_an_address_with_many_subscriptions(board: Board) -> None:
    addresses = ("192.0.2.7",) * 3 + ("192.0.2.8",) * 2 + ("2001:db8::",)
    for number, address in enumerate(addresses):
        board.open(socket := f"socket {number}")
        filed = Subscriber(socket, "sub:1", (STATES,), address=address)
        board.connections.subscribe(socket, filed, ("d:game", f"e:{number}"), NOON_MS)

    is_crowded = board.connections.is_crowded
    (one,) = board.found("e:5")
    assert (one.filed_at, one.address) == (NOON_MS // 1000, "2001:db8::")
    for address, times in (("192.0.2.7", 3), ("192.0.2.8", 2), ("2001:db8::", 1), ("x", 0)):
        crowds = [is_crowded(["a:b", "d:game"], address, most) for most in range(5)]
        assert crowds == [most <= times for most in range(5)]
    assert not is_crowded(["d:other"], "192.0.2.7", 1)
    assert not is_crowded([], "192.0.2.7", 0)


def test_open_subscriptions_of_an_address_are_counted_over_its_sockets(board: Board) -> None:
    board.open("one", "two")
    counted, connections = [], board.connections
    for change in (
        lambda: board.subscribe("one", "a", "d:game"),
        lambda: board.subscribe("one", "a", "d:other"),  # in place of the older one
        lambda: board.subscribe("two", "a", "d:game"),
        lambda: board.subscribe("two", "b"),
        lambda: connections.unsubscribe("one", "a"),
        lambda: connections.unsubscribe("one", "a"),
        lambda: connections.remove("two"),
        lambda: connections.remove("two"),
        lambda: board.subscribe("closed", "a", "d:game"),
        lambda: board.subscribe("one", "a", "d:game"),
    ):
        change()
        counted.append(connections.open_subscriptions("192.0.2.7", NOON_MS))
    assert counted == [1, 1, 2, 3, 2, 2, 0, 0, 0, 1]
    assert connections.open_subscriptions("192.0.2.8", NOON_MS) == 0


def test_subscriptions_that_must_be_gone_are_counted_no_more(board: Board) -> None:
    if board.switchboard.client is None:
        pytest.skip("sockets end with the process")
    board.open("one")
    board.subscribe("one", "a", "d:game")
    day_later = NOON_MS + 86_400_000
    assert board.connections.open_subscriptions("192.0.2.7", day_later) == 0
    filed = Subscriber("one", "b", (STATES,))
    board.connections.subscribe("one", filed, ("d:game",), day_later)
    assert board.connections.open_subscriptions("192.0.2.7", day_later) == 1
    board.connections.unsubscribe("one", "b")


SOCKETS, SUBSCRIPTIONS = ("one", "one=", "closed"), ("sub:1", "sub # 2")
TOPICS = ("d:game", "d:gam", "p:alice")
KEYS = (ALICE.pubkey, BOB.pubkey)


@pytest.mark.parametrize("seed", range(3))
def test_open_sockets_are_found_by_what_they_last_subscribed_to_and_proved(
    board: Board, seed: int
) -> None:
    dice, connections = random.Random(seed), board.connections
    filed: dict[str, dict[str, tuple[Subscriber, list[str]]]] = {}
    proved: dict[str, set[str]] = {}
    for _ in range(20 if board.switchboard.client else 200):
        id_, name, key = (dice.choice(it) for it in (SOCKETS, SUBSCRIPTIONS, KEYS))
        match dice.randrange(8):
            case 0 | 1 if id_ not in filed:
                board.open(id_)
                filed[id_], proved[id_] = {}, set()
            case 2:
                connections.remove(id_)
                filed.pop(id_, None)
                proved.pop(id_, None)
            case 3:
                connections.unsubscribe(id_, name)
                filed.get(id_, {}).pop(name, None)
            case 4:
                connections.authenticate(id_, key)
                proved.get(id_, set()).add(key)
            case _:
                topics = dice.choices(TOPICS, k=3)
                by = dice.choice(((STATES,), (EVERY_CONSTRAINT, Filter())))
                subscriber = board.subscribe(id_, name, *topics, by=by)
                filed.get(id_, {})[name] = subscriber, topics

        everyone = [one for of_socket in filed.values() for one in of_socket.values()]
        for topic in (*TOPICS, "d:ga", ""):
            assert board.found(topic) == {one for one, topics in everyone if topic in topics}
        assert board.found(*TOPICS) == {one for one, _ in everyone}
        for one in KEYS:
            assert {*connections.sockets_of(one)} == {it for it in proved if one in proved[it]}
        for socket in SOCKETS:
            seen = connections.count_frame(socket, NOON_MS)
            assert (seen is not None) == (socket in filed)
            if seen:
                assert {*seen.subscriptions} == {*filed[socket]}
                assert {*seen.pubkeys} == proved[socket]


def test_subscription_ids_and_topics_may_be_any_text(board: Board) -> None:
    board.open("one")
    long = ["d:" + "x" * 5_000, "d:" + "x" * 5_001, "d:" + "\u2654" * 9_000]
    filed = {text: board.subscribe("one", text, "topic", text) for text in AWKWARD}
    for number, text in enumerate(long):
        filed[text] = board.subscribe("one", f"sub:{number}", text)

    assert board.found("topic") == {filed[text] for text in AWKWARD}
    assert [board.found(text) for text in filed] == [{it} for it in filed.values()]
    assert board.after_frame("one").subscriptions > set(AWKWARD)

    for number, text in enumerate(AWKWARD, 1):
        board.connections.unsubscribe("one", text)
        assert len(board.found("topic")) == len(AWKWARD) - number


def test_a_subscription_may_have_more_topics_than_one_write_takes(board: Board) -> None:
    board.open("one")
    topics = [f"d:{number}" for number in range(60)]

    assert board.subscribe("one", "sub:1", *topics) in board.found("d:59")
    assert len(board.found(*topics)) == 1

    fewer = board.subscribe("one", "sub:1", *topics[:2])
    assert board.found(*topics[2:]) == set()
    assert board.found(*topics) == {fewer}


def test_a_topic_may_have_more_subscribers_than_one_page_holds(board: Board) -> None:
    board.open("one")
    # 67 KB each, and a page is a megabyte.
    much = Filter(ids=tuple(f"{number:064x}" for number in range(1_000)))
    filed = {board.subscribe("one", f"sub:{it}", "d:famous", by=(much,)) for it in range(20)}

    assert board.found("d:famous") == filed


def test_a_topic_may_have_any_number_of_subscribers_of_any_size(board: Board) -> None:
    board.open("one", "other")
    ids = [f"sub:{number}" for number in range(30)]
    long = Filter(ids=tuple(f"{number:064x}" for number in range(20)))
    for wanted in (STATES, long, STATES):
        filed = {board.subscribe("one", it, "d:famous", "d:other", by=(wanted,)) for it in ids}
        assert board.found("d:famous") == board.found("d:other") == filed

    theirs = board.subscribe("other", "sub:0", "d:famous")
    for id_ in ids[:-1]:
        board.connections.unsubscribe("one", id_)
    assert board.found("d:famous") == {theirs, Subscriber("one", ids[-1], (STATES,))}


@pytest.mark.parametrize("number", [0, 1, 12, 13, 40])
def test_some_of_a_topic_are_all_of_few_or_enough(board: Board, number: int) -> None:
    ids = {f"sub:{at}" for at in range(number)}
    board.open("one")
    for id_ in ids:
        board.subscribe("one", id_, "d:famous", f"e:{id_}")
    board.subscribe("one", "another", "d:other")

    for most in (1, 12, 20, 41):
        sample = board.connections.sample_subscribers("d:famous", most)
        listed = [one.subscription_id for one in sample]
        assert len(listed) == len(set(listed)) >= min(number, most)
        assert ids.issuperset(listed)
    for id_ in ids:
        board.connections.unsubscribe("one", id_)
    assert board.connections.sample_subscribers("d:famous", 41) == ()


def test_subscriptions_that_must_be_gone_make_room_for_others(board: Board) -> None:
    if board.switchboard.client is None:
        pytest.skip("sockets end with the process")
    for number in range(40):
        board.open(socket := f"socket {number}")
        filed, at_ms = Subscriber(socket, "sub:1", (STATES,)), NOON_MS + number * 86_400_000
        board.connections.subscribe(socket, filed, ["d:game"], at_ms)

    now = board.connections.subscribers(["d:game"], (20302,), NOON_MS)["d:game"]

    assert "socket 39" in {one.connection_id for one in now.subscribers}
    assert not now.has_more


def test_what_is_filed_while_a_socket_closes_is_not_found(board: Board) -> None:
    topics = [f"d:{at}" for at in range(3)]
    for number in range(10):
        board.open(id_ := f"one{number}")
        filed = Subscriber(id_, "sub:1", (STATES,))
        race(
            partial(board.connections.subscribe, id_, filed, topics, NOON_MS),
            partial(board.connections.remove, id_),
        )

        assert board.found(*topics) == set()
        assert board.left() == []


def test_everything_expires_when_its_socket_must_be_gone(board: Board) -> None:
    board.open("one")
    board.connections.authenticate("one", ALICE.pubkey)
    board.subscribe("one", "sub:1", "a", "b")

    items = board.switchboard.items()

    # API Gateway closes a socket after two hours at the latest.
    two_hours_later = NOON_MS // 1000 + 7_200
    assert len(items) == (11 if board.switchboard.client else 0)
    for item in items:
        assert two_hours_later < int(item["expires_at"]["N"]) <= two_hours_later + 3_600


def test_a_player_is_here_while_a_socket_is_open_that_brought_an_event_of_theirs(
    board: Board,
) -> None:
    board.open("one", "other")
    assert board.here_since(ALICE) is None
    for id_ in ("one", "one", "other", "closed"):
        board.connections.meet(id_, ALICE.pubkey)
    board.connections.meet("other", BOB.pubkey)
    assert board.after_frame("other").authors == {ALICE.pubkey, BOB.pubkey}
    assert board.after_frame("other").pubkeys == frozenset()
    board.connections.remove("one")
    assert board.here_since(ALICE) is not None
    board.connections.remove("other")
    assert board.here_since(ALICE) is board.here_since(BOB) is None


def test_a_player_is_here_since_the_oldest_of_their_open_sockets_was_opened(board: Board) -> None:
    for id_, opened_ms in (("one", NOON_MS), ("two", NOON_MS + 60_000), ("three", NOON_MS + 5000)):
        board.connections.add(replace(a_connection(id_), opened_at_ms=opened_ms), opened_ms)
        board.opened.append(id_)
        board.connections.meet(id_, ALICE.pubkey)
    seen = []
    for id_ in ("one", "two", "three"):
        seen.append(board.here_since(ALICE))
        board.connections.remove(id_)
    assert seen == [NOON_MS, NOON_MS + 5000, NOON_MS + 5000]


def test_it_is_told_whose_sockets_open_and_close(board: Board) -> None:
    """Of a socket that is closed twice once; who opens one and says nothing is not known."""
    board.open("one", "other", "silent")
    told = board.switchboard.told
    for id_, key in (("one", ALICE), ("other", ALICE), ("other", BOB), ("closed", EVE)):
        board.connections.meet(id_, key.pubkey)
    assert told == [ALICE.pubkey, ALICE.pubkey, BOB.pubkey]
    for id_ in ("one", "silent", "one", "other", "other"):
        board.connections.remove(id_)
    assert told[3:4] == [ALICE.pubkey]
    assert sorted(told[4:]) == sorted([ALICE.pubkey, BOB.pubkey])
