/** Conditional moves: which lines of the board can be set, and what one more leaves of the others. Pure. */

import type { Color, GameState } from "../arbiter/model.ts";
import { lineFrom, placeOf, type Line } from "../board/position.ts";
import { turnOf } from "../shared/fen.ts";

/** In UCI, from the game's position on. */
export type Moves = readonly string[];

export const MAX_LINES = 30;
const MAX_PLIES = 30;
const UCI = /^[a-h][1-8][a-h][1-8][qrbn]?$/;

/** What follows the game's position on this line up to the ply shown; `null` if it does not end with an answer of mine. */
export function addable(game: GameState, me: Color, line: Line, shown: number): Moves | null {
  const there = line.plies[game.ply - 1]?.fen ?? line.start;
  if (line.plies.length < game.ply || placeOf(there) !== placeOf(game.fen)) return null;
  const moves = line.plies.slice(game.ply, shown).map(({ uci }) => uci);
  const last = line.plies[shown - 1]?.fen ?? line.start;
  const least = turnOf(game.fen) === me ? 3 : 2;
  return moves.length < least || moves.length > MAX_PLIES || turnOf(last) === me ? null : moves;
}

/** With one more, in place of those that answer the same moves otherwise. */
export function withLine(lines: readonly Moves[], line: Moves, isMyTurn: boolean): readonly Moves[] {
  const first = isMyTurn ? 0 : 1;
  const holds = (other: Moves): boolean => {
    const at = other.findIndex((move, index) => move !== line[index]);
    return at >= 0 && at < line.length && !(at > 0 && at % 2 === first);
  };
  return [...lines.filter(holds), line];
}

export function textOf(lines: readonly Moves[]): string {
  return lines.map((line) => line.join(" ")).join("\n") || "\n";
}

/** The lines that a text tells and that can be played from this position. */
export function linesIn(text: string, fen: string): readonly Line[] {
  const lines = text.split("\n").slice(0, MAX_LINES).map((line) => line.split(" ").filter((move) => UCI.test(move)));
  return lines.flatMap((moves) => (moves.length ? lineFrom(fen, moves, null) ?? [] : []));
}
