/** A player at a page, and the relay that it is connected to. */

import { Client } from "../src/arbiter/client.ts";
import { localSigner } from "../src/identity/local.ts";
import { storage } from "./kept.ts";
import { ARBITER, AT, WHITE_SECRET } from "./signed.ts";
import { Net } from "./sockets.ts";

export const RELAY = "wss://relay";

export function atPage() {
  const net = new Net();
  net.nowMs = AT * 1000;
  const client = new Client({
    info: { pubkey: ARBITER, name: "", relays: [RELAY], gateway: null, http: null, house: [] },
    signer: localSigner(WHITE_SECRET), around: net.around, fetched: async () => new Response(null, { status: 404 }), kept: storage(),
  });
  return { net, client, relay: net.socket(RELAY).opens().says("EOSE", "play") };
}
