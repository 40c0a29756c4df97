/** A remote signer (NIP-46) as a process: `node bunker.mjs ws://relay`. Prints its address and its
 * user's key; takes `nostrconnect://` addresses, one a line. */

import { createInterface } from "node:readline";

import { Bunker } from "../../clients/web/tests/bunker.ts";

const bunker = new Bunker(process.argv[2]);
await bunker.start();
console.log(JSON.stringify({ address: bunker.address(), pubkey: bunker.pubkey }));
for await (const invitation of createInterface({ input: process.stdin })) bunker.take(invitation);
process.exit();
