/** The games that go on beside the one of the banner, each as a small board. */

import type { JSX } from "preact";
import { gamesOf, isToMove } from "../arbiter/mine.ts";
import { at } from "../router.ts";
import { BoardPicture } from "../shared/board_picture.tsx";
import { useNow, type PageProps } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { termsText } from "../shared/terms_text.tsx";
import { speedOf } from "../terms.ts";
import { t } from "../texts/index.ts";
import { dueText } from "./game_clock.ts";

export function YourGames({ client, state }: PageProps): JSX.Element {
  const now = useNow(60_000) + state.clockOffsetMs;
  return (
    <section aria-labelledby="games-title" data-testid="your-games">
      <h2 id="games-title">{t("games.title")}</h2>
      <div class="boards small">
        {gamesOf(state.games).slice(1).map((view) => {
          const { me, game, confirmed } = view;
          const due = dueText(confirmed, now, state.clockOffsetMs);
          return (
            <a key={game} class="game-card" href={at.game(game)} data-testid="your-game">
              <PlayerName client={client} state={state} player={me === "white" ? confirmed.black : confirmed.white} speed={speedOf(confirmed.time)} />
              <BoardPicture fen={confirmed.fen} lastMove={confirmed.moves?.at(-1) ?? null} orientation={me ?? "white"} />
              <small>{isToMove(view) ? <strong>{t("lobby.yourTurn")}</strong> : termsText(confirmed)}{due && ` · ${due}`}</small>
            </a>
          );
        })}
      </div>
    </section>
  );
}
