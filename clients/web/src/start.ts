/** From the page's address to a client that plays. */

import { Client } from "./arbiter/client.ts";
import { Identity, type KeyValues } from "./identity/identity.ts";
import type { Signer } from "./identity/signer.ts";
import { browser, onWake } from "./net/browser.ts";
import { discover, type Found, type Start } from "./net/discovery.ts";

/** What the address says before the hash: `?arbiter=npub…&relays=wss://…,wss://…`. */
export function startOf({ origin, search }: Pick<Location, "origin" | "search">): Start {
  const asked = new URLSearchParams(search);
  return { origin, arbiter: asked.get("arbiter"), relays: asked.get("relays") };
}

export function findArbiter(start: Start): Promise<Found | null> {
  return discover(start, (url, options) => fetch(url, options), browser);
}

/** localStorage; where it is full or forbidden, what lasts as long as the page. */
export function keptValues(): KeyValues {
  try {
    localStorage.setItem("arbiter.works", "1");
    localStorage.removeItem("arbiter.works");
    return localStorage;
  } catch {
    const values = new Map<string, string>();
    return {
      getItem: (name) => values.get(name) ?? null,
      setItem: (name, value) => void values.set(name, value),
      removeItem: (name) => void values.delete(name),
    };
  }
}

/** A client that lives until its `close`; make another when the player or the arbiter changes. */
export function openClient(found: Found, signer: Signer, kept: KeyValues): Client {
  const client: Client = new Client({
    ...found, signer, around: browser, fetched: (url, options) => fetch(url, options),
    kept, onClose: onWake(() => client.wake()),
  });
  return client;
}

/** The signer that was chosen last; this browser's own key if that one does not answer. */
export async function openSigner(identity: Identity): Promise<{ signer: Signer; fellBack: boolean }> {
  try {
    return { signer: await identity.open(), fellBack: false };
  } catch {
    return { signer: identity.localSigner(), fellBack: true };
  }
}
