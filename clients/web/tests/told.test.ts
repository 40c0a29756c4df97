/** How a player is told of their turns while the page is closed: asked of the arbiter and of the browser. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { localSigner } from "../src/identity/local.ts";
import type { NostrEvent, Tag } from "../src/net/event.ts";
import type { KeptPush } from "../src/push/kept.ts";
import { channelsIn, ToldBy, type Browser } from "../src/push/told.ts";
import { atPage as page } from "./page.ts";
import { ARBITER, ARBITER_SECRET, BLACK, byArbiter, byStranger, WHITE } from "./signed.ts";

const KEY = "B".repeat(87);
const DEVICE = "0123456789abcdef";

const notify = (tags: readonly Tag[], e?: string): NostrEvent =>
  byArbiter(20301, "notify", [["p", WHITE], ...tags, ...(e ? [["e", e] as const] : [])]);

/** A browser that grants what is asked, and gives each subscription an endpoint of its own. */
class FakeBrowser implements Browser {
  value: KeptPush | null = null;
  subscribed: string | null = null;
  keys: string[] = [];
  refuses: string | null = null;
  readonly search = "?x";

  endpoint = async (): Promise<string | null> => this.subscribed;
  subscribe = async (key: string, isNew: boolean): Promise<{ endpoint: string }> => {
    if (this.refuses) throw new DOMException("", this.refuses);
    if (isNew || this.subscribed === null) this.subscribed = `https://push/${this.keys.push(key)}`;
    return { endpoint: this.subscribed };
  };
  unsubscribe = async (): Promise<void> => void (this.subscribed = null);
  kept = async (): Promise<KeptPush | null> => this.value;
  keep = async (value: KeptPush | null): Promise<void> => void (this.value = value);
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

function atPage(browser = new FakeBrowser()) {
  const { net, client, relay } = page();
  const told = new ToldBy(client, "away", browser, () => {}, () => net.nowMs);
  const asked = (): readonly NostrEvent[] =>
    relay.of("EVENT").map(([, event]) => event as NostrEvent).filter(({ content }) => content.startsWith("notify"));
  const answers = async (tags: readonly Tag[], to = asked().at(-1)!): Promise<void> => {
    relay.says("EVENT", "play", notify(tags, to.id));
    await settled();
  };
  return { net, relay, told, browser, asked, answers };
}

/** One that was told which key signs. */
async function offered(browser?: FakeBrowser): Promise<ReturnType<typeof atPage>> {
  const page = atPage(browser);
  await page.told.ask();
  await settled();
  await page.answers([["vapid", KEY]]);
  return page;
}

/** One that is told of its turns on this device. */
async function subscribed(): Promise<ReturnType<typeof atPage> & { readonly device: string }> {
  const page = await offered();
  await page.told.push(true);
  await settled();
  const device = page.browser.value!.device;
  await page.answers([["push", device], ["vapid", KEY]]);
  return { ...page, device };
}

test("the channels are the arbiter's answer to me, and of devices those that are ids", () => {
  const said = notify([["dm"], ["push", DEVICE, "x"], ["vapid", KEY]]);
  assert.deepEqual(channelsIn(said, ARBITER, WHITE), { dm: true, devices: [DEVICE], key: KEY });
  assert.deepEqual(channelsIn(notify([["vapid", "<"]]), ARBITER, WHITE), { dm: false, devices: [], key: null });
  assert.equal(channelsIn(said, ARBITER, BLACK), null);
  assert.equal(channelsIn(byStranger(20301, "notify", [["p", WHITE]]), ARBITER, WHITE), null);
});

test("nothing is offered before the arbiter has answered, nor where it tells nobody", async () => {
  const { told, relay, asked } = atPage();
  assert.equal(told.channels, null);
  await told.ask();
  await settled();
  assert.deepEqual(asked().map(({ kind, content }) => [kind, content]), [[20300, "notify"]]);
  relay.says("EVENT", "play", byArbiter(20301, "error:not-offered-here: none", [["p", WHITE], ["e", asked()[0]!.id]]));
  assert.deepEqual([told.channels, told.isAsking], [null, false]);
});

test("the subscription goes to the arbiter alone, encrypted, and is known once the arbiter has it", async () => {
  const { told, browser, asked, answers } = await offered();
  await told.push(true);
  await settled();
  const [, device, sealed] = /^notify:push:([0-9a-f]{16}):(\S+)$/.exec(asked().at(-1)!.content)!;
  assert.equal(await localSigner(ARBITER_SECRET).decrypt(WHITE, sealed!), '{"endpoint":"https://push/1"}');
  assert.deepEqual([told.isHere, browser.value?.isTold], [false, false]);
  await answers([["push", device!], ["vapid", KEY]]);
  assert.deepEqual([told.isHere, told.isAsking], [true, false]);
  const kept = { device, player: WHITE, arbiter: ARBITER, key: KEY, endpoint: "https://push/1", isTold: true, search: "?x" };
  assert.deepEqual(browser.value, kept);
});

test("an answer that comes late or twice, or to nothing that was asked, changes nothing", async () => {
  const { told, asked, answers, relay, device } = await subscribed();
  const [first] = asked();
  await answers([["vapid", KEY]], first);
  assert.equal(told.isHere, true, "the answer to the first question came twice");
  relay.says("EVENT", "play", notify([["dm"]]));
  assert.equal(told.channels!.dm, false);
  told.write(true);
  told.write(false);
  await settled();
  assert.equal(asked().at(-1)!.content, "notify:dm", "one is asked at a time");
  await answers([["dm"], ["push", device], ["vapid", KEY]]);
  assert.deepEqual(told.channels, { dm: true, devices: [device], key: KEY });
});

test("what has no answer is asked again a few times, and at the next visit", async () => {
  const { told, net, asked, browser } = await offered();
  await told.push(true);
  await settled();
  for (let time = 0; time < 5; time += 1) {
    net.nowMs += 40_000;
    told.tick();
    await settled();
  }
  assert.deepEqual([asked().length, told.refusal?.reason], [4, "unanswered"]);
  const next = atPage(browser);
  assert.equal(await next.told.renew(), true);
  await settled();
  assert.match(next.asked()[0]!.content, new RegExp(`^notify:push:${browser.value!.device}:`));
});

for (const [name, trouble] of [["NotAllowedError", "denied"], ["AbortError", "failed"]] as const) {
  test(`a browser that says ${name} is not asked about again, nor is the arbiter`, async () => {
    const { told, browser, asked } = await offered();
    browser.refuses = name;
    await told.push(true);
    await settled();
    assert.deepEqual([told.trouble, told.isAsking, browser.value, asked().length], [trouble, false, null, 1]);
    assert.equal(await atPage(browser).told.renew(), false);
    browser.refuses = null;
    await told.push(true);
    assert.equal(told.trouble, null);
  });
}

test("what the arbiter refuses leaves no subscription in the browser", async () => {
  const { told, browser, asked, relay } = await offered();
  await told.push(true);
  await settled();
  relay.says("EVENT", "play", byArbiter(20301, "error:full: 5 devices", [["p", WHITE], ["e", asked().at(-1)!.id]]));
  await settled();
  assert.deepEqual([told.refusal?.reason, told.isHere, browser.subscribed, browser.value], ["full", false, null, null]);
});

test("turned off the browser is told nothing, whatever the arbiter answers", async () => {
  const { told, browser, asked, answers, device } = await subscribed();
  await told.push(false);
  await settled();
  assert.deepEqual([asked().at(-1)!.content, browser.subscribed, browser.value], [`notify:push:${device}:off`, null, null]);
  await answers([["push", device], ["vapid", KEY]]);
  assert.equal(told.isHere, false);
});

test("where the arbiter signs by another key the browser subscribes anew, as the same device", async () => {
  const { browser, device } = await subscribed();
  const other = "C".repeat(87);
  const { told, asked, answers } = atPage(browser);
  await told.ask();
  await settled();
  await answers([["push", device], ["vapid", other]]);
  assert.deepEqual([browser.keys, browser.value?.key, browser.value?.device], [[KEY, other], other, device]);
  assert.match(asked().at(-1)!.content, new RegExp(`^notify:push:${device}:`));
  await answers([["push", device], ["vapid", other]]);
  assert.deepEqual([told.isHere, asked().length], [true, 2]);
});

test("a visit asks nothing but where the browser has another subscription", async () => {
  const { browser, device } = await subscribed();
  const same = atPage(browser);
  assert.equal(await same.told.renew(), false);
  browser.subscribed = "https://push/9";
  const changed = atPage(browser);
  assert.equal(await changed.told.renew(), true);
  await settled();
  await changed.answers([["push", device], ["vapid", KEY]]);
  assert.deepEqual([same.asked().length, changed.asked().length, browser.value?.endpoint], [0, 1, "https://push/9"]);
  browser.value = { ...browser.value!, player: BLACK };
  browser.subscribed = "https://push/10";
  assert.equal(await atPage(browser).told.renew(), false, "it is another player's");
});

test("of two players at one browser the one is told who asked last", async () => {
  const { browser } = await subscribed();
  browser.value = { ...browser.value!, player: BLACK };
  const { told, asked } = await offered(browser);
  assert.equal(told.isHere, false);
  const before = browser.value.device;
  await told.push(true);
  await settled();
  assert.deepEqual([browser.keys.length, browser.value.player], [2, WHITE], "the other's endpoint is gone");
  assert.notEqual(browser.value.device, before);
  assert.equal(asked().length, 2);
});
