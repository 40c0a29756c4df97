/**
 * One relay over one WebSocket, which comes back by itself: subscriptions are sent again, events are
 * passed on unverified. Time, chance and sockets are handed in.
 */

import { backoff } from "../backoff.ts";
import type { EventTemplate, NostrEvent } from "./event.ts";
import { Login } from "./login.ts";

export type Filter = Readonly<Record<string, readonly (string | number)[] | number>>;

/** The part of a WebSocket that is needed here. */
export interface SocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Surroundings {
  open(url: string): SocketLike;
  nowMs(): number;
  /** Calls back once; the function returned prevents it. */
  later(callback: () => void, ms: number): () => void;
  /** In [0, 1). */
  random(): number;
  /** Signs a login (NIP-42). */
  authenticate(template: EventTemplate): Promise<NostrEvent>;
}

export interface RelayListener {
  /** `value` is whatever the relay calls an event; `stored` if it came before EOSE. */
  event(subscription: string, value: unknown, stored: boolean): void;
  caughtUp(subscription: string): void;
  answered(eventId: string, accepted: boolean, text: string): void;
  connected(): void;
  changed(): void;
}

export type Status = "connecting" | "connected" | "waiting" | "refused";

const FIRST_WAIT_MS = 500;
/** A connection is healthy, and waits begin anew, once it lasted so long. */
const HEALTHY_MS = 10_000;
/**
 * A relay that does not open within `connectMs` is tried anew. One that was not heard for `quietMs`
 * is asked, and lost if it is not heard `answerMs` later.
 * While a live clock runs a player loses by every second; otherwise each question wakes a radio.
 */
const LIVE = { connectMs: 6_000, quietMs: 4_000, answerMs: 3_500, longestWaitMs: 4_000 };
const CALM = { connectMs: 10_000, quietMs: 45_000, answerMs: 8_000, longestWaitMs: 30_000 };
const REFUSED_MS = 10_000;
const MAX_FRAME = 1_000_000;
const PROBE = "probe";
/** Costs a relay nothing to find. */
const NOTHING: Filter = { ids: ["0".repeat(64)], kinds: [20302], limit: 1 };

export class Relay {
  readonly url: string;
  status: Status = "waiting";
  /** Of the last answer. It changes with every event, which is not told. */
  roundTripMs: number | null = null;

  readonly #around: Surroundings;
  readonly #listener: RelayListener;
  readonly #subscriptions = new Map<string, readonly Filter[]>();
  readonly #caughtUp = new Set<string>();
  /** Subscriptions that the relay does not serve. */
  readonly #denied = new Set<string>();
  readonly #sentMs = new Map<string, number>();
  #socket: SocketLike | null = null;
  #isOpen = false;
  #attempts = 0;
  #dialledMs = 0;
  #openedMs = 0;
  #heardMs = 0;
  /** The time at which it was asked, or sent an event, and has not been heard since. */
  #askedMs: number | null = null;
  #publishedMs: number | null = null;
  #pace = CALM;
  #cancelTimer: () => void = () => {};
  #login: Login | null = null;
  #closed = false;

  constructor(url: string, around: Surroundings, listener: RelayListener) {
    this.url = url;
    this.#around = around;
    this.#listener = listener;
  }

  get isConnected(): boolean {
    return this.#isOpen;
  }

  /** Opens the connection; it is kept until `close`. */
  connect(): void {
    if (this.#closed || this.#socket) return;
    this.#cancelTimer();
    this.#become("connecting");
    let socket: SocketLike;
    try {
      socket = this.#around.open(this.url);
    } catch {
      this.#wait(); // not an address that this page may open
      return;
    }
    this.#socket = socket;
    const is = (): boolean => this.#socket === socket;
    socket.onopen = () => is() && this.#opened();
    socket.onmessage = ((event: { data: unknown }) => is() && this.#heard(event.data)) as never;
    socket.onclose = () => is() && this.#lost();
    socket.onerror = () => {}; // onclose follows
    this.#dialledMs = this.#around.nowMs();
    this.#awaitOpening();
  }

  /** Gives the socket up if it does not open in time, which counts from when it was dialled. */
  #awaitOpening(): void {
    const socket = this.#socket;
    const leftMs = this.#dialledMs + this.#pace.connectMs - this.#around.nowMs();
    this.#cancelTimer();
    this.#cancelTimer = this.#around.later(() => this.#socket === socket && this.#lost(), Math.max(0, leftMs));
  }

  close(): void {
    this.#closed = true;
    this.#drop();
    this.#cancelTimer();
    this.status = "waiting";
  }

  /** Ends this relay for good, because of what it sent. */
  refuse(): void {
    this.close();
    this.#become("refused");
  }

  /** After sleep or a change of network: try now, and see whether the connection still lives. */
  wake(): void {
    if (this.#closed) return;
    if (this.isConnected) {
      for (const id of this.#subscriptions.keys()) this.#request(id);
      this.#probe();
    } else if (this.status === "waiting") {
      this.#attempts = 0;
      this.connect();
    } else if (this.#socket && this.#around.nowMs() >= this.#dialledMs + LIVE.connectMs) {
      this.#lost();
    }
  }

  /** While `isLive` silence is noticed soon, and the pauses between attempts are short. */
  hurry(isLive: boolean): void {
    const pace = isLive ? LIVE : CALM;
    if (this.#pace === pace) return;
    this.#pace = pace;
    if (this.#isOpen) this.#watch();
    else if (this.#socket) this.#awaitOpening();
    else if (isLive) this.wake();
  }

  subscribe(id: string, filters: readonly Filter[]): void {
    this.#subscriptions.set(id, filters);
    if (this.isConnected) this.#request(id);
  }

  unsubscribe(id: string): void {
    this.#denied.delete(id);
    if (this.#subscriptions.delete(id) && this.isConnected) this.#say(["CLOSE", id]);
  }

  publish(event: NostrEvent): void {
    const sentMs = this.#around.nowMs();
    this.#sentMs.set(event.id, sentMs);
    this.#publishedMs ??= sentMs;
    this.#say(["EVENT", event]);
    if (this.#isOpen) this.#watch();
  }

  /** Logs in if the relay has sent a challenge, and calls back once it took the login. */
  authenticated(then: () => void): boolean {
    return this.#login?.begin(then) ?? false;
  }

  #opened(): void {
    this.#openedMs = this.#heardMs = this.#around.nowMs();
    this.#denied.clear();
    this.#isOpen = true;
    this.#become("connected");
    for (const id of this.#subscriptions.keys()) this.#request(id);
    this.#watch();
    this.#listener.connected();
  }

  /** The time at which silence is too long: it counts from the last message or question. */
  #dueMs(): number {
    const { quietMs, answerMs } = this.#pace;
    if (this.#askedMs !== null) return this.#askedMs + answerMs;
    // A connection that a move went into must not be dead for long. Not every relay says OK.
    const answeredMs = (this.#publishedMs ?? Infinity) + LIVE.quietMs;
    return Math.min(this.#heardMs + quietMs, answeredMs);
  }

  #watch(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#around.later(() => {
      if (this.#around.nowMs() < this.#dueMs()) this.#watch();
      else if (this.#askedMs !== null) this.#lost();
      else this.#probe();
    }, Math.max(0, this.#dueMs() - this.#around.nowMs()));
  }

  /** Asks something that every relay answers; without an answer the connection is dead. */
  #probe(): void {
    if (this.#askedMs === null) {
      this.#askedMs = this.#around.nowMs();
      this.#sentMs.set(PROBE, this.#askedMs);
      // The next one takes its place, so that it need not be closed.
      this.#say(["REQ", PROBE, NOTHING]);
    }
    this.#watch();
  }

  #request(id: string): void {
    // Events from here to EOSE were stored, also when it is asked again.
    this.#caughtUp.delete(id);
    this.#sentMs.set(id, this.#around.nowMs());
    this.#say(["REQ", id, ...(this.#subscriptions.get(id) ?? [])]);
  }

  #say(message: unknown): void {
    try {
      this.#socket?.send(JSON.stringify(message));
    } catch {
      // It is closing, and onclose follows.
    }
  }

  #heard(data: unknown): void {
    this.#heardMs = this.#around.nowMs();
    this.#askedMs = this.#publishedMs = null;
    if (typeof data !== "string" || data.length > MAX_FRAME) return;
    let message: unknown;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (Array.isArray(message)) this.#answer(message);
  }

  #answer([type, id, third, fourth]: readonly unknown[]): void {
    if (typeof id !== "string") return;
    switch (type) {
      case "EVENT":
        if (this.#subscriptions.has(id)) this.#listener.event(id, third, !this.#caughtUp.has(id));
        return;
      case "EOSE":
        this.#timed(id);
        if (this.#subscriptions.has(id)) {
          this.#caughtUp.add(id);
          this.#denied.delete(id);
          if (this.status === "refused") this.#become("connected");
          this.#listener.caughtUp(id);
        }
        return;
      case "OK":
        this.#timed(id);
        this.#accepted(id, third === true, typeof fourth === "string" ? fourth : "");
        return;
      case "CLOSED":
        this.#ended(id, typeof third === "string" ? third : "");
        return;
      case "AUTH":
        this.#logIn(id);
        return;
      default: // NOTICE is for people who run relays.
    }
  }

  #logIn(challenge: string): void {
    const login: Login = new Login(this.url, challenge, this.#around, (event) => this.#say(["AUTH", event]), () => {
      if (this.#login === login) this.#become("refused");
    });
    this.#login = login;
  }

  #accepted(id: string, accepted: boolean, text: string): void {
    if (this.#login?.answered(id, accepted)) {
      if (!accepted) this.#become("refused");
      return;
    }
    this.#listener.answered(id, accepted, text.slice(0, 300));
  }

  /** CLOSED: log in if that helps, otherwise ask again in a while. */
  #ended(id: string, text: string): void {
    if (!this.#subscriptions.has(id)) return;
    const again = (): void => {
      if (this.isConnected && this.#subscriptions.has(id)) this.#request(id);
    };
    if (text.startsWith("auth-required:") && this.authenticated(again)) return;
    this.#denied.add(id);
    if (this.#denied.size >= this.#subscriptions.size) this.#become("refused");
    this.#around.later(again, REFUSED_MS);
  }

  #timed(id: string): void {
    const sentMs = this.#sentMs.get(id);
    if (sentMs === undefined) return;
    this.#sentMs.delete(id);
    this.roundTripMs = Math.max(0, this.#around.nowMs() - sentMs);
  }

  #lost(): void {
    this.#drop();
    this.#wait();
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    this.#login = null;
    this.#askedMs = this.#publishedMs = null;
    this.#sentMs.clear();
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    try {
      socket.close();
    } catch {
      // it never opened
    }
  }

  #wait(): void {
    if (this.#closed) return;
    const healthy = this.#openedMs > 0 && this.#around.nowMs() - this.#openedMs > HEALTHY_MS;
    this.#attempts = healthy ? 0 : this.#attempts + 1;
    this.#openedMs = 0;
    this.#become("waiting");
    const longest = backoff(FIRST_WAIT_MS, this.#pace.longestWaitMs, this.#attempts);
    // Jitter: all clients of a relay that was restarted do not come back in the same instant.
    const ms = longest * (0.5 + 0.5 * this.#around.random());
    this.#cancelTimer();
    this.#cancelTimer = this.#around.later(() => this.connect(), ms);
  }

  #become(status: Status): void {
    if (this.status === status) return;
    this.status = status;
    this.#listener.changed();
  }
}
