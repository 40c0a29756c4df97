"""Over sockets, what comes twice, what is stolen, and what fails on the way."""

import json
from dataclasses import replace

import chess
import pytest

from arbiter.application.duplicates import TOLD_AGAIN, TOLD_AGAIN_SECONDS
from arbiter.application.process_batch import Record
from arbiter.core.early_ends import APART_MS
from arbiter.core.game import BLACK, Outcome, Termination
from arbiter.core.pairing import WAITING_IN_A_POOL
from arbiter.core.terms import PLAIN
from tests.application.socket_player import ACCEPTED, SocketPlayer, seated
from tests.application.talk import MATE
from tests.application.world import FakePublisher, World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event
from tests.fakes.faults import Crash

CAROL = a_key("carol")


def test_a_move_that_comes_again_is_applied_once_and_accepted_again() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    event = white.event(5001, "e2e4")
    world.hear(event, white.socket)
    first, told = world.sockets.heard(white.socket), world.sockets.heard(black.socket)

    world.hear(event, white.socket)

    assert world.game(game_id).ply == 1
    assert world.statuses()[-1] == "duplicate"
    assert world.sockets.heard(white.socket) == first == [["OK", event.id, True, ""]]
    assert world.sockets.heard(black.socket) == told


def test_a_move_that_comes_again_after_its_answer_is_news_to_nobody() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    event = white.event(5001, "e2e4")
    white.pass_on(event)
    black.heard()
    black.move("e7e5")
    white.heard()

    assert white.pass_on(event) == [ACCEPTED]
    assert black.heard() == []


@pytest.mark.parametrize("uci", ["e7e5", "e2e5"])
def test_a_refused_move_that_comes_again_is_refused_again(uci: str) -> None:
    """Out of turn, or illegal and a strike: neither is tried again when it would be legal."""
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    author = black if uci == "e7e5" else white
    event = author.event(5001, uci)
    assert author.pass_on(event)[0][:2] == ("OK", False)
    white.move("e2e4")
    white.heard()
    black.heard()

    assert author.pass_on(event) == [("OK", False, "invalid: this was refused before")]

    assert world.game(game_id).ply == 1
    assert world.game(game_id).white_strikes == (author is white)


def test_a_strike_that_comes_again_brings_no_move_again() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    strike = black.event(5001, "e7e4")
    black.pass_on(strike)

    assert black.pass_on(strike) == [("OK", False, "invalid: this was refused before")]
    assert white.heard() == []


def test_a_lost_game_is_told_again_with_the_same_refusal() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e5")
    event = white.event(5001, "e2e6")
    white.pass_on(event)
    black.heard()

    again = white.pass_on(event)

    assert again[0] == ("OK", False, "invalid: this was refused before")
    assert again[1:] == [("EVENT", 5000, "gameover")]
    assert black.heard() == [("EVENT", 5000, "opponentresigned")]


@pytest.mark.parametrize(
    ("kind", "word", "text"), [(5002, "offer", "offer"), (5003, "resign", "resigned")]
)
def test_an_offer_and_a_resignation_that_come_again_are_accepted_again(
    kind: int, word: str, text: str
) -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    black.heard()
    event = white.event(kind, word)
    assert white.pass_on(event) == [("OK", True, text)]
    told = black.heard()

    assert white.pass_on(event) == [("OK", True, text)]
    assert black.heard()[-len(told) :] == told


def test_an_end_that_is_told_again_does_not_reach_who_plays_another_game_by_now() -> None:
    """Nothing on this wire says which game it is that was mated."""
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    for at, uci in enumerate(MATE[:-1]):
        (black if at % 2 else white).move(uci)
    event = black.event(5001, MATE[-1])
    black.pass_on(event)
    white.connect()
    carol = SocketPlayer(world, CAROL, "carol")
    carol.connect()
    white.heard()

    assert black.pass_on(event) == [ACCEPTED, ("EVENT", 5000, "gamecheckmate")]
    assert white.heard() == []


def test_a_move_of_the_last_game_that_comes_again_is_not_played_in_the_next() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    body = world.body(white.event(5001, "e2e4"), white.socket)
    assert world.deliver(world.record(body)) == ()
    black.resign()
    for player in (white, black):
        player.connect()
    game = world.game(world.lobby.player(ALICE.pubkey).game_id or "")
    white.heard()
    black.heard()

    assert world.deliver(world.record(body)) == ()

    assert world.statuses()[-1] == "duplicate"
    assert world.game(game.id) == game
    assert white.heard() == [ACCEPTED]
    assert black.heard() == []


def test_an_end_whose_telling_died_is_told_though_both_play_again_by_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The note is for everybody, and no wire of theirs says it again."""
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    for at, uci in enumerate(MATE[:-1]):
        (black if at % 2 else white).move(uci)
    body = world.body(black.event(5001, MATE[-1]), black.socket)

    def die(events: object, deadline_seconds: float) -> FakePublisher:
        raise Crash

    with monkeypatch.context() as dying:
        dying.setattr(world.publisher, "publish", die)
        assert world.deliver(world.record(body)) != ()
    for player in (white, black):
        player.connect()
        player.heard()
    following = world.game(world.lobby.player(ALICE.pubkey).game_id or "")

    assert world.deliver(world.record(body)) == ()

    (note,) = [event for event in world.publisher.taken_events if event.kind == 64]
    assert ("d", game_id) in note.tags
    assert world.game(following.id) == following


def test_a_connect_that_comes_again_tells_the_place_again_and_pairs_nobody_anew() -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a")
    event = alice.event(5000, "connect")
    alice.pass_on(event)

    assert alice.pass_on(event) == [ACCEPTED]

    assert SocketPlayer(world, BOB, "b").connect()[0] == ACCEPTED


def test_the_connect_that_made_a_pair_tells_both_again() -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    alice.connect()
    event = bob.event(5000, "connect")
    first, hers = bob.pass_on(event), alice.heard()

    assert bob.pass_on(event) == first
    assert alice.heard() == hers


def test_each_copy_of_a_move_is_answered_and_the_opponent_hears_a_few_in_ten_seconds() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    event = white.event(5001, "e2e4")

    assert [white.pass_on(event) for _ in range(20)] == [[ACCEPTED]] * 20
    assert black.heard() == [("EVENT", 5002, "e2e4")] * (1 + TOLD_AGAIN)

    world.clock.ms += TOLD_AGAIN_SECONDS * 1000
    assert [white.pass_on(event) for _ in range(20)] == [[ACCEPTED]] * 20
    assert len(black.heard()) == TOLD_AGAIN


def test_each_copy_of_a_refused_move_is_refused() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    event = white.event(5001, "e2e5")
    assert white.pass_on(event)[0][:2] == ("OK", False)

    again = [("OK", False, "invalid: this was refused before")]
    assert [white.pass_on(event) for _ in range(20)] == [again] * 20
    assert black.heard() == []


def test_each_copy_of_a_connect_is_answered_and_the_opponent_hears_a_few_in_ten_seconds() -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    alice.connect()
    event = bob.event(5000, "connect")
    bob.pass_on(event)
    hers = alice.heard()

    verdicts = [bob.pass_on(event)[0] for _ in range(20)]
    assert all(verdict[:2] == ("OK", True) for verdict in verdicts)
    assert alice.heard() == hers * TOLD_AGAIN


# Thieves.


def test_a_player_who_remembers_another_game_is_told_how_this_one_was_found_and_all_of_it() -> None:
    # That one ended, and this one was found, in answers that he never heard.
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    black.heard()

    color, found, _, move = black.connect(("ply", "7"))

    assert (color, move) == (("OK", True, "black"), ("EVENT", 5002, "e2e4"))
    assert found == ("EVENT", 5000, "gameisfound")


def test_a_connect_that_somebody_else_sends_again_binds_nothing() -> None:
    world = World()
    alice, eve = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, EVE, "e")
    event = alice.event(5000, "connect")
    alice.pass_on(event)

    assert eve.pass_on(event) == [ACCEPTED]

    assert world.connections.sockets_of(ALICE.pubkey) == ("a",)
    SocketPlayer(world, BOB, "b").connect()
    assert [what[:2] for what in alice.heard()] == [("EVENT", 5000), ("OK", True)]
    assert eve.heard() == []


def test_a_refused_connect_binds_nothing() -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a")
    event = alice.event(5000, "connect")
    world.clock.ms += 121_000

    assert alice.pass_on(event)[0][:2] == ("OK", False)

    assert world.connections.sockets_of(ALICE.pubkey) == ()


def test_a_connect_that_was_dated_ahead_is_refused_again_when_its_hour_has_come() -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a", fast_seconds=240)
    event = alice.event(5000, "connect")
    assert alice.pass_on(event)[0][:2] == ("OK", False)
    world.clock.ms += 240_000

    assert alice.pass_on(event)[0] == ("OK", False, "invalid: this was refused before")

    assert world.connections.sockets_of(ALICE.pubkey) == ()
    assert world.lobby.pool(PLAIN.pool).waiting == ()


def test_who_gives_way_in_a_full_pool_is_told_on_their_socket() -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a")
    alice.connect()
    for at in range(WAITING_IN_A_POOL):
        world.hear(world.request(a_key(f"bot {at}"), "", ("bot", "true")))

    ((word, accepted, text),) = alice.heard()[-1:]
    assert (word, accepted) == ("OK", False)
    assert text.startswith("rate-limited: the pool is full")


@pytest.mark.parametrize("word", ["cancelsearch", "connect"])
def test_only_a_connect_binds(word: str) -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a")

    assert alice.send(5000, word) == [ACCEPTED]

    assert world.connections.sockets_of(ALICE.pubkey) == (("a",) if word == "connect" else ())


def test_a_socket_is_bound_before_the_request_is_remembered() -> None:
    """If the function dies in between, the request delivered again must not be taken for a copy."""
    world = World()
    alice = SocketPlayer(world, ALICE, "a")
    record = world.record(world.body(alice.event(5000, "connect"), "a"))
    bound: list[tuple[str, ...]] = []

    def die(point: str) -> None:
        if point == "lobby.commit":
            bound.append(world.connections.sockets_of(ALICE.pubkey))
            raise ConnectionError

    quiet, world.lobby.hook = world.lobby.hook, die
    assert world.deliver(record) == (record.id,)
    world.lobby.hook = quiet

    assert bound == [("a",)]
    assert world.deliver(record) == ()
    assert alice.heard() == [ACCEPTED]


@pytest.mark.parametrize(
    "tags", [(), (("p", SERVER.pubkey),), (("p", BOB.pubkey), ("p", SERVER.pubkey))]
)
def test_an_event_that_names_the_server_or_nobody_is_for_us(
    tags: tuple[tuple[str, ...], ...],
) -> None:
    assert SocketPlayer(World(), ALICE, "a").connect(*tags) == [ACCEPTED]


def test_an_event_for_another_server_is_not_for_us() -> None:
    world = World()

    refused = ("OK", False, "invalid: its p tags name somebody else")
    assert SocketPlayer(world, ALICE, "a").connect(("p", BOB.pubkey)) == [refused]

    assert world.statuses() == ["not-for-us"]
    assert world.connections.sockets_of(ALICE.pubkey) == ()


def test_on_relays_an_event_that_names_nobody_is_not_for_us() -> None:
    world = World()

    assert world.hear(an_event(ALICE, 20300)) == []

    assert world.statuses() == ["not-for-us"]


def test_an_event_that_has_expired_is_refused() -> None:
    world = World()
    white, _, game_id = seated(world, ALICE, BOB)
    expired = ("expiration", str(world.clock.ms // 1000 - 1))

    assert white.send(5001, "e2e4", expired) == [("OK", False, "invalid: it has expired")]

    assert world.game(game_id).ply == 0


def test_on_relays_these_kinds_are_not_ours() -> None:
    """There 5000 asks a stranger's machine to extract text (NIP-90)."""
    world = World()
    alice = SocketPlayer(world, ALICE, "a")

    assert world.hear(alice.event(5000, "connect", ("p", SERVER.pubkey))) == []

    assert world.statuses() == ["not-by-socket"]


@pytest.mark.parametrize("via", ["", "x" * 129, 7, None, ["a"], True])
def test_a_socket_has_a_short_name(via: object) -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a")
    body = json.loads(world.body(alice.event(5000, "connect"))) | {"via": via}

    assert world.deliver(world.record(json.dumps(body))) == ()

    assert world.statuses() == ["unreadable"]


# Accidents.


def failing(world: World, record: Record, point: str) -> None:
    """Deliver this while the sockets fail here."""

    def fail(at: str) -> None:
        if at == point:
            raise ConnectionError

    quiet, world.sockets.hook = world.sockets.hook, fail
    assert world.deliver(record) == (record.id,)
    world.sockets.hook = quiet


def test_a_move_whose_telling_failed_is_delivered_and_told_again() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    record = world.record(world.body(white.event(5001, "e2e4"), white.socket))
    failing(world, record, f"sockets.send {black.socket}")
    assert white.heard() == [ACCEPTED]
    assert black.heard() == []

    assert world.deliver(record) == ()

    assert white.heard() == [ACCEPTED]
    assert black.heard() == [("EVENT", 5002, "e2e4")]
    assert world.game(game_id).ply == 1


def test_an_offer_whose_telling_failed_is_told_again() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    black.heard()
    record = world.record(world.body(white.event(5002, "offer"), white.socket))
    failing(world, record, f"sockets.send {black.socket}")

    assert world.deliver(record) == ()

    assert black.heard()[-1] == ("EVENT", 5002, "offersent")


def test_what_sockets_do_not_take_is_published_on_relays_all_the_same() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    record = world.record(world.body(white.event(5003, "resign"), white.socket))

    failing(world, record, f"sockets.send {black.socket}")

    assert [event.kind for event in world.publisher.taken_events[-2:]] == [20302, 64]


def test_a_socket_that_is_gone_is_forgotten_and_no_failure() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    world.sockets.gone |= {white.socket, black.socket}

    world.hear(white.event(5001, "e2e4"), white.socket)

    assert world.connections.sockets_of(ALICE.pubkey) == ()
    assert world.connections.sockets_of(BOB.pubkey) == ()
    assert world.game(game_id).ply == 1


def test_what_no_relay_took_is_said_again_to_relays_alone() -> None:
    """The sockets have heard it, and would take it for news of the next game."""
    world = World()
    world.publisher.deaf = True
    white, black, _ = seated(world, ALICE, BOB)
    white.resign()
    black.heard()
    body = world.republish.bodies[-1]
    world.publisher.deaf = False

    assert world.deliver(world.record(body)) == ()

    assert [event.kind for event in world.publisher.taken_events] == [20302, 64]
    assert white.heard() == black.heard() == []


def test_without_a_gateway_nothing_is_posted() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    world.deps = replace(world.deps, connections=None, sockets=None)

    assert white.resign() == black.heard() == []

    assert world.game(game_id).outcome == Outcome(Termination.RESIGNATION, BLACK)


def test_what_another_key_would_sign_is_not_posted() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    record = world.record(world.body(white.event(5003, "resign"), white.socket))
    world.deps = replace(world.deps, signer=EVE)

    assert world.deliver(record) == (record.id,)

    assert white.heard() == black.heard() == []


@pytest.mark.parametrize(("kind", "word"), [(5003, "resign"), (5001, "e2e4"), (5002, "offer")])
def test_what_was_signed_for_the_last_game_does_nothing_in_the_next(kind: int, word: str) -> None:
    """Clients send again what was not answered, once they are connected again."""
    world = World()
    white, black, first = seated(world, ALICE, BOB)
    unanswered = {player.key.pubkey: player.event(kind, word) for player in (white, black)}
    black.resign()
    world.clock.ms += APART_MS
    white.connect()
    black.connect()
    for player in (white, black):
        player.heard()
        refusal = ("OK", False, "invalid: sent before this game began")
        assert player.pass_on(unanswered[player.key.pubkey]) == [refusal]

    second = world.lobby.player(ALICE.pubkey).game_id
    assert second is not None
    assert second != first
    assert world.game(second).ply == 0
    assert world.game(second).outcome is None


def test_what_a_slow_clock_of_ours_refused_is_not_played_when_it_is_sent_again() -> None:
    """A gateway whose clock is behind stamps a move before the game that it is a move of."""
    world = World()
    white, _, game_id = seated(world, ALICE, BOB)
    move = white.event(5001, "e2e4")
    created_at_ms = world.game(game_id).created_at_ms
    body = json.loads(world.body(move, white.socket)) | {"received_at_ms": created_at_ms - 1}

    world.deliver(world.record(json.dumps(body)))
    refused = white.heard()
    again = white.pass_on(move)

    assert ("OK", False, "invalid: sent before this game began") in refused
    assert ("OK", False) in {frame[:2] for frame in again}
    assert world.game(game_id).ply == 0
    assert white.pass_on(white.event(5001, "d2d4")) != again
    assert world.game(game_id).moves == (chess.Move.from_uci("d2d4"),)


def test_who_dated_his_request_a_second_ahead_may_move_at_once() -> None:
    world = World()
    one, other = SocketPlayer(world, ALICE, "one"), SocketPlayer(world, BOB, "other")
    for player in (one, other):
        ahead = world.clock.ms // 1000 + 1
        player.pass_on(an_event(player.key, 5000, "connect", (), ahead))
        player.heard()
    game_id = world.lobby.player(ALICE.pubkey).game_id
    assert game_id is not None
    white = one if world.game(game_id).white.player == ALICE.pubkey else other

    move = an_event(white.key, 5001, "e2e4", (), world.clock.ms // 1000)
    assert white.pass_on(move) == [ACCEPTED]


@pytest.mark.parametrize(("kind", "word"), [(5001, "a7a6"), (5002, "offer")])
def test_what_was_refused_as_too_old_stays_refused_when_it_is_sent_again(
    kind: int, word: str
) -> None:
    """What comes over a socket is dated by when it was heard, so heard again it is younger."""
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    author = black if kind == 5001 else white
    white.move("e2e4")
    event = author.event(kind, word)
    waited = world.record(world.body(event, author.socket))
    world.clock.ms += 90_000
    for player, uci in ((black, "e7e5"), (white, "g1f3")):
        player.move(uci)
    world.deliver(waited)
    assert ("OK", False) in {frame[:2] for frame in author.heard()}

    again = author.pass_on(event)

    assert ("OK", False, "invalid: this was refused before") in again
    assert (world.game(game_id).ply, world.game(game_id).offer) == (3, None)
