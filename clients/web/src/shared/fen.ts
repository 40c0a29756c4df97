/** The little of a FEN that a picture needs. */

import type { Color } from "../arbiter/model.ts";

export interface Placed {
  readonly square: string;
  readonly role: string;
  readonly color: Color;
}

const ROLES: Readonly<Record<string, string>> = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** The pieces on the board; what is no piece, or beyond the board, is left out. */
export function piecesIn(fen: string): readonly Placed[] {
  const found: Placed[] = [];
  const ranks = (fen.split(" ", 1)[0] ?? "").split("/").slice(0, 8);
  ranks.forEach((rank, down) => {
    let file = 0;
    for (const letter of rank) {
      const role = ROLES[letter.toLowerCase()];
      if (role && file < 8) {
        const color = letter === letter.toUpperCase() ? "white" : "black";
        found.push({ square: `${"abcdefgh"[file]}${8 - down}`, role, color });
      }
      file += role ? 1 : Number(letter) || 8;
    }
  });
  return found;
}

/** The side to move. */
export function turnOf(fen: string): Color {
  return fen.split(" ", 2)[1] === "b" ? "black" : "white";
}
