"""H48 to H53: texts that are nearly moves, and words out of season."""

from collections.abc import Iterator
from functools import partial

import chess

from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Outcome, Termination
from tests.hostile.case import Case, a_word, bytes_of, once, sent, signed
from tests.hostile.stage import BEGUN_MS, CANARY, NOW_MS, RIVAL, Stage, a_game
from tests.nostr.hostile.case import PLAYER, STRANGER

_PAWNS = "7k/4P3/8/8/8/8/p7/7K w - - 0 1"
"""White has a pawn on e7, Black one on a2."""

_CASTLING = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"


def _from(fen: str) -> Stage:
    return Stage(game=a_game(start_fen=fen))


def _ended(termination: Termination, winner: chess.Color | None) -> Stage:
    return Stage(game=a_game(outcome=Outcome(termination, winner), ended_at_ms=BEGUN_MS))


def _timed() -> Stage:
    clocks = start_clocks(TimeControl(base_ms=180_000, increment_ms=2_000), BEGUN_MS)
    return Stage(game=a_game(clocks=clocks))


def null_moves() -> Iterator[Case]:
    """H48."""
    for content in ("0000", "--", "Z0", "@@@@", "", "pass", "null"):
        yield from sent(
            f"H48 the null move {content or 'of no letters'}",
            "python-chess would read it, and pass the turn",
            once(a_word(PLAYER, content)),
            "malformed",
        )
    for content in ("a1a1", "e2e2", "e4e4", "a1a8", "e1e8", "h8h1", "e2e5", "d1h5"):
        yield from sent(
            f"H48 the move {content}",
            "python-chess would push it unasked; it is not among the legal ones",
            once(a_word(PLAYER, content)),
            "illegal-move",
        )


def spellings() -> Iterator[Case]:
    """H49."""
    for name, content in (
        *((text, text) for text in ("O-O", "0-0", "o-o", "Ng1f3", "Nf3", "e4", "e2-e4", "e2xd3")),
        ("e2 e4", "e2 e4"),
        ("E2E4", "E2E4"),
        ("e2e4 and a newline", "e2e4\n"),
        ("a blank and e2e4", " e2e4"),
        ("e2e4 and a NUL", "e2e4\0"),
        ("e2e4 with a zero-width joiner", "e2\u200de4"),
        ("e2e4 with a Cyrillic letter", "\u0435" + "2e4"),
        ("e2e4 in full width", "\uff45\uff12\uff45\uff14"),
        ("e2e4 with Arabic digits", "e٢e٤"),
        ("e2e4 twice", "e2e4e2e4"),
        ("e2e4 with a comment", "e2e4 ; " + CANARY),
        ("e2e4 as JSON", '{"move":"e2e4"}'),
        ("e2e4 as PGN", "1. e4 e5 *"),
        ("an en passant mark", "e2e4 e.p."),
        ("a square beyond the board", "e2e9"),
        ("a file beyond the board", "i2i4"),
    ):
        yield from sent(
            f"H49 the spelling {name}",
            "a move is two squares and perhaps a piece; nothing is trimmed, folded or guessed",
            once(a_word(PLAYER, content)),
            "malformed",
        )
    for content in ("e1h1", "e1a1"):
        yield from sent(
            f"H49 castling as {content}",
            "an alias that python-chess knows: played, and stored as the king's own move",
            once(a_word(PLAYER, content)),
            "played",
            stage=partial(_from, _CASTLING),
            heeded=True,
        )


def lines_of_logs() -> Iterator[Case]:
    """H68."""
    for name, text in (
        ("a line of log", f'\n{{"status":"played","event":"{CANARY}"}}\n'),
        ("an escape sequence", f"\x1b]0;{CANARY}\x07\x1b[2J"),
        ("a thousand lines", f"{CANARY}\n" * 140),
        ("a format", "%s %(message)s {0.__class__} ${jndi:ldap://" + CANARY + "}"),
        ("a carriage return", f"e2e4\r{CANARY}"),
    ):
        yield from sent(
            f"H68 {name} for a move",
            "logs have its id and the reason",
            once(a_word(PLAYER, text)),
            "malformed",
        )
        yield from sent(
            f"H68 {name} in a tag",
            "logs have its id and the reason",
            once(a_word(PLAYER, "e2e5", ("client", text), (text[:64], "x"))),
            "illegal-move",
        )


def promotions() -> Iterator[Case]:
    """H50."""
    for content in ("e7e8", "e7d8q", "e7f8q", "h1h2q", "e7e7q"):
        yield from sent(
            f"H50 the promotion {content}",
            "not legal: without its piece, without its pawn, or without a capture",
            once(a_word(PLAYER, content)),
            "illegal-move",
            stage=partial(_from, _PAWNS),
        )
    for content in ("e7e8k", "e7e8K", "e7e8p", "e7e8P", "e7e8qq", "e7e8=Q", "e8=Q", "P@e4", "q"):
        yield from sent(
            f"H50 the promotion to {content}",
            "no pawn becomes that, or nobody spells it so",
            once(a_word(PLAYER, content)),
            "malformed",
            stage=partial(_from, _PAWNS),
        )


def after_the_end() -> Iterator[Case]:
    """H51, the first half."""
    ends = (
        (Termination.CHECKMATE, chess.BLACK),
        (Termination.TIMEOUT, chess.BLACK),
        (Termination.RESIGNATION, chess.BLACK),
        (Termination.AGREEMENT, None),
        (Termination.ABORTED, None),
    )
    for termination, winner in ends:
        for content in ("e2e4", "resign"):
            yield from sent(
                f"H51 {content} after an end by {termination}",
                "an end is for good",
                once(a_word(PLAYER, content)),
                "game-over",
                stage=partial(_ended, termination, winner),
            )
    for content in ("draw", "takeback", "claim", "flag", "abort", "quit", "draw-decline"):
        yield from sent(
            f"H51 {content} after the end",
            "an end is for good",
            once(a_word(PLAYER, content)),
            "game-over",
            stage=partial(_ended, Termination.RESIGNATION, chess.BLACK),
        )
    yield from sent(
        "H51 a rematch asked for by a spectator",
        "only those who played may play again",
        once(a_word(STRANGER, "rematch")),
        "not-a-player",
        stage=partial(_ended, Termination.RESIGNATION, chess.BLACK),
    )


def words_out_of_season() -> Iterator[Case]:
    """H51 to H53."""
    for content, answer, note in (
        ("draw-decline", "no-offer", "nobody offers one"),
        ("takeback-decline", "no-offer", "nobody asks for one"),
        ("rematch-decline", "no-offer", "nobody asks for one"),
        ("claim", "no-claim", "neither repetition nor fifty moves stand on the board"),
        ("rematch", "not-offered-here", "the game goes on"),
        ("takeback", "not-offered-here", "there is no move to take back"),
        ("flag", "time-left", "this game has no clock"),
        ("accept", "malformed", "no word of ours"),
        ("resign for black", "malformed", "nobody resigns for another"),
        ("RESIGN", "malformed", "signals are lower case"),
        ("resign ", "malformed", "nothing is trimmed"),
        ("draw-decline-decline", "malformed", "no word of ours"),
        ("-decline", "malformed", "no word of ours"),
    ):
        yield from sent(
            f"H51 {content!r} out of season", note, once(a_word(PLAYER, content)), answer
        )
    yield from sent(
        "H52 a flag called early",
        "time is the server's, and it is not up",
        once(a_word(RIVAL, "flag")),
        "time-left",
        stage=_timed,
    )
    yield from sent(
        "H52 a flag called early, dated late",
        "the date that a client writes moves no clock",
        once(a_word(RIVAL, "flag", at=NOW_MS // 1000 + 800)),
        "time-left",
        stage=_timed,
    )
    yield from sent(
        "H53 a draw offered twice",
        "an offer stands; and one in twenty plies is enough",
        lambda _: (a_word(PLAYER, "draw"), a_word(PLAYER, "draw", ("x", "again"))),
        "rate-limited",
        heeded=True,
    )
    yield from sent(
        "H53 a draw offered again after its refusal",
        "one in twenty plies is enough",
        lambda _: (
            a_word(PLAYER, "draw"),
            a_word(RIVAL, "draw-decline"),
            a_word(PLAYER, "draw", ("x", "again")),
        ),
        "rate-limited",
    )
    yield from sent(
        "H53 a draw offered, and accepted by the same",
        "to accept is to offer the same: but from the other side",
        lambda _: (a_word(PLAYER, "draw"), *(a_word(PLAYER, "draw", ("x", str(n))) for n in "123")),
        "rate-limited",
        heeded=True,
    )
    yield from sent(
        "H53 a takeback of the other's move",
        "there is nothing of his own to take back",
        lambda _: (a_word(PLAYER, "e2e4"), a_word(RIVAL, "takeback")),
        "not-offered-here",
        heeded=True,
    )


def by_socket_dialect() -> Iterator[Case]:
    """The same on the wire that names no game, and on which the socket is the player."""
    for kind, content in ((5001, "e2e4"), (5002, "offer"), (5003, "resign")):
        event = bytes_of(signed(PLAYER, kind, content))
        yield from sent(
            f"H43 kind {kind} from a socket that speaks for nobody",
            "whoever has seen such an event could say it again; a fresh connect comes first",
            once(event),
            "not-listened-kind",
            "refused-restricted",
        )
