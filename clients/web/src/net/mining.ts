/** NIP-13: work, in slices that leave the page alive. */

import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

import type { EventTemplate } from "./event.ts";

const TRIES_AT_A_TIME = 64;
const SLICE_MS = 8;

/** The event with a `nonce` that commits to so many bits and reaches them. */
export async function mined(
  template: EventTemplate, pubkey: string, bits: number, nowMs: () => number,
): Promise<EventTemplate> {
  if (bits <= 0) return template;
  for (let nonce = 0; ; ) {
    const untilMs = nowMs() + SLICE_MS;
    while (nowMs() < untilMs) {
      for (let tries = 0; tries < TRIES_AT_A_TIME; tries += 1, nonce += 1) {
        const tags = [...template.tags, ["nonce", String(nonce), String(bits)]];
        const { kind, created_at, content } = template;
        const text = JSON.stringify([0, pubkey, created_at, kind, tags, content]);
        if (leadingZeros(sha256(utf8ToBytes(text))) >= bits) return { ...template, tags };
      }
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
}

export function leadingZeros(hash: Uint8Array): number {
  let zeros = 0;
  for (const byte of hash) {
    if (byte !== 0) return zeros + Math.clz32(byte) - 24;
    zeros += 8;
  }
  return zeros;
}
