/** Commands of players and organisers (kind 20307), and the way of one to its answer. Pure. */

import { schnorr } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

import { MAX_BITS } from "../arbiter/lobby_session.ts";
import type { Pubkey, Refusal } from "../arbiter/model.ts";
import type { EventTemplate, Tag } from "../net/event.ts";
import { addressOf } from "./answers.ts";
import type { Answer, TournamentTerms } from "./model.ts";

export const COMMAND = 20307;
const UNANSWERED_MS = 10_000;
const MAX_TIMES = 3;

export interface Word {
  /** `null` for `create`. */
  readonly tournament: string | null;
  readonly content: string;
  readonly tags: readonly Tag[];
}

export function commandEvent({ tournament, content, tags }: Word, arbiter: Pubkey): Omit<EventTemplate, "created_at"> {
  const about: Tag[] = tournament === null ? [] : [["a", addressOf(arbiter, tournament)]];
  return { kind: COMMAND, tags: [["p", arbiter], ...about, ...tags], content };
}

/** The tags of `create` and `edit`. */
export function termsTags(terms: TournamentTerms, deputies: readonly Pubkey[]): readonly Tag[] {
  const { format, time, entry, entryKey, allowed, tieBreaks } = terms;
  const tags: (Tag | false)[] = [
    ["title", terms.title],
    ["description", terms.description],
    ["format", format],
    ["time", `${time.base}+${time.increment}`],
    ["starts", String(terms.starts)],
    format === "swiss" && ["rounds", String(terms.rounds)],
    format === "round-robin" && ["cycles", String(terms.cycles)],
    format === "arena" && ["minutes", String(terms.minutes)],
    format !== "arena" && ["interval", terms.interval === null ? "manual" : String(terms.interval)],
    ["noshow", String(terms.noShow)],
    ["mode", terms.rated ? "rated" : "casual"],
    ["limit", String(terms.limit)],
    ["entry", entry, ...(entryKey && (entry === "secret" || entry === "list") ? [entryKey] : [])],
    entry === "list" && allowed.length > 0 && ["allowed", ...allowed],
    format === "swiss" && ["late", String(terms.late)],
    terms.draws > 0 && ["draws", String(terms.draws)],
    format === "arena" && terms.lateGames && ["lategames", "count"],
    terms.bots && ["bots", "welcome"],
    tieBreaks.length > 0 && ["tiebreaks", ...tieBreaks],
    ...deputies.map((key): Tag => ["p", key]),
  ];
  return tags.filter((tag) => tag !== false);
}

/** "The BIP-340 signature by that key of sha256("join:<event>:<own pubkey>")"; `null` for what is no secret key. */
export function joinProof(tournament: string, me: Pubkey, secret: string): string | null {
  try {
    return bytesToHex(schnorr.sign(sha256(utf8ToBytes(`join:${tournament}:${me}`)), hexToBytes(secret.trim().toLowerCase())));
  } catch {
    return null;
  }
}

export interface Sent {
  readonly key: number;
  readonly word: Word;
  readonly ids: readonly string[];
  /** 0 while it is being signed. */
  readonly signedAtMs: number;
  readonly bits: number;
  readonly corrected: readonly string[];
}

export interface Outcome {
  readonly content: string;
  readonly tournament: string | null;
  readonly refusal: Refusal | null;
  readonly isUnheard: boolean;
}

/** The commands without an answer, and the outcome of the last one that has one. */
export interface Commands {
  readonly sent: readonly Sent[];
  readonly last: Outcome | null;
  readonly nextKey: number;
}

export const NONE: Commands = { sent: [], last: null, nextKey: 1 };

export type CommandInput =
  | { readonly type: "say"; readonly word: Word }
  | { readonly type: "signed"; readonly key: number; readonly id: string }
  | { readonly type: "unsigned"; readonly key: number }
  | { readonly type: "answer"; readonly answer: Answer }
  /** No relay took the event. */
  | { readonly type: "untaken"; readonly id: string; readonly refusal: Refusal }
  | { readonly type: "tick" };

/** What is to be signed and sent. */
export type CommandStep = readonly [Commands, Sent | null];

export function stepCommands(commands: Commands, input: CommandInput, nowMs: number): CommandStep {
  switch (input.type) {
    case "say": {
      // Pressed twice it is said once.
      if (commands.sent.some(({ word }) => word.content === input.word.content)) return [commands, null];
      const sent: Sent = { key: commands.nextKey, word: input.word, ids: [], signedAtMs: 0, bits: 0, corrected: [] };
      return [{ sent: [...commands.sent, sent], last: null, nextKey: sent.key + 1 }, sent];
    }
    case "signed":
      return [with_(commands, input.key, (one) => ({ ...one, ids: [...one.ids, input.id], signedAtMs: nowMs })), null];
    case "unsigned":
      return [ended(commands, commands.sent.find(({ key }) => key === input.key), { reason: "unsigned", text: "" }), null];
    case "answer": return onAnswer(commands, input.answer);
    case "untaken": {
      const found = commands.sent.find(({ ids }) => ids.at(-1) === input.id);
      return [ended(commands, found, input.refusal), null];
    }
    case "tick": return onTick(commands, nowMs);
  }
}

function onAnswer(commands: Commands, { command, tournament, refusal, isUnheard }: Answer): CommandStep {
  const found = commands.sent.find(({ ids }) => command !== null && ids.includes(command));
  if (!found) return [commands, null];
  const corrected = refusal && correction(found, refusal);
  if (!corrected) return [ended(commands, found, refusal, tournament, isUnheard), null];
  return [with_(commands, found.key, () => corrected), corrected];
}

/** The same once more, with what the arbiter missed: its date, which the refusal's own has set right, or work. */
function correction(sent: Sent, { reason, text }: Refusal): Sent | null {
  if (sent.corrected.includes(reason)) return null;
  const again = { ...sent, signedAtMs: 0, corrected: [...sent.corrected, reason] };
  if (reason === "stale") return text.startsWith("created_at is ") ? again : null;
  return reason === "pow" && Number(text) <= MAX_BITS ? { ...again, bits: Number(text) } : null;
}

/** Signed anew without an answer, but for `create`, of which each would be another tournament. */
function onTick(commands: Commands, nowMs: number): CommandStep {
  const late = commands.sent.find(({ signedAtMs, ids }) => signedAtMs > 0 && nowMs - signedAtMs >= UNANSWERED_MS * ids.length);
  if (!late) return [commands, null];
  if (late.ids.length >= MAX_TIMES || late.word.tournament === null) {
    return [ended(commands, late, { reason: "unanswered", text: "" }), null];
  }
  const again = { ...late, signedAtMs: 0 };
  return [with_(commands, late.key, () => again), again];
}

function with_(commands: Commands, key: number, change: (one: Sent) => Sent): Commands {
  return { ...commands, sent: commands.sent.map((one) => (one.key === key ? change(one) : one)) };
}

function ended(commands: Commands, found: Sent | undefined, refusal: Refusal | null, tournament: string | null = null, isUnheard = false): Commands {
  if (!found) return commands;
  const last = { content: found.word.content, refusal, isUnheard, tournament: tournament ?? found.word.tournament };
  return { ...commands, sent: commands.sent.filter((one) => one !== found), last };
}
