/** Whom this player blocks, as the arbiter tells it, and what the player asks about it while a view shows it. */

import { parseResponse } from "../arbiter/answers.ts";
import { REQUEST, RESPONSE } from "../arbiter/events.ts";
import type { ArbiterClient, Follower, Pubkey, Refusal } from "../arbiter/model.ts";
import { isHex, valueOf, type NostrEvent } from "../net/event.ts";
import { CommandSender, useSession } from "../tournaments/command_sender.ts";
import type { Word } from "../tournaments/commands.ts";

interface List {
  readonly keys: readonly Pubkey[];
  /** Seconds. */
  readonly at: number;
}

const lists = new WeakMap<ArbiterClient, List>();

/** The keys in a 20301 `blocked`; `null` for any other event. */
export function blockedIn(event: NostrEvent, arbiter: Pubkey, me: Pubkey): readonly Pubkey[] | null {
  if (event.kind !== RESPONSE || event.pubkey !== arbiter || valueOf(event, "p") !== me || event.content !== "blocked") return null;
  const [, ...keys] = event.tags.find(([name]) => name === "blocked") ?? [];
  return keys.filter((key) => isHex(key, 64));
}

export class Blocks implements Follower {
  readonly #client: ArbiterClient;
  readonly #changed: () => void;
  readonly #end: () => void;
  readonly #commands: CommandSender;

  /** `part` tells two of one page apart. */
  constructor(client: ArbiterClient, part: string, changed: () => void, nowMs = Date.now) {
    this.#client = client;
    this.#changed = changed;
    this.#commands = new CommandSender((word, bits) => this.#sign(word, bits), changed, nowMs);
    this.#end = client.follow(part, [], this);
  }

  get keys(): readonly Pubkey[] {
    return lists.get(this.#client)?.keys ?? [];
  }

  get isAsking(): boolean {
    return this.#commands.isAsking;
  }

  /** The reason why the last request failed. */
  get refusal(): Refusal | null {
    return this.#commands.refusal;
  }

  block(player: Pubkey, isBlocked: boolean): void {
    this.#commands.say(`${isBlocked ? "block" : "unblock"}:${player}`);
  }

  heard(event: NostrEvent): void {
    const { arbiter, me } = this.#client.state();
    if (!arbiter || !me) return;
    const keys = blockedIn(event, arbiter.pubkey, me);
    if (keys && event.created_at >= (lists.get(this.#client)?.at ?? 0)) {
      lists.set(this.#client, { keys, at: event.created_at });
      this.#changed();
    }
    const response = parseResponse(event, arbiter.pubkey, me);
    const refusal = response?.type === "refused" ? response.refusal : null;
    if (!keys && !refusal) return;
    this.#commands.answered(valueOf(event, "e") ?? null, refusal);
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

  async #sign({ content }: Word, bits: number): Promise<string | null> {
    const { arbiter } = this.#client.state();
    return arbiter && this.#client.command({ kind: REQUEST, tags: [["p", arbiter.pubkey]], content }, bits);
  }
}

/** Drawn after each change, as long as the view is shown. */
export function useBlocks(client: ArbiterClient, part: string): Blocks | null {
  return useSession((draw) => new Blocks(client, `blocks-${part}`, draw), [client, part]);
}
