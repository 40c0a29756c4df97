/** A player's words in a game beside moves (PROTOCOL.md, Words in a game), and their answers. */

import type { Color, GameState, PendingWord } from "./model.ts";

/** A word of mine, as long as nothing has answered it. */
export interface Sent extends PendingWord {
  readonly key: number;
  readonly isMove: boolean;
  /** Every event that said it: an error may come for an earlier one. */
  readonly ids: readonly string[];
  /** The position that it is about. */
  readonly ply: number;
  readonly fen: string;
}

const WORDS = new Set([
  "draw", "resign", "abort", "quit", "takeback", "claim", "claim-left", "rematch", "flag",
  "draw-decline", "takeback-decline", "rematch-decline", "abort-decline",
]);
const AFTER_THE_END = new Set(["rematch", "rematch-decline"]);

/** Whether this is a word, and one for this time of the game. */
export function isInSeason(content: string, state: GameState): boolean {
  return WORDS.has(content) && (state.result !== null) === AFTER_THE_END.has(content);
}

/** Whether a state of a higher version leaves nothing to wait for. */
export function isAnswered(word: Sent, state: GameState, me: Color | null): boolean {
  if (state.result !== null && !AFTER_THE_END.has(word.content)) return true;
  // An offer changes no position; anything else makes another one, in which a move means nothing.
  if (word.isMove) return state.ply !== word.ply || state.fen !== word.fen;
  const [what, decline] = word.content.split("-");
  const offer = state.offer;
  if (decline !== undefined) return offer?.kind !== what;
  if (offer && offer.kind === what && offer.by === me) return true;
  switch (what) {
    case "rematch": return state.rematch !== null;
    case "takeback": return state.ply < word.ply;
    case "flag": return state.ply !== word.ply;
    default: return false;
  }
}
