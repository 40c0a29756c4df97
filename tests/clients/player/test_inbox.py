"""Only signed messages come in, and what they say is read or left."""

from collections.abc import Callable
from dataclasses import replace

from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.player.chat import ChatCipher, ChatLine
from clients.player.heard import Delivered, LinkUp
from clients.player.inbox import Inbox, News, Read
from clients.player.messages import Queued, State
from clients.player.people import Profile, Rating
from clients.player.tournaments import Told, Tournament
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME, START

FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
PLAYERS = (("p", ALICE.pubkey), ("p", BOB.pubkey))
AT = int(START)
TOURNAMENT = "e" * 32
Tags = tuple[tuple[str, ...], ...]


def an_event(
    kind: int, content: str, *tags: tuple[str, ...], author: SecretKey = SERVER
) -> NostrEvent:
    template = EventTemplate(kind=kind, tags=tags, content=content, created_at=AT)
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def an_inbox(watched: str | None = None, *, owner: SecretKey = ALICE, known: str = "") -> Inbox:
    """A player's, or that of a spectator; ``known`` is a game of the player's."""
    tells = {owner.pubkey: lambda _: None}
    cipher = ChatCipher(owner)
    return Inbox(SERVER.pubkey, tells, knows=known.__eq__, cipher=cipher, watched=watched)


def opened(event: NostrEvent, *, stored: bool = False, watched: str | None = None) -> Read | None:
    return an_inbox(watched).open(event, stored=stored)


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


def a_state(*tags: tuple[str, ...]) -> NostrEvent:
    numbered = (("version", "1"), ("ply", "1"), ("moves", "e2e4"))
    return an_event(20302, FEN, ("d", GAME), *numbered, *tags)


def test_a_spectator_gets_the_states_of_the_watched_game_alone() -> None:
    game = a_state(("players", BOB.pubkey, EVE.pubkey))
    assert isinstance(opened(game, watched=GAME), State)
    assert isinstance(opened(game, stored=True, watched=GAME), State)
    assert opened(game, watched="f" * 32) is None


def test_a_stored_state_may_be_of_any_age_and_counts_in_a_known_game_alone() -> None:
    state = a_state(*PLAYERS)
    inbox = an_inbox()
    assert inbox.open(state, stored=True) is None
    assert isinstance(inbox.open(state, stored=False), State)
    assert isinstance(an_inbox(known=GAME).open(state, stored=True), State)


def test_a_line_from_two_relays_is_read_once() -> None:
    inbox, line = an_inbox(), chat("hello")
    assert inbox.open(line, stored=False) is not None
    assert inbox.open(line, stored=False) is None


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
        assert an_inbox(owner=EVE).open(line, stored=False) is None
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


def test_a_profile_that_is_asked_for_again_is_read_again() -> None:
    inbox, profile = an_inbox(), an_event(0, '{"name": "Bob"}', author=BOB)
    for _ in range(2):
        assert inbox.open(profile, stored=True) == Profile(BOB.pubkey, "Bob", AT)


def test_each_player_is_told_what_names_them_and_all_what_names_none() -> None:
    told: list[tuple[str, str]] = []
    asides: list[str] = []

    def ear(name: str) -> Callable[[News], None]:
        return lambda news: told.append((name, type(news).__name__))

    tells = {ALICE.pubkey: ear("alice"), BOB.pubkey: ear("bob")}
    inbox = Inbox(SERVER.pubkey, tells, lambda aside: asides.append(type(aside).__name__))

    def hears(*events: NostrEvent, stored: bool = False) -> list[tuple[str, str]]:
        told.clear()
        for event in events:
            inbox.take(Delivered(event, stored=stored))
        return told[:]

    queued = an_event(20301, "queued", ("p", BOB.pubkey))
    assert hears(queued, queued, an_event(20301, "queued", ("p", EVE.pubkey))) == [
        ("bob", "Queued")
    ]
    both = an_event(20301, "queued", *PLAYERS, PLAYERS[0])
    assert sorted(hears(both)) == [("alice", "Queued"), ("bob", "Queued")]

    tournament = (("d", TOURNAMENT), ("title", "Cup"), ("p", BOB.pubkey))
    announced = [an_event(30327, "", *tournament, author=by) for by in (EVE, SERVER)]
    assert hears(*announced, stored=True) == [
        ("alice", Tournament.__name__),
        ("bob", Tournament.__name__),
    ]
    about = (("p", BOB.pubkey), ("a", f"30327:{SERVER.pubkey}:{TOURNAMENT}"))
    joined = an_event(20301, "joined", *about)
    assert hears(joined, stored=True) == []
    assert hears(an_event(20301, "joined", *about, author=EVE), joined) == [("bob", Told.__name__)]

    assert hears(an_event(0, "{}", ("p", BOB.pubkey), author=BOB)) == []
    assert asides == ["Profile"]
    inbox.take(LinkUp("ws://one"))
    assert told == [("alice", "LinkUp"), ("bob", "LinkUp")]
