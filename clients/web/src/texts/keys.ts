/** The keys that every language has a text for. */

import type { en } from "./en.ts";
import type { enLater } from "./en_later.ts";
import type { enTournaments } from "./en_tournaments.ts";

export type TextKey = keyof typeof en | keyof typeof enLater | keyof typeof enTournaments;
/** Every language has every key; the compiler compares. */
export type Texts = Readonly<Record<TextKey, string>>;
