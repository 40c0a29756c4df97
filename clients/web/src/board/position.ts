/** Games and positions as values, by the rules of chessops: what was played and what may be. */

import { Chess, castlingSide, normalizeMove } from "chessops/chess";
import { INITIAL_FEN, makeFen, parseFen } from "chessops/fen";
import { makeSanAndPlay } from "chessops/san";
import type { NormalMove, Role, Square, SquareName } from "chessops/types";
import { isNormal } from "chessops/types";
import { kingCastlesTo, makeSquare, makeUci, parseUci } from "chessops/util";

import type { GameState } from "../arbiter/model.ts";

export type Variant = GameState["variant"];

/** One half-move that was played, and what it led to. */
export interface Ply {
  readonly uci: string;
  readonly san: string;
  /** The position after it. */
  readonly fen: string;
  readonly from: SquareName;
  readonly to: SquareName;
  readonly captured: Role | null;
  readonly check: boolean;
}

/** A game from its first position on. `end` is read only. */
export interface Line {
  readonly start: string;
  readonly plies: readonly Ply[];
  readonly end: Chess;
}

/** The position of a FEN; `null` if it cannot be played from. */
export function positionOf(fen: string): Chess | null {
  return parseFen(fen).unwrap((setup) => Chess.fromSetup(setup).unwrap((position) => position, () => null), () => null);
}

/** The moves of a state, continuing `before` where they can. `null` where the arbiter leaves the
 * moves out, or where they cannot be read. */
export function lineOf(state: GameState, before: Line | null): Line | null {
  if (state.moves === null) return null;
  return lineFrom(state.start ?? INITIAL_FEN, state.moves, before);
}

/** The moves played from a position; `null` at one that is not legal. */
export function lineFrom(start: string, moves: readonly string[], before: Line | null): Line | null {
  const isMore =
    before?.start === start &&
    before.plies.length <= moves.length &&
    before.plies.every((ply, index) => ply.uci === moves[index]);
  if (isMore && before.plies.length === moves.length) return before;
  const plies = isMore ? [...before.plies] : [];
  const end = isMore ? before.end.clone() : positionOf(start);
  if (!end) return null;
  for (const uci of moves.slice(plies.length)) {
    const ply = played(end, uci);
    if (!ply) return null;
    plies.push(ply);
  }
  return { start, plies, end };
}

/** A legal move in UCI; castling to the king's square or to the rook's. */
export function legalMove(position: Chess, uci: string): NormalMove | null {
  const move = parseUci(uci.toLowerCase());
  if (!move || !isNormal(move)) return null;
  const normal = normalizeMove(position, move);
  return isNormal(normal) && position.isLegal(normal) ? normal : null;
}

/** Plays a move on `position`; `null`, and nothing is played, if it is not legal. */
export function played(position: Chess, uci: string): Ply | null {
  const move = legalMove(position, uci);
  if (!move) return null;
  const to = landing(position, move);
  const side = castlingSide(position, move);
  const isEnPassant = position.board.getRole(move.from) === "pawn" && move.to === position.epSquare;
  const captured = side ? null : isEnPassant ? "pawn" : (position.board.getRole(move.to) ?? null);
  const san = makeSanAndPlay(position, move);
  return {
    uci, san, fen: makeFen(position.toSetup()), from: makeSquare(move.from), to: makeSquare(to), captured,
    check: position.isCheck(),
  };
}

/** The square on which the moved piece comes to rest: in castling, the king's. */
export function landing(position: Chess, move: NormalMove): Square {
  const side = castlingSide(position, move);
  return side ? kingCastlesTo(position.turn, side) : move.to;
}

/** The arbiter's spelling of a legal move: castling as the king's move, in Chess960 onto the rook. */
export function uciOf(position: Chess, move: NormalMove, variant: Variant): string {
  const to = variant === "chess960" ? move.to : landing(position, move);
  return makeUci({ ...move, to });
}

/** Whether a draw can be claimed by the moves so far: the third repetition, or fifty moves. */
export function isClaimable(line: Line): boolean {
  const last = line.plies.at(-1)?.fen ?? line.start;
  if (line.end.halfmoves >= 100) return true;
  const place = placeOf(last);
  const before = [line.start, ...line.plies.map((ply) => ply.fen)];
  return before.filter((fen) => placeOf(fen) === place).length >= 3;
}

/** The board, the turn, castling and en passant: what repeats. */
export function placeOf(fen: string): string {
  return fen.split(" ").slice(0, 4).join(" ");
}
