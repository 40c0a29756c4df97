/**
 * What this browser saw of its games: the events that players signed, and the chain of the states
 * (PROTOCOL.md, "The chain"). Nothing is claimed of what is not known.
 */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

import { MOVE, NOTE, STATE } from "../arbiter/events.ts";
import { isHex, valueOf, valuesOf, type NostrEvent } from "../net/event.ts";

interface State {
  readonly chain: string;
  readonly shown: string | null;
  readonly deadline: number;
}

interface History {
  readonly header: Readonly<Record<string, string>>;
  readonly states: Map<number, State>;
  readonly events: Map<string, NostrEvent>;
  /** What I signed since the last state. */
  ours: NostrEvent[];
  last: number;
  isOver: boolean;
  isTold: boolean;
  noted: string | null;
}

/** The arbiter tells different histories of the game, or its transcript can be handed in. */
export type Finding = { readonly game: string; readonly transcript: string | null };

const USUAL_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MAX_GAMES = 24;
const MAX_EVENTS = 2_000;

export class Histories {
  readonly #arbiter: string;
  readonly #me: string;
  readonly #games = new Map<string, History>();

  constructor(arbiter: string, me: string) {
    this.#arbiter = arbiter;
    this.#me = me;
  }

  /** A verified event, of mine or from a relay; in any order, and as often as it comes. */
  take(event: NostrEvent): Finding | null {
    const game = valueOf(event, "d") ?? "";
    const known = this.#games.get(game);
    if (event.kind === STATE && event.pubkey === this.#arbiter) return this.#state(game, event);
    if (!known) return null;
    if (event.kind === NOTE && event.pubkey === this.#arbiter) {
      known.noted = valueOf(event, "chain") ?? null;
      return ended(known);
    }
    const isPlayers = event.pubkey === known.header["white"] || event.pubkey === known.header["black"];
    if (event.kind === MOVE && isPlayers && event.content !== "state" && known.events.size < MAX_EVENTS && !known.events.has(event.id)) {
      known.events.set(event.id, event);
      if (event.pubkey === this.#me) known.ours.push(event);
    }
    return null;
  }

  #state(game: string, event: NostrEvent): Finding | null {
    const [version, chain] = [number(valueOf(event, "version")), valueOf(event, "chain")];
    const named = valuesOf(event, "p");
    const [white, black] = named.length > 0 ? named : event.tags.find(([name]) => name === "players")?.slice(1) ?? [];
    if (!isHex(chain, 64) || version === 0 || white === undefined || black === undefined) return null;
    let known = this.#games.get(game);
    if (!known) {
      const start = valueOf(event, "start") ?? USUAL_START;
      const header = { game, arbiter: this.#arbiter, white, black, start, variant: valueOf(event, "variant") ?? "standard" };
      known = { header, states: new Map(), events: new Map(), ours: [], last: 0, isOver: false, isTold: false, noted: null };
      this.#games.set(game, known);
      const oldest = this.#games.keys().next().value;
      if (this.#games.size > MAX_GAMES && oldest !== undefined) this.#games.delete(oldest);
    }
    const there = known.states.get(version);
    if (there) return there.chain === chain ? null : differs(known);
    known.states.set(version, { chain, shown: shownBy(event), deadline: number(valueOf(event, "deadline")) });
    if (version <= known.last) return null;
    if (known.isOver) return known.states.get(known.last)?.chain === chain ? null : differs(known);
    if (known.last > 0 && isReplaced(known, version, this.#me)) return differs(known);
    known.last = version;
    known.ours = [];
    known.isOver = valueOf(event, "termination") !== undefined;
    return ended(known);
  }
}

/** The latest of the states before this one. */
function stateBefore({ states }: History, version: number): State | undefined {
  return states.get(Math.max(...[...states.keys()].filter((one) => one < version)));
}

/** The id by which this state follows from the one before; `null` where it is not known. */
function idOf(known: History, version: number): string | null {
  const [before, state] = [stateBefore(known, version), known.states.get(version)];
  if (!before || !state || state.shown === null) return null;
  const shown = utf8ToBytes(state.shown);
  const ids = [...[...known.events.keys()].reverse(), before.deadline.toString(16).padStart(64, "0")];
  return ids.find((id) => bytesToHex(sha256(new Uint8Array([...hexToBytes(before.chain + id), ...shown]))) === state.chain) ?? null;
}

/** Whether I signed a move, and the arbiter shows one by no event of mine. What was signed before the page was loaded is not known. */
function isReplaced(known: History, version: number, me: string): boolean {
  const [before, text] = [stateBefore(known, version)?.shown, known.states.get(version)?.shown];
  if (known.states.size === 2 || !before || !text) return false;
  const ply = parseInt(text, 10);
  // A move that ends the game makes two versions, and shows one.
  const isNext = version === known.last + 1 + (text.endsWith(" -") ? 0 : 1) && ply === parseInt(before, 10) + 1;
  const isWhites = (known.header["start"]?.split(" ")[1] === "w") === (ply % 2 === 1);
  const isMine = known.header[isWhites ? "white" : "black"] === me;
  return isNext && isMine && known.ours.some(({ content }) => /^[a-h][1-8][a-h][1-8]/.test(content)) && idOf(known, version) === null;
}

function ended(known: History): Finding | null {
  if (!known.isOver || known.noted === null || known.isTold) return null;
  const chain = known.states.get(known.last)?.chain ?? "";
  if (known.noted !== chain) return differs(known);
  known.isTold = true;
  const first = known.states.get(1)?.chain;
  if (!first) return null;
  const lines: unknown[] = [{ ...known.header, first, chain }];
  for (const version of [...known.states.keys()].filter((one) => one > 1 && one <= known.last).sort((a, b) => a - b)) {
    const id = idOf(known, version);
    if (id === null) return null;
    const event = known.events.get(id);
    lines.push({ id, shown: known.states.get(version)?.shown, ...(event ? { event } : {}) });
  }
  return { game: known.header["game"] ?? "", transcript: lines.map((line) => JSON.stringify(line)).join("\n") };
}

function differs(known: History): Finding | null {
  if (known.isTold) return null;
  known.isTold = true;
  return { game: known.header["game"] ?? "", transcript: null };
}

function number(text: string | undefined): number {
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

/** What a state shows, in one line; `null` where it leaves its moves out. */
function shownBy(event: NostrEvent): string | null {
  const tag = (name: string): readonly string[] => event.tags.find((one) => one[0] === name)?.slice(1) ?? [];
  const [ply, moves] = [number(tag("ply")[0]), tag("moves")];
  if (moves.length !== ply) return null;
  const [white = "-", black = "-"] = tag("clock");
  const offer = tag("offer").slice(0, 2).join(":") || "-";
  return [ply, moves.at(-1) ?? "-", offer, white, black, tag("result")[0] ?? "*", tag("termination")[0] ?? "-"].join(" ");
}

/** Gives the arbiter the transcript, if it has none that is whole. Trouble is no player's: another may hand it in. */
export async function handIn(http: string, { game, transcript }: Finding, fetched: typeof fetch): Promise<void> {
  const url = `${http}/games/${game}/transcript`;
  const there = await fetched(url).catch(() => null);
  const lines = there?.ok && there.body ? await new Response(there.body.pipeThrough(new DecompressionStream("gzip"))).text() : "";
  const isWhole = lines !== "" && lines.trim().split("\n").slice(1).every((line) => /"event":\{|"id":"0{48}/.test(line));
  if (isWhole || transcript === null) return;
  const body = await new Response(new Blob([transcript]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
  await fetched(url, { method: "PUT", body });
}
