/** A browser compares the chain of its games with what was signed, and claims what it knows alone. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { NostrEvent } from "nostr-tools/pure";
import { check, type Header, type Line } from "../src/proof/check.ts";
import { handIn, Histories, type Finding } from "../src/proof/history.ts";

interface Kept {
  readonly lines: [Header, ...Line[]];
  readonly note: NostrEvent;
}

const games = JSON.parse(readFileSync(`${import.meta.dirname}/transcripts.json`, "utf8")) as Kept[];
const KINDS = ["mate", "agreement", "resignation"];

function link(chain: string, id: string, shown: string): string {
  return createHash("sha256").update(chain + id, "hex").update(shown).digest("hex");
}

/** The states of the game, each behind the event that made it, and the note. */
function seen({ lines: [header, ...lines], note }: Kept): NostrEvent[] {
  const requests = lines.filter(({ shown }) => !shown).map(({ id }) => id);
  let chain = createHash("sha256").update(header.game + requests.join(""), "hex").digest("hex");
  const time = (lines.find(({ shown }) => shown)?.shown ?? "").split(" ").slice(3, 5);
  const moves: string[] = [];
  const events: NostrEvent[] = [state(header, 1, chain, ["0", "-", "-", ...time, "*", "-"], moves)];
  let version = 1;
  for (const { id, shown = "", event } of lines.slice(requests.length)) {
    const words = shown.split(" ");
    chain = link(chain, id, shown);
    if (Number(words[0]) > moves.length) moves.push(words[1] ?? "");
    moves.length = Number(words[0]);
    // A move that ends the game makes two versions.
    version += words[6] === "checkmate" ? 2 : 1;
    if (event) events.push(event);
    events.push(state(header, version, chain, words, moves));
  }
  return [...events, note];
}

function state(header: Header, version: number, chain: string, shown: readonly string[], moves: readonly string[]): NostrEvent {
  const [ply = "", , offer = "", white = "", black = "", result = "", ended = ""] = shown;
  const tags = [
    ["d", header.game], ["p", header.white], ["p", header.black], ["version", String(version)], ["ply", ply], ["chain", chain],
    ...(moves.length > 0 ? [["moves", ...moves]] : []), ...(white === "-" ? [] : [["clock", white, black]]),
    ...(offer === "-" ? [] : [["offer", ...offer.split(":")]]), ...(ended === "-" ? [] : [["result", result], ["termination", ended]]),
  ];
  return { id: chain, pubkey: header.arbiter, kind: 20302, created_at: 0, content: "", sig: "", tags };
}

function told({ lines: [header] }: Kept, events: readonly NostrEvent[], me = header.white): Finding[] {
  const histories = new Histories(header.arbiter, me);
  return events.flatMap((event) => histories.take(event) ?? []);
}

function withTag(event: NostrEvent, name: string, ...values: string[]): NostrEvent {
  return { ...event, tags: event.tags.map((tag) => (tag[0] === name ? [name, ...values] : tag)) };
}

for (const [number, game] of games.entries()) {
  const [header] = game.lines;
  const events = seen(game);

  test(`a browser that saw all hands in what the verifier finds right: ${KINDS[number]}`, async () => {
    for (const order of [events, [...events.filter(({ kind }) => kind === 20302), ...events.filter(({ kind }) => kind !== 20302)]]) {
      const found = told(game, order, order === events ? header.white : "");
      assert.equal(found.length, 1);
      const [first, ...lines] = (found[0]?.transcript ?? "").split("\n").map((line) => JSON.parse(line) as unknown);
      const texts = (await check(first as Header, lines as Line[], game.note)).filter(({ how }) => how === "wrong" || how === "missing");
      assert.deepEqual(texts.map(({ text }) => text), ["the requests that the game was made of, and its terms"]);
    }
  });

  test(`of what it does not know a browser claims nothing: ${KINDS[number]}`, () => {
    for (const at of events.keys()) {
      if (events[at] === game.note) continue;
      assert.deepEqual(told(game, events.toSpliced(at, 1), "").filter(({ transcript }) => transcript === null), [], String(at));
    }
  });

  test(`a page that is loaded in the middle of a game claims nothing of it: ${KINDS[number]}`, () => {
    for (const at of events.keys()) {
      const former = events.slice(0, at).filter(({ kind }) => kind === 20302);
      const said = events.slice(0, at).filter(({ kind }) => kind !== 20302);
      // Before, it has seen the first state.
      if (former.length < 2) continue;
      const shown = former.slice(-1);
      for (const me of [header.white, header.black])
        for (const earlier of [[], shown, [...shown, ...said]])
          assert.deepEqual(told(game, [...earlier, ...events.slice(at)], me), [], String(at));
    }
  });

  test(`a browser says where the arbiter tells two histories: ${KINDS[number]}`, () => {
    const differs = [{ game: header.game, transcript: null }];
    const other = "ab".repeat(32);
    assert.deepEqual(told(game, [...events.slice(0, -1), withTag(game.note, "chain", other)]), differs);
    const [first] = events;
    assert.ok(first);
    assert.deepEqual(told(game, [first, withTag(first, "chain", other)]), differs);
    // White's second move, in place of which another is shown.
    const at = events.findIndex(({ kind, pubkey, content }, place) => kind === 20303 && pubkey === header.white && place > 2 && !/[^a-h1-8]/.test(content)) + 1;
    const shown = events[at];
    if (at > 0 && shown && !shown.tags.some(([name]) => name === "offer" || name === "termination"))
      assert.deepEqual(told(game, [...events.slice(0, at), withTag(shown, "chain", other)]), differs);
  });
}

/** The history as an arbiter tells it that changes a state, with the links of its lie. */
function lied({ lines: [header, ...lines], note }: Kept, at: number, change: (words: string[]) => void): NostrEvent[] {
  const requests = lines.filter(({ shown }) => !shown).length;
  const told = lines.map((line, place) => {
    const words = (line.shown ?? "").split(" ");
    if (place === requests + at) change(words);
    return line.shown ? { ...line, shown: words.join(" ") } : line;
  });
  return seen({ lines: [header, ...told], note });
}

for (const [number, game] of games.entries()) {
  const [header, ...lines] = game.lines;
  const last = lines.filter(({ shown }) => shown).length - 1;
  const lies: [string, number, (words: string[]) => void][] = [
    ["a move", 0, (words) => (words[1] = "a2a4")],
    ["the result", last, (words) => (words[5] = words[5] === "1-0" ? "0-1" : "1-0")],
    ["a clock", last, (words) => (words[3] = "1000")],
  ];
  for (const [what, at, change] of lies)
    test(`a browser says that an arbiter lied about ${what}: ${KINDS[number]}`, () => {
      for (const me of [header.white, header.black, ""])
        assert.deepEqual(told(game, lied(game, at, change), me), [{ game: header.game, transcript: null }]);
    });
}

test("what is whole at the arbiter is not handed in again", async () => {
  for (const [there, count] of [['{}\n{"id":"1","event":{}}', 1], ['{}\n{"id":"1"}', 2], [null, 2]] as const) {
    const asked: string[] = [];
    const fetched = (async (_: string, options?: RequestInit) => {
      asked.push(options?.method ?? "GET");
      if (there === null) return new Response(null, { status: 404 });
      return new Response(new Blob([there]).stream().pipeThrough(new CompressionStream("gzip")));
    }) as typeof fetch;
    await handIn("https://arbiter.example", { game: "0a", transcript: "{}" }, fetched);
    assert.deepEqual(asked, ["GET", "PUT"].slice(0, count));
  }
});
