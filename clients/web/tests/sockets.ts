/** Sockets, time and timers that do what a test says. */

import type { SocketLike, Surroundings } from "../src/net/relay.ts";

export class FakeSocket implements SocketLike {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly url: string;
  sent: unknown[][] = [];
  isClosed = false;

  constructor(url: string) {
    this.url = url;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as unknown[]);
  }

  close(): void {
    this.isClosed = true;
  }

  says(...message: unknown[]): this {
    return this.saysRaw(JSON.stringify(message));
  }

  saysRaw(data: unknown): this {
    this.onmessage?.({ data } as never);
    return this;
  }

  opens(): this {
    this.onopen?.({} as never);
    return this;
  }

  ends(): this {
    this.onclose?.({} as never);
    return this;
  }

  of(type: string): unknown[][] {
    return this.sent.filter(([one]) => one === type);
  }
}

export class Net {
  nowMs = 0;
  sockets: FakeSocket[] = [];
  #timers: { readonly atMs: number; readonly run: () => void; isDone: boolean }[] = [];

  readonly around: Omit<Surroundings, "authenticate"> = {
    open: (url) => {
      if (url.includes("forbidden")) throw new DOMException("insecure", "SecurityError");
      this.sockets.push(new FakeSocket(url));
      return this.sockets.at(-1)!;
    },
    nowMs: () => this.nowMs,
    later: (run, ms) => {
      const timer = { atMs: this.nowMs + ms, run, isDone: false };
      this.#timers.push(timer);
      return () => void (timer.isDone = true);
    },
    random: () => 1,
  };

  /** The last socket to this relay. */
  socket(url: string): FakeSocket {
    return this.sockets.filter((one) => one.url === url).at(-1)!;
  }

  pass(ms: number): this {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ isDone, atMs }) => !isDone && atMs <= untilMs)
        .sort((one, other) => one.atMs - other.atMs);
      if (!next) break;
      this.nowMs = next.atMs;
      next.isDone = true;
      next.run();
    }
    this.nowMs = untilMs;
    return this;
  }
}
