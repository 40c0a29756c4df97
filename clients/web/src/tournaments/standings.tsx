/** Standings with their tie-breaks explained, and the crosstable. */

import type { JSX } from "preact";
import { at } from "../router.ts";
import { isTextKey, t } from "../texts/index.ts";
import { cellsOf, hasOpponents, type Cell, type Round } from "./book.ts";
import type { Standing } from "./model.ts";
import { Name } from "./texts.tsx";
import type { PartProps } from "./tournament.tsx";

export function StandingsTable({ state, standings }: PartProps): JSX.Element | null {
  const { rows, tieBreaks, isFinal } = standings;
  if (rows.length === 0) return null;
  const title = t(isFinal ? "events.final" : "events.standings");
  return (
    <section class="card" aria-label={title} data-testid="event-standings">
      <h2>{title}</h2>
      <div class="wide-table">
        <table>
          <thead>
            <tr>
              <th scope="col"><abbr title={t("events.rank")}>#</abbr></th>
              <th scope="col">{t("events.player")}</th>
              <th scope="col">{t("events.points")}</th>
              {tieBreaks.map((name) => <th scope="col"><abbr title={explained(name)}>{name}</abbr></th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.player} class={row.player === state.me ? "me-row" : ""}>
                <td>{row.rank}</td>
                <td>
                  <Name state={state} player={row.player} rows={rows} />
                  {row.state !== "in" && <small> {t(`events.tag.${row.state}`)}</small>}
                </td>
                <td><strong>{pointsText(row.points)}</strong></td>
                {tieBreaks.map((_, place) => <td>{row.tieBreaks[place] ?? ""}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {tieBreaks.length > 0 && (
        <details class="explained">
          <summary>{t("events.tieBreaks")}</summary>
          <dl>
            {tieBreaks.map((name) => (
              <>
                <dt>{name}</dt>
                <dd>{explained(name)}</dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

function pointsText(points: string): string {
  return points.replace(".5", "½").replace(/^0½/, "½");
}

function explained(tieBreak: string): string {
  const key = `events.tieBreak.${tieBreak}`;
  return isTextKey(key) ? t(key) : tieBreak;
}

/** Each against each in a round robin; otherwise a column for each round. An arena has too many, a knockout a tree. */
export function Crosstable(props: PartProps): JSX.Element | null {
  const { state, tournament, rounds, standings: { rows } } = props;
  if (rounds.length === 0 || rows.length === 0 || tournament.format === "arena" || tournament.format === "knockout") return null;
  const byOpponent = hasOpponents(tournament, rows);
  // By their places: two of one rank have two columns.
  const columns = byOpponent ? rows.map((_, place) => place + 1) : rounds.map(({ number }) => number);
  return (
    <section class="card" aria-label={t("events.crosstable")} data-testid="event-crosstable">
      <h2>{t("events.crosstable")}</h2>
      <div class="wide-table">
        <table class="crosstable">
          <thead>
            <tr>
              <th scope="col">#</th>
              <th scope="col">{t("events.player")}</th>
              {columns.map((column) => <th scope="col">{column}</th>)}
              <th scope="col">{t("events.points")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              <tr key={row.player} class={row.player === state.me ? "me-row" : ""}>
                <td>{place + 1}</td>
                <th scope="row"><Name state={state} player={row.player} rows={rows} /></th>
                {cellsByColumn(rounds, rows, row, byOpponent).map((cells, column) => (
                  <td class={byOpponent && column === place ? "self" : ""}>
                    {cells.map((cell) => <Score cell={cell} rows={rows} byOpponent={byOpponent} />)}
                  </td>
                ))}
                <td><strong>{pointsText(row.points)}</strong></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function cellsByColumn(rounds: readonly Round[], rows: readonly Standing[], { player }: Standing, byOpponent: boolean): readonly (readonly Cell[])[] {
  const cells = cellsOf(rounds, player);
  if (byOpponent) return rows.map((other) => cells.filter(({ opponent }) => opponent === other.player));
  return rounds.map(({ number }) => cells.filter(({ round }) => round === number));
}

/** `1`; where columns are rounds `1 7w`, with the opponent's place and the colour. */
function Score({ cell: { score, game, opponent, color }, rows, byOpponent }: { readonly cell: Cell; readonly rows: readonly Standing[]; readonly byOpponent: boolean }): JSX.Element {
  const place = rows.findIndex(({ player }) => player === opponent) + 1;
  const text = score || (game ? "·" : "");
  return (
    <span class="cell">
      {game && text ? <a href={at.game(game)}>{text}</a> : text}
      {!byOpponent && opponent && <small>{place || "?"}{t(color === "w" ? "events.w" : "events.b")}</small>}
    </span>
  );
}
