import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { parseError, parseNote, parseRating, parseResponse, parseState } from "../src/arbiter/answers.ts";
import { clean, cleanLines } from "../src/arbiter/clean.ts";
import { isArbiterHandler, parseLine, parseProfile, parseRelayList } from "../src/arbiter/profiles.ts";
import { isSigned, shaped, type NostrEvent, type Tag } from "../src/net/event.ts";
import { ARBITER, AT, BLACK, byArbiter, byStranger, fenOf, GAME, stateEvent, WHITE } from "./signed.ts";

const ID = "cd".repeat(32);
const CHALLENGE = "ef".repeat(16);

const examples = [...readFileSync(new URL("../../../PROTOCOL.md", import.meta.url), "utf8")
  .matchAll(/```json\n(.*?)\n```/gs)].map(([, text]) => shaped(JSON.parse(text!))!);
const server = examples.find(({ kind }) => kind === 20302)!.pubkey;

test("every example of PROTOCOL.md has a good signature and is read", () => {
  const kinds: number[] = [];
  for (const event of examples) {
    assert.ok(isSigned(event));
    kinds.push(event.kind);
    if (event.kind === 20301) assert.equal(parseResponse(event, server, event.tags[0]![1]!)?.type, "started");
    if (event.kind === 20302) assert.equal(parseState(event, server)?.time?.kind, "live");
    if (event.kind === 20304) assert.deepEqual(parseError(event, server)?.strikes, { count: 1, of: 3 });
    if (event.kind === 64) assert.match(parseNote(event, server)!.pgn, /1\. f3 .* 1\.\.\. e5 .* 2\. g4 .*\s2\.\.\. Qh4# .* 0-1/);
  }
  assert.deepEqual([...new Set(kinds)].sort((a, b) => a - b), [64, 20300, 20301, 20302, 20303, 20304]);
});

test("a state has everything that its tags say", () => {
  const tags: Tag[] = [
    ["time", "3d"], ["clock", "5", "6"], ["deadline", "1800000000123"], ["mode", "rated"],
    ["variant", "chess960"], ["start", fenOf([])], ["stand-in", BLACK], ["offer", "draw", "b"],
    ["result", "1/2-1/2"], ["termination", "agreement"], ["rematch", CHALLENGE],
    ["vacation", "b", "1800000001"], ["vacation", "w", "soon"],
  ];
  const state = parseState(stateEvent(["e2e4"], 7, tags), ARBITER)!;
  assert.deepEqual(
    { ...state, eventId: "", fen: "" },
    {
      eventId: "", createdAt: AT, game: GAME, white: WHITE, black: BLACK, version: 7, ply: 1, fen: "",
      moves: ["e2e4"], time: { kind: "days", days: 3 }, clock: { white: 5, black: 6 },
      deadline: 1_800_000_000_123, rated: true, variant: "chess960", start: fenOf([]),
      placeholders: [BLACK], offer: { kind: "draw", by: "black" }, away: { white: null, black: null },
      vacation: { white: null, black: 1_800_000_001 }, result: "1/2-1/2",
      termination: "agreement", rematch: CHALLENGE, tournament: null, round: "",
    },
  );
});

test("a state without moves beyond the first ply has none to show, and is read", () => {
  const event = stateEvent(["e2e4"], 2);
  const bare = { ...event, tags: event.tags.filter(([name]) => name !== "moves") };
  assert.equal(parseState(bare, ARBITER)?.moves, null);
  assert.deepEqual(parseState(stateEvent([], 1), ARBITER)?.moves, []);
});

const good = stateEvent(["e2e4"], 2, [["time", "180+2"], ["clock", "1", "2"]]);
const withTag = (name: string, ...values: string[]): NostrEvent => ({
  ...good, tags: [...good.tags.filter(([one]) => one !== name), [name, ...values]],
});

for (const [what, event] of Object.entries({
  "by another author": { ...good, pubkey: WHITE },
  "of another kind": { ...good, kind: 20301 },
  "without a game": { ...good, tags: good.tags.filter(([name]) => name !== "d") },
  "with one player": { ...good, tags: good.tags.slice(0, 2).concat(good.tags.slice(3)) },
  "without tags": { ...good, tags: [] },
  "with a version that is no number": withTag("version", "-1"),
  "with a version beyond numbers": withTag("version", "9".repeat(40)),
  "with fewer moves than plies": withTag("moves"),
  "with a move that is markup": withTag("moves", "<img>"),
  "with a time that cannot be read": withTag("time", "soon"),
  "with a first position that is none": withTag("start", "<script>"),
  "with a result that is none": withTag("result", "2-0"),
  "with a position that is none": { ...good, content: "hello" },
  "with a position of 10 kB": { ...good, content: "8/".repeat(5_000) },
})) {
  test(`a state ${what} is nothing`, () => assert.equal(parseState(event, ARBITER), null));
}

test("what is shown beside the position may be missing or wrong, and the state is read", () => {
  for (const event of [
    withTag("clock", "much"), withTag("offer", "draw"), withTag("offer", "pizza", "w"),
    withTag("rematch", "no id"), withTag("deadline", "now"), withTag("stand-in", "no key"),
  ]) {
    const state = parseState(event, ARBITER)!;
    assert.equal(state.ply, 1);
    assert.deepEqual([state.offer, state.rematch, state.deadline, state.placeholders], [null, null, null, []]);
  }
});

const response = (content: string, tags: readonly Tag[] = []) =>
  parseResponse(byArbiter(20301, content, [["p", WHITE], ...tags]), ARBITER, WHITE);

test("a response says what it answers", () => {
  for (const [tag, place] of [[[], null], [["place", "12"], 12], [["place", "-1"], null], [["place", "x"], null]] as const) {
    const tags = [["e", ID], ["challenge", CHALLENGE], ...(tag.length ? [[...tag]] : [])];
    assert.deepEqual(response("queued", tags), { type: "queued", request: ID, challenge: CHALLENGE, place, at: AT });
  }
  assert.deepEqual(response(`started:${GAME}:${BLACK}:w`), { type: "started", request: null, game: GAME, opponent: BLACK, color: "white", at: AT, tournament: null, challenge: null });
  const named = response(`started:${GAME}:${BLACK}:w`, [["challenge", CHALLENGE]]);
  assert.equal(named?.type === "started" && named.challenge, CHALLENGE);
  assert.deepEqual(response("cancelled", [["e", ID]]), { type: "cancelled", request: ID });
  assert.deepEqual(response(`cancelled:${CHALLENGE}`), { type: "cancelled", request: null, challenge: CHALLENGE });
  assert.deepEqual(response("error:bad-terms: color: 'green'", [["e", ID]]), {
    type: "refused", request: ID, refusal: { reason: "bad-terms", text: "color: 'green'" }, challenge: null,
  });
  assert.deepEqual(response("error:declined: later", [["challenge", CHALLENGE]]), {
    type: "refused", request: null, refusal: { reason: "declined", text: "later" }, challenge: CHALLENGE,
  });
});

test("a challenge comes with its terms", () => {
  const heard = response(`challenged:${CHALLENGE}:${BLACK}`, [
    ["time", "300+3"], ["color", "white"], ["bot", "true"], ["expiration", String(AT + 60)],
  ]);
  assert.deepEqual(heard?.type === "challenged" && heard.challenge, {
    id: CHALLENGE, challenger: BLACK, expiresAt: AT + 60,
    terms: {
      time: { kind: "live", base: 300, increment: 3 }, rated: false, variant: "standard",
      color: "white", rating: null, start: null, bots: true,
    },
  });
});

test("a response that is malformed, forged or for another player is nothing", () => {
  for (const content of [
    "", "hello", "started", `started:${GAME}`, `started:${GAME}:${BLACK}:x`, `started:${GAME}x:${BLACK}:w`,
    `challenged:${CHALLENGE}:${BLACK}`, "challenged::", "error:", "error:<b>: x", ":".repeat(5_000),
  ]) assert.equal(response(content), null, content.slice(0, 40));
  assert.equal(response("queued", [["e", "no id"]]), null);
  const forged = byStranger(20301, "queued", [["p", WHITE]]);
  assert.equal(parseResponse(forged, ARBITER, WHITE), null);
  assert.equal(parseResponse(byArbiter(20301, "queued", [["p", BLACK]]), ARBITER, WHITE), null);
  assert.equal(parseResponse(byArbiter(20301, "queued", []), ARBITER, WHITE), null);
});

test("an error is of the event that it names; one without is nothing", () => {
  const error = (content: string, tags: readonly Tag[]) => parseError(byArbiter(20304, content, tags), ARBITER);
  assert.deepEqual(error("stale: look again", [["e", ID], ["d", GAME]]), {
    event: ID, game: GAME, refusal: { reason: "stale", text: "look again" }, strikes: null,
  });
  assert.equal(error("stale: look again", [["d", GAME]]), null);
  assert.equal(error("Stale!", [["e", ID]]), null);
  assert.equal(parseError(byStranger(20304, "stale: x", [["e", ID]]), ARBITER), null);
});

test("a note has ratings before and after, and a PGN without hidden characters", () => {
  const pgn = "[White \"\u202Eevil\u0007\"]\r\n\r\n1. e4 *\n";
  const note = parseNote(byArbiter(64, pgn, [["d", GAME], ["rating", "w", "1500", "1510"]]), ARBITER)!;
  assert.deepEqual(note.ratings, { white: { before: 1500, after: 1510 }, black: null });
  assert.equal(note.pgn, "[White \" evil \"]\n\n1. e4 *\n");
  assert.equal(parseNote(byStranger(64, pgn, [["d", GAME]]), ARBITER), null);
});

test("a rating is of the player in its name", () => {
  const tags: Tag[] = [["d", `blitz:${WHITE}`], ["rating", "1600", "90"], ["games", "12"], ["provisional"]];
  assert.deepEqual(parseRating(byArbiter(30300, "", tags), ARBITER), {
    player: WHITE, at: AT, rating: { speed: "blitz", value: 1600, deviation: 90, games: 12, provisional: true },
  });
  for (const missing of ["d", "rating", "games"]) {
    assert.equal(parseRating(byArbiter(30300, "", tags.filter(([name]) => name !== missing)), ARBITER), null);
  }
  assert.equal(parseRating(byStranger(30300, "", tags), ARBITER), null);
});

test("a profile is text: cut, on one line, without characters that turn it around", () => {
  const profile = (said: unknown) => parseProfile(byStranger(0, JSON.stringify(said), []));
  const name = "<img src=x onerror=alert(1)>\u202Egnp\u0000\n\u200B" + "z\u0301\u0302\u0303\u0304\u0305\u0306" + "a".repeat(10_000);
  const shown = profile({ name, picture: "javascript:alert(1)", nip05: 5, bot: "yes" })!;
  assert.ok(shown.name!.startsWith("<img src=x onerror=alert(1)> gnp z\u0301\u0302\u0303a"));
  assert.equal([...shown.name!].length, 40);
  assert.deepEqual([shown.picture, shown.nip05, shown.bot], [null, null, false]);
  assert.equal(profile({ display_name: "Ann", name: "ann" })!.name, "Ann");
  assert.equal(profile({ display_name: " \u200B ", name: "ann" })!.name, "ann");
  assert.equal(profile({ picture: "https://x.example/a.png" })!.picture, "https://x.example/a.png");
  assert.equal(profile({ picture: `https://x.example/${"a".repeat(10_000)}` })!.picture, null);
  for (const content of ["", "null", "[]x", "7", "{"]) assert.equal(parseProfile(byStranger(0, content, [])), null);
});

test("a relay list has relays that are read and written, each once", () => {
  const tags = [
    ["r", "wss://a.example/"], ["r", "wss://a.example"], ["r", "wss://b.example", "write"], ["r", "https://c.example"],
    ["r", "wss://user:pass@d.example"], ["r"], ["x", "wss://e.example"], ["r", "ws://127.0.0.1:7000/relay"],
  ];
  assert.deepEqual(parseRelayList(byArbiter(10002, "", tags)), ["wss://a.example", "ws://127.0.0.1:7000/relay"]);
});

test("an arbiter announces that it takes requests", () => {
  assert.ok(isArbiterHandler(byStranger(31990, "", [["d", "chess"], ["k", "20300"]])));
  assert.ok(!isArbiterHandler(byStranger(31990, "", [["d", "chess"], ["k", "1"]])));
});

test("said-by is believed from the arbiter alone", () => {
  const tags: Tag[] = [["d", GAME], ["p", WHITE], ["said-by", BLACK]];
  const carried = parseLine(byArbiter(20305, "x", tags), ARBITER)!;
  assert.deepEqual([carried.from, carried.signer], [BLACK, ARBITER]);
  const claimed = byStranger(20305, "x", tags);
  assert.equal(parseLine(claimed, ARBITER)!.from, claimed.pubkey);
  assert.equal(parseLine(byStranger(20305, "x", []), ARBITER), null);
});

test("what has not the shape of an event is none", () => {
  const event = stateEvent([], 1);
  assert.deepEqual(shaped({ ...event, extra: 1 }), event);
  for (const value of [
    null, 7, "x", [], {}, { ...event, id: event.id.toUpperCase() }, { ...event, sig: "" },
    { ...event, kind: "20302" }, { ...event, kind: -1 }, { ...event, created_at: 1.5 },
    { ...event, created_at: -1 }, { ...event, tags: [["d", 1]] }, { ...event, tags: {} },
    { ...event, tags: Array(3_000).fill(["x"]) }, { ...event, content: "x".repeat(200_000) },
  ]) assert.equal(shaped(value), null);
});

test("an event with any part changed has no good signature", () => {
  const event = stateEvent([], 1);
  assert.ok(isSigned(event));
  for (const forged of [
    { ...event, content: fenOf(["e2e4"]) }, { ...event, created_at: AT + 1 }, { ...event, pubkey: WHITE },
    { ...event, tags: [] }, { ...event, kind: 20304 }, { ...event, id: ID },
    { ...event, sig: "0".repeat(128) }, { ...event, sig: "f".repeat(128) },
  ]) assert.equal(isSigned(forged), false);
});

test("cleaned text has no character that hides or turns what is around it, whatever went in", () => {
  for (let code = 0; code < 0x3000; code += 1) {
    const text = clean(`a${String.fromCodePoint(code)}b`, 10);
    assert.ok(!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), code.toString(16));
  }
  assert.equal(clean(`${String.fromCharCode(0xd800)}\u{1F600}x`, 2), "\u{1F600}x");
  assert.equal(clean("👩‍🚀".repeat(100), 3).length <= 6, true);
  assert.equal(cleanLines("a\u2028b\nc\td", 7), "a b\nc d");
});
