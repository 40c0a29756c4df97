/** The player's preferences for this page, kept in this browser's localStorage and nowhere else. */

import type { Terms, TimeControl } from "./arbiter/model.ts";
import { LANGUAGES, type Language } from "./texts/index.ts";

/** The part of an open request that the lobby's own form remembers. */
export type CustomTerms = Pick<Terms, "rated" | "variant" | "color" | "rating" | "start"> & {
  readonly time: TimeControl;
};

export interface Preferences {
  readonly language: "system" | Language;
  readonly theme: "system" | "light" | "dark";
  readonly motion: "system" | "reduced" | "full";
  readonly board: "brown" | "green" | "blue" | "grey";
  readonly pieces: "cburnett" | "plain";
  readonly sounds: boolean;
  readonly vibration: boolean;
  /** Whether to tell the player of their turns while the page is open and not seen. */
  readonly turns: "ask" | "on" | "off";
  /** The promotions that become a queen without asking. */
  readonly autoQueen: "never" | "premove" | "always";
  /** The moves that wait for a second tap. */
  readonly confirmMoves: "never" | "correspondence" | "always";
  readonly confirmResign: boolean;
  /** Marks where the piece in hand may go. */
  readonly destinations: boolean;
  readonly coordinates: "inside" | "outside" | "off";
  /** Tenths of a second on the clocks; `low` is under ten seconds. */
  readonly tenths: "never" | "low" | "always";
  readonly chat: { readonly players: boolean; readonly spectators: boolean };
  /** Board and clocks alone. */
  readonly zen: boolean;
  /** Programs are opponents too. */
  readonly bots: boolean;
  /** Of the program that was played last. */
  readonly level: number;
  readonly custom: CustomTerms;
}

export const DEFAULTS: Preferences = {
  language: "system",
  theme: "system",
  motion: "system",
  board: "brown",
  pieces: "cburnett",
  sounds: true,
  vibration: true,
  turns: "ask",
  autoQueen: "premove",
  confirmMoves: "correspondence",
  confirmResign: true,
  destinations: true,
  coordinates: "inside",
  tenths: "low",
  chat: { players: true, spectators: true },
  zen: false,
  bots: true,
  level: 1,
  custom: {
    time: { kind: "live", base: 300, increment: 3 }, rated: false, variant: "standard", color: "random", rating: null,
    start: null,
  },
};

export const CHOICES: { readonly [K in keyof Preferences]?: readonly Preferences[K][] } = {
  language: ["system", ...(Object.keys(LANGUAGES) as Language[])],
  theme: ["system", "light", "dark"],
  motion: ["system", "reduced", "full"],
  board: ["brown", "green", "blue", "grey"],
  pieces: ["cburnett", "plain"],
  turns: ["ask", "on", "off"],
  autoQueen: ["never", "premove", "always"],
  confirmMoves: ["never", "correspondence", "always"],
  coordinates: ["inside", "outside", "off"],
  tenths: ["never", "low", "always"],
};

const KEY = "arbiter.preferences";

/** The preferences in a stored text. What is missing or cannot be read has its default. */
export function preferencesIn(text: string | null): Preferences {
  const stored = object(parsed(text));
  const read: Record<string, unknown> = {};
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = stored[name];
    const choices = CHOICES[name as keyof Preferences] as readonly unknown[] | undefined;
    const isKnown = choices ? choices.includes(value) : typeof value === typeof usual;
    read[name] = isKnown && typeof usual !== "object" ? value : usual;
  }
  const chat = object(stored["chat"]);
  const shown = (room: unknown): boolean => room !== false;
  return {
    ...(read as unknown as Preferences),
    chat: { players: shown(chat["players"]), spectators: shown(chat["spectators"]) },
    custom: customIn(stored["custom"]),
  };
}

let current = preferencesIn(storage()?.getItem(KEY) ?? null);
const watching = new Set<() => void>();

export function preferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    storage()?.setItem(KEY, JSON.stringify(current));
  } catch {
    // A full or forbidden store: the choice holds until the page is closed.
  }
  for (const changed of watching) changed();
}

/** Calls back after each change, also one made in another tab; returns the end of it. */
export function onPreferences(changed: () => void): () => void {
  watching.add(changed);
  return () => watching.delete(changed);
}

/** Whether nothing should move without need. */
export function isStill(): boolean {
  if (current.motion !== "system") return current.motion === "reduced";
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

globalThis.addEventListener?.("storage", (event) => {
  if ((event as StorageEvent).key !== KEY) return;
  current = preferencesIn((event as StorageEvent).newValue);
  for (const changed of watching) changed();
});

/** Reading the property throws where the browser forbids storage. Node's has no use here. */
function storage(): Storage | null {
  try {
    return "document" in globalThis ? globalThis.localStorage : null;
  } catch {
    return null;
  }
}

function customIn(value: unknown): CustomTerms {
  const { time, rated, variant, color } = object(value);
  const usual = DEFAULTS.custom;
  return {
    time: time === null ? null : (timeIn(object(time)) ?? usual.time),
    rated: rated === true,
    variant: variant === "chess960" ? variant : usual.variant,
    color: color === "white" || color === "black" ? color : usual.color,
    // Not of another day: players would wait long, or play from it without noticing.
    rating: null,
    start: null,
  };
}

function timeIn(time: Readonly<Record<string, unknown>>): TimeControl {
  const { kind, base, increment, days } = time;
  if (kind === "days" && isWithin(days, 1, 14)) return { kind, days };
  if (kind !== "live" || !isWithin(base, 0, 10_800) || !isWithin(increment, 0, 180)) return null;
  return base || increment ? { kind, base, increment } : null;
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
