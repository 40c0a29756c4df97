/** The rules of chess, as far as a player's words need them: the arbiter decides. */

import { parseFen } from "chessops/fen";
import { isNormal } from "chessops/types";
import { makeUci, parseUci } from "chessops/util";

import { legalMove as legal, positionOf, uciOf } from "../board/position.ts";
import type { GameState } from "./model.ts";

export function isFen(text: string): boolean {
  return text.length <= 120 && parseFen(text).isOk;
}

/**
 * The move as states list it (`e1g1`; in Chess960 the king takes its rook), or `null` if it is not
 * legal. In a position that chessops cannot read every move passes: the arbiter knows better.
 */
export function legalMove({ fen, variant }: Pick<GameState, "fen" | "variant">, uci: string): string | null {
  const position = positionOf(fen);
  const move = position ? legal(position, uci) : parseUci(uci.toLowerCase());
  if (!move || !isNormal(move)) return null;
  return position ? uciOf(position, move, variant) : makeUci(move);
}
