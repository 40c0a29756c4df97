/** The service worker between page, cache and network: one release and the next, a network that comes and goes. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const SCOPE = "https://arbiter.example/";
const FILE = `${SCOPE}assets/app-1.js`;

type Listener = (event: object) => void;
const listeners = new Map<string, Listener>();
const stores = new Map<string, Map<string, Response>>();
const asked: string[] = [];
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
    put: async (request: Request, answer: Response) => void store.set(urlOf(request), answer),
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
    registration: { scope: SCOPE },
    clients: { claim: async () => {} },
    skipWaiting: async () => {},
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
  },
});
await import("../src/service-worker.ts");

async function lives(type: "install" | "activate"): Promise<void> {
  let done: Promise<unknown> = Promise.resolve();
  listeners.get(type)!({ waitUntil: (promise: Promise<unknown>) => (done = promise) });
  await done;
}

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
  [`${SCOPE}games/x`, "cors", "GET"],
  [`${SCOPE}g/x`, "navigate", "GET"],
  [`${SCOPE}leaderboards`, "cors", "GET"],
  [SCOPE, "navigate", "POST"],
  ["https://other.example/assets/app-1.js", "cors", "GET"],
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
