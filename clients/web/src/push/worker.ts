/** The service worker's part in Web Push: shows what the arbiter pushes, and leads to the game when it is pressed. */

import { keptPush } from "./kept.ts";

interface Extendable extends Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface PushEvent extends Extendable {
  readonly data: { json(): unknown } | null;
}
interface NotificationEvent extends Extendable {
  readonly notification: { readonly data: unknown; close(): void };
}
interface Page {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
export interface PushWorker {
  readonly registration: {
    readonly scope: string;
    readonly pushManager: PushManager;
    showNotification(title: string, options: NotificationOptions & { readonly renotify: boolean }): Promise<void>;
  };
  readonly clients: {
    matchAll(options: { readonly type: "window"; readonly includeUncontrolled: true }): Promise<readonly Page[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: "push", listener: (event: PushEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: NotificationEvent) => void): void;
  addEventListener(type: "pushsubscriptionchange", listener: (event: Extendable) => void): void;
}

/** Places in the page, and nothing that leads elsewhere. */
const PLACE = /^#\/[\w/-]{0,80}$/;

export function listenToPushes(worker: PushWorker): void {
  worker.addEventListener("push", (event) => {
    const { text, tag, url } = pushedIn(event.data);
    const options = { tag, renotify: true, data: { url } };
    event.waitUntil(worker.registration.showNotification(text, options));
  });
  worker.addEventListener("notificationclick", (event) => {
    event.notification.close();
    const { url } = fieldsOf(event.notification.data);
    event.waitUntil(go(worker, placeIn(url)));
  });
  // The page tells the arbiter the new one when it is opened next: only the player's key can.
  worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribeAnew(worker)));
}

/** A browser forgives no push that shows nothing: what cannot be read is shown without its words. */
export function pushedIn(data: { json(): unknown } | null): { readonly text: string; readonly tag: string; readonly url: string } {
  let fields: Readonly<Record<string, unknown>> = {};
  try {
    fields = fieldsOf(data?.json());
  } catch {
    // No JSON.
  }
  const { text, tag, url } = fields;
  return {
    text: typeof text === "string" && text ? text.slice(0, 300) : "Arbiter",
    tag: typeof tag === "string" && tag ? tag.slice(0, 100) : "turns",
    url: placeIn(url),
  };
}

/** Shows this place in a page that is open, the one that has it first, or in a new one. */
async function go(worker: PushWorker, place: string): Promise<void> {
  const kept = await keptPush();
  const { scope } = worker.registration;
  const wanted = scope + (kept?.search ?? "");
  const all = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const pages = all.filter(({ url }) => url.split("#")[0] === wanted);
  const page = pages.find(({ url }) => url === wanted + place) ?? pages[0];
  if (!page) return void (await worker.clients.openWindow(wanted + place));
  page.postMessage({ place });
  await page.focus();
}

async function subscribeAnew({ registration }: PushWorker): Promise<void> {
  const kept = await keptPush();
  if (kept) await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: kept.key });
}

/** The place in the page that was named; the lobby for anything else. */
export function placeIn(url: unknown): string {
  return typeof url === "string" && PLACE.test(url) ? url : "#/";
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
