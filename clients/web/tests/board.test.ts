import assert from "node:assert/strict";
import { test } from "node:test";

import { INITIAL_FEN } from "chessops/fen";

import { legalDestinations, moveBetween, premoveBetween, premoveDestinations, withPremoves } from "../src/board/destinations.ts";
import { drawn } from "../src/board/drawn.ts";
import { advantageOf } from "../src/board/material.ts";
import { isClaimable, lineFrom, lineOf, positionOf } from "../src/board/position.ts";
import { announced, changeOf, figurines, spokenSan, spokenSquare } from "../src/board/speech.ts";
import { typed } from "../src/board/typed.ts";
import { gameState, gameView } from "./states.ts";

const CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const CASTLING_960 = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1";
const PROMOTION = "3n3k/P1P5/8/8/8/8/8/K7 w - - 0 1";

const at = (fen: string) => positionOf(fen)!;
const move = (text: string, fen = INITIAL_FEN) => typed(text, at(fen), false, "standard");

test("a line keeps what it has worked out and continues it", () => {
  const first = lineFrom(INITIAL_FEN, ["e2e4", "e7e5"], null)!;
  const more = lineFrom(INITIAL_FEN, ["e2e4", "e7e5", "g1f3"], first)!;
  assert.equal(more.plies[0], first.plies[0]);
  assert.deepEqual(more.plies.map((ply) => ply.san), ["e4", "e5", "Nf3"]);
  assert.equal(first.plies.length, 2);
  assert.equal(lineFrom(INITIAL_FEN, ["e2e4", "e7e5"], first), first);
});

test("after a takeback the line is worked out anew", () => {
  const line = lineFrom(INITIAL_FEN, ["e2e4", "e7e5", "g1f3"], null);
  assert.deepEqual(lineFrom(INITIAL_FEN, ["e2e4", "c7c5"], line)!.plies.map((ply) => ply.san), ["e4", "c5"]);
});

test("moves that are not legal, or not given, make no line", () => {
  assert.equal(lineFrom(INITIAL_FEN, ["e2e5"], null), null);
  assert.equal(lineFrom("no position", [], null), null);
  assert.equal(lineOf({ ...gameState([]), moves: null }, null), null);
});

test("a line knows captures, en passant and the king's square in castling", () => {
  const plies = lineFrom(INITIAL_FEN, ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "a6a5", "g1f3", "a5a4", "f1e2", "a4a3", "e1g1"], null)!.plies;
  assert.deepEqual([plies[4]!.captured, plies[4]!.san], ["pawn", "exd6"]);
  assert.deepEqual([plies[10]!.from, plies[10]!.to, plies[10]!.captured], ["e1", "g1", null]);
});

test("a draw can be claimed at the third repetition and after fifty moves, not before", () => {
  const dance = ["g1f3", "g8f6", "f3g1", "f6g8"];
  assert.equal(isClaimable(lineFrom(INITIAL_FEN, dance, null)!), false);
  assert.equal(isClaimable(lineFrom(INITIAL_FEN, [...dance, ...dance], null)!), true);
  assert.equal(isClaimable(lineFrom("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", ["a1a2"], null)!), false);
  assert.equal(isClaimable(lineFrom("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", ["a1a2"], null)!), true);
});

test("the king castles by two squares and onto the rook", () => {
  const king = legalDestinations(at(CASTLING)).get("e1")!;
  for (const square of ["g1", "h1", "c1", "a1"] as const) assert.ok(king.includes(square), square);
  assert.equal(moveBetween(at(CASTLING), "e1", "g1", null, "standard"), "e1g1");
  assert.equal(moveBetween(at(CASTLING), "e1", "h1", null, "standard"), "e1g1");
  assert.equal(moveBetween(at(CASTLING), "e1", "f1", null, "standard"), "e1f1");
});

test("in Chess960 castling is written as king takes rook, however it was shown", () => {
  assert.equal(moveBetween(at(CASTLING_960), "e1", "g1", null, "chess960"), "e1g1");
  assert.equal(moveBetween(at(CASTLING_960), "e1", "c1", null, "chess960"), "e1b1");
  assert.equal(moveBetween(at(CASTLING_960), "e1", "b1", null, "chess960"), "e1b1");
});

test("a king beside its castling square steps there", () => {
  const fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
  assert.equal(moveBetween(at(fen), "f1", "g1", null, "chess960"), "f1g1");
  assert.equal(moveBetween(at(fen), "f1", "h1", null, "chess960"), "f1h1");
});

test("what is not legal is no move", () => {
  assert.equal(moveBetween(at(INITIAL_FEN), "e2", "e5", null, "standard"), null);
  assert.equal(moveBetween(at(PROMOTION), "a7", "a8", null, "standard"), null);
  assert.equal(moveBetween(at(PROMOTION), "a7", "a8", "knight", "standard"), "a7a8n");
});

test("premoves go through what may leave, capture what may come, and castle", () => {
  const start = premoveDestinations(at(INITIAL_FEN), "white");
  assert.ok(start.get("d1")!.includes("d8"));
  assert.ok(start.get("e2")!.includes("d3"));
  assert.ok(start.get("e1")!.includes("g1"));
  assert.ok(!start.get("e2")!.includes("e5"));
  assert.equal(start.has("e7"), false);
});

test("several premoves are drawn one after another", () => {
  const after = withPremoves(at(INITIAL_FEN), ["e2e4", "f1c4", "g1f3", "e1g1"], "white");
  assert.deepEqual([after.board.get(6)?.role, after.board.get(5)?.role, after.turn], ["king", "rook", "white"]);
  const promoted = withPremoves(at("7k/P7/8/8/8/8/8/K7 b - - 0 1"), ["a7a8n", "a8b6"], "white");
  assert.equal(promoted.board.get(41)?.role, "knight");
});

test("a premove of castling is written as its variant has it", () => {
  assert.equal(premoveBetween(at(CASTLING), "e1", "h1", null, "standard"), "e1g1");
  assert.equal(premoveBetween(at(CASTLING_960), "e1", "c1", null, "chess960"), "e1b1");
  assert.equal(premoveBetween(at(PROMOTION), "c7", "d8", "rook", "standard"), "c7d8r");
});

test("the board draws the pending move, then premoves on it", () => {
  const state = gameState([]);
  const line = lineOf(state, null);
  const pendingMove = { content: "e2e4", eventId: "", answers: "", signedAtMs: 0, times: 1 };
  const one = drawn(gameView("white", state, { pendingMove }), line, null, null);
  assert.equal(one.mode, "premove");
  assert.equal(one.pending?.san, "e4");
  assert.equal(one.marks.get("e4"), "pending");
  const two = drawn(gameView("white", state, { pendingMove, premoves: ["g1f3"] }), line, null, null);
  assert.equal(two.position?.board.get(21)?.role, "knight");
  assert.equal(two.marks.get("f3"), "premove");
});

test("before its moves are worked out a game has its position, its last move and what may be moved", () => {
  const state = gameState(["e2e4", "e7e5"]);
  const early = drawn(gameView("white", state), null, null, null);
  const { lastMove, fen, mode, destinations } = drawn(gameView("white", state), lineOf(state, null), null, null);
  assert.deepEqual([early.lastMove, early.fen, early.mode, early.destinations], [lastMove, fen, mode, destinations]);
  assert.deepEqual(drawn(gameView("white", gameState([])), null, null, null).lastMove, []);
});

test("a refused move snaps back: without it the board is the confirmed one", () => {
  const state = gameState([]);
  const back = drawn(gameView("white", state, { refused: { reason: "stale", text: "" } }), lineOf(state, null), null, null);
  assert.deepEqual([back.fen, back.mode, back.marks.size], [INITIAL_FEN, "move", 0]);
});

test("a move that waits for its confirmation is drawn, and nothing else can be moved", () => {
  const state = gameState([]);
  const asked = drawn(gameView("white", state), lineOf(state, null), null, "d2d4");
  assert.deepEqual([asked.mode, asked.pending?.san, asked.destinations.size], ["look", "d4", 0]);
});

test("a spectator, an earlier position and a finished game take no moves", () => {
  const state = gameState(["e2e4", "e7e5"]);
  const line = lineOf(state, null);
  assert.equal(drawn(gameView(null, state), line, null, null).mode, "look");
  assert.equal(drawn(gameView("white", { ...state, result: "1-0" }), line, null, null).mode, "look");
  const before = drawn(gameView("white", state), line, 1, null);
  assert.deepEqual([before.mode, before.lastMove], ["look", ["e2", "e4"]]);
});

test("material counts what one side has beyond the other", () => {
  const { board } = at("4k3/pp6/8/8/8/8/P7/R3K3 w - - 0 1");
  assert.deepEqual(advantageOf(board, "white"), { pieces: ["rook"], points: 4 });
  assert.deepEqual(advantageOf(board, "black"), { pieces: ["pawn"], points: 0 });
});

test("moves are typed in SAN, in UCI, with German letters, in any case", () => {
  for (const text of ["Nf3", "nf3", "Sf3", "g1f3", "g1-f3", " Nf3 ", "/Nf3"]) {
    assert.deepEqual(move(text), { kind: "move", uci: "g1f3" }, text);
  }
  assert.deepEqual(move("0-0", CASTLING), { kind: "move", uci: "e1g1" });
  assert.deepEqual(move("o-o-o", CASTLING), { kind: "move", uci: "e1c1" });
  for (const text of ["a8=n", "a8=N", "a8=S", "a7a8n", "a7a8=n"]) {
    assert.deepEqual(move(text, PROMOTION), { kind: "move", uci: "a7a8n" }, text);
  }
});

test("what is neither move nor command is unclear, whatever it holds", () => {
  for (const text of ["e5", "xyzzy", "a8", "p", "p z", "s z9", "<img src=x>", "__proto__", "\u202eevil", "e2e4e2e4"]) {
    assert.equal(move(text).kind, "unclear", text);
  }
  assert.equal(typed("e4", null, false, "standard").kind, "unclear");
});

test("while waiting a typed move becomes a premove and an empty line clears", () => {
  const waiting = withPremoves(at("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"), [], "white");
  assert.deepEqual(typed("Nf3", waiting, true, "standard"), { kind: "move", uci: "g1f3" });
  assert.deepEqual(typed("d1d8", waiting, true, "standard"), { kind: "move", uci: "d1d8" });
  assert.equal(typed("e7e5", waiting, true, "standard").kind, "unclear");
  assert.deepEqual(typed("", waiting, true, "standard"), { kind: "clear" });
});

test("lichess's commands are kept", () => {
  assert.deepEqual(["c", "l", "o", "?"].map((text) => move(text).kind), ["clocks", "last", "opponent", "help"]);
  assert.deepEqual(move("p N"), { kind: "pieces", role: "knight", color: "white" });
  assert.deepEqual(move("p n"), { kind: "pieces", role: "knight", color: "black" });
  assert.deepEqual(move("s e4"), { kind: "scan", squares: ["e4"] });
  assert.equal((move("s 4") as { squares: string[] }).squares.length, 8);
  assert.deepEqual(["abort", "resign", "draw", "takeback"].map((text) => move(text).kind), ["word", "word", "word", "word"]);
});

test("what was read out and did not happen is corrected", () => {
  const heard = (moves: string, pending: string | null = null) => ({ moves: moves.split(" ").filter(Boolean), pending });
  const cases: [ReturnType<typeof heard>, ReturnType<typeof heard>, string[], string | null, boolean][] = [
    [heard("e4"), heard("e4 e5"), ["e5"], null, false],
    [heard("e4 e5"), heard("e4 e5", "Nf3"), ["Nf3"], null, false],
    // confirmed, alone and with its answer
    [heard("e4 e5", "Nf3"), heard("e4 e5 Nf3"), [], null, false],
    [heard("e4 e5", "Nf3"), heard("e4 e5 Nf3 Nc6"), ["Nc6"], null, false],
    // refused; refused and another one sent; another one played from elsewhere
    [heard("e4 e5", "Nf3"), heard("e4 e5"), [], "Nf3", false],
    [heard("e4 e5", "Nf3"), heard("e4 e5", "Nc3"), ["Nc3"], "Nf3", false],
    [heard("e4 e5", "Nf3"), heard("e4 e5 Nc3"), ["Nc3"], "Nf3", false],
    // taken back, also while one is pending; and another one played at once
    [heard("e4 e5 Nf3"), heard("e4 e5"), [], null, true],
    [heard("e4 e5", "Nf3"), heard("e4"), [], null, true],
    [heard("e4 e5"), heard("e4 c5"), ["c5"], null, true],
    [heard("e4 e5"), heard("e4 e5"), [], null, false],
  ];
  for (const [before, now, news, unplayed, isTakenBack] of cases) {
    assert.deepEqual(changeOf(before, now), { news, unplayed, isTakenBack }, JSON.stringify([before, now]));
  }
});

test("moves are read out in words, and the same move twice differs", () => {
  assert.equal(spokenSan("Nxf3+"), "knight takes f 3, check");
  assert.equal(spokenSan("O-O-O#"), "castles queenside, checkmate");
  assert.equal(spokenSan("exd8=Q"), "pawn e takes d 8 becomes queen");
  assert.notEqual(announced(["Nf3"], 1), announced(["Nf3"], 2));
  assert.equal(announced(["e5", "Nf3"], 3), "pawn e 5; knight f 3");
  assert.equal(spokenSquare("e2", at(INITIAL_FEN).board, "e2", false), "e2, white pawn, selected");
  assert.equal(figurines("Nf3"), "♞\ufe0ef3");
});
