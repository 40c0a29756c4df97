/** Arrows, rings and numbers over the board, as SVG of ours. */

import type { SquareName } from "chessops/types";
import type { JSX } from "preact";

import type { Color } from "../arbiter/model.ts";
import type { Arrow } from "./drawing.ts";

interface MarksProps {
  readonly arrows: readonly Arrow[];
  readonly orders: ReadonlyMap<SquareName, number>;
  readonly orientation: Color;
}

export function Marks({ arrows, orders, orientation }: MarksProps): JSX.Element {
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
