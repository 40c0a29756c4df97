/** Players who leave the arbiter's own relay, and come back. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../src/arbiter/client.ts";
import { wordEvent } from "../src/arbiter/events.ts";
import { newSession, stepGame } from "../src/arbiter/game_session.ts";
import type { GameState } from "../src/arbiter/model.ts";
import { lineOf } from "../src/board/position.ts";
import { choices, claimableAtMs, hasLeft } from "../src/pages/game_rules.ts";
import { localSigner } from "../src/identity/local.ts";
import type { NostrEvent, Tag } from "../src/net/event.ts";
import { storage } from "./kept.ts";
import { ARBITER, AT, BLACK, byArbiter, GAME, stateAfter, stateEvent, WHITE, WHITE_SECRET } from "./signed.ts";
import { Net, type FakeSocket } from "./sockets.ts";
import { gameState, gameView } from "./states.ts";

const RELAY = "wss://relay.example";
const GATEWAY = "wss://gateway.example";
const LIVE: readonly Tag[] = [["time", "180+0"], ["clock", "180000", "180000"]];
const LEFT_AT = 1_800_000_000;
const THREE = ["e2e4", "e7e5", "g1f3"];

const left = (change: Partial<GameState> = {}, black = 180_000): GameState =>
  gameState(THREE, { away: { white: null, black: LEFT_AT }, clock: { white: 180_000, black }, ...change });
const may = (state: GameState, afterSeconds: number): boolean =>
  choices(gameView("white", state), lineOf(state, null), null, (LEFT_AT + afterSeconds) * 1000).actions.includes("claim-left");

for (const [blackMs, seconds] of [[30_000, 60], [300_000, 60], [500_000, 100], [1_800_000, 180]] as const) {
  test(`who has ${blackMs / 1000} s and is away can be claimed against after ${seconds} s, and not a second before`, () => {
    const state = left({}, blackMs);
    // The tag leaves out what is less than a second.
    assert.deepEqual([0, 1].map((more) => may(state, seconds + more)), [false, true]);
    assert.equal(claimableAtMs(state, "white"), (LEFT_AT + seconds + 1) * 1000);
  });
}

test("no game is claimed of one who is there, in one's own turn, after the end, by days or by who watches", () => {
  const late = 1_000_000;
  assert.equal(may(left(), late), true);
  for (const change of [
    { away: { white: LEFT_AT, black: null } }, { result: "1-0", termination: "left" }, { clock: null }, { ...gameState(THREE.slice(0, 2)), away: { white: null, black: LEFT_AT } },
  ] as Partial<GameState>[]) assert.equal(may({ ...left(), ...change }, late), false, JSON.stringify(change));
  assert.deepEqual(choices(gameView(null, left()), null, null, late * 1000).actions, []);
});

test("that the opponent has left is said while they are away, to the opponent alone", () => {
  const said = (me: "white" | "black" | null, state: GameState): boolean => hasLeft(gameView(me, state));
  assert.deepEqual([said("white", left()), said("black", left()), said(null, left())], [true, false, false]);
  assert.equal(said("white", left({ result: "1-0" })), false);
  assert.equal(said("white", gameState(THREE)), false);
});

test("who left and came back is seen in states of one version, by their dates, each time", () => {
  let [session] = stepGame(newSession(GAME, WHITE, 0), { type: "state", state: stateAfter(THREE, 4, LIVE) }, 0);
  const hear = (tags: readonly Tag[], at: number): number | null | undefined => {
    [session] = stepGame(session, { type: "state", state: stateAfter(THREE, 4, [...LIVE, ...tags], at) }, 0);
    return session.view.confirmed?.away.black;
  };
  for (const at of [AT + 10, AT + 30, AT + 50]) {
    assert.equal(hear([["away", "b", String(at)]], at), at);
    assert.equal(hear([], at - 5), at, "a copy of the state before comes late");
    assert.equal(hear([], at + 9), null);
    assert.equal(hear([["away", "b", String(at)]], at), null, "a copy of this one comes late");
  }
  assert.equal(hear([["away", "b", "5"]], AT + 59), 5, "within the second of the last");
  assert.equal(session.view.confirmed?.version, 4);
});

test("a word says that its author has a socket at the arbiter's own relay, where they have one", () => {
  const says = (isHere: boolean) => wordEvent(ARBITER, stateAfter([], 1), "e2e4", "", AT, isHere).tags.some(([name]) => name === "here");
  assert.deepEqual([says(true), says(false)], [true, false]);
});

const later = () => new Promise((done) => setTimeout(done, 5));

async function playing(): Promise<{ net: Net; client: Client; opens: (url: string) => Promise<FakeSocket> }> {
  const net = new Net();
  net.nowMs = AT * 1000;
  const client = new Client({
    info: { pubkey: ARBITER, name: "", relays: [RELAY, GATEWAY], gateway: GATEWAY, http: null, house: [] },
    signer: localSigner(WHITE_SECRET), around: net.around, fetched: fetch, kept: storage(),
  });
  const opens = async (url: string): Promise<FakeSocket> => {
    const [socket, answered] = [net.socket(url).opens(), new Set<string>()];
    socket.says("EVENT", "play", stateEvent(["e2e4", "e7e5"], 3, LIVE)).says("EOSE", "play");
    for (let seconds = 0; seconds < 8; seconds += 0.5) {
      net.pass(500);
      for (const one of net.sockets) one.says("NOTICE", "alive");
      await later();
      for (const { id } of heardOf(socket, "state").splice(answered.size)) {
        answered.add(id);
        const tags = [["p", WHITE], ["e", id]];
        socket.says("EVENT", "play", byArbiter(20301, `started:${GAME}:${BLACK}:w`, tags, net.nowMs / 1000));
      }
    }
    return socket;
  };
  return { net, client, opens };
}

const heardOf = (socket: FakeSocket, content: string): NostrEvent[] =>
  socket.of("EVENT").map(([, event]) => event as NostrEvent).filter((event) => event.content === content && event.pubkey === WHITE);

test("each new socket at the arbiter's own relay brings a question of a player whose live clock runs", async () => {
  const { net, client, opens } = await playing();
  await opens(RELAY);
  for (let time = 0; time < 3; time += 1) {
    const gateway = await opens(GATEWAY);
    assert.ok(heardOf(gateway, "state").length >= 1, `at socket ${time + 1}`);
    gateway.ends();
    net.pass(3_000);
  }
  client.close();
});

test("a move says where its author is at that moment", async () => {
  const { client, opens } = await playing();
  const relay = await opens(RELAY);
  client.move(GAME, "g1f3");
  await later();
  assert.deepEqual(heardOf(relay, "g1f3").map(({ tags }) => tags.some(([name]) => name === "here")), [false]);
  const gateway = await opens(GATEWAY);
  client.word(GAME, "resign");
  await later();
  assert.ok(heardOf(gateway, "resign").every(({ tags }) => tags.some(([name]) => name === "here")));
  client.close();
});
