"""Only signed messages come in, and what they say is read or left."""

from dataclasses import replace

import pytest

from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.terminal.inbox import ChatCipher, Inbox
from clients.terminal.profiles import Profile, Rating
from clients.terminal.session import House
from clients.terminal.terms import Terms
from clients.terminal.wire import (
    ArbiterMessage,
    Cancelled,
    Challenged,
    ChatLine,
    ErrorAnswer,
    GameRecord,
    Offer,
    Paired,
    RequestRefused,
    StateClaim,
    Waiting,
)
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


def an_inbox(watched: str | None = None, *, owner: SecretKey = ALICE) -> Inbox:
    return Inbox(SERVER.pubkey, owner.pubkey, watched=watched, cipher=ChatCipher(owner))


def opened(
    event: NostrEvent, *, stored: bool = False, watched: str | None = None
) -> ArbiterMessage | ChatLine | Profile | Rating | House | None:
    return an_inbox(watched).open(event, stored=stored)


def a_response(content: str, *tags: tuple[str, ...], author: SecretKey = SERVER) -> NostrEvent:
    return an_event(20301, content, ("p", ALICE.pubkey), *tags, author=author)


def a_state(*tags: tuple[str, ...]) -> StateClaim:
    claim = opened(an_event(20302, FEN, ("d", GAME), *PLAYERS, *tags))
    assert isinstance(claim, StateClaim)
    return claim


def chat(
    text: str, *tags: tuple[str, ...], author: SecretKey = BOB, to: SecretKey = ALICE
) -> NostrEvent:
    payload = ChatCipher(author).encrypt(text, to.pubkey)
    assert payload is not None
    return an_event(20305, payload, ("d", GAME), ("p", to.pubkey), *tags, author=author)


@pytest.mark.parametrize(
    ("content", "tags", "message"),
    [
        ("queued", (), Waiting()),
        ("queued", (("challenge", GAME),), Waiting(GAME)),
        ("cancelled", (), Cancelled()),
        ("error:rate-limited: wait", (), RequestRefused("rate-limited: wait")),
        ("error:\x1b[2Jgone", (), RequestRefused("[2Jgone")),
        (f"started:{GAME}:{BOB.pubkey}:w", (), Paired(GAME, AT)),
        (f"started:{GAME}", (), Paired(GAME, AT)),
        (
            f"challenged:{GAME}:{BOB.pubkey}",
            (("time", "180+2"), ("mode", "rated"), ("expiration", "1800003600")),
            Challenged(GAME, BOB.pubkey, Terms(time="180+2", rated=True), 1_800_003_600),
        ),
        (
            f"challenged:{GAME}:{BOB.pubkey}",
            (("name", "Bob"),),
            Challenged(GAME, BOB.pubkey, Terms(), names=((BOB.pubkey, "Bob"),)),
        ),
        *(
            (content, (), None)
            for content in (
                *("started:", "started:a b:c:w", "started:\x1b[2J:c:w", "won", ""),
                *(f"challenged:{GAME}:bob", "challenged::"),
            )
        ),
    ],
)
def test_a_response_is_read(content: str, tags: Tags, message: ArbiterMessage | None) -> None:
    assert opened(a_response(content, *tags)) == message


def test_every_tag_of_a_state_is_read() -> None:
    claim = a_state(
        *(("version", "17"), ("ply", "1"), ("moves", "e2e4"), ("time", "180+2")),
        *(("clock", "175300", "180000"), ("deadline", "1800000000123"), ("mode", "rated")),
        *(("variant", "chess960"), ("start", FEN), ("offer", "draw", "w"), ("rematch", "f" * 32)),
        *(("result", "1-0"), ("termination", "resignation"), ("stand-in", BOB.pubkey)),
    )
    assert (claim.white, claim.black, claim.fen) == (ALICE.pubkey, BOB.pubkey, FEN)
    assert (claim.ply, claim.moves, claim.version) == (1, ("e2e4",), 17)
    assert (claim.result, claim.termination) == ("1-0", "resignation")
    assert (claim.time, claim.clock_ms) == ("180+2", (175_300, 180_000))
    assert (claim.deadline_ms, claim.rated, claim.chess960) == (1_800_000_000_123, True, True)
    assert (claim.start, claim.offer, claim.rematch) == (FEN, Offer("draw", True), "f" * 32)
    assert claim.stand_ins == (BOB.pubkey,)
    moves = ("g1f3", "g8f6", "f3g1", "f6g8") * 500
    assert a_state(("ply", "2000"), ("moves", *moves)).moves == moves


def test_malformed_tags_of_a_state_count_as_absent() -> None:
    malformed = a_state(
        *(("ply", "many"), ("moves", "e9e4"), ("result", "2-0"), ("termination", "\x1b[2J")),
        *(("version", "x"), ("time", "soon"), ("clock", "1"), ("clock", "a", "b")),
        *(("deadline", "-1"), ("offer", "castle", "w"), ("rematch", "\x1b[2J")),
    )
    bare = a_state()
    assert replace(malformed, event_id="") == replace(bare, event_id="")
    assert (bare.ply, bare.moves, bare.result, bare.termination) == (None, None, None, None)
    assert a_state(("ply", "0")).moves == ()


@pytest.mark.parametrize(
    "tags",
    [
        PLAYERS,
        (("d",), *PLAYERS),
        (("d", GAME), PLAYERS[0]),
        (("d", GAME), PLAYERS[0], ("p", "\x1b[2J")),
    ],
)
def test_a_state_without_game_or_players_is_left(tags: Tags) -> None:
    assert opened(an_event(20302, FEN, *tags)) is None


def test_an_error_and_a_record_are_read_and_cleaned() -> None:
    error = an_event(20304, "stale: \x1b[2Jlook", ("e", "b" * 64), ("d", GAME), *PLAYERS)
    assert opened(error) == ErrorAnswer("b" * 64, GAME, "stale: [2Jlook")
    record = an_event(64, "1. e4 \x1b[31m*\n", ("d", GAME), *PLAYERS)
    assert opened(record) == GameRecord(GAME, "1. e4 [31m*", None, None)
    assert opened(an_event(64, "1. e4 *", *PLAYERS)) is None


@pytest.mark.parametrize(
    ("tags", "ratings"),
    [
        (
            (("rating", "w", "1500", "1662"), ("rating", "b", "1500", "1338")),
            ((1500, 1662), (1500, 1338)),
        ),
        ((("rating", "w", "1500", "1662"),), None),
        ((("rating", "w", "1500"), ("rating", "b", "1500", "1338")), None),
        ((("rating", "w", "-1", "\x1b"), ("rating", "b", "1500", "1338")), None),
    ],
)
def test_a_record_has_both_ratings_before_and_after_or_none(tags: Tags, ratings: object) -> None:
    record = opened(an_event(64, "1. e4 *", ("d", GAME), *PLAYERS, *tags))
    assert isinstance(record, GameRecord)
    assert record.ratings == ratings


def test_messages_of_strangers_and_to_others_and_forgeries_are_dropped() -> None:
    genuine, eve = a_response("queued"), a_response("queued", author=EVE)
    assert opened(genuine) == Waiting()
    for other in (
        eve,
        replace(eve, pubkey=SERVER.pubkey),
        replace(genuine, content="error:gone"),
        replace(genuine, sig=eve.sig),
        an_event(20301, "queued", ("p", BOB.pubkey)),
        an_event(20301, "queued"),
        an_event(1, "queued", ("p", ALICE.pubkey)),
    ):
        assert opened(other) is None


def test_a_spectator_gets_the_states_of_the_watched_game_alone() -> None:
    game = an_event(20302, FEN, ("d", GAME), ("p", BOB.pubkey), ("p", EVE.pubkey))
    assert isinstance(opened(game, watched=GAME), StateClaim)
    assert opened(game, watched="f" * 32) is None


def test_a_stored_error_is_of_no_use_and_all_else_may_be() -> None:
    assert opened(an_event(20304, "stale: x", ("e", "b" * 64), *PLAYERS), stored=True) is None
    for event in (
        a_response(f"started:{GAME}:{BOB.pubkey}:w"),
        an_event(20302, FEN, ("d", GAME), *PLAYERS),
        an_event(64, "*", ("d", GAME), *PLAYERS),
    ):
        assert opened(event, stored=True) is not None


def test_an_error_or_a_line_from_two_relays_is_read_once_and_a_response_each_time() -> None:
    inbox = an_inbox()
    for event in (an_event(20304, "stale: x", ("e", "b" * 64), *PLAYERS), chat("hello")):
        assert inbox.open(event, stored=False) is not None
        assert inbox.open(event, stored=False) is None
    # The answer to a second request within a second is the same event.
    for _ in range(2):
        assert inbox.open(a_response("queued"), stored=False) == Waiting()


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
