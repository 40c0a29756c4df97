/** This player's games that go on, as they need them: live first, then those to move, by deadline. */

import { turnOf } from "../shared/fen.ts";
import type { GameId, GameState, GameView } from "./model.ts";

type Mine = GameView & { readonly confirmed: GameState };

export function gamesOf(games: ReadonlyMap<GameId, GameView>): readonly Mine[] {
  return [...games.values()].filter(goesOn).sort((one, other) => {
    const [mine, theirs] = [urgency(one), urgency(other)];
    const differs = mine.findIndex((value, index) => value !== theirs[index]);
    return differs < 0 ? 0 : mine[differs]! - theirs[differs]!;
  });
}

export function isToMove({ me, confirmed, pendingMove }: GameView): boolean {
  return confirmed !== null && pendingMove === null && turnOf(confirmed.fen) === me;
}

/** The game to turn to after a move in this one; `null` if none waits for a move of mine. */
export function nextToMove(games: ReadonlyMap<GameId, GameView>, here: GameId): GameId | null {
  return gamesOf(games).find((view) => view.game !== here && isToMove(view))?.game ?? null;
}

export function isLive({ time }: GameState): boolean {
  return time?.kind === "live";
}

function goesOn(view: GameView): view is Mine {
  return view.me !== null && view.confirmed?.result === null;
}

function urgency(view: Mine): readonly number[] {
  const { confirmed } = view;
  return [isLive(confirmed) ? 0 : 1, isToMove(view) ? 0 : 1, confirmed.deadline ?? Infinity, -confirmed.createdAt];
}
