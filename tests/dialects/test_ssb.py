"""Scuttlebutt's chess, against everything that could stand in an envelope."""

import base64
import string
from dataclasses import replace
from itertools import product
from typing import Any

import chess
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from arbiter.core.commands import Ends, OfferKind, PlayMove
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Termination
from arbiter.core.replies import (
    GameChanged,
    GameEnded,
    GameStarted,
    MovePlayed,
    RematchAgreed,
    StateShown,
)
from arbiter.dialects.base import NoSuchGame, PreviousResult, SlotCommand
from arbiter.dialects.outgoing import SsbMessage
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.dialects.ssb.decode import DIALECT, decode
from arbiter.dialects.ssb.encode import encode
from arbiter.dialects.ssb.messages import (
    ENVELOPE,
    MAX_FEN_CHARS,
    MAX_PLY,
    digits_of,
    envelope_text,
    is_feed,
    is_message,
    key_of,
    read_content,
    read_envelope,
)
from tests.builders import BRIDGE, NOW_MS, SERVER, after, an_event
from tests.dialects.ssb_cases import (
    AS_BLACK,
    GAME,
    JUDGED,
    MATED,
    MOVE,
    MOVED,
    OF_TWO,
    RESIGNED,
    ROOT,
    SUE,
    TO_US,
    TOM,
    hosted,
    told,
)
from tests.envelopes import US, Content, a_message, an_envelope


def test_a_message_is_remembered_by_its_key_however_often_it_is_heard() -> None:
    envelopes = [
        an_envelope(SUE, a_message("move"), MOVE, (ROOT, SUE, TO_US), at=at)
        for at in (1_800_000_000, 1_800_000_060)
    ]

    assert envelopes[0].id != envelopes[1].id
    assert {DIALECT.wire.event_key(envelope) for envelope in envelopes} == {
        digits_of(a_message("move"))
    }
    assert key_of(digits_of(a_message("move"))) == a_message("move")


def test_no_two_things_that_are_said_have_one_id() -> None:
    offered = replace(OF_TWO, offer=Offer(OfferKind.DRAW, BLACK), black_offered_at=1)
    over = replace(OF_TWO, outcome=Outcome(Termination.RESIGNATION, BLACK))
    replies = (
        *(GameStarted(OF_TWO), GameChanged(offered), MovePlayed(after(OF_TWO, "e4 e5"))),
        *(GameEnded(over), GameEnded(replace(MATED, black=OF_TWO.black))),
    )
    said = [one for it in replies for one in encode(it, told(OF_TWO, hosted(MOVE)))]

    assert len(said) > len(replies)
    assert len({one.id for one in said}) == len({(one.id, str(one.content)) for one in said})
    assert not DIALECT.shows(GAME, "ab" * 32, SERVER.pubkey, [NOW_MS])


@pytest.mark.parametrize(
    "text",
    [
        *(SUE[1:], f"@{SUE}", SUE.replace(".ed25519", ".ed25518"), SUE + "\n", "", None, 7, [SUE]),
        *(f"@{'A' * 42}B=.ed25519", f"@{'A' * 44}.ed25519", f"@{'A' * 43}=.sha256"),
        f"@{'-' * 43}=.ed25519",
    ],
)
def test_what_is_nearly_a_feed_is_none(text: object) -> None:
    """``AAAA…B=`` decodes to the same bytes as ``AAAA…A=``: one key has one spelling."""
    assert is_feed(SUE)
    assert not is_feed(text)
    assert not is_message(text)


def test_a_key_has_the_one_spelling_in_which_base64_writes_it() -> None:
    digits = string.ascii_letters + string.digits + "+/"
    keys = {f"{SUE[1:43]}{last}=" for last in digits}
    written = {key for key in keys if base64.b64encode(base64.b64decode(key)).decode() == key}

    assert len(written) == 16
    assert {key for key in keys if is_feed(f"@{key}.ed25519")} == written
    assert {key for key in keys if is_message(f"%{key}.sha256")} == written


ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda parts: (
        st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=6), parts, max_size=3)
    ),
    max_leaves=5,
)
_KINDS = ("invite", "invite_accept", "move", "game_end", "chat")
TYPES = st.sampled_from([f"{ssb}chess_{name}" for ssb in ("", "ssb_") for name in _KINDS])
_VALUES = (
    *(SUE, US, ROOT, "white", "black", "e2", "e4", "e7", "mate", "draw", "resigned", "q"),
    *("e8=Q#", 1, 2, True),
)
PLAUSIBLE = ANY_JSON | st.sampled_from(_VALUES)
NAMES = (
    *("inviting", "myColor", "root", "branch", "text", "msg", "status", "winner"),
    *("ply", "orig", "dest", "pgnMove", "fen", "promotion"),
)
FIELDS = st.dictionaries(st.sampled_from(NAMES), PLAUSIBLE)


@given(TYPES | ANY_JSON, FIELDS, st.sampled_from([SUE, US, a_message("no feed")]), st.booleans())
def test_whatever_a_stranger_writes_is_read_as_something(
    kind: object,
    fields: Content,
    author: str,
    private: bool,  # noqa: FBT001
) -> None:
    content = {"type": kind, **fields}

    heard = decode(hosted(content, author, is_private=private), NOW_MS)

    assert isinstance(heard, NoSuchGame) == (not is_feed(author))
    assert decode(an_envelope(author, ROOT, content), NOW_MS) is not None
    if isinstance(heard, SlotCommand) and isinstance(heard.command, PlayMove):
        assert type(heard.command.ply) is int
        assert chess.Move.from_uci(heard.command.uci)


@given(st.text() | ANY_JSON.map(envelope_text))  # type: ignore[arg-type]
def test_whatever_our_bridge_could_sign_is_a_letter_or_none(text: str) -> None:
    event = an_event(BRIDGE, ENVELOPE, text, (("p", SERVER.pubkey),))

    assert isinstance(decode(event, NOW_MS), NoSuchGame) == (read_envelope(event) is None)
    assert DIALECT.wire.event_key(event)


def at_random(dice: Any, plies: int) -> Game:
    """AS_BLACK after so many random moves, promotions first."""
    game = AS_BLACK
    for _ in range(plies):
        moves = sorted(game.board().legal_moves, key=lambda move: move.uci())
        if not moves:
            break
        promotions = [move for move in moves if move.promotion]
        game = game.after(dice.choice(promotions or moves), NOW_MS, None)
    return game


@given(st.randoms(use_true_random=False), st.integers(1, 120))
def test_what_is_said_of_a_move_is_heard_as_that_move(dice: Any, plies: int) -> None:
    game = at_random(dice, plies)
    if game.turn == WHITE:
        game = replace(game, moves=game.moves[:-1], cached_board=None)
    if not game.moves:
        return
    board = game.board()
    ended = board.outcome()
    reply = MovePlayed(game)
    if ended is not None:
        is_mate = board.is_checkmate()
        kind = Termination.CHECKMATE if is_mate else Termination.STALEMATE
        reply = GameEnded(replace(game, outcome=Outcome(kind, ended.winner)))  # type: ignore[assignment]

    said = encode(reply, told(AS_BLACK))[-1]
    heard = decode(hosted(dict(said.content)), NOW_MS)

    assert isinstance(heard, SlotCommand)
    command = heard.command
    assert isinstance(command, PlayMove)
    assert (command.uci, command.ply) == (game.moves[-1].uci(), game.ply)
    assert command.claims is not None
    assert command.claims.fen == board.fen()
    is_mate = board.is_checkmate()
    assert command.ends is (None if ended is None else Ends.CHECKMATE if is_mate else Ends.DRAW)


COLORS = st.sampled_from([WHITE, BLACK])
OUTCOMES = st.none() | st.builds(Outcome, st.sampled_from(Termination), st.none() | COLORS)
OFFERS = st.none() | st.builds(Offer, st.sampled_from(OfferKind), COLORS)


BY_A_MOVE = {*Termination} - {
    *(Termination.THREEFOLD_REPETITION, Termination.FIFTY_MOVES, Termination.AGREEMENT),
    *(Termination.RESIGNATION, Termination.TIMEOUT, Termination.ILLEGAL_MOVES),
    Termination.ABORTED,
}


@given(
    st.sampled_from([GAME, MOVED, MATED, OF_TWO, JUDGED]),
    st.sampled_from([GameStarted, MovePlayed, GameChanged, RematchAgreed, GameEnded]),
    OUTCOMES,
    OFFERS,
    st.sampled_from([None, hosted(MOVE), hosted(RESIGNED)]),
)
@example(JUDGED, GameEnded, None, None, None)
def test_every_reply_about_every_game_is_said_or_passed_over(
    game: Game, reply: Any, outcome: Outcome | None, offer: Offer | None, heard: Any
) -> None:
    # What a move ended has one.
    assume(game.moves or outcome is None or outcome.termination not in BY_A_MOVE)
    shown = replace(game, outcome=outcome, offer=offer)

    said = (*encode(reply(shown), told(game, heard)), *encode(StateShown(shown, WHITE), told(game)))

    assert {type(one) for one in said} <= {SsbMessage}
    assert [it for it in said if it.content["root"] != it.root or "branch" in it.content] == []
    if game is JUDGED:
        assert len(said) == int(reply is GameEnded and outcome is not None)


END: Content = {"type": "chess_game_end", "root": ROOT}
_NO_PLY = "ply is the number of half-moves with this one"
_NO_SQUARES = "orig and dest are squares, a1 to h8"
_NO_END, _NO_WINNER = "status is mate, draw or resigned", "winner is the id of a feed"
WRONG: list[tuple[Content, Content, str]] = [
    *((TO_US, {"inviting": it}, "inviting") for it in ("no feed", ROOT, None, 7)),
    *((TO_US, {"myColor": it}, "myColor") for it in ("grey", ["white"])),
    (TO_US, {"root": "nowhere"}, "root"),
    *((END, {"status": it}, _NO_END) for it in ("outoftime", "", None, 1, ["draw"])),
    # Half a move makes no draw by agreement.
    *((END, {"status": "draw", it: "e2"}, _NO_SQUARES) for it in ("orig", "dest")),
    *((END, {"status": "resigned", "winner": it}, _NO_WINNER) for it in ("sue", "", 1, ROOT)),
    *((MOVE, {"type": it}, "not a message of ssb-chess") for it in ("post", None)),
    *((MOVE, it, _NO_SQUARES) for it in ({"orig": "e9"}, {"dest": 4})),
    *((MOVE, {"ply": it}, _NO_PLY) for it in (0, MAX_PLY + 1, True, 1.0, "1")),
    (MOVE, {"promotion": "k"}, "promotion is q, r, b or n"),
    *((MOVE, {"pgnMove": it}, "pgnMove is a move as PGN writes it") for it in (4, "e4\n")),
    *((MOVE, {"fen": it}, "fen is a position") for it in ("8" * (MAX_FEN_CHARS + 1), 8, "\u2654")),
]


@pytest.mark.parametrize(("content", "wrong", "text"), WRONG)
def test_what_cannot_be_read_is_told_what_is_wrong(
    content: Content, wrong: Content, text: str
) -> None:
    read = read_content({**content, **wrong})

    assert isinstance(read, str)
    assert read.startswith(text)
    for most in ({"ply": MAX_PLY}, {"fen": "8" * MAX_FEN_CHARS}):
        assert not isinstance(read_content({**MOVE, **most}), str)


def test_a_letter_names_a_message_and_an_invitation_by_their_keys() -> None:
    key, no_key, invite = a_message("move"), "%no key.sha256", (ROOT, SUE, TO_US)
    red = {**TO_US, "myColor": "red"}

    assert read_envelope(an_envelope(SUE, key, MOVE, invite)) is not None
    assert read_envelope(an_envelope(SUE, no_key, MOVE, invite)) is None
    for none in (
        (no_key, SUE, TO_US),
        (ROOT, SUE, {**red, "type": "chess_move"}),
        (ROOT, SUE, {**red, "inviting": "no feed"}),
    ):
        assert read_envelope(an_envelope(SUE, key, MOVE, none)) is None
    text = hosted(MOVE).content
    assert read_envelope(an_event(BRIDGE, ENVELOPE, text)) is not None
    assert read_envelope(an_event(BRIDGE, 1, text)) is None


def test_a_player_has_one_place_in_the_lobby_for_each_invitation() -> None:
    """Of whatever role and colour they are there."""
    roots = (ROOT, a_message("another game"))
    seats = [seat_of(SERVER.pubkey, *of) for of in product((SUE, TOM), roots, Role, (WHITE, BLACK))]

    assert len({DIALECT.wire.slot(seat) for seat in seats}) == 4


def test_a_game_is_shown_again_to_its_player_here_who_is_heard_again_and_to_no_other() -> None:
    """Sue is told; who plays on another wire is not, nor those who are only judged."""
    again = told(GAME, hosted(MOVE), previous=PreviousResult.ACCEPTED)
    answered, judged = after(GAME, "e4 e5"), after(JUDGED, "e4 e5")

    assert encode(StateShown(answered, WHITE), again)
    assert encode(StateShown(answered, WHITE), replace(again, previous=None)) == ()
    # Her own first move, which waited until now, answers none of the opponent's.
    assert encode(MovePlayed(after(GAME, "e4")), told(GAME)) == ()
    for game, color in ((answered, BLACK), (answered, None), (judged, WHITE)):
        assert encode(StateShown(game, color), again) == ()


def test_both_are_told_a_move_when_it_brings_about_the_answer_that_waited_for_it() -> None:
    """Tom's answer came before Sue's move: her envelope is heard, and both are on the board."""
    said = encode(MovePlayed(after(OF_TWO, "e4 e5")), told(OF_TWO, hosted(MOVE)))

    moves = [one for one in said if one.content["type"] == "chess_move"]
    found = {one.root: (one.content["ply"], one.content["orig"]) for one in moves}
    assert found == {ROOT: (2, "e7"), OF_TWO.black.address.split(" ")[1]: (1, "e2")}


@pytest.mark.parametrize("color", [WHITE, BLACK])
def test_a_rematch_is_passed_on_with_the_colour_that_was_wished(color: bool) -> None:  # noqa: FBT001
    over = replace(OF_TWO, outcome=Outcome(Termination.AGREEMENT, None))
    wished = seat_of(SERVER.pubkey, TOM, a_message("another game"), Role.HOST, color)
    offer = Offer(OfferKind.REMATCH, BLACK, wished.address)

    (said,) = encode(GameChanged(replace(over, offer=offer)), told(over))

    assert said.content["type"] == "chess_invite"
    assert said.content["myColor"] == ("white" if color else "black")
