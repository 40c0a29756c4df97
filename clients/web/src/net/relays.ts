/**
 * Several relays as one: what is subscribed is subscribed at each, what is published is sent to each,
 * and of what comes the first copy counts. Signatures are verified here, once.
 */

import { isSigned, shaped, type NostrEvent } from "./event.ts";
import { Relay, type Filter, type Status, type Surroundings } from "./relay.ts";

/** Names what one relay has stored for one subscription, in no order, until its EOSE. */
export type StoredList = string;

export interface RelaysListener {
  /** Whether an event is worth the millisecond that its signature takes. */
  wants(event: NostrEvent): boolean;
  /** A verified event; once, or a second time if the first copy was of a list and this is not. */
  event(event: NostrEvent, list: StoredList | null): void;
  /** The list of this subscription is whole. */
  caughtUp(subscription: string, list: StoredList): void;
  /** No relay that is connected took this event. */
  refused(eventId: string, text: string): void;
  connected(url: string): void;
  changed(): void;
}

export interface RelayState {
  readonly url: string;
  readonly status: Status;
  readonly roundTripMs: number | null;
}

interface Unacknowledged {
  readonly event: NostrEvent;
  readonly sentMs: number;
  readonly refusedBy: Set<string>;
  repeats: number;
}

/** An event that no relay took is sent to those that come within this time. */
export const RESEND_MS = 30_000;
const REPEAT_MS = 3_000;
const MAX_REPEATS = 3;
const REMEMBERED = 4_096;
const MAX_FORGERIES = 20;

export class Relays {
  readonly #around: Surroundings;
  readonly #listener: RelaysListener;
  readonly #relays = new Map<string, Relay>();
  readonly #subscriptions = new Map<string, readonly Filter[]>();
  readonly #unacknowledged = new Map<string, Unacknowledged>();
  readonly #forgeries = new Map<string, number>();
  #isLive = false;
  /** Ids that were verified, and whether they came live. The older half is forgotten at a time. */
  #seen = new Map<string, boolean>();
  #seenBefore = new Map<string, boolean>();

  constructor(around: Surroundings, listener: RelaysListener) {
    this.#around = around;
    this.#listener = listener;
  }

  /** Connects to these and to no others. */
  use(urls: readonly string[]): void {
    for (const [url, relay] of this.#relays) {
      if (urls.includes(url)) continue;
      this.#relays.delete(url);
      relay.close();
    }
    for (const url of urls) if (!this.#relays.has(url)) this.#add(url);
    this.#listener.changed();
  }

  states(): readonly RelayState[] {
    return [...this.#relays.values()].map(({ url, status, roundTripMs }) => ({ url, status, roundTripMs }));
  }

  get isConnected(): boolean {
    return [...this.#relays.values()].some((relay) => relay.isConnected);
  }

  /** The same again asks nothing: relays would send again what they have stored. */
  subscribe(id: string, filters: readonly Filter[]): void {
    if (JSON.stringify(this.#subscriptions.get(id)) === JSON.stringify(filters)) return;
    this.#subscriptions.set(id, filters);
    for (const relay of this.#relays.values()) relay.subscribe(id, filters);
  }

  unsubscribe(id: string): void {
    if (!this.#subscriptions.delete(id)) return;
    for (const relay of this.#relays.values()) relay.unsubscribe(id);
  }

  /** Sends to all; to those that are away when they come back, unless one took it by then. */
  publish(event: NostrEvent): void {
    this.#forgetOld();
    const sentMs = this.#around.nowMs();
    this.#unacknowledged.set(event.id, { event, sentMs, refusedBy: new Set(), repeats: 0 });
    for (const relay of this.#relays.values()) if (relay.isConnected) relay.publish(event);
  }

  /** Whether a live clock runs: then a silent relay is noticed within eight seconds. */
  hurry(isLive: boolean): void {
    this.#isLive = isLive;
    for (const relay of this.#relays.values()) relay.hurry(isLive);
  }

  wake(): void {
    for (const relay of this.#relays.values()) relay.wake();
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
    this.#relays.clear();
  }

  #add(url: string): void {
    const relay = new Relay(url, this.#around, {
      event: (subscription, value, stored) => this.#heard(url, value, stored ? subscription + url : null),
      caughtUp: (subscription) => this.#listener.caughtUp(subscription, subscription + url),
      answered: (id, accepted, text) => this.#answered(relay, id, accepted, text),
      connected: () => this.#connected(relay),
      changed: () => this.#listener.changed(),
    });
    this.#relays.set(url, relay);
    for (const [id, filters] of this.#subscriptions) relay.subscribe(id, filters);
    relay.hurry(this.#isLive);
    relay.connect();
  }

  #connected(relay: Relay): void {
    this.#forgetOld();
    for (const { event } of this.#unacknowledged.values()) relay.publish(event);
    this.#listener.connected(relay.url);
  }

  #heard(url: string, value: unknown, list: StoredList | null): void {
    const event = shaped(value);
    if (!event) return;
    const seen = this.#seen.get(event.id) ?? this.#seenBefore.get(event.id);
    if (seen === true || (seen === false && list)) return;
    if (!this.#listener.wants(event)) return;
    // The id of a copy proves nothing about its signature: each is verified until one is good.
    if (!isSigned(event)) {
      this.#forged(url);
      return;
    }
    if (this.#seen.size >= REMEMBERED) {
      this.#seenBefore = this.#seen;
      this.#seen = new Map();
    }
    this.#seen.set(event.id, !list);
    this.#listener.event(event, list);
  }

  /** A relay that keeps sending forgeries costs time: it is left. */
  #forged(url: string): void {
    const forgeries = (this.#forgeries.get(url) ?? 0) + 1;
    this.#forgeries.set(url, forgeries);
    if (forgeries > MAX_FORGERIES) this.#relays.get(url)?.refuse();
  }

  #answered(relay: Relay, id: string, accepted: boolean, text: string): void {
    const sent = this.#unacknowledged.get(id);
    if (!sent) return;
    // NIP-01: "duplicate:" says that the relay has it.
    if (accepted || text.startsWith("duplicate:")) {
      this.#unacknowledged.delete(id);
      return;
    }
    const again = (): void => {
      if (relay.isConnected && this.#unacknowledged.has(id)) relay.publish(sent.event);
    };
    if (text.startsWith("auth-required:") && relay.authenticated(again)) return;
    if (/^(rate-limited|error):/.test(text) && sent.repeats < MAX_REPEATS) {
      sent.repeats += 1;
      this.#around.later(again, REPEAT_MS);
      return;
    }
    sent.refusedBy.add(relay.url);
    const left = [...this.#relays.values()].filter((one) => one.isConnected);
    if (!left.every((one) => sent.refusedBy.has(one.url))) return;
    this.#unacknowledged.delete(id);
    this.#listener.refused(id, text);
  }

  #forgetOld(): void {
    const oldest = this.#around.nowMs() - RESEND_MS;
    for (const [id, { sentMs }] of this.#unacknowledged) {
      if (sentMs < oldest) this.#unacknowledged.delete(id);
    }
  }
}
