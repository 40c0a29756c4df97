/** Evaluates every position of a game, and the one that is shown for longer. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Line } from "../board/position.ts";
import { startEngine } from "./engine.ts";
import type { Evaluation } from "./score.ts";

const QUICK_MS = 120;
const LONG_MS = 3000;

export interface Study {
  readonly status: "loading" | "ready" | "failed";
  /** By plies played; the first position is 0. */
  readonly evaluations: readonly (Evaluation | undefined)[];
}

export function useEngine(line: Line, shown: number, isChess960: boolean): Study {
  const [status, setStatus] = useState<Study["status"]>("loading");
  const [evaluations, setEvaluations] = useState<Study["evaluations"]>([]);
  const wanted = useRef(shown);
  const interrupt = useRef<() => void>(() => undefined);
  wanted.current = shown;

  useEffect(() => interrupt.current(), [shown]);
  useEffect(() => {
    let isOpen = true;
    let close = (): void => undefined;
    startEngine(isChess960).then(
      async (engine) => {
        close = engine.close;
        if (!isOpen) return close();
        setStatus("ready");
        const fens = [line.start, ...line.plies.map((ply) => ply.fen)];
        const spent = fens.map(() => 0);
        while (isOpen) {
          const at = wanted.current;
          const quick = spent.indexOf(0);
          const next = spent[at] === 0 ? at : quick >= 0 ? quick : (spent[at] ?? LONG_MS) < LONG_MS ? at : -1;
          if (next < 0) await new Promise<void>((resolve) => (interrupt.current = resolve));
          else {
            const milliseconds = quick >= 0 ? QUICK_MS : LONG_MS;
            const isLong = milliseconds === LONG_MS;
            // A step to another position ends a long look; the short ones are soon over.
            const stepped = new Promise<void>((resolve) => (interrupt.current = isLong ? resolve : () => undefined));
            await Promise.race([engine.look(fens[next]!, milliseconds, (found) => note(next, found)), stepped]);
            if (!isLong || wanted.current === next) spent[next] = milliseconds;
          }
        }
      },
      () => isOpen && setStatus("failed"),
    );
    function note(at: number, found: Evaluation): void {
      if (!isOpen) return;
      setEvaluations((before) => {
        if ((before[at]?.depth ?? -1) > found.depth) return before;
        const after = [...before];
        after[at] = found;
        return after;
      });
    }
    return () => {
      isOpen = false;
      close();
    };
  }, [line, isChess960]);
  return { status, evaluations };
}
