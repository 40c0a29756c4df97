"""Only the arbiter's own words come in, and what they say is read or left."""

from dataclasses import replace

import pytest

from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.terminal.inbox import ChatCipher, Inbox
from clients.terminal.profiles import Profile, Rating
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
from tests.clients.terminal.scene import GAME

FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
PLAYERS = (("p", ALICE.pubkey), ("p", BOB.pubkey))


def an_event(
    kind: int, content: str, *tags: tuple[str, ...], author: SecretKey = SERVER
) -> NostrEvent:
    template = EventTemplate(kind=kind, tags=tags, content=content, created_at=1_800_000_000)
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def a_mailroom(watched: str | None = None) -> Inbox:
    return Inbox(SERVER.pubkey, ALICE.pubkey, watched=watched, cipher=ChatCipher(ALICE))


def opened(
    event: NostrEvent, *, stored: bool = False, watched: str | None = None
) -> ArbiterMessage | ChatLine | Profile | Rating | None:
    return a_mailroom(watched).open(event, stored=stored)


def a_response(content: str, author: SecretKey = SERVER) -> NostrEvent:
    return an_event(20301, content, ("p", ALICE.pubkey), author=author)


@pytest.mark.parametrize(
    ("content", "heard"),
    [
        ("queued", Waiting()),
        ("error:rate-limited: wait", RequestRefused("rate-limited: wait")),
        ("error:\x1b[2Jgone", RequestRefused("[2Jgone")),
        (f"started:{GAME}:{BOB.pubkey}:w", Paired(GAME, 1_800_000_000)),
        (f"started:{GAME}", Paired(GAME, 1_800_000_000)),
        ("started:", None),
        ("started:a b:c:w", None),
        ("started:\x1b[2J:c:w", None),
        ("won", None),
        ("", None),
    ],
)
def test_a_response_is_read(content: str, heard: ArbiterMessage | None) -> None:
    assert opened(a_response(content)) == heard


def test_a_state_is_read_with_and_without_the_tags_of_ours() -> None:
    bare = an_event(20302, FEN, ("d", GAME), *PLAYERS)
    claim = opened(bare)
    assert isinstance(claim, StateClaim)
    assert (claim.white, claim.black, claim.fen) == (ALICE.pubkey, BOB.pubkey, FEN)
    assert (claim.ply, claim.moves, claim.result, claim.termination) == (None, None, None, None)
    ours = (("ply", "1"), ("moves", "e2e4"), ("result", "1-0"), ("termination", "resignation"))
    claim = opened(an_event(20302, FEN, ("d", GAME), *PLAYERS, *ours))
    assert isinstance(claim, StateClaim)
    assert (claim.ply, claim.moves) == (1, ("e2e4",))
    assert (claim.result, claim.termination) == ("1-0", "resignation")


def test_a_state_of_two_thousand_plies_is_read() -> None:
    moves = ("g1f3", "g8f6", "f3g1", "f6g8") * 500
    ours = (("ply", "2000"), ("moves", *moves))
    claim = opened(an_event(20302, FEN, ("d", GAME), *PLAYERS, *ours))
    assert isinstance(claim, StateClaim)
    assert claim.moves == moves


def test_tags_that_make_no_sense_are_as_good_as_absent() -> None:
    odd = (("ply", "many"), ("moves", "e9e4"), ("result", "2-0"), ("termination", "\x1b[2J"))
    claim = opened(an_event(20302, FEN, ("d", GAME), *PLAYERS, *odd))
    assert isinstance(claim, StateClaim)
    assert (claim.ply, claim.moves, claim.result, claim.termination) == (None, None, None, None)


@pytest.mark.parametrize(
    "tags",
    [
        PLAYERS,
        (("d",), *PLAYERS),
        (("d", GAME), PLAYERS[0]),
        (("d", GAME), ("p", ALICE.pubkey), ("p", "\x1b[2J")),
    ],
)
def test_a_state_without_game_or_players_is_left(tags: tuple[tuple[str, ...], ...]) -> None:
    assert opened(an_event(20302, FEN, *tags)) is None


def test_an_error_and_a_record_are_read_and_cleaned() -> None:
    error = an_event(20304, "stale: \x1b[2Jlook", ("e", "b" * 64), ("d", GAME), *PLAYERS)
    assert opened(error) == ErrorAnswer("b" * 64, GAME, "stale: [2Jlook")
    record = an_event(64, "1. e4 \x1b[31m*\n", ("d", GAME), *PLAYERS)
    assert opened(record) == GameRecord(GAME, "1. e4 [31m*", None, None)


def test_a_stranger_s_word_is_not_heard() -> None:
    assert opened(a_response("queued", author=EVE)) is None


def test_a_forgery_is_not_heard() -> None:
    genuine = a_response("queued")
    assert opened(replace(a_response("queued", author=EVE), pubkey=SERVER.pubkey)) is None
    assert opened(replace(genuine, content="error:gone")) is None
    assert opened(replace(genuine, sig=a_response("queued", author=EVE).sig)) is None
    assert opened(genuine) == Waiting()


def test_words_to_somebody_else_are_not_heard() -> None:
    assert opened(an_event(20301, "queued", ("p", BOB.pubkey))) is None
    assert opened(an_event(20301, "queued")) is None


def test_an_old_error_is_of_no_use_and_all_else_may_be() -> None:
    assert opened(a_response(f"started:{GAME}:{BOB.pubkey}:w"), stored=True) is not None
    assert opened(an_event(20304, "stale: x", ("e", "b" * 64), *PLAYERS), stored=True) is None
    assert opened(an_event(20302, FEN, ("d", GAME), *PLAYERS), stored=True) is not None
    assert opened(an_event(64, "*", ("d", GAME), *PLAYERS), stored=True) is not None


def test_an_error_from_two_relays_is_heard_once_and_a_response_each_time() -> None:
    mailroom = a_mailroom()
    error = an_event(20304, "stale: x", ("e", "b" * 64), *PLAYERS)
    assert mailroom.open(error, stored=False) is not None
    assert mailroom.open(error, stored=False) is None
    # The answer to a second request within a second is the very same event.
    assert mailroom.open(a_response("queued"), stored=False) == Waiting()
    assert mailroom.open(a_response("queued"), stored=False) == Waiting()


@pytest.mark.parametrize(
    ("content", "tags", "heard"),
    [
        ("queued", (("challenge", GAME),), Waiting(GAME)),
        ("cancelled", (), Cancelled()),
        (
            f"challenged:{GAME}:{BOB.pubkey}",
            (("time", "180+2"), ("mode", "rated"), ("expiration", "1800003600")),
            Challenged(GAME, BOB.pubkey, Terms(time="180+2", rated=True), 1_800_003_600),
        ),
        (f"challenged:{GAME}:bob", (), None),
        ("challenged::", (), None),
    ],
)
def test_what_is_said_of_challenges_is_read(
    content: str, tags: tuple[tuple[str, ...], ...], heard: ArbiterMessage | None
) -> None:
    assert opened(an_event(20301, content, ("p", ALICE.pubkey), *tags)) == heard


def test_every_tag_of_a_state_is_read() -> None:
    tags = (
        *(("version", "17"), ("ply", "1"), ("moves", "e2e4"), ("time", "180+2")),
        *(("clock", "175300", "180000"), ("deadline", "1800000000123"), ("mode", "rated")),
        *(("variant", "chess960"), ("start", FEN), ("offer", "draw", "w"), ("rematch", "f" * 32)),
    )
    claim = opened(an_event(20302, FEN, ("d", GAME), *PLAYERS, *tags))
    assert isinstance(claim, StateClaim)
    assert (claim.version, claim.time, claim.clock_ms) == (17, "180+2", (175_300, 180_000))
    assert (claim.deadline_ms, claim.rated, claim.chess960) == (1_800_000_000_123, True, True)
    assert (claim.start, claim.offer, claim.rematch) == (FEN, Offer("draw", True), "f" * 32)


def test_extensions_that_make_no_sense_are_as_good_as_absent() -> None:
    tags = (
        *(("version", "x"), ("time", "soon"), ("clock", "1"), ("clock", "a", "b")),
        *(("deadline", "-1"), ("offer", "castle", "w"), ("rematch", "\x1b[2J")),
    )
    claim = opened(an_event(20302, FEN, ("d", GAME), *PLAYERS, *tags))
    assert isinstance(claim, StateClaim)
    assert (claim.version, claim.time, claim.clock_ms) == (None, None, None)
    assert (claim.deadline_ms, claim.offer, claim.rematch) == (None, None, None)


def sealed(text: str, *, author: SecretKey = BOB, to: SecretKey = ALICE) -> NostrEvent:
    payload = ChatCipher(author).encrypt(text, to.pubkey)
    assert payload is not None
    return an_event(20305, payload, ("d", GAME), ("p", to.pubkey), author=author)


def test_a_line_of_the_opponent_s_is_unsealed_cleaned_and_cut() -> None:
    line = opened(sealed("good \x1b[2J\u202egame"))
    assert line == ChatLine(BOB.pubkey, GAME, "good [2Jgame", public=False)
    long = opened(sealed("a" * 500))
    assert isinstance(long, ChatLine)
    assert len(long.text) == 140


def carried(text: str, *said_by: tuple[str, ...], author: SecretKey = SERVER) -> NostrEvent:
    payload = ChatCipher(author).encrypt(text, ALICE.pubkey)
    assert payload is not None
    return an_event(20305, payload, ("d", GAME), ("p", ALICE.pubkey), *said_by, author=author)


def test_the_arbiter_speaks_for_an_opponent_without_a_key_and_nobody_else_does() -> None:
    said_by = ("said-by", BOB.pubkey)

    line = ChatLine(BOB.pubkey, GAME, "hello", public=False)
    assert opened(carried("hello", said_by)) == line
    assert opened(carried("hello", said_by, author=EVE)) == replace(line, author=EVE.pubkey)
    assert opened(carried("hello")) is None
    assert opened(carried("hello", ("said-by", "a name that is no key"))) is None
    public = an_event(20306, "hello", ("d", GAME), said_by, author=SERVER)
    assert opened(public) == replace(line, public=True)


def test_a_third_key_cannot_read_what_two_players_say() -> None:
    event = sealed("psst")
    assert "psst" not in str(event)
    eve = Inbox(SERVER.pubkey, EVE.pubkey, cipher=ChatCipher(EVE))
    assert eve.open(event, stored=False) is None
    # Nor if somebody passes it off as meant for her.
    copied = an_event(20305, event.content, ("d", GAME), ("p", EVE.pubkey), author=BOB)
    assert eve.open(copied, stored=False) is None


@pytest.mark.parametrize("content", ["in the open", "", "#" * 200, "A" * 200])
def test_chat_that_was_not_sealed_for_us_is_not_shown(content: str) -> None:
    assert opened(an_event(20305, content, ("d", GAME), ("p", ALICE.pubkey), author=BOB)) is None


def test_spectators_talk_in_the_open() -> None:
    event = an_event(20306, "who will win?\n", ("d", GAME), author=EVE)
    assert opened(event) == ChatLine(EVE.pubkey, GAME, "who will win?", public=True)
    assert opened(an_event(20306, "\u200b", ("d", GAME), author=EVE)) is None
    assert opened(replace(event, content="forged")) is None


def test_a_line_from_two_relays_is_heard_once() -> None:
    mailroom, event = a_mailroom(), sealed("hello")
    assert mailroom.open(event, stored=False) is not None
    assert mailroom.open(event, stored=False) is None


def test_a_spectator_hears_of_his_game_and_of_no_other() -> None:
    game = an_event(20302, FEN, ("d", GAME), ("p", BOB.pubkey), ("p", EVE.pubkey))
    assert isinstance(opened(game, watched=GAME), StateClaim)
    assert opened(game, watched="f" * 32) is None


def test_a_line_addressed_to_somebody_else_is_not_ours_though_we_could_read_it() -> None:
    event = sealed("hello")
    elsewhere = an_event(20305, event.content, ("d", GAME), ("p", EVE.pubkey), author=BOB)
    assert opened(elsewhere) is None


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
        ((), None),
    ],
)
def test_a_record_tells_what_became_of_the_ratings(
    tags: tuple[tuple[str, ...], ...], ratings: object
) -> None:
    record = opened(an_event(64, "1. e4 *", ("d", GAME), *PLAYERS, *tags))
    assert isinstance(record, GameRecord)
    assert record.ratings == ratings


def test_a_profile_is_its_owner_s_word_and_a_rating_the_arbiter_s() -> None:
    profile = an_event(0, '{"name": "Bob"}', author=BOB)
    assert opened(profile, stored=True) == Profile(BOB.pubkey, "Bob", 1_800_000_000)
    assert opened(replace(profile, content='{"name": "Eve"}')) is None
    assert opened(replace(profile, pubkey=EVE.pubkey)) is None
    tags = (("d", f"blitz:{BOB.pubkey}"), ("p", BOB.pubkey), ("rating", "1523", "80"))
    rating = Rating(BOB.pubkey, "blitz", 1523, False, 1_800_000_000)
    assert opened(an_event(30300, "", *tags), stored=True) == rating
    assert opened(an_event(30300, "", *tags, author=BOB)) is None
    assert opened(replace(an_event(30300, "", *tags), tags=tags[:2])) is None
