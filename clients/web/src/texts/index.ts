/** The words of the page in the player's language. */

import { en } from "./en.ts";
import type { TextKey, Texts } from "./keys.ts";

export type { TextKey } from "./keys.ts";

export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" } as const;
export type Language = keyof typeof LANGUAGES;

let language: Language = "en";
/** Without `en_later` until a page comes that needs it. */
let english = en as unknown as Texts;
let texts = english;

/** The first of the browser's languages that there are texts in. */
export function languageOf(chosen: string, preferred: readonly string[]): Language {
  const known = [chosen, ...preferred].map((tag) => tag.toLowerCase().split("-")[0]!);
  return known.find((tag): tag is Language => Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

const OTHERS = {
  de: () => import("./de.ts").then(({ de }) => de),
  es: () => import("./es.ts").then(({ es }) => es),
  fr: () => import("./fr.ts").then(({ fr }) => fr),
};

/** From here on `t` answers in this language. Only English is part of the first load. */
export async function speak(wanted: Language): Promise<void> {
  texts = wanted === "en" ? english : await OTHERS[wanted]();
  language = wanted;
}

/** The texts of a page that is loaded later; other languages are loaded whole. */
export function addEnglish(more: Partial<Texts>): void {
  english = { ...english, ...more };
  if (language === "en") texts = english;
}

/** The tag for `lang` and `Intl`. */
export function spoken(): Language {
  return language;
}

/** The text with each `{name}` replaced by its value. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Whether there is a text under this key, as for the words of an arbiter. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(texts, key);
}

type Counted = {
  [K in TextKey]: K extends `${infer Stem}.one` ? (`${Stem}.other` extends TextKey ? Stem : never) : never;
}[TextKey];

/** The text for so many: `<key>.one` or `<key>.other`, with `{count}`. */
export function counted(key: Counted, count: number, values: Readonly<Record<string, string | number>> = {}): string {
  const form = new Intl.PluralRules(language).select(count) === "one" ? "one" : "other";
  return t(`${key}.${form}` as TextKey, { ...values, count: count.toLocaleString(language) });
}
