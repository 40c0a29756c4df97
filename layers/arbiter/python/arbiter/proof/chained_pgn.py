"""A transcript as PGN, with each state's link in a comment, for programs that know no chain."""

from datetime import UTC, datetime

import chess
import chess.pgn

from arbiter.core.chain import first_link, next_link
from arbiter.core.game import Variant
from arbiter.nostr.nip19 import encode_npub
from arbiter.proof.transcript import Transcript


def chained_pgn(it: Transcript) -> str:
    """The PGN of a transcript in which nothing is wrong. Behind each move, and before the first
    one, is ``[%chain …]`` for each state that shows it, with the offer or the end if there is one;
    moves that were taken back are left out, and so are their states.
    """
    record = _begun(it)
    requests = [line.id for line in it.lines if not line.shown]
    chain = bytes.fromhex(it.first) or first_link(it.game_id, requests)
    record.comment = f"[%chain {chain.hex()}]"
    nodes: list[chess.pgn.GameNode] = [record]
    for line in it.lines[len(requests) :]:
        ply, uci, offer, white, black, result, ended = line.shown.split(" ")
        chain = next_link(chain, bytes.fromhex(line.id), line.shown)
        for taken_back in nodes[int(ply) + 1 :]:
            taken_back.parent.remove_variation(taken_back)  # type: ignore[union-attr]
        del nodes[int(ply) + 1 :]
        if len(nodes) == int(ply):
            before = nodes[-1]
            nodes.append(before.add_variation(before.board().parse_uci(uci)))
            left = black if before.turn() == chess.BLACK else white
            nodes[-1].set_clock(None if left == "-" else max(int(left), 0) / 1000)
        words = " ".join(text for text in (offer, ended) if text != "-")
        said = (nodes[-1].comment, f"[%chain {chain.hex()}]", words)
        nodes[-1].comment = " ".join(filter(None, said))
        record.headers["Result"] = result
    return str(record.accept(chess.pgn.StringExporter(columns=80))) + "\n"


def _begun(it: Transcript) -> chess.pgn.Game:
    board = chess.Board(it.start_fen, chess960=it.variant is Variant.CHESS960)
    record = chess.pgn.Game.from_board(board)
    dates = [line.event.created_at for line in it.lines if line.event]
    if dates:
        record.headers["Date"] = datetime.fromtimestamp(min(dates), UTC).strftime("%Y.%m.%d")
    record.headers["Event"] = f"Game {it.game_id}"
    record.headers["Site"] = f"nostr:{encode_npub(it.arbiter)}"
    record.headers["White"], record.headers["Black"] = map(encode_npub, (it.white, it.black))
    record.headers["Chain"] = it.chain
    return record
