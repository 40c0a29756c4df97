"""Only signed messages come in, and what they say is read or left."""

from dataclasses import replace

from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.player.chat import ChatCipher, ChatLine
from clients.player.messages import Queued, State
from clients.terminal.inbox import Mailroom
from clients.terminal.profiles import Profile, Rating
from clients.terminal.session import Signed
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME, START

FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
PLAYERS = (("p", ALICE.pubkey), ("p", BOB.pubkey))
AT = int(START)
Tags = tuple[tuple[str, ...], ...]


def an_event(
    kind: int, content: str, *tags: tuple[str, ...], author: SecretKey = SERVER
) -> NostrEvent:
    template = EventTemplate(kind=kind, tags=tags, content=content, created_at=AT)
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def a_mailroom(watched: str | None = None, *, owner: SecretKey = ALICE) -> Mailroom:
    return Mailroom(SERVER.pubkey, owner.pubkey, watched=watched, cipher=ChatCipher(owner))


def opened(event: NostrEvent, *, stored: bool = False, watched: str | None = None) -> Signed | None:
    return a_mailroom(watched).open(event, stored=stored)


def chat(
    text: str, *tags: tuple[str, ...], author: SecretKey = BOB, to: SecretKey = ALICE
) -> NostrEvent:
    payload = ChatCipher(author).encrypt(text, to.pubkey)
    assert payload is not None
    return an_event(20305, payload, ("d", GAME), ("p", to.pubkey), *tags, author=author)


def test_what_is_said_to_others_is_left() -> None:
    assert opened(an_event(20301, "queued", ("p", ALICE.pubkey))) == Queued()
    for tags in ((("p", BOB.pubkey),), ()):
        assert opened(an_event(20301, "queued", *tags)) is None


def test_a_spectator_gets_the_states_of_the_watched_game_alone() -> None:
    numbered = (("version", "1"), ("ply", "1"), ("moves", "e2e4"))
    game = an_event(20302, FEN, ("d", GAME), ("players", BOB.pubkey, EVE.pubkey), *numbered)
    assert isinstance(opened(game, watched=GAME), State)
    assert opened(game, watched="f" * 32) is None


def test_a_line_from_two_relays_is_read_once() -> None:
    mail, line = a_mailroom(), chat("hello")
    assert mail.open(line, stored=False) is not None
    assert mail.open(line, stored=False) is None


def test_the_opponent_s_line_is_decrypted_cleaned_and_cut() -> None:
    line = opened(chat("good \x1b[2J\u202egame"))
    assert line == ChatLine(BOB.pubkey, GAME, "good [2Jgame", public=False)
    long = opened(chat("a" * 500))
    assert isinstance(long, ChatLine)
    assert len(long.text) == 140


def test_the_arbiter_signs_for_an_opponent_without_a_key_and_no_other_player_does() -> None:
    said_by = ("said-by", BOB.pubkey)
    line = ChatLine(BOB.pubkey, GAME, "hello", public=False)
    assert opened(chat("hello", said_by, author=SERVER)) == line
    assert opened(chat("hello", said_by, author=EVE)) == replace(line, author=EVE.pubkey)
    assert opened(chat("hello", author=SERVER)) is None
    assert opened(chat("hello", ("said-by", "a name that is no key"), author=SERVER)) is None
    public = an_event(20306, "hello", ("d", GAME), said_by, author=SERVER)
    assert opened(public) == replace(line, public=True)


def test_only_the_addressee_can_read_a_private_line() -> None:
    event = chat("psst")
    assert "psst" not in str(event)
    copied = an_event(20305, event.content, ("d", GAME), ("p", EVE.pubkey), author=BOB)
    for line in (event, copied):
        assert a_mailroom(owner=EVE).open(line, stored=False) is None
    # Not even the addressee, where it is sent to another player.
    assert opened(copied) is None
    for content in ("in the open", "", "#" * 200, "A" * 200):
        plain = an_event(20305, content, ("d", GAME), ("p", ALICE.pubkey), author=BOB)
        assert opened(plain) is None
    assert ChatCipher(ALICE).encrypt("hello", "no key") is None


def test_spectators_talk_in_public() -> None:
    event = an_event(20306, "who will win?\n", ("d", GAME), author=EVE)
    assert opened(event) == ChatLine(EVE.pubkey, GAME, "who will win?", public=True)
    assert opened(an_event(20306, "\u200b", ("d", GAME), author=EVE)) is None
    assert opened(replace(event, content="forged")) is None


def test_a_profile_is_signed_by_its_owner_and_a_rating_by_the_arbiter() -> None:
    profile = an_event(0, '{"name": "Bob"}', author=BOB)
    assert opened(profile, stored=True) == Profile(BOB.pubkey, "Bob", AT)
    assert opened(replace(profile, content='{"name": "Eve"}')) is None
    assert opened(replace(profile, pubkey=EVE.pubkey)) is None
    tags = (("d", f"blitz:{BOB.pubkey}"), ("p", BOB.pubkey), ("rating", "1523", "80"))
    rating = an_event(30300, "", *tags)
    assert opened(rating, stored=True) == Rating(BOB.pubkey, "blitz", 1523, False, AT)
    assert opened(an_event(30300, "", *tags, author=BOB)) is None
    assert opened(replace(rating, tags=tags[:2])) is None
