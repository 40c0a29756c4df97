/** Parts that no move waits for, in one file to load: each part alone would share code with the others. */

import style from "url:./later.css";

import { styled } from "../shared/styles.ts";
import { enLater } from "../texts/en_later.ts";
import { addEnglish } from "../texts/index.ts";

addEnglish(enLater);
await styled(style, import.meta.url);

export { Marks } from "../board/marks.tsx";
export { Chat } from "./game_chat.tsx";
export { obey } from "./game_commands.ts";
export { Copies } from "./game_share.tsx";
export { LeaderboardPage } from "./leaderboard.tsx";
export { CustomGame, TermsForm } from "./lobby_custom.tsx";
export { MyBusiness } from "./lobby_mine.tsx";
export { PlayerPage } from "./player.tsx";
export { SettingsPage } from "./settings.tsx";
export { Looking } from "../shell/looking.tsx";
export { Told } from "../shell/told.tsx";
export { attend } from "../shell/attention.ts";
export { TurnsQuestion } from "../shell/turns.tsx";
export { NameQuestion } from "../shell/own_name.tsx";
export { AwaitedSigner, KeyWarning, SignIn } from "../shell/signer.tsx";
export { Elsewhere, Place } from "../tournaments/place.tsx";
export { TvPage } from "./tv.tsx";
