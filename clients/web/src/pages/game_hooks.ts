/** A game page's memory between two states. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Color, GameState, GameView } from "../arbiter/model.ts";
import { lineOf, type Line } from "../board/position.ts";
import { whenIdle } from "../shared/hooks.ts";
import { claimableAtMs, drawOfferedAt, FLAG_AFTER_MS, turnedDown } from "./game_rules.ts";

/** The moves of the game, each worked out once, after the board is drawn: many take a while. */
export function useLine(state: GameState): Line | null {
  const before = useRef<Line | null>(null);
  const [isBoardDrawn, setBoardDrawn] = useState(false);
  useEffect(() => void whenIdle(() => setBoardDrawn(true)), []);
  return useMemo(() => {
    if (isBoardDrawn) before.current = lineOf(state, before.current);
    return before.current;
  }, [state.start, state.moves, isBoardDrawn]);
}

/** The ply of my last offer of a draw that this page has seen. */
export function useLastDraw(view: GameView | null): number | null {
  const last = useRef<number | null>(null);
  if (view) last.current = drawOfferedAt(view, last.current);
  return last.current;
}

/** The words for an offer that was turned down, until the game goes on. */
export function useTurnedDown({ me, pendingWords }: GameView, state: GameState): string | null {
  const last = useRef({ state, mine: [] as string[], text: null as string | null });
  const { state: before, mine, text } = last.current;
  const isSame = state.ply === before.ply && state.offer === null && state.result === before.result && state.rematch === null;
  const shown = state === before ? text : (turnedDown(before, state, me, mine) ?? (isSame ? text : null));
  last.current = { state, mine: pendingWords.map(({ content }) => content), text: shown };
  return shown;
}

/** The arbiter's time; read again when a rule may change: at the deadline, after it, now and then. */
export function useArbiterTime(state: GameState, me: Color | null, offsetMs: number): number {
  const [, redraw] = useState({});
  const now = Date.now() + offsetMs;
  useEffect(() => {
    const untilDeadline = (state.deadline ?? 0) - now;
    const untilClaim = ((me && claimableAtMs(state, me)) ?? 0) - now;
    const waits = [untilDeadline, untilDeadline + FLAG_AFTER_MS, untilClaim, 60_000].filter((wait) => wait > 0);
    const timer = setTimeout(() => redraw({}), Math.min(...waits) + 50);
    return () => clearTimeout(timer);
  });
  return now;
}
