/** What players are called: told with requests, chosen, published, and shown. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { readPgn } from "../src/analysis/pgn_text.ts";
import { Client } from "../src/arbiter/client.ts";
import { requestEvent, type Ask } from "../src/arbiter/requests.ts";
import { Identity } from "../src/identity/identity.ts";
import { localSigner, signedBy } from "../src/identity/local.ts";
import { friendlyName } from "../src/identity/name.ts";
import type { NostrEvent } from "../src/net/event.ts";
import { named } from "../src/shell/profile.ts";
import { PLAIN } from "../src/terms.ts";
import { storage } from "./kept.ts";
import { ARBITER, AT, BLACK, BLACK_SECRET, byArbiter, GAME, stateEvent, WHITE, WHITE_SECRET } from "./signed.ts";
import { Net, type FakeSocket } from "./sockets.ts";

const A = "wss://a.example";

/** A client whose own key is called so where no profile names it. */
class Named {
  readonly net = new Net();
  readonly client: Client;

  constructor(name: string | null, relays = [A]) {
    this.net.nowMs = AT * 1000;
    this.client = new Client({
      info: { pubkey: ARBITER, name: "", relays, gateway: null, http: null, house: [] },
      signer: localSigner(WHITE_SECRET), around: this.net.around, fetched: fetch, kept: storage(), name: () => name,
    });
    for (const url of relays) this.net.socket(url).opens();
    this.net.pass(100);
  }

  /** This relay has sent the profiles that it has. */
  tells(url: string, ...profiles: NostrEvent[]): this {
    const socket = this.net.socket(url);
    for (const event of profiles) socket.says("EVENT", "who", event);
    socket.says("EOSE", "who");
    return this;
  }

  /** The events of this kind that were published, once what was signed is sent. */
  async published(kind: number): Promise<NostrEvent[]> {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    const sent = (socket: FakeSocket): NostrEvent[] => socket.of("EVENT").map(([, event]) => event as NostrEvent);
    return sent(this.net.socket(A)).filter((event) => event.kind === kind);
  }

  nameOf(player: string): string | null | undefined {
    return this.client.state().profiles.get(player)?.name;
  }
}

const profile = (secret: Uint8Array, said: unknown, at = AT - 9): NostrEvent =>
  signedBy(secret, { kind: 0, created_at: at, tags: [["i", "github:x", "y"]], content: JSON.stringify(said) });

test("a request to play carries the name, and that its author has a socket, and no other does", () => {
  const asks: Ask[] = [
    { kind: "pool", terms: PLAIN }, { kind: "open", terms: PLAIN, linkSecret: null }, { kind: "accept", challenge: GAME },
    { kind: "challenge", opponent: BLACK, terms: PLAIN, others: null },
    { kind: "state" }, { kind: "cancel" }, { kind: "decline", challenge: GAME, reason: "later" },
  ];
  const named = asks.map((ask) => requestEvent(ask, ARBITER, WHITE, AT, "Ann")!.tags.some(([tag, name]) => tag === "name" && name === "Ann"));
  assert.deepEqual(named, [true, true, true, true, false, false, false]);
  for (const nothing of [null, ""]) {
    assert.ok(!JSON.stringify(requestEvent(asks[0]!, ARBITER, WHITE, AT, nothing)).includes("name"));
  }
  const here = asks.map((ask) => requestEvent(ask, ARBITER, WHITE, AT, null, true)!.tags.some(([tag]) => tag === "here"));
  assert.deepEqual(here, named);
});

test("the name of a profile goes before the friendly one, and names of a state before none", async () => {
  const one = new Named("Swift Knight 42");
  assert.equal(one.nameOf(WHITE), "Swift Knight 42");
  one.net.socket(A).says("EVENT", "play", stateEvent([], 1, [["names", "", "Bo\u202eb"]]));
  assert.deepEqual([one.nameOf(WHITE), one.nameOf(BLACK)], ["Swift Knight 42", "Bo b"]);
  one.tells(A, profile(WHITE_SECRET, { name: "Ann" }), profile(BLACK_SECRET, { about: "no name" }));
  assert.deepEqual([one.nameOf(WHITE), one.nameOf(BLACK)], ["Ann", "Bo b"]);
  one.net.socket(A).says("EVENT", "play", stateEvent(["e2e4"], 2, [["names", "Eve", "Bob"]]));
  assert.deepEqual([one.nameOf(WHITE), one.nameOf(BLACK)], ["Ann", "Bob"]);
  one.net.socket(A).says("EOSE", "play");
  one.client.openChallenge(PLAIN);
  const [asked] = (await one.published(20300)).filter(({ content }) => content === "");
  assert.deepEqual(asked?.tags.filter(([name]) => name === "name"), [["name", "Ann"]]);
  one.client.close();
});

test("who challenges is called as they told the arbiter, until their profile names them", () => {
  const one = new Named(null);
  const tags = [["p", WHITE], ["expiration", String(AT + 600)], ["name", "Bo\u202eb"]] as const;
  one.net.socket(A).says("EOSE", "play").says("EVENT", "play", byArbiter(20301, `challenged:${"ef".repeat(16)}:${BLACK}`, tags));
  assert.equal(one.client.state().challenges[0]?.challenger, BLACK);
  assert.equal(one.nameOf(BLACK), "Bo b");
  one.client.wonder(BLACK);
  assert.equal(one.tells(A, profile(BLACK_SECRET, { name: "Bob" })).nameOf(BLACK), "Bob");
  one.client.close();
});

test("nothing is published before the player chooses a name", async () => {
  const one = new Named("Swift Knight 42").tells(A);
  one.client.openChallenge(PLAIN);
  assert.deepEqual(await one.published(0), []);
  one.client.close();
});

test("a name that was chosen is published, and takes nothing out of the profile there is", async () => {
  const known = { display_name: "Old", about: "me", lud16: "a@b.example", website: "x" };
  const one = new Named("Swift Knight 42").tells(A, profile(WHITE_SECRET, known, AT + 50));
  one.client.rename("Ann", (content) => named(content, "Ann"));
  const [event, ...more] = await one.published(0);
  assert.deepEqual(JSON.parse(event!.content), { ...known, display_name: "Ann", name: "Ann" });
  assert.deepEqual([event!.tags, event!.created_at, more], [[["i", "github:x", "y"]], AT + 51, []]);
  assert.equal(one.nameOf(WHITE), "Ann");
  one.client.rename("Anne", (content) => named(content, "Anne"));
  const [, second] = await one.published(0);
  assert.deepEqual([JSON.parse(second!.content).name, JSON.parse(second!.content).about, second!.created_at], ["Anne", "me", AT + 52]);
  one.client.close();
});

test("a friendly name is the same for the same key, and short", () => {
  const keys = Array.from({ length: 200 }, (_, at) => (at * 7_919_777_777 + 1).toString(16).padStart(16, "9").repeat(4));
  const names = keys.map(friendlyName);
  assert.deepEqual(keys.map(friendlyName), names);
  assert.ok(new Set(names).size > 150);
  for (const name of names) assert.match(name, /^[A-Z][a-z]+ (Pawn|Knight|Bishop|Rook|Queen|King) [1-9][0-9]$/);
});

test("a key made here has a friendly name until one is chosen; an imported key has none", async () => {
  const kept = storage();
  const identity = new Identity(kept);
  const { pubkey } = identity.localSigner();
  assert.deepEqual(identity.nameOf(pubkey), { name: friendlyName(pubkey), isChosen: false });
  identity.rename(pubkey, "Ann: a");
  assert.deepEqual(new Identity(kept).nameOf(pubkey), { name: "Ann: a", isChosen: true });
  const imported = await identity.importKey(new Identity(storage()).exportNsec());
  assert.deepEqual(identity.nameOf(imported.pubkey), { name: "", isChosen: true });
});

test("times left after moves are read over: nothing of the game is left out", () => {
  const [game] = readPgn("1. f3 { [%clk 0:03:00] } 1... e5 {[%clk 0:02:59.5]} 2. g4 Qh4# 0-1").games;
  assert.deepEqual([game!.hasMore, game!.flaw, game!.words.map(({ text }) => text)], [false, null, ["1.", "f3", "1", "e5", "2.", "g4", "Qh4"]]);
  const [said] = readPgn("1. f3 { [%clk 0:03:00] why? } e5 *").games;
  assert.deepEqual([said!.hasMore, said!.words[1]?.comment], [false, "why?"]);
});
