/** A remote signer (NIP-46) as a process: `node bunker.mjs ws://relay`. Prints its address and its
 * user's key; takes `nostrconnect://` addresses, one a line, and `no`: it signs nothing from then on. */

import { createInterface } from "node:readline";

import { Bunker } from "../../clients/web/tests/bunker.ts";

const bunker = new Bunker(process.argv[2]);
await bunker.start();
console.log(JSON.stringify({ address: bunker.address(), pubkey: bunker.pubkey }));
for await (const line of createInterface({ input: process.stdin }))
  if (line === "no") bunker.refuses = true;
  else bunker.take(line);
process.exit();
