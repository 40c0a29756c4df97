/** The course of the evaluation, as a curve that can be clicked. */

import type { JSX } from "preact";

import type { Line } from "../board/position.ts";
import { t } from "../texts/index.ts";
import { scoreText, whiteShare, type Evaluation } from "./score.ts";

interface GraphProps {
  readonly line: Line;
  readonly evaluations: readonly (Evaluation | undefined)[];
  readonly shown: number;
  readonly onShow: (plies: number) => void;
}

const WIDTH = 300;
const HEIGHT = 80;

export function Graph({ line, evaluations, shown, onShow }: GraphProps): JSX.Element {
  const count = Math.max(1, line.plies.length);
  const points = evaluations.flatMap((found, plies) =>
    found ? [[(plies / count) * WIDTH, (1 - whiteShare(found.score)) * HEIGHT] as const] : [],
  );
  const curve = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const first = points[0]?.[0] ?? 0;
  const last = points.at(-1)?.[0] ?? 0;
  const here = evaluations[shown];
  const san = line.plies[shown - 1]?.san;
  const at = (event: MouseEvent & { currentTarget: SVGElement }): number => {
    const bounds = event.currentTarget.getBoundingClientRect();
    return Math.round(((event.clientX - bounds.left) / bounds.width) * count);
  };
  const point = here && san ? `. ${t("analysis.graph.point", { move: san, score: scoreText(here.score) })}` : "";
  return (
    <svg
      class="graph" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
      aria-label={t("analysis.graph") + point} onClick={(event) => onShow(at(event))}
    >
      <rect class="blacks" width={WIDTH} height={HEIGHT} />
      {points.length > 1 && <polygon class="whites" points={`${first},${HEIGHT} ${curve} ${last},${HEIGHT}`} />}
      <line class="even" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <line class="here" x1={(shown / count) * WIDTH} x2={(shown / count) * WIDTH} y1="0" y2={HEIGHT} />
    </svg>
  );
}
