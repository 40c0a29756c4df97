/** A secret key in this page's memory. */

import { schnorr } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { getEventHash, getPublicKey } from "nostr-tools/pure";

import type { EventTemplate, NostrEvent } from "../net/event.ts";
import type { Signer } from "./signer.ts";

// A fifth of the usual table: that takes 20 ms to make, and saves 0.2 ms of each signature.
schnorr.Point.BASE.precompute(5);

export function localSigner(secret: Uint8Array): Signer {
  const pubkey = getPublicKey(secret);
  const key = async (other: string): Promise<Uint8Array> =>
    (await nip44()).getConversationKey(secret, other);
  return {
    kind: "local",
    pubkey,
    sign: async (template) => {
      await drawn();
      return signedBy(secret, template, pubkey);
    },
    encrypt: async (to, text) => (await nip44()).encrypt(text, await key(to)),
    decrypt: async (from, cipher) => (await nip44()).decrypt(cipher, await key(from)),
    close: () => {},
  };
}

/** Draws a pressed button first: a signature takes some milliseconds. */
async function drawn(): Promise<void> {
  // Timers of a hidden tab are slow.
  if (globalThis.document?.hidden === false) await new Promise((resolve) => setTimeout(resolve));
}

export function signedBy(secret: Uint8Array, template: EventTemplate, pubkey = getPublicKey(secret)): NostrEvent {
  const { kind, created_at, content } = template;
  const event = { pubkey, kind, created_at, content, tags: template.tags.map((tag) => [...tag]) };
  const id = getEventHash(event);
  return { ...event, id, sig: bytesToHex(schnorr.sign(hexToBytes(id), secret)) };
}

/** Loaded with the first line of chat: the board does not need it. */
function nip44(): Promise<typeof import("nostr-tools/nip44")> {
  return import("nostr-tools/nip44");
}
