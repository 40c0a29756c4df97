import assert from "node:assert/strict";
import { test } from "node:test";

import type { OwnWaiting } from "../src/arbiter/lobby_session.ts";
import { Storage } from "../src/arbiter/storage.ts";
import { storage } from "./kept.ts";
import { ARBITER, AT, BLACK, GAME, WHITE } from "./signed.ts";

const TERMS = { time: null, rated: false, variant: "standard", color: "random", rating: null, start: null, bots: false } as const;
const WAITING: OwnWaiting = {
  key: 1, kind: "open", requestId: "cd".repeat(32), terms: TERMS, opponent: null, house: true, place: 2, sinceMs: 0, confirmed: true, isBack: false,
  secretLink: "x", challenge: GAME, linkSecret: "07".repeat(32),
};
const CHALLENGE = { id: GAME, challenger: BLACK, terms: TERMS, expiresAt: AT };
const NAME = `arbiter.play.${ARBITER.slice(0, 16)}.${WHITE.slice(0, 16)}`;
const NOTHING = { waiting: [], challenges: [], unanswered: new Map() };

test("what waits, challenges and unanswered words are there after the page was loaded again", () => {
  const values = storage();
  const unanswered = new Map([[GAME, { content: "e2e4", fen: "x" }]]);
  new Storage(values, ARBITER, WHITE).write({ waiting: [WAITING], challenges: [CHALLENGE], unanswered });
  assert.deepEqual(new Storage(values, ARBITER, WHITE).read(), { waiting: [WAITING], challenges: [CHALLENGE], unanswered });
  assert.deepEqual(new Storage(values, ARBITER, BLACK).read(), NOTHING, "of another player");
});

test("whether a program is asked, and the place in the line, are read as such or as none", () => {
  for (const [house, place, read] of [[undefined, undefined, [false, null]], ["x", "1", [false, null]], [true, 3, [true, 3]]] as const) {
    const values = storage();
    values.setItem(NAME, JSON.stringify({ waiting: [{ ...WAITING, house, place }] }));
    const one = new Storage(values, ARBITER, WHITE).read().waiting[0];
    assert.deepEqual([one?.house, one?.place], read);
  }
});

test("whatever was written there by others, it is read as nothing", () => {
  for (const text of [
    "", "{", "null", "7", "[]", "{}", '{"waiting":7,"challenges":{},"unanswered":"x"}',
    '{"waiting":[null,7,{},{"kind":"open"},{"kind":"x","requestId":"' + "0".repeat(64) + '","terms":null}]}',
    '{"challenges":[null,{"id":"x"}],"unanswered":[null,[],["x",{}],["' + GAME + '",{}],["' + GAME + '"]]}',
  ]) {
    const values = storage();
    values.setItem(NAME, text);
    assert.deepEqual(new Storage(values, ARBITER, WHITE).read(), NOTHING, text);
  }
});

test("where nothing can be written the game goes on", () => {
  const full = { ...storage(), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
  new Storage(full, ARBITER, WHITE).write(NOTHING);
});
