/** English. `{name}` is replaced; `<key>.one` and `<key>.other` are chosen by the count. */
import { enGame } from "./en_game.ts";

export const en = {
  ...enGame,
  "app.name": "Arbiter",
  "lobby.play": "Play",
  "lobby.waiting.one": "{count} player waits",
  "lobby.waiting.other": "{count} players wait",
} as const;
