/**
 * A game with its variations, as PGN has it: a line of moves, and lines that go on instead of one of them.
 *
 * Kept by every function: the first moves of what may follow a position differ, no side line is
 * empty, and the first move of a side line has none itself (its siblings have the same parent).
 */

import type { Line, Ply, Variant } from "../board/position.ts";
import { positionOf } from "../board/position.ts";

export interface Move {
  readonly ply: Ply;
  readonly sides: readonly Moves[];
  readonly comment?: string | undefined;
}

export type Moves = readonly Move[];

export interface Study {
  readonly start: string;
  readonly variant: Variant;
  readonly moves: Moves;
}

/** The way into a side line: before its move number `ply`, counted from 0, the outer line is left. */
export interface Turn {
  readonly ply: number;
  readonly side: number;
}

/** A position of a study: so many plies within the line that the turns lead to. */
export interface Place {
  readonly turns: readonly Turn[];
  readonly plies: number;
}

export const BEGINNING: Place = { turns: [], plies: 0 };

/** The moves from the first position through this place to the end of its line. */
export function lineThrough(study: Study, { turns }: Place): Line {
  const plies: Ply[] = [];
  let line = study.moves;
  for (const { ply, side } of turns) {
    plies.push(...line.slice(0, ply).map((move) => move.ply));
    line = line[ply]!.sides[side]!;
  }
  plies.push(...line.map((move) => move.ply));
  return { start: study.start, plies, end: positionOf(plies.at(-1)?.fen ?? study.start)! };
}

/** The number of plies from the first position to this place. */
export function depthOf({ turns, plies }: Place): number {
  return turns.reduce((sum, { ply }) => sum + ply, plies);
}

/** The place on the same line so many plies from the first position. */
export function placeAt({ turns }: Place, depth: number): Place {
  let rest = depth;
  for (const [index, { ply }] of turns.entries()) {
    if (rest <= ply) return { turns: turns.slice(0, index), plies: rest };
    rest -= ply;
  }
  return { turns, plies: rest };
}

/** The study in which this move has been played here, and the place after it. */
export function withMove(study: Study, { turns, plies }: Place, ply: Ply): [Study, Place] {
  const moves = edited(study.moves, turns, (line) => withLine(line, plies, [{ ply, sides: [] }]));
  const there = lineAt(moves, turns)[plies]!;
  const side = there.sides.findIndex(([first]) => first!.ply.uci === ply.uci);
  const place = side < 0 ? { turns, plies: plies + 1 } : { turns: [...turns, { ply: plies, side }], plies: 1 };
  return [{ ...study, moves }, place];
}

/** The moves with another line from `at` on; what both share is there once. */
export function withLine(moves: Moves, at: number, line: Moves): Moves {
  let result = moves;
  for (const [index, move] of line.entries()) {
    const there = result[at + index];
    if (!there) return [...result, ...line.slice(index)];
    if (there.ply.uci === move.ply.uci) {
      for (const side of move.sides) result = withLine(result, at + index, side);
      continue;
    }
    const rest = [{ ...move, sides: [] }, ...line.slice(index + 1)];
    const known = there.sides.findIndex(([first]) => first!.ply.uci === move.ply.uci);
    const sides = known < 0 ? [...there.sides, rest] : put(there.sides, known, withLine(there.sides[known]!, 0, rest));
    result = put(result, at + index, { ...there, sides });
    for (const side of move.sides) result = withLine(result, at + index, side);
    return result;
  }
  return result;
}

/** The side line of this place changes places with the line that it leaves. */
export function promoted(study: Study, { turns, plies }: Place): [Study, Place] {
  const last = turns.at(-1);
  if (!last) return [study, { turns, plies }];
  const outer = turns.slice(0, -1);
  const moves = edited(study.moves, outer, (line) => {
    const [left, ...rest] = line.slice(last.ply);
    const others = left!.sides.filter((_, index) => index !== last.side);
    const [first, ...further] = left!.sides[last.side]!;
    return [...line.slice(0, last.ply), { ...first!, sides: [[{ ...left!, sides: [] }, ...rest], ...others] }, ...further];
  });
  return [{ ...study, moves }, { turns: outer, plies: last.ply + plies }];
}

/** Without the move that leads here, and what follows it; a side line takes its place if there is one. */
export function deleted(study: Study, { turns, plies }: Place): [Study, Place] {
  const last = turns.at(-1);
  if (last && plies === 1) {
    const outer = turns.slice(0, -1);
    const moves = edited(study.moves, outer, (line) => {
      const sides = line[last.ply]!.sides.filter((_, index) => index !== last.side);
      return put(line, last.ply, { ...line[last.ply]!, sides });
    });
    return [{ ...study, moves }, { turns: outer, plies: last.ply }];
  }
  if (plies === 0) return [study, BEGINNING];
  const moves = edited(study.moves, turns, (line) => {
    const [next, ...others] = line[plies - 1]!.sides;
    const [first, ...further] = next ?? [];
    return [...line.slice(0, plies - 1), ...(first ? [{ ...first, sides: others }, ...further] : [])];
  });
  return [{ ...study, moves }, { turns, plies: plies - 1 }];
}

/** The line that these turns lead to. */
function lineAt(moves: Moves, turns: readonly Turn[]): Moves {
  return turns.reduce((line, { ply, side }) => line[ply]!.sides[side]!, moves);
}

function edited(moves: Moves, turns: readonly Turn[], change: (line: Moves) => Moves): Moves {
  const [turn, ...rest] = turns;
  if (!turn) return change(moves);
  const move = moves[turn.ply]!;
  const side = edited(move.sides[turn.side]!, rest, change);
  return put(moves, turn.ply, { ...move, sides: put(move.sides, turn.side, side) });
}

function put<T>(list: readonly T[], at: number, value: T): readonly T[] {
  return list.map((one, index) => (index === at ? value : one));
}
