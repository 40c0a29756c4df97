/** A FEN from anywhere: the position that is played from, or the reason why there is none. */

import { Chess, IllegalSetup } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { SquareSet } from "chessops/squareSet";
import { COLORS } from "chessops/types";

import type { TextKey } from "../texts/index.ts";

const FLAWS: Readonly<Record<string, TextKey>> = {
  [IllegalSetup.Empty]: "fen.kings",
  [IllegalSetup.Kings]: "fen.kings",
  [IllegalSetup.OppositeCheck]: "fen.check",
  [IllegalSetup.PawnsOnBackrank]: "fen.pawns",
};

/** A `string` is the key of the reason. Spaces may be underscores, as in addresses. */
export function readFen(text: string): Chess | TextKey {
  const setup = parseFen(text.trim().replace(/[\s_]+/g, " ")).unwrap((it) => it, () => null);
  // Pockets and remaining checks are of Crazyhouse and of Three-check.
  if (!setup || setup.pockets || setup.remainingChecks) return "fen.unreadable";
  const { board } = setup;
  // As the arbiter has it of a position to play from; the engine knows no other either.
  if (COLORS.some((color) => board[color].size() > 16 || board.pieces(color, "pawn").size() > 8)) return "fen.many";
  return Chess.fromSetup(setup).unwrap<Chess | TextKey>((it) => it, ({ message }) => FLAWS[message] ?? "fen.impossible");
}

/** Whether there is castling that only Chess960 has. */
export function isChess960({ castles: { castlingRights }, board }: Chess): boolean {
  const kings = board.king.intersect(SquareSet.fromRank(0).union(SquareSet.fromRank(7)));
  const isUsual = castlingRights.diff(SquareSet.corners()).isEmpty();
  const areHome = [...castlingRights].every((rook) => kings.has(rook < 8 ? 4 : 60));
  return !isUsual || !areHome;
}
