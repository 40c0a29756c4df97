/** Evaluations: as the engine says them, as players read them. */

/** From White's side: centipawns, or moves until mate, negative if Black mates. */
export type Score = { readonly cp: number } | { readonly mate: number };

export interface Evaluation {
  readonly score: Score;
  readonly depth: number;
  /** The best line in UCI. */
  readonly best: readonly string[];
}

/** Reads a line of UCI's `info`; `null` if it has no exact score. */
export function infoIn(line: string, turn: "white" | "black"): Evaluation | null {
  const match = /^info .*?\bdepth (\d+) .*?\bscore (cp|mate) (-?\d+)\b(?! (?:upper|lower)bound)/.exec(line);
  if (!match) return null;
  const [, depth, unit, text] = match;
  const value = Number(text) * (turn === "white" ? 1 : -1);
  const best = / pv (.+)$/.exec(line)?.[1]?.split(" ") ?? [];
  // Mate in 0: the side to move is mated.
  const mate = value === 0 ? (turn === "white" ? -0 : 0) : value;
  return { depth: Number(depth), score: unit === "cp" ? { cp: value } : { mate }, best };
}

/** `+1.3`, `−0.4`, `#3`, `#−3`; once there is mate, the result. */
export function scoreText(score: Score): string {
  if ("mate" in score && score.mate === 0) return isBlackMating(score.mate) ? "0–1" : "1–0";
  if ("mate" in score) return `#${isBlackMating(score.mate) ? "−" : ""}${Math.abs(score.mate)}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(1);
  return score.cp === 0 || pawns === "0.0" ? "0.0" : `${score.cp > 0 ? "+" : "−"}${pawns}`;
}

/** White's share of what is to be won, 0 to 1, by the curve that lichess fitted to its games. */
export function whiteShare(score: Score): number {
  if ("mate" in score) return isBlackMating(score.mate) ? 0 : 1;
  return 1 / (1 + Math.exp(-0.00368208 * score.cp));
}

function isBlackMating(mate: number): boolean {
  return mate < 0 || Object.is(mate, -0);
}
