"""The game as PGN (the arbiter's where it has come, else our own), and its moves in rows."""

import chess
import chess.pgn

from arbiter.nostr.nip19 import encode_npub
from clients.terminal.game_view import GameView


def pgn_of(game: GameView) -> str:
    """PGN text ending in a newline."""
    if game.pgn is not None:
        return game.pgn.rstrip("\n") + "\n"
    if game.line is None:
        return "*\n"
    record = chess.pgn.Game.from_board(game.line.board())
    headers = {
        "Event": "Casual game",
        "Site": "nostr",
        "Date": "????.??.??",
        "Round": "-",
        "White": encode_npub(game.white),
        "Black": encode_npub(game.black),
        "Result": game.result or "*",
    }
    if game.rated:
        headers |= {"Event": "Rated game"}
    if game.line.chess960:
        headers |= {"Variant": "Chess960"}
    if not game.line.complete or game.line.start_fen != chess.STARTING_FEN:
        headers |= {"SetUp": "1", "FEN": game.line.base_fen}
    record.headers.clear()
    record.headers.update(headers)
    return record.accept(chess.pgn.StringExporter(columns=80)) + "\n"


def move_rows(game: GameView) -> list[tuple[str, str, str]]:
    """The moves in SAN as rows of number, white's and black's; ``…`` where white's is unknown."""
    if game.line is None:
        return []
    board = chess.Board(game.line.base_fen, chess960=game.line.chess960)
    rows: list[tuple[str, str, str]] = []
    ply = game.line.first_ply + game.line.base_ply
    for uci in game.line.moves:
        san = board.san(board.parse_uci(uci))
        board.push_uci(uci)
        if ply % 2 == 0:
            rows.append((f"{ply // 2 + 1}.", san, ""))
        elif rows:
            number, white, _ = rows[-1]
            rows[-1] = (number, white, san)
        else:
            rows.append((f"{ply // 2 + 1}.", "…", san))
        ply += 1
    return rows
