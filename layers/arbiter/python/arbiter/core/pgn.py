"""A game as PGN in "export format" (PGN standard of 1994, §3.2), as NIP-64 asks."""

import re
from datetime import UTC, datetime
from itertools import islice

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Game, Termination, Variant
from arbiter.core.openings import LONGEST_PLIES, opening_of
from arbiter.core.ratings import Rating
from arbiter.core.spent_time import seconds_left

MAX_PLIES_WITH_CLOCKS = 1000
"""A longer game has no clock times: with them a ply takes some 40 bytes, and a note has 64 KiB."""

_ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")

_SAN = re.compile(r"(?<![^ \n])[NBRQKOa-h][^ \n{}]+")

_TERMINATION_TAG = {
    # PGN standard §9.8.1: the values of the Termination tag.
    Termination.ABORTED: "abandoned",
    Termination.LEFT: "abandoned",
    Termination.NO_SHOW: "abandoned",
    Termination.ILLEGAL_MOVES: "rules infraction",
    Termination.TIMEOUT: "time forfeit",
}


def pgn(
    game: Game,
    *,
    white: str,
    black: str,
    site: str,
    ratings: tuple[Rating, Rating] | None = None,
    addresses: tuple[str, str] | None = None,
) -> str:
    """The PGN text: seven tag roster, further tags, moves, with the time left after each where
    known; ``*`` for an unfinished game. ``ratings`` before the game, network ``addresses``, White's
    first.
    """
    # Imported when a game ends, not at a cold start: chess.pgn costs as much again as chess itself.
    import chess.pgn  # noqa: PLC0415

    started, place = datetime.fromtimestamp(game.created_at_ms / 1000, UTC), game.tournament
    record = chess.pgn.Game.from_board(game.board())
    headers = {
        "Event": _event_name(game),
        "Site": site,
        "Date": started.strftime("%Y.%m.%d"),
        "Round": f"{place.round}.{place.board}" if place else "-",
        "White": white,
        "Black": black,
        "Result": game.result,
        "PlyCount": str(game.ply),
        "Termination": "unterminated",
        "UTCDate": started.strftime("%Y.%m.%d"),
        "UTCTime": started.strftime("%H:%M:%S"),
    }
    if game.clocks:
        headers["TimeControl"] = _time_control(game.clocks.control)
    if game.variant is Variant.CHESS960:
        headers["Variant"] = "Chess960"
    if ratings:
        headers["WhiteElo"], headers["BlackElo"] = (str(round(one.value)) for one in ratings)
    if addresses:
        # PGN standard §9.1.3: "these are the e-mail or network addresses of the players".
        headers["WhiteNA"], headers["BlackNA"] = addresses
    if game.start_fen != chess.STARTING_FEN:
        headers |= {"FEN": game.start_fen, "SetUp": "1"}
    if game.outcome is not None:
        headers["Termination"] = _TERMINATION_TAG.get(game.outcome.termination, "normal")
    if len(game.spent_s) == game.ply <= MAX_PLIES_WITH_CLOCKS:
        for node, left_s in zip(record.mainline(), seconds_left(game), strict=True):
            node.set_clock(left_s)
    record.headers["Result"] = game.result
    # §8.2.1: lines of "less than 80 printing characters", and an empty one "follows the last line".
    moves = record.accept(chess.pgn.StringExporter(columns=80, headers=False))
    if game.start_fen == chess.STARTING_FEN and (opening := _opening(moves)):
        headers["ECO"], headers["Opening"] = opening
    # The roster is first; §8.1 has the others "in ASCII order by tag name".
    names = (*_ROSTER, *sorted(headers.keys() - {*_ROSTER}))
    tags = "".join(f'[{name} "{_string(headers[name])}"]\n' for name in names)
    return f"{tags}\n{moves}\n\n"


def _opening(moves: str) -> tuple[str, str] | None:
    """The opening of these moves as they are written: SAN takes longer than all else here."""
    return opening_of([found[0] for found in islice(_SAN.finditer(moves), LONGEST_PLIES)])


def _string(text: str) -> str:
    """The text as a tag's value (PGN standard §7), which python-chess does not escape."""
    printing = "".join(char if char.isprintable() else " " for char in text)
    return printing.replace("\\", "\\\\").replace('"', '\\"')


def _event_name(game: Game) -> str:
    if game.tournament:
        return game.tournament.title
    mode = "Rated" if game.rated else "Casual"
    return f"{mode} {game.clocks.control.speed} game" if game.clocks else f"{mode} game"


def _time_control(control: TimeControl) -> str:
    """PGN standard §9.6.1: "40/9000", "300+2"; days for a move are one move in so many seconds."""
    if control.move_ms:
        return f"1/{control.move_ms // 1000}"
    return f"{control.base_ms // 1000}+{control.increment_ms // 1000}"
