import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { INITIAL_FEN } from "chessops/fen";

import { addable, linesIn, textOf, withLine } from "../src/analysis/conditional.ts";
import { openingOf } from "../src/analysis/openings.ts";
import { infoIn, scoreText, whiteShare } from "../src/analysis/score.ts";
import type { GameState } from "../src/arbiter/model.ts";
import { lineFrom } from "../src/board/position.ts";

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
  const table = readFileSync(`${import.meta.dirname}/../../../layers/arbiter/python/arbiter/core/openings.tsv`, "utf8");
  assert.equal(openingOf(table, ["e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6", "Be3"]), "B90 Sicilian Defense: Najdorf Variation");
  assert.equal(openingOf(table, ["e4"]), "B00 King's Pawn Game");
  assert.equal(openingOf(table, []), null);
});

test("a line can be set from the board if it follows the game and ends with an answer of the player's", () => {
  const game = { ply: 1, fen: after(["e2e4"]) } as GameState;
  const line = lineFrom(INITIAL_FEN, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"], null)!;
  const set = (shown: number, me: "white" | "black" = "white") => addable(game, me, line, shown);
  assert.deepEqual([1, 2, 3, 4, 5].map((shown) => set(shown)?.length ?? 0), [0, 0, 2, 0, 4]);
  assert.deepEqual([1, 2, 3, 4, 5].map((shown) => set(shown, "black")?.length ?? 0), [0, 0, 0, 3, 0]);
  assert.deepEqual(set(3), ["e7e5", "g1f3"]);
  assert.equal(addable(game, "white", lineFrom(INITIAL_FEN, ["d2d4", "d7d5", "c2c4"], null)!, 3), null);
});

test("another answer to the same moves takes the place of the one before", () => {
  const lines = [["e7e5", "g1f3"], ["c7c5", "g1f3", "d7d6", "d2d4"]];
  assert.deepEqual(withLine(lines, ["e7e5", "f1c4"], false), [lines[1], ["e7e5", "f1c4"]]);
  assert.deepEqual(withLine(lines, ["c7c5", "g1f3", "e7e6", "d2d4"], false), [...lines, ["c7c5", "g1f3", "e7e6", "d2d4"]]);
  assert.deepEqual(withLine(lines, ["e7e5", "g1f3", "b8c6", "f1b5"], false), [lines[1], ["e7e5", "g1f3", "b8c6", "f1b5"]]);
  const own = [["g1f3", "b8c6", "f1b5"]];
  assert.deepEqual(withLine(own, ["f1c4", "b8c6", "d2d3"], true), [...own, ["f1c4", "b8c6", "d2d3"]]);
  assert.deepEqual(withLine(own, ["g1f3", "b8c6", "f1c4"], true), [["g1f3", "b8c6", "f1c4"]]);
});

test("what the arbiter tells is shown where it can be played, and none is a line's end", () => {
  const fen = after(["e2e4"]);
  assert.deepEqual(linesIn("e7e5 g1f3\nc7c5 g1f3\n", fen).map(({ plies }) => plies.map(({ san }) => san).join(" ")), ["e5 Nf3", "c5 Nf3"]);
  assert.deepEqual(linesIn("e7e5 e1e8\n<b>\n\n", fen), []);
  assert.deepEqual(linesIn(textOf([]), fen), []);
  assert.equal(textOf([["e7e5", "g1f3"], ["c7c5", "g1f3"]]), "e7e5 g1f3\nc7c5 g1f3");
});

function after(moves: readonly string[]): string {
  return lineFrom(INITIAL_FEN, moves, null)!.plies.at(-1)!.fen;
}
