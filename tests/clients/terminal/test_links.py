"""Challenges whose link is a secret."""

from hashlib import sha256

import pytest

from arbiter.nostr.event import has_signed
from arbiter.nostr.keys import SecretKey
from clients.player import messages
from clients.terminal.challenges import link_of, read_link
from clients.terminal.notices import Notice, challenges_listed
from clients.terminal.notices import queued as told_queued
from tests.builders import ALICE
from tests.clients.terminal.scene import Scene, connected

CHALLENGE = "c" * 32


def asked(scene: Scene, text: str) -> tuple[tuple[str, ...], ...]:
    """The tags of the request to play that this input leads to."""
    scene.enter(text)
    (send,) = scene.sends()
    return send.draft.tags[1:]


def test_a_link_is_shown_to_who_asks_for_one_and_its_secret_is_in_no_event() -> None:
    scene = connected()
    scene.hear(messages.Queued(scene.asked))
    tags = asked(scene, "challenge link 3+2")
    (queued,) = scene.is_queued()
    assert isinstance(queued, Notice)
    link = str(queued.fields["link"])
    challenge, key = read_link(link) or ("", None)
    assert challenge == scene.asked[:32]
    assert key is not None
    assert tags == (("time", "180+2"), ("challenge", "open", key.pubkey))
    assert f"accept {link}" in queued.text
    assert scene.enter("challenges") == (challenges_listed((), link),)
    assert key.to_hex() not in repr(scene.session)
    assert key.to_hex() not in repr(queued)

    scene.now += 1
    assert asked(scene, "challenge link 3+2")[-1] != tags[-1]
    scene.is_queued()
    assert asked(scene, "challenge open 3+2")[-1] == ("challenge", "open")
    assert scene.is_queued() == (told_queued(scene.session.terms, scene.asked[:32]),)


def test_a_link_is_accepted_with_a_signature_that_names_the_player() -> None:
    key = SecretKey.from_hex("7" * 64)
    scene = connected()
    scene.hear(messages.Queued(scene.asked))
    ((name, proof),) = asked(scene, f"accept {link_of(CHALLENGE, key)}")
    assert scene.sent() == [(20300, f"accept:{CHALLENGE}")]
    signed = sha256(f"accept:{CHALLENGE}:{ALICE.pubkey}".encode()).digest()
    assert name == "proof"
    assert has_signed(key.pubkey, proof, signed)
    scene.wait(10)
    assert scene.sends()[0].draft.tags[1:] == (("proof", proof),)
    scene.hear(messages.Refused("unknown-challenge", "gone", scene.asked))
    assert asked(scene, f"accept {CHALLENGE}") == ()


@pytest.mark.parametrize("text", ["", CHALLENGE, f"{CHALLENGE}-{'0' * 64}", f"{CHALLENGE}-7"])
def test_what_is_no_link_is_not_read_as_one(text: str) -> None:
    assert read_link(text) is None
