/** The page begins here. */

import { connect } from "./connect.ts";
import { start } from "./start.tsx";

void start(connect());

// Only where the page is installed from: a folder opened as a file has none.
if ("serviceWorker" in navigator && location.protocol !== "file:") {
  addEventListener("load", () => {
    navigator.serviceWorker.register("service-worker.js").catch(() => {
      // Private windows refuse; the page works without.
    });
  });
}
