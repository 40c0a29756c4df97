/**
 * The lists of the arbiter's HTTP API: lobby, games, players, leaderboards. docs/http.md has the
 * shapes. Readers take any JSON: what has another shape is left out, so a page never breaks on it.
 */

import { timeIn, type Speed } from "./terms.ts";
import type { Color, GameId, Pubkey, TimeControl } from "./arbiter/model.ts";

/** A player in a list; `null` for one at a hot seat, who has no key. */
export type Listed = { readonly pubkey: Pubkey; readonly npub: string | null } | null;

export interface ListedGame {
  readonly id: GameId;
  readonly isLive: boolean;
  readonly result: string;
  readonly winner: Color | null;
  readonly white: Listed;
  readonly black: Listed;
  readonly rated: boolean;
  readonly variant: "standard" | "chess960";
  readonly time: TimeControl;
  readonly fen: string;
  readonly lastMove: string | null;
  readonly ply: number;
  readonly beganMs: number;
  readonly endedMs: number | null;
}

export interface Pool {
  readonly time: TimeControl;
  readonly rated: boolean;
  readonly variant: "standard" | "chess960";
  /** Longest waiting first. */
  readonly waiting: readonly { readonly sinceMs: number; readonly rating: number | null; readonly bot: boolean }[];
}

export interface OpenChallenge {
  readonly id: string;
  readonly challenger: Listed;
  readonly time: TimeControl;
  readonly rated: boolean;
  readonly variant: "standard" | "chess960";
  readonly color: Color | "random";
  readonly start: string | null;
}

export interface Lobby {
  readonly pools: readonly Pool[];
  readonly challenges: readonly OpenChallenge[];
}

export interface Standing {
  readonly rating: number;
  readonly deviation: number;
  readonly provisional: boolean;
  readonly games: number;
}

export interface PlayerCard {
  readonly ratings: Readonly<Partial<Record<Speed, Standing>>>;
  readonly games: readonly ListedGame[];
}

export interface Rank extends Standing {
  readonly player: Listed;
}

export function lobbyIn(json: unknown): Lobby {
  const { pools, challenges } = record(json);
  return {
    pools: list(pools, (it) => {
      const waiting = list(it["waiting"], (one) => ({
        sinceMs: number(one["since_ms"]) ?? 0,
        rating: number(one["rating"]),
        bot: one["bot"] === true,
      }));
      return waiting.length ? { ...terms(it), waiting } : null;
    }),
    challenges: list(challenges, (it) => {
      const id = hex(it["id"], 32);
      const color = it["color"];
      return id === null
        ? null
        : {
            ...terms(it),
            id,
            challenger: player(it["challenger"]),
            color: color === "white" || color === "black" ? color : ("random" as const),
            start: text(it["start_fen"]),
          };
    }),
  };
}

export function gamesIn(json: unknown): readonly ListedGame[] {
  return list(record(json)["games"], game);
}

/** The address of the next page of games; `null` after the last. */
export function nextIn(json: unknown): string | null {
  return text(record(json)["next"]);
}

export function playerIn(json: unknown): PlayerCard {
  const { ratings, recent_games: recent } = record(json);
  const known = Object.entries(record(ratings)).map(([speed, one]) => [speed, standing(record(one))]);
  return { ratings: Object.fromEntries(known), games: list(recent, game) };
}

export function ranksIn(json: unknown): readonly Rank[] {
  return list(record(json)["players"], (it) => ({ ...standing(it), player: player(it["player"]) }));
}

/** More are not counted. */
export const MAX_COUNTED = 100;

/** The number of spectators of a game; 0 if it is not known. */
export function spectatorsIn(json: unknown): number {
  const count = number(record(json)["spectators"]) ?? 0;
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_COUNTED) : 0;
}

function game(it: Fields): ListedGame | null {
  const id = hex(it["id"], 32);
  const fen = text(it["fen"]);
  if (id === null || fen === null) return null;
  const winner = it["winner"];
  return {
    ...terms(it),
    id,
    fen,
    isLive: it["state"] === "live",
    result: text(it["result"]) ?? "*",
    winner: winner === "white" || winner === "black" ? winner : null,
    white: player(it["white"]),
    black: player(it["black"]),
    lastMove: text(it["last_move"]),
    ply: number(it["ply"]) ?? 0,
    beganMs: number(it["created_at_ms"]) ?? 0,
    endedMs: number(it["ended_at_ms"]),
  };
}

function terms(it: Fields): { time: TimeControl; rated: boolean; variant: "standard" | "chess960" } {
  return {
    time: timeIn(text(it["time_control"]) ?? "") ?? null,
    rated: it["rated"] === true,
    variant: it["variant"] === "chess960" ? "chess960" : "standard",
  };
}

function standing(it: Fields): Standing {
  return {
    rating: number(it["rating"]) ?? 1500, deviation: number(it["deviation"]) ?? 350,
    provisional: it["provisional"] === true, games: number(it["games"]) ?? 0,
  };
}

function player(value: unknown): Listed {
  const it = record(value);
  const pubkey = hex(it["pubkey"], 64);
  return pubkey === null ? null : { pubkey, npub: text(it["npub"]) };
}

export type Fields = Readonly<Record<string, unknown>>;

export function record(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function list<T>(value: unknown, read: (it: Fields) => T | null): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.map((it) => read(record(it))).filter((it) => it !== null);
}

export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function hex(value: unknown, digits: number): string | null {
  const found = text(value);
  return found !== null && found.length === digits && /^[0-9a-f]+$/.test(found) ? found : null;
}
