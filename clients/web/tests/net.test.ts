import assert from "node:assert/strict";
import { test } from "node:test";

import { npubEncode, nprofileEncode } from "nostr-tools/nip19";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

import { ArbiterClock } from "../src/arbiter/arbiter_clock.ts";
import { houseOf } from "../src/arbiter/profiles.ts";
import type { NostrEvent } from "../src/net/event.ts";
import { signedBy } from "../src/identity/local.ts";
import { browser } from "../src/net/browser.ts";
import { discover, pubkeyOf } from "../src/net/discovery.ts";
import { getEventHash } from "nostr-tools/pure";
import { leadingZeros, mined } from "../src/net/mining.ts";
import { observe, offsetOf, UNKNOWN } from "../src/net/offset.ts";
import { relayUrl } from "../src/net/url.ts";
import { ARBITER, AT, stateAfter, WHITE, WHITE_SECRET } from "./signed.ts";
import { Net } from "./sockets.ts";

test("the offset is found however the way is divided, and never further off than the shortest round trip", () => {
  let seed = 11;
  const chance = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
  for (let round = 0; round < 200; round += 1) {
    const offset = chance(2_000_000) - 1_000_000;
    let bounds = UNKNOWN;
    let local = 1_800_000_000_000;
    let shortest = Infinity;
    for (let answer = 0; answer < 20; answer += 1) {
      local += 500 + chance(3_000);
      const [there, back] = [chance(120), chance(120)];
      const made = local + there + offset;
      const exact = answer % 3 === 0;
      if (exact) shortest = Math.min(shortest, there + back);
      const fromMs = exact ? made : Math.floor(made / 1000) * 1000;
      bounds = observe(bounds, { fromMs, toMs: exact ? made + 10 : fromMs + 1000 }, local, local + there + back);
    }
    assert.ok(Math.abs(offsetOf(bounds) - offset) <= shortest + 20, `${offsetOf(bounds)} is not ${offset}`);
  }
});

test("while nothing is known, or only what any clock fulfils, the offset is 0", () => {
  assert.equal(offsetOf(UNKNOWN), 0);
  assert.equal(offsetOf(observe(UNKNOWN, { fromMs: 0, toMs: 1 }, null, AT * 1000)), 0);
  assert.equal(offsetOf(observe(UNKNOWN, { fromMs: 700_000, toMs: 701_000 }, null, 100_000)), 600_000);
});

test("a clock that was set anew makes old bounds void", () => {
  const before = observe(UNKNOWN, { fromMs: 100_000, toMs: 100_010 }, 99_990, 100_010);
  const after = observe(before, { fromMs: 200_000, toMs: 200_010 }, 99_990, 100_050);
  assert.ok(Math.abs(offsetOf(after) - 99_980) < 50);
});

test("a deadline tells the arbiter's clock to the millisecond, but in answers to questions", () => {
  const began = AT * 1000 + 456;
  const tags = (since: number) => [["time", "180+2"], ["clock", "180000", "179000"], ["deadline", String(since + 180_000 + 1_000)]];
  const clock = new ArbiterClock(UNKNOWN, () => began + 30_000 + 20);
  clock.heardState(stateAfter(["e2e4", "e7e5"], 3, tags(began)), began + 30_000 - 20);
  assert.ok(Math.abs(clock.offsetMs + 30_000) <= 20, String(clock.offsetMs));
  const later = new ArbiterClock(UNKNOWN, () => AT * 1000 + 500);
  later.heardState(stateAfter(["e2e4", "e7e5"], 3, tags(began - 60_000)), null);
  assert.equal(later.offsetMs, 0);
  assert.equal(later.seconds(), AT);
});

test("work is found, committed to, and kept by the signature", async () => {
  const template = { kind: 20300, created_at: AT, tags: [["p", ARBITER]], content: "" };
  assert.equal(await mined(template, WHITE, 0, Date.now), template);
  const worked = await mined(template, WHITE, 10, Date.now);
  assert.deepEqual([worked.tags[0], worked.tags[1]?.[0], worked.tags[1]?.[2]], [["p", ARBITER], "nonce", "10"]);
  const event = signedBy(WHITE_SECRET, worked);
  assert.ok(BigInt(`0x${event.id}`) < 1n << 246n);
  assert.equal(event.id, getEventHash({ ...event, tags: event.tags.map((tag) => [...tag]) }));
  assert.equal(leadingZeros(new Uint8Array([0, 0x1f, 0xff])), 11);
  assert.equal(leadingZeros(sha256(utf8ToBytes("x"))), 2);
});

test("a relay's address has one spelling, and is no other kind of address", () => {
  assert.equal(relayUrl(" WSS://Relay.Example/ "), "wss://relay.example");
  assert.equal(relayUrl("wss://relay.example:443/chess#x"), "wss://relay.example/chess");
  for (const text of [undefined, null, "", "relay.example", "https://x.example", "javascript:alert(1)", "wss://u:p@x.example", `wss://${"x".repeat(400)}`]) {
    assert.equal(relayUrl(text), null);
  }
});

test("a player is named by hex, npub or nprofile, and by nothing else", () => {
  for (const text of [WHITE, WHITE.toUpperCase(), npubEncode(WHITE), ` nostr:${npubEncode(WHITE)}`, nprofileEncode({ pubkey: WHITE, relays: [] })]) {
    assert.equal(pubkeyOf(text), WHITE, text);
  }
  for (const text of ["", "npub1", `${WHITE}0`, npubEncode(WHITE).slice(0, -1), "ann@chess.example", "nsec1x"]) {
    assert.equal(pubkeyOf(text), null, text);
  }
});

/** Answers of servers by address; what is not there is refused. */
function serving(pages: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}, status = 200): typeof fetch {
  return async (url) => {
    if (!(String(url) in pages)) throw new TypeError("Failed to fetch");
    const page = pages[String(url)];
    return new Response(typeof page === "string" ? page : JSON.stringify(page), { headers, status });
  };
}

const NAMES = "https://chess.example/.well-known/nostr.json?name=_";
const ROOT = "https://chess.example/";
const names = { names: { _: ARBITER }, relays: { [ARBITER]: ["wss://relay.example", "wss://chess.example/", "http://no", 7] } };
const document = { self: ARBITER, name: "Chess\u202E club" };
const fromOrigin = (pages: Readonly<Record<string, unknown>>, headers = {}) =>
  discover({ origin: "https://chess.example", arbiter: null, relays: null }, serving(pages, headers), browser);

test("the page's origin tells the key, the relays, which is the gateway, and the name", async () => {
  const found = await fromOrigin({ [NAMES]: names, [ROOT]: document });
  assert.deepEqual(found?.info, {
    pubkey: ARBITER, name: "Chess club", relays: ["wss://relay.example", "wss://chess.example"],
    gateway: "wss://chess.example", http: "https://chess.example", house: [],
  });
});

test("one of both documents is enough", async () => {
  assert.deepEqual((await fromOrigin({ [NAMES]: names }))?.info, {
    pubkey: ARBITER, name: "", relays: ["wss://relay.example", "wss://chess.example"], gateway: null, http: "https://chess.example", house: [],
  });
  assert.deepEqual((await fromOrigin({ [ROOT]: document }))?.info.relays, ["wss://chess.example"]);
});

test("the programs of the house are named by the arbiter's own document; what cannot be read is left out", async () => {
  const house = [{ pubkey: WHITE, level: 3 }, null, 7, {}, { pubkey: WHITE, level: 9 }, { pubkey: WHITE, level: "3" }, { pubkey: "<img>", level: 1 }, { pubkey: WHITE, level: 1.5 }];
  assert.deepEqual((await fromOrigin({ [NAMES]: names, [ROOT]: { ...document, house } }))?.info.house, [{ pubkey: WHITE, level: 3 }]);
  for (const wrong of ["no list", {}, null, Array(200).fill({})]) {
    assert.deepEqual((await fromOrigin({ [NAMES]: names, [ROOT]: { ...document, house: wrong } }))?.info.house, []);
  }
  // Another relay's document speaks for itself.
  assert.deepEqual((await fromOrigin({ [NAMES]: names, [ROOT]: { self: WHITE, house } }))?.info.house, []);
  const tags = [["d", "chess"], ["k", "20300"], ["house", WHITE, "8"], ["house", WHITE], ["house", "x", "1"], ["house"]];
  assert.deepEqual(houseOf({ tags } as unknown as NostrEvent), [{ pubkey: WHITE, level: 8 }]);
});

test("the date of an answer sets the clock, but not that of a copy in a cache", async () => {
  const date = { date: new Date(Date.now() + 600_000).toUTCString() };
  const fresh = await fromOrigin({ [NAMES]: names, [ROOT]: document }, date);
  assert.ok(Math.abs(offsetOf(fresh!.clock) - 600_000) < 2_500);
  const kept = await fromOrigin({ [NAMES]: names, [ROOT]: document }, { ...date, age: "50" });
  assert.equal(kept!.clock.high, Infinity);
});

test("an origin that is no arbiter's is none, whatever it answers", async () => {
  for (const page of ["<html>", "null", "[]", {}, { names: [] }, { names: { _: "no key" } }, { self: 7 }, { names: { _: ARBITER.toUpperCase() } }]) {
    assert.equal(await fromOrigin({ [NAMES]: page, [ROOT]: page }), "none");
  }
});

test("where nothing answers it is not said that there is none", async () => {
  assert.equal(await fromOrigin({}), "unreachable");
  assert.equal(await fromOrigin({ [ROOT]: "<html>" }), "none");
  const key = { origin: "https://static.example", arbiter: npubEncode(ARBITER), relays: "wss://relay.example" };
  for (const [isThere, found] of [[false, "unreachable"], [true, "object"]] as const) {
    const net = new Net();
    const finding = discover(key, serving({}), net.around);
    if (isThere) net.socket("wss://relay.example").opens().says("CLOSED", "where", "auth-required: who are you?");
    net.pass(4_000);
    const answer = await finding;
    assert.equal(typeof answer === "string" ? answer : "object", found);
  }
});

test("what a proxy answers for an arbiter that is away does not say that there is none", async () => {
  const start = { origin: "https://chess.example", arbiter: null, relays: null };
  for (const [status, found] of [[404, "none"], [403, "none"], [429, "unreachable"], [500, "unreachable"], [502, "unreachable"], [503, "unreachable"], [504, "unreachable"]] as const) {
    for (const page of ["Bad Gateway", { message: "Service Unavailable" }, names]) {
      assert.equal(await discover(start, serving({ [NAMES]: page, [ROOT]: page }, {}, status), browser), found, String(status));
    }
  }
});

test("a NIP-05 name leads to its domain", async () => {
  const asked = { origin: "https://static.example", arbiter: "_@chess.example", relays: null };
  const found = await discover(asked, serving({ [NAMES]: names, [ROOT]: document }), browser);
  assert.equal(found?.info.http, "https://chess.example");
  for (const arbiter of ["@", "x@", "_@evil/path", "_@a b"]) {
    assert.equal(await discover({ ...asked, arbiter }, serving({}), browser), "none", arbiter);
  }
});

test("a key without a relay cannot be reached", async () => {
  assert.equal(await discover({ origin: "https://static.example", arbiter: npubEncode(ARBITER), relays: "https://no" }, serving({}), browser), "none");
});
