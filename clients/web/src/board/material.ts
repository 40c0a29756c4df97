/** The pieces that each side has captured beyond the other, read from the board. */

import type { Board } from "chessops/board";
import type { Role } from "chessops/types";

import type { Color } from "../arbiter/model.ts";

export interface Advantage {
  /** Pieces that the side has more of than the other, the weakest first. */
  readonly pieces: readonly Role[];
  /** In pawns; 0 or more. */
  readonly points: number;
}

const VALUES: Readonly<Record<Exclude<Role, "king">, number>> = { pawn: 1, knight: 3, bishop: 3, rook: 5, queen: 9 };

/** The material that `color` has more of. */
export function advantageOf(board: Board, color: Color): Advantage {
  const other = color === "white" ? "black" : "white";
  const pieces: Role[] = [];
  let points = 0;
  for (const [role, value] of Object.entries(VALUES) as [Exclude<Role, "king">, number][]) {
    const more = board.pieces(color, role).size() - board.pieces(other, role).size();
    points += more * value;
    for (let count = 0; count < more; count++) pieces.push(role);
  }
  return { pieces, points: Math.max(0, points) };
}
