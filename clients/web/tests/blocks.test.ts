/** Whom a player blocks, and the report of one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { reportEvent } from "../src/arbiter/reports.ts";
import type { NostrEvent, Tag } from "../src/net/event.ts";
import { blockedIn, Blocks } from "../src/pages/blocks.ts";
import { atPage } from "./page.ts";
import { ARBITER, AT, BLACK, byArbiter, byStranger, GAME, WHITE } from "./signed.ts";

const OTHER = "ee".repeat(32);

const blocked = (keys: readonly string[], tags: readonly Tag[] = [], at = AT): NostrEvent =>
  byArbiter(20301, "blocked", [["p", WHITE], ["blocked", ...keys], ...tags], at);

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("a list of whom I block is the arbiter's and mine, and holds keys alone", () => {
  assert.deepEqual(blockedIn(blocked([BLACK, "x"]), ARBITER, WHITE), [BLACK]);
  assert.deepEqual(blockedIn(blocked([]), ARBITER, WHITE), []);
  assert.equal(blockedIn(blocked([BLACK]), ARBITER, BLACK), null);
  assert.equal(blockedIn(byStranger(20301, "blocked", [["p", WHITE], ["blocked", BLACK]]), ARBITER, WHITE), null);
  assert.equal(blockedIn(byArbiter(20301, "queued", [["p", WHITE]]), ARBITER, WHITE), null);
});

test("a view that comes later knows whom I block, and asks relays nothing for it", () => {
  const { client, relay } = atPage();
  relay.says("EVENT", "play", blocked([BLACK]));
  const asked = relay.of("REQ").length;
  const blocks = new Blocks(client, "settings", () => {});
  assert.deepEqual(blocks.keys, [BLACK]);
  assert.equal(relay.of("REQ").length, asked);
  relay.says("EVENT", "play", blocked([BLACK, OTHER], [], AT + 2)).says("EVENT", "play", blocked([], [], AT + 1));
  assert.deepEqual(blocks.keys, [BLACK, OTHER], "a list that comes late is older");
  blocks.close();
});

test("to block is asked once, again without an answer, and ends with the list or the reason why not", async () => {
  const { net, client, relay } = atPage();
  const blocks = new Blocks(client, "chat", () => {}, () => net.nowMs);
  blocks.block(BLACK, true);
  blocks.block(BLACK, true);
  await settled();
  const asked = (): readonly NostrEvent[] => relay.of("EVENT").map(([, event]) => event as NostrEvent).filter(({ content }) => content.includes("block:"));
  assert.deepEqual(asked().map(({ kind, content }) => [kind, content]), [[20300, `block:${BLACK}`]]);
  net.nowMs += 10_000;
  blocks.tick();
  await settled();
  assert.equal(asked().length, 2);
  assert.equal(blocks.isAsking, true);
  relay.says("EVENT", "play", blocked([BLACK], [["e", asked()[0]!.id]]));
  assert.deepEqual([blocks.isAsking, blocks.keys, blocks.refusal], [false, [BLACK], null]);
  blocks.block(BLACK, false);
  await settled();
  relay.says("EVENT", "play", byArbiter(20301, "error:rate-limited: too many", [["p", WHITE], ["e", asked().at(-1)!.id]]));
  assert.deepEqual([blocks.isAsking, blocks.keys, blocks.refusal], [false, [BLACK], { reason: "rate-limited", text: "too many" }]);
  blocks.close();
});

test("a report names the player first, the game, and ten of the lines at most", () => {
  const lines = Array.from({ length: 11 }, (_, number) => `line ${number}`);
  const report = { player: BLACK, type: "spam", game: GAME, lines, text: "rude" } as const;
  const { kind, tags, content } = reportEvent(report, ARBITER);
  assert.deepEqual([kind, content, tags.slice(0, 3)], [1984, "rude", [["p", BLACK, "spam"], ["p", ARBITER], ["d", GAME]]]);
  assert.deepEqual(tags.slice(3), lines.slice(0, 10).map((line) => ["chat", line]));
  assert.deepEqual(reportEvent({ ...report, game: null, lines: [] }, ARBITER).tags.length, 2);
});
