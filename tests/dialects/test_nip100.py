"""The NIP-100 draft, against everything that could be said."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from arbiter.application.reply.send import frame_text
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.replies import (
    Cancelled,
    Challenged,
    GameChanged,
    GameEnded,
    GameStarted,
    MovePlayed,
    Queued,
    Reason,
    Rejected,
    RematchAgreed,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.core.seeks import Challenge, Seek
from arbiter.dialects.base import PreviousResult, ReplyContext
from arbiter.dialects.nip100 import DIALECT, acknowledge, decode, encode
from arbiter.dialects.outgoing import SocketEvent
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.relay_messages import OkMessage, OkPrefix, ok_prefix
from tests.builders import ALICE, EVE, NOW_MS, SERVER
from tests.dialects.golden import events
from tests.dialects.nip100_cases import AT, GAME, MATE, MOVE, MOVED, because
from tests.nostr.strategies import seckeys, tags, texts


def test_nothing_names_a_state_and_a_seat_of_before_dates_were_kept_has_the_oldest() -> None:
    assert not DIALECT.shows(GAME, MOVE.id, SERVER.pubkey, [AT])
    assert DIALECT.socket
    assert DIALECT.socket.asked_at(Seat(ALICE.pubkey, "nip100", "a request")) == 0
    assert (
        DIALECT.socket.asked_at(Seat(ALICE.pubkey, "nip100", "a request@1800000000"))
        == 1_800_000_000
    )


@given(st.sampled_from(sorted(DIALECT.kinds)), seckeys, tags, texts, st.integers(0, 2**62))
def test_whatever_is_signed_is_heard_as_something(
    kind: int, key: SecretKey, its_tags: tuple[tuple[str, ...], ...], content: str, at_ms: int
) -> None:
    event = key.sign(EventTemplate(kind, its_tags, content, NOW_MS // 1000))

    decoded = decode(event, at_ms)
    (verdict,) = acknowledge((StateShown(GAME, WHITE),), because(event))

    assert decoded is not None
    assert isinstance(verdict.content, OkMessage)
    encode(StateShown(MATE, WHITE), because(event))


DIALECTS = st.sampled_from(["nip100", "native"])
COLORS = st.sampled_from([WHITE, BLACK])
OUTCOMES = st.one_of(
    st.none(), st.builds(Outcome, st.sampled_from(Termination), st.none() | COLORS)
)
OFFERS = st.none() | st.builds(Offer, st.sampled_from(OfferKind), COLORS)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game at any moment, of one wire or two; not all of them could come about."""
    game = replace(draw(st.sampled_from([GAME, MOVED, MATE])), outcome=draw(OUTCOMES))
    event_keys = st.sampled_from([bytes.fromhex(MOVE.id)[:8], b"somebody"])
    return replace(
        game,
        offer=draw(OFFERS),
        white=replace(game.white, dialect=draw(DIALECTS)),
        black=replace(game.black, dialect=draw(DIALECTS)),
        applied_ids=tuple(draw(st.lists(event_keys, max_size=2))),
    )


SEATS = st.sampled_from([GAME.white, GAME.black, Seat(EVE.pubkey, "nip100", "e" * 64)])
REASONS = st.sampled_from(Reason)
REPLIES: st.SearchStrategy[Reply] = st.one_of(
    st.builds(Queued, SEATS, st.none() | st.just("ab" * 16)),
    st.builds(Challenged, SEATS, st.just(Challenge(Seek("ab" * 32, GAME.white, NOW_MS)))),
    st.builds(Cancelled, SEATS),
    st.builds(RequestRefused, SEATS, REASONS, texts),
    st.builds(GameStarted, games()),
    st.builds(StateShown, games(), st.none() | COLORS),
    st.builds(MovePlayed, games()),
    st.builds(GameChanged, games()),
    st.builds(RematchAgreed, games()),
    st.builds(GameEnded, games()),
    st.builds(Rejected, SEATS.map(lambda seat: seat.player), REASONS, texts, st.none() | games()),
)
TELLINGS = st.builds(
    ReplyContext,
    colors=st.frozensets(COLORS),
    event_key=st.just(MOVE.id),
    at=st.just(AT),
    answered_at=st.just(AT),
    event=st.none() | st.sampled_from([event for _, event in events("nip100").values()]),
    previous=st.none() | st.sampled_from(PreviousResult),
)


@given(st.lists(REPLIES, max_size=3).map(tuple), TELLINGS)
def test_every_reply_is_sent_only_to_those_it_is_for_and_an_event_gets_one_verdict(
    replies: tuple[Reply, ...], telling: ReplyContext
) -> None:
    told = {GAME.seat(color).player for color in telling.colors}
    for frame in (frame for reply in replies for frame in encode(reply, telling)):
        content = frame.content
        if isinstance(content, SocketEvent):
            assert frame.to is None or frame.to in told
            if isinstance(content.event, EventTemplate):
                content = replace(content, event=SERVER.sign(content.event))
        assert frame_text(content)
    verdicts = acknowledge(replies, telling)
    assert len(verdicts) == (telling.event is not None)
    for verdict in verdicts:
        assert verdict.to is None
        assert isinstance(verdict.content, OkMessage)
        text = verdict.content.text
        assert verdict.content.accepted or ok_prefix(text) is not OkPrefix.UNKNOWN
