/** The title of the tab, which says whose turn it is while the player looks elsewhere. */

import type { ClientState, GameId, GameView } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import { turnIn } from "./fen.ts";
import { nameOf } from "./npub.ts";

/** A game in which the player is to move comes first: the shown one, then any other. `page` is the title without one. */
export function tabTitle(state: ClientState, shown: GameId | null, page: string): string {
  const here = state.games.get(shown ?? "");
  const toMove = [...(here ? [here] : []), ...state.games.values()].find(isMyMove);
  if (toMove) return `${t("game.yourTurn")} — ${opponentIn(state, toMove)}`;
  const game = here?.confirmed;
  if (!here || !game) return page;
  if (here.me === null) return t("game.title", { white: nameOf(state, game.white), black: nameOf(state, game.black) });
  if (game.result !== null) return `${t("end.over")} — ${opponentIn(state, here)}`;
  return t("title.theirTurn", { player: opponentIn(state, here) });
}

function isMyMove({ me, confirmed, pendingMove }: GameView): boolean {
  return me !== null && confirmed?.result === null && !pendingMove && turnIn(confirmed.fen) === me;
}

function opponentIn(state: ClientState, { me, confirmed }: GameView): string {
  return confirmed ? nameOf(state, me === "white" ? confirmed.black : confirmed.white) : "";
}
