/** The check of a transcript, on games that the arbiter kept: `transcripts.json`. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import { hexToBytes } from "@noble/hashes/utils.js";
import { finalizeEvent, getPublicKey, type NostrEvent } from "nostr-tools/pure";
import { check, type Header, type Line } from "../src/proof/check.ts";

interface Kept {
  readonly lines: [Header, ...Line[]];
  readonly note: NostrEvent;
}

const games = JSON.parse(readFileSync(`${import.meta.dirname}/transcripts.json`, "utf8")) as Kept[];
const ENDS = ["the result is 0-1, by checkmate", "the result is 1/2-1/2, by agreement", "the result is 0-1, by resignation"];

function chainOf({ game }: Header, lines: readonly Line[]): string {
  const requests = lines.filter(({ shown }) => !shown).map(({ id }) => id);
  let chain = createHash("sha256").update(game + requests.join(""), "hex").digest();
  for (const { id, shown } of lines)
    if (shown) chain = createHash("sha256").update(chain).update(id, "hex").update(shown).digest();
  return chain.toString("hex");
}

async function flaws({ lines: [header, ...lines], note }: Kept): Promise<string[]> {
  const found = await check(header, lines, note);
  return found.filter(({ how }) => how === "wrong").map(({ text }) => text);
}

/** Another value of the same kind. */
function altered(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return [...(value as unknown[]), ["x", "y"]];
  const text = String(value);
  return /^[0-9a-f]+$/.test(text) ? (text.startsWith("0") ? "1" : "0") + text.slice(1) : `${text}x`;
}

/** The game with each field altered, each line left out, and exchanged with the one before. */
function* alterations(game: Kept): Generator<[string, Kept]> {
  const lines = game.lines as unknown as Record<string, unknown>[];
  const told = (others: unknown[]): Kept => ({ lines: others as Kept["lines"], note: game.note });
  for (const [at, line] of lines.entries()) {
    const event = line["event"] as Record<string, unknown> | undefined;
    for (const name of Object.keys(line).filter((it) => it !== "event"))
      yield [`${at} ${name}`, told(lines.with(at, { ...line, [name]: altered(line[name]) }))];
    for (const name of Object.keys(event ?? {}))
      yield [`${at} event ${name}`, told(lines.with(at, { ...line, event: { ...event, [name]: altered(event?.[name]) } }))];
    if (at > 0) yield [`${at} left out`, told(lines.toSpliced(at, 1))];
    if (at > 1) yield [`${at} exchanged`, told([...lines.slice(0, at - 1), line, lines[at - 1], ...lines.slice(at + 1)])];
  }
}

for (const [number, game] of games.entries()) {
  test(`a game is proven by its transcript: ${ENDS[number]}`, async () => {
    const [header, ...lines] = game.lines;
    const found = await check(header, lines, game.note);
    assert.deepEqual(found.filter(({ how }) => how === "wrong" || how === "missing"), []);
    assert.ok(found.some(({ how, text }) => how === "proven" && text === ENDS[number]), JSON.stringify(found));
  });

  test(`whatever is altered in it is found: ${ENDS[number]}`, async () => {
    const unseen: string[] = [];
    for (const [what, other] of alterations(game)) if ((await flaws(other)).length === 0) unseen.push(what);
    assert.deepEqual(unseen, []);
  });
}

for (const [number, game] of games.entries()) {
  test(`what a release without chains played is missing and never wrong: ${ENDS[number]}`, async () => {
    const [header, ...lines] = game.lines;
    for (let from = 0; from < lines.length; from++)
      for (let to = from; to <= lines.length; to++) {
        const found = await check({ ...header, chain: "" }, lines.toSpliced(from, to - from), game.note);
        assert.deepEqual(found.filter(({ how }) => how === "wrong"), [], `${from} to ${to}`);
        assert.ok(found.some(({ how, text }) => how === "missing" && text.startsWith("the chain")));
        if (to === lines.length && from < to) assert.ok(found.some(({ how, text }) => how === "missing" && text === "what followed the last state"));
      }
  });

  test(`a line without its chain is still its player's: ${ENDS[number]}`, async () => {
    const [header, ...lines] = game.lines;
    const at = lines.findIndex(({ shown }) => shown);
    const event = { ...(lines[at]?.event as NostrEvent), content: "a2a3" };
    const found = await check({ ...header, chain: "" }, lines.with(at, { ...(lines[at] as Line), event }), game.note);
    assert.deepEqual(found, [{ how: "wrong", text: `line ${at + 1}: its signature or its id is false` }]);
  });
}

const CASES = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../tests/proof/signers.json`, "utf8"),
) as ["right" | "wrong", string, string[]][];

for (const [how, name, said] of CASES) {
  test(`who signs is who may say so, ${how}: ${name}`, async () => {
    const [white, black, arbiter] = ["11", "12", "13"].map((byte) => hexToBytes(byte.repeat(32))) as [Uint8Array, Uint8Array, Uint8Array];
    const keys = { w: white, b: black };
    const header = {
      game: "0a".repeat(16), arbiter: getPublicKey(arbiter), white: getPublicKey(white), black: getPublicKey(black),
      start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", variant: "standard", chain: "",
    };
    const lines = ["w e2e4 | 1 e2e4 - * -", "b e7e5 | 2 e7e5 - * -", ...said].map((text, at): Line => {
      const [signed = "", shown = ""] = text.split(" | ");
      const [who, content = ""] = signed.split(" ");
      const created_at = 1_800_000_000 + (content.startsWith("lines") ? 0 : at);
      const event = finalizeEvent({ kind: 20303, created_at, content, tags: [["d", header.game], ["p", header.arbiter]] }, keys[who as "w" | "b"]);
      const [ply, uci, offer, ...ended] = shown.split(" ");
      return { id: event.id, shown: [ply, uci, offer, "-", "-", ...ended].join(" "), event };
    });
    const found = await check({ ...header, chain: chainOf(header, lines) }, lines, null);
    assert.equal(found.some((one) => one.how === "wrong"), how === "wrong", JSON.stringify(found));
  });
}

for (const [number, game] of games.entries()) {
  test(`a clock that was shortened is named as what the arbiter says: ${ENDS[number]}`, async () => {
    const [header, ...lines] = game.lines;
    const at = lines.findIndex(({ shown, event }) => shown && event && Number.parseInt(shown, 10) >= 3);
    if (at < 0) return;
    const [ply, uci, offer, white, black, ...ended] = (lines[at]?.shown ?? "").split(" ");
    const isWhite = lines[at]?.event?.pubkey === header.white;
    const told = [ply, uci, offer, Number(white) - (isWhite ? 60_000 : 0), Number(black) - (isWhite ? 0 : 60_000), ...ended].join(" ");
    const lied = lines.slice(0, at + 1).with(at, { ...(lines[at] as Line), shown: told });
    const honest = await check({ ...header, chain: chainOf(header, lines.slice(0, at + 1)) }, lines.slice(0, at + 1), null);
    assert.ok(!honest.some(({ text }) => text.includes("by both dates")));
    const found = await check({ ...header, chain: chainOf(header, lied) }, lied, null);
    assert.ok(found.some(({ how, text }) => how === "said by the arbiter" && /lost \d\d s in \d+ s by both dates/.test(text)), JSON.stringify(found));
    assert.deepEqual(await flaws({ lines: [{ ...header, chain: chainOf(header, lied.concat(lines.slice(at + 1))) }, ...lied, ...lines.slice(at + 1)], note: game.note }), ["the arbiter signed another history"]);
  });
}

test("without requests the links go on from the first state", async () => {
  const [game] = games;
  assert.ok(game);
  const [header, ...lines] = game.lines;
  const first = createHash("sha256").update(header.game + lines.slice(0, 2).map(({ id }) => id).join(""), "hex").digest("hex");
  const found = await check({ ...header, first }, lines.slice(2), game.note);
  assert.deepEqual(found.filter(({ how }) => how === "wrong" || how === "missing").map(({ text }) => text), [
    "the requests that the game was made of, and its terms",
  ]);
  assert.ok((await flaws({ lines: [{ ...header, first }, ...lines], note: game.note })).length > 0);
});

test("an event that is missing is said, and the rest is proven", async () => {
  const [game] = games;
  assert.ok(game);
  const [header, ...lines] = game.lines;
  const cut = lines.map((line, at) => (at === 3 ? { id: line.id, shown: line.shown ?? "" } : line));
  const found = await check(header, cut, null);
  assert.deepEqual(
    found.map(({ how }) => how),
    ["missing", "missing", "proven", "proven", "proven", "said by the arbiter"],
  );
});

test("an end whose event is missing or of another protocol is only said by the arbiter, and nothing follows it", async () => {
  const [game] = games;
  assert.ok(game);
  const [header, ...lines] = game.lines;
  const states = lines.slice(0, 3);
  const told = async (...shown: string[]): Promise<string[]> => {
    const more = shown.map((text, at) => ({ id: String(at).padStart(2, "a").repeat(32), shown: text }));
    const found = await check({ ...header, chain: chainOf(header, [...states, ...more]) }, [...states, ...more], null);
    return found.map(({ how, text }) => `${how}: ${text}`);
  };
  assert.ok((await told("1 f2f3 - - - 0-1 resignation")).includes("said by the arbiter: the result is 0-1, by resignation"));
  assert.deepEqual(await told("1 f2f3 - - - 0-1 resignation", "2 e7e5 - - - * -"), ["wrong: state 3: the game was over"]);
});
