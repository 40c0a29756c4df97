/** The arbiter's clock, as its events tell it. */

import { observe, offsetOf, type OffsetBounds } from "../net/offset.ts";
import { turnOf } from "../shared/fen.ts";
import type { GameState } from "./model.ts";

/** "A move is charged by when the arbiter received it, less one second for the way." */
const LAG_MS = 1_000;

export class ArbiterClock {
  readonly #nowMs: () => number;
  #bounds: OffsetBounds;

  constructor(bounds: OffsetBounds, nowMs: () => number) {
    this.#bounds = bounds;
    this.#nowMs = nowMs;
  }

  /** The arbiter's clock minus this machine's. */
  get offsetMs(): number {
    return offsetOf(this.#bounds);
  }

  /** The date of an event that is signed now, in seconds. */
  seconds(): number {
    return Math.floor((this.#nowMs() + this.offsetMs) / 1000);
  }

  /** An event of the arbiter's has come; `askedMs` is when that was sent which it answers. */
  heard(createdAt: number, askedMs: number | null): void {
    this.#observe(createdAt * 1000, createdAt * 1000 + 1000, askedMs);
  }

  /** The same to the millisecond, where the deadline says when the present move began. */
  heardState(state: GameState, askedMs: number | null): void {
    this.heard(state.createdAt, askedMs);
    // First moves have a limit of their own.
    if (state.time?.kind !== "live" || !state.clock || !state.deadline || state.ply < 2) return;
    const beganMs = state.deadline - state.clock[turnOf(state.fen)] - LAG_MS;
    // In another second: it answers a question, or the clock was started before the decision.
    if (Math.floor(beganMs / 1000) === state.createdAt) this.#observe(beganMs, beganMs + 10, askedMs);
  }

  #observe(fromMs: number, toMs: number, askedMs: number | null): void {
    this.#bounds = observe(this.#bounds, { fromMs, toMs }, askedMs, this.#nowMs());
  }
}
