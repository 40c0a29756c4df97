"""Challenges: to one opponent, or to any player who has the link."""

from hashlib import sha256

import pytest

from arbiter.nostr.keys import SecretKey
from tests.application.script import Conversation, run
from tests.builders import a_key


@pytest.mark.parametrize("wish", ["white", "black"])
def test_the_challenger_has_the_colour_they_wish_for_whatever_the_hash(wish: str) -> None:
    for seconds in range(8):
        talk = run(f"wait {seconds}s; alice challenge bob color={wish}; bob accept c1")
        assert (talk.fact("white") == "alice") == (wish == "white")


LINK = a_key("the secret in the link")


def proof(talk: Conversation, player: str, link: SecretKey = LINK) -> str:
    """The tag by which a player shows that they have the link of the first challenge."""
    accepted = f"accept:{talk.players.challenges[0]}:{talk.players.key(player).pubkey}".encode()
    return f"proof={link.sign_bytes(sha256(accepted).digest()).hex()}"


def test_an_open_challenge_with_a_key_is_for_those_who_have_its_link() -> None:
    talk = Conversation(in_order=False)
    talk.line(f"alice seek challenge=open,{LINK.pubkey} > alice queued c1")
    stolen, guessed = proof(talk, "bob"), proof(talk, "eve", talk.players.key("eve"))
    for tag in ("", "proof", "proof=x", f"proof={'0' * 128}", stolen, guessed):
        talk.line(f"eve accept c1 {tag} > eve !unknown-challenge")
    talk.line(f"bob accept c1 {stolen}")
    assert talk.fact("games") == "1"


@pytest.mark.parametrize("key", ["f" * 64, LINK.pubkey.upper()])
def test_a_link_key_that_is_none_opens_nothing_and_raises_nothing(key: str) -> None:
    talk = run(f"alice seek challenge=open,{key}")
    if key.islower():
        talk.line(f"bob accept c1 {proof(talk, 'bob')} > bob !unknown-challenge")
    assert talk.fact("challenges") == ("c1" if key.islower() else "-")
