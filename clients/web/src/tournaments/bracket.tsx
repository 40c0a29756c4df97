/** The tree of a knockout: its stages side by side, each match beside those that it comes of. */

import type { JSX } from "preact";
import type { Pubkey } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import { cellsOf, stagesOf, type Match, type Round } from "./book.ts";
import { Name } from "./texts.tsx";
import type { PartProps } from "./tournament.tsx";

export function Bracket({ state, tournament, rounds, standings: { rows } }: PartProps): JSX.Element | null {
  if (tournament.format !== "knockout" || rounds.length === 0) return null;
  return (
    <section class="card" aria-label={t("events.bracket")} data-testid="event-bracket">
      <h2>{t("events.bracket")}</h2>
      <div class="wide-table">
        <ol class="tree">
          {stagesOf(rounds).map((stage, number) => (
            <li key={number}>
              <ol>
                {stage.map((match) => (
                  <li key={String(match)}>
                    {match.map((player) => (
                      <p class={player === state.me ? "me-row" : ""}>
                        <Name state={state} player={player} rows={rows} />
                        <strong>{match.length > 1 && scores(rounds, player, match)}</strong>
                      </p>
                    ))}
                  </li>
                ))}
              </ol>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

/** `½ 1`, of each game of a match. */
function scores(rounds: readonly Round[], player: Pubkey, match: Match): string {
  return cellsOf(rounds, player).filter(({ opponent }) => opponent && match.includes(opponent)).map(({ score }) => score || "·").join(" ");
}
