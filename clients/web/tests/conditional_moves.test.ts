/** Conditional moves as they are set, with answers that come late, twice or not at all. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { textOf, type Moves } from "../src/analysis/conditional.ts";
import { LinesSession } from "../src/analysis/lines_session.ts";
import type { ArbiterClient } from "../src/arbiter/model.ts";
import type { Tag } from "../src/net/event.ts";
import { ARBITER, AT, byArbiter, byStranger, GAME, stateAfter, WHITE } from "./signed.ts";

const KING: Moves = ["e7e5", "g1f3"];
const SICILIAN: Moves = ["c7c5", "b1c3"];
const CENTRE: Moves = ["d7d5", "e4d5"];

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A game after 1. e4, and White's lines in it. What is sealed is in brackets. */
function atBoard() {
  const sent: { readonly id: string; readonly content: string; readonly names: string | undefined }[] = [];
  const around = { nowMs: AT * 1000, canSeal: true };
  const client = {
    state: () => ({ arbiter: { pubkey: ARBITER }, me: WHITE }),
    signer: {
      encrypt: async (_: string, text: string) => {
        if (!around.canSeal) throw new Error("no NIP-44");
        return `[${text}]`;
      },
      decrypt: async (_: string, text: string) => text.slice(1, -1),
    },
    follow: () => () => {},
    command: async ({ content, tags }: { readonly content: string; readonly tags: readonly Tag[] }) => {
      const id = `${sent.length + 1}`.padStart(64, "0");
      sent.push({ id, content, names: tags.find(([name]) => name === "e")?.[1] });
      return id;
    },
  } as unknown as ArbiterClient;
  const game = stateAfter(["e2e4"], 2);
  const session = new LinesSession({ client, game, me: "white" }, () => {}, () => around.nowMs);
  const event = (number: number, lines: readonly Moves[], by = byArbiter, ply = "1") =>
    by(20301, `lines:[${textOf(lines)}]`, [["p", WHITE], ["d", GAME], ["ply", ply], ["e", sent[number - 1]!.id]]);
  return {
    around, game, sent, session,
    said: () => sent.map(({ content }) => content.replaceAll("\n", ", ")),
    shown: () => session.told?.map(({ plies }) => plies.map(({ uci }) => uci).join(" ")) ?? null,
    /** The arbiter answers the word with this number. */
    told: async (number: number, ...lines: Moves[]) => (session.heard(event(number, lines)), settled()),
    heard: async (...of: Parameters<typeof event>) => (session.heard(event(...of)), settled()),
    refused: async (number: number, text: string) =>
      (session.heard(byArbiter(20304, text, [["p", WHITE], ["d", GAME], ["e", sent[number - 1]!.id]])), settled()),
    unanswered: async () => {
      for (let times = 0; times < 3; times++) {
        around.nowMs += 30_000;
        session.tick();
        await settled();
      }
    },
  };
}

async function withNone() {
  const board = atBoard();
  await settled();
  await board.told(1);
  return board;
}

test("lines that are added and deleted before an answer are all set", async () => {
  const { session, said, told } = await withNone();
  session.add(KING);
  session.add(SICILIAN);
  await settled();
  session.add(CENTRE);
  session.remove(KING);
  await settled();
  assert.deepEqual(said(), ["lines", "lines:[e7e5 g1f3]"], "one set is under way at a time");
  await told(2, KING);
  assert.equal(said().at(-1), "lines:[c7c5 b1c3, d7d5 e4d5]");
  assert.equal(session.isSetting, true);
  await told(3, SICILIAN, CENTRE);
  assert.deepEqual([said().length, session.isSetting], [3, false]);
});

test("an answer that comes twice, late or from another brings no former lines back", async () => {
  const { session, shown, told, heard, game } = await withNone();
  session.add(KING);
  await settled();
  await heard(2, [CENTRE], byStranger);
  await heard(2, [CENTRE], byArbiter, "3");
  assert.deepEqual(shown(), []);
  await told(2, KING);
  session.add(SICILIAN);
  await settled();
  await told(2, KING);
  await told(3, KING, SICILIAN);
  await told(2, KING);
  await told(1);
  assert.deepEqual(shown(), ["e7e5 g1f3", "c7c5 b1c3"]);
  assert.equal(game.ply, 1);
});

test("a line whose question is refused is not added by a later answer", async () => {
  const { session, said, refused, told } = atBoard();
  session.add(KING);
  await settled();
  await refused(1, "rate-limited: too many");
  assert.deepEqual([session.failure, session.isSetting], [{ reason: "rate-limited", text: "too many" }, false]);
  session.add(SICILIAN);
  await settled();
  assert.deepEqual(said(), ["lines", "lines"]);
  await told(2, CENTRE);
  assert.equal(said().at(-1), "lines:[d7d5 e4d5, c7c5 b1c3]");
});

test("after a set that is refused the arbiter is asked before the next", async () => {
  const { session, said, refused, told, shown } = await withNone();
  session.add(KING);
  await settled();
  session.add(SICILIAN);
  await refused(2, "stale: you have set other lines since");
  session.add(CENTRE);
  await settled();
  assert.deepEqual(said().slice(2), ["lines"]);
  await told(3, ["e7e6", "d2d4"]);
  assert.equal(said().at(-1), "lines:[e7e6 d2d4, d7d5 e4d5]");
  assert.deepEqual(shown(), ["e7e6 d2d4"]);
});

test("without an answer it is said so in the end, and the next line asks again", async () => {
  const { session, said, unanswered, told, shown } = atBoard();
  await settled();
  await unanswered();
  assert.deepEqual([session.failure?.reason, new Set(said())], ["unanswered", new Set(["lines"])]);
  const asked = said().length;
  session.add(KING);
  await settled();
  await told(asked + 1, SICILIAN);
  assert.equal(said().at(-1), "lines:[c7c5 b1c3, e7e5 g1f3]");
  await unanswered();
  assert.deepEqual([session.failure?.reason, session.isSetting, shown()], ["unanswered", false, ["c7c5 b1c3"]]);
});

test("what no relay takes, or the signer does not seal, is told and not sent later", async () => {
  const { session, around, sent, said, told } = await withNone();
  around.canSeal = false;
  session.add(KING);
  await settled();
  assert.equal(session.failure?.reason, "unsigned");
  around.canSeal = true;
  session.add(SICILIAN);
  await settled();
  await told(2);
  assert.deepEqual(said().slice(1), ["lines", "lines:[c7c5 b1c3]"]);
  session.untaken(sent.at(-1)!.id);
  assert.deepEqual([session.failure?.reason, session.isSetting], ["unsent", false]);
});

test("lines name the state in which they were made, and none is sent once the game went on", async () => {
  const { session, sent, said, told, game } = await withNone();
  session.add(KING);
  await settled();
  assert.equal(sent.at(-1)?.names, game.eventId);
  session.add(SICILIAN);
  await settled();
  session.close();
  await told(2, KING);
  assert.equal(said().length, 2);
  const other = await withNone();
  other.session.add(KING);
  other.session.close();
  await settled();
  assert.deepEqual(other.said(), ["lines"], "the signer was slower than the game");
});
