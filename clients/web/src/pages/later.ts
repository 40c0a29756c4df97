/** Parts that no move waits for, in one file to load: each part alone would share code with the others. */

import style from "url:./later.css";

import { enLater } from "../texts/en_later.ts";
import { addEnglish } from "../texts/index.ts";

addEnglish(enLater);
await new Promise((done) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(style, import.meta.url).href;
  link.onload = link.onerror = done;
  document.head.append(link);
});

export { Copies } from "./game_share.tsx";
export { LeaderboardPage } from "./leaderboard.tsx";
export { CustomGame, TermsForm } from "./lobby_custom.tsx";
export { PlayerPage } from "./player.tsx";
export { SettingsPage } from "./settings.tsx";
export { Looking } from "../shell/looking.tsx";
export { AwaitedSigner, KeyWarning, SignIn } from "../shell/signer.tsx";
export { TvPage } from "./tv.tsx";
