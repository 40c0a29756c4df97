/** What relays have stored of games: some keep ephemeral events, and send them in any order. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../src/arbiter/client.ts";
import { Storage } from "../src/arbiter/storage.ts";
import { localSigner } from "../src/identity/local.ts";
import type { NostrEvent } from "../src/net/event.ts";
import { storage } from "./kept.ts";
import { ARBITER, AT, fenOf, GAME, stateEvent, WHITE, WHITE_SECRET } from "./signed.ts";
import { Net, type FakeSocket } from "./sockets.ts";

const [KEEPS, FORGETS] = ["wss://keeps.example", "wss://forgets.example"] as const;
const MOVES = ["e2e4", "e7e5"];
const over = stateEvent(MOVES, 4, [["result", "1-0"], ["termination", "resignation"]]);
const goesOn = stateEvent(MOVES, 3);

/** White's browser; with a move that was made in this position before the page was loaded again. */
function browser(madeIn: readonly string[] | null = null): { client: Client; net: Net; playing: () => string | null } {
  const [net, kept] = [new Net(), storage()];
  net.nowMs = AT * 1000;
  const unanswered = madeIn ? [[GAME, { content: "g1f3", fen: fenOf(madeIn) }] as const] : [];
  new Storage(kept, ARBITER, WHITE).write({ waiting: [], challenges: [], unanswered });
  const client = new Client({
    info: { pubkey: ARBITER, name: "", relays: [KEEPS, FORGETS], gateway: null, http: null, house: [] },
    signer: localSigner(WHITE_SECRET), around: net.around, fetched: fetch, kept,
  });
  for (const url of [KEEPS, FORGETS]) net.socket(url).opens();
  return { client, net, playing: () => client.state().playing };
}

/** The moves that were sent, once what was signed is sent. */
async function movesSent(socket: FakeSocket): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return socket.of("EVENT").map(([, event]) => event as NostrEvent).filter(({ kind }) => kind === 20303)
    .map(({ content }) => content).filter((content) => content !== "state");
}

for (const first of ["play", "who"]) {
  test(`a game that is over is not played, whatever old state is listed first, once a list of ${first} is whole`, () => {
    const { client, net, playing } = browser();
    net.socket(first === "play" ? FORGETS : KEEPS).says("EOSE", first);
    const keeps = net.socket(KEEPS);
    for (const event of [goesOn, over, stateEvent([], 1)]) {
      keeps.says("EVENT", "play", event);
      assert.equal(playing(), null);
    }
    net.socket(FORGETS).says("EOSE", "play").says("EOSE", "who");
    assert.equal(playing(), null, "the list of the other relay is whole");
    keeps.says("EOSE", "play");
    assert.equal(playing(), null, "its own list is whole");
    assert.equal(client.state().games.get(GAME)?.confirmed?.result, "1-0");
    client.close();
  });
}

for (const news of ["EOSE", "news"] as const) {
  test(`a game that goes on is played once ${news} says so`, () => {
    const { client, net, playing } = browser();
    net.socket(FORGETS).says("EOSE", "play");
    const keeps = net.socket(KEEPS).says("EVENT", "play", goesOn).says("EVENT", "play", stateEvent([], 1));
    assert.equal(playing(), null);
    if (news === "EOSE") keeps.says("EOSE", "play");
    else net.socket(FORGETS).says("EVENT", "play", stateEvent(MOVES, 3, [], AT + 1));
    assert.equal(playing(), GAME);
    client.close();
  });
}

test("a move that was perhaps never sent is sent in its position, also if an older one is listed first", async () => {
  const { client, net } = browser(MOVES);
  const keeps = net.socket(KEEPS).says("EVENT", "play", stateEvent([], 1));
  assert.deepEqual(await movesSent(keeps), []);
  keeps.says("EVENT", "play", goesOn).says("EOSE", "play");
  assert.deepEqual(await movesSent(keeps), ["g1f3"]);
  client.close();
});

test("a move that was perhaps never sent is not sent in a position that is listed and gone", async () => {
  const { client, net } = browser(MOVES);
  const keeps = net.socket(KEEPS).says("EVENT", "play", goesOn);
  assert.deepEqual(await movesSent(keeps), []);
  keeps.says("EVENT", "play", stateEvent([...MOVES, "d2d4"], 4)).says("EOSE", "play");
  assert.deepEqual(await movesSent(keeps), []);
  client.close();
});

test("two pages of one player ask what they play in two events, even within a second", async () => {
  const asked: (string | undefined)[] = [];
  for (let page = 0; page < 2; page += 1) {
    const { client, net } = browser();
    const socket = net.socket(KEEPS).says("EOSE", "play");
    net.pass(300);
    await movesSent(socket);
    const events = socket.of("EVENT").map(([, event]) => event as NostrEvent);
    asked.push(events.find(({ kind, content }) => kind === 20300 && content === "state")?.id);
    client.close();
  }
  assert.ok(asked[0] && asked[1]);
  assert.notEqual(asked[0], asked[1]);
});
