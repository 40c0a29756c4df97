/** `python -m clients.web.archive FILE`: the games of PGN files as the page reads them, cleaned, and where each flaw is. */

import { readFileSync } from "node:fs";

import { defaultHeaders, extend, makePgn, Node } from "chessops/pgn";

import { gameOf, told, type Game } from "./src/analysis/pgn.ts";
import { textOf } from "./src/analysis/pgn_file.ts";
import { readPgn, type Written } from "./src/analysis/pgn_text.ts";
import { enLater } from "./src/texts/en_later.ts";
import { addEnglish, t } from "./src/texts/index.ts";

const MISSING = 1;
const UNREADABLE = 2;

/** Whether all of the file was read. */
function archive(name: string, bytes: Uint8Array): boolean {
  const { games, flaw } = readPgn(textOf(bytes));
  const say = (text: string): void => console.error(`${name}: ${text}`);
  let whole = 0;
  games.forEach((written, index) => {
    const game = gameOf(written);
    if (game.flaw) return say(`${games.length > 1 ? `game ${index + 1}: ` : ""}${told(game.flaw)}`);
    whole += 1;
    process.stdout.write(`${cleaned(written, game)}\n`);
  });
  if (flaw) say(told(flaw));
  if (!games.length && !flaw) say(t("pgn.none"));
  else say(`${whole} of ${games.length} games ${games.some(({ hasMore, comment, words }) => hasMore || comment || words.some((word) => word.sides || word.comment)) ? "written, without comments, signs and variations" : "written"}`);
  return games.length > 0 && whole === games.length && !flaw;
}

/** The tags as they are, the moves in SAN. */
function cleaned({ tags }: Written, { line, result }: Game): string {
  const moves = new Node<{ san: string }>();
  extend(moves, line.plies.map(({ san }) => ({ san })));
  const headers = defaultHeaders();
  for (const [name, { text }] of tags) headers.set(name, text);
  return makePgn({ headers: headers.set("Result", result), moves });
}

addEnglish(enLater);
for (const path of process.argv.slice(2)) {
  try {
    if (!archive(path, readFileSync(path === "-" ? 0 : path))) process.exitCode ??= MISSING;
  } catch (error) {
    console.error(`${path}: ${(error as Error).message}`);
    process.exitCode = UNREADABLE;
  }
}
