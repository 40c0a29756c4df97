/** Terms of a game as players write them, and as a link carries them. */

import type { Terms, TimeControl } from "./arbiter/model.ts";
import type { CustomTerms } from "./preferences.ts";

export const SPEEDS = ["bullet", "blitz", "rapid", "classical", "correspondence"] as const;
export type Speed = (typeof SPEEDS)[number];

/** The time of the lobby's large button. */
export const MAIN = live(300, 3);

/** The other times that the lobby offers with one click. */
export const QUICK: readonly TimeControl[] = [
  live(60, 0), live(180, 2), live(600, 0), live(900, 10), { kind: "days", days: 1 }, { kind: "days", days: 3 }, null,
];

export const PLAIN: Terms = {
  time: null, rated: false, variant: "standard", color: "random", rating: null, start: null, bots: true,
};

export function live(base: number, increment: number): TimeControl {
  return { kind: "live", base, increment };
}

/** `3+2`, `½+0`, `3d`; `∞` is unlimited. */
export function shortTime(time: TimeControl): string {
  if (time === null) return "∞";
  if (time.kind === "days") return `${time.days}d`;
  return `${minutes(time.base)}+${time.increment}`;
}

function minutes(seconds: number): string {
  const quarters: Record<number, string> = { 15: "¼", 30: "½", 45: "¾", 90: "1½" };
  return quarters[seconds] ?? String(Math.round(seconds / 6) / 10);
}

/** As the `time` tag has it, `180+2` or `3d`. */
export function timeTag(time: NonNullable<TimeControl>): string {
  return time.kind === "days" ? `${time.days}d` : `${time.base}+${time.increment}`;
}

/** The inverse of `timeTag`, within the arbiter's limits; `undefined` for any other text. */
export function timeIn(tag: string): TimeControl | undefined {
  const days = /^(\d{1,2})d$/.exec(tag);
  if (days) return within(Number(days[1]), 1, 14) ? { kind: "days", days: Number(days[1]) } : undefined;
  const [, base, increment] = /^(\d{1,5})\+(\d{1,3})$/.exec(tag)?.map(Number) ?? [];
  if (base === undefined || increment === undefined) return undefined;
  const isTime = within(base, 0, 10_800) && within(increment, 0, 180) && base + increment > 0;
  return isTime ? live(base, increment) : undefined;
}

/** The class in which such a game is rated; `null` without a time control. */
export function speedOf(time: TimeControl): Speed | null {
  if (time === null) return null;
  if (time.kind === "days") return "correspondence";
  const seconds = time.base + 40 * time.increment;
  if (seconds < 180) return "bullet";
  if (seconds < 480) return "blitz";
  return seconds < 1500 ? "rapid" : "classical";
}

/** Whether the arbiter rates such games: with a time control, and standard chess. */
export function canBeRated(terms: Pick<Terms, "time" | "variant" | "start">): boolean {
  return terms.time !== null && terms.variant === "standard" && terms.start === null;
}

/** The terms of the lobby's form; rated only where the arbiter rates. */
export function termsOf({ time, rated, variant, color, start }: CustomTerms): Terms {
  const mayBeRated = rated && canBeRated({ time, variant, start });
  return { ...PLAIN, time, variant, color, start, rated: mayBeRated };
}

/** The same for the pool: no position; and "in a rated game only in a challenge by name" a colour. */
export function poolTerms(custom: CustomTerms): Terms {
  const terms = termsOf({ ...custom, start: null });
  return { ...terms, rating: custom.rating, color: terms.rated ? "random" : terms.color };
}

/** The same for a program: "They play casual games alone", and none that takes days or begins elsewhere. */
export function houseTerms(terms: Terms): Terms {
  return { ...terms, rated: false, rating: null, start: null, time: terms.time?.kind === "days" ? null : terms.time };
}

/** The query of a challenge link. The arbiter knows the true terms, and decides by them. */
export function queryOf(terms: Terms, challenger: string | null): URLSearchParams {
  const query = new URLSearchParams();
  if (terms.time) query.set("time", timeTag(terms.time));
  if (terms.rated) query.set("mode", "rated");
  if (terms.variant !== "standard") query.set("variant", terms.variant);
  if (terms.color !== "random") query.set("color", terms.color);
  if (terms.start) query.set("start", terms.start);
  if (challenger) query.set("by", challenger);
  return query;
}

/** The inverse; what cannot be read is as usual. */
export function termsIn(query: URLSearchParams): Terms {
  const color = query.get("color");
  const start = query.get("start");
  return {
    ...PLAIN,
    time: timeIn(query.get("time") ?? "") ?? null,
    rated: query.get("mode") === "rated",
    variant: query.get("variant") === "chess960" ? "chess960" : "standard",
    color: color === "white" || color === "black" ? color : "random",
    start: start && isFen(start) ? start : null,
  };
}

/** Whether this is shaped like a FEN, enough to be drawn. */
export function isFen(text: string): boolean {
  return /^([1-8pnbrqk]{1,8}\/){7}[1-8pnbrqk]{1,8} [wb] (-|[A-HK-Qa-hk-q]{1,4}) (-|[a-h][36])( \d{1,4} \d{1,4})?$/i.test(
    text,
  );
}

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
