"""Scuttlebutt's chess, against its golden files and against everything that could stand in a
letter.
"""

import base64
import string
from dataclasses import replace
from typing import Any

import chess
import pytest
from hypothesis import assume, given
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
from arbiter.dialects.base import (
    NoSuchGame,
    PreviousResult,
    SlotCommand,
    SsbMessage,
)
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.dialects.ssb.decode import DIALECT, decode
from arbiter.dialects.ssb.encode import encode
from arbiter.dialects.ssb.messages import (
    ENVELOPE,
    MAX_FEN_CHARS,
    MAX_PLY,
    Move,
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
    DECODED,
    ENCODED,
    GAME,
    JUDGED,
    MATED,
    MOVE,
    MOVED,
    OF_TWO,
    ROOT,
    SUE,
    TO_US,
    TOM,
    hosted,
    told,
)
from tests.letters import US, Content, a_letter, a_message


def test_a_message_is_remembered_by_its_key_however_often_it_is_heard() -> None:
    letters = [
        a_letter(SUE, a_message("move"), MOVE, (ROOT, SUE, TO_US), at=at)
        for at in (1_800_000_000, 1_800_000_060)
    ]

    assert letters[0].id != letters[1].id
    assert {DIALECT.event_key(letter) for letter in letters} == {digits_of(a_message("move"))}
    assert key_of(digits_of(a_message("move"))) == a_message("move")


def test_no_two_things_that_are_said_have_one_id() -> None:
    said = [
        one
        for _, replies, telling in ENCODED.values()
        for r in replies
        for one in encode(r, telling)
    ]
    by_id: dict[str, set[str]] = {}
    for one in said:
        by_id.setdefault(one.id, set()).add(str(one.content.get("type")))

    assert [types for types in by_id.values() if len(types) != 1] == []


def test_nothing_names_a_state() -> None:
    assert not DIALECT.shows(GAME, "ab" * 32, SERVER.pubkey, [NOW_MS])


@pytest.mark.parametrize(
    "text",
    [
        SUE[1:],
        f"@{SUE}",
        SUE.replace(".ed25519", ".ed25518"),
        SUE + "\n",
        f"@{'A' * 42}B=.ed25519",
        f"@{'A' * 44}.ed25519",
        f"@{'A' * 43}=.sha256",
        f"@{'-' * 43}=.ed25519",
        "",
        None,
        7,
        [SUE],
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
TYPES = st.sampled_from(
    [
        f"{ssb}chess_{name}"
        for ssb in ("", "ssb_")
        for name in ("invite", "invite_accept", "move", "game_end", "chat")
    ]
)
PLAUSIBLE = st.one_of(
    ANY_JSON,
    st.sampled_from(
        [
            SUE,
            US,
            ROOT,
            "white",
            "black",
            "e2",
            "e4",
            "e7",
            "mate",
            "draw",
            "resigned",
            "q",
            "e8=Q#",
            1,
            2,
            True,
        ]
    ),
)
NAMES = (
    *("inviting", "myColor", "root", "branch", "text", "msg", "status", "winner"),
    *("ply", "orig", "dest", "pgnMove", "fen", "promotion"),
)
FIELDS = st.dictionaries(st.sampled_from(NAMES), PLAUSIBLE)


@given(
    TYPES | ANY_JSON,
    FIELDS,
    st.sampled_from([SUE, US, a_message("no feed")]),
    st.sampled_from([0, 1]),
)
def test_whatever_a_stranger_writes_is_heard_as_something(
    kind: object, fields: Content, author: str, private: int
) -> None:
    content = {"type": kind, **fields}

    heard = decode(hosted(content, author, is_private=bool(private)), NOW_MS)
    own = decode(a_letter(author, ROOT, content), NOW_MS)

    assert isinstance(heard, NoSuchGame) == (not is_feed(author))
    assert own is not None
    read = read_content(content)
    if not isinstance(read, str) and isinstance(heard, SlotCommand):
        command = heard.command
        if isinstance(command, PlayMove):
            assert type(command.ply) is int
            assert chess.Move.from_uci(command.uci)


@given(st.text() | ANY_JSON.map(envelope_text))  # type: ignore[arg-type]
def test_whatever_our_bridge_could_sign_is_a_letter_or_none(text: str) -> None:
    event = an_event(BRIDGE, ENVELOPE, text, (("p", SERVER.pubkey),))

    assert isinstance(decode(event, NOW_MS), NoSuchGame) == (read_envelope(event) is None)
    assert DIALECT.event_key(event)


def at_random(dice: Any, plies: int) -> Game:
    """AS_BLACK after so many random moves, promotions first."""
    game = AS_BLACK
    for _ in range(plies):
        moves = sorted(game.board().legal_moves, key=lambda move: move.uci())
        if not moves:
            break
        promotions = [move for move in moves if move.promotion]
        game = game.after(dice.choice(promotions or moves), NOW_MS)
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


BY_A_MOVE = {
    Termination.CHECKMATE,
    Termination.STALEMATE,
    Termination.INSUFFICIENT_MATERIAL,
    Termination.FIVEFOLD_REPETITION,
    Termination.SEVENTYFIVE_MOVES,
}
COLORS = st.sampled_from([WHITE, BLACK])
OUTCOMES = st.none() | st.builds(Outcome, st.sampled_from(Termination), st.none() | COLORS)
OFFERS = st.none() | st.builds(Offer, st.sampled_from(OfferKind), COLORS)


@given(
    st.sampled_from([GAME, MOVED, MATED, OF_TWO, JUDGED]),
    st.sampled_from([GameStarted, MovePlayed, GameChanged, RematchAgreed, GameEnded]),
    OUTCOMES,
    OFFERS,
    st.sampled_from([None, hosted(MOVE), DECODED["resigned"][1]]),
)
def test_every_reply_about_every_game_is_said_or_passed_over(
    game: Game, reply: Any, outcome: Outcome | None, offer: Offer | None, heard: Any
) -> None:
    # What a move ended has one.
    assume(game.moves or outcome is None or outcome.termination not in BY_A_MOVE)
    shown = replace(game, outcome=outcome, offer=offer)

    said = (*encode(reply(shown), told(game, heard)), *encode(StateShown(shown, WHITE), told(game)))

    assert {type(one) for one in said} <= {SsbMessage}
    assert [one for one in said if one.content["root"] != one.root] == []
    assert [one for one in said if "branch" in one.content] == []
    if game is JUDGED:
        is_over = reply is GameEnded and outcome is not None
        assert len(said) == int(is_over)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"inviting": "nobody"}, "inviting"),
        ({"inviting": ROOT}, "inviting"),
        ({"inviting": None}, "inviting"),
        ({"inviting": 7}, "inviting"),
        ({"myColor": "grey"}, "myColor"),
        ({"myColor": ["white"]}, "myColor"),
        ({"root": "nowhere"}, "root"),
    ],
)
def test_an_invitation_that_cannot_be_read_is_told_what_is_wrong(
    wrong: Content, named: str
) -> None:
    text = read_content({**TO_US, **wrong})

    assert isinstance(text, str)
    assert text.startswith(named)


@pytest.mark.parametrize("status", ["outoftime", "", None, 1, ["draw"]])
def test_an_end_that_is_none_of_the_three_is_told_so(status: object) -> None:
    text = read_content({"type": "chess_game_end", "root": ROOT, "status": status})

    assert text == "status is mate, draw or resigned"


@pytest.mark.parametrize("name", ["orig", "dest"])
def test_an_end_with_half_a_move_is_no_draw_by_agreement(name: str) -> None:
    content = {"type": "chess_game_end", "root": ROOT, "status": "draw", name: "e2"}

    assert read_content(content) == "orig and dest are squares, a1 to h8"


@pytest.mark.parametrize("winner", ["somebody", "", 1, ROOT])
def test_a_winner_is_a_feed(winner: object) -> None:
    content = {"type": "chess_game_end", "root": ROOT, "status": "resigned", "winner": winner}

    assert read_content(content) == "winner is the id of a feed"


@pytest.mark.parametrize("wrong", [{"type": "chess_move"}, {"inviting": "nobody"}])
def test_a_letter_of_a_game_that_nobody_was_invited_to_is_none(wrong: Content) -> None:
    invited = {**TO_US, "myColor": "red", **wrong}

    assert read_envelope(a_letter(SUE, a_message("move"), MOVE, (ROOT, SUE, invited))) is None


def test_a_letter_names_a_message_and_an_invitation_by_their_keys() -> None:
    key, no_key = a_message("move"), "%no key.sha256"

    assert read_envelope(a_letter(SUE, key, MOVE, (ROOT, SUE, TO_US))) is not None
    assert read_envelope(a_letter(SUE, no_key, MOVE, (ROOT, SUE, TO_US))) is None
    assert read_envelope(a_letter(SUE, key, MOVE, (no_key, SUE, TO_US))) is None


def test_a_player_has_one_place_in_the_lobby_for_each_invitation() -> None:
    """Whoever he is to the game, and whichever colour he has there."""
    other = a_message("another game")
    seats = [
        seat_of(SERVER.pubkey, feed, root, role, color)
        for feed in (SUE, TOM)
        for root in (ROOT, other)
        for role in Role
        for color in (WHITE, BLACK)
    ]

    assert len({DIALECT.slot(seat) for seat in seats}) == 4


def test_what_looks_like_a_letter_is_none_in_an_event_of_another_kind() -> None:
    text = hosted(MOVE).content

    assert read_envelope(an_event(BRIDGE, ENVELOPE, text)) is not None
    assert read_envelope(an_event(BRIDGE, 1, text)) is None


def test_a_letter_is_ascii_whatever_it_says() -> None:
    assert envelope_text({"text": "né ♞"}) == '{"text":"n\\u00e9 \\u265e"}'


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"type": "post"}, "not a message of ssb-chess"),
        ({"type": None}, "not a message of ssb-chess"),
        ({"orig": "e9"}, "orig and dest are squares, a1 to h8"),
        ({"dest": 4}, "orig and dest are squares, a1 to h8"),
        ({"ply": 0}, "ply is the number of half-moves with this one"),
        ({"ply": MAX_PLY + 1}, "ply is the number of half-moves with this one"),
        ({"ply": True}, "ply is the number of half-moves with this one"),
        ({"promotion": "k"}, "promotion is q, r, b or n"),
        ({"pgnMove": 4}, "pgnMove is a move as PGN writes it"),
        ({"fen": "8" * (MAX_FEN_CHARS + 1)}, "fen is a position"),
        ({"fen": 8}, "fen is a position"),
        ({"fen": "\N{WHITE CHESS KING}"}, "fen is a position"),
        ({"pgnMove": "e4\n"}, "pgnMove is a move as PGN writes it"),
    ],
)
def test_a_move_that_cannot_be_read_is_told_what_is_wrong(wrong: Content, text: str) -> None:
    assert read_content({**MOVE, **wrong}) == text


def test_a_pawn_becomes_what_one_of_four_letters_says() -> None:
    letters = {
        letter: read_content({**MOVE, "promotion": letter}) for letter in string.ascii_letters
    }

    moves = {letter for letter, read in letters.items() if isinstance(read, Move)}
    assert moves == {"q", "r", "b", "n"}


@pytest.mark.parametrize("more", [{"ply": MAX_PLY}, {"fen": "8" * MAX_FEN_CHARS}])
def test_the_most_that_a_move_may_say_is_read(more: Content) -> None:
    assert not isinstance(read_content({**MOVE, **more}), str)


def test_a_game_is_shown_again_to_whoever_is_told_here_and_to_nobody_else() -> None:
    """Sue is told; who sits at another wire is not, nor those who are only judged."""
    again = told(GAME, hosted(MOVE), previous=PreviousResult.ACCEPTED)

    assert encode(StateShown(after(GAME, "e4 e5"), WHITE), again)
    assert encode(StateShown(after(GAME, "e4 e5"), BLACK), again) == ()
    assert encode(StateShown(after(JUDGED, "e4 e5"), WHITE), again) == ()


@pytest.mark.parametrize("color", [WHITE, BLACK])
def test_a_rematch_is_passed_on_with_the_colour_that_was_wished(color: bool) -> None:  # noqa: FBT001
    over = replace(OF_TWO, outcome=Outcome(Termination.AGREEMENT, None))
    wished = seat_of(SERVER.pubkey, TOM, a_message("another game"), Role.HOST, color)
    offer = Offer(OfferKind.REMATCH, BLACK, wished.address)

    (said,) = encode(GameChanged(replace(over, offer=offer)), told(over))

    assert said.content["type"] == "chess_invite"
    assert said.content["myColor"] == ("white" if color else "black")
