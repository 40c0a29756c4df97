/** This player's requests outside a game: runs what the lobby's session decides. */

import { newLobby, stepLobby, type LobbyEffect, type LobbyInput, type LobbySession } from "./lobby_session.ts";
import type { ClientState, GameId, NoticeText, Pubkey } from "./model.ts";
import type { Outbox } from "./outbox.ts";
import type { Ask } from "./requests.ts";

export interface LobbyListener {
  changed(): void;
  /** The part that outlives the page has changed. */
  kept(): void;
  started(game: GameId, opponent: Pubkey): void;
  tell(text: NoticeText, values: Readonly<Record<string, string>>, tone: "plain" | "good" | "bad"): void;
}

type Request = Extract<LobbyEffect, { type: "request" }>;

export class Lobby {
  readonly #outbox: Outbox;
  readonly #nowMs: () => number;
  readonly #listener: LobbyListener;
  #session: LobbySession;
  #held: Request[] | null = [];

  constructor(kept: Parameters<typeof newLobby>[0], outbox: Outbox, nowMs: () => number, listener: LobbyListener) {
    this.#session = newLobby(kept);
    this.#outbox = outbox;
    this.#nowMs = nowMs;
    this.#listener = listener;
  }

  shown(): Pick<LobbySession & ClientState, "waiting" | "challenges" | "playing" | "isResumed"> {
    const { waiting, challenges, playing, isResumed } = this.#session;
    return { waiting, challenges, playing, isResumed };
  }

  ask(ask: Ask): void {
    this.step({ type: "ask", ask });
  }

  /** "Subscribe first … and wait for `EOSE` before you send a request": from now on they are sent. */
  send(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const request of held) void this.#request(request);
  }

  /** Until `send`, requests wait. */
  hold(): void {
    this.#held ??= [];
  }

  step(input: LobbyInput): void {
    const before = this.#session;
    const [session, effects] = stepLobby(before, input, this.#nowMs());
    this.#session = session;
    const isKept = session.waiting === before.waiting && session.challenges === before.challenges;
    if (!isKept) this.#listener.kept();
    if (!isKept || session.playing !== before.playing || session.isResumed !== before.isResumed) this.#listener.changed();
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: LobbyEffect): void {
    switch (effect.type) {
      case "request":
        if (this.#held) this.#held.push(effect);
        else void this.#request(effect);
        return;
      case "started": return this.#listener.started(effect.game, effect.opponent);
      case "notice": return this.#listener.tell(effect.text, effect.values, effect.tone);
    }
  }

  async #request({ key, ask, bits }: Request): Promise<void> {
    // It was answered or replaced while it waited for a relay.
    if (!this.#session.asked.some((one) => one.key === key)) return;
    const event = await this.#outbox.request(ask, bits);
    // A signer elsewhere takes its time, and the player may have cancelled.
    if (!this.#session.asked.some((one) => one.key === key)) return;
    if (!event) return this.step({ type: "unsigned", key });
    this.step({ type: "signed", key, eventId: event.id });
    this.#outbox.send(event);
  }
}
