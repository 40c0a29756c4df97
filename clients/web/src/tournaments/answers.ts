/** The arbiter's events about tournaments, read into values. What is not as docs/nip/events.md says gives `null`. */

import { count } from "../arbiter/answers.ts";
import { clean, cleanLines } from "../arbiter/clean.ts";
import { RESPONSE } from "../arbiter/events.ts";
import type { Pubkey } from "../arbiter/model.ts";
import { isHex, valueOf, valuesOf, type NostrEvent } from "../net/event.ts";
import { timeIn } from "../terms.ts";
import {
  ENTRIES, FORMATS, type Answer, type EntryState, type RoundPage, type Standing, type Standings, type Tournament, type TournamentBoard,
} from "./model.ts";

export const TOURNAMENT = 30327;
export const ROUND = 30328;
export const STANDINGS = 30329;

/** The address of a follow set (NIP-51). */
export const FOLLOW_SET = /^30000:[0-9a-f]{64}:[!-~]{0,64}$/;

const MAX_TITLE = 80;
const MAX_DESCRIPTION = 1_000;
const MAX_NAME = 32;
const MAX_BOARDS = 32;
const MAX_ROWS = 100;
const STATUSES = ["open", "playing", "finished", "cancelled"] as const;
const PHASES = ["pairing", "planned", "starting", "playing", "waiting"] as const;
const ROUND_STATUSES = ["planned", "playing", "done"] as const;
const STATES = ["in", "asked", "paused", "left", "removed"] as const;
const RESULTS = ["1-0", "0-1", "1/2-1/2", "+/-", "-/+", "-/-", "*"];
const WORDS = ["created", "joined", "left", "noted", "bye", "wait", "started", "error"] as const;

export function addressOf(arbiter: Pubkey, tournament: string): string {
  return `${TOURNAMENT}:${arbiter}:${tournament}`;
}

export function parseTournament(event: NostrEvent, arbiter: Pubkey): Tournament | null {
  if (event.kind !== TOURNAMENT || event.pubkey !== arbiter) return null;
  const id = valueOf(event, "d");
  const format = one(FORMATS, valueOf(event, "format"));
  const status = one(STATUSES, valueOf(event, "status"));
  const time = timeIn(valueOf(event, "time") ?? "");
  const version = count(valueOf(event, "version"));
  const people = event.tags.filter(([name, key]) => name === "p" && isHex(key, 64));
  const organiser = people.find(([, , , role]) => role === "organiser")?.[1];
  if (!isHex(id, 32) || !format || !status || time?.kind !== "live" || version === null || !organiser) return null;
  const number = (name: string, usual: number): number => count(valueOf(event, name)) ?? usual;
  const [, entry, entryKey = ""] = event.tags.find(([name]) => name === "entry") ?? [];
  return {
    id, format, status, time, version, organiser,
    eventId: event.id,
    deputies: people.filter(([, , , role]) => role === "deputy").map(([, key]) => key!),
    title: clean(valueOf(event, "title") ?? "", MAX_TITLE),
    description: cleanLines(event.content, MAX_DESCRIPTION).trim(),
    starts: number("starts", 0),
    rounds: number("rounds", 0),
    cycles: number("cycles", 1),
    minutes: number("minutes", 0),
    interval: valueOf(event, "interval") === "manual" ? null : number("interval", 30),
    noShow: number("noshow", 60),
    rated: valueOf(event, "mode") === "rated",
    limit: number("limit", 500),
    entry: one(ENTRIES, entry) ?? "open",
    entryKey: clean(entryKey, 200),
    allowed: (event.tags.find(([name]) => name === "allowed")?.slice(1) ?? []).filter((key) => isHex(key, 64) || FOLLOW_SET.test(key)),
    late: number("late", 1),
    draws: number("draws", 0),
    lateGames: valueOf(event, "lategames") === "count",
    bots: valueOf(event, "bots") === "welcome",
    tieBreaks: tieBreaksOf(event),
    phase: status === "playing" ? (one(PHASES, valueOf(event, "phase")) ?? "") : "",
    round: number("round", 0),
    next: count(valueOf(event, "next")),
    players: number("players", 0),
    trouble: clean(valueOf(event, "trouble") ?? "", 300),
  };
}

export function parseRound(event: NostrEvent, arbiter: Pubkey): RoundPage | null {
  if (event.kind !== ROUND || event.pubkey !== arbiter) return null;
  const [tournament, round, page] = valueOf(event, "d")?.split(":") ?? [];
  const status = one(ROUND_STATUSES, valueOf(event, "status"));
  const version = count(valueOf(event, "version"));
  const [number, of] = [count(round), count(page)];
  if (!isHex(tournament, 32) || !status || version === null || number === null || of === null) return null;
  return {
    tournament, status, version, round: number, page: of, eventId: event.id,
    boards: event.tags.flatMap((tag) => (tag[0] === "b" ? (boardOf(tag) ?? []) : [])).slice(0, MAX_BOARDS),
    byes: event.tags.flatMap(([name, player, letter]) => {
      const kind = one(["U", "H", "Z"] as const, letter);
      return name === "bye" && isHex(player, 64) && kind ? [{ player, kind }] : [];
    }),
    engine: clean(valueOf(event, "engine") ?? "", 60),
  };
}

function boardOf([, board, white, black, game, result, corrected]: readonly string[]): TournamentBoard | null {
  const number = count(board);
  if (number === null || !isHex(white, 64) || !isHex(black, 64)) return null;
  return {
    number, white, black, game: isHex(game, 32) ? game : null,
    result: result && RESULTS.includes(result) ? result : null, isCorrected: corrected === "corrected",
  };
}

export function parseStandings(event: NostrEvent, arbiter: Pubkey): Standings | null {
  if (event.kind !== STANDINGS || event.pubkey !== arbiter) return null;
  const tournament = valueOf(event, "d");
  const version = count(valueOf(event, "version"));
  if (!isHex(tournament, 32) || version === null) return null;
  const rows = event.tags.flatMap((tag) => (tag[0] === "s" ? (standingOf(tag) ?? []) : [])).slice(0, MAX_ROWS);
  return { tournament, version, rows, tieBreaks: tieBreaksOf(event), isFinal: event.tags.some(([name]) => name === "final") };
}

function standingOf([, place, player, points, state, name, ...tieBreaks]: readonly string[]): Standing | null {
  const rank = count(place);
  const known: EntryState | null = one(STATES, state);
  if (rank === null || !isHex(player, 64) || !known || !isNumber(points)) return null;
  return { rank, player, points, state: known, name: clean(name ?? "", MAX_NAME), tieBreaks: tieBreaks.map((one) => clean(one, 8)) };
}

export function parseAnswer(event: NostrEvent, arbiter: Pubkey, me: Pubkey): Answer | null {
  if (event.kind !== RESPONSE || event.pubkey !== arbiter || valueOf(event, "p") !== me) return null;
  const [kind, author, id] = valueOf(event, "a")?.split(":") ?? [];
  const tournament = kind === String(TOURNAMENT) && author === arbiter && isHex(id, 32) ? id : null;
  const [said, value] = event.content.split(":");
  const word = one(WORDS, said);
  const command = valuesOf(event, "e").find((id) => isHex(id, 64)) ?? null;
  if (!word || (tournament === null && command === null)) return null;
  const [, reason = "", text = ""] = /^error:([a-z-]{1,40})(?::([\s\S]*))?$/.exec(event.content.slice(0, 1_000)) ?? [];
  if (word === "error" && !reason) return null;
  return { tournament, command, word, value: count(value), isUnheard: event.content === "noted:unheard", refusal: word === "error" ? { reason, text: clean(text, 300) } : null };
}

function tieBreaksOf(event: NostrEvent): readonly string[] {
  const names = event.tags.find(([name]) => name === "tiebreaks")?.slice(1) ?? [];
  return names.filter((name) => /^[A-Z0-9/+-]{1,10}$/.test(name)).slice(0, 8);
}

function one<T extends string>(known: readonly T[], text: string | undefined): T | null {
  return known.find((each) => each === text) ?? null;
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,5}(\.[0-9]{1,2})?$/.test(text);
}
