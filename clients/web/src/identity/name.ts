/** The name of this browser's own key: chosen by the player, or a friendly one until then. */

import type { KeyValues } from "./identity.ts";

export const MAX_NAME = 32;

/** `<key>:<name>`: a key that was imported has an empty one, until the player chooses another. */
const NAME = "arbiter.name";
const HOW = "Brave Calm Keen Noble Quick Swift".split(" ");
const WHO = "Pawn Knight Bishop Rook Queen King".split(" ");

/** Such as `Swift Knight 42`, the same for the same key. */
export function friendlyName(pubkey: string): string {
  const [how, who, number] = [0, 4, 8].map((at) => parseInt(pubkey.slice(at, at + 4), 16)) as [number, number, number];
  return `${HOW[how % 6]} ${WHO[who % 6]} ${10 + (number % 90)}`;
}

/** What the player chose for this key, which may be nothing; `null` before any choice. */
export function chosenName(kept: KeyValues, pubkey: string): string | null {
  const said = kept.getItem(NAME) ?? "";
  return said.startsWith(`${pubkey}:`) ? said.slice(65) : null;
}

export function keepName(kept: KeyValues, pubkey: string, name: string): void {
  kept.setItem(NAME, `${pubkey}:${name}`);
}
