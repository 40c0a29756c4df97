/** This player's events: dated by the arbiter's clock, signed, sent, and remembered for a while. */

import { generateSecretKey } from "nostr-tools/pure";

import { localSigner } from "../identity/local.ts";
import type { Signer } from "../identity/signer.ts";
import type { EventTemplate, NostrEvent } from "../net/event.ts";
import { mined } from "../net/mining.ts";
import type { Relays } from "../net/relays.ts";
import type { ArbiterClock } from "./arbiter_clock.ts";
import { PROFILE, stateQuestion, wordEvent } from "./events.ts";
import type { GameId, GameState, Pubkey } from "./model.ts";
import { requestEvent, type Ask } from "./requests.ts";

const REMEMBERED = 64;

export class Outbox {
  readonly #arbiter: Pubkey;
  readonly #signer: Signer;
  readonly #relays: Pick<Relays, "publish">;
  readonly #clock: ArbiterClock;
  readonly #nowMs: () => number;
  readonly #isHere: () => boolean;
  readonly #name: () => string | null;
  /** Signs questions that anybody may ask: extensions would prompt the player for each. */
  #anybody: Signer | null = null;
  readonly #sentMs = new Map<string, number>();

  /** `isHere`: whether the arbiter's own relay is connected. `name`: what the player is called. */
  constructor(
    arbiter: Pubkey, signer: Signer, relays: Pick<Relays, "publish">, clock: ArbiterClock, nowMs: () => number, isHere: () => boolean,
    name: () => string | null,
  ) {
    this.#name = name;
    this.#arbiter = arbiter;
    this.#signer = signer;
    this.#relays = relays;
    this.#clock = clock;
    this.#nowMs = nowMs;
    this.#isHere = isHere;
  }

  /** The time at which this event was sent; `null` if it is none of this player's. */
  sentMs(eventId: string | null): number | null {
    return (eventId && this.#sentMs.get(eventId)) || null;
  }

  send(event: NostrEvent): void {
    remember(this.#sentMs, event.id, this.#nowMs());
    this.#relays.publish(event);
  }

  /** Asks for the present state of a game. */
  async question(game: GameId): Promise<void> {
    const template = stateQuestion(this.#arbiter, game, this.#clock.seconds());
    this.#anybody ??= localSigner(generateSecretKey());
    this.send(await this.#anybody.sign(unlikeOthers(template)));
  }

  /** Signed, not sent; `null` if the signer refuses. */
  word(game: GameState, content: string, answers: string): Promise<NostrEvent | null> {
    return this.#signed(wordEvent(this.#arbiter, game, content, answers, this.#clock.seconds(), this.#isHere()));
  }

  /** The same for a request; `null` also if it cannot be asked. */
  async request(ask: Ask, bits: number): Promise<NostrEvent | null> {
    const template = requestEvent(ask, this.#arbiter, this.#signer.pubkey, this.#clock.seconds(), this.#name(), this.#isHere());
    return template && this.worked(template, bits);
  }

  /** Signed with so many bits of work, not sent; `null` if the signer refuses. */
  async worked(template: EventTemplate, bits: number): Promise<NostrEvent | null> {
    return this.#signed(await mined(unlikeOthers(template), this.#signer.pubkey, bits, this.#nowMs));
  }

  /** Sends this content in place of the profile there was. */
  async profile(content: string, known: NostrEvent | null): Promise<NostrEvent | null> {
    const created_at = Math.max(this.#clock.seconds(), (known?.created_at ?? 0) + 1);
    const event = await this.#signed({ kind: PROFILE, created_at, tags: known?.tags ?? [], content });
    if (event) this.send(event);
    return event;
  }

  async #signed(template: EventTemplate): Promise<NostrEvent | null> {
    try {
      return await this.#signer.sign(template);
    } catch {
      return null;
    }
  }
}

/** Two alike within a second, perhaps of a page that is loaded twice, are one event, which is answered once. */
function unlikeOthers(template: EventTemplate): EventTemplate {
  return { ...template, tags: [...template.tags, ["salt", String(Math.random())]] };
}

function remember(values: Map<string, number>, name: string, value: number): void {
  values.delete(name);
  values.set(name, value);
  const oldest = values.keys().next().value;
  if (values.size > REMEMBERED && oldest !== undefined) values.delete(oldest);
}
