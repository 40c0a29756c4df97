"""Chat between players who hear nothing of each other but through us."""

from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import conversation_key, decrypt
from tests.application.script import run
from tests.builders import SERVER, a_key

MET = "@sue invite white; bob seek"
PUBLIC, PRIVATE = 20306, 20305


def read(event: VerifiedEvent, reader: SecretKey) -> str | None:
    shared = conversation_key(bytes.fromhex(reader.to_hex()), SERVER.pubkey)
    return decrypt(event.content, shared)


def test_a_line_from_scuttlebutt_reaches_the_opponent_alone_unless_it_is_public() -> None:
    talk = run(MET)
    sue, bob = talk.players.feeds["sue"], a_key("bob")
    (event,) = sue.chat("good luck \u202e!")
    assert (event.kind, event.pubkey) == (PRIVATE, SERVER.pubkey)
    assert (read(event, bob), read(event, a_key("eve"))) == ("good luck !", None)
    assert all_tags(event, "said-by") == (("said-by", sue.pubkey),)
    assert all_tags(event, "p") == (("p", bob.pubkey),)
    assert "luck" not in event.content
    (public,) = sue.chat("hello world", is_private=False)
    assert (public.kind, public.content) == (PUBLIC, "hello world")
    assert all_tags(public, "said-by") == (("said-by", sue.pubkey),)


def test_spectators_cannot_make_us_write_without_end_nor_silence_the_players() -> None:
    talk, said = run(MET), []
    talk.world.clock.ms += 60_000 - talk.world.clock.ms % 60_000
    before = len(talk.world.outbox.said)
    for fan in range(7):
        for number in range(9):
            said.append(len(talk.step(f"fan{fan} says line {number}", "last")[0]))
            talk.world.clock.ms -= 1000
    # The sixth line of each is refused, and the others are dropped.
    assert said == ([1] * 6 + [0] * 3) * 6 + [1] + [0] * 8
    assert len(talk.world.outbox.said) - before == 30
    assert talk.fact("status") == "chat-rate-limited"
    talk.line("bob whispers still here > @sue Opponent: still here")


def test_without_a_key_for_chat_nothing_is_read_and_nothing_fails() -> None:
    talk = run(MET)
    object.__setattr__(talk.world.deps, "encrypter", None)
    talk.line("bob whispers hello > -")
    talk.line("@sue chat hello > -")


def test_a_line_that_nothing_is_seen_of_is_dropped() -> None:
    talk = run(MET)
    talk.line("eve says \u200b > -")
    assert talk.fact("status") == "chat-unreadable"
