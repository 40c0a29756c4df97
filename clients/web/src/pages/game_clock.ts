/** The clocks as shown. Time is the arbiter's: its `clock` and `deadline`, and the measured offset. */

import type { Color, GameState } from "../arbiter/model.ts";
import { turnOf } from "../shared/fen.ts";
import { deadlineText } from "../shared/deadline.ts";
import { t } from "../texts/index.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The time of a side, in milliseconds. */
export interface ClockReading {
  readonly left: number;
  readonly isRunning: boolean;
  /** The time for which it rests before it runs: the deadline allows so much for the way. */
  readonly restsMs: number;
  /** Until the game is aborted for want of this side's first move; `null` later. */
  readonly firstMoveLeft: number | null;
}

/** One side's clock at `nowMs` by the arbiter's clock; `null` without clocks.
 *
 * A pending move stops nothing: until the arbiter has it, its author's time is charged. The second
 * that the deadline allows for the way is not shown, so a clock may rest for a second. */
export function readClock(state: GameState, color: Color, nowMs: number): ClockReading | null {
  if (!state.clock) return null;
  const rest = state.clock[color];
  const isToMove = turnOf(state.fen) === color;
  if (state.result !== null) {
    return { left: isToMove && state.termination === "timeout" ? 0 : rest, isRunning: false, restsMs: 0, firstMoveLeft: null };
  }
  if (!isToMove || state.deadline === null) return { left: rest, isRunning: false, restsMs: 0, firstMoveLeft: null };
  const untilDeadline = Math.max(0, state.deadline - nowMs);
  if (state.time?.kind === "live" && state.ply < 2) {
    return { left: rest, isRunning: false, restsMs: 0, firstMoveLeft: untilDeadline };
  }
  return { left: Math.min(rest, untilDeadline), isRunning: true, restsMs: Math.max(0, untilDeadline - rest), firstMoveLeft: null };
}

/** `3:05`, `1:02:03`, `0:07.4`, `2 days 3:04`. Rounded down, as a clock on the table shows it. */
export function clockText(left: number, tenths: "never" | "low" | "always"): string {
  const seconds = Math.floor(left / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, two(seconds % 60)];
  const fraction = showsTenths(left, tenths) ? `.${Math.floor(left / 100) % 10}` : "";
  if (left >= DAY_MS) {
    const days = Math.floor(left / DAY_MS);
    return t(days === 1 ? "clock.day" : "clock.days", { days, rest: `${Math.floor(left / HOUR_MS) % 24}:${two(minutes)}` });
  }
  if (left >= HOUR_MS) return `${Math.floor(left / HOUR_MS)}:${two(minutes)}:${rest}`;
  return `${minutes}:${rest}${fraction}`;
}

/** When the side to move is due, where that is no matter of minutes; empty otherwise. Times are the arbiter's. */
export function dueText({ deadline, result, time }: GameState, nowMs: number, offsetMs: number): string {
  if (deadline === null || result !== null) return "";
  if (time?.kind !== "days") return clockText(Math.max(0, deadline - nowMs), "never");
  return deadlineText(deadline - offsetMs, nowMs - offsetMs);
}

/** Until when a player is on vacation; `null` for one who is not. Times are the arbiter's. */
export function vacationText({ vacation, result }: GameState, color: Color, nowMs: number, offsetMs: number): string | null {
  const untilMs = (vacation[color] ?? 0) * 1000;
  return result !== null || untilMs <= nowMs ? null : t("game.vacation", { until: deadlineText(untilMs - offsetMs, nowMs - offsetMs) });
}

/** Milliseconds until the text changes. */
export function untilNextText(left: number, tenths: "never" | "low" | "always"): number {
  const step = showsTenths(left, tenths) ? 100 : 1000;
  return (left % step) + 1;
}

/** Below this the clock is marked and a sound is made: an eighth of the base, 10 to 60 seconds. */
export function lowTime(state: GameState): number {
  if (state.time?.kind !== "live") return HOUR_MS;
  return Math.min(60_000, Math.max(10_000, state.time.base * 125));
}

function showsTenths(left: number, tenths: "never" | "low" | "always"): boolean {
  return tenths === "always" ? left < HOUR_MS : tenths === "low" && left < 10_000;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
