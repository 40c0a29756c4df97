/**
 * Keeps the shell, so that the installed page opens without a network, and shows what is pushed. Only for GETs of
 * the page and its files; play goes over sockets, and lists always come from the arbiter.
 */

import { PUSH_CACHE } from "./push/kept.ts";
import { listenToPushes, type PushWorker } from "./push/worker.ts";

declare const SHELL: readonly string[];
declare const RELEASE: string;

interface ExtendableEvent extends Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Worker {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}
const worker = self as unknown as Worker;

const CACHE = `shell-${RELEASE}`;

worker.addEventListener("install", (event) => {
  const kept = caches.open(CACHE).then((cache) => cache.addAll(["./", ...SHELL].map(asPage)));
  event.waitUntil(kept.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  const cleared = caches
    .keys()
    .then((names) => Promise.all(names.filter((one) => one !== CACHE && one !== PUSH_CACHE).map((one) => caches.delete(one))));
  event.waitUntil(cleared.then(() => worker.clients.claim()));
});

listenToPushes(self as unknown as PushWorker);

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const scope = worker.registration.scope;
  if (request.mode === "navigate" && request.url.split(/[?#]/)[0] === scope)
    event.respondWith(newest(request, scope));
  else if (request.url.startsWith(`${scope}assets/`)) event.respondWith(kept(request));
});

/** The page from the network; without one, or while a proxy answers for the arbiter, as it was. */
async function newest(request: Request, scope: string): Promise<Response> {
  const answer: unknown = await fetch(request).catch((offline: unknown) => offline);
  if (answer instanceof Response && answer.status < 500) return answer;
  const found = await caches.match(scope, { ignoreVary: true });
  if (found) return found;
  if (answer instanceof Response) return answer;
  throw answer;
}

/** A file whose name is its hash never changes: what was needed once is there without a network. */
async function kept(request: Request): Promise<Response> {
  const found = await caches.match(request, { ignoreVary: true });
  if (found) return found;
  const answer = await fetch(request);
  const copy = answer.clone();
  if (answer.ok) void caches.open(CACHE).then((cache) => cache.put(request, copy)).catch(() => {});
  return answer;
}

/** At `/` the arbiter has three documents; this asks for the page. */
function asPage(address: string): Request {
  return new Request(address, address === "./" ? { headers: { Accept: "text/html" } } : {});
}
