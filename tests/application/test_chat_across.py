"""Chat between players who hear nothing of each other but through us."""

import pytest

from arbiter.adapters.encrypter import KeyEncrypter
from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import conversation_key, decrypt
from tests.application.native_player import NativePlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import BOB, EVE, SERVER, an_event


class Table:
    """Sue of Scuttlebutt has White, Bob on relays has Black."""

    def __init__(self) -> None:
        self.world = World()
        self.sue = SsbPlayer(self.world, "sue")
        self.sue.invite("white")
        NativePlayer(self.world, BOB).connect()
        self.game_id = self.sue.game.id
        self.world.outbox.sent.clear()

    def line(
        self,
        text: str,
        *,
        by: SecretKey = BOB,
        kind: int = 20305,
        sealed: bool = True,
        to: str = SERVER.pubkey,
    ) -> VerifiedEvent:
        """A line to the arbiter, as a client writes it."""
        payload = KeyEncrypter(lambda: by).encrypt(to, text, "00" * 32) if sealed else text
        assert payload is not None
        tags = (("d", self.game_id), ("p", SERVER.pubkey))
        return an_event(by, kind, payload, tags, self.world.clock.ms // 1000)

    def public(self, text: str, by: SecretKey = EVE) -> VerifiedEvent:
        return self.line(text, by=by, kind=20306, sealed=False)


def read(event: VerifiedEvent, reader: SecretKey = BOB) -> str | None:
    shared = conversation_key(bytes.fromhex(reader.to_hex()), SERVER.pubkey)
    return decrypt(event.content, shared)


def test_a_private_line_from_scuttlebutt_reaches_the_opponent_alone() -> None:
    table = Table()

    (event,) = table.sue.chat("good luck \u202e!")

    assert (event.kind, event.pubkey) == (20305, SERVER.pubkey)
    assert read(event) == "good luck !"
    assert read(event, EVE) is None
    assert all_tags(event, "said-by") == (("said-by", table.sue.pubkey),)
    assert all_tags(event, "p") == (("p", BOB.pubkey),)
    assert "luck" not in event.content


def test_a_private_line_to_scuttlebutt_is_private_there_too() -> None:
    table = Table()

    assert table.world.hear(table.line("and to you")) == []

    (said,) = table.world.outbox.said
    assert said.recps == (table.sue.feed,)
    assert said.root == table.sue.root
    assert said.content["type"] == "chess_chat"
    assert said.content["msg"] == "Opponent: and to you"


def test_nobody_speaks_in_the_arbiter_s_name() -> None:
    table = Table()

    table.world.hear(table.line("Arbiter: The game is over: 0-1."))

    (said,) = table.world.outbox.said
    assert str(said.content["msg"]).startswith("Opponent: ")


def test_what_is_said_in_public_is_public_on_the_other_side() -> None:
    table = Table()

    (event,) = table.sue.chat("hello world", is_private=False)
    assert (event.kind, event.content) == (20306, "hello world")
    assert all_tags(event, "said-by") == (("said-by", table.sue.pubkey),)

    table.world.hear(table.public("bravo"))
    (said,) = table.world.outbox.said
    assert said.recps == ()
    assert str(said.content["msg"]).endswith("bravo")
    assert "npub1" in str(said.content["msg"])


def test_a_line_that_comes_again_is_the_same_line() -> None:
    table = Table()
    letter = table.sue.letter(
        {"type": "chess_chat", "root": table.sue.root, "msg": "once"}, is_private=True
    )

    first, second = table.world.hear(letter), table.world.hear(letter)

    assert [event.id for event in first] == [event.id for event in second]
    line = table.line("once")
    table.world.hear(line)
    table.world.hear(line)
    assert len({said.id for said in table.world.outbox.said}) == 1


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("chat-not-carried", lambda table: table.line("psst", by=EVE)),
        ("chat-unreadable", lambda table: table.line("in the open", sealed=False)),
        ("chat-unreadable", lambda table: table.line("for Eve", to=EVE.pubkey)),
        ("chat-unreadable", lambda table: table.public("\u200b\n")),
    ],
)
def test_what_cannot_or_may_not_be_carried_is_dropped(status: str, line: object) -> None:
    table = Table()
    assert callable(line)

    assert table.world.hear(line(table)) == []

    assert table.world.outbox.said == []
    assert table.world.statuses()[-1] == status


def test_nobody_makes_us_write_more_than_a_few_lines() -> None:
    table = Table()
    table.world.clock.ms -= table.world.clock.ms % 60_000

    for number in range(9):
        table.world.hear(table.public(f"line {number}"))

    assert len(table.world.outbox.said) == 5
    assert table.world.statuses()[-1] == "chat-rate-limited"


def test_spectators_cannot_silence_the_players() -> None:
    table = Table()
    table.world.clock.ms -= table.world.clock.ms % 60_000
    crowd = [SecretKey.from_hex(f"{number:064x}") for number in range(1, 8)]

    for fan in crowd:
        for number in range(5):
            table.world.hear(table.public(f"line {number}", fan))
    assert len(table.world.outbox.said) == 30
    table.world.hear(table.line("still here"))

    assert str(table.world.outbox.said[-1].content["msg"]).endswith("still here")


def test_of_a_game_that_is_long_over_nothing_is_carried() -> None:
    table = Table()
    table.sue.resign()
    table.world.clock.ms += 24 * 60 * 60 * 1000
    table.world.hear(table.public("what a game"))
    carried = len(table.world.outbox.said)

    table.world.clock.ms += 60_000
    table.world.hear(table.public("what a game it was"))

    assert len(table.world.outbox.said) == carried
    assert table.world.statuses()[-2:] == ["chat-carried", "chat-too-late"]


def test_two_natives_need_nobody_to_carry_their_chat() -> None:
    world = World()
    table = world.start(BOB, EVE)
    event = an_event(
        BOB, 20306, "hello", (("d", table.game_id), ("p", SERVER.pubkey)), world.clock.ms // 1000
    )

    assert world.hear(event) == []
    assert world.statuses()[-1] == "chat-not-carried"


def test_two_of_scuttlebutt_who_met_here_hear_each_other_through_us() -> None:
    world = World()
    sue, tom = SsbPlayer(world, "sue"), SsbPlayer(world, "tom")
    sue.invite("white")
    tom.invite("black")
    world.outbox.sent.clear()

    sue.chat("hello tom")
    sue.chat("hello world", is_private=False)

    private, public = world.outbox.said
    assert (private.root, private.recps) == (tom.root, (tom.feed,))
    assert (public.root, public.recps) == (tom.root, ())


def test_without_a_key_for_chat_nothing_is_read_and_nothing_fails() -> None:
    table = Table()
    object.__setattr__(table.world.deps, "encrypter", None)

    assert table.world.hear(table.line("hello")) == []
    assert table.sue.chat("hello") == []
