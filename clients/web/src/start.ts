/** From the page's address to a client that plays. */

import { Client } from "./arbiter/client.ts";
import { backoff } from "./backoff.ts";
import type { Identity, KeyValues } from "./identity/identity.ts";
import type { Signer, SignerError } from "./identity/signer.ts";
import { browser, onWake } from "./net/browser.ts";
import { discover, type Found, type NotFound, type Start } from "./net/discovery.ts";
import type { Account } from "./shared/account.ts";

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 30_000;

/** The address before the hash: `?arbiter=npub…&relays=wss://…,wss://…`. */
export function startOf({ origin, search }: Pick<Location, "origin" | "search">): Start {
  const asked = new URLSearchParams(search);
  return { origin, arbiter: asked.get("arbiter"), relays: asked.get("relays") };
}

/** The obstacles to a start, and the player's remedies. */
export interface Obstacles {
  arbiter?: { readonly why: NotFound; readonly retry: () => void } | undefined;
  signer?: {
    /** A page of the signer's to open. */
    readonly approve: string | null;
    /** `null` while it has not answered. */
    readonly failure: SignerError["code"] | null;
    readonly retry: () => void;
    readonly useLocal: () => void;
  } | undefined;
}
export type Tell = (change: Obstacles) => void;

/** Asks until there is one: soon again, and at once when the network or the player is back. */
export async function findArbiter(start: Start, tell: Tell, around = browser, waking = onWake): Promise<Found> {
  for (let attempts = 0; ; attempts += 1) {
    const found = await discover(start, (url, options) => fetch(url, options), around);
    if (typeof found === "object") {
      tell({ arbiter: undefined });
      return found;
    }
    await new Promise<void>((resolve) => {
      const retry = (): void => (end(), cancel(), resolve());
      const end = waking(retry);
      const cancel = around.later(retry, backoff(FIRST_WAIT_MS, MAX_WAIT_MS, attempts));
      tell({ arbiter: { why: found, retry } });
    });
  }
}

/** localStorage; what it does not take, because it is full or forbidden, lasts as long as the page. */
export function keptValues(): KeyValues {
  const unkept = new Map<string, string | null>();
  const change = (name: string, value: string | null): void => {
    try {
      if (value === null) localStorage.removeItem(name);
      else localStorage.setItem(name, value);
      unkept.delete(name);
    } catch {
      unkept.set(name, value);
    }
  };
  return {
    getItem: (name) => {
      if (unkept.has(name)) return unkept.get(name) ?? null;
      try {
        return localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    setItem: change,
    removeItem: (name) => change(name, null),
    lasts: (name) => !unkept.has(name),
  };
}

/** A client that lives until its `close`; make another when the player or the arbiter changes. */
export function openClient(found: Found, signer: Signer, kept: KeyValues, identity?: Identity): Client {
  const isLocal = signer.kind === "local" && identity;
  const client: Client = new Client({
    ...found, signer, around: browser, fetched: (url, options) => fetch(url, options),
    kept, name: () => (isLocal ? identity.nameOf(signer.pubkey).name : null), onClose: onWake(() => client.wake()),
  });
  return client;
}

/** The signer that was chosen last. Another key plays only if the player says so. */
export function openSigner(identity: Identity, tell: Tell): Promise<Omit<Account, "identity">> {
  if (identity.choice().kind === "local") {
    return Promise.resolve({ signer: identity.localSigner(), fellBack: false });
  }
  return new Promise((resolve) => {
    let attempts = 0;
    const settle = (signer: Signer, fellBack: boolean): void => {
      attempts = Infinity;
      globalThis.removeEventListener?.("online", ask);
      tell({ signer: undefined });
      resolve({ signer, fellBack });
    };
    const ask = (): void => {
      const attempt = (attempts += 1);
      const show = (failure: SignerError["code"] | null, approve: string | null = null): void => {
        const useLocal = (): void => settle(identity.localSigner(), true);
        if (attempt === attempts) tell({ signer: { approve, failure, retry: ask, useLocal } });
      };
      identity.open((url) => show(null, url)).then(
        (signer) => (attempt === attempts ? settle(signer, false) : signer.close()),
        (failure: Partial<SignerError>) => show(failure.code ?? "unanswered"),
      );
      show(null);
    };
    // Its relays come back with the network.
    globalThis.addEventListener?.("online", ask);
    ask();
  });
}
