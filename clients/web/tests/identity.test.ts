import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { npubEncode, nsecEncode } from "nostr-tools/nip19";
import { getPublicKey } from "nostr-tools/pure";

import { hasExtension } from "../src/identity/extension.ts";
import { Identity } from "../src/identity/identity.ts";
import { localSigner, signedBy } from "../src/identity/local.ts";
import { SignerError } from "../src/identity/signer.ts";
import { isSigned } from "../src/net/event.ts";
import { enLater } from "../src/texts/en_later.ts";
import { AT, BLACK, BLACK_SECRET, WHITE, WHITE_SECRET } from "./signed.ts";
import { storage } from "./kept.ts";

const DRAFT = { kind: 20303, created_at: AT, tags: [["d", "x"]], content: "e2e4" };
const page = globalThis as { nostr?: unknown };
afterEach(() => delete page.nostr);

test("the first visit makes a key, and every other one finds it", async () => {
  const kept = storage();
  const first = await new Identity(kept).open();
  assert.deepEqual([first.kind, (await new Identity(kept).open()).pubkey], ["local", first.pubkey]);
  assert.notEqual((await new Identity(storage()).open()).pubkey, first.pubkey);
  assert.ok(isSigned(await first.sign(DRAFT)));
});

test("a key goes out and in as nsec and as hex, and as ncryptsec with its password alone", async () => {
  const [from, to] = [new Identity(storage()), new Identity(storage())];
  const { pubkey } = await from.open();
  assert.equal((await to.importKey(` ${from.exportNsec()}\n`)).pubkey, pubkey);
  assert.equal((await to.open()).pubkey, pubkey);
  assert.equal(to.localNpub(), from.localNpub());
  const encrypted = await from.exportNcryptsec("å pass");
  assert.match(encrypted, /^ncryptsec1/);
  assert.equal((await new Identity(storage()).importKey(encrypted, "a\u030A pass")).pubkey, pubkey, "NFKC");
  await assert.rejects(to.importKey(encrypted, "wrong"), { name: "Error", message: "bad-password" });
});

test("what is no key is not imported, and the old key stays", async () => {
  const identity = new Identity(storage());
  const { pubkey } = await identity.open();
  const text = nsecEncode(WHITE_SECRET);
  const npub = npubEncode(pubkey);
  const causes = {
    "bad-key": ["", "nsec1", text.slice(0, -1), `${text}x`, "0".repeat(64), "f".repeat(64), "f".repeat(63), "note1x"],
    "public-key": [npub, npub.toUpperCase(), `nostr:${npub}`, "npub1x", "nprofile1x"],
    "bad-password": ["ncryptsec1x"],
  };
  for (const [message, texts] of Object.entries(causes)) {
    assert.ok(`identity.failed.${message}` in enLater, message);
    for (const wrong of texts) await assert.rejects(identity.importKey(wrong, "x"), { name: "Error", message }, wrong);
  }
  assert.equal((await identity.open()).pubkey, pubkey);
});

test("a key is imported in capitals, over two lines, and as a nostr: address", async () => {
  const text = nsecEncode(WHITE_SECRET);
  const hex = Buffer.from(WHITE_SECRET).toString("hex");
  for (const given of [text, text.toUpperCase(), `\ufeff${text.slice(0, 30)}\r\n${text.slice(30)}`, `nostr:${text}`, hex, hex.toUpperCase()]) {
    assert.equal((await new Identity(storage()).importKey(given)).pubkey, getPublicKey(WHITE_SECRET), given);
  }
});

test("broken storage is as good as an empty one", async () => {
  for (const choice of ["{", "7", '{"kind":"bunker"}', '{"kind":"bunker","clientSecret":"x","pointer":{}}', '{"kind":"else"}']) {
    const kept = storage();
    kept.setItem("arbiter.signer", choice);
    kept.setItem("arbiter.secret", "not hex");
    assert.equal((await new Identity(kept).open()).kind, "local", choice);
  }
});

function extension(secret: Uint8Array): Record<string, unknown> {
  const { encrypt, decrypt } = localSigner(secret);
  return {
    getPublicKey: async () => getPublicKey(secret),
    signEvent: async (event: typeof DRAFT) => signedBy(secret, event),
    nip44: { encrypt, decrypt },
  };
}

test("an extension signs and encrypts, and is chosen again at the next visit", async () => {
  page.nostr = extension(WHITE_SECRET);
  assert.ok(hasExtension());
  const kept = storage();
  const signer = await new Identity(kept).useExtension();
  assert.deepEqual([signer.kind, signer.pubkey, (await signer.sign(DRAFT)).pubkey], ["extension", WHITE, WHITE]);
  const cipher = await signer.encrypt(BLACK, "hello");
  assert.equal(await localSigner(BLACK_SECRET).decrypt(WHITE, cipher), "hello");
  assert.equal((await new Identity(kept).open()).kind, "extension");
  const local = new Identity(kept).useLocal();
  assert.notEqual(local.pubkey, WHITE);
  assert.equal((await new Identity(kept).open()).pubkey, local.pubkey);
});

test("an extension that signs another event, with another key, or nothing, has signed nothing", async () => {
  for (const signEvent of [
    async () => signedBy(BLACK_SECRET, DRAFT),
    async () => signedBy(WHITE_SECRET, { ...DRAFT, content: "d2d4" }),
    async () => signedBy(WHITE_SECRET, { ...DRAFT, tags: [] }),
    async () => ({ ...signedBy(WHITE_SECRET, DRAFT), sig: "0".repeat(128) }),
    async () => null,
    async () => Promise.reject(new Error("User rejected")),
  ]) {
    page.nostr = { ...extension(WHITE_SECRET), signEvent };
    const signer = await new Identity(storage()).useExtension();
    await assert.rejects(signer.sign(DRAFT), SignerError);
  }
});

test("without an extension, and with one that has no key or no NIP-44, the reason is told", async () => {
  const identity = new Identity(storage());
  await assert.rejects(identity.useExtension(), { message: "no-extension" });
  page.nostr = { ...extension(WHITE_SECRET), getPublicKey: async () => "npub1x" };
  await assert.rejects(identity.useExtension(), { message: "bad-key" });
  page.nostr = { ...extension(WHITE_SECRET), nip44: undefined };
  await assert.rejects((await identity.useExtension()).encrypt(BLACK, "x"), { message: "no-nip44" });
  assert.equal(new Identity(storage()).choice().kind, "local");
});

test("an address that is no bunker's is told at once", async () => {
  for (const address of ["", "bunker://", "bunker://x", `bunker://${WHITE}`, "https://x.example"]) {
    await assert.rejects(new Identity(storage()).useBunker(address, () => {}), { message: "bad-key" }, address);
  }
});
