/** The rules of chess, as far as this client needs them: the arbiter decides. */

import { castlingSide, Chess, normalizeMove } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { isNormal } from "chessops/types";
import { kingCastlesTo, makeUci, parseUci } from "chessops/util";

import type { Color, GameState } from "./model.ts";

/** `null` for a position that chessops cannot read. */
export function positionOf(fen: string): Chess | null {
  const position = parseFen(fen).chain((setup) => Chess.fromSetup(setup));
  return position.isOk ? position.value : null;
}

export function isFen(text: string): boolean {
  return text.length <= 120 && parseFen(text).isOk;
}

export function turnOf(fen: string): Color {
  return fen.split(" ")[1] === "b" ? "black" : "white";
}

/**
 * The move as states list it (`e1g1`; in Chess960 the king takes its rook), or `null` if it is not
 * legal. In a position that chessops cannot read every move passes: the arbiter knows better.
 */
export function legalMove(state: Pick<GameState, "fen" | "variant">, uci: string): string | null {
  const move = parseUci(uci.toLowerCase());
  if (move === undefined || !isNormal(move)) return null;
  const position = positionOf(state.fen);
  if (position === null) return makeUci(move);
  const normal = normalizeMove(position, move);
  if (!position.isLegal(normal) || !isNormal(normal)) return null;
  const side = castlingSide(position, normal);
  if (side === undefined || state.variant === "chess960") return makeUci(normal);
  return makeUci({ from: normal.from, to: kingCastlesTo(position.turn, side) });
}
