/** The title of the tab, which says whose turn it is while the player looks elsewhere. */

import { gamesOf, isToMove } from "../arbiter/mine.ts";
import type { ClientState, GameId, GameView } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import { nameOf } from "./npub.ts";

/**
 * The games in which the player is to move come first: how many, and the shown one, then the most urgent. `page` is the
 * title without one.
 */
export function tabTitle(state: ClientState, shown: GameId | null, page: string): string {
  const here = state.games.get(shown ?? "");
  const waiting = gamesOf(state.games).filter(isToMove);
  const toMove = waiting.find(({ game }) => game === shown) ?? waiting[0];
  const count = waiting.length > 1 ? `(${waiting.length}) ` : "";
  if (toMove) return `${count}${t("game.yourTurn")} — ${opponentIn(state, toMove)}`;
  const game = here?.confirmed;
  if (!here || !game) return page;
  if (here.me === null) return t("game.title", { white: nameOf(state, game.white), black: nameOf(state, game.black) });
  if (game.result !== null) return `${t("end.over")} — ${opponentIn(state, here)}`;
  return t("title.theirTurn", { player: opponentIn(state, here) });
}

function opponentIn(state: ClientState, { me, confirmed }: GameView): string {
  return confirmed ? nameOf(state, me === "white" ? confirmed.black : confirmed.white) : "";
}
