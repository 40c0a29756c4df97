import assert from "node:assert/strict";
import { test } from "node:test";

import { gamesOf, isToMove, nextToMove } from "../src/arbiter/mine.ts";
import type { GameState, GameView } from "../src/arbiter/model.ts";

const WHITE_TO_MOVE = "8/8/8/8/8/8/8/8 w - - 0 1";
const BLACK_TO_MOVE = "8/8/8/8/8/8/8/8 b - - 0 1";
const LIVE = { kind: "live", base: 180, increment: 2 } as const;
const DAYS = { kind: "days", days: 3 } as const;

const view = (game: string, confirmed: Partial<GameState> | null, more: Partial<GameView> = {}): [string, GameView] => [
  game,
  {
    game, me: "white", pendingMove: null, ...more,
    confirmed: confirmed && { result: null, fen: WHITE_TO_MOVE, time: DAYS, deadline: null, createdAt: 1, ...confirmed },
  } as GameView,
];

test("games that go on are shown live first, then those to move, by deadline", () => {
  const games = new Map([
    view("theirs", { fen: BLACK_TO_MOVE, deadline: 5 }), view("later", { deadline: 30 }),
    view("untimed", { time: null }), view("soon", { deadline: 20 }), view("live", { time: LIVE, fen: BLACK_TO_MOVE }),
    view("over", { result: "1-0" }), view("watched", {}, { me: null }), view("unknown", null),
  ]);
  assert.deepEqual(gamesOf(games).map(({ game }) => game), ["live", "soon", "later", "untimed", "theirs"]);
});

test("after a move the next game is the first that waits for one, and not this", () => {
  const games = new Map([
    view("here", { deadline: 1 }),
    view("sent", { deadline: 2 }, { pendingMove: {} as GameView["pendingMove"] }),
    view("theirs", { fen: BLACK_TO_MOVE }),
    view("next", { deadline: 9 }),
  ]);
  assert.equal(isToMove(games.get("sent")!), false);
  assert.equal(nextToMove(games, "here"), "next");
  assert.equal(nextToMove(games, "next"), "here");
  assert.equal(nextToMove(new Map([view("here", {})]), "here"), null);
  assert.equal(nextToMove(new Map(), "here"), null);
});
