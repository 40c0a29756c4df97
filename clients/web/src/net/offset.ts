/**
 * The time by which the arbiter's clock is ahead of this machine's, in bounds.
 *
 * An event cannot arrive before it was made, nor answer a question before it was asked. Each date of
 * the arbiter's so gives a lower bound, and each answer an upper one: the smaller the round trip, the
 * closer they are. Together they are closer than the whole seconds in which events are dated.
 */

export interface OffsetBounds {
  /** Milliseconds; -Infinity while unknown. */
  readonly low: number;
  readonly high: number;
  /** The time of their last update, by this machine's clock. */
  readonly atMs: number;
}

export const UNKNOWN: OffsetBounds = { low: -Infinity, high: Infinity, atMs: 0 };

/** Two clocks drift apart by less than this. */
const DRIFT = 1e-4;
/** Bounds wider than this say only that a clock is wrong. */
const CLOSE_MS = 5_000;

/**
 * The bounds after a date of the arbiter's, which lies in `[fromMs, toMs)`, arrived at `heardMs`; it
 * answers what was sent at `askedMs`, or `null`.
 */
export function observe(
  bounds: OffsetBounds,
  date: { readonly fromMs: number; readonly toMs: number },
  askedMs: number | null,
  heardMs: number,
): OffsetBounds {
  const widened = DRIFT * Math.max(0, heardMs - bounds.atMs);
  const low = date.fromMs - heardMs;
  const high = askedMs === null ? Infinity : date.toMs - askedMs;
  const both = { low: Math.max(bounds.low - widened, low), high: Math.min(bounds.high + widened, high), atMs: heardMs };
  // They contradict each other when a clock was set, or this machine slept: the last one counts.
  return both.low <= both.high ? both : { low, high, atMs: heardMs };
}

/** The arbiter's clock minus this machine's: 0 unless the bounds say otherwise. */
export function offsetOf(bounds: OffsetBounds): number {
  if (bounds.high - bounds.low <= CLOSE_MS) return Math.round((bounds.low + bounds.high) / 2);
  return Math.round(Math.min(Math.max(0, bounds.low), bounds.high));
}
