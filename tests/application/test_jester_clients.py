"""Players of kind 30 whose page is opened anew before each move, as it reads and writes."""

import io
import json
from collections.abc import Sequence

import chess
import chess.pgn
import pytest

from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.probes.matches import FOOLS_MATE, OPERA_GAME, PROMOTION
from tests.application.native_player import NativePlayer
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.e2e.jester_amethyst import DESYNCED, Amethyst
from tests.e2e.jester_nostr_blue import RECOVERED, NostrBlue
from tests.e2e.jester_spelling import Draft, Spelling, View
from tests.e2e.jester_ui import JesterUi

CLIENTS: tuple[type[Spelling], ...] = (JesterUi, Amethyst, NostrBlue)


class Page:
    """A player of one client in a game of their own start, who reads only what relays keep."""

    def __init__(
        self,
        world: World,
        key: SecretKey,
        color: str = "white",
        client: type[Spelling] = NostrBlue,
    ) -> None:
        self.world, self.key, self.client = world, key, client()
        self.own: list[VerifiedEvent] = []
        self.start = self.event(self.client.start("abcdef42", color, SERVER.pubkey))
        world.hear(self.start)

    def event(self, draft: Draft) -> VerifiedEvent:
        self.world.clock.ms += 1000
        text = json.dumps(draft.content, separators=(",", ":"))
        tags = tuple(tuple(tag) for tag in draft.tags)
        return an_event(self.key, 30, text, tags, self.world.clock.ms // 1000)

    def told(self) -> list[VerifiedEvent]:
        """The arbiter's events of kind 30."""
        return [event for event in self.world.publisher.taken_events if event.kind == 30]

    def opened_anew(self) -> View:
        events = [event_to_json(event) for event in (*self.own, *self.told())]
        start = event_to_json(self.start)
        if isinstance(self.client, NostrBlue):
            return self.client.reloaded(start, events, self.key.pubkey)
        return self.client.view(start, events, self.key.pubkey)

    def publish(self, draft: Draft) -> None:
        self.own.append(self.event(draft))
        self.world.hear(self.own[-1])

    def move(self, uci: str) -> None:
        self.publish(self.client.move(self.opened_anew(), uci, self.key.pubkey))

    def shows(self, script: Sequence[str], result: str) -> None:
        """The page has this game, and each answer is in the one spelling that all clients take."""
        view, board = self.opened_anew(), chess.Board()
        sans = tuple(board.san_and_push(chess.Move.from_uci(uci)) for uci in script)
        assert (view.sans, view.result, view.complaint) == (sans, result, "")
        for event in self.told():
            told, shown = json.loads(event.content), chess.Board()
            for san in told["history"]:
                shown.push_san(san)
            assert told["move"] == told["history"][-1]
            assert told["fen"] == shown.fen(en_passant="fen")
            assert [tag[0] for tag in event.tags] == ["e", "e", "p"]


@pytest.fixture
def table() -> tuple[Page, NativePlayer]:
    """Alice on nostr.blue, with White, and Bob, who plays natively."""
    world = World()
    bob = NativePlayer(world, BOB)
    bob.connect()
    return Page(world, ALICE), bob


@pytest.mark.parametrize("thought_seconds", [0, 60, 2 * 24 * 60 * 60])
def test_the_answer_is_shown_by_a_page_that_is_opened_anew(
    table: tuple[Page, NativePlayer], thought_seconds: int
) -> None:
    alice, bob = table
    alice.move("e2e4")
    alice.world.clock.ms += thought_seconds * 1000
    bob.move("e7e5")

    assert alice.opened_anew().sans == ("e4", "e5")


def test_the_answer_is_dated_the_same_whenever_it_is_sent(
    table: tuple[Page, NativePlayer],
) -> None:
    alice, bob = table
    alice.move("e2e4")
    bob.move("e7e5")
    for _ in range(3):
        alice.world.clock.ms += 60_000
        alice.world.hear(alice.own[-1])

    told = [event for event in alice.world.publisher.taken_events if event.kind == 30]
    assert {event.created_at for event in told} == {alice.own[-1].created_at - 1}
    assert len({event.id for event in told}) == 1


@pytest.mark.parametrize("seconds", [-10 * 365 * 24 * 60 * 60, 7 * 24 * 60 * 60])
def test_a_false_date_of_a_move_makes_none_of_the_answer(
    table: tuple[Page, NativePlayer], seconds: int
) -> None:
    alice, bob = table
    draft = NostrBlue().move(alice.opened_anew(), "e2e4", alice.key.pubkey)
    now, moved = alice.world.clock.ms // 1000, alice.event(draft)
    alice.world.hear(an_event(ALICE, 30, moved.content, moved.tags, now + seconds))
    bob.move("e7e5")

    (answer,) = (event for event in alice.world.publisher.taken_events if event.kind == 30)
    assert abs(answer.created_at - now) <= 2


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("script", "result"), [(FOOLS_MATE, "0-1"), (OPERA_GAME, "1-0")])
def test_a_game_is_played_on_a_page_that_is_opened_anew_before_each_move(
    client: type[Spelling], script: Sequence[str], result: str
) -> None:
    world = World()
    bob = NativePlayer(world, BOB)
    bob.connect()
    alice = Page(world, ALICE, client=client)
    for ply, uci in enumerate(script):
        (alice, bob)[ply % 2].move(uci)

    (note,) = (event for event in world.publisher.taken_events if event.kind == 64)
    game = chess.pgn.read_game(io.StringIO(note.content))
    assert game is not None
    assert [move.uci() for move in game.mainline_moves()] == [*script]
    assert game.headers["Result"] == result
    if client is not NostrBlue:
        alice.shows(script, result)


@pytest.mark.parametrize("client", CLIENTS)
def test_each_accepts_a_native_player_who_invites_them_by_asking_for_a_game(
    client: type[Spelling],
) -> None:
    world = World()
    bob = NativePlayer(world, BOB)
    world.ask(BOB, "", ("challenge", ALICE.pubkey), ("dialect", "jester"))
    alice = Page(world, ALICE, client=client)
    for ply, uci in enumerate(FOOLS_MATE):
        (alice, bob)[ply % 2].move(uci)

    view = alice.opened_anew()
    assert (view.white, view.result) == (ALICE.pubkey, "0-1")


@pytest.mark.parametrize("client", CLIENTS)
def test_each_promotes_and_is_shown_that_a_native_player_resigned(client: type[Spelling]) -> None:
    world = World()
    bob = NativePlayer(world, BOB)
    bob.connect()
    alice = Page(world, ALICE, client=client)
    for ply, uci in enumerate(PROMOTION):
        (alice, bob)[ply % 2].move(uci.lower())
    bob.resign()

    view = alice.opened_anew()
    # jesterui has no word for it. An end is longer than the game, and the others show the position
    # that it names.
    assert view.result == (None if client is JesterUi else "1-0")
    assert view.complaint == {JesterUi: "", Amethyst: DESYNCED, NostrBlue: RECOVERED}[client]
    assert view.fen.startswith("rQbqkbnr")


@pytest.mark.parametrize(
    ("white", "black"),
    [(JesterUi, Amethyst), (JesterUi, NostrBlue), (Amethyst, NostrBlue), (NostrBlue, Amethyst)],
)
def test_each_meets_each_other_in_starts_of_their_own(
    white: type[Spelling], black: type[Spelling]
) -> None:
    world = World()
    one, other = Page(world, ALICE, client=white), Page(world, BOB, "black", black)
    for ply, uci in enumerate(PROMOTION):
        (one, other)[ply % 2].move(uci.lower())
    other.publish(other.client.resign(other.opened_anew(), BOB.pubkey))

    view = one.opened_anew()
    assert view.fen.startswith("rQbqkbnr")
    assert view.result == (None if white is JesterUi else "1-0")
    (note,) = (event for event in world.publisher.taken_events if event.kind == 64)
    assert '[Result "1-0"]' in note.content
