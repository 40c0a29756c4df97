/** Tournaments as values; docs/nip/events.md, where one is called an event, has the meaning of each field on the wire. */

import type { GameId, Pubkey, Refusal, TimeControl } from "../arbiter/model.ts";

export const FORMATS = ["round-robin", "swiss", "arena", "knockout"] as const;
export const ENTRIES = ["open", "list", "secret", "rsvp"] as const;
export type Format = (typeof FORMATS)[number];
export type EntryRule = (typeof ENTRIES)[number];

/** What the organiser decides. */
export interface TournamentTerms {
  readonly title: string;
  readonly description: string;
  readonly format: Format;
  readonly time: Extract<TimeControl, { kind: "live" }>;
  /** Unix seconds. */
  readonly starts: number;
  /** Of a Swiss. */
  readonly rounds: number;
  readonly cycles: number;
  /** Of an arena. */
  readonly minutes: number;
  /** Seconds between rounds; `null`: the organiser begins each. */
  readonly interval: number | null;
  readonly noShow: number;
  readonly rated: boolean;
  readonly limit: number;
  readonly entry: EntryRule;
  /** The address of a follow set, or the key that proofs of entry are by. */
  readonly entryKey: string;
  readonly allowed: readonly Pubkey[];
  readonly late: number;
  readonly draws: number;
  readonly lateGames: boolean;
  readonly bots: boolean;
  readonly tieBreaks: readonly string[];
}

/** A kind 30327. */
export interface Tournament extends TournamentTerms {
  readonly id: string;
  readonly eventId: string;
  readonly organiser: Pubkey;
  readonly deputies: readonly Pubkey[];
  readonly status: "open" | "playing" | "finished" | "cancelled";
  /** `""` unless it is being played. */
  readonly phase: "" | "pairing" | "planned" | "starting" | "playing" | "waiting";
  /** The present one, 0 before the first. */
  readonly round: number;
  /** Unix seconds at which what is next comes by itself. */
  readonly next: number | null;
  readonly players: number;
  readonly trouble: string;
  readonly version: number;
}

export interface TournamentBoard {
  /** From 1. */
  readonly number: number;
  readonly white: Pubkey;
  readonly black: Pubkey;
  readonly game: GameId | null;
  readonly result: string | null;
  readonly isCorrected: boolean;
}

/** A kind 30328. */
export interface RoundPage {
  readonly tournament: string;
  readonly eventId: string;
  readonly round: number;
  readonly page: number;
  readonly status: "planned" | "playing" | "done";
  readonly boards: readonly TournamentBoard[];
  readonly byes: readonly { readonly player: Pubkey; readonly kind: "U" | "H" | "Z" }[];
  readonly engine: string;
  readonly version: number;
}

export type EntryState = "in" | "asked" | "paused" | "left" | "removed";

export interface Standing {
  readonly rank: number;
  readonly player: Pubkey;
  readonly points: string;
  readonly state: EntryState;
  readonly name: string;
  readonly tieBreaks: readonly string[];
}

/** A kind 30329. */
export interface Standings {
  readonly tournament: string;
  readonly rows: readonly Standing[];
  readonly tieBreaks: readonly string[];
  readonly isFinal: boolean;
  readonly version: number;
}

/** A 20301 that answers a command of mine, or tells of my part in a tournament. */
export interface Answer {
  readonly tournament: string | null;
  /** The id of the command. */
  readonly command: string | null;
  readonly word: "created" | "joined" | "left" | "noted" | "bye" | "wait" | "started" | "error";
  /** The round of a bye, the unix seconds of a wait. */
  readonly value: number | null;
  readonly refusal: Refusal | null;
  /** The arbiter never heard from the player whom I added. */
  readonly isUnheard: boolean;
}
