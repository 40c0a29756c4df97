/** The page begins here. */

import type { ArbiterClient } from "./arbiter/model.ts";
import { Identity } from "./identity/identity.ts";
import type { Signer } from "./identity/signer.ts";
import { start } from "./page.tsx";
import type { Account } from "./shared/account.ts";
import { findArbiter, keptValues, openClient, openSigner, startOf } from "./start.ts";

const kept = keptValues();
const identity = new Identity(kept);
const finding = findArbiter(startOf(location));
const opening = openSigner(identity);

void start(connect(), account());

async function connect(): Promise<ArbiterClient> {
  const [found, { signer }] = await Promise.all([finding, opening]);
  if (!found) throw new Error("no arbiter");
  return openClient(found, signer, kept);
}

async function account(): Promise<Account> {
  const { signer, fellBack }: { signer: Signer; fellBack: boolean } = await opening;
  return { identity, signer, fellBack };
}

// Another tab chose another player: this one follows.
addEventListener("storage", ({ key }) => {
  if (key !== null && Identity.names.includes(key)) location.reload();
});

// A folder that was opened as a file has none.
if ("serviceWorker" in navigator && location.protocol !== "file:") {
  addEventListener("load", () => {
    navigator.serviceWorker.register("service-worker.js").catch(() => {
      // Private windows refuse; the page works without.
    });
  });
}
