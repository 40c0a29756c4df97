/** A socket that stays open and falls silent: when it is noticed, whatever came before. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../src/arbiter/client.ts";
import { localSigner } from "../src/identity/local.ts";
import { Relays } from "../src/net/relays.ts";
import { storage } from "./kept.ts";
import { ARBITER, AT, byArbiter, GAME, stateEvent, WHITE, WHITE_SECRET } from "./signed.ts";
import { Net, type FakeSocket } from "./sockets.ts";

const A = "wss://a.example";
/** The last frame comes so long after the connection opened: none may depend on it. */
const LAST_FRAMES_MS = [0, 100, 1_000, 3_999, 4_000, 10_000, 30_000, 44_000, 46_000, 53_000, 60_000];
const LIVE_MS = 8_000;
const CALM_MS = 53_000;

class Silence extends Net {
  readonly relays = new Relays(
    { ...this.around, authenticate: () => Promise.reject(new Error("nobody asks")) },
    { wants: () => false, event() {}, caughtUp() {}, refused() {}, connected() {}, changed() {} },
  );

  constructor(isLive: boolean, opens = true) {
    super();
    this.relays.hurry(isLive);
    this.relays.use([A]);
    if (opens) this.socket(A).opens();
  }

  get isConnected(): boolean {
    return this.relays.isConnected;
  }

  /** A relay that answers what it is asked, until then. */
  answersUntil(ms: number): this {
    const socket = this.socket(A);
    let answered = 0;
    while (this.nowMs < ms) {
      this.pass(Math.min(100, ms - this.nowMs));
      for (; answered < socket.of("REQ").length; answered += 1) socket.says("EOSE", "probe");
    }
    socket.says("NOTICE", "last frame");
    return this;
  }

  /** Milliseconds until the page knows. */
  noticed(): number {
    const lastMs = this.nowMs;
    while (this.isConnected && this.nowMs < lastMs + 300_000) this.pass(100);
    return this.nowMs - lastMs;
  }
}

for (const lastMs of LAST_FRAMES_MS) {
  for (const [isLive, mostMs] of [[true, LIVE_MS], [false, CALM_MS]] as const) {
    test(`a relay last heard at ${lastMs} ms is lost ${mostMs} ms later at most, ${isLive ? "in a live game" : "without a clock"}`, () => {
      const ms = new Silence(isLive).answersUntil(lastMs).noticed();
      assert.ok(ms <= mostMs, `noticed after ${ms} ms`);
    });
  }
}

test("a relay that answers is kept, and without a live clock it is seldom asked", () => {
  for (const [isLive, most] of [[true, 150], [false, 13]] as const) {
    const silence = new Silence(isLive).answersUntil(600_000);
    assert.deepEqual([silence.isConnected, silence.sockets.length], [true, 1]);
    const asked = silence.socket(A).of("REQ").length;
    assert.ok(asked > 5 && asked <= most, `${asked} questions in ten minutes`);
  }
});

test("looking again and again at the page does not put off the end of a dead connection", () => {
  const silence = new Silence(false).answersUntil(1_000);
  for (let times = 0; times < 8; times += 1) {
    silence.pass(1_000);
    silence.relays.wake();
  }
  assert.ok(silence.noticed() <= 1_000);
});

test("moves that are sent into a dead connection do not put off its end, and one alone ends it", () => {
  const once = new Silence(false).answersUntil(1_000);
  once.relays.publish(stateEvent([], 1));
  assert.ok(once.noticed() <= 12_000);
  const often = new Silence(false).answersUntil(1_000);
  for (let version = 1; often.isConnected && version < 100; version += 1) {
    often.relays.publish(stateEvent([], version));
    often.pass(1_000);
  }
  assert.ok(often.nowMs <= 1_000 + 12_000, `noticed at ${often.nowMs} ms`);
});

test("a live clock that begins during a long silence has the relay asked at once", () => {
  const silence = new Silence(false).answersUntil(1_000).pass(30_000);
  silence.relays.hurry(true);
  assert.ok(silence.noticed() <= 4_000);
});

test("in a live game a lost relay is tried every few seconds, and at once when the game begins", () => {
  const away = (isLive: boolean): Silence => {
    const silence = new Silence(isLive);
    while (silence.nowMs < 120_000) {
      silence.sockets.at(-1)!.ends();
      silence.pass(500);
    }
    return silence;
  };
  assert.ok(away(true).sockets.length >= 30);
  const calm = away(false);
  const before = calm.sockets.length;
  assert.ok(before < 12, `${before} attempts`);
  calm.relays.hurry(true);
  assert.equal(calm.sockets.length, before + 1);
});

/** A client whose relay has told it what it is told here. */
function client(...told: [string, unknown][]): { net: Net; socket: FakeSocket; client: Client } {
  const net = new Net();
  net.nowMs = AT * 1000;
  const made = new Client({
    info: { pubkey: ARBITER, name: "", relays: [A], gateway: null, http: null, house: [] },
    signer: localSigner(WHITE_SECRET), around: net.around, fetched: fetch, kept: storage(),
  });
  const socket = net.socket(A).opens();
  for (const [subscription, event] of told) socket.says("EVENT", subscription, event);
  socket.says("EOSE", "play");
  return { net, socket, client: made };
}

const LIVE = [["time", "60+0"], ["clock", "60000", "60000"]] as const;
const noticedMs = ({ net, client: made }: ReturnType<typeof client>): number => {
  const lastMs = net.nowMs;
  while (made.state().relays[0]?.status === "connected" && net.nowMs < lastMs + 300_000) net.pass(100);
  made.close();
  return net.nowMs - lastMs;
};

test("the client hurries its relays while a live clock of its player runs, and no longer", () => {
  const running = stateEvent(["e2e4", "e7e5"], 3, LIVE);
  const over = stateEvent(["e2e4", "e7e5"], 4, [...LIVE, ["result", "1-0"], ["termination", "resignation"]]);
  const daily = stateEvent(["e2e4", "e7e5"], 3, [["time", "3d"]]);
  const others = byArbiter(20302, running.content, running.tags.map((tag) => (tag[1] === WHITE ? ["p", ARBITER] : tag)));
  assert.ok(noticedMs(client(["play", running])) <= LIVE_MS, "a live game");
  for (const [why, ...told] of [["no game"], ["it is over", running, over], ["a daily game", daily], ["others play", others]] as const) {
    const ms = noticedMs(client(...told.map((event): [string, unknown] => ["play", event])));
    assert.ok(ms > LIVE_MS && ms <= CALM_MS, `${why}: ${ms} ms`);
  }
  assert.equal(running.tags[0]?.[1], GAME);
});

test("who waits for a live game is not left on a dead connection when it begins", async () => {
  const waiting = client();
  waiting.client.play({ time: { kind: "live", base: 60, increment: 0 }, rated: false, variant: "standard", color: "random", rating: null, start: null, bots: false });
  assert.equal(waiting.client.state().waiting.length, 1);
  assert.ok(noticedMs(waiting) <= LIVE_MS);
});

for (const beforeMs of [0, 1_000, 5_999, 8_000]) {
  test(`a socket that does not open is given up within 6 s of a live game that begins ${beforeMs} ms after it was dialled`, () => {
    const net = new Silence(false, false);
    net.pass(beforeMs);
    net.relays.hurry(true);
    net.pass(Math.max(0, 6_000 - beforeMs) + 1_000);
    assert.equal(net.socket(A) === net.sockets[0], false, "the first socket is still waited for");
  });
}

test("what wakes the page up gives up a socket that has not opened for long", () => {
  const net = new Silence(false, false);
  net.pass(7_000);
  net.relays.wake();
  net.pass(1_000);
  assert.equal(net.sockets.length, 2);
});
