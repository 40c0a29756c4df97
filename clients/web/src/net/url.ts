/** Addresses of relays. */

/** The address in one spelling; `null` unless it is `wss:`, or `ws:`, which pages over HTTPS refuse. */
export function relayUrl(text: string | undefined | null): string | null {
  if (!text || text.length > 300) return null;
  try {
    const url = new URL(text.trim());
    if (url.protocol !== "wss:" && url.protocol !== "ws:") return null;
    if (url.username || url.password) return null;
    url.hash = "";
    return url.href.replace(/\/$/, "");
  } catch {
    return null;
  }
}


/** The address at which a relay answers HTTP (NIP-11). */
export function httpUrl(relay: string): string {
  return relay.replace(/^ws/, "http");
}
