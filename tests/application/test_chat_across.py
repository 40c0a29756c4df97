"""Chat between players who hear nothing of each other but through us."""

import pytest

from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import KeyEncrypter, conversation_key, decrypt
from tests.application.script import Conversation, run
from tests.application.words import letter_word
from tests.builders import BOB, EVE, SERVER, a_key, an_event

MET = "@sue invite white; bob seek"
PUBLIC, PRIVATE = 20306, 20305


def line(
    talk: Conversation, text: str, by: SecretKey = BOB, kind: int = PRIVATE, to: str = SERVER.pubkey
) -> VerifiedEvent:
    """A line to the arbiter, as a client writes it; a private one is sealed ``to`` a key."""
    sealed = KeyEncrypter(lambda: by).encrypt(to, text, "00" * 32) if to else None
    tags = (("d", talk.games[0]), ("p", SERVER.pubkey))
    payload = sealed if sealed and kind == PRIVATE else text
    return an_event(by, kind, payload, tags, talk.world.clock.ms // 1000)


def carried(talk: Conversation, event: VerifiedEvent) -> list[str]:
    """What our log says because of it."""
    before = len(talk.world.outbox.said)
    assert talk.world.hear(event) == []
    return [letter_word(talk.players, it) for it in talk.world.outbox.said[before:]]


def read(event: VerifiedEvent, reader: SecretKey = BOB) -> str | None:
    shared = conversation_key(bytes.fromhex(reader.to_hex()), SERVER.pubkey)
    return decrypt(event.content, shared)


def test_a_private_line_from_scuttlebutt_reaches_the_opponent_alone() -> None:
    talk = run(MET)
    sue = talk.players.feeds["sue"]
    (event,) = sue.chat("good luck \u202e!")
    assert (event.kind, event.pubkey) == (PRIVATE, SERVER.pubkey)
    assert (read(event), read(event, EVE)) == ("good luck !", None)
    assert all_tags(event, "said-by") == (("said-by", sue.pubkey),)
    assert all_tags(event, "p") == (("p", BOB.pubkey),)
    assert "luck" not in event.content


def test_a_private_line_to_scuttlebutt_is_private_there_too_and_never_in_our_name() -> None:
    talk = run(MET)
    assert carried(talk, line(talk, "and to you")) == ["@sue Opponent: and to you"]
    (forged,) = carried(talk, line(talk, "Arbiter: The game is over: 0-1."))
    assert forged.startswith("@sue Opponent: ")


def test_what_is_said_in_public_is_public_on_the_other_side() -> None:
    talk = run(MET)
    sue = talk.players.feeds["sue"]
    (event,) = sue.chat("hello world", is_private=False)
    assert (event.kind, event.content) == (PUBLIC, "hello world")
    assert all_tags(event, "said-by") == (("said-by", sue.pubkey),)
    (word,) = carried(talk, line(talk, "bravo", EVE, PUBLIC))
    assert word.startswith("@sue* npub1")
    assert word.endswith("bravo")


def test_a_line_that_comes_again_is_the_same_line() -> None:
    talk = run(f"{MET}; x: @sue chat once")
    talk.line("again x > same")
    event = line(talk, "once")
    assert len(carried(talk, event)) == 1
    assert carried(talk, event) == []


@pytest.mark.parametrize(
    ("status", "text", "by", "kind", "to"),
    [
        ("chat-not-carried", "psst", EVE, PRIVATE, SERVER.pubkey),
        ("chat-unreadable", "in the open", BOB, PRIVATE, ""),
        ("chat-unreadable", "for Eve", BOB, PRIVATE, EVE.pubkey),
        ("chat-unreadable", "\u200b\n", EVE, PUBLIC, ""),
    ],
)
def test_what_cannot_or_may_not_be_carried_is_dropped(
    status: str, text: str, by: SecretKey, kind: int, to: str
) -> None:
    talk = run(MET)
    assert carried(talk, line(talk, text, by, kind, to)) == []
    assert talk.fact("status") == status


def test_spectators_cannot_make_us_write_without_end_nor_silence_the_players() -> None:
    talk = run(MET)
    talk.world.clock.ms -= talk.world.clock.ms % 60_000
    fans = [a_key(f"fan {number}") for number in range(7)]
    said = [
        len(carried(talk, line(talk, f"line {number}", fan, PUBLIC)))
        for fan in fans
        for number in range(9)
    ]
    assert said[:9] == [1] * 5 + [0] * 4
    assert sum(said) == 30
    assert talk.fact("status") == "chat-rate-limited"
    assert carried(talk, line(talk, "still here")) == ["@sue Opponent: still here"]


def test_of_a_game_that_is_long_over_nothing_is_carried() -> None:
    talk = run(f"{MET}; @sue resigned; wait 1d")
    assert len(carried(talk, line(talk, "what a game", EVE, PUBLIC))) == 1
    talk.line("wait 1m")
    assert carried(talk, line(talk, "what a game it was", EVE, PUBLIC)) == []
    assert talk.fact("statuses") == "chat-carried chat-too-late"


def test_two_on_relays_need_no_carrier_and_two_on_scuttlebutt_hear_each_other_through_us() -> None:
    natives = run("bob seek; eve seek")
    assert carried(natives, line(natives, "hello", BOB, PUBLIC)) == []
    assert natives.fact("status") == "chat-not-carried"
    run("""
        @sue invite white; @tom invite black
        @sue chat hello tom > @tom Opponent: hello tom
        @sue public hello world > public chat | @tom*...
    """)


def test_without_a_key_for_chat_nothing_is_read_and_nothing_fails() -> None:
    talk = run(MET)
    object.__setattr__(talk.world.deps, "encrypter", None)
    assert carried(talk, line(talk, "hello")) == []
    talk.line("@sue chat hello > -")
