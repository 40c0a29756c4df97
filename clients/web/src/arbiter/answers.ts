/**
 * The arbiter's events, read into values. The signature is verified before; the author is compared
 * here. Whatever is not as PROTOCOL.md says gives `null`.
 */

import { isHex, valueOf, valuesOf, type NostrEvent } from "../net/event.ts";
import { isFen } from "./chess.ts";
import { clean, cleanLines } from "./clean.ts";
import { ERROR, NOTE, RATING, RESPONSE, STATE } from "./events.ts";
import type {
  Color, GameId, GameNote, GameState, IncomingChallenge, OfferKind, Pubkey, Rating, Refusal, Terms,
  TimeControl,
} from "./model.ts";

const UCI = /^[a-h][1-8][a-h][1-8][qrbn]?$/;
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"] as const;
const OFFERS: readonly string[] = ["draw", "takeback", "rematch", "abort"];
const MAX_TEXT_CHARS = 300;
const MAX_PGN_CHARS = 131_072;

export function parseState(event: NostrEvent, arbiter: Pubkey): GameState | null {
  if (event.kind !== STATE || event.pubkey !== arbiter) return null;
  const game = valueOf(event, "d");
  const [white, black] = forSpectators(event) ?? valuesOf(event, "p");
  const version = count(valueOf(event, "version"));
  const ply = count(valueOf(event, "ply"));
  if (!isHex(game, 32) || !isHex(white, 64) || !isHex(black, 64)) return null;
  if (version === null || ply === null || !isFen(event.content)) return null;
  const moves = movesOf(event, ply);
  const time = parseTime(valueOf(event, "time"));
  const start = valueOf(event, "start") ?? null;
  const result = valueOf(event, "result") ?? null;
  if (moves === undefined || time === undefined || (start !== null && !isFen(start))) return null;
  if (result !== null && !(RESULTS as readonly string[]).includes(result)) return null;
  const rematch = valueOf(event, "rematch");
  const termination = valueOf(event, "termination");
  return {
    eventId: event.id,
    createdAt: event.created_at,
    game,
    white,
    black,
    version,
    ply,
    fen: event.content,
    moves,
    time,
    clock: clockOf(event),
    deadline: count(valueOf(event, "deadline")),
    rated: valueOf(event, "mode") === "rated",
    variant: valueOf(event, "variant") === "chess960" ? "chess960" : "standard",
    start,
    placeholders: valuesOf(event, "stand-in").filter((key) => isHex(key, 64)),
    offer: offerOf(event),
    away: { white: timeOf(event, "away", "w"), black: timeOf(event, "away", "b") },
    vacation: { white: timeOf(event, "vacation", "w"), black: timeOf(event, "vacation", "b") },
    result: result as GameState["result"],
    termination: termination === undefined ? null : clean(termination, 40),
    rematch: isHex(rematch, 32) ? rematch : null,
    tournament: tournamentIn(event),
    round: clean(valueOf(event, "round") ?? "", 9),
  };
}

/** The players, in the answer to a spectator's question: without `p` tags it does not come to players. */
export function forSpectators(event: NostrEvent): readonly string[] | undefined {
  return event.tags.find(([name]) => name === "players")?.slice(1);
}

/** `null` where the arbiter leaves the moves out; `undefined` if they are not as many as the plies. */
function movesOf(event: NostrEvent, ply: number): readonly string[] | null | undefined {
  const tag = event.tags.find(([name]) => name === "moves");
  if (tag === undefined) return ply === 0 ? [] : null;
  const moves = tag.slice(1);
  return moves.length === ply && moves.every((move) => UCI.test(move)) ? moves : undefined;
}

function clockOf(event: NostrEvent): GameState["clock"] {
  const [, white, black] = event.tags.find(([name]) => name === "clock") ?? [];
  const left = { white: count(white), black: count(black) };
  return left.white === null || left.black === null
    ? null
    : { white: left.white, black: left.black };
}

function offerOf(event: NostrEvent): GameState["offer"] {
  const [, kind, by] = event.tags.find(([name]) => name === "offer") ?? [];
  if (kind === undefined || !OFFERS.includes(kind) || (by !== "w" && by !== "b")) return null;
  return { kind: kind as OfferKind, by: colorOf(by) };
}

/** The unix seconds that a tag of this name has for a side. */
function timeOf(event: NostrEvent, tag: string, color: "w" | "b"): number | null {
  return count(event.tags.find(([name, whose]) => name === tag && whose === color)?.[2]);
}

/** `null` is unlimited, `undefined` what cannot be read. */
export function parseTime(text: string | undefined): TimeControl | undefined {
  if (text === undefined) return null;
  const days = /^([0-9]{1,2})d$/.exec(text)?.[1];
  if (days !== undefined) return { kind: "days", days: Number(days) };
  const [, base, increment] = /^([0-9]{1,5})\+([0-9]{1,3})$/.exec(text) ?? [];
  if (base === undefined || increment === undefined) return undefined;
  return { kind: "live", base: Number(base), increment: Number(increment) };
}

/** A 20301; `request` is the id of the request of mine that it answers. */
export type Response = { readonly request: string | null } & (
  /** `at` is the time of its signature, in seconds. */
  | { readonly type: "queued"; readonly challenge: string | null; readonly place: number | null; readonly at: number }
  /** With `challenge` one to me is taken back. */
  | { readonly type: "cancelled"; readonly challenge?: string }
  | { readonly type: "started"; readonly game: GameId; readonly opponent: Pubkey; readonly color: Color; readonly at: number; readonly tournament: string | null; readonly challenge: string | null }
  /** All that `state` asked for was told. */
  | { readonly type: "end" }
  | { readonly type: "challenged"; readonly challenge: IncomingChallenge }
  /** `challenge` is the one that was declined. */
  | { readonly type: "refused"; readonly refusal: Refusal; readonly challenge: string | null }
);

export function parseResponse(event: NostrEvent, arbiter: Pubkey, me: Pubkey): Response | null {
  if (event.kind !== RESPONSE || event.pubkey !== arbiter || valueOf(event, "p") !== me) return null;
  const named = valueOf(event, "e");
  if (named !== undefined && !isHex(named, 64)) return null;
  const request = named ?? null;
  const [word, first, second, third] = event.content.slice(0, 1_000).split(":");
  switch (word) {
    case "queued":
      return {
        type: "queued", request, challenge: challengeNamed(event), place: count(valueOf(event, "place")),
        at: event.created_at,
      };
    case "cancelled": return isHex(first, 32) ? { type: word, request, challenge: first } : { type: word, request };
    case "end": return { type: word, request };
    case "started":
      if (!isHex(first, 32) || !isHex(second, 64) || (third !== "w" && third !== "b")) return null;
      return { type: "started", request, game: first, opponent: second, color: colorOf(third), at: event.created_at, tournament: tournamentIn(event), challenge: challengeNamed(event) };
    case "challenged": {
      const challenge = challengeOf(event, first, second);
      return challenge && { type: "challenged", request, challenge };
    }
    case "error": {
      const refusal = refusalOf(event.content.slice("error:".length));
      return refusal && { type: "refused", request, refusal, challenge: challengeNamed(event) };
    }
    default: return null;
  }
}

function tournamentIn(event: NostrEvent): string | null {
  const id = valueOf(event, "a")?.split(":")[2];
  return isHex(id, 32) ? id : null;
}

function challengeNamed(event: NostrEvent): string | null {
  const named = valueOf(event, "challenge");
  return isHex(named, 32) ? named : null;
}

function challengeOf(
  event: NostrEvent, id: string | undefined, challenger: string | undefined,
): IncomingChallenge | null {
  const expiresAt = count(valueOf(event, "expiration"));
  const time = parseTime(valueOf(event, "time"));
  const start = valueOf(event, "start") ?? null;
  if (!isHex(id, 32) || !isHex(challenger, 64) || expiresAt === null) return null;
  if (time === undefined || (start !== null && !isFen(start))) return null;
  const color = valueOf(event, "color");
  const terms: Terms = {
    time,
    rated: valueOf(event, "mode") === "rated",
    variant: valueOf(event, "variant") === "chess960" ? "chess960" : "standard",
    color: color === "white" || color === "black" ? color : "random",
    rating: null,
    start,
    bots: valueOf(event, "bot") === "true",
  };
  return { id, challenger, terms, expiresAt };
}

/** A 20304. `event` is the id of the word that it refuses. */
export interface ArbiterError {
  readonly event: string;
  readonly game: GameId | null;
  readonly refusal: Refusal;
  readonly strikes: { readonly count: number; readonly of: number } | null;
}

export function parseError(event: NostrEvent, arbiter: Pubkey): ArbiterError | null {
  if (event.kind !== ERROR || event.pubkey !== arbiter) return null;
  const refused = valueOf(event, "e");
  const refusal = refusalOf(event.content);
  if (!isHex(refused, 64) || refusal === null) return null;
  const game = valueOf(event, "d");
  const [, so, of] = /\(([0-9]{1,3}) of ([0-9]{1,3})\)\s*$/.exec(event.content) ?? [];
  const strikes = so === undefined ? null : { count: Number(so), of: Number(of) };
  return { event: refused, game: isHex(game, 32) ? game : null, refusal, strikes };
}

function refusalOf(content: string): Refusal | null {
  const [, reason, text] = /^([a-z-]{1,40})(?::([\s\S]*))?$/.exec(content) ?? [];
  return reason === undefined ? null : { reason, text: clean(text ?? "", MAX_TEXT_CHARS) };
}

/** The kind 64 note of a finished game, and which. */
export function parseNote(event: NostrEvent, arbiter: Pubkey): (GameNote & { game: GameId }) | null {
  const game = valueOf(event, "d");
  if (event.kind !== NOTE || event.pubkey !== arbiter || !isHex(game, 32)) return null;
  const ratings = { white: changeOf(event, "w"), black: changeOf(event, "b") };
  return { game, eventId: event.id, pgn: cleanLines(event.content, MAX_PGN_CHARS), ratings };
}

function changeOf(event: NostrEvent, color: "w" | "b"): { before: number; after: number } | null {
  const tag = event.tags.find(([name, whose]) => name === "rating" && whose === color);
  const [before, after] = [count(tag?.[2]), count(tag?.[3])];
  return before === null || after === null ? null : { before, after };
}

/** A kind 30300, and whose rating it is. */
export function parseRating(
  event: NostrEvent, arbiter: Pubkey,
): { readonly player: Pubkey; readonly rating: Rating; readonly at: number } | null {
  if (event.kind !== RATING || event.pubkey !== arbiter) return null;
  const [speed, player] = valueOf(event, "d")?.split(":") ?? [];
  const tag = event.tags.find(([name]) => name === "rating");
  const [value, deviation] = [count(tag?.[1]), count(tag?.[2])];
  const games = count(valueOf(event, "games"));
  if (!isHex(player, 64) || speed === undefined || !/^[a-z]{1,16}$/.test(speed)) return null;
  if (value === null || deviation === null || games === null) return null;
  const provisional = event.tags.some(([name]) => name === "provisional");
  return { player, at: event.created_at, rating: { speed, value, deviation, games, provisional } };
}

function colorOf(letter: "w" | "b"): Color {
  return letter === "w" ? "white" : "black";
}

export function count(text: string | undefined): number | null {
  if (text === undefined || !/^[0-9]{1,15}$/.test(text)) return null;
  return Number(text);
}
