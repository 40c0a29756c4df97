/** The page when a start fails: it says so, and takes nothing else instead. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { claimOf } from "../src/friend.ts";
import { Identity, type KeyValues } from "../src/identity/identity.ts";
import { localSigner } from "../src/identity/local.ts";
import { SignerError, type Signer } from "../src/identity/signer.ts";
import { findArbiter, keptValues, openSigner, type Obstacles } from "../src/start.ts";
import { storage } from "./kept.ts";
import { ARBITER, BLACK, WHITE, WHITE_SECRET } from "./signed.ts";
import { Net } from "./sockets.ts";

const page = globalThis as { localStorage?: unknown; fetch: typeof fetch };
const { fetch: network } = page;
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
afterEach(() => {
  delete page.localStorage;
  page.fetch = network;
});

/** A store that is forbidden, or full with this in it. */
function store(kind: "forbidden" | "full" | "whole", values = storage()): void {
  const full = (): never => {
    throw new DOMException("no room", "QuotaExceededError");
  };
  Object.defineProperty(page, "localStorage", {
    configurable: true,
    get: () => {
      if (kind === "forbidden") throw new DOMException("denied", "SecurityError");
      return kind === "full" ? { ...values, setItem: full } : values;
    },
  });
}

test("where storage is forbidden or full a new key plays for this visit, and is known not to last", () => {
  for (const kind of ["forbidden", "full"] as const) {
    store(kind);
    const identity = new Identity(keptValues());
    const { pubkey } = identity.localSigner();
    assert.deepEqual([identity.localSigner().pubkey, identity.lasts], [pubkey, false], kind);
  }
});

test("a key that is kept already plays on in a full storage, and lasts", () => {
  const values = storage();
  store("whole", values);
  const { pubkey } = new Identity(keptValues()).localSigner();
  store("full", values);
  const identity = new Identity(keptValues());
  assert.deepEqual([identity.localSigner().pubkey, identity.lasts], [pubkey, true]);
});

test("a choice that storage does not take is known not to last", async () => {
  const values = storage();
  store("whole", values);
  const identity = new Identity(keptValues());
  identity.localSigner();
  assert.ok(identity.lasts);
  store("full", values);
  await identity.importKey("02".repeat(32));
  assert.equal(identity.lasts, false);
});

/** An identity whose signer is elsewhere, and answers when a test says so. */
class Elsewhere extends Identity {
  readonly asked: { resolve(signer: Signer): void; reject(error: Error): void; onAuth(url: string): void }[] = [];

  constructor(kept: KeyValues = storage()) {
    super(kept);
    kept.setItem("arbiter.signer", JSON.stringify({ kind: "extension" }));
  }

  override open(onAuth: (url: string) => void = () => {}): Promise<Signer> {
    return new Promise((resolve, reject) => void this.asked.push({ resolve, reject, onAuth }));
  }
}

/** The page as shown, and the signers that were opened. */
function opened(): { identity: Elsewhere; shown: Obstacles; signers: { signer: Signer; fellBack: boolean }[] } {
  const identity = new Elsewhere();
  const it = { identity, shown: {} as Obstacles, signers: [] as { signer: Signer; fellBack: boolean }[] };
  void openSigner(identity, (change) => Object.assign(it.shown, change)).then((one) => it.signers.push(one));
  return it;
}

test("a signer elsewhere that does not answer is waited for, which is said at once", async () => {
  const { identity, shown, signers } = opened();
  assert.deepEqual([shown.signer?.failure, shown.signer?.approve], [null, null]);
  identity.asked[0]!.onAuth("https://signer.example/approve");
  assert.equal(shown.signer?.approve, "https://signer.example/approve");
  await settled();
  assert.deepEqual(signers, []);
  identity.asked[0]!.resolve(localSigner(WHITE_SECRET));
  await settled();
  assert.deepEqual([signers[0]?.signer.pubkey, signers[0]?.fellBack, shown.signer], [WHITE, false, undefined]);
});

test("a signer that failed is never replaced by itself, and is asked again if the player says so", async () => {
  for (const code of ["unanswered", "refused", "no-extension", "bad-key"] as const) {
    const { identity, shown, signers } = opened();
    identity.asked[0]!.reject(new SignerError(code));
    await settled();
    assert.deepEqual([shown.signer?.failure, signers], [code, []]);
    shown.signer!.retry();
    assert.deepEqual([identity.asked.length, shown.signer?.failure], [2, null]);
    identity.asked[1]!.resolve(localSigner(WHITE_SECRET));
    await settled();
    assert.equal(signers[0]?.signer.pubkey, WHITE);
  }
});

test("this browser's key plays if the player says so, and what the signer answers later changes nothing", async () => {
  const { identity, shown, signers } = opened();
  shown.signer!.useLocal();
  await settled();
  assert.deepEqual([signers[0]?.signer.pubkey, signers[0]?.fellBack], [identity.localSigner().pubkey, true]);
  assert.equal(identity.choice().kind, "extension", "the choice stays");
  let isClosed = false;
  identity.asked[0]!.resolve({ ...localSigner(WHITE_SECRET), close: () => (isClosed = true) });
  await settled();
  assert.deepEqual([signers.length, isClosed, shown.signer], [1, true, undefined]);
});

test("an answer to an older question that failed is not the newer one's", async () => {
  const { identity, shown } = opened();
  shown.signer!.retry();
  identity.asked[0]!.reject(new SignerError("unanswered"));
  await settled();
  assert.equal(shown.signer?.failure, null);
});

test("a player whose key is here waits for nothing", async () => {
  const { signer, fellBack } = await openSigner(new Identity(storage()), () => assert.fail("nothing is in the way"));
  assert.deepEqual([signer.kind, fellBack], ["local", false]);
});

test("an arbiter that cannot be reached is asked again until it answers: after a while, on waking, on a press", async () => {
  for (const how of ["a while", "waking", "a press"] as const) {
    const net = new Net();
    let isThere = false;
    let wake = (): void => {};
    let ends = 0;
    const shown: Obstacles = {};
    page.fetch = async () => {
      if (!isThere) throw new TypeError("Failed to fetch");
      return new Response(JSON.stringify({ names: { _: ARBITER }, self: ARBITER }));
    };
    const finding = findArbiter(
      { origin: "https://chess.example", arbiter: null, relays: null }, (change) => Object.assign(shown, change), net.around,
      (woken) => ((wake = woken), () => (ends += 1)),
    );
    await settled();
    assert.equal(shown.arbiter?.why, "unreachable");
    for (let times = 0; times < 3; times += 1) {
      net.pass(30_000);
      await settled();
      assert.equal(shown.arbiter?.why, "unreachable", "still");
    }
    isThere = true;
    if (how === "a while") net.pass(30_000);
    else if (how === "waking") wake();
    else shown.arbiter!.retry();
    assert.equal((await finding).info.pubkey, ARBITER, how);
    assert.deepEqual([shown.arbiter, ends], [undefined, 4], "no question is left over");
  }
});

test("a NIP-05 name is confirmed by its domain alone", async () => {
  const asked: string[] = [];
  page.fetch = async (url) => {
    asked.push(String(url));
    if (String(url).includes("away")) throw new TypeError("Failed to fetch");
    return new Response(JSON.stringify({ names: { ann: WHITE, _: WHITE } }));
  };
  const claims: [string, string, string][] = [
    ["ann@chess.example", WHITE, "confirmed"], ["_@chess.example", WHITE, "confirmed"], ["Ann@Chess.Example", WHITE, "confirmed"],
    ["ann@chess.example", BLACK, "denied"], ["bob@chess.example", WHITE, "denied"], ["ann@away.example", WHITE, "unanswered"],
  ];
  for (const [name, pubkey, claim] of claims) assert.equal(await claimOf(name, pubkey), claim, name);
  const before = asked.length;
  for (const name of ["Ann", "ann@", "<img src=x>", "ann@localhost", "a@b@c.example", "ann@evil.example/path"]) {
    assert.equal(await claimOf(name, WHITE), "denied", name);
  }
  assert.equal(asked.length, before, "what is no name is asked of no domain");
});
