/** How the game ended, what it did to the ratings, and what comes next. */

import type { JSX } from "preact";

import type { GameNote, GameView } from "../arbiter/model.ts";
import { at } from "../router.ts";
import { t } from "../texts/index.ts";
import { endText, outcomeFor } from "./game_rules.ts";

interface EndProps {
  readonly view: GameView;
  readonly names: readonly [string, string];
}

export function End({ view, names }: EndProps): JSX.Element | null {
  const { confirmed: game, note, me } = view;
  if (!game || game.result === null) return null;
  const outcome = outcomeFor(game, me);
  const score = game.result === "*" ? null : game.result.replace(/1\/2/g, "½").replace("-", "–");
  return (
    <section class={`end ${outcome ?? ""}`} aria-label={t("end.over")}>
      <h2>
        {t(outcome ? `end.${outcome}` : "end.over")}
        {score && <span class="score">{score}</span>}
      </h2>
      <p>{endText(game)}</p>
      {note && (note.ratings.white || note.ratings.black) && (
        <dl class="rating-changes">
          {(["white", "black"] as const).map((color, index) => (
            <Change key={color} name={names[index]!} rating={note.ratings[color]} />
          ))}
        </dl>
      )}
      {me && <a class="button" href={at.lobby}>{t("end.lobby")}</a>}
    </section>
  );
}

function Change({ name, rating }: { name: string; rating: GameNote["ratings"]["white"] }): JSX.Element | null {
  if (!rating) return null;
  const change = Math.round(rating.after) - Math.round(rating.before);
  const sign = change > 0 ? `+${change}` : change < 0 ? `−${-change}` : "±0";
  return (
    <div>
      <dt><bdi>{name}</bdi></dt>
      <dd>
        {Math.round(rating.before)} → <b>{Math.round(rating.after)}</b>{" "}
        <span class={change > 0 ? "up" : change < 0 ? "down" : ""}>{sign}</span>
      </dd>
    </div>
  );
}
