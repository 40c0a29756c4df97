/** Evaluates every position of a line, and the one that is shown for longer. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Line } from "../board/position.ts";
import { startEngine } from "./engine.ts";
import type { Evaluation } from "./score.ts";

const QUICK_MS = 120;
const LONG_MS = 3000;

export interface Evaluated {
  readonly status: "loading" | "ready" | "failed";
  /** By plies played; the first position is 0. */
  readonly evaluations: readonly (Evaluation | undefined)[];
}

/** One engine for as long as the page is there: another line of the same game begins with what is known. */
export function useEngine(line: Line, shown: number, isChess960: boolean): Evaluated {
  const [status, setStatus] = useState<Evaluated["status"]>("loading");
  const [, redraw] = useState({});
  const fens = useMemo(() => [line.start, ...line.plies.map(({ fen }) => fen)], [line]);
  const found = useRef(new Map<string, Evaluation>()).current;
  const wanted = useRef({ fens, here: "" });
  const interrupt = useRef<() => void>(() => undefined);
  wanted.current = { fens, here: fens[shown]! };

  useEffect(() => interrupt.current(), [line, shown]);
  useEffect(() => {
    let isOpen = true;
    let close = (): void => undefined;
    startEngine(isChess960).then(
      async (engine) => {
        close = engine.close;
        if (!isOpen) return close();
        setStatus("ready");
        const spent = new Map<string, number>();
        while (isOpen) {
          const { fens: all, here } = wanted.current;
          const quick = all.find((fen) => !spent.has(fen));
          const next = !spent.has(here) ? here : (quick ?? (spent.get(here)! < LONG_MS ? here : null));
          if (next === null) await new Promise<void>((resolve) => (interrupt.current = resolve));
          else {
            const milliseconds = quick === undefined ? LONG_MS : QUICK_MS;
            const isLong = milliseconds === LONG_MS;
            // A step to another position ends a long look; the short ones are soon over.
            const stepped = new Promise<void>((resolve) => (interrupt.current = isLong ? resolve : () => undefined));
            await Promise.race([engine.look(next, milliseconds, (seen) => note(next, seen)), stepped]);
            if (!isLong || wanted.current.here === next) spent.set(next, milliseconds);
          }
        }
      },
      () => isOpen && setStatus("failed"),
    );
    function note(fen: string, seen: Evaluation): void {
      if (!isOpen || (found.get(fen)?.depth ?? -1) > seen.depth) return;
      found.set(fen, seen);
      redraw({});
    }
    return () => {
      isOpen = false;
      found.clear();
      close();
    };
  }, [isChess960]);
  return { status, evaluations: fens.map((fen) => found.get(fen)) };
}
