/** Strangers' text, as it may be shown. */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
const HEAPED_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * One line without characters that hide or reorder the text around it, cut to so many characters.
 * Emoji that are joined by invisible characters come apart.
 */
export function clean(text: string, chars: number): string {
  const seen = text.slice(0, 10 * chars).replace(UNSEEN, " ").replace(HEAPED_MARKS, "$1");
  return [...seen.replace(/\s+/gu, " ").trim()].slice(0, chars).join("").trim();
}

/** The same for text of several lines, such as a PGN. */
export function cleanLines(text: string, chars: number): string {
  const kept = text.slice(0, chars).replace(/\r\n?/g, "\n");
  return kept.replace(UNSEEN, (found) => (found === "\n" ? found : " ")).replace(HEAPED_MARKS, "$1");
}
