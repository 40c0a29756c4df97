/** Public keys as people know them. */

import { npubEncode } from "nostr-tools/nip19";
import type { ClientState, Pubkey } from "../arbiter/model.ts";

const known = new Map<Pubkey, string>();

/** Encoded once each: names are drawn with every move. */
export function npubOf(player: Pubkey): string {
  const npub = known.get(player) ?? npubEncode(player);
  known.set(player, npub);
  return npub;
}

/** `npub1abcde…wxyz`. */
export function shortNpub(npub: string): string {
  return `${npub.slice(0, 10)}…${npub.slice(-4)}`;
}

export function nameOf({ profiles }: Pick<ClientState, "profiles">, player: Pubkey): string {
  return profiles.get(player)?.name ?? shortNpub(npubOf(player));
}
