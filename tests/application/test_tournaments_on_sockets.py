"""Players of NIP-100 in tournaments: they connect with a tag that names one."""

from tests.application.socket_player import ACCEPTED, SocketPlayer
from tests.application.tournament_evening import Evening
from tests.builders import SERVER, a_key
from tests.core.tournaments.play import engine

FOUND = ("EVENT", 5000, "gameisfound")


class Mixed(Evening):
    """A round robin of a player on a socket and one on relays, whose rounds come by themselves."""

    def __init__(self) -> None:
        super().__init__(engine, lambda _: "")
        self.create("round-robin", ("cycles", "2"), ("noshow", "60"))
        self.about = ("a", f"30327:{SERVER.pubkey}:{self.id}")
        self.ann = SocketPlayer(self, a_key("ann"), "socket")
        self.keys[self.ann.pubkey] = a_key("ann")

    def begun(self) -> None:
        self.join("bob")
        self.run(120, until=lambda: any(board.game_id for _, _, board in self.boards()))


def test_one_who_connects_for_a_tournament_is_told_of_each_game_and_plays_it() -> None:
    mixed = Mixed()
    assert mixed.ann.connect(mixed.about) == [ACCEPTED]
    assert mixed.ann.connect(mixed.about) == [ACCEPTED], "again, over a new socket"
    mixed.begun()
    found, (_, accepted, color) = mixed.ann.heard()
    assert (found, accepted) == (FOUND, True)
    ((_, _, board),) = mixed.boards()
    game = mixed.games.load(board.game_id)
    assert game is not None
    bob = a_key("bob")
    if color == "black":
        mixed.say_in(game.id, bob, "e2e4")
        assert mixed.ann.heard() == [("EVENT", 5002, "e2e4")]
    assert mixed.ann.move("e2e4" if color == "white" else "e7e5") == [ACCEPTED]
    assert mixed.ann.connect(mixed.about)[0] == ("OK", True, color), "they come back to it"
    assert mixed.ann.resign() == [("OK", True, "resigned")]
    mixed.run(
        120, until=lambda: len([*mixed.boards()]) == 2 and bool([*mixed.boards()][1][2].game_id)
    )
    found, (_, accepted, other_color) = mixed.ann.heard()
    assert (found, accepted) == (FOUND, True)
    assert other_color != color
    if other_color == "white":
        assert mixed.ann.move("d2d4") == [ACCEPTED], "their moves are for the new game"


def test_a_request_that_names_no_tournament_of_ours_or_is_old_enters_nothing() -> None:
    mixed = Mixed()
    for about in (("a", f"30327:{'1' * 64}:{mixed.id}"), ("a", "x"), ("a",)):
        ((_, accepted, _),) = mixed.ann.connect(about)
        assert not accepted
    ((_, accepted, text),) = mixed.ann.connect(("a", f"30327:{SERVER.pubkey}:{'0' * 32}"))
    assert (accepted, "no such event" in text) == (False, True)
    first = mixed.ann.event(5000, "connect", mixed.about)
    mixed.ann.connect(mixed.about)
    other = SocketPlayer(mixed, a_key("eve"), "another socket")
    assert other.pass_on(first)[0][:2] == ("OK", False), "copied, it opens no socket"
    assert mixed.tournament.entry_of(mixed.ann.pubkey) is not None
    latest = mixed.ann.event(5000, "connect", mixed.about)
    mixed.ann.pass_on(latest)
    assert other.pass_on(latest) == [ACCEPTED]
    mixed.begun()
    assert other.heard() == [], "the game is told to the socket of the player alone"


def test_cancelsearch_with_the_tag_leaves_it() -> None:
    mixed = Mixed()
    mixed.ann.connect(mixed.about)
    assert mixed.ann.send(5000, "cancelsearch", mixed.about) == [ACCEPTED]
    assert mixed.tournament.entries[0].state == "left"
