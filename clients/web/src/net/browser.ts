/** The browser's sockets, time, chance, and signals to look again. */

import type { Surroundings } from "./relay.ts";

export const browser: Omit<Surroundings, "authenticate"> = {
  open: (url) => new WebSocket(url),
  nowMs: () => Date.now(),
  later: (callback, ms) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

const BEAT_MS = 2_000;
/** A timer that comes so much too late slept with its machine; a hidden tab's come once a minute. */
const SLEPT_MS = 90_000;

/** Calls back when the network or the page comes back, or the machine wakes; returns the end of it. */
export function onWake(wake: () => void): () => void {
  const shown = (): void => {
    if (document.visibilityState === "visible") wake();
  };
  let lastMs = Date.now();
  const beat = setInterval(() => {
    const now = Date.now();
    if (now - lastMs > SLEPT_MS) wake();
    lastMs = now;
  }, BEAT_MS);
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", shown);
  document.addEventListener("visibilitychange", shown);
  return () => {
    clearInterval(beat);
    window.removeEventListener("online", wake);
    window.removeEventListener("pageshow", shown);
    document.removeEventListener("visibilitychange", shown);
  };
}
