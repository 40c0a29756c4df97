/** NIP-05: finds a player by name, and checks the name that a profile claims. */

import type { Pubkey } from "./arbiter/model.ts";

/** The name that is written here: `alice@example.com`, or a domain alone, which is `_@`. */
export function nameIn(text: string): { readonly name: string; readonly domain: string } | null {
  const bare = text.trim().toLowerCase();
  const [, name = "_", domain] = /^(?:([a-z0-9._-]+)@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?)$/.exec(bare) ?? [];
  return domain ? { name, domain } : null;
}

/** The key of this name; `null` if its domain does not know it. Rejects without network. */
export async function lookUp({ name, domain }: { name: string; domain: string }): Promise<Pubkey | null> {
  // "Fetchers MUST ignore any HTTP redirects given by the /.well-known/nostr.json endpoint."
  const answer = await fetch(`https://${domain}/.well-known/nostr.json?name=${encodeURIComponent(name)}`, {
    redirect: "error",
    credentials: "omit",
    signal: AbortSignal.timeout(8000),
  });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(String(answer.status));
  const { names } = ((await answer.json()) ?? {}) as { names?: Record<string, unknown> };
  const key = names?.[name];
  return typeof key === "string" && /^[0-9a-f]{64}$/.test(key) ? key : null;
}

export type Claim = "confirmed" | "denied" | "unanswered";

/** Whether the domain of a name that a profile claims knows it, and by this key. */
export async function claimOf(claimed: string, pubkey: Pubkey): Promise<Claim> {
  const name = nameIn(claimed);
  if (!name) return "denied";
  try {
    return (await lookUp(name)) === pubkey ? "confirmed" : "denied";
  } catch {
    return "unanswered";
  }
}
