/** How this player is told of their turns while they are away: the arbiter's answer, and what is asked about it. */

import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";

import { parseResponse } from "../arbiter/answers.ts";
import { REQUEST, RESPONSE } from "../arbiter/events.ts";
import type { ArbiterClient, Follower, Pubkey, Refusal } from "../arbiter/model.ts";
import { isHex, valueOf, type NostrEvent } from "../net/event.ts";
import { CommandSender } from "../tournaments/command_sender.ts";
import type { Commands, Word } from "../tournaments/commands.ts";
import type { KeptPush } from "./kept.ts";

/** PROTOCOL.md, Notices. */
export interface Channels {
  readonly dm: boolean;
  readonly devices: readonly string[];
  /** By which pushes are signed; `null` where none are sent. */
  readonly key: string | null;
}

/** The channels in a 20301 `notify`; `null` for any other event. */
export function channelsIn(event: NostrEvent, arbiter: Pubkey, me: Pubkey): Channels | null {
  if (event.kind !== RESPONSE || event.pubkey !== arbiter || valueOf(event, "p") !== me || event.content !== "notify") return null;
  const [, ...devices] = event.tags.find(([name]) => name === "push") ?? [];
  const key = valueOf(event, "vapid") ?? "";
  return {
    dm: event.tags.some(([name]) => name === "dm"),
    devices: devices.filter((device) => isHex(device, 16)),
    key: /^[\w-]{87}$/.test(key) ? key : null,
  };
}

/** The browser's part, which tests play too. */
export interface Browser {
  /** The present subscription's endpoint. */
  endpoint(): Promise<string | null>;
  /** A subscription for this key, as JSON, in place of any other; `isNew`: not one that exists. Rejects where it is not allowed. */
  subscribe(key: string, isNew: boolean): Promise<{ readonly endpoint?: string }>;
  unsubscribe(): Promise<void>;
  kept(): Promise<KeptPush | null>;
  keep(value: KeptPush | null): Promise<void>;
  readonly search: string;
}

/** The reasons why this browser is not told, beside the arbiter's. */
export type Trouble = "denied" | "failed" | "unsigned";

/** Follows the arbiter's answers, each to the request that waits: there is one at a time. */
export class ToldBy implements Follower {
  readonly #client: ArbiterClient;
  readonly #browser: Browser;
  readonly #changed: () => void;
  readonly #end: () => void;
  readonly #commands: CommandSender;
  #channels: Channels | null = null;
  #kept: KeptPush | null = null;
  #isBusy = false;
  trouble: Trouble | null = null;

  /** `part` tells two of one page apart. */
  constructor(client: ArbiterClient, part: string, browser: Browser, changed: () => void, nowMs = Date.now) {
    this.#client = client;
    this.#browser = browser;
    this.#changed = changed;
    this.#commands = new CommandSender((word, bits) => this.#sign(word, bits), (before) => this.#stepped(before), nowMs);
    this.#end = client.follow(part, [], this);
  }

  /** `null` until the arbiter has answered, and where it tells nobody. */
  get channels(): Channels | null {
    return this.#channels;
  }

  /** Whether this player is told on this device. */
  get isHere(): boolean {
    return this.#own !== null && (this.#channels?.devices ?? []).includes(this.#own.device);
  }

  get isAsking(): boolean {
    return this.#isBusy || this.#commands.isAsking;
  }

  get refusal(): Refusal | null {
    return this.#commands.refusal;
  }

  async ask(): Promise<void> {
    this.#kept = await this.#browser.kept().catch(() => null);
    this.#commands.say("notify");
  }

  /** By direct message. */
  write(isWanted: boolean): void {
    if (!this.isAsking) this.#commands.say(isWanted ? "notify:dm" : "notify:dm:off");
  }

  /** By Web Push to this device. */
  async push(isWanted: boolean): Promise<void> {
    if (this.isAsking) return;
    this.#isBusy = true;
    this.trouble = null;
    this.#changed();
    try {
      if (isWanted) await this.#subscribe(this.#channels?.key ?? null);
      else await this.#unsubscribe();
    } finally {
      this.#isBusy = false;
      this.#changed();
    }
  }

  /** Tells the arbiter of the browser's new endpoint, if it has one. Whether anything is asked. */
  async renew(): Promise<boolean> {
    this.#kept = await this.#browser.kept().catch(() => null);
    const own = this.#own;
    if (!own || (own.isTold && (await this.#browser.endpoint()) === own.endpoint)) return false;
    await this.#subscribe(own.key);
    return this.isAsking;
  }

  heard(event: NostrEvent): void {
    const { arbiter, me } = this.#client.state();
    const command = valueOf(event, "e");
    const asked = this.#commands.commands.sent.find(({ ids }) => ids.includes(command ?? ""))?.word.content;
    if (!arbiter || !me || asked === undefined) return;
    const channels = channelsIn(event, arbiter.pubkey, me);
    const response = parseResponse(event, arbiter.pubkey, me);
    const refusal = response?.type === "refused" ? response.refusal : null;
    if (!channels && !refusal) return;
    this.#channels = channels ?? (refusal?.reason === "not-offered-here" ? null : this.#channels);
    this.#commands.answered(command ?? null, refusal);
    if (channels) void this.#settle(channels, asked);
  }

  untaken(id: string, refusal: Refusal): void {
    this.#commands.step({ type: "untaken", id, refusal });
  }

  tick(): void {
    this.#commands.step({ type: "tick" });
  }

  close(): void {
    this.#end();
  }

  /** The subscription of this player at this arbiter: of another it stays until this one wants to be told here. */
  get #own(): KeptPush | null {
    const { arbiter, me } = this.#client.state();
    return this.#kept?.player === me && this.#kept?.arbiter === arbiter?.pubkey ? this.#kept : null;
  }

  async #subscribe(key: string | null): Promise<void> {
    const { arbiter, me } = this.#client.state();
    if (!arbiter || !me || !key) return;
    const own = this.#own;
    try {
      const subscription = await this.#browser.subscribe(key, own === null || own.key !== key);
      const device = own?.device ?? bytesToHex(randomBytes(8));
      const sealed = await this.#client.signer.encrypt(arbiter.pubkey, JSON.stringify(subscription)).catch(() => null);
      if (sealed === null) return this.#fail("unsigned");
      const endpoint = subscription.endpoint ?? "";
      await this.#keep({ device, player: me, arbiter: arbiter.pubkey, key, endpoint, isTold: false, search: this.#browser.search });
      this.#commands.say(`notify:push:${device}:${sealed}`);
    } catch (failure) {
      this.#fail((failure as Partial<DOMException>)?.name === "NotAllowedError" ? "denied" : "failed");
    }
  }

  async #unsubscribe(): Promise<void> {
    const own = this.#own;
    if (!own) return;
    // First: whatever the arbiter answers, nothing is shown here from now on.
    await this.#forget();
    this.#commands.say(`notify:push:${own.device}:off`);
  }

  async #forget(): Promise<void> {
    await this.#browser.unsubscribe().catch(() => {});
    await this.#keep(null);
  }

  /** What the arbiter's answer means for this browser. */
  async #settle({ devices, key }: Channels, asked: string): Promise<void> {
    const own = this.#own;
    if (!own || !devices.includes(own.device)) return;
    if (isSubscription(asked)) await this.#keep({ ...own, isTold: true });
    // The arbiter signs by another key now: a push service takes none of its pushes.
    if (key && key !== own.key) await this.#subscribe(key);
  }

  async #keep(kept: KeptPush | null): Promise<void> {
    this.#kept = kept;
    await this.#browser.keep(kept).catch(() => {});
  }

  #fail(trouble: Trouble): void {
    this.trouble = trouble;
    this.#changed();
  }

  #stepped(before: Commands): void {
    const { last } = this.#commands.commands;
    // Or each visit would ask again. One without an answer it does ask again.
    const isRefused = last !== before.last && last?.refusal && last.refusal.reason !== "unanswered";
    if (isRefused && isSubscription(last.content)) void this.#forget();
    this.#changed();
  }

  async #sign({ content }: Word, bits: number): Promise<string | null> {
    const { arbiter } = this.#client.state();
    return arbiter && this.#client.command({ kind: REQUEST, tags: [["p", arbiter.pubkey]], content }, bits);
  }
}

const isSubscription = (content: string): boolean => content.startsWith("notify:push:") && !content.endsWith(":off");
