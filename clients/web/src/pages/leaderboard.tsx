/** The best at each speed. */

import type { JSX } from "preact";
import { ranksIn } from "../lists.ts";
import { at, type Route } from "../router.ts";
import { emptyText, usePolled, type PageProps } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { SPEEDS } from "../terms.ts";
import { t } from "../texts/index.ts";
import "./pages.css";

type Props = PageProps & { readonly route: Extract<Route, { page: "leaderboard" }> };

export function LeaderboardPage({ client, state, route }: Props): JSX.Element {
  const http = state.arbiter?.http ?? null;
  const polled = usePolled(http && `${http}/leaderboard/${route.speed}?limit=100`, ranksIn, 60_000);
  const ranks = polled.value;
  return (
    <section class="narrow" aria-labelledby="ranks-title">
      <h1 id="ranks-title">{t("title.leaderboard")}</h1>
      <nav class="segments" aria-label={t("leaderboard.speeds")}>
        {SPEEDS.map((speed) => (
          <a href={at.leaderboard(speed)} aria-current={speed === route.speed ? "page" : undefined}>
            {t(`speed.${speed}`)}
          </a>
        ))}
      </nav>
      {ranks?.length ? (
        <table>
          <thead>
            <tr>
              <th scope="col">#</th>
              <th scope="col">{t("leaderboard.player")}</th>
              <th scope="col">{t("player.rating")}</th>
              <th scope="col">{t("player.games")}</th>
            </tr>
          </thead>
          <tbody>
            {ranks.map(({ player, rating, deviation, games }, place) => (
              <tr class={player?.pubkey === state.me ? "me-row" : undefined}>
                <td>{place + 1}</td>
                <td><PlayerName client={client} state={state} player={player?.pubkey ?? null} linked /></td>
                <td>{rating} <small>±{deviation}</small></td>
                <td>{games}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : <p class="soft">{t(emptyText(state, polled, "leaderboard.none"))}</p>}
      <p class="soft">{t("leaderboard.rule")}</p>
    </section>
  );
}
