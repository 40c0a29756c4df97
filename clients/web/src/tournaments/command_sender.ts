/** The commands of one view on their way to their answers: each is signed and sent, and again when that is due. */

import { useEffect, useState } from "preact/hooks";

import type { Refusal } from "../arbiter/model.ts";
import type { Tag } from "../net/event.ts";
import { NONE, stepCommands, type CommandInput, type Commands, type Word } from "./commands.ts";

export class CommandSender {
  readonly #sign: (word: Word, bits: number) => Promise<string | null>;
  readonly #changed: (before: Commands) => void;
  readonly #nowMs: () => number;
  #commands: Commands = NONE;

  /** `sign` has it signed and sent, and gives its id, `null` where that failed. */
  constructor(sign: (word: Word, bits: number) => Promise<string | null>, changed: (before: Commands) => void, nowMs: () => number) {
    this.#sign = sign;
    this.#changed = changed;
    this.#nowMs = nowMs;
  }

  get commands(): Commands {
    return this.#commands;
  }

  get isAsking(): boolean {
    return this.#commands.sent.length > 0;
  }

  /** The reason why the last one failed. */
  get refusal(): Refusal | null {
    return this.#commands.last?.refusal ?? null;
  }

  /** Of no tournament unless one is named: with an empty name it is asked again when it has no answer. */
  say(content: string, tags: readonly Tag[] = [], tournament: string | null = ""): void {
    this.step({ type: "say", word: { tournament, content, tags } });
  }

  /** The answer to one that is about no tournament. */
  answered(command: string | null, refusal: Refusal | null): void {
    this.step({ type: "answer", answer: { command, tournament: null, word: "noted", value: null, refusal, isUnheard: false } });
  }

  step(input: CommandInput): void {
    const before = this.#commands;
    const [commands, sent] = stepCommands(before, input, this.#nowMs());
    this.#commands = commands;
    if (commands !== before) this.#changed(before);
    if (sent) void this.#send(sent.key, sent.word, sent.bits);
  }

  async #send(key: number, word: Word, bits: number): Promise<void> {
    const id = await this.#sign(word, bits);
    this.step(id === null ? { type: "unsigned", key } : { type: "signed", key, id });
  }
}

const TICK_MS = 500;

/** What this makes, as long as the view is shown; it is drawn with each `draw`. `null` at first. */
export function useSession<S extends { tick(): void; close(): void }>(make: (draw: () => void) => S, of: readonly unknown[]): S | null {
  const [shown, show] = useState<{ readonly session: S } | null>(null);
  useEffect(() => {
    const own: { session?: S } = {};
    // What is known already comes before there is a value to show.
    const draw = (): void => void (own.session && show({ session: own.session }));
    const session = (own.session = make(draw));
    draw();
    const timer = setInterval(() => session.tick(), TICK_MS);
    return () => (clearInterval(timer), session.close());
  }, of);
  return shown?.session ?? null;
}
