import re
from dataclasses import replace

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.application.play.state_tags import CHECKED_SECONDS, SKEW_SECONDS
from arbiter.core.commands import PlayMove
from arbiter.core.game import BLACK, WHITE, Game
from arbiter.core.replies import MovePlayed
from arbiter.core.terms import OPEN, Terms, flaw
from arbiter.dialects.base import (
    AnswerChallenge,
    CancelRequests,
    GameCommand,
    NoSuchGame,
    QueryStatus,
    ReplyContext,
    RequestToPlay,
)
from arbiter.dialects.native import DIALECT, encode, state
from arbiter.nostr.event import EventTemplate, event_to_json
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after, an_event

GAME = a_game()
STATE_ID = "5" * 64
AT = NOW_MS // 1000
V2_TAGS = (("d", GAME.id), ("p", SERVER.pubkey), ("p", ALICE.pubkey), ("p", BOB.pubkey))
BOTH = ReplyContext(
    colors=frozenset({WHITE, BLACK}),
    event_key="c" * 64,
    at=AT,
    answered_at=AT,
    server=SERVER.pubkey,
)
LONG = replace(GAME, moves=after(GAME, "Nf3 Nf6 Ng1 Ng8").moves * 501)


def event_bytes(game: Game) -> bytes:
    return repr(event_to_json(SERVER.sign(state(game, AT, SERVER.pubkey)))).encode()


@pytest.mark.parametrize("promoted", "qrbn")
def test_a_state_spells_every_move_as_python_chess_does(promoted: str) -> None:
    game = after(GAME, f"a2a4 h7h6 a4a5 h6h5 a5a6 h5h4 a6b7 h4h3 b7a8{promoted} g8f6")

    (moves,) = (tag[1:] for tag in state(game, AT, SERVER.pubkey).tags if tag[0] == "moves")

    assert moves == tuple(move.uci() for move in game.moves)
    assert f"b7a8{promoted}" in moves


TERMS_TAGS = ["time", "mode", "color", "rating", "variant", "start", "bot", "bots", "challenge"]
NAMES = st.one_of(st.sampled_from(TERMS_TAGS), st.text(max_size=70))
TAGS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map(tuple), max_size=5).map(tuple)


@given(st.text(), TAGS)
@example("state", (("mode", "x" * 60_000), ("time", "180+2" * 1000)))
def test_anything_is_read_as_something(content: str, tags: tuple[tuple[str, ...], ...]) -> None:
    said = DIALECT.decode(an_event(ALICE, 20303, content, V2_TAGS), NOW_MS, SERVER.pubkey)
    tagged = DIALECT.decode(an_event(ALICE, 20303, "e2e4", tags), NOW_MS, SERVER.pubkey)
    asked = DIALECT.decode(an_event(ALICE, 20300, content, tags), NOW_MS, SERVER.pubkey)

    assert isinstance(said, GameCommand)
    is_move = bool(re.fullmatch("[a-h][1-8][a-h][1-8][QRBNqrbn]?", content))
    assert isinstance(said.command, PlayMove) == is_move
    assert isinstance(tagged, GameCommand | NoSuchGame)
    assert isinstance(asked, RequestToPlay | CancelRequests | AnswerChallenge | QueryStatus)


@pytest.mark.parametrize(
    ("terms", "tag"),
    [
        (Terms(rated=True), "mode"),
        (Terms(rating_range=(1800, 1400)), "rating"),
        (Terms(start_fen=chess.STARTING_FEN), "start"),
        (Terms(start_fen="no position", opponent=OPEN), "start"),
        (Terms(start_fen="8/8/8/8/8/8/8/8 w - - 0 1", opponent=OPEN), "start"),
    ],
)
def test_terms_that_contradict_themselves_name_the_tag_too(terms: Terms, tag: str) -> None:
    assert str(flaw(terms)).startswith(f"{tag}: ")


def test_a_client_that_reads_our_state_and_answers_it_is_understood() -> None:
    game = after(a_game(), "e4")
    (shown,) = encode(MovePlayed(game), BOTH)
    assert isinstance(shown, EventTemplate)
    event = SERVER.sign(shown)
    tags = (("e", event.id), *event.tags[:3], ("p", SERVER.pubkey))

    heard = DIALECT.decode(an_event(ALICE, 20303, "e7e5", tags), NOW_MS, SERVER.pubkey)

    assert isinstance(heard, GameCommand)
    assert (heard.game_id, heard.state_id) == (game.id, event.id)
    assert DIALECT.shows(game, event.id, SERVER.pubkey, [AT - 1, AT])


def test_the_longest_state_is_compared_with_every_date_of_an_hour_and_not_with_many_more() -> None:
    """The cost of a bogus e tag is bounded in bytes, and a move that is not stale must not become
    so because a date was left out.
    """
    longest = replace(LONG, moves=LONG.moves[:2000])
    dates = iter(range(40_000))

    assert not DIALECT.shows(longest, STATE_ID, SERVER.pubkey, dates)

    tried = next(dates)
    assert CHECKED_SECONDS + 2 * SKEW_SECONDS < tried < 100_000_000 / len(event_bytes(longest))
