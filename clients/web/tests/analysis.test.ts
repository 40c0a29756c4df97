import assert from "node:assert/strict";
import { test } from "node:test";

import { openingOf } from "../src/analysis/openings.ts";
import { infoIn, scoreText, whiteShare } from "../src/analysis/score.ts";

test("the engine's score is told from White's side", () => {
  const line = "info depth 12 seldepth 15 multipv 1 score cp 34 nodes 1 nps 1 time 1 pv e7e5 g1f3";
  assert.deepEqual(infoIn(line, "black"), { depth: 12, score: { cp: -34 }, best: ["e7e5", "g1f3"] });
  assert.equal(infoIn("info depth 12 score cp 34 lowerbound nodes 1", "white"), null);
  assert.equal(infoIn("info string hello", "white"), null);
  assert.equal(infoIn("bestmove e2e4", "white"), null);
});

test("mate is told by who mates, also when it is on the board", () => {
  const mate = (text: string, turn: "white" | "black") => scoreText(infoIn(`info depth 1 score mate ${text}`, turn)!.score);
  assert.deepEqual([mate("3", "white"), mate("3", "black"), mate("-2", "white")], ["#3", "#−3", "#−2"]);
  assert.deepEqual([mate("0", "white"), mate("0", "black")], ["0–1", "1–0"]);
  assert.equal(whiteShare(infoIn("info depth 0 score mate 0", "white")!.score), 0);
  assert.equal(whiteShare(infoIn("info depth 0 score mate 0", "black")!.score), 1);
});

test("scores are short and shares are even at zero", () => {
  assert.deepEqual([scoreText({ cp: 134 }), scoreText({ cp: -40 }), scoreText({ cp: -3 })], ["+1.3", "−0.4", "0.0"]);
  assert.equal(whiteShare({ cp: 0 }), 0.5);
  assert.ok(whiteShare({ cp: 300 }) > 0.7 && whiteShare({ cp: 300 }) < 0.8);
});

test("an opening has the name of its longest known beginning", () => {
  assert.equal(openingOf(["e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6", "Be3"]), "B90 Sicilian Defense: Najdorf Variation");
  assert.equal(openingOf(["e4"]), "B00 King's Pawn Game");
  assert.equal(openingOf([]), null);
});
