import assert from "node:assert/strict";
import { test } from "node:test";

import { signedBy } from "../src/identity/local.ts";
import type { NostrEvent } from "../src/net/event.ts";
import type { Surroundings } from "../src/net/relay.ts";
import { Relays } from "../src/net/relays.ts";
import { ARBITER, byArbiter, stateEvent, WHITE_SECRET } from "./signed.ts";
import { Net, type FakeSocket } from "./sockets.ts";

const A = "wss://a.example";
const B = "wss://b.example";
const FILTERS = [{ kinds: [20302], authors: [ARBITER] }];

class World extends Net {
  heard: [string, boolean][] = [];
  refusals: [string, string][] = [];
  caughtUp: string[] = [];
  wants = (_: NostrEvent): boolean => true;
  readonly relays: Relays;

  constructor(
    urls: readonly string[] = [A],
    authenticate: Surroundings["authenticate"] = async (template) => signedBy(WHITE_SECRET, template),
  ) {
    super();
    const around = { ...this.around, authenticate };
    this.relays = new Relays(around, {
      wants: (event) => this.wants(event),
      event: ({ id }, list) => this.heard.push([id, list !== null]),
      caughtUp: (_, list) => this.caughtUp.push(list),
      refused: (id, text) => this.refusals.push([id, text]),
      connected: () => {}, changed: () => {},
    });
    this.relays.subscribe("play", FILTERS);
    this.relays.use(urls);
  }

  override socket(url = A): FakeSocket {
    return super.socket(url);
  }

  /** A relay that is connected and has sent what it stored. */
  up(url = A): FakeSocket {
    return this.socket(url).opens().says("EOSE", "play");
  }

  get status(): string[] {
    return this.relays.states().map(({ status }) => status);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const state = stateEvent([], 1);

test("what is subscribed is asked of each relay once it is open, and again after it was lost", () => {
  const world = new World([A, B]);
  assert.deepEqual(world.status, ["connecting", "connecting"]);
  world.up(A);
  assert.deepEqual(world.socket(A).sent, [["REQ", "play", ...FILTERS]]);
  assert.deepEqual([world.status, world.caughtUp], [["connected", "connecting"], [`play${A}`]]);
  world.socket(A).ends();
  assert.equal(world.status[0], "waiting");
  world.pass(1_000);
  assert.deepEqual(world.socket(A).opens().sent, [["REQ", "play", ...FILTERS]]);
});

test("what is subscribed already, by the same filters, is not asked again", () => {
  const world = new World();
  const a = world.up();
  world.relays.subscribe("play", [{ ...FILTERS[0]! }]);
  assert.equal(a.of("REQ").length, 1);
  world.relays.subscribe("play", [...FILTERS, { kinds: [64] }]);
  assert.equal(a.of("REQ").length, 2);
});

test("waits between attempts grow to half a minute, and begin anew after a connection that lasted", () => {
  const world = new World();
  const waits: number[] = [];
  const attempt = (): void => {
    const before = world.sockets.length;
    let ms = 0;
    for (; world.sockets.length === before; ms += 100) world.pass(100);
    waits.push(ms);
  };
  for (let attempts = 0; attempts < 8; attempts += 1) {
    world.socket().ends();
    attempt();
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  world.up();
  world.pass(20_000).socket().ends();
  waits.length = 0;
  attempt();
  assert.deepEqual(waits, [500]);
});

test("a socket that neither opens nor fails is given up after ten seconds", () => {
  const world = new World();
  world.pass(10_000);
  assert.deepEqual([world.socket().isClosed, world.status], [true, ["waiting"]]);
});

test("an address that the page may not open is tried again later, and breaks nothing", () => {
  const world = new World(["ws://forbidden.example", B]);
  assert.deepEqual(world.status, ["waiting", "connecting"]);
  world.pass(120_000);
  assert.equal(world.status[0], "waiting");
});

test("each event comes once, from the relay that is first", () => {
  const world = new World([A, B]);
  const [a, b] = [world.up(A), world.up(B)];
  a.says("EVENT", "play", state);
  b.says("EVENT", "play", state);
  a.says("EVENT", "play", state);
  assert.deepEqual(world.heard, [[state.id, false]]);
});

test("an event that was stored comes again when a relay sends it live, and not the other way round", () => {
  const world = new World([A, B]);
  world.socket(A).opens().says("EVENT", "play", state).says("EVENT", "play", state);
  world.up(B).says("EVENT", "play", state);
  world.socket(A).says("EOSE", "play").says("EVENT", "play", state);
  assert.deepEqual(world.heard, [[state.id, true], [state.id, false]]);
});

test("a forged copy neither counts nor hides the true one", () => {
  const world = new World();
  const a = world.up().says("EVENT", "play", { ...state, content: "8/8/8/8/8/8/8/8 w - - 0 1" });
  a.says("EVENT", "play", { ...state, sig: "0".repeat(128) }).says("EVENT", "play", state);
  assert.deepEqual(world.heard, [[state.id, false]]);
});

test("a relay that keeps sending forgeries is left for good, and the others stay", () => {
  const world = new World([A, B]);
  world.up(B);
  for (let time = 0; time < 21; time += 1) {
    world.socket(A).opens().says("EVENT", "play", { ...byArbiter(20302, String(time), []), created_at: 1 });
  }
  assert.deepEqual(world.status, ["refused", "connected"]);
  world.relays.wake();
  world.pass(60_000);
  assert.deepEqual([world.status[0], world.heard], ["refused", []]);
});

test("an event that is not wanted costs no signature check", () => {
  const world = new World();
  world.wants = ({ pubkey }) => pubkey === ARBITER;
  for (let time = 0; time < 100; time += 1) {
    world.up().says("EVENT", "play", { ...state, pubkey: "ff".repeat(32), sig: "0".repeat(128) });
  }
  assert.deepEqual(world.status, ["connected"]);
});

test("whatever a relay sends, nothing is thrown", () => {
  const world = new World();
  const socket = world.up();
  for (const frame of [
    "", "{", "null", "7", "[]", "[[]]", '["EVENT"]', '["EVENT",7,{}]', '["EVENT","play"]', '["EVENT","play",null]',
    '["EVENT","play",{"id":1}]', '["EVENT","other",{}]', '["OK"]', '["OK",7]', '["OK","x"]', '["OK","x","yes",{}]',
    '["EOSE"]', '["EOSE",{}]', '["EOSE","other"]', '["CLOSED"]', '["CLOSED","other","x"]', '["CLOSED",7,7]',
    '["NOTICE",7]', '["AUTH"]', '["AUTH",{}]', '["COUNT","x",{}]', '["__proto__","x"]', `["EVENT","play","${"x".repeat(2_000_000)}"]`,
    new ArrayBuffer(8),
  ]) socket.saysRaw(frame);
  assert.deepEqual([world.heard, world.status], [[], ["connected"]]);
});

test("what is published goes to all that are there; to those that come, unless one took it", () => {
  const world = new World([A, B]);
  const a = world.up(A);
  world.relays.publish(state);
  assert.equal(a.of("EVENT").length, 1);
  assert.equal(world.socket(B).opens().of("EVENT").length, 1);
  a.says("OK", state.id, true, "").ends();
  world.pass(1_000);
  assert.equal(world.socket(A).opens().of("EVENT").length, 0);
});

test("an event that no relay took is not sent half a minute later", () => {
  const world = new World();
  world.relays.publish(state);
  world.pass(5_000);
  assert.equal(world.socket().opens().of("EVENT").length, 1);
  world.socket().ends();
  world.pass(40_000);
  while (world.status[0] !== "connecting") world.pass(500);
  const { sent } = world.socket().opens();
  assert.deepEqual(sent.map(([type]) => type), ["REQ"]);
});

test("an event is refused once every relay that is there refused it; a duplicate is none", () => {
  const world = new World([A, B]);
  const [a, b] = [world.up(A), world.up(B)];
  world.relays.publish(state);
  a.says("OK", state.id, false, "blocked: no");
  assert.deepEqual(world.refusals, []);
  b.says("OK", state.id, false, "invalid: no");
  assert.deepEqual(world.refusals, [[state.id, "invalid: no"]]);
  const other = stateEvent(["e2e4"], 2);
  world.relays.publish(other);
  a.says("OK", other.id, false, "duplicate: have it");
  b.says("OK", other.id, false, "blocked: no");
  assert.equal(world.refusals.length, 1);
});

test("what is rate-limited is sent again some times, and refused at last", () => {
  const world = new World();
  const socket = world.up();
  world.relays.publish(state);
  for (let time = 0; time < 4; time += 1) {
    socket.says("OK", state.id, false, "rate-limited: slow down");
    world.pass(3_000);
  }
  assert.deepEqual([socket.of("EVENT").length, world.refusals.length], [4, 1]);
});

test("a relay that wants a login gets it, and then the event and the subscription again", async () => {
  const world = new World();
  const socket = world.socket().opens().says("AUTH", "riddle").says("CLOSED", "play", "auth-required: who are you?");
  world.relays.publish(state);
  socket.says("OK", state.id, false, "auth-required: who are you?");
  await settled();
  const [login, ...more] = socket.of("AUTH").map(([, event]) => event as NostrEvent);
  assert.deepEqual([login!.kind, login!.tags, more], [22242, [["relay", A], ["challenge", "riddle"]], []]);
  socket.says("OK", login!.id, true, "");
  assert.deepEqual([socket.of("REQ").length, socket.of("EVENT").length, world.refusals], [2, 2, []]);
});

test("a relay that refuses the login, or the subscription, is shown as refusing", async () => {
  const world = new World([A, B]);
  const socket = world.socket(A).opens().says("AUTH", "riddle").says("CLOSED", "play", "auth-required: x");
  await settled();
  socket.says("OK", (socket.of("AUTH")[0]![1] as NostrEvent).id, false, "restricted: not you");
  world.socket(B).opens().says("CLOSED", "play", "restricted: too many");
  assert.deepEqual(world.status, ["refused", "refused"]);
  world.pass(10_000);
  assert.equal(world.socket(B).of("REQ").length, 2);
});

test("a relay whose login the player's signer does not sign is shown as refusing", async () => {
  const world = new World([A], () => Promise.reject(new Error("the person said no")));
  world.socket().opens().says("AUTH", "riddle").says("CLOSED", "play", "auth-required: x");
  await settled();
  assert.deepEqual(world.status, ["refused"]);
});

test("a connection that has been silent is probed, and left if it stays silent", () => {
  const world = new World();
  const socket = world.up();
  world.pass(45_000);
  assert.equal(socket.of("REQ").at(-1)?.[1], "probe");
  world.pass(100);
  socket.says("EOSE", "probe");
  assert.equal(world.relays.states()[0]?.roundTripMs, 100);
  world.pass(44_000);
  assert.equal(world.status[0], "connected");
  world.pass(60_000);
  assert.ok(socket.isClosed);
});

test("a connection that says nothing after a move is probed soon, and left", () => {
  const world = new World();
  const socket = world.up();
  world.pass(100).relays.publish(state);
  world.pass(5_000);
  assert.equal(socket.of("REQ").at(-1)?.[1], "probe");
  world.pass(8_000);
  assert.ok(socket.isClosed);
  const other = new World();
  other.up();
  other.pass(100).relays.publish(state);
  other.pass(100);
  other.socket().says("OK", state.id, true, "");
  other.pass(20_000);
  assert.equal(other.socket().of("REQ").length, 1);
});

test("after sleep a connection is probed at once and subscriptions are sent again; one that waits is opened", () => {
  const world = new World([A, B]);
  const a = world.up(A);
  world.socket(B).ends();
  const before = world.sockets.length;
  world.pass(10).relays.wake();
  assert.deepEqual(a.of("REQ").map(([, id]) => id), ["play", "play", "probe"]);
  assert.equal(world.sockets.length, before + 1);
  world.pass(8_000);
  assert.ok(a.isClosed, "it was dead");
});

test("what is asked again is stored until EOSE, and a relay that denies one subscription of two serves", () => {
  const world = new World();
  const socket = world.up().says("EVENT", "play", state);
  world.relays.wake();
  const other = stateEvent(["e2e4"], 2);
  socket.says("EVENT", "play", other);
  assert.deepEqual(world.heard, [[state.id, false], [other.id, true]]);
  world.relays.subscribe("who", FILTERS);
  socket.says("CLOSED", "who", "restricted: no");
  assert.deepEqual(world.status, ["connected"]);
  socket.says("CLOSED", "play", "error: later");
  assert.deepEqual(world.status, ["refused"]);
  world.relays.publish(state);
  assert.equal(socket.of("EVENT").length, 1);
  world.pass(10_000);
  socket.says("EOSE", "play");
  assert.deepEqual(world.status, ["connected"]);
});

test("relays that are used no more are closed, and stay closed", () => {
  const world = new World([A, B]);
  const a = world.up(A);
  world.relays.use([B]);
  assert.ok(a.isClosed);
  world.pass(120_000);
  assert.equal(world.sockets.filter(({ url }) => url === A).length, 1);
  world.relays.close();
  assert.deepEqual(world.relays.states(), []);
});
