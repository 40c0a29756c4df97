/** A player's rating at one speed over their last rated games. */

import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import { lineOf, ratingsIn, type RatedAt } from "../ratings.ts";
import type { Speed } from "../terms.ts";
import { npubOf } from "../shared/npub.ts";
import { counted, spoken, t } from "../texts/index.ts";

const WIDTH = 600;
const HEIGHT = 160;

interface Props {
  readonly http: string;
  readonly pubkey: string;
  readonly speed: Speed;
}

export function RatingGraph({ http, pubkey, speed }: Props): JSX.Element | null {
  const [all, setAll] = useState<readonly RatedAt[]>([]);
  const [chosen, setChosen] = useState(Infinity);
  useEffect(() => {
    let isWanted = true;
    fetch(`${http}/players/${pubkey}/games.pgn?limit=50`)
      .then((answer) => (answer.ok ? answer.text() : ""))
      .then((pgn) => isWanted && setAll(ratingsIn(pgn, [pubkey, npubOf(pubkey)])))
      .catch(() => {}); // without it there is no graph, and the numbers are still there
    return () => void (isWanted = false);
  }, [http, pubkey]);
  const shown = all.filter((one) => one.speed === speed);
  const [first, last] = [shown[0], shown.at(-1)];
  if (!first || !last || shown.length < 2) return null;
  const { path, least, most } = lineOf(shown.map(({ rating }) => rating), WIDTH, HEIGHT);
  const place = Math.min(chosen, shown.length - 1);
  const at = (place / (shown.length - 1)) * WIDTH;
  const point = shown[place] ?? last;
  const date = (ms: number): string => new Date(ms).toLocaleDateString(spoken(), { dateStyle: "medium" });
  return (
    <figure class="rating-graph">
      <svg
        viewBox={`-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`} preserveAspectRatio="none" role="img"
        aria-label={counted("player.graph", shown.length, { from: first.rating, to: last.rating })}
      >
        {[0, 0.5, 1].map((part) => (<path class="grid" d={`M0 ${HEIGHT * part}H${WIDTH}`} />))}
        <path class="cursor" d={`M${at} 0V${HEIGHT}`} />
        <path class="line" d={path} />
      </svg>
      <span class="scale" aria-hidden="true">
        <small>{most}</small>
        <small>{(most + least) / 2}</small>
        <small>{least}</small>
      </span>
      <input
        type="range" min={0} max={shown.length - 1} value={place} aria-label={t("player.graph.choose")}
        aria-valuetext={`${date(point.atMs)}: ${point.rating}`}
        onInput={({ currentTarget: { value } }) => setChosen(Number(value))}
      />
      <figcaption>
        <small>{date(first.atMs)}</small>
        <strong aria-hidden="true">{date(point.atMs)}: {point.rating}</strong>
        <small>{date(last.atMs)}</small>
      </figcaption>
    </figure>
  );
}
