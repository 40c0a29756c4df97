/** The service worker between page, cache, network and pushes: one release and the next, a network that comes and goes. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { keepPush, type KeptPush } from "../src/push/kept.ts";

const SCOPE = "https://arbiter.example/";
const FILE = `${SCOPE}assets/app-1.js`;

type Listener = (event: object) => void;
const listeners = new Map<string, Listener>();
const stores = new Map<string, Map<string, Response>>();
const asked: string[] = [];
const GAME = `#/game/${"ab".repeat(16)}`;
const KEPT: KeptPush = {
  device: "00".repeat(8), player: "aa".repeat(32), arbiter: "bb".repeat(32), key: "BK", endpoint: "https://push/1", isTold: true, search: "",
};
/** What pages, notifications and the browser's push service are told. */
const told: unknown[] = [];
let pages: readonly string[] = [];
let network: (url: string) => Response = () => new Response();

const urlOf = (asked: Request | string): string => new URL(typeof asked === "string" ? asked : asked.url, SCOPE).href;

function cacheOf(name: string): object {
  const store = stores.get(name) ?? new Map<string, Response>();
  stores.set(name, store);
  return {
    addAll: async (all: readonly Request[]) => {
      const answers = all.map((one) => [urlOf(one), network(urlOf(one))] as const);
      if (answers.some(([, answer]) => !answer.ok)) throw new TypeError("not a success");
      for (const [url, answer] of answers) store.set(url, answer);
    },
    put: async (request: Request | string, answer: Response) => void store.set(urlOf(request), answer),
    delete: async (request: Request | string) => store.delete(urlOf(request)),
  };
}

Object.assign(globalThis, {
  SHELL: ["./assets/app-1.js"],
  RELEASE: "1",
  Request: class extends Request {
    constructor(address: string, options?: RequestInit) {
      super(urlOf(address), options);
    }
  },
  fetch: async (request: Request) => (asked.push(request.url), network(request.url)),
  caches: {
    open: async (name: string) => cacheOf(name),
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
    match: async (request: Request | string) =>
      [...stores.values()].map((store) => store.get(urlOf(request))).find((it) => it)?.clone(),
  },
  self: {
    registration: {
      scope: SCOPE,
      showNotification: async (title: string, options: object) => void told.push([title, options]),
      pushManager: { subscribe: async (options: object) => void told.push(options) },
    },
    clients: {
      claim: async () => {},
      matchAll: async () =>
        pages.map((url) => ({ url, focus: async () => void told.push(`focus ${url}`), postMessage: (message: object) => void told.push(message) })),
      openWindow: async (url: string) => void told.push(`open ${url}`),
    },
    skipWaiting: async () => {},
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
  },
});
await import("../src/service-worker.ts");

async function lives(type: string, event: object = {}): Promise<void> {
  let done: Promise<unknown> = Promise.resolve();
  listeners.get(type)!({ ...event, waitUntil: (promise: Promise<unknown>) => (done = promise) });
  await done;
}

const pushed = (text: string): Promise<void> => lives("push", { data: { json: () => JSON.parse(text) as unknown } });

const pressed = (url: unknown): Promise<void> =>
  lives("notificationclick", { notification: { data: { url }, close: () => void told.push("close") } });

/** The text and status that the worker answers; `null` if it leaves the request to the browser. */
async function answer(url: string, mode = "navigate", method = "GET"): Promise<string | null> {
  let answered: Promise<Response> | null = null;
  const request = { url, mode, method };
  listeners.get("fetch")!({ request, respondWith: (promise: Promise<Response>) => (answered = promise) });
  const found = await (answered as Promise<Response> | null);
  return found && `${found.status} ${await found.text()}`;
}

const answers = (text: string, status = 200) => (url: string) => new Response(`${text} ${new URL(url).pathname}`, { status });
const offline = (): never => {
  throw new TypeError("Failed to fetch");
};

beforeEach(async () => {
  stores.clear();
  network = answers("old");
  await lives("install");
  await lives("activate");
  asked.length = 0;
  told.length = 0;
  pages = [];
});

test("the page comes from the network while there is one, and without one as it was, time and again", async () => {
  for (const text of ["new", "newer"]) {
    network = answers(text);
    assert.equal(await answer(`${SCOPE}?a#/tv`), `200 ${text} /`);
    network = offline;
    assert.equal(await answer(SCOPE), "200 old /");
  }
});

for (const status of [500, 502, 503, 504]) {
  test(`the page is as it was while what is before the arbiter answers ${status}`, async () => {
    network = answers("Bad Gateway", status);
    assert.equal(await answer(SCOPE), "200 old /");
    network = answers("new");
    assert.equal(await answer(SCOPE), "200 new /");
  });
}

test("without a page that was kept the reader sees what the network says", async () => {
  stores.clear();
  network = answers("Bad Gateway", 502);
  assert.equal(await answer(SCOPE), "502 Bad Gateway /");
  network = offline;
  await assert.rejects(answer(SCOPE), /Failed to fetch/);
});

test("a refusal of the arbiter is shown", async () => {
  network = answers("Too Many Requests", 429);
  assert.equal(await answer(SCOPE), "429 Too Many Requests /");
});

test("a file is asked for once, and one that is not there is asked for again", async () => {
  network = offline;
  assert.equal(await answer(FILE, "cors"), "200 old /assets/app-1.js");
  const other = `${SCOPE}assets/engine-2.js`;
  network = answers("missing", 404);
  assert.equal(await answer(other, "cors"), "404 missing /assets/engine-2.js");
  network = answers("engine");
  for (let time = 0; time < 3; time += 1) assert.equal(await answer(other, "cors"), "200 engine /assets/engine-2.js");
  assert.deepEqual(asked, [other, other]);
});

for (const [url, mode, method] of [
  [`${SCOPE}games/x`, "cors", "GET"], [`${SCOPE}g/x`, "navigate", "GET"], [`${SCOPE}leaderboards`, "cors", "GET"],
  [SCOPE, "navigate", "POST"], ["https://other.example/assets/app-1.js", "cors", "GET"],
] as const) {
  test(`${method} ${url} is left to the browser`, async () => {
    assert.equal(await answer(url, mode, method), null);
    assert.deepEqual(asked, []);
  });
}

test("a release takes the place of each earlier one, and one that cannot be kept leaves them", async () => {
  stores.set("shell-0", new Map([[FILE, new Response("before")]]));
  network = answers("new");
  await lives("install");
  await lives("activate");
  assert.deepEqual([...stores.keys()], ["shell-1"]);
  network = answers("Bad Gateway", 502);
  await assert.rejects(lives("install"), /not a success/);
  network = offline;
  assert.equal(await answer(SCOPE), "200 new /");
});

test("a push is shown, in place of the one before about the same game, and leads to the game", async () => {
  await pushed(JSON.stringify({ text: "It is your turn.", tag: "turn:ab", url: GAME }));
  assert.deepEqual(told, [["It is your turn.", { tag: "turn:ab", renotify: true, data: { url: GAME } }]]);
});

for (const text of ["", "{", "null", "[]", "7", '{"text":7,"tag":{},"url":["#/"]}', '{"text":""}']) {
  test(`a push that reads ${text || "nothing"} is shown without its words`, async () => {
    await pushed(text);
    await lives("push", { data: null });
    const shown = ["Arbiter", { tag: "turns", renotify: true, data: { url: "#/" } }];
    assert.deepEqual(told, [shown, shown]);
  });
}

for (const url of ["https://evil.example/", "//evil.example", "#", "#/../x", "javascript:alert(1)", `#/${"x".repeat(99)}`, "", null, 7]) {
  test(`a notification that names ${url} leads to the lobby`, async () => {
    await pressed(url);
    assert.deepEqual(told, ["close", `open ${SCOPE}#/`]);
  });
}

test("a pressed notification shows its game in the page that has it, else in another that is open", async () => {
  pages = [`${SCOPE}g/x`, `${SCOPE}#/tv`, `${SCOPE}${GAME}`];
  await pressed(GAME);
  assert.deepEqual(told.splice(0), ["close", { place: GAME }, `focus ${SCOPE}${GAME}`]);
  pages = pages.slice(0, 2);
  await pressed(GAME);
  assert.deepEqual(told.splice(0), ["close", { place: GAME }, `focus ${SCOPE}#/tv`]);
  pages = pages.slice(0, 1);
  await pressed(GAME);
  assert.deepEqual(told, ["close", `open ${SCOPE}${GAME}`], "a game shown elsewhere is no page of ours");
});

test("a page on another host is opened with the name of its arbiter", async () => {
  await keepPush({ ...KEPT, search: "?arbiter=npub1" });
  pages = [`${SCOPE}#/tv`];
  await pressed(GAME);
  assert.deepEqual(told, ["close", `open ${SCOPE}?arbiter=npub1${GAME}`]);
});

test("a subscription that the browser ends is made anew by the arbiter's key, and outlives a release", async () => {
  await lives("pushsubscriptionchange");
  assert.deepEqual(told, [], "there was none of ours");
  await keepPush(KEPT);
  await lives("activate");
  await lives("pushsubscriptionchange");
  assert.deepEqual(told, [{ userVisibleOnly: true, applicationServerKey: "BK" }]);
  await keepPush(null);
  await lives("pushsubscriptionchange");
  assert.equal(told.length, 1);
});
