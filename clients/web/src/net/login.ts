/** NIP-42: one challenge of a relay, answered when something needs it. */

import type { EventTemplate, NostrEvent } from "./event.ts";

const AUTHENTICATION = 22242;

export interface Authority {
  nowMs(): number;
  authenticate(template: EventTemplate): Promise<NostrEvent>;
}

export class Login {
  readonly #relay: string;
  readonly #challenge: string;
  readonly #authority: Authority;
  readonly #send: (event: NostrEvent) => void;
  readonly #refused: () => void;
  #waiting: (() => void)[] = [];
  #isUnderWay = false;
  #id: string | null = null;

  /** `refused` is called when the player's signer does not sign. */
  constructor(
    relay: string, challenge: string, authority: Authority,
    send: (event: NostrEvent) => void, refused: () => void,
  ) {
    this.#relay = relay;
    this.#challenge = challenge;
    this.#authority = authority;
    this.#send = send;
    this.#refused = refused;
  }

  /** Sends the login unless it is under way; calls back once the relay took it. */
  begin(then: () => void): boolean {
    this.#waiting.push(then);
    if (!this.#isUnderWay) void this.#sign();
    return true;
  }

  /** Whether the OK was for this login. */
  answered(id: string, accepted: boolean): boolean {
    if (id !== this.#id) return false;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isUnderWay = false;
    if (accepted) for (const then of waiting) then();
    return true;
  }

  async #sign(): Promise<void> {
    this.#isUnderWay = true;
    const created_at = Math.floor(this.#authority.nowMs() / 1000);
    const tags = [["relay", this.#relay], ["challenge", this.#challenge]];
    try {
      const template = { kind: AUTHENTICATION, created_at, tags, content: "" };
      const event = await this.#authority.authenticate(template);
      this.#id = event.id;
      this.#send(event);
    } catch {
      this.#isUnderWay = false;
      this.#waiting = [];
      this.#refused();
    }
  }
}
