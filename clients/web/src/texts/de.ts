/** Deutsch. */
import { deGame } from "./de_game.ts";
import type { Texts } from "./index.ts";

export const de: Texts = {
  ...deGame,
  "app.name": "Arbiter",
  "lobby.play": "Spielen",
  "lobby.waiting.one": "{count} Spieler wartet",
  "lobby.waiting.other": "{count} Spieler warten",
};
