/** The end of the game, and its changes of the ratings. */

import type { JSX } from "preact";

import type { Color, GameNote, GameView } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import { endText, outcomeFor } from "./game_rules.ts";

export function End({ view }: { readonly view: GameView }): JSX.Element | null {
  const { confirmed: game, me } = view;
  if (!game || game.result === null) return null;
  const outcome = outcomeFor(game, me);
  const tally = game.result === "*" ? null : game.result.replace(/1\/2/g, "½").replace("-", "–");
  return (
    <section class={`end ${outcome ?? ""}`} aria-label={t("end.over")}>
      <h2>
        {t(outcome ? `end.${outcome}` : "end.over")}
        {tally && <span class="tally">{tally}</span>}
      </h2>
      <p>{endText(game)}</p>
    </section>
  );
}

/** `1612 → 1620 +8`, once the note of a rated game has come. */
export function RatingChange({ note, color }: { readonly note: GameNote | null; readonly color: Color }): JSX.Element | null {
  const rating = note?.ratings[color];
  if (!rating) return null;
  const [before, after] = [Math.round(rating.before), Math.round(rating.after)];
  const change = after - before;
  const text = change > 0 ? `+${change}` : change < 0 ? `−${-change}` : "±0";
  return (
    <span class="rating-change">
      {before} → <b>{after}</b> <span class={change > 0 ? "up" : change < 0 ? "down" : ""}>{text}</span>
    </span>
  );
}
