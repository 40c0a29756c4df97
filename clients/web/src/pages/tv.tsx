/** Games in progress, on small boards that move. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { gamesIn, nextIn } from "../lists.ts";
import { Segments } from "../shared/choices.tsx";
import { GameCard } from "../shared/game_card.tsx";
import { emptyText, usePolled, type PageProps } from "../shared/hooks.ts";
import { SPEEDS, speedOf, type Speed } from "../terms.ts";
import { t } from "../texts/index.ts";
import "./pages.css";

/** A relay has a limit of subscriptions; the other boards move as the list is read again. */
const WATCHED = 6;
const SHOWN = 24;

export function TvPage({ client, state }: PageProps): JSX.Element {
  const http = state.arbiter?.http ?? null;
  const live = usePolled(http && `${http}/live?limit=${SHOWN}`, read, 4000);
  const [speed, setSpeed] = useState<Speed | null>(null);
  const games = (live.value?.games ?? []).filter((it) => !speed || (speedOf(it.time) ?? "none") === speed);
  return (
    <section aria-labelledby="tv-title">
      <h1 id="tv-title">{t("title.tv")}</h1>
      <Segments label={t("tv.filter")} of={[null, ...SPEEDS]} chosen={speed} text={(one) => (one ? t(`speed.${one}`) : t("tv.all"))} choose={setSpeed} />
      {games.length > 0 ? (
        <div class="boards large">
          {games.map((game, place) => (
            <GameCard
              key={game.id} client={client} state={state} game={game} watched={place < WATCHED} large={place === 0}
            />
          ))}
        </div>
      ) : <p class="soft">{t(emptyText(state, live, "lobby.noGames"))}</p>}
      {live.value?.hasMore && <p class="soft">{t("tv.more", { count: SHOWN })}</p>}
    </section>
  );
}

function read(json: unknown): { games: ReturnType<typeof gamesIn>; hasMore: boolean } {
  return { games: gamesIn(json), hasMore: nextIn(json) !== null };
}
