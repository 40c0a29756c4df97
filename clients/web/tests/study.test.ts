import assert from "node:assert/strict";
import { test } from "node:test";

import { parsePgn, type Node, type PgnNodeData } from "chessops/pgn";

import { readFen } from "../src/analysis/fen.ts";
import { gameOf, writePgn, type Game } from "../src/analysis/pgn.ts";
import { readPgn } from "../src/analysis/pgn_text.ts";
import { BEGINNING, deleted, depthOf, lineThrough, placeAt, promoted, withMove, type Moves, type Place, type Study } from "../src/analysis/study.ts";
import { legalDestinations, moveBetween } from "../src/board/destinations.ts";
import { played, positionOf } from "../src/board/position.ts";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const EMPTY: Study = { start: START, variant: "standard", moves: [] };

/** The same numbers for the same seed. */
function dice(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** The moves as SAN, with side lines in parentheses. */
function written(moves: Moves): string {
  return moves.map(({ ply, sides }) => [ply.san, ...sides.map((side) => `(${written(side)})`)].join(" ")).join(" ");
}

function only(text: string): Game {
  return gameOf(readPgn(text).games[0]!);
}

function studyOf(text: string): Study {
  const { line, variant, moves } = only(text);
  return { start: line.start, variant, moves };
}

function fenAt(study: Study, place: Place): string {
  return lineThrough(study, place).plies[depthOf(place) - 1]?.fen ?? study.start;
}

/** Plays a move, by number among the legal ones. */
function step(study: Study, place: Place, number: number): [Study, Place] {
  const position = positionOf(fenAt(study, place))!;
  const all = [...legalDestinations(position)].flatMap(([from, goals]) => goals.map((to) => [from, to] as const));
  if (!all.length) return [study, place];
  const [from, to] = all[number % all.length]!;
  const uci = moveBetween(position, from, to, null, "standard") ?? moveBetween(position, from, to, "queen", "standard");
  return withMove(study, place, played(position, uci!)!);
}

/** A place of the study, by number. */
function somewhere(study: Study, roll: (below: number) => number): Place {
  let place: Place = BEGINNING;
  let line = study.moves;
  for (;;) {
    const plies = roll(line.length + 1);
    const sides = line[plies]?.sides.length ?? 0;
    if (!sides || roll(2)) return plies === 0 && place.turns.length ? { ...place, plies: 1 } : { ...place, plies };
    const side = roll(sides);
    place = { turns: [...place.turns, { ply: plies, side }], plies: 0 };
    line = line[plies]!.sides[side]!;
  }
}

/** What study.ts promises of its trees, and that each move is legal where it is. */
function holds({ start, moves }: Study): void {
  const check = (line: Moves, fen: string, isSide: boolean): void => {
    let before = fen;
    for (const [index, { ply, sides }] of line.entries()) {
      const firsts = [ply, ...sides.map((side) => side[0]!.ply)];
      assert.equal(new Set(firsts.map(({ uci }) => uci)).size, firsts.length, `twice the same move in ${written(line)}`);
      if (isSide && index === 0) assert.deepEqual(sides, [], "a sibling hangs on a sibling");
      for (const first of firsts) assert.equal(played(positionOf(before)!, first.uci)?.fen, first.fen);
      for (const side of sides) check(side, before, true);
      before = ply.fen;
    }
  };
  check(moves, start, false);
}

/** Positions of a tree, each once for each way to it. */
function count(moves: Moves): number {
  return moves.reduce((sum, { sides }) => sides.reduce((all, side) => all + count(side), sum + 1), 0);
}

for (const seed of Array(10).keys()) {
  test(`any work on a study leaves a tree of legal moves (seed ${seed})`, () => {
    const roll = dice(seed);
    let [study, place]: [Study, Place] = [EMPTY, BEGINNING];
    for (let work = 0; work < 60; work++) {
      const before = study;
      const size = count(study.moves);
      const fen = fenAt(study, place);
      const kind = roll(10);
      if (kind < 6) {
        [study, place] = step(study, place, roll(4));
        assert.ok([size, size + 1].includes(count(study.moves)), "a move adds one position, or is there already");
      } else if (kind < 8) place = somewhere(study, roll);
      else if (kind === 8) {
        [study, place] = promoted(study, place);
        assert.deepEqual([count(study.moves), fenAt(study, place)], [size, fen], "a promoted line loses nothing, and the reader stays");
      } else {
        const [after, at] = deleted(study, place);
        if (depthOf(place)) assert.ok(count(after.moves) < size);
        assert.equal(fenAt(after, at), lineThrough(study, place).plies[depthOf(place) - 2]?.fen ?? START, "the move before is shown");
        [study, place] = roll(2) ? [after, at] : [study, place];
      }
      holds(study);
      if (before !== study) holds(before);
      const depth = depthOf(place);
      assert.deepEqual(placeAt(place, depth), place);
      for (const ply of [0, depth - 1].filter((it) => it >= 0)) {
        const back = placeAt(place, ply);
        assert.equal(depthOf(back), ply);
        assert.equal(fenAt(study, back), lineThrough(study, place).plies[ply - 1]?.fen ?? START);
      }
    }
    const text = writePgn(study, new Map([["White", 'A"\\']]));
    assert.equal(written(studyOf(text).moves), written(study.moves), text);
    assert.equal(written(studyOf(text).moves), inChessops(text), "another reader sees the same lines");
  });
}

/** By chessops' own reader. */
function inChessops(text: string): string {
  const line = (node: Node<PgnNodeData>): string => {
    const [main, ...sides] = node.children;
    if (!main) return "";
    const others = sides.map((side) => `(${[side.data.san, line(side)].filter(Boolean).join(" ")})`);
    return [main.data.san, ...others, line(main)].filter(Boolean).join(" ");
  };
  return line(parsePgn(text)[0]!.moves);
}

test("variations of a file are side lines, whatever they instead share with the game", () => {
  const cases = {
    "1. e4 e5 (1... c5 2. Nf3 (2. Nc3 Nc6) d6) 2. Nf3 *": "e4 e5 (c5 Nf3 (Nc3 Nc6) d6) Nf3",
    "1. e4 (1. d4 (1. c4) d5) (1. Nf3) e5 *": "e4 (d4 d5) (c4) (Nf3) e5",
    "1. e4 e5 (1... e5 2. Bc4) 2. Nf3 *": "e4 e5 Nf3 (Bc4)",
    "1. e4 e5 (1... c5 2. Nf3) (1... c5 2. Nc3) *": "e4 e5 (c5 Nf3 (Nc3))",
    "1. e4 (1. e4 e5) *": "e4 e5",
    "1. e4 () e5 ({nothing}) *": "e4 e5",
    "1. e4 e5 (1... c5 {or} 1-0) 2. d4 *": "e4 e5 (c5) d4",
    "1. e4 e5 2. -- (2. Bc4 -- 3. d4) Nf6 *": "e4 e5 -- (Bc4 -- d4) Nf6",
  };
  for (const [text, lines] of Object.entries(cases)) assert.equal(written(studyOf(text).moves), lines, text);
});

test("comments stay with their moves, cleaned, and are written again", () => {
  const said = "[White \"A\"]\n\n{Paris}\n1. e4 {best} {[%clk 0:01:00] by\u202e test} e5 ; old\n2. Nf3 (2. f4 {sharp}) 2... Nc6 *";
  const comments = (moves: Moves): unknown[] =>
    moves.flatMap(({ comment, sides }) => [comment, ...sides.map(comments)]);
  const expected = ["best by test", "old", undefined, ["sharp"], undefined];
  const [before, again] = [readPgn(said).games[0]!, writePgn(studyOf(said), new Map([["Result", "*"]]), readPgn(said).games[0]!.comment)];
  assert.deepEqual([before.comment, before.hasMore], ["Paris", false]);
  for (const text of [said, again]) assert.deepEqual(comments(studyOf(text).moves), expected, text);
  assert.equal(readPgn(again).games[0]!.comment, "Paris");
});

test("a comment of no move is left out, and said to be", () => {
  for (const text of ["1. e4 ({before} d4) *", "1. e4 [\n{after a flaw} *", "1. e4 $1 *"]) {
    const [game] = readPgn(text).games;
    assert.deepEqual([game!.words.some(({ comment }) => comment), game!.hasMore], [false, true], text);
  }
});

test("what is deleted is the move and what follows, and the next side line takes its place", () => {
  const study = studyOf("1. e4 (1. d4 d5 (1... Nf6)) (1. c4) e5 2. Nf3 *");
  const after = (place: Place): string => written(deleted(study, place)[0].moves);
  assert.equal(after({ turns: [], plies: 1 }), "d4 (c4) d5 (Nf6)");
  assert.equal(after({ turns: [], plies: 2 }), "e4 (d4 d5 (Nf6)) (c4)");
  assert.equal(after({ turns: [{ ply: 0, side: 0 }], plies: 1 }), "e4 (c4) e5 Nf3");
  assert.equal(after({ turns: [{ ply: 0, side: 0 }], plies: 2 }), "e4 (d4 Nf6) (c4) e5 Nf3");
  assert.equal(after(BEGINNING), written(study.moves));
});

test("a flaw of a variation is told, and the game goes on after it", () => {
  const game = only("1. e4 e5 (1... c5 2. Ke3 d6) 2. Nf3 (2. Zb) Nc6 *");
  assert.equal(game.flaw, null);
  assert.equal(game.sideFlaw?.what, "Ke3");
  assert.equal(written(game.moves), "e4 e5 (c5) Nf3 Nc6");
});

test("after a flaw of the game variations hang on no move", () => {
  const game = only("1. e4 e5 2. Ke3 Nc6 (2... d6) 3. d4 (3. c3) *");
  assert.deepEqual([written(game.moves), game.flaw?.what], ["e4 e5", "Ke3"]);
});

test("variations without end neither halt the reader nor the page", () => {
  for (const text of ["1. e4 ".concat("(1. d4 ".repeat(30_000)), "1. e4 (1. d4) ".repeat(3000), `1. e4 ${"(1. d4 Nf6 2. c4) ".repeat(9000)}`])
    assert.ok(count(only(text).moves) <= 12_000);
});

test("a study from a position keeps it, with numbers and castling of Chess960", () => {
  const fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 b GBgb - 3 17";
  const study = studyOf(`[Variant "Chess960"]\n[FEN "${fen}"]\n\n17... O-O (17... O-O-O 18. O-O) 18. O-O-O *`);
  const text = writePgn(study, new Map([["FEN", "of another game"]]));
  assert.match(text, /\[Variant "Chess960"\]\n\[SetUp "1"\]\n\[FEN ".+ b .+ 3 17"\]\n\n17\.\.\. O-O \( 17\.\.\. O-O-O 18\. O-O \) 18\. O-O-O \*/);
  assert.equal(written(studyOf(text).moves), written(study.moves));
});

test("a FEN that no game is played from is refused with the reason", () => {
  const cases = {
    "": "fen.unreadable",
    "hello": "fen.unreadable",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1": "fen.unreadable",
    "8/8/8/8/8/8/8/8 w - - 0 1": "fen.kings",
    "k7/8/8/8/8/8/8/8 w - - 0 1": "fen.kings",
    "kK6/8/8/8/8/8/8/K7 w - - 0 1": "fen.kings",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1": "fen.check",
    "P3k3/8/8/8/8/8/8/4K3 w - - 0 1": "fen.pawns",
    "4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 b - - 0 1": "fen.many",
    "4k3/8/8/8/8/PPP5/PPPPPPP1/4K3 w - - 0 1": "fen.many",
    "8/8/8/4k3/4R3/8/8/K3Q3 w - - 0 1 +0+0": "fen.unreadable",
  };
  for (const [fen, reason] of Object.entries(cases)) assert.equal(readFen(fen), reason, fen);
  for (const fen of [START, "4k3/8/8/8/8/8/8/4K3_w_-_-_0_1", " 4k3/8/8/8/8/8/8/4K3  w - -\n", "4k3/8/8/8/8/8/8/4K3"])
    assert.equal(typeof readFen(fen), "object", fen);
});
