"""A game, a challenge and a player are named by whatever players pass on."""

from dataclasses import replace

import pytest

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.player import messages
from clients.terminal.challenges import link_of
from clients.terminal.names import Misnamed, read_challenge, read_game
from clients.terminal.notices import Notice
from clients.terminal.terms import BadTerms, read_terms
from tests.builders import ALICE
from tests.clients.terminal.scene import Scene, connected

ID = "0123456789abcdef" * 2
CHALLENGE, SECRET = "c" * 32, "7" * 64
LINK = f"{ID}-{SECRET}"
NPUB = encode_npub(ALICE.pubkey)
PAGE = "https://chess.example/?arbiter=npub1x#"

GAMES = [
    ID,
    ID.upper(),
    f"#/game/{ID}",
    f"{PAGE}/game/{ID}",
    f"{PAGE}/game/{ID.upper()}",
    f"https://chess.example/g/{ID}",
    f"https://chess.example/g/{ID}?from=feed",
    f"http://127.0.0.1:7102/games/{ID}.pgn",
    f"http://127.0.0.1:7102/games/{ID}/board.svg",
]
CHALLENGES = [
    (ID.upper(), ID),
    (LINK, LINK),
    (LINK.upper(), LINK),
    (f"#/challenge/{ID}", ID),
    (f"{PAGE}/challenge/{ID}?time=180%2B2&by={NPUB}", ID),
    (f"{PAGE}/challenge/{LINK}?", LINK),
    (f"{PAGE}/challenge/{LINK}?time=180%2B2&start=8%2F8%2Fk7%20w", LINK),
]
NO_GAME = {
    LINK: "That is a challenge, not a game: accept it to play",
    f"{PAGE}/challenge/{ID}": "That is a challenge, not a game: accept it to play",
    f"{PAGE}/game/{ID[1:]}": "The address of the game is cut: its id has 32 hex digits",
    f"{PAGE}/leaderboard": "This address shows no game and no challenge",
    "https://chess.example/": "This address shows no game and no challenge",
    NPUB: "That is a player: challenge npub… asks them for a game",
    f"nostr:{NPUB}": "That is a player: challenge npub… asks them for a game",
    "nostr:nevent1qqs": "That is a Nostr event: name a game or a challenge by its id or its link",
    "note1qqs": "That is a Nostr event: name a game or a challenge by its id or its link",
}
NO_CHALLENGE = {
    f"{PAGE}/game/{ID}": "That is a game, not a challenge: --watch shows it",
    f"https://chess.example/g/{ID}": "That is a game, not a challenge: --watch shows it",
    f"{PAGE}/challenge/{LINK[:-1]}": "The link is cut: 32 hex digits, or 32, a hyphen and 64 more",
    **{name: text for name, text in NO_GAME.items() if not text.startswith(("That is a c", "The"))},
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_named_by_its_id_or_any_address_of_it(name: str) -> None:
    assert read_game(name) == ID


@pytest.mark.parametrize(("name", "token"), CHALLENGES)
def test_a_challenge_is_named_by_its_id_its_link_or_the_page_s_address(
    name: str, token: str
) -> None:
    assert read_challenge(name) == token


@pytest.mark.parametrize("name", NO_GAME)
def test_what_names_no_game_is_called_what_it_is(name: str) -> None:
    with pytest.raises(Misnamed) as refusal:
        read_game(name)
    assert str(refusal.value) == NO_GAME[name]


@pytest.mark.parametrize("name", NO_CHALLENGE)
def test_what_names_no_challenge_is_called_what_it_is(name: str) -> None:
    scene = connected()
    scene.hear(messages.Queued())
    for command in ("accept", "decline"):
        (refused,) = scene.enter(f"{command} {name}")
        assert isinstance(refused, Notice)
        assert refused.text == NO_CHALLENGE[name]
    assert scene.sent() == []


@pytest.mark.parametrize(
    "name", [ALICE.pubkey, ALICE.pubkey.upper(), NPUB, f"nostr:{NPUB}", f"{PAGE}/player/{NPUB}"]
)
def test_an_opponent_is_named_by_any_form_of_their_key(name: str) -> None:
    terms = read_terms(f"{name} 3+2", whom=True)

    assert not isinstance(terms, BadTerms), terms
    assert terms.challenge == ALICE.pubkey


def _asked(words: str) -> tuple[Scene, str]:
    """The link that is shown for this challenge, where the web client's address is known."""
    scene = connected()
    scene.session = replace(scene.session, web="https://chess.example/")
    scene.hear(messages.Queued(scene.asked))
    scene.enter(words)
    (queued,) = scene.is_queued()
    assert isinstance(queued, Notice)
    link = str(queued.fields["link"])
    assert f"open it in a browser, or type accept {link}" in queued.text
    return scene, link


def test_the_link_of_the_terminal_is_one_that_the_page_opens() -> None:
    """clients/web/tests/pages.test.ts reads the same address."""
    scene, link = _asked("challenge open 3+2 white")

    assert link == (
        f"https://chess.example/#/challenge/{scene.asked[:32]}?time=180%2B2&color=white&by={NPUB}"
    )


def test_the_link_of_the_terminal_is_one_that_the_terminal_accepts() -> None:
    scene, link = _asked("challenge link 3d")
    key = scene.session.link_key

    assert key is not None
    assert read_challenge(link) == link_of(scene.asked[:32], key)


def test_the_secret_of_a_link_is_not_sent_with_a_refusal() -> None:
    scene = connected()
    scene.hear(messages.Queued(scene.asked))
    scene.enter(f"decline {link_of(CHALLENGE, SecretKey.from_hex(SECRET))}")

    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:generic")]
