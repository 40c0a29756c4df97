/** A player's rating at one speed over their last rated games. */

import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import { lineOf, ratingsIn, type RatedAt } from "../ratings.ts";
import type { Speed } from "../terms.ts";
import { npubOf } from "../shared/npub.ts";
import { counted, spoken } from "../texts/index.ts";

const WIDTH = 600;
const HEIGHT = 160;

interface Props {
  readonly http: string;
  readonly pubkey: string;
  readonly speed: Speed;
}

export function RatingGraph({ http, pubkey, speed }: Props): JSX.Element | null {
  const [all, setAll] = useState<readonly RatedAt[]>([]);
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
  const { path, least, most } = lineOf(
    shown.map(({ rating }) => rating),
    WIDTH,
    HEIGHT,
  );
  const date = (ms: number): string => new Date(ms).toLocaleDateString(spoken(), { dateStyle: "medium" });
  return (
    <figure class="graph">
      <svg
        viewBox={`-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`}
        role="img"
        aria-label={counted("player.graph", shown.length, { from: first.rating, to: last.rating })}
      >
        {[0, 0.5, 1].map((part) => (
          <path class="grid" d={`M0 ${HEIGHT * part}H${WIDTH}`} />
        ))}
        <path class="line" d={path} />
      </svg>
      <span class="scale" aria-hidden="true">
        <small>{most}</small>
        <small>{least}</small>
      </span>
      <figcaption>
        <small>{date(first.atMs)}</small>
        <small>{date(last.atMs)}</small>
      </figcaption>
    </figure>
  );
}
