/** What the arbiter tells of tournaments while a page shows them, and the commands that the player gives there. */

import { useEffect } from "preact/hooks";

import type { ArbiterClient, Follower, Refusal } from "../arbiter/model.ts";
import type { NostrEvent, Tag } from "../net/event.ts";
import type { Filter } from "../net/relay.ts";
import { parseAnswer } from "./answers.ts";
import { EMPTY, heard, listFilters, tournamentFilters, type Book } from "./book.ts";
import { CommandSender, useSession } from "./command_sender.ts";
import { commandEvent, type Commands, type Word } from "./commands.ts";
import type { Answer } from "./model.ts";

/** "An arena pairs those with a sign in the last 60 s." */
const HERE_MS = 30_000;

/** Relays send what they have stored once to a page. */
const books = new WeakMap<ArbiterClient, Book>();

export class TournamentSession implements Follower {
  readonly #client: ArbiterClient;
  readonly #id: string | null;
  readonly #changed: () => void;
  readonly #end: () => void;
  readonly #commands: CommandSender;
  /** The last that I was told without asking. */
  told: Answer | null = null;

  /** Of one tournament, or of all (`null`). `part` tells two of one page apart. */
  constructor(client: ArbiterClient, id: string | null, part: string, changed: () => void, nowMs = Date.now) {
    this.#client = client;
    this.#id = id;
    this.#changed = changed;
    this.#commands = new CommandSender((word, bits) => this.#sign(word, bits), changed, nowMs);
    this.#end = client.follow(`${part}${id?.slice(0, 16) ?? ""}`, this.#filters(), this);
  }

  get book(): Book {
    return books.get(this.#client) ?? EMPTY;
  }

  get commands(): Commands {
    return this.#commands.commands;
  }

  say(content: string, tags: readonly Tag[] = [], tournament = this.#id): void {
    this.#commands.say(content, tags, tournament);
  }

  heard(event: NostrEvent): void {
    const { arbiter, me } = this.#client.state();
    if (!arbiter || !me) return;
    const book = heard(this.book, event, arbiter.pubkey);
    if (book !== this.book) {
      books.set(this.#client, book);
      this.#changed();
    }
    const answer = parseAnswer(event, arbiter.pubkey, me);
    if (!answer) return;
    if (answer.command === null && answer.tournament === this.#id) {
      this.told = answer;
      this.#changed();
    }
    this.#commands.step({ type: "answer", answer });
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

  #filters(): readonly Filter[] {
    const arbiter = this.#client.state().arbiter?.pubkey;
    if (!arbiter) return [];
    return this.#id === null ? listFilters(arbiter) : tournamentFilters(arbiter, this.#id);
  }

  async #sign(word: Word, bits: number): Promise<string | null> {
    const { arbiter } = this.#client.state();
    return arbiter && this.#client.command(commandEvent(word, arbiter.pubkey), bits);
  }
}

/** The session of one tournament, or of all (`null`), as long as the view is shown; it is drawn after each change. */
export function useTournaments(client: ArbiterClient, id: string | null, part = "events"): TournamentSession | null {
  return useSession((draw) => new TournamentSession(client, id, part, draw), [client, id, part]);
}

/**
 * Says that the player is here: once in each `round` in which they have a board, so that an opponent who does not come loses
 * alone; again and again while they wait in an arena.
 */
export function usePresence(session: TournamentSession | null, round: string | null, isWaiting: boolean): void {
  useEffect(() => {
    if (session && round !== null) session.say("here");
  }, [session, round]);
  useEffect(() => {
    if (!session || !isWaiting) return undefined;
    session.say("here");
    const timer = setInterval(() => session.say("here"), HERE_MS);
    return () => clearInterval(timer);
  }, [session, isWaiting]);
}
