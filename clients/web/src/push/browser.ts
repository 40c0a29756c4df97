/** This browser's subscription to Web Push. */

import type { ArbiterClient } from "../arbiter/model.ts";
import { keepPush, keptPush } from "./kept.ts";
import { ToldBy, type Browser } from "./told.ts";
import { placeIn } from "./worker.ts";

const TICK_MS = 500;

export const browser: Browser = {
  endpoint: async () => (await (await pushes()).getSubscription())?.endpoint ?? null,
  subscribe: async (key, isNew) => {
    if ((await Notification.requestPermission()) !== "granted") throw new DOMException("", "NotAllowedError");
    const manager = await pushes();
    if (isNew) await (await manager.getSubscription())?.unsubscribe();
    return (await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
  },
  unsubscribe: async () => void (await (await (await pushes()).getSubscription())?.unsubscribe()),
  kept: keptPush,
  keep: keepPush,
  get search() {
    return location.search;
  },
};

/** Whether this browser can be pushed something: none can in a private window, or where the player forbids it. */
export async function canBePushed(): Promise<boolean> {
  if (!("PushManager" in globalThis) || globalThis.Notification?.permission === "denied") return false;
  return (await navigator.serviceWorker?.getRegistration().catch(() => undefined)) !== undefined;
}

async function pushes(): Promise<PushManager> {
  return (await navigator.serviceWorker.ready).pushManager;
}

/** Goes where a notification leads, and tells the arbiter of a subscription that the browser has changed. */
export async function attendPushes(client: ArbiterClient): Promise<void> {
  navigator.serviceWorker?.addEventListener("message", ({ data }: MessageEvent<{ readonly place?: unknown } | null>) => {
    if (data?.place) location.hash = placeIn(data.place);
  });
  if (!(await canBePushed()) || Notification.permission !== "granted") return;
  const told = new ToldBy(client, "push", browser, () => !told.isAsking && end());
  const timer = setInterval(() => told.tick(), TICK_MS);
  const end = (): void => (clearInterval(timer), told.close());
  if (!(await told.renew())) end();
}
