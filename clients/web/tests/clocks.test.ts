/** The clocks of the states that other readers of a game are tried on: tests/clients/test_clocks.py. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { parseState } from "../src/arbiter/answers.ts";
import { readClock } from "../src/pages/game_clock.ts";

const rows = readFileSync(new URL("../../../tests/golden/clocks.jsonl", import.meta.url), "utf8").trim().split("\n");

for (const { case: name, now_ms, left, event } of rows.map((row) => JSON.parse(row))) {
  test(`clocks: ${name}`, () => {
    const state = parseState(event, event.pubkey);
    assert.ok(state);
    assert.deepEqual((["white", "black"] as const).map((color) => readClock(state, color, now_ms)?.left), left);
  });
}
