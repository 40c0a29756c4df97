"""The operator's policy over every protocol, on both stores."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.table import Table
from arbiter.application.operator import change_policy
from arbiter.application.policy import KNOWN_MS, KnownPolicy
from arbiter.core.game import Termination
from arbiter.core.policy import Policy, PolicyCommand
from arbiter.core.reports import REPORTS_OF_ONE
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.native_player import NativePlayer
from tests.application.random_evening import empty_table
from tests.application.test_one_game_on_every_wire import MATE, Voice, voice
from tests.application.world import World
from tests.builders import ALICE, BOB, a_key, an_event
from tests.fakes.policy import FixedPolicy

OPERATOR = a_key("operator")
WIRES = ("native", "socket", "ssb", "jester")


@pytest.fixture(params=("sqlite", "dynamodb"))
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with empty_table(request.param) as table:
        yield table


class Ruled:
    """An arbiter with an operator."""

    def __init__(self, table: Table) -> None:
        self.world = World()
        self.store = StoredPolicy(table)
        self.policy = KnownPolicy(self.store, self.world.clock)
        self.world.deps = replace(self.world.deps, policy=self.policy)

    def says(self, word: str, *keys: str, **more: object) -> None:
        """The operator says this, and a minute passes."""
        command = PolicyCommand(word=word, keys=keys, **more)  # type: ignore[arg-type]
        world = self.world
        refused = change_policy(self.store, world.republish, command, world.clock.ms, "operator")
        assert refused is None
        world.clock.ms += KNOWN_MS
        for body, _ in world.republish.waiting:
            assert world.deliver(world.record(body)) == (), world.log[-1].failure
        world.republish.waiting.clear()

    def player(self, wire: str, key: SecretKey = ALICE, color: str = "white") -> Voice:
        return voice(self.world, key, wire, color)


@pytest.fixture
def ruled(table: Table) -> Ruled:
    return Ruled(table)


def told(ruled: Ruled, wire: str, asked: object) -> str:
    """All that the player was told in answer to this request, in any form."""
    heard = [event.content for event in ruled.world.publisher.taken_events]
    posted = [json.dumps(dict(message.content)) for message in ruled.world.outbox.sent]
    return " ".join([*heard, *posted, str(asked)])


REFUSED = {
    "native": "error:restricted: {}",
    "socket": "restricted: {}",
    "ssb": "Not accepted: {}.",
    "jester": "Not accepted: {}.",
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("word", "more", "text"),
    [
        ("deny", {"reason": "rude"}, "this key may not play here: rude"),
        ("allow", {}, "this arbiter is for its members"),
        ("close", {"reason": "back at nine"}, "back at nine"),
    ],
)
def test_who_may_not_play_is_told_so_in_their_own_protocol_and_is_never_seated(
    ruled: Ruled, wire: str, word: str, more: dict[str, str], text: str
) -> None:
    one, other = ruled.player(wire), ruled.player("native", BOB, "black")
    keys = {"deny": (one.pubkey,), "allow": (other.pubkey,), "close": ()}[word]
    ruled.says(word, *keys, **more)

    asked = one.connect()
    other.connect()

    assert REFUSED[wire].format(text) in told(ruled, wire, asked)
    assert not ruled.world.games.by_id
    back = {"deny": "admit", "allow": "disallow", "close": "open"}[word]
    ruled.says(back, *(keys if word == "deny" else ()))
    one.connect()
    other.connect()
    assert len(ruled.world.games.by_id) == 1, "when it is taken back they are paired"


@pytest.mark.parametrize("wire", WIRES)
def test_who_is_denied_while_they_wait_is_not_paired(ruled: Ruled, wire: str) -> None:
    one, other = ruled.player(wire), ruled.player("native", BOB, "black")
    one.connect()
    ruled.says("deny", one.pubkey)

    other.connect()

    assert not ruled.world.games.by_id


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("word", ["deny", "close"])
def test_a_game_under_way_goes_on_and_has_no_rematch(ruled: Ruled, wire: str, word: str) -> None:
    one, other = ruled.player(wire), ruled.player("native", BOB, "black")
    one.connect()
    other.connect()
    (game,) = ruled.world.games.by_id.values()
    ruled.says(word, *((one.pubkey,) if word == "deny" else ()))
    sides = (one, other) if game.white.player == one.pubkey else (other, one)

    for at, uci in enumerate(MATE):
        sides[at % 2].move(uci)
    assert ruled.world.game(game.id).outcome is not None, ruled.world.statuses()

    for key in (ALICE, BOB) if wire == "native" else ():
        tags = (("d", game.id), ("p", ruled.world.deps.server))
        ruled.world.hear(an_event(key, 20303, "rematch", tags, ruled.world.clock.ms // 1000))
    assert len(ruled.world.games.by_id) == 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("moves", "termination"),
    [((), Termination.ABORTED), (MATE[:2], Termination.LEFT)],
)
def test_running_games_end_if_the_operator_says_so(
    ruled: Ruled, wire: str, moves: tuple[str, ...], termination: Termination
) -> None:
    one, other = ruled.player(wire), ruled.player("native", BOB, "black")
    one.connect()
    other.connect()
    (game,) = ruled.world.games.by_id.values()
    sides = (one, other) if game.white.player == one.pubkey else (other, one)
    for at, uci in enumerate(moves):
        sides[at % 2].move(uci)

    for _ in range(2):  # the record may come twice
        ruled.says("deny", one.pubkey, ends_games=True)

    ended = ruled.world.game(game.id)
    if wire in {"ssb", "jester"}:
        # In slots of their own they are not found: they are abandoned, for no move is taken.
        sides[len(moves) % 2].move(MATE[len(moves)])
        sides[1 - len(moves) % 2].move(MATE[len(moves) + 1])
        assert ruled.world.game(game.id).ply <= len(moves) + 1
        return
    assert ended.outcome is not None
    assert ended.outcome.termination is termination
    winner = game.color_of(other.pubkey) if termination is Termination.LEFT else None
    assert ended.outcome.winner == winner


def test_a_game_that_begins_after_the_denial_is_not_played(ruled: Ruled) -> None:
    one, other = NativePlayer(ruled.world, ALICE), NativePlayer(ruled.world, BOB)
    one.connect()
    ruled.says("deny", one.pubkey)
    ruled.policy.store = None  # read before the denial elsewhere
    ruled.policy._policy = Policy()
    other.connect()
    (game,) = ruled.world.games.by_id.values()
    ruled.policy.store = ruled.store
    ruled.policy.forget()

    white = one if game.white.player == one.pubkey else other
    white.move("e2e4")
    black = other if white is one else one
    black.move("e7e5")

    assert ruled.world.game(game.id).ply == (0 if white is one else 1)


def test_a_denial_ends_by_itself(ruled: Ruled) -> None:
    one, other = ruled.player("native"), ruled.player("native", BOB)
    until_ms = ruled.world.clock.ms + 10 * KNOWN_MS
    ruled.says("deny", one.pubkey, until_ms=until_ms)
    one.connect()
    other.connect()
    assert not ruled.world.games.by_id

    ruled.world.clock.ms = until_ms
    one.connect()
    other.connect()

    assert len(ruled.world.games.by_id) == 1


def test_it_closes_at_its_time(ruled: Ruled) -> None:
    one, other = ruled.player("native"), ruled.player("native", BOB)
    from_ms = ruled.world.clock.ms + 10 * KNOWN_MS
    ruled.says("close", from_ms=from_ms, until_ms=from_ms + KNOWN_MS)
    one.connect()
    other.connect()
    assert len(ruled.world.games.by_id) == 1

    ruled.world.clock.ms = from_ms
    late = ruled.player("native", a_key("late"))
    late.connect()

    assert "error:restricted: no new games begin here now" in told(ruled, "native", "")


def test_the_house_needs_no_membership(ruled: Ruled) -> None:
    one, house = ruled.player("native"), ruled.player("native", BOB)
    ruled.policy.house = frozenset({house.pubkey})
    ruled.says("allow", one.pubkey)

    one.connect()
    house.connect()

    assert len(ruled.world.games.by_id) == 1


def test_a_policy_is_read_once_a_minute_and_one_that_cannot_be_read_stays(ruled: Ruled) -> None:
    ruled.says("hide", ALICE.pubkey)
    assert ruled.policy.now().hidden == {ALICE.pubkey}
    reads = 0

    class Failing(FixedPolicy):
        def load(self) -> Policy:
            nonlocal reads
            reads += 1
            raise OSError

    ruled.policy.store = Failing(Policy())
    for _ in range(3):
        ruled.world.clock.ms += KNOWN_MS // 2
        assert ruled.policy.now().hidden == {ALICE.pubkey}
    assert reads == 1


def test_what_is_stored_is_read_again(table: Table) -> None:
    store, now_ms = StoredPolicy(table), 1_800_000_000_000
    queue = World().republish
    a, b = ALICE.pubkey, BOB.pubkey
    for command in (
        PolicyCommand(word="deny", keys=(a,), reason="rude", until_ms=now_ms + 1),
        PolicyCommand(word="allow", keys=(b,)),
        PolicyCommand(word="hide", keys=(a,)),
        PolicyCommand(word="void", keys=(a,)),
        PolicyCommand(word="void", keys=(b, a)),
        PolicyCommand(word="close", reason="later", from_ms=now_ms + 5),
    ):
        before = store.load()
        assert change_policy(store, queue, command, now_ms, "me") is None
        assert not store.commit(before, Policy()), "another was first"

    found = store.load()

    assert found.denied[a].reason == "rude"
    assert (found.allowed, found.hidden, found.void_keys) == (
        frozenset({b}),
        frozenset({a}),
        frozenset({a}),
    )
    assert found.voids(b, a)
    assert found.voids("c3" * 32, a)
    assert not found.voids("c3" * 32, b)
    assert found.closed is not None
    assert found.closed.from_ms == now_ms + 5
    assert [change.said.split()[0] for change in found.changes] == [
        *("deny", "allow", "hide", "void", "void", "close")
    ]


def a_list(ruled: Ruled, name: str, *members: str, key: SecretKey = OPERATOR) -> VerifiedEvent:
    """This list of the operator's, for this arbiter, a second later."""
    ruled.world.clock.ms += 1000
    named = [("p", one) for one in (ruled.world.deps.server, *members)]
    at = ruled.world.clock.ms // 1000
    return an_event(key, 30000, "", (("d", name), ("title", "Rude"), *named), at)


@pytest.mark.parametrize("word", ["deny", "allow", "hide"])
def test_the_operators_lists_are_the_policy(ruled: Ruled, word: str) -> None:
    ruled.policy.configured_operator = OPERATOR.pubkey
    older, newer = (a_list(ruled, f"arbiter-{word}", key.pubkey) for key in (BOB, ALICE))

    for event in (newer, older, newer):
        ruled.world.hear(event)

    policy = ruled.policy.now()
    lists = {"deny": frozenset(policy.denied), "allow": policy.allowed, "hide": policy.hidden}
    assert lists.pop(word) == frozenset({ALICE.pubkey})
    assert not any(lists.values()), "no other list changed"
    assert ruled.world.statuses() == ["list-taken", "older-list", "older-list"]

    ruled.world.hear(a_list(ruled, f"arbiter-{word}"))

    assert ruled.policy.now().why_not(BOB.pubkey, ruled.world.clock.ms) is None, "an empty list"


def test_a_list_of_a_clock_that_is_ahead_keeps_no_later_one_out(ruled: Ruled) -> None:
    ruled.policy.configured_operator = OPERATOR.pubkey
    at = ruled.world.clock.ms // 1000 + 365 * 86_400
    named = (("d", "arbiter-deny"), ("p", ruled.world.deps.server), ("p", BOB.pubkey))

    ruled.world.hear(an_event(OPERATOR, 30000, "", named, at))
    ruled.world.hear(a_list(ruled, "arbiter-deny", ALICE.pubkey))

    assert {*ruled.policy.now().denied} == {ALICE.pubkey}
    assert ruled.world.statuses() == ["dated-ahead", "list-taken"]


def test_a_list_by_another_key_or_for_another_arbiter_changes_nothing(ruled: Ruled) -> None:
    ruled.policy.configured_operator = OPERATOR.pubkey
    at = ruled.world.clock.ms // 1000
    elsewhere = an_event(OPERATOR, 30000, "", (("d", "arbiter-deny"), ("p", BOB.pubkey)), at)

    ruled.world.hear(a_list(ruled, "arbiter-deny", BOB.pubkey, key=ALICE))
    ruled.world.hear(a_list(ruled, "friends", BOB.pubkey))
    ruled.world.hear(elsewhere)

    assert ruled.policy.now() == Policy()


def members(ruled: Ruled, *keys: SecretKey, by: SecretKey, group: str = "club") -> VerifiedEvent:
    """The members of this group, with the arbiter among them, a second later."""
    ruled.world.clock.ms += 1000
    named = [("p", one) for one in (ruled.world.deps.server, *(key.pubkey for key in keys))]
    return an_event(by, 39002, "", (("d", group), *named), ruled.world.clock.ms // 1000)


def test_the_members_of_a_group_are_who_is_allowed_by_its_relay_alone(ruled: Ruled) -> None:
    relay, other = a_key("relay"), a_key("other relay")
    ruled.says("allow", group=f"39002:{relay.pubkey}:club")
    assert ruled.policy.why_not(ALICE.pubkey, ruled.world.clock.ms) is None, "not heard yet"
    first = members(ruled, BOB, by=relay)

    for event in (
        first,
        members(ruled, ALICE, by=relay),
        first,
        members(ruled, BOB, by=other),
        members(ruled, BOB, by=OPERATOR),
        members(ruled, BOB, by=relay, group="guests"),
        an_event(relay, 39002, "", (("d", "club"), ("p", BOB.pubkey)), first.created_at + 9),
    ):
        ruled.world.hear(event)

    assert ruled.policy.now().allowed == frozenset({ALICE.pubkey})
    assert ruled.world.statuses() == ["list-taken"] * 2 + ["older-list"] + ["not-for-us"] * 4


def test_a_list_that_does_not_fit_is_refused_and_the_operator_sees_why(
    ruled: Ruled, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled.policy.configured_operator = OPERATOR.pubkey
    ruled.says("hide", ALICE.pubkey)
    monkeypatch.setattr("arbiter.adapters.items.policy.MAX_CHARS", 1_000)
    event = a_list(ruled, "arbiter-deny", *(f"{number:064x}" for number in range(20)))

    for _ in range(2):
        ruled.world.hear(event)

    policy = ruled.store.load()
    assert not policy.denied
    assert policy.hidden == {ALICE.pubkey}
    assert "list of 20 to deny is refused: the policy is too long" in policy.changes[-1].said
    assert ruled.world.statuses() == ["list-refused", "older-list"]
    monkeypatch.setattr("arbiter.adapters.items.policy.MAX_CHARS", 500)
    ruled.world.hear(a_list(ruled, "arbiter-hide", *(f"{number:064x}" for number in range(20))))
    assert ruled.world.statuses()[-1] == "list-refused", "not even the reason fits"


def a_report(ruled: Ruled, *tags: tuple[str, ...], key: SecretKey = BOB) -> VerifiedEvent:
    """Bob's report, a second later; about Alice, if these tags name no one else."""
    ruled.world.clock.ms += 1000
    named = (("p", ALICE.pubkey, "spam"), ("p", ruled.world.deps.server), *tags)
    return an_event(key, 1984, "He  was\nrude", named, ruled.world.clock.ms // 1000)


def test_a_report_reaches_the_operator_with_game_and_lines(ruled: Ruled) -> None:
    one, other = NativePlayer(ruled.world, ALICE), NativePlayer(ruled.world, BOB)
    one.connect()
    other.connect()
    (game,) = ruled.world.games.by_id.values()
    one.move("abort")
    lines = [("chat", f"line {number}") for number in range(12)]
    event = a_report(ruled, ("d", game.id), *lines)

    for _ in range(2):
        ruled.world.hear(event)

    (report,) = ruled.store.reports()
    assert (report.by, report.player, report.game_id) == (BOB.pubkey, ALICE.pubkey, game.id)
    assert (report.type, report.text) == ("spam", "He was rude")
    assert report.chat == tuple(f"line {number}" for number in range(10))
    assert report.early_ends == len(ruled.world.lobby.player(ALICE.pubkey).early_ends)


def test_five_reports_a_day_of_one_key_are_kept(ruled: Ruled) -> None:
    for _ in range(7):
        ruled.world.hear(a_report(ruled))
    ruled.world.hear(a_report(ruled, key=a_key("another")))

    assert [one.by == BOB.pubkey for one in ruled.store.reports()] == [True] * 5 + [False]
    ruled.world.clock.ms += 24 * 60 * 60 * 1000
    ruled.world.hear(a_report(ruled))
    assert len(ruled.store.reports()) == 7


def test_a_flood_of_reports_ends_before_anything_is_read_for_it(ruled: Ruled) -> None:
    copies = [a_report(ruled), *(a_report(ruled) for _ in range(REPORTS_OF_ONE))]
    for event in copies * 10:
        ruled.world.hear(event)
    assert len(ruled.store.reports()) == REPORTS_OF_ONE

    reads: list[str] = []
    ruled.world.lobby.hook = reads.append
    ruled.policy.store = FixedPolicy(Policy())
    ruled.world.hear(a_report(ruled))

    assert (ruled.world.statuses()[-1], reads) == ("too-many-reports", [])


def test_what_names_no_player_or_two_or_comes_of_a_denied_key_is_no_report(ruled: Ruled) -> None:
    at = ruled.world.clock.ms // 1000
    us = ("p", ruled.world.deps.server)
    ruled.world.hear(an_event(BOB, 1984, "", (us,), at))
    ruled.world.hear(a_report(ruled, ("p", a_key("third").pubkey, "spam")))
    ruled.says("deny", BOB.pubkey)
    ruled.world.hear(a_report(ruled))

    assert ruled.store.reports() == ()


@pytest.mark.parametrize("word", ["deny", "close"])
def test_who_is_left_alone_waits_again_only_while_they_may_play(ruled: Ruled, word: str) -> None:
    one, other = NativePlayer(ruled.world, ALICE), NativePlayer(ruled.world, BOB)
    one.connect()
    other.connect()
    ruled.says(word, *((one.pubkey,) if word == "deny" else ()))

    other.move("abort")

    assert ruled.world.lobby.player(one.pubkey).waits_in is None


def test_a_challenge_of_a_player_who_was_denied_since_is_not_accepted(ruled: Ruled) -> None:
    ruled.world.clock.ms += 1000
    made = ruled.world.ask(ALICE, "", ("challenge", "open"), ("time", "180+2"))
    (challenge_id,) = (tag[1] for event in made for tag in event.tags if tag[0] == "challenge")
    ruled.says("deny", ALICE.pubkey)

    ruled.world.ask(BOB, f"accept:{challenge_id}")

    assert not ruled.world.games.by_id
