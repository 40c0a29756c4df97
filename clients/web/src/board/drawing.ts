/** Arrows and rings that a player draws with the right button. */

import type { SquareName } from "chessops/types";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Color } from "../arbiter/model.ts";
import { onInterrupted } from "./interrupted.ts";

/** From a square to another; a ring where both are the same. */
export interface Arrow {
  readonly from: SquareName;
  readonly to: SquareName;
  readonly kind: "best" | "drawn";
}

interface Drawing {
  readonly arrows: readonly Arrow[];
  readonly clear: (square?: string) => void;
}

/** Arrows drawn with the right button. `onRight` is called as the button goes down. */
export function useDrawing(element: RefObject<HTMLElement | null>, orientation: Color, onRight: () => void): Drawing {
  const [arrows, setArrows] = useState<readonly Arrow[]>([]);
  const from = useRef<SquareName | null>(null);
  const turned = useRef(orientation);
  turned.current = orientation;
  useEffect(() => {
    const board = element.current;
    if (!board) return;
    const down = (event: PointerEvent): void => {
      if (event.button !== 2) return;
      onRight();
      from.current = squareAt(board, event, turned.current);
    };
    const up = (event: PointerEvent): void => {
      const to = squareAt(board, event, turned.current);
      const start = from.current;
      from.current = null;
      if (event.button !== 2 || !start || !to) return;
      setArrows((before) => {
        const rest = before.filter((one) => one.from !== start || one.to !== to);
        return rest.length < before.length ? rest : [...before, { from: start, to, kind: "drawn" }];
      });
    };
    board.addEventListener("pointerdown", down);
    document.addEventListener("pointerup", up);
    const unwatch = onInterrupted(() => (from.current = null));
    return () => {
      unwatch();
      board.removeEventListener("pointerdown", down);
      document.removeEventListener("pointerup", up);
    };
  }, []);
  return { arrows, clear: () => setArrows((before) => (before.length ? [] : before)) };
}

function squareAt(board: HTMLElement, event: PointerEvent, orientation: Color): SquareName | null {
  const bounds = board.getBoundingClientRect();
  const x = Math.floor((8 * (event.clientX - bounds.left)) / bounds.width);
  const y = Math.floor((8 * (event.clientY - bounds.top)) / bounds.height);
  if (x < 0 || x > 7 || y < 0 || y > 7) return null;
  const [file, rank] = orientation === "white" ? [x, 7 - y] : [7 - x, y];
  return `${"abcdefgh"[file]!}${rank + 1}` as SquareName;
}
