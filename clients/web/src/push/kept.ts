/**
 * The subscription of this browser to Web Push, for page and service worker: in a cache, as workers read no localStorage.
 */

import type { Pubkey } from "../arbiter/model.ts";

export interface KeptPush {
  /** 16 hex digits, by which the arbiter tells a player's devices apart. */
  readonly device: string;
  readonly player: Pubkey;
  readonly arbiter: Pubkey;
  /** The key by which the arbiter signs its pushes. */
  readonly key: string;
  readonly endpoint: string;
  /** The arbiter said that it has this endpoint. */
  readonly isTold: boolean;
  /** The page's address names its arbiter here, if it is on another host. */
  readonly search: string;
}

/** A release must not delete it with the files of the one before. */
export const PUSH_CACHE = "push";
const PLACE = "./push";

/** `null` if there is none, or something else wrote there. */
export async function keptPush(): Promise<KeptPush | null> {
  const found = await caches.match(PLACE, { cacheName: PUSH_CACHE });
  const value = (await found?.json().catch(() => null)) as KeptPush | null | undefined;
  return typeof value?.device === "string" && typeof value.key === "string" ? value : null;
}

export async function keepPush(value: KeptPush | null): Promise<void> {
  const cache = await caches.open(PUSH_CACHE);
  if (value) await cache.put(PLACE, new Response(JSON.stringify(value)));
  else await cache.delete(PLACE);
}
