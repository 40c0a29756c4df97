/** Arrows, rings and numbers over the board, as SVG of ours. */

import type { SquareName } from "chessops/types";
import type { JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Color } from "../arbiter/model.ts";
import { onInterrupted } from "./interrupted.ts";

/** From a square to another; a ring where both are the same. */
export interface Arrow {
  readonly from: SquareName;
  readonly to: SquareName;
  readonly kind: "best" | "drawn";
}

interface MarksProps {
  readonly arrows: readonly Arrow[];
  readonly orders: ReadonlyMap<SquareName, number>;
  readonly orientation: Color;
}

export function Marks({ arrows, orders, orientation }: MarksProps): JSX.Element | null {
  if (arrows.length === 0 && orders.size === 0) return null;
  return (
    <svg class="board-marks" viewBox="0 0 8 8" aria-hidden="true">
      {arrows.map((arrow) => (
        <ArrowMark key={`${arrow.kind}${arrow.from}${arrow.to}`} arrow={arrow} orientation={orientation} />
      ))}
      {[...orders].map(([square, number]) => {
        const [x, y] = centre(square, orientation);
        return (
          <g key={square} class="order">
            <circle cx={x + 0.34} cy={y - 0.34} r="0.15" />
            <text x={x + 0.34} y={y - 0.265} text-anchor="middle">{number}</text>
          </g>
        );
      })}
    </svg>
  );
}

function ArrowMark({ arrow, orientation }: { arrow: Arrow; orientation: Color }): JSX.Element {
  const [x1, y1] = centre(arrow.from, orientation);
  const [x2, y2] = centre(arrow.to, orientation);
  if (arrow.from === arrow.to) return <circle class={`ring ${arrow.kind}`} cx={x1} cy={y1} r="0.44" />;
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - ux * 0.5, y2 - uy * 0.5];
  const [tx, ty] = [x2 - ux * 0.12, y2 - uy * 0.12];
  const head = `${tx},${ty} ${bx - uy * 0.24},${by + ux * 0.24} ${bx + uy * 0.24},${by - ux * 0.24}`;
  return (
    <g class={`arrow ${arrow.kind}`}>
      <line x1={x1 + ux * 0.25} y1={y1 + uy * 0.25} x2={bx} y2={by} />
      <polygon points={head} />
    </g>
  );
}

function centre(square: SquareName, orientation: Color): [number, number] {
  const file = square.charCodeAt(0) - 97;
  const rank = square.charCodeAt(1) - 49;
  return orientation === "white" ? [file + 0.5, 7.5 - rank] : [7.5 - file, rank + 0.5];
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
