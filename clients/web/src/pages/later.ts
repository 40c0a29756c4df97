/** Pages that no move waits for, in one file to load: each alone would share code with each other. */

import { enLater } from "../texts/en_later.ts";
import { addEnglish } from "../texts/index.ts";

addEnglish(enLater);

export { LeaderboardPage } from "./leaderboard.tsx";
export { PlayerPage } from "./player.tsx";
export { SettingsPage } from "./settings.tsx";
export { TvPage } from "./tv.tsx";
