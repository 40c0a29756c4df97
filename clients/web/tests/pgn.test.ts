import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { gameOf, headingOf, told } from "../src/analysis/pgn.ts";
import { textOf } from "../src/analysis/pgn_file.ts";
import { readPgn } from "../src/analysis/pgn_text.ts";
import { enLater } from "../src/texts/en_later.ts";
import { addEnglish, t } from "../src/texts/index.ts";

addEnglish(enLater);

interface Case {
  readonly name: string;
  readonly text?: string;
  readonly base64?: string;
  readonly games: readonly { readonly moves: string; readonly result: string; readonly flaw?: string }[];
  readonly flaw?: string;
}

const CASES: readonly Case[] = readFileSync(new URL("./pgn.jsonl", import.meta.url), "utf8")
  .trimEnd().split("\n").map((line) => JSON.parse(line));

for (const { name, text, base64, games, flaw } of CASES) {
  test(`a file of the wild is read, or refused with a place: ${name}`, () => {
    const bytes = base64 === undefined ? new TextEncoder().encode(text) : Buffer.from(base64, "base64");
    const pgn = readPgn(textOf(bytes));
    const read = pgn.games.map(gameOf).map(({ line, result, flaw }) => {
      const moves = line.plies.map(({ san }) => san).join(" ");
      return flaw ? { moves, result, flaw: told(flaw) } : { moves, result };
    });
    assert.deepEqual(read, games);
    assert.equal(pgn.flaw ? told(pgn.flaw) : games.length ? undefined : t("pgn.none"), flaw);
    if (text !== undefined) assert.deepEqual(readPgn(text).games, pgn.games, "pasted as in a file");
  });
}

const only = (text: string) => gameOf(readPgn(text).games[0]!);

test("a player whom a PGN names by their key is shown by the ends of their npub", () => {
  const read = only(`[White "${"ab".repeat(32)}"]\n[Black "${"AB".repeat(32)}"]\n\n1. e4`);
  assert.deepEqual([read.white, read.black], ["npub14w46h…6zts", "AB".repeat(20)]);
});

test("a name is short and plain", () => {
  const { white } = only(`[White "\u202e${"x".repeat(9000)}"]\n\n1. e4`);
  assert.deepEqual([white.length, white.includes("\u202e")], [40, false]);
});

test("a name has the letters of the file's encoding", () => {
  const named = (bytes: Uint8Array) => headingOf(readPgn(textOf(bytes)).games[0]!).white;
  const text = '[White "Müller"]\n\n1. e4 *';
  const latin = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const wide = Uint8Array.from([...text].flatMap((letter) => [letter.charCodeAt(0), 0]));
  assert.deepEqual([latin, wide, new TextEncoder().encode(text)].map(named), ["Müller", "Müller", "Müller"]);
});

test("after a null move the other side moves in the same position", () => {
  const { line } = only("1. e4 e5 2. -- Nf6");
  assert.deepEqual(line.plies.slice(1, 3).map(({ fen }) => fen), [
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2",
  ]);
});

test("what is too long is read so far, and the reader hears how far", () => {
  const game = `1. e4 e5 {${"x".repeat(987)}} *\n`; // of 1,001 characters, of which two million are read
  const pgn = readPgn(game.repeat(2_100));
  assert.deepEqual([pgn.flaw?.kind, pgn.flaw?.line], ["long", 1_999]);
  assert.equal(gameOf(pgn.games[1_997]!).line.plies.length, 2);
});

test("a text that takes long to read is none: each is read in one pass", () => {
  for (const piece of ["{", "(", "[", '[A "', '[A "x"]', "1. ", "e4!", "!", "-", "\n[", "{}", "* ", "e.p.", "Nf3 Nf6 Ng1 Ng8 "]) {
    const pgn = readPgn(piece.repeat(100_000 / piece.length));
    assert.equal(pgn.flaw, null);
    if (pgn.games.length === 1) assert.ok(gameOf(pgn.games[0]!).line.plies.length <= 12_000, piece);
  }
});
