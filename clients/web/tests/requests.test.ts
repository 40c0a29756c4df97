import assert from "node:assert/strict";
import { test } from "node:test";

import { schnorr } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

import { playersLine, spectatorsLine, stateQuestion, wordEvent } from "../src/arbiter/events.ts";
import type { Terms } from "../src/arbiter/model.ts";
import { parseChallengeLink, requestEvent, type Ask } from "../src/arbiter/requests.ts";
import { ARBITER, AT, BLACK, GAME, stateAfter, WHITE } from "./signed.ts";

const PLAIN: Terms = { time: null, rated: false, variant: "standard", color: "random", rating: null, start: null, bots: false };
const LINK_SECRET = "07".repeat(32);
const ID = "ef".repeat(16);
const tagsOf = (ask: Ask) => requestEvent(ask, ARBITER, WHITE, AT)?.tags.slice(1);

test("a request without terms names the arbiter, and that it is casual", () => {
  assert.deepEqual(requestEvent({ kind: "pool", terms: PLAIN }, ARBITER, WHITE, AT), {
    kind: 20300, created_at: AT, tags: [["p", ARBITER], ["mode", "casual"]], content: "",
  });
});

test("every term is a tag", () => {
  const terms: Terms = {
    time: { kind: "live", base: 180, increment: 2 }, rated: true, variant: "chess960", color: "black",
    rating: { from: 1400, to: 1800 }, start: "8/8/8/8/8/8/8/8 w - - 0 1", bots: true,
  };
  assert.deepEqual(tagsOf({ kind: "pool", terms }), [
    ["time", "180+2"], ["mode", "rated"], ["color", "black"], ["rating", "1400", "1800"],
    ["variant", "chess960"], ["start", "8/8/8/8/8/8/8/8 w - - 0 1"], ["bots", "welcome"],
  ]);
  assert.deepEqual(tagsOf({ kind: "challenge", opponent: BLACK, terms: { ...PLAIN, time: { kind: "days", days: 3 } } }), [
    ["time", "3d"], ["mode", "casual"], ["challenge", BLACK],
  ]);
});

test("an open challenge shows the public half of its link, which only the secret half can accept", () => {
  const [, [, open, key] = []] = tagsOf({ kind: "open", terms: PLAIN, linkSecret: LINK_SECRET })!;
  assert.equal(open, "open");
  const accepted = requestEvent({ kind: "accept", challenge: `${ID}-${LINK_SECRET}` }, ARBITER, WHITE, AT)!;
  assert.equal(accepted.content, `accept:${ID}`);
  const [name, proof] = accepted.tags[1]!;
  assert.equal(name, "proof");
  const said = (me: string) => sha256(utf8ToBytes(`accept:${ID}:${me}`));
  assert.ok(schnorr.verify(hexToBytes(proof!), said(WHITE), hexToBytes(key!)));
  assert.ok(!schnorr.verify(hexToBytes(proof!), said(BLACK), hexToBytes(key!)));
  assert.deepEqual(tagsOf({ kind: "open", terms: PLAIN, linkSecret: null }), [["mode", "casual"], ["challenge", "open"]]);
});

test("a challenge that is named by no id is not asked about", () => {
  for (const challenge of ["", "x", ID.slice(1), `${ID}-`, `${ID}-12`, `${ID}-${LINK_SECRET}-x`, `${ID}:accept`]) {
    assert.equal(parseChallengeLink(challenge), null, challenge);
    assert.equal(requestEvent({ kind: "accept", challenge }, ARBITER, WHITE, AT), null);
    assert.equal(requestEvent({ kind: "decline", challenge, reason: "later" }, ARBITER, WHITE, AT), null);
  }
  assert.deepEqual(parseChallengeLink(` ${ID.toUpperCase()} `), { id: ID, secret: null });
});

test("a link whose secret is no key is accepted without a proof", () => {
  const event = requestEvent({ kind: "accept", challenge: `${ID}-${"0".repeat(64)}` }, ARBITER, WHITE, AT);
  assert.deepEqual(event?.tags, [["p", ARBITER]]);
});

test("a reason to decline that the protocol does not know is generic", () => {
  const content = (reason: string) =>
    requestEvent({ kind: "decline", challenge: ID, reason }, ARBITER, WHITE, AT)?.content;
  assert.equal(content("tooFast"), `decline:${ID}:tooFast`);
  assert.equal(content("<b>"), `decline:${ID}:generic`);
});

test("a word names its game, the state that it answers, the arbiter and both players", () => {
  const state = stateAfter([], 1);
  assert.deepEqual(wordEvent(ARBITER, state, "e2e4", state.eventId, AT).tags, [
    ["d", GAME], ["e", state.eventId], ["p", ARBITER], ["p", WHITE], ["p", BLACK],
  ]);
  assert.deepEqual(stateQuestion(ARBITER, GAME, AT), {
    kind: 20303, created_at: AT, tags: [["d", GAME], ["p", ARBITER]], content: "state",
  });
});

test("a line for players names its reader, one for spectators its game alone", () => {
  assert.deepEqual(playersLine(GAME, BLACK, "…", AT).tags, [["d", GAME], ["p", BLACK]]);
  assert.deepEqual(spectatorsLine(GAME, "hi", null, AT).tags, [["d", GAME]]);
  assert.deepEqual(spectatorsLine(GAME, "hi", ARBITER, AT).tags, [["d", GAME], ["p", ARBITER]]);
});
