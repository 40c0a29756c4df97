import assert from "node:assert/strict";
import { test } from "node:test";

import { ArbiterClock } from "../src/arbiter/arbiter_clock.ts";
import { Games } from "../src/arbiter/games.ts";
import type { Outbox } from "../src/arbiter/outbox.ts";
import { localSigner } from "../src/identity/local.ts";
import { UNKNOWN } from "../src/net/offset.ts";
import { ARBITER, AT, byStranger, GAME, stateEvent, WHITE_SECRET } from "./signed.ts";

const nowMs = (): number => AT * 1000;

function watching(changed: () => void = () => {}): Games {
  const word = async () => byStranger(20301, "e2e4", []);
  const outbox = { sentMs: () => null, word, send: () => {} } as unknown as Outbox;
  const listener = { changed, said: () => {}, found: () => {} };
  const clock = new ArbiterClock(UNKNOWN, nowMs);
  const games = new Games(ARBITER, localSigner(WHITE_SECRET), outbox, clock, nowMs, new Map(), listener);
  games.open(GAME);
  return games;
}

test("a state is old once a newer one of its game is known, or the same one signed later", () => {
  const games = watching();
  const first = stateEvent([], 1);
  assert.equal(games.isOld(first), false);
  games.heard(stateEvent(["e2e4"], 2));
  assert.equal(games.isOld(first), true);
  assert.equal(games.isOld(stateEvent(["e2e4"], 2)), true);
  assert.equal(games.isOld(stateEvent(["e2e4"], 2, [], AT + 1)), false);
  assert.equal(games.isOld(stateEvent(["e2e4", "e7e5"], 3, [], AT - 1)), false);
  const other = stateEvent([], 1);
  assert.equal(games.isOld({ ...other, tags: [["d", "cd".repeat(16)], ["version", "1"]] }), false);
});

test("what a stranger claims of a version makes no state old", () => {
  const games = watching();
  games.heard(byStranger(20302, stateEvent([], 1).content, stateEvent([], 99).tags));
  assert.equal(games.isOld(stateEvent([], 1)), false);
});

test("a move is shown when it is made, and not once more when it is signed", async () => {
  let shown = 0;
  const games = watching(() => (shown += 1));
  games.heard(stateEvent([], 1));
  const before = shown;
  games.step(GAME, { type: "move", uci: "e2e4" });
  assert.equal(shown, before + 1);
  await new Promise(setImmediate);
  assert.ok(games.view(GAME)?.pendingMove?.eventId);
  assert.equal(shown, before + 1);
});
