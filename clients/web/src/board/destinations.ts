/** The squares that pieces of one side may go to: by the rules, or as a premove before the reply is known. */

import { attacks } from "chessops/attacks";
import type { Chess } from "chessops/chess";
import { SquareSet } from "chessops/squareSet";
import type { NormalMove, Role, Square, SquareName } from "chessops/types";
import { isNormal } from "chessops/types";
import { kingCastlesTo, makeSquare, parseSquare, parseUci, roleToChar, squareFile, squareRank } from "chessops/util";

import type { Color } from "../arbiter/model.ts";
import { legalMove, uciOf, type Variant } from "./position.ts";

export type Destinations = Map<SquareName, SquareName[]>;

/** A player may castle onto the rook or onto the king's own square, where that is no other move. */
export function legalDestinations(position: Chess): Destinations {
  const found: Destinations = new Map();
  for (const [from, squares] of position.allDests()) {
    const to = new Set(squares);
    if (position.board.getRole(from) === "king") {
      for (const rook of squares.intersect(position.castles.castlingRights)) {
        const goal = kingCastlesTo(position.turn, rook > from ? "h" : "a");
        if (!isStep(from, goal) && goal !== from) to.add(goal);
      }
    }
    if (to.size) found.set(makeSquare(from), [...to].map(makeSquare));
  }
  return found;
}

/** Everything that could become legal by the opponent's reply: pieces in the way may leave. */
export function premoveDestinations(position: Chess, color: Color): Destinations {
  const found: Destinations = new Map();
  for (const from of position.board[color]) {
    const role = position.board.getRole(from);
    if (!role) continue;
    const to = new Set(premoveSquares(role, color, from));
    if (role === "king") for (const square of castlingGoals(position, color, from)) to.add(square);
    if (to.size) found.set(makeSquare(from), [...to].map(makeSquare));
  }
  return found;
}

/** The move from one square to another as the arbiter writes it, legal in this position. */
export function moveBetween(
  position: Chess, from: SquareName, to: SquareName, promotion: Role | null, variant: Variant,
): string | null {
  const letter = promotion ? roleToChar(promotion) : "";
  const king = parseSquare(from);
  const rook = rookTowards(position, position.turn, king, parseSquare(to));
  const isPlain = isStep(king, parseSquare(to)) && legalMove(position, from + to);
  const move = legalMove(position, rook !== null && !isPlain ? from + makeSquare(rook) : from + to + letter);
  return move && uciOf(position, move, variant);
}

/** As `moveBetween`, for a premove, of which legality is not known yet. */
export function premoveBetween(
  position: Chess, from: SquareName, to: SquareName, promotion: Role | null, variant: Variant,
): string {
  const [king, goal] = [parseSquare(from), parseSquare(to)];
  const color = position.board.getColor(king) ?? position.turn;
  const rook = rookTowards(position, color, king, goal);
  if (rook !== null && !isStep(king, goal)) {
    const written = variant === "chess960" ? rook : kingCastlesTo(color, rook > king ? "h" : "a");
    return from + makeSquare(written);
  }
  const letter = promotion ? roleToChar(promotion) : "";
  return from + to + letter;
}

/** The position as if the moves were played one after another without a reply. */
export function withPremoves(position: Chess, premoves: readonly string[], color: Color): Chess {
  const after = position.clone();
  for (const uci of premoves) {
    after.turn = color;
    after.epSquare = undefined;
    const move = premoveOf(after, uci);
    if (!move) break;
    after.play(move);
  }
  after.turn = color;
  after.epSquare = undefined;
  return after;
}

/** Whether a pawn of this square comes to its last rank. */
export function isPromotion(position: Chess, from: SquareName, to: SquareName): boolean {
  return position.board.getRole(parseSquare(from)) === "pawn" && (to[1] === "1" || to[1] === "8");
}

function premoveOf(position: Chess, uci: string): NormalMove | null {
  const from = parseSquare(uci.slice(0, 2));
  const to = parseSquare(uci.slice(2, 4));
  if (from === undefined || to === undefined || !position.board.has(from)) return null;
  const rook = rookTowards(position, position.turn, from, to);
  if (rook !== null && !isStep(from, to)) return { from, to: rook };
  const move = parseUci(uci);
  return move && isNormal(move) ? move : null;
}

function premoveSquares(role: Role, color: Color, from: Square): Iterable<Square> {
  if (role !== "pawn") return attacks({ role, color }, from, SquareSet.empty());
  const step = color === "white" ? 8 : -8;
  const squares = [...attacks({ role, color }, from, SquareSet.empty()), from + step];
  if (squareRank(from) === (color === "white" ? 1 : 6)) squares.push(from + 2 * step);
  return squares.filter((square) => square >= 0 && square < 64);
}

function castlingGoals(position: Chess, color: Color, king: Square): Square[] {
  const goals: Square[] = [];
  for (const side of ["a", "h"] as const) {
    const rook = position.castles.rook[color][side];
    if (rook === undefined) continue;
    goals.push(rook);
    const goal = kingCastlesTo(color, side);
    if (!isStep(king, goal) && goal !== king) goals.push(goal);
  }
  return goals;
}

/** The rook that the king castles with when it is put on `to`: the rook's square, or its goal. */
function rookTowards(position: Chess, color: Color, king: Square, to: Square): Square | null {
  if (position.board.getRole(king) !== "king") return null;
  for (const side of ["a", "h"] as const) {
    const rook = position.castles.rook[color][side];
    if (rook !== undefined && (to === rook || to === kingCastlesTo(color, side))) return rook;
  }
  return null;
}

function isStep(from: Square, to: Square): boolean {
  const files = Math.abs(squareFile(from) - squareFile(to));
  const ranks = Math.abs(squareRank(from) - squareRank(to));
  return Math.max(files, ranks) === 1;
}
