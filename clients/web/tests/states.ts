/** States of one game, in which the reader has White, and views of them. */

import { INITIAL_FEN, makeFen } from "chessops/fen";

import type { Color, GameState, GameView } from "../src/arbiter/model.ts";
import { lineFrom } from "../src/board/position.ts";
import { turnOf } from "../src/shared/fen.ts";

export const GAME = "ccef53494271dfb36f4352d37b932950";
const CLOCK = { white: 180_000, black: 180_000 };

/** The state of a rated game of 3+2 after these moves. */
export function gameState(moves: readonly string[], change: Partial<GameState> = {}): GameState {
  const line = lineFrom(INITIAL_FEN, moves, null);
  if (!line) throw new Error(`not legal: ${moves.join(" ")}`);
  const fen = makeFen(line.end.toSetup());
  const clock = change.clock ?? CLOCK;
  const now = Date.now();
  return {
    eventId: `${moves.length}`.padStart(64, "0"),
    createdAt: Math.floor(now / 1000),
    game: GAME,
    white: "a0a901be28168542495ddf469dcacf76f940ed15a2b6ae9f628bf37624dc6553",
    black: "66869f8504b150e5b22d01c81c65c206ef5945d27ee5a8705e9b10725b6208d1",
    version: moves.length + 1,
    ply: moves.length,
    fen,
    moves,
    time: { kind: "live", base: 180, increment: 2 },
    clock,
    deadline: now + (moves.length < 2 ? 30_000 : clock[turnOf(fen)] + 1000),
    rated: true,
    variant: "standard",
    start: null,
    placeholders: [],
    offer: null,
    away: { white: null, black: null },
    vacation: { white: null, black: null },
    result: null,
    termination: null,
    rematch: null,
    tournament: null,
    round: "",
    ...change,
  };
}

export function gameView(me: Color | null, confirmed: GameState, change: Partial<GameView> = {}): GameView {
  return {
    game: GAME, me, confirmed, pendingMove: null, pendingWords: [], premoves: [],
    refused: null, chat: [], note: null, strikes: null, ...change,
  };
}
