/** The conditional moves of one position: asked of the arbiter, and set one change after the other. */

import { parseError } from "../arbiter/answers.ts";
import { ERROR, MOVE, RESPONSE } from "../arbiter/events.ts";
import type { ArbiterClient, Color, Follower, GameState, Refusal } from "../arbiter/model.ts";
import { type Line } from "../board/position.ts";
import { turnOf } from "../shared/fen.ts";
import { valueOf, type NostrEvent } from "../net/event.ts";
import { CommandSender } from "../tournaments/command_sender.ts";
import type { Commands, Word } from "../tournaments/commands.ts";
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
  readonly #end: () => void;
  readonly #commands: CommandSender;
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
    this.#commands = new CommandSender((word, bits) => this.#sign(word, bits), (before) => this.#stepped(before), nowMs);
    const filters = arbiter && me ? [{ kinds: [RESPONSE, ERROR], authors: [arbiter.pubkey], "#p": [me] }] : [];
    this.#end = own.client.follow(`lines${own.game.game.slice(0, 16)}`, filters, this);
    this.#commands.say("lines");
  }

  /** As the arbiter told them last; `null` before. */
  get told(): readonly Line[] | null {
    return this.#told;
  }

  get isSetting(): boolean {
    return this.#changes.length > 0 || this.#commands.commands.sent.some(({ word }) => word.content !== "lines");
  }

  /** What failed last: `unsigned`, `unsent`, `unanswered`, or what the arbiter said. */
  get failure(): Refusal | null {
    if (this.#hasFailed) return { reason: "unsigned", text: "" };
    return this.#commands.refusal;
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
    if (event.pubkey !== arbiter || !this.#commands.commands.sent.some(({ ids }) => ids.includes(command))) return;
    if (error) this.#commands.answered(command, error.refusal);
    else if (event.kind === RESPONSE && event.content.startsWith("lines:") && valueOf(event, "ply") === String(this.#own.game.ply)) {
      this.#commands.answered(command, null);
      void this.#work(() => this.#read(event));
    }
  }

  untaken(id: string): void {
    this.#commands.step({ type: "untaken", id, refusal: { reason: "unsent", text: "" } });
  }

  tick(): void {
    this.#commands.step({ type: "tick" });
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
    if (this.#isClosed || this.#isBusy || this.#commands.isAsking || this.#changes.length === 0) return;
    if (this.#isCertain) void this.#work(() => this.#set());
    else this.#commands.say("lines");
  }

  async #set(): Promise<void> {
    const before = (this.#told ?? []).map(({ plies }): Moves => plies.map(({ uci }) => uci));
    const lines = this.#changes.reduce<readonly Moves[]>((one, change) => change(one), before);
    const count = this.#changes.length;
    if (textOf(lines) !== textOf(before)) {
      const payload = await this.#own.client.signer.encrypt(this.#own.client.state().arbiter?.pubkey ?? "", textOf(lines));
      this.#commands.say(`lines:${payload}`);
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

  #stepped(before: Commands): void {
    const { last } = this.#commands.commands;
    if (last !== before.last && last?.refusal) this.#forget();
    this.#changed();
  }

  async #sign({ content }: Word, bits: number): Promise<string | null> {
    const { client, game } = this.#own;
    const { arbiter } = client.state();
    // Sealed too late: the game went on.
    if (!arbiter || this.#isClosed) return null;
    // The state in which the lines were made.
    const tags = [["d", game.game], ["e", game.eventId], ["p", arbiter.pubkey], ["p", game.white], ["p", game.black]] as const;
    return client.command({ kind: MOVE, tags, content }, bits);
  }
}
