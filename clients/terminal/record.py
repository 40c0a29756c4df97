"""The game as PGN (the arbiter's where it has come, else our own), and its moves in rows."""

import chess
import chess.pgn

from arbiter.nostr.nip19 import encode_npub
from clients.terminal.game_view import GameView


def pgn_of(game: GameView) -> str:
    """PGN text ending in a newline."""
    if game.pgn is not None:
        return game.pgn.rstrip("\n") + "\n"
    state = game.state
    if state is None:
        return "*\n"
    record = chess.pgn.Game.from_board(state.board())
    headers = {
        "Event": "Rated game" if state.rated else "Casual game",
        "Site": "nostr",
        "Date": "????.??.??",
        "Round": "-",
        "White": encode_npub(state.white),
        "Black": encode_npub(state.black),
        "Result": game.result or "*",
    }
    if state.chess960:
        headers |= {"Variant": "Chess960"}
    if state.start or not state.complete:
        headers |= {"SetUp": "1", "FEN": state.base.fen()}
    record.headers.clear()
    record.headers.update(headers)
    return record.accept(chess.pgn.StringExporter(columns=80)) + "\n"


def move_rows(game: GameView) -> list[tuple[str, str, str]]:
    """The moves in SAN as rows of number, White's and Black's; ``…`` if Black's is the first."""
    if game.state is None:
        return []
    board = game.state.base
    rows: list[tuple[str, str, str]] = []
    for uci in game.state.moves:
        ply, move = board.ply(), board.parse_uci(uci)
        san = board.san_and_push(move)
        if ply % 2 == 0:
            rows.append((f"{ply // 2 + 1}.", san, ""))
        elif rows:
            number, white, _ = rows[-1]
            rows[-1] = (number, white, san)
        else:
            rows.append((f"{ply // 2 + 1}.", "…", san))
    return rows
