"""A wrong id or key is named for what it is: in capitals, too short, as NIP-19 or as an address."""

from collections.abc import Callable

import pytest

from arbiter.core.commands import Unrecognized
from arbiter.core.decide import decide
from arbiter.core.replies import Rejected
from arbiter.dialects import native, nip100
from arbiter.dialects.base import CurrentGameCommand, GameCommand, NoSuchGame, RequestToPlay
from arbiter.nostr.nip19 import encode_npub
from tests.builders import ALICE, NOW_MS, a_game, an_event

GAME = a_game()
KEY = ALICE.pubkey
STATE = "5a" * 32
NPUB = encode_npub(KEY)

WRONG: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "short": lambda text: text[:-1],
    "long": lambda text: text + "0",
    "blank": lambda text: f"{text} ",
    "address": lambda text: f"https://chess.example/#/game/{text}",
    "nostr": lambda _: f"nostr:{NPUB}",
    "npub": lambda _: NPUB,
    "empty": lambda _: "",
}


def _said(kind: int, content: str, *tags: tuple[str, ...]) -> str:
    """The words for the author of this event."""
    codec = nip100 if kind < 6000 else native
    decoded = codec.decode(an_event(ALICE, kind, content, tags), NOW_MS)
    match decoded:
        case NoSuchGame(_, text):
            return text
        case RequestToPlay(flaw=str(flaw)) if flaw:
            return flaw
        case GameCommand(_, command) | CurrentGameCommand(command) if isinstance(
            command, Unrecognized
        ):
            replies = decide(GAME, command, NOW_MS).replies
            return next(reply.text for reply in replies if isinstance(reply, Rejected))
        case other:
            return f"taken: {other}"


FIELDS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "d of a move": (
        GAME.id,
        lambda it: _said(20303, "e2e4", ("d", it)),
        "a game id is 32 lower-case hex digits",
    ),
    "e of a move": (
        STATE,
        lambda it: _said(20303, "e2e4", ("d", GAME.id), ("e", it)),
        "an e tag names a state by its id, 64 lower-case hex digits",
    ),
    "e of a word": (
        STATE,
        lambda it: _said(20303, "resign", ("d", GAME.id), ("e", it)),
        "an e tag names a state by its id, 64 lower-case hex digits",
    ),
    "accept": (
        GAME.id,
        lambda it: _said(20300, f"accept:{it}"),
        "accept: name a challenge by its 32 lower-case hex digits alone",
    ),
    "decline": (
        GAME.id,
        lambda it: _said(20300, f"decline:{it}:later"),
        "decline: name a challenge by its 32 lower-case hex digits alone",
    ),
    "challenge": (
        KEY,
        lambda it: _said(20300, "", ("challenge", it)),
        "is not open or a key, and a key is 64 lower-case hex digits",
    ),
    "key of a link": (
        KEY,
        lambda it: _said(20300, "", ("challenge", "open", it)),
        "is not open or a key, and a key is 64 lower-case hex digits",
    ),
    "challenge on NIP-100": (
        KEY,
        lambda it: _said(5000, "connect", ("challenge", it)),
        "challenge names a player by their key, 64 lower-case hex digits",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("field", FIELDS)
def test_a_wrong_id_is_named_with_what_is_expected(field: str, wrong: str) -> None:
    right, say, expected = FIELDS[field]

    assert say(right).startswith("taken: ")
    assert say(WRONG[wrong](right)).endswith(expected)


def test_a_link_is_not_sent_with_its_secret() -> None:
    said = _said(20300, f"accept:{GAME.id}-{'ab' * 32}")

    assert said == "accept: name a challenge by its 32 lower-case hex digits alone"


CAUSES: dict[str, tuple[int, str, *tuple[tuple[str, str], ...]]] = {
    "no game": (20303, "e2e4"),
    "two games": (20303, "e2e4", ("d", GAME.id), ("d", "0" * 32)),
    "no id of a game": (20303, "e2e4", ("d", "x")),
    "no id of a state": (20303, "e2e4", ("d", GAME.id), ("e", "x")),
    "two states": (20303, "e2e4", ("d", GAME.id), ("e", STATE), ("e", "0" * 64)),
    "no move": (20303, "Nf3", ("d", GAME.id)),
    "no move on NIP-100": (5001, "Nf3"),
    "no offer on NIP-100": (5002, "hello"),
    "no resign on NIP-100": (5003, "hello"),
    "no request on NIP-100": (5000, "hello"),
}
ALIKE = {"two games": "no game", "no move on NIP-100": "no move"}


def test_each_cause_has_a_text_of_its_own() -> None:
    texts = {cause: _said(*said) for cause, said in CAUSES.items()}

    assert all(texts[cause] == texts[same] for cause, same in ALIKE.items())
    different = [text for cause, text in texts.items() if cause not in ALIKE]
    assert len({*different}) == len(different), texts
    assert not [text for text in different if text.startswith("taken")]
