/** Text that a player types below the board: a move in SAN or UCI, or one of the commands that players
 * with a screen reader know from lichess. */

import type { Chess } from "chessops/chess";
import type { Role, SquareName } from "chessops/types";
import { charToRole, makeSquare, parseSquare } from "chessops/util";

import type { Color } from "../arbiter/model.ts";
import { moveBetween, premoveBetween, premoveDestinations } from "./destinations.ts";
import { kingLetter, LETTERS, moveOf } from "./notation.ts";
import { uciOf, type Variant } from "./position.ts";

export type Typed =
  | { readonly kind: "move"; readonly uci: string }
  | { readonly kind: "clear" }
  | { readonly kind: "clocks" | "opponent" | "help" }
  | { readonly kind: "last" }
  | { readonly kind: "pieces"; readonly role: Role; readonly color: Color }
  | { readonly kind: "scan"; readonly squares: readonly SquareName[] }
  | { readonly kind: "word"; readonly word: "abort" | "resign" | "draw" | "takeback" | "rematch" }
  | { readonly kind: "unclear" };

const WORDS = ["abort", "resign", "draw", "takeback", "rematch"] as const;

/** `position` has the side of the player to move; with `isPremove` its moves need not be legal. */
export function typed(text: string, position: Chess | null, isPremove: boolean, variant: Variant): Typed {
  const line = text.trim().replace(/^\//, "");
  if (!line) return { kind: "clear" };
  const command = commandIn(line);
  if (command) return command;
  const uci = position && (writtenMove(line, position, variant) ?? squaresMove(line, position, isPremove, variant));
  return uci ? { kind: "move", uci } : { kind: "unclear" };
}

function commandIn(line: string): Typed | null {
  const [word = "", of = ""] = line.split(/\s+/, 2);
  switch (word) {
    case "c":
    case "clock": return { kind: "clocks" };
    case "l":
    case "last": return { kind: "last" };
    case "o":
    case "opponent": return { kind: "opponent" };
    case "?":
    case "help": return { kind: "help" };
    case "p": {
      const letter = of.toUpperCase();
      const role = charToRole((letter === kingLetter() ? "K" : (LETTERS[letter] ?? letter)).toLowerCase());
      const color = of === of.toLowerCase() ? "black" : "white";
      return role && of.length === 1 ? { kind: "pieces", role, color } : { kind: "unclear" };
    }
    case "s":
    case "scan": return scanned(of.toLowerCase());
  }
  const known = WORDS.find((one) => one === word);
  return known ? { kind: "word", word: known } : null;
}

/** `s e` names a file, `s 4` a rank, `s e4` a square. */
function scanned(of: string): Typed {
  const files = /^[a-h]/.test(of) ? of[0]! : "abcdefgh";
  const ranks = /[1-8]$/.test(of) ? of.at(-1)! : "12345678";
  if (!/^[a-h]?[1-8]?$/.test(of) || !of) return { kind: "unclear" };
  const squares = [...ranks].flatMap((rank) => [...files].map((file) => (file + rank) as SquareName));
  return { kind: "scan", squares };
}

function writtenMove(line: string, position: Chess, variant: Variant): string | null {
  const move = moveOf(position, line, kingLetter()) ?? moveOf(position, line[0]!.toUpperCase() + line.slice(1), kingLetter());
  return move && uciOf(position, move, variant);
}

function squaresMove(line: string, position: Chess, isPremove: boolean, variant: Variant): string | null {
  const match = /^([a-h][1-8])[-x ]?([a-h][1-8])=?([qrbn]?)$/.exec(line.toLowerCase());
  const [from, to] = [match?.[1] as SquareName, match?.[2] as SquareName];
  if (!match) return null;
  const promotion = (match[3] && charToRole(match[3])) || null;
  if (!isPremove) return moveBetween(position, from, to, promotion, variant);
  const color = position.board.getColor(parseSquare(from));
  if (color !== position.turn) return null;
  const may = premoveDestinations(position, color).get(from) ?? [];
  return may.includes(to) ? premoveBetween(position, from, to, promotion, variant) : null;
}

/** The squares of the pieces of this kind. */
export function squaresOf(position: Chess, role: Role, color: Color): SquareName[] {
  return [...position.board.pieces(color, role)].map(makeSquare);
}
