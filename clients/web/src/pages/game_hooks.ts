/** What a game page remembers between two states. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { GameState, GameView } from "../arbiter/model.ts";
import type { Drawn } from "../board/drawn.ts";
import { announced } from "../board/speech.ts";
import { lineOf, type Line, type Ply } from "../board/position.ts";
import { whenIdle } from "../shared/hooks.ts";
import { play, vibrate, warmUp } from "../sounds.ts";
import { t } from "../texts/index.ts";
import { drawOfferedAt, FLAG_AFTER_MS } from "./game_rules.ts";

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

/** The arbiter's time; read again when a rule may change: at the deadline, after it, now and then. */
export function useArbiterTime(state: GameState | null, offsetMs: number): number {
  const [, redraw] = useState({});
  const now = Date.now() + offsetMs;
  useEffect(() => {
    const untilDeadline = (state?.deadline ?? 0) - now;
    const waits = [untilDeadline, untilDeadline + FLAG_AFTER_MS, 60_000].filter((wait) => wait > 0);
    const timer = setTimeout(() => redraw({}), Math.min(...waits) + 50);
    return () => clearTimeout(timer);
  });
  return now;
}

/** Sounds for what happens; returns it in words, for the live region. `texts` are read when new. */
export function useNews(view: GameView | null, line: Line | null, drawn: Drawn, texts: readonly string[]): string {
  const state = view?.confirmed ?? null;
  const played = (line?.plies.length ?? state?.ply ?? 0) + (drawn.pending ? 1 : 0);
  const plies: readonly Ply[] = drawn.pending ? [...(line?.plies ?? []), drawn.pending] : (line?.plies ?? []);
  const known = useRef<{ plies: number; result: unknown; offer: unknown; texts: readonly string[] } | null>(null);
  const [said, setSaid] = useState("");
  useEffect(warmUp, []);
  useEffect(() => {
    if (!state) return;
    const before = known.current;
    const offer = state.offer && state.offer.by !== view?.me ? state.offer.kind : null;
    known.current = { plies: played, result: state.result, offer, texts };
    if (!before) return;
    const told: string[] = [];
    const last = plies.at(-1);
    if (played > before.plies && last) {
      play(last.check ? "check" : last.captured ? "capture" : "move");
      // The opponent's move and the premove that answered it come together.
      const news = plies.slice(before.plies - played).map((ply) => ply.san);
      told.push(announced(news, played));
      if (view?.me && !drawn.pending && played % 2 === (view.me === "white" ? 0 : 1)) vibrate(30);
    }
    if (state.result !== null && before.result === null) {
      play("end");
      vibrate(200);
    } else if (offer && offer !== before.offer) play("notice");
    told.push(...texts.filter((text) => !before.texts.includes(text)));
    // Of an offer of mine that was turned down no banner tells.
    const isGone = before.texts.some((text) => !texts.includes(text));
    if (isGone && told.length === 0) told.push(t("offer.none"));
    if (told.length > 0) setSaid(told.join(" "));
  }, [state, played, texts.join()]);
  return said;
}
