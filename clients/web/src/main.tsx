/** The page begins here. */

import { Identity } from "./identity/identity.ts";
import { start } from "./page.tsx";
import { findArbiter, keptValues, openClient, openSigner, startOf } from "./start.ts";

const kept = keptValues();
const identity = new Identity(kept);

void start((tell) => {
  const finding = findArbiter(startOf(location), tell);
  const opening = openSigner(identity, tell);
  const connecting = Promise.all([finding, opening]).then(([found, { signer }]) => openClient(found, signer, kept, identity));
  return { connecting, opening: opening.then((opened) => ({ ...opened, identity })) };
});

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
