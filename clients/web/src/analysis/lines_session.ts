/** The conditional moves of one position: asked of the arbiter, and set one change after the other. */

import { parseError } from "../arbiter/answers.ts";
import { ERROR, MOVE, RESPONSE } from "../arbiter/events.ts";
import type { ArbiterClient, Color, Follower, GameState, Refusal } from "../arbiter/model.ts";
import { turnOf, type Line } from "../board/position.ts";
import { valueOf, type NostrEvent } from "../net/event.ts";
import { NONE, stepCommands, type CommandInput, type Commands, type Sent } from "../tournaments/commands.ts";
import { linesIn, textOf, withLine, type Moves } from "./conditional.ts";

/** A game of the reader by days or without a clock. */
export interface OwnGame {
  readonly client: ArbiterClient;
  readonly game: GameState;
  readonly me: Color;
}

type Change = (lines: readonly Moves[]) => readonly Moves[];

/** One set is under way at a time, for two may arrive in any order; what is changed meanwhile follows its answer. */
export class LinesSession implements Follower {
  readonly #own: OwnGame;
  readonly #changed: () => void;
  readonly #nowMs: () => number;
  readonly #end: () => void;
  #commands: Commands = NONE;
  #told: readonly Line[] | null = null;
  /** Whether the arbiter still has what it told, as far as is known. */
  #isCertain = false;
  #isBusy = false;
  #isClosed = false;
  #hasFailed = false;
  #changes: readonly Change[] = [];

  constructor(own: OwnGame, changed: () => void, nowMs = Date.now) {
    const { arbiter, me } = own.client.state();
    this.#own = own;
    this.#changed = changed;
    this.#nowMs = nowMs;
    const filters = arbiter && me ? [{ kinds: [RESPONSE, ERROR], authors: [arbiter.pubkey], "#p": [me] }] : [];
    this.#end = own.client.follow(`lines${own.game.game.slice(0, 16)}`, filters, this);
    this.#say("lines");
  }

  /** As the arbiter told them last; `null` before. */
  get told(): readonly Line[] | null {
    return this.#told;
  }

  get isSetting(): boolean {
    return this.#changes.length > 0 || this.#commands.sent.some(({ word }) => word.content !== "lines");
  }

  /** What failed last: `unsigned`, `unsent`, `unanswered`, or what the arbiter said. */
  get failure(): Refusal | null {
    if (this.#hasFailed) return { reason: "unsigned", text: "" };
    return this.#commands.last?.refusal ?? null;
  }

  add(line: Moves): void {
    this.#change((lines) => withLine(lines, line, turnOf(this.#own.game.fen) === this.#own.me));
  }

  remove(line: Moves): void {
    this.#change((lines) => lines.filter((one) => one.join() !== line.join()));
  }

  heard(event: NostrEvent): void {
    const arbiter = this.#own.client.state().arbiter?.pubkey ?? "";
    const error = parseError(event, arbiter);
    const command = error?.event ?? valueOf(event, "e") ?? "";
    if (event.pubkey !== arbiter || !this.#commands.sent.some(({ ids }) => ids.includes(command))) return;
    if (error) this.#answered(command, error.refusal);
    else if (event.kind === RESPONSE && event.content.startsWith("lines:") && valueOf(event, "ply") === String(this.#own.game.ply)) {
      this.#answered(command, null);
      void this.#work(() => this.#read(event));
    }
  }

  untaken(id: string): void {
    this.#step({ type: "untaken", id, refusal: { reason: "unsent", text: "" } });
  }

  tick(): void {
    this.#step({ type: "tick" });
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #change(change: Change): void {
    this.#changes = [...this.#changes, change];
    this.#next();
    this.#changed();
  }

  /** Sets what is changed, or asks first what there is. */
  #next(): void {
    if (this.#isClosed || this.#isBusy || this.#commands.sent.length > 0 || this.#changes.length === 0) return;
    if (this.#isCertain) void this.#work(() => this.#set());
    else this.#say("lines");
  }

  async #set(): Promise<void> {
    const before = (this.#told ?? []).map(({ plies }): Moves => plies.map(({ uci }) => uci));
    const lines = this.#changes.reduce<readonly Moves[]>((one, change) => change(one), before);
    const count = this.#changes.length;
    if (textOf(lines) !== textOf(before)) {
      const payload = await this.#own.client.signer.encrypt(this.#own.client.state().arbiter?.pubkey ?? "", textOf(lines));
      this.#say(`lines:${payload}`);
    }
    this.#changes = this.#changes.slice(count);
  }

  async #read({ pubkey, content }: NostrEvent): Promise<void> {
    this.#told = linesIn(await this.#own.client.signer.decrypt(pubkey, content.slice("lines:".length)), this.#own.game.fen);
    this.#isCertain = true;
  }

  /** Does what needs the signer's cipher, one after the other. */
  async #work(act: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    this.#hasFailed = false;
    try {
      await act();
    } catch {
      this.#hasFailed = true;
      this.#forget();
    }
    this.#isBusy = false;
    this.#next();
    this.#changed();
  }

  /** What failed is not set by a later answer, and the arbiter is asked before the next change. */
  #forget(): void {
    this.#isCertain = false;
    this.#changes = [];
  }

  #say(content: string): void {
    // With a tournament's name, although of none, it is asked again when it has no answer.
    this.#step({ type: "say", word: { tournament: "", content, tags: [] } });
  }

  #answered(command: string, refusal: Refusal | null): void {
    this.#step({ type: "answer", answer: { command, tournament: null, word: "noted", value: null, refusal, isUnheard: false } });
  }

  #step(input: CommandInput): void {
    const before = this.#commands;
    const [commands, sent] = stepCommands(before, input, this.#nowMs());
    this.#commands = commands;
    if (commands.last !== before.last && commands.last?.refusal) this.#forget();
    if (sent) void this.#send(sent);
    if (commands !== before) this.#changed();
  }

  async #send({ key, word, bits }: Sent): Promise<void> {
    const { client, game } = this.#own;
    const { arbiter } = client.state();
    // Sealed too late: the game went on.
    if (!arbiter || this.#isClosed) return;
    // The state in which the lines were made.
    const tags = [["d", game.game], ["e", game.eventId], ["p", arbiter.pubkey], ["p", game.white], ["p", game.black]] as const;
    const id = await client.command({ kind: MOVE, tags, content: word.content }, bits);
    this.#step(id ? { type: "signed", key, id } : { type: "unsigned", key });
  }
}
